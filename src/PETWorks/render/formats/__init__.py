"""Output formats of evaluations: one module for each, which declares it as ``FORMAT`` and has its name."""
