"""The files of a project, and who may have them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from PETWorks.app.desk import Desk
from PETWorks.app.project.project import JOURNAL, POLICY
from PETWorks.app.screens.release.after import RECORD, target_of

HAND_OVER, KEEP, NEVER = "hand_over", "keep", "never"


@dataclass(frozen=True)
class FileRow:
    """A file: its name, what it is, its size in bytes, and who may have it."""

    name: str
    what: str  # a key of the words
    size: int
    whom: str
    number: int = 0  # how many files it holds, if it is a folder


def files_of(desk: Desk) -> list[FileRow]:
    """Return the files of the project that exist, and the original."""
    return list(_files(desk))


def _files(desk: Desk) -> Iterator[FileRow]:
    folder, target, report = desk.folder, target_of(desk), desk.draft.section("report")
    yield from _one(target, "released", HAND_OVER)
    yield from _one(folder / str(report.get("html", "report.html")), "report", HAND_OVER)
    yield from _one(folder / str(report.get("json", RECORD)), "record", KEEP)
    yield from _one(folder / POLICY, "policy", KEEP)
    trees = folder / str(desk.draft.data.get("hierarchies", "hierarchies"))
    if trees.is_dir():
        found = [one for one in trees.iterdir() if one.is_file()]
        yield FileRow(f"{trees.name}/", "hierarchies", sum(_size(one) for one in found), KEEP, len(found))
    yield from _one(folder / JOURNAL, "journal", KEEP)
    stem, _, rest = target.name.partition(".")
    older = re.compile(rf"{re.escape(stem)}\.(\d+|rejected(?:-\d+)?)\.{re.escape(rest)}")
    for path in sorted(target.parent.iterdir()):
        if match := older.fullmatch(path.name):
            yield from _one(
                path, "older" if match[1].isdecimal() else "rejected", KEEP if match[1].isdecimal() else NEVER
            )
    yield from _one(desk.table_path, "original", NEVER)


def _one(path: Path, what: str, whom: str) -> Iterator[FileRow]:
    if path.is_file():
        yield FileRow(path.name, what, _size(path), whom)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
