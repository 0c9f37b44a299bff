"""Anonymise a table: search for the release with the least loss that meets the goals, and write it.

A search works on the tally of the original, never on rows. It finds a `RecodingMap`: the released cells of every
combination of quasi-identifiers. Writing reads the original once more, and writes each row with its released cells.
"""
