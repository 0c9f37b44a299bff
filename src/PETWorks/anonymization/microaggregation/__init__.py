"""Microaggregation: people are grouped with the nearest ones, and get the mean of their group in every column.

All quasi-identifiers must be numbers. Every group has at least k people and meets the goals, nobody is suppressed, and
no hierarchy is needed. The loss is the share of the variance inside the groups; each column counts in units of its own
variance, as in `SquaredError`.

- One column that varies: the optimal ranges of values, by a shortest path.
- Several: cut in halves (`grouping="halving"`), which is fast, or `grouping="mdav"`, which loses less and takes longer.
- Groups that do not meet the goals are merged with their nearest until all do.

Means are written as plain decimals, with two more decimal places than the numbers of their column have, but at least
four; the last digit is rounded, and trailing zeros are left out. All people of a group get the same text. Groups with
the same means are one class.

A mean is on no level of a hierarchy. So measures of levels, such as granularity, precision or non-uniform entropy,
cannot be evaluated on such a release: they raise an `UnknownValueError`, or count these cells as fully generalised
with `unknown_values="generalised"`. Measure its utility by `SquaredError`. Rows pair by position: pass
``pairing="position"`` if groups are so large that the means hardly show which rows pair.
"""
