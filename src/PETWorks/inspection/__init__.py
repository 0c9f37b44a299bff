"""Inspect a raw table: the kind of each column, how identifying it is, and the role it should have.

Suggestions are deterministic and made on this machine. Each has its reasons; unclear cases are questions. Results
contain neither values of fewer than five people nor values of identifiers.
"""
