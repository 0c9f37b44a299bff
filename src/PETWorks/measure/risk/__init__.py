"""Risk: how likely people are to be found. One file, one measure.

Each yields figures: named values, some of them with limits. A measure imports from `PETWorks.measure.plugin`, and
formulas where it needs some; it uses facts, and no other measure. One exception: context risk takes the chance that an
attempt succeeds from individual or re-identification risk.
"""
