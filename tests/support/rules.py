"""Hierarchies as they are read from files, and the rules that build them, for tests of commands and of tables."""

from PETWorks.hierarchies.files import build_rule, find_rule_kinds, read_hierarchy

__all__ = ["build_rule", "find_rule_kinds", "read_hierarchy"]
