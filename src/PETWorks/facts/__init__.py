"""Facts: what measures may know about a release.

Roles and hierarchies are applied to tallies here: classes, sensitive values per class, cells with their levels, the
population, and the release as it would be after a change. Only this room calls `sources` to count rows.
"""
