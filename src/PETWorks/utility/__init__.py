"""Utility: how much the data is still worth. Each file has one measure."""
