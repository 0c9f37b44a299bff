"""What a measure is: its base class, parameters, registry, result, and the three families of measures.

A family turns what a measure yields (bounds, losses, figures) into a `Result`, once for all its measures. This room
uses facts, formulas and steps of explanations; it names no single measure.
"""
