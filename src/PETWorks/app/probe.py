"""Open a table of unknown origin, first in a separate process with a hard memory limit.

Files are parsed by compiled code, which a damaged or hostile file can crash. In a separate process a crash becomes an
error message, and the application continues. Only a small text file that is not compressed is opened without one: what
it can take is bounded by the limits on names, columns and cells.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from PETWorks.errors import PETWorksError, SourceError
from PETWorks.inspection.survey import open_raw_table
from PETWorks.settings.sections import Reading
from PETWorks.tables.formats import START_BYTES, find_format
from PETWorks.tables.opening import TableSource, open_source

try:
    import resource
except ImportError:  # Windows, where a process is not limited
    resource = None  # type: ignore[assignment]

TEXT = ("CSV", "JSON")
GZIP = b"\x1f\x8b"  # the first bytes of a compressed file
SMALL_TEXT = 2**20  # bytes
MAX_BYTES = 4 * 2**30  # of memory, unless the machine has less
SECONDS = 600.0
TOO_LARGE = 3  # exit code: the limit of memory was reached
COMMAND = (sys.executable, "-c", "from PETWorks.app.probe import run; run()")


def open_safely(path: Path, reading: Reading) -> TableSource:
    """Open a raw table for an inspection; raise the errors of `require_openable`."""
    require_openable(path, reading)
    return open_raw_table(path, reading)


def require_openable(path: Path, reading: Reading) -> None:
    """Raise an error if opening a table would crash the process, or take too much memory."""
    if _may_harm(path):
        _try_apart(path, reading)


def _may_harm(path: Path) -> bool:
    """Return True if a file is more than a small text."""
    with suppress(OSError, PETWorksError):
        if path.is_file():
            with path.open("rb") as file:
                start = file.read(START_BYTES)
            is_text = find_format(start, path.name).name in TEXT and not start.startswith(GZIP)
            return not is_text or path.stat().st_size > SMALL_TEXT
    return path.is_dir()  # parts of a table


def _try_apart(path: Path, reading: Reading) -> None:
    told = json.dumps({"path": str(path), "reading": [*reading], "bytes": find_limit()})
    try:
        tried = subprocess.run(  # noqa: S603 (a fixed command)
            COMMAND, input=told, text=True, capture_output=True, check=False, timeout=SECONDS
        )
    except subprocess.TimeoutExpired as error:
        problem = f"the table was not read within {SECONDS / 60:.0f} minutes"
        raise SourceError(problem, where=path.name, hint="save it as CSV or Parquet") from error
    if tried.returncode == TOO_LARGE:
        problem, hint = "the table needs more memory than there is", "save it as CSV, which is read in pieces"
        raise SourceError(problem, where=path.name, hint=hint)
    if tried.returncode:
        problem = "reading the table ended the process that read it: the file is damaged, or was made to do so"
        raise SourceError(problem, where=path.name, hint="open it where it comes from, and save it as CSV")


def find_limit() -> int:
    """Return the bytes of memory that opening a table may take: half of the machine's, at most 4 GiB."""
    with suppress(ValueError, OSError, AttributeError):
        return min(MAX_BYTES, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2)
    return MAX_BYTES


def run() -> None:
    """Open the table that standard input names, in this process; errors about the table itself are no failure."""
    told: dict[str, Any] = json.load(sys.stdin)
    if resource:
        resource.setrlimit(resource.RLIMIT_DATA, (told["bytes"],) * 2)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        open_source(Path(told["path"]), "table", *told["reading"]).first_batch()
    except PETWorksError:  # it is told where it is opened again
        return
    except MemoryError:
        os._exit(TOO_LARGE)
