"""Formulas of the literature: Earth Mover's Distance, intervals, leaf counts, superpopulation models.

They are pure functions of facts and exact numbers, and know nothing of limits, results or words.
"""
