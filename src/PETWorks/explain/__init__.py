"""Explain how results were computed, as steps: kinds and figures, without words.

The words of each kind of step are chosen in `render`, per language. This room uses facts and formulas.
"""
