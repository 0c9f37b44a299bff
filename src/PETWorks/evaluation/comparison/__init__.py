"""Comparison of several releases of one original: what each keeps, and what may be told of them together."""
