"""Look at a raw table: what each column is, what it says about a person, and which role it should have.

Suggestions are deterministic and made on this machine. Each has its reasons; what is not clear is a question. Nothing
that is kept tells a value of fewer than five people, or a value of an identifier.
"""
