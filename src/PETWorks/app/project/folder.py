"""The files of a project: each is opened below its folder, and no symbolic link is followed on the way.

A project may come from somebody else, and a link in it may lead to any file of the user.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from PETWorks.errors import OutputError, PolicyError
from PETWorks.render.atomic_write import LinkError, open_below, open_folder_below, resolve_path

POLICY, JOURNAL, PRIVATE_FOLDER = "policy.toml", "journal.jsonl", ".petworks"
REPORT = "report.html"
MAX_BYTES = 2**28  # of a file that is read whole
MAX_LOOKED_AT = 10_000  # entries of a folder among which links are looked for


def open_file(path: Path, flags: int) -> int:
    """Open a file in the folder of a project; raise an error for a symbolic link."""
    try:
        return open_below(path.parent, path, flags)
    except LinkError as error:
        raise PolicyError(f"cannot be used: {error.strerror}", where=path.name, hint=HINT) from error


def read_file(path: Path) -> bytes | None:
    """Read a file in the folder of a project; None if there is none. A symbolic link is an error."""
    try:
        number = open_file(path, os.O_RDONLY)
    except FileNotFoundError:
        return None
    with os.fdopen(number, "rb") as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise PolicyError(f"cannot be used: it has more than {MAX_BYTES:,} bytes", where=path.name)
    return content


def require_own(folder: Path, path: Path) -> Path:
    """Return a path that a project may write to; raise an error unless it is below its folder, without a link."""
    try:
        number = open_folder_below(folder, path)
        if number is not None:
            os.close(number)
        if path.is_symlink():
            raise OutputError("cannot be written: it is a symbolic link", where=path.name, hint=HINT)
    except FileNotFoundError:  # its folder is missing, which is told when it is written
        pass
    except LinkError as error:
        raise OutputError(f"cannot be written: {error.strerror}", where=path.name, hint=HINT) from error
    if any(part.startswith(".") for part in path.relative_to(folder).parts):
        hint = "give it a name that does not begin with a full stop"
        raise OutputError("cannot be written: its name is that of a hidden file", where=path.name, hint=hint)
    return path


HINT = "put the file itself in its place, in the folder of the project"


def find_links(folder: Path, names: Iterable[str]) -> tuple[str, ...]:
    """Return the symbolic links in a project's folder, and on the way to the files that the project names."""
    return tuple(sorted(set(_find_links(folder, names))))


def _find_links(folder: Path, names: Iterable[str]) -> Iterator[str]:
    for inner in (folder, folder / PRIVATE_FOLDER, *(folder / name for name in names)):
        with suppress(OSError, ValueError), os.scandir(inner) as entries:
            found = (entry for _, entry in zip(range(MAX_LOOKED_AT), entries, strict=False))
            yield from (_name_link(folder, Path(entry.path)) for entry in found if entry.is_symlink())
    for name in names:
        for path in (folder / name, *(folder / name).parents):
            if path == folder or not path.is_relative_to(folder):
                break
            with suppress(OSError, ValueError):
                if path.is_symlink():
                    yield _name_link(folder, path)


def _name_link(folder: Path, path: Path) -> str:
    """Return a text that identifies a link and its target: another target makes another link."""
    name = path.relative_to(folder).as_posix()
    return f"{name} -> {resolve_path(path)}"
