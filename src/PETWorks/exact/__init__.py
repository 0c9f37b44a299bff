"""Exact numbers: limits as the caller wrote them, numbers in text, sums of logarithms and roots, and scores of classes.

Floats decide only the clear cases; close cases are decided by integers and fractions. This room works on arrays, and
knows nothing of tables.
"""
