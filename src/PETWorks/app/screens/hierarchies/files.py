"""Files that may hold a hierarchy: in the project's folder, and beside the table, where others keep theirs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from PETWorks.app.desk import Desk
from PETWorks.app.project.project import POLICY
from PETWorks.errors import PETWorksError

LISTED, LOOKED, DEPTH = 100, 2_000, 2  # most files that are offered, that are looked at, and folders within folders


def candidates(desk: Desk, column: str) -> list[str]:
    """Return CSV files relative to the project's folder, those whose names fit the column first; no table is one."""
    here, found = desk.folder.resolve(), dict[str, None]()
    for folder in (here, desk.table_path.resolve().parent):
        for path in _files(folder):
            if path.suffix.casefold() == ".csv" and _may_be(desk, path):
                found[os.path.relpath(path, here).replace(os.sep, "/")] = None
    return sorted(found, key=lambda file: not fits(file, column))[:LISTED]


def fits(file: str, column: str) -> bool:
    """Return True if a file is named as that of a column is: `age.csv`, or `anything_hierarchy_age.csv`."""
    stem = Path(file).stem.casefold()
    return stem == column.casefold() or stem.endswith(f"_hierarchy_{column.casefold()}")


def _files(root: Path) -> Iterator[Path]:
    """Yield files in a folder, then those in folders below, the nearest first."""
    looked, folders = 0, [(root, 0)]
    for folder, depth in folders:
        try:
            entries = sorted(os.scandir(folder), key=lambda one: one.name)
        except OSError:
            continue
        for one in entries:
            if (looked := looked + 1) > LOOKED:
                return
            if one.is_dir(follow_symlinks=False):
                folders += [(Path(one.path), depth + 1)] if depth < DEPTH and not one.name.startswith(".") else []
            elif one.is_file():
                yield Path(one.path)


def _may_be(desk: Desk, path: Path) -> bool:
    """Return True if a file may be opened, and is neither the table nor a release beside a policy."""
    try:
        known = desk.within(path)
    except PETWorksError:
        return False
    released = path.name.startswith("released") and path.with_name(POLICY).exists()
    return known != desk.table_path and not released
