"""Rewrite a table row by row: read it once more, and replace its quasi-identifiers by released cells.

What is replaced, and by what, is a `Rewriting`. Rows are rewritten batch by batch, never one by one in Python.
"""
