"""File formats of tables: how a file is recognised, and what reads and writes it.

Each module or package in this folder declares its format as ``FORMAT``; no list is kept. An installed package declares
further formats: it names each module that has a ``FORMAT`` in the entry-point group ``petworks.sources``. These modules
are imported only for a file that no format of PETWorks recognises.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from pkgutil import iter_modules
from typing import IO, TYPE_CHECKING

from PETWorks.errors import SourceError
from PETWorks.settings.preparing import RowsOfFile
from PETWorks.settings.sections import Reading
from PETWorks.tables.source import TableSource

if TYPE_CHECKING:
    import pyarrow as pa

    from PETWorks.tables.rewriting.cells import Rewriting


GROUP = "petworks.sources"
START_BYTES = 512  # bytes by which a file is recognised, compressed or not
GZIP = b"\x1f\x8b"
GZIP_ENDING = ".gz"
BuildRows = Callable[["Rewriting"], Iterator["pa.RecordBatch"]]
OpenRows = Callable[[Path, str, Reading, RowsOfFile | None], TableSource]
Write = Callable[["Rewriting", Iterator["pa.RecordBatch"], IO[bytes]], None]


@dataclass(frozen=True, kw_only=True)
class FileFormat:
    """A format of files that hold a table.

    `open` builds the source of a path; messages use the name that is passed with it. If the format needs an extra that
    is not installed, it raises an error with the command that installs it.

    `write` has a function for each ending of a file that a release can be written to. It is called with the release,
    its rows and the open file. The rows are Arrow batches with the columns of the release: suppressed rows are already
    removed, and the others in their final order. A format may build other batches with `build_rows`, in the order of
    the original; they are checked and put in order before they are written.
    """

    name: str
    open: Callable[[Path, str, Reading], TableSource]
    endings: tuple[str, ...]  # of the names of its files, such as ".csv"
    open_rows: OpenRows | None = None  # builds the source of some of a file's rows; None: only of all rows
    kinds: tuple[str, ...] = ()  # the names of its kinds of files in lists for users; none: `name`
    starts: tuple[bytes, ...] = ()  # what its files begin with
    recognise: Callable[[bytes], bool] | None = None  # whether a file with these first 512 bytes, or fewer, is one
    ending_suffices: bool = False  # True: a file with its ending is one, unless another format recognises the content
    reads_gzip: bool = False
    reads_folders: bool = False
    write: Mapping[str, Write] = field(default_factory=dict)  # by ending
    build_rows: BuildRows | None = None

    def matches(self, start: bytes) -> bool:
        """Return True if a file that begins with these bytes has this format."""
        return start.startswith(self.starts) or (self.recognise is not None and self.recognise(start))


@cache
def load_own_formats() -> Mapping[str, FileFormat]:
    """Return the formats of PETWorks by the names of their modules."""
    names = sorted(module.name for module in iter_modules(__path__))
    return {name: import_module(f"{__name__}.{name}").FORMAT for name in names}


@cache
def load_installed_formats() -> Mapping[str, FileFormat]:
    """Return the formats of other installed packages by the names of their entry points."""
    return {entry.name: entry.load().FORMAT for entry in sorted(entry_points(group=GROUP))}


def list_formats() -> Iterator[FileFormat]:
    """Yield all formats, those of PETWorks first."""
    yield from load_own_formats().values()
    yield from load_installed_formats().values()


def list_kinds() -> list[str]:
    """Return the kinds of files that PETWorks reads, as users know them, in alphabetical order."""
    return sorted((kind for one in load_own_formats().values() for kind in one.kinds or (one.name,)), key=str.casefold)


def find_folder_format() -> FileFormat:
    """Return the format of a folder of files."""
    return next(one for one in load_own_formats().values() if one.reads_folders)


def find_format(start: bytes, name: str) -> FileFormat:
    """Return the format of a file by its first bytes and its name; delimited text if no format recognises it.

    Raise an error for a gzip file that holds a format which is read unpacked only.
    """
    content, file = start, name.casefold()
    if zipped := start.startswith(GZIP):
        content, file = _unzip_start(start), file.removesuffix(GZIP_ENDING)
    ending, text = Path(file).suffix, load_own_formats()["delimited"]
    found = _recognise(load_own_formats(), content, ending)
    if found is None and ending not in ("", *text.endings):
        found = _recognise(load_installed_formats(), content, ending)
    if zipped and found and not found.reads_gzip:
        raise SourceError(
            f"this is a gzip file with {found.name} in it", where=name, hint="unpack it, and name the file in it"
        )
    return found or text


def _recognise(known: Mapping[str, FileFormat], start: bytes, ending: str) -> FileFormat | None:
    by_start = (one for one in known.values() if one.matches(start))
    by_ending = (one for one in known.values() if one.ending_suffices and ending in one.endings)
    return next(by_start, None) or next(by_ending, None)


def _unzip_start(start: bytes) -> bytes:
    """Return the first unpacked bytes of a gzip file; empty if it is damaged."""
    try:
        return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(start)
    except zlib.error:
        return b""


def list_written_formats() -> Iterator[tuple[str, FileFormat]]:
    """Yield the formats that a release can be written in, each with an ending of its files."""
    for one in list_formats():
        yield from ((ending, one) for ending in one.write)
