"""What belongs to the user of this machine, not to a project: keys, signatures, and the projects that are trusted.

It stands in the user's settings folder, which nobody else can read and no project can name.
"""
