"""Atomic writing: files that are written completely or not at all.

The text is written to a temporary file beside the target, flushed to disk, and then renamed to the target. If this is
interrupted, the target is absent or unchanged. If the target is a symbolic link, the file that it points to is
replaced; but if the target must be below a folder, no link is followed. Devices and pipes cannot be replaced, so they
are written to directly. Temporary files of a process that was killed are deleted by the next process that writes to the
folder.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO

from PETWorks.errors import OutputError, PETWorksError

try:
    import fcntl
except ImportError:  # Windows, where a file that is open cannot be deleted
    fcntl = None  # type: ignore[assignment]

PART = re.compile(r"\..+\.[0-9a-f]{8}\.part", re.DOTALL)
PRIVATE_MODE = 0o600
NO_LINK = getattr(os, "O_NOFOLLOW", 0)  # Windows has none
FOLDER_FLAGS = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
BINARY = getattr(os, "O_BINARY", 0)  # of Windows
HAS_HANDLES = os.open in os.supports_dir_fd and bool(NO_LINK)
IS_LINK = "it is a symbolic link, and could lead anywhere"


class LinkError(OSError):
    """A file that must be below a folder is reached through a symbolic link, is outside, or is no regular file."""


def write_whole(path: str | os.PathLike[str], text: str, *, private: bool = False, below: Path | None = None) -> Path:
    """Write a text file in UTF-8, replacing an existing file atomically; return its path.

    `private` and `below` are those of `replace_atomically`.
    """
    target = Path(path)
    if below is None and is_special(target):
        return _write_through(target, text)
    with replace_atomically(target, private=private, below=below) as file:
        file.write(text.encode())
    return resolve_path(target) if target.is_symlink() else target


@contextmanager
def replace_atomically(
    path: str | os.PathLike[str],
    check: Callable[[Path], None] | None = None,
    *,
    private: bool = False,
    below: Path | None = None,
) -> Iterator[BinaryIO]:
    """Open a file that takes its name when the `with` block ends without an error, and is deleted otherwise.

    `check` is called with the path of the complete file before it takes its name, and may raise an error. A `private`
    file can be read by its owner only. With `below`, the file must stand below that folder, and no symbolic link on
    the way from there is followed.
    """
    target = Path(path)
    if "\0" in str(target):
        raise OutputError("cannot be written: the name contains a NUL character", where=str(target))
    if below is None and target.is_symlink():
        target = resolve_path(target)
    part, folder, lock = target.with_name(f".{target.name}.{token_hex(4)}.part"), None, None
    try:
        if below is not None:
            folder = open_folder_below(below, target)
            _require_no_link(folder, target)
        sweep_parts(target.parent)
        number = _create_locked(folder, part)
        lock = os.dup(number)  # until it has its name: nobody sweeps it
        with os.fdopen(number, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if check:
            check(part)
        os.chmod(_name_within(folder, part), PRIVATE_MODE if private else _find_mode(target), dir_fd=folder)
        if os.name == "nt":  # a file that is open has no other name there
            os.close(lock)
            lock = None
        os.replace(_name_within(folder, part), _name_within(folder, target), src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException as error:  # also Ctrl-C and other signals
        with suppress(OSError):
            os.unlink(_name_within(folder, part), dir_fd=folder)
        if isinstance(error, OSError) and not isinstance(error, PETWorksError):
            raise _build_write_error(target, error) from error
        raise
    finally:
        for one in (lock, folder):
            if one is not None:
                os.close(one)


def open_folder_below(folder: Path, path: Path) -> int | None:
    """Return a handle of the folder of a path, opened from `folder` on without following a symbolic link.

    Raise `LinkError` if there is a link, or if the path is not below the folder. Without handles of folders (Windows),
    the path is checked for links, and None is returned.
    """
    try:
        parts = path.relative_to(folder).parts
    except ValueError:
        parts = ("..",)
    if not parts or ".." in parts:
        raise LinkError(errno.EPERM, f"it is not in the folder {folder.name}")
    if not HAS_HANDLES:
        for place in (path, *path.parents):
            if place == folder:
                break
            if place.is_symlink():
                raise LinkError(errno.ELOOP, IS_LINK)
        return None
    number = os.open(folder, FOLDER_FLAGS)
    for part in parts[:-1]:
        try:
            inner = os.open(part, FOLDER_FLAGS | NO_LINK, dir_fd=number)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENOTDIR) and _is_link_at(number, part):
                raise LinkError(errno.ELOOP, IS_LINK) from error
            raise
        finally:
            os.close(number)
        number = inner
    return number


def open_below(folder: Path, path: Path, flags: int) -> int:
    """Open a file below a folder without following a symbolic link; a new one can be read by its owner only.

    Raise `LinkError` for a link, a folder, a device or a pipe.
    """
    above = open_folder_below(folder, path)
    try:
        _require_no_link(above, path)
        flags |= NO_LINK | BINARY | getattr(os, "O_NONBLOCK", 0)
        number = os.open(_name_within(above, path), flags, PRIVATE_MODE, dir_fd=above)
    finally:
        if above is not None:
            os.close(above)
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise LinkError(errno.EINVAL, "this is no file")
    return number


def sweep_parts(folder: Path) -> None:
    """Delete temporary files of processes that ended; those of running processes stay."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if PART.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                with suppress(OSError):
                    _delete_unlocked(Path(entry.path))


def _delete_unlocked(path: Path) -> None:
    number = os.open(path, os.O_RDONLY | NO_LINK)
    try:
        if os.name != "nt" and os.fstat(number).st_uid != os.geteuid():
            return
        if fcntl:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)  # an error: it is in use
            path.unlink()
    finally:
        os.close(number)
    if not fcntl:
        path.unlink()  # an error: it is in use


def _create_locked(folder: int | None, part: Path) -> int:
    """Create a file and lock it; try again if another process deleted it between the two."""
    while True:
        number = os.open(
            _name_within(folder, part), os.O_RDWR | os.O_CREAT | os.O_EXCL | BINARY, PRIVATE_MODE, dir_fd=folder
        )
        with suppress(OSError):  # some file systems of networks have no locks
            if fcntl:
                fcntl.flock(number, fcntl.LOCK_EX)
        if os.name == "nt" or os.fstat(number).st_nlink:
            return number
        os.close(number)


def _name_within(folder: int | None, path: Path) -> str:
    """Return the name of a file relative to an open folder, or its path if none is open."""
    return str(path) if folder is None else path.name


def _require_no_link(folder: int | None, path: Path) -> None:
    if _is_link_at(folder, _name_within(folder, path)):
        raise LinkError(errno.ELOOP, IS_LINK)


def _is_link_at(folder: int | None, name: str) -> bool:
    with suppress(FileNotFoundError):
        return stat.S_ISLNK(os.stat(name, follow_symlinks=False, dir_fd=folder).st_mode)
    return False


def require_writable(path: str | os.PathLike[str]) -> None:
    """Raise an error if a file can obviously not be written; write nothing."""
    target = Path(path)
    folder = resolve_path(target).parent
    number = errno.EACCES if folder.is_dir() else errno.ENOTDIR
    if not is_special(target) and (target.is_dir() or not os.access(folder, os.W_OK | os.X_OK) or not folder.is_dir()):
        raise _build_write_error(target, OSError(number, os.strerror(number)))


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
        raise _build_write_error(target, error) from error
    return target


def _find_mode(target: Path) -> int:
    """Return the permissions of an existing file; for a new file, the default ones of the system."""
    with suppress(OSError):
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _build_write_error(target: Path, error: OSError) -> OutputError:
    folder = resolve_path(target).parent
    if not folder.exists():
        hint = f"create the folder {folder.name}, or name another"
        return OutputError(f"cannot be written: there is no folder {target.parent}", where=str(target), hint=hint)
    if target.is_dir():
        return OutputError("cannot be written: this is a folder", where=str(target), hint="name a file in it")
    return OutputError(f"cannot be written: {error.strerror or error}", where=str(target))
