"""The user's settings folder, and files in it that only their owner can read.

The folder is `petworks` in $XDG_CONFIG_HOME (default: ~/.config), on Windows in %APPDATA%.
"""

from __future__ import annotations

import os
import stat
import sys
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

from PETWorks.errors import OutputError, PETWorksError, SettingsError

MAX_BYTES = 2**20  # of a file in the folder
NO_LINK = getattr(os, "O_NOFOLLOW", 0)  # Windows has none


def find_folder() -> Path:
    """Return the path of the user's settings folder, which may not exist yet."""
    if sys.platform == "win32":
        base = os.environ.get("APPDATA", "")
    else:
        base = os.environ.get("XDG_CONFIG_HOME", "")
    if not base or not Path(base).is_absolute():  # the XDG specification: a relative path is ignored
        try:
            base = str(Path.home() / ".config")
        except RuntimeError as error:
            hint = "set HOME, or XDG_CONFIG_HOME to an absolute path"
            raise SettingsError("the user's home folder is unknown", hint=hint) from error
    return Path(base) / "petworks"


def read_private(path: Path) -> bytes | None:
    """Read a file that only its owner may be able to read; None if there is none.

    A link, a file of another owner, or a file that others can read or change is an error.
    """
    try:
        number = os.open(path, os.O_RDONLY | NO_LINK | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        return None
    except OSError as error:
        problem = "it is a symbolic link" if path.is_symlink() else str(error.strerror or error)
        raise SettingsError(f"cannot be used: {problem}", where=str(path)) from error
    try:
        _require_private(os.fstat(number), path)
        with open(number, "rb", closefd=False) as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise SettingsError(f"cannot be read: {error.strerror or error}", where=str(path)) from error
    finally:
        os.close(number)
    if len(content) > MAX_BYTES:
        raise SettingsError(f"cannot be used: it has more than {MAX_BYTES:,} bytes", where=str(path))
    return content


def _require_private(status: os.stat_result, path: Path) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise SettingsError("cannot be used: this is no file", where=str(path))
    if sys.platform == "win32":  # access is by lists, which the profile's folder sets
        return
    if status.st_uid != os.geteuid():
        raise SettingsError("cannot be used: it belongs to another user", where=str(path))
    if status.st_mode & 0o077:
        hint = f"if nobody else has seen it: chmod 600 {path}; otherwise make a new one"
        raise SettingsError("cannot be used: other users can read or change it", where=str(path), hint=hint)


def write_private(path: Path, content: bytes, *, new: bool = False) -> None:
    """Write a file that only its owner can read, completely or not at all; with `new`, never replace one."""
    part = path.with_name(f".{path.name}.{token_hex(4)}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with open(part, "xb", opener=_open_private) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if new and sys.platform != "win32":
            os.link(part, path)  # fails if the name is taken
        elif new:
            part.rename(path)  # likewise, on Windows
        else:
            part.replace(path)
    except FileExistsError as error:
        raise OutputError("this file exists already", where=str(path)) from error
    except OSError as error:
        if isinstance(error, PETWorksError):
            raise
        raise OutputError(f"cannot be written: {error.strerror or error}", where=str(path)) from error
    finally:
        with suppress(OSError):
            part.unlink()


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
