"""Files of the user rather than of a project: keys, signatures, and the list of trusted projects.

They are in the user's settings folder, which nobody else can read and which no project can change.
"""
