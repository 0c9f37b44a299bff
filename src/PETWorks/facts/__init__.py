"""Facts: what measures may know about a release.

Roles and hierarchies applied to tallies: classes, sensitive values by class, cells with their levels, the population,
and the release as it would be after a change. This is the only room that counts rows of sources.
"""
