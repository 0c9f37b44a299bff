"""Exhibits: what a report draws and lists beside its results, computed from facts as plain figures.

Each module computes the figures of one section of the report, and leaves out what describes few people. An exhibit has
no reference to facts, so a section cannot show more than these figures.
"""
