"""Exhibits: what a report draws and lists beside its results, worked out from facts as plain figures.

Each module works out the figures of one section of the report, and leaves out what describes few people. Sections
receive these figures and nothing else: no facts can be reached from an exhibit.
"""
