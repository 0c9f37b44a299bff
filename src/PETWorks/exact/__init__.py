"""Exact numbers: limits as the caller wrote them, decimal text, sums of logarithms, and scores of classes.

Floats only sort out clear cases here; verdicts compare integers and fractions. This room knows no tables, only arrays.
"""
