"""Measures: their base class, parameters, registry and result, and the three families of measures.

Each family turns what its measures yield (bounds, losses, figures) into a `Result`. This package uses facts, formulas
and steps of explanations; it depends on no particular measure.
"""
