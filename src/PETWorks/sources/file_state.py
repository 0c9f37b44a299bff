"""What shows that a file is still the same: its signature, which is cheap, and its digest."""

from __future__ import annotations

import hashlib
from pathlib import Path

from PETWorks.errors import SourceError

Signature = tuple[int, int, int] | None


def signature(path: Path) -> Signature:
    """Return what changes when a file is written to or replaced: its number, size and time; None if it is gone."""
    try:
        told = path.stat()
    except OSError:
        return None
    return told.st_ino, told.st_size, told.st_mtime_ns


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        problem = f"the file can no longer be read: {error.strerror or error}"
        raise SourceError(problem, where=path.name, hint="check that it was not moved or deleted") from error
