"""Paths of the project's folders."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared"  # reference values and data that are not part of the project
