"""Utility: how much the data is still worth. One file, one measure."""
