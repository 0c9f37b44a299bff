"""Making a release: the search for the release with the least loss that meets its goals, and the pass that writes it.

A search works on the tally of the original, never on rows. It yields a `Recoding`: the released cells of every
combination of quasi-identifiers. The writing pass reads the original once more, and writes the release.
"""
