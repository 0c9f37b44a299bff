"""Evaluations of several measures, their disclosure control, and remedies for failing requirements.

`run` evaluates measures on a release, `guard` withholds figures that describe few people, and `remedies` tries changes
of the release and chooses among them. `render` chooses the words.
"""
