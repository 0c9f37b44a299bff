"""Rewrite a table row by row: read it once more, and replace its quasi-identifiers by released cells.

A `Rewriting` holds the cells to replace and their new values. Rows are rewritten batch by batch, never one by one.
"""
