"""Utility: how useful the data still is. One file, one measure.

Most yield losses: how much was lost of how much could be lost, by column or overall. A measure imports from
`PETWorks.measure.plugin`, and formulas where it needs some; it uses facts, and no other measure.
"""
