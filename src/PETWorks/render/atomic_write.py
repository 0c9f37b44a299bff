"""Atomic writing: files that are written completely or not at all.

The text is written to a temporary file beside the target, flushed to disk, and then renamed to the target. If this is
interrupted, the target is absent, or as it was.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from tempfile import mkstemp

from PETWorks.errors import OutputError


def write_whole(path: str | os.PathLike[str], text: str) -> Path:
    """Write a text file in UTF-8; replace an existing file atomically."""
    target = Path(path)
    try:
        handle, name = mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    except OSError as error:
        raise _cannot_write(target, error) from error
    try:
        with open(handle, "w", encoding="utf-8", newline="\n") as file:  # noqa: PTH123 (a handle, not a path)
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(_mode(target))
        Path(name).replace(target)
    except BaseException as error:
        with suppress(OSError):
            Path(name).unlink()
        if isinstance(error, OSError):
            raise _cannot_write(target, error) from error
        raise
    return target


def _mode(target: Path) -> int:
    """Return the permissions of an existing file; for a new file, the default ones of the system."""
    with suppress(OSError):
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _cannot_write(target: Path, error: OSError) -> OutputError:
    return OutputError(f"cannot be written: {error.strerror or error}", where=str(target))
