"""What the library says is wrong, for people who do not code: no Python, and no path of the project's folder.

>>> from PETWorks.errors import HierarchyError
>>> error = HierarchyError("5 does not divide", where="/home/ann/visits/age.csv", hint="write 5, 10, as in f(x=5)")
>>> found(error, Path("/home/ann/visits")), advice(error)
('age.csv: 5 does not divide', 'write 5, 10')
"""

from __future__ import annotations

import re
from itertools import takewhile
from pathlib import Path

from PETWorks.errors import PETWorksError

PYTHON = re.compile(r"\w\(|\w=|\bsuppress_at_most\b")  # a call, an argument
CLAUSES = re.compile(r"(, (?:or |as in )?)")


def found(error: PETWorksError, folder: Path | None = None) -> str:
    """Return what was found, and where."""
    return error.guarded().replace(f"{folder}/", "") if folder else error.guarded()


def advice(error: PETWorksError) -> str:
    """Return what to do, up to the first clause that is Python: the screen has fields for that."""
    if not PYTHON.search(error.hint):
        return error.hint
    kept = [*takewhile(lambda one: not PYTHON.search(one), CLAUSES.split(error.hint))]
    return "".join(kept[: len(kept) // 2 * 2 - 1]) if kept[1:] else ""
