"""Evaluations of several measures, what may be shown of them, and what would help.

`run` evaluates measures on a release, `guard` removes what describes few people, `remedies` tries changes of the
release, and `advice` chooses among them. `render` chooses the words.
"""
