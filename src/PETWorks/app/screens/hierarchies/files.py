"""Files of the project that may hold a hierarchy."""

from __future__ import annotations

import os
from pathlib import Path

from PETWorks.app.desk import Desk
from PETWorks.errors import PETWorksError

LISTED, LOOKED = 100, 2_000  # most files that are offered, and most that are looked at


def candidates(desk: Desk) -> list[str]:
    """Return the CSV files in and below the project's folder, relative to it; the table itself is none."""
    found, looked = list[str](), 0
    for folder, folders, files in os.walk(desk.folder):
        folders[:] = sorted(one for one in folders if not one.startswith("."))
        for file in sorted(files):
            looked += 1
            path = Path(folder, file)
            if path.suffix.casefold() == ".csv" and _may_be(desk, path):
                found.append(path.relative_to(desk.folder).as_posix())
        if len(found) >= LISTED or looked >= LOOKED:
            break
    return found[:LISTED]


def _may_be(desk: Desk, path: Path) -> bool:
    try:
        return desk.within(path) not in (desk.table_path, desk.folder / "released.csv")
    except PETWorksError:
        return False
