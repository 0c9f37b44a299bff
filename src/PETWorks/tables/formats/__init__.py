"""File formats of tables: one module or package for each, which declares it as ``FORMAT``."""
