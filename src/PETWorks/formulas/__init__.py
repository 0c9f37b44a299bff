"""Mathematics with names: Earth Mover's Distance, intervals, leaf counts, superpopulation models.

Pure functions over facts and exact numbers. They know nothing of limits, results or words.
"""
