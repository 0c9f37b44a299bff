"""Privacy models: how well people are protected. One file, one measure.

Each yields bounds: a score for every class, as exact fractions, and the side of a limit on which all scores must be. A
measure imports from `PETWorks.measure.plugin`, and formulas where it needs some; it uses facts, and no other measure.
"""
