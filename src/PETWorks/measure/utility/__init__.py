"""Utility: how much the data is still worth. One file, one measure.

Most yield losses: how much was lost of how much could be lost, by column or overall. A measure imports from
`PETWorks.measure.plugin`, and formulas where it needs some; it sees facts, and no other measure.
"""
