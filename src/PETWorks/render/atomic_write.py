"""Atomic writing: files that are written completely or not at all.

The text is written to a temporary file beside the target, flushed to disk, and then renamed to the target. If this is
interrupted, the target is absent, or as it was. A symbolic link is kept, and the file it points to is replaced. Devices
and pipes cannot be replaced: they are written to.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO

from PETWorks.errors import OutputError, PETWorksError


def write_whole(path: str | os.PathLike[str], text: str) -> Path:
    """Write a text file in UTF-8, replacing an existing file atomically; return its path."""
    target = Path(path)
    if is_special(target):
        return _write_through(target, text)
    with replace_atomically(target) as file:
        file.write(text.encode())
    return resolve_path(target) if target.is_symlink() else target


@contextmanager
def replace_atomically(path: str | os.PathLike[str], check: Callable[[Path], None] | None = None) -> Iterator[BinaryIO]:
    """Open a file that takes its name when the `with` block ends without an error, and is deleted otherwise.

    `check` is called with the path of the complete file before it takes its name, and may raise an error.
    """
    target = Path(path)
    if "\0" in str(target):
        raise OutputError("cannot be written: the name contains a NUL character", where=str(target))
    target = resolve_path(target) if target.is_symlink() else target
    part = target.with_name(f".{target.name}.{token_hex(4)}.part")
    try:
        with open(part, "xb", opener=_open_private) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if check:
            check(part)
        part.chmod(_mode(target))
        part.replace(target)
    except BaseException as error:  # also Ctrl-C and other signals
        with suppress(OSError):
            part.unlink()
        if isinstance(error, OSError) and not isinstance(error, PETWorksError):
            raise _cannot_write(target, error) from error
        raise


def require_writable(path: str | os.PathLike[str]) -> None:
    """Raise an error if a file can obviously not be written; write nothing."""
    target = Path(path)
    folder = resolve_path(target).parent
    number = errno.EACCES if folder.is_dir() else errno.ENOTDIR
    if not is_special(target) and (target.is_dir() or not os.access(folder, os.W_OK | os.X_OK) or not folder.is_dir()):
        raise _cannot_write(target, OSError(number, os.strerror(number)))


def _open_private(path: str, flags: int) -> int:
    """Open a file that only its owner can read until it is complete."""
    return os.open(path, flags, 0o600)


def resolve_path(path: str | os.PathLike[str]) -> Path:
    """Return the target of a path. Unlike `Path.resolve`, this accepts any path, and links that lead in a circle."""
    with suppress(ValueError):  # the path contains a NUL character
        return Path(os.path.realpath(path))
    return Path(path)


def is_special(target: Path) -> bool:
    """Return True for a device, a pipe or a socket; symbolic links are followed."""
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
    """Return the permissions of an existing file; for a new file, the default ones of the system."""
    with suppress(OSError):
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _cannot_write(target: Path, error: OSError) -> OutputError:
    folder = resolve_path(target).parent
    if not folder.exists():
        hint = f"create the folder {folder.name}, or name another"
        return OutputError(f"cannot be written: there is no folder {target.parent}", where=str(target), hint=hint)
    if target.is_dir():
        return OutputError("cannot be written: this is a folder", where=str(target), hint="name a file in it")
    return OutputError(f"cannot be written: {error.strerror or error}", where=str(target))
