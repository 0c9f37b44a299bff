"""Write a release: read the original once more and write its rows with their released cells.

A file takes its name only after it is complete and was evaluated again. Until then it is a hidden file in the same
folder, readable by its owner only, and it is deleted after any error.
"""

from __future__ import annotations

import codecs
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, get_args

from PETWorks.anonymization.release_facts import RecodingMap
from PETWorks.errors import OutputError, ParameterError, did_you_mean, show_value
from PETWorks.facts.roles import Roles
from PETWorks.render.atomic_write import is_special, replace_atomically, resolve_path
from PETWorks.tables.counting.workspace import Workspace
from PETWorks.tables.formats import list_written_formats
from PETWorks.tables.frames import Library
from PETWorks.tables.opening import TableSource
from PETWorks.tables.rewriting.cells import DividedRewriting, Rewriting, RewrittenSource, Shuffle
from PETWorks.tables.rewriting.files import write_release
from PETWorks.tables.rewriting.frames import build_frame, build_text_frame

Identifiers = Literal["mark", "drop"]
SuppressedRows = Literal["keep", "remove"]
Order = Literal["original", "shuffled"]
BIG5 = ("cp950", "big5", "big5hkscs")


@dataclass(frozen=True, eq=False)
class ReleaseWriter:
    """Writes the original with its quasi-identifiers recoded, to a file or as a frame."""

    source: TableSource  # the original
    roles: Roles
    recoding: RecodingMap
    identifiers: Identifiers = "mark"  # "mark": every cell becomes the marker; "drop": the columns are left out
    marked: frozenset[str] | None = None  # columns whose cells all become the marker; None: as `identifiers` says
    dropped: frozenset[str] | None = None  # columns that are left out; None: likewise
    suppressed_rows: SuppressedRows = "keep"  # "remove": suppressed rows are left out
    order: Order = "original"
    seed: int | None = None  # of the random order; without one, the order cannot be reproduced
    encoding: str | None = None  # of a CSV file; None: as `find_encoding` says
    marker: str = "*"
    workspace: Workspace = field(default_factory=Workspace)
    about: Sequence[Sequence[str]] = ()  # what was done to each column, for formats that hold it

    def __post_init__(self) -> None:
        for name, words in (("identifiers", Identifiers), ("suppressed_rows", SuppressedRows), ("order", Order)):
            if (given := getattr(self, name)) not in get_args(words):
                raise ParameterError(f"{name} cannot be {show_value(given)}", hint=did_you_mean(given, get_args(words)))
        if self.seed is not None and (not isinstance(self.seed, int) or self.seed < 0):
            raise ParameterError(f"seed must be a whole number from 0, not {show_value(self.seed)}")

    def write(
        self,
        path: str | os.PathLike[str],
        check: Callable[[Path], None],
        inputs: Iterable[str | os.PathLike[str]] = (),
        below: Path | None = None,
    ) -> Path:
        """Write the release to a file; return its path.

        `check` evaluates the complete file and raises an error if it must not take its name. `inputs` are files, in
        addition to the original, that must not be overwritten. `below` is that of `replace_atomically`.
        """
        kind = find_output_format(path)
        self._check_target(Path(path), inputs)
        with replace_atomically(path, check, below=below) as file:
            write_release(self._rewriting, file, kind)
        return Path(path)

    def frame(self, library: Library | None = None, *, as_text: bool = False) -> Any:  # noqa: ANN401 (of that library)
        """Return the release as a frame, by default of the original's library; for files, of one that is installed.

        With `as_text`, the cells of all columns are text, trimmed as in counting.
        """
        return (build_text_frame if as_text else build_frame)(self._rewriting, library)

    @property
    def row_source(self) -> TableSource:
        """The rows to write, as a source in the order of the original."""
        return RewrittenSource(self._rewriting)

    def _check_target(self, target: Path, inputs: Iterable[str | os.PathLike[str]]) -> None:
        """Raise an error if the output is one of the inputs, or cannot be a file."""
        require_separate(target, (*self.source.files, *inputs))
        if self.source.folder and resolve_path(target).is_relative_to(resolve_path(self.source.folder)):
            problem, hint = (
                "this folder is the original, and the file would be read as a part of it",
                "choose another folder",
            )
            raise OutputError(problem, where=str(target), hint=hint)
        if is_special(target) or target.is_dir():
            what = "a folder" if target.is_dir() else "a device or a pipe"
            raise OutputError(f"this is {what}, not a file", where=str(target), hint="name a file")

    @cached_property
    def _rewriting(self) -> Rewriting:
        identifiers, none = frozenset(self.roles.identifiers), frozenset[str]()
        marked, dropped = (identifiers, none) if self.identifiers == "mark" else (none, identifiers)
        kind = DividedRewriting if self.recoding.divided else Rewriting
        return kind(
            self.source,
            self.recoding.before,
            self.recoding.after,
            removed=self.recoding.suppressed if self.suppressed_rows == "remove" else None,
            marked=marked if self.marked is None else self.marked,
            dropped=dropped if self.dropped is None else self.dropped,
            marker=self.marker,
            encoding=self.encoding or find_encoding(self.source),
            about=self.about,
            folder=self.workspace.folder,
            shuffle=Shuffle(self.seed, self.workspace) if self.order == "shuffled" else None,
        )


def find_encoding(source: TableSource) -> str:
    """Return the encoding of a CSV file that is made from a table.

    It has a byte-order mark if the table is a workbook or a Big5 file, for readers who use Excel.
    """
    name = codecs.lookup(source.encoding).name if source.encoding else ""
    return "utf-8-sig" if source.form[0] == "workbook" or name in BIG5 else "utf-8"


def require_separate(output: str | os.PathLike[str], inputs: Iterable[object], *others: str | os.PathLike[str]) -> None:
    """Raise an error if an output is one of the inputs or one of the other outputs."""
    if resolve_path(output) in {resolve_path(one) for one in inputs if isinstance(one, str | os.PathLike)}:
        hint = "choose another name for the output"
        raise OutputError("this file is an input, and would be overwritten", where=str(output), hint=hint)
    if resolve_path(output) in map(resolve_path, others):
        raise OutputError("two outputs are the same file", where=str(output), hint="give each a name of its own")


def find_output_format(path: str | os.PathLike[str]) -> str:
    """Return the extension that sets the format of an output; raise an error if it is unknown."""
    name = Path(path).name.casefold()
    if found := next((ending for ending, _ in list_written_formats() if name.endswith(ending)), ""):
        return found
    hint = f"name the file {', '.join(sorted(f'*{ending}' for ending, _ in list_written_formats()))}"
    raise OutputError(f'there is no format for a table named "{Path(path).name}"', where=os.fspath(path), hint=hint)
