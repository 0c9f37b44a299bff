"""Policies: a TOML file that names the data, the role of each column, and the limits a release must keep.

This package reads such files, reports all their problems at once, and applies them. It uses only the public `Release`.
"""
