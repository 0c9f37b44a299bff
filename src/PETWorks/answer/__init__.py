"""Answers: evaluations of several measures, what may be shown of them, and what would help.

`run` evaluates measures on a release, `guard` leaves out what describes few people, `advice` tries remedies. Nothing
here chooses words; `render` does.
"""
