"""Hierarchies: the more general values that the values of a column can be replaced by.

`Hierarchy` is one column's; `files` reads them from a folder, or from what the caller passes.
"""
