"""Files that are written whole or not at all.

The text goes to a file of its own beside the target, to the disk, and only then takes the target's name: whoever is
interrupted in between leaves the target absent, or as it was. A symbolic link stays, and the file that it leads to is
replaced. Devices and pipes cannot be replaced: they are written to.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path
from tempfile import mkstemp

from PETWorks.errors import OutputError


def write_whole(path: str | os.PathLike[str], text: str) -> Path:
    """Write a text file, in UTF-8; an existing one is replaced at once."""
    target = Path(path)
    if is_special(target):
        return _write_through(target, text)
    target = target.resolve() if target.is_symlink() else target
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


def is_special(target: Path) -> bool:
    """Return True for a device, a pipe or a socket, by whatever link it is reached."""
    with suppress(OSError, ValueError):
        mode = target.stat().st_mode
        return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))
    return False


def _write_through(target: Path, text: str) -> Path:
    try:
        with target.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise _cannot_write(target, error) from error
    return target


def _mode(target: Path) -> int:
    """Keep the rights of a file that is replaced; a new one gets those that the system gives to new files."""
    with suppress(OSError):
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _cannot_write(target: Path, error: OSError) -> OutputError:
    return OutputError(f"cannot be written: {error.strerror or error}", where=str(target))
