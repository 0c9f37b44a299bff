"""Comparison of several releases of one original: their values, and what may be shown of all of them together."""
