"""Policies: a TOML file that names the data, the role of each column, and the limits a release must keep.

This room reads such files, lists all their problems at once, and applies them. It uses `Release` as any caller does.
"""
