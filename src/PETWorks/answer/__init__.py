"""Evaluations of several measures, what may be shown of them, and what would help.

`run` evaluates measures on a release, `guard` removes what describes few people, `advice` tries remedies. `render`
chooses the words.
"""
