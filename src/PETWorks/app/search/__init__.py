"""The search, in a process of its own: the screen answers meanwhile, and stopping or losing it loses nothing.

`process.py` is what the process does, `helper.py` what the application sees of it, `messages.py` what they tell one
another. It counts the table by itself, searches when it is asked to, and weighs all other level vectors when it is not.
"""
