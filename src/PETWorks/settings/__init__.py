"""Every setting of data, roles, reading, people, search, writing, report and engine, declared once with its words.

Command line, policy files, records, forms, Python's signatures and the reference are derived from these declarations.
They need neither NumPy nor a table, so that ``petworks --help`` is fast.
"""
