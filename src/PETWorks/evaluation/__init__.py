"""Evaluations of several measures, and remedies for failing requirements.

`run` evaluates measures on a release, and `remedies` tries changes of the release and chooses among them. `disclosure`
decides what may be shown of an evaluation, `render` chooses the words.
"""
