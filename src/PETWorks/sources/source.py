"""The base class of all sources of rows.

A source yields its rows in order, in batches of coded columns. The rest of the package calls two methods that are built
on these: `tally(columns)` counts, and `locate(column, values)` finds rows to name in an error message.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import IO, TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

import numpy as np

from PETWorks.counting.count import Batch, count
from PETWorks.counting.margins import Margin, count_each
from PETWorks.counting.memory import AMPLE, Workspace
from PETWorks.counting.size_histogram import Grouping
from PETWorks.counting.tally import Coded, IntArray, Tally, Value, cell_text, pack, recode
from PETWorks.errors import (
    MANY,
    NotAskableError,
    PETWorksError,
    SourceError,
    UnknownNameError,
    UnknownValueError,
    listing,
    plural,
)
from PETWorks.sources.file_state import Signature, file_digest, signature

if TYPE_CHECKING:
    import pyarrow as pa

LISTED = 10  # most values that an error lists
P = ParamSpec("P")
S = TypeVar("S")
T = TypeVar("T")


class ReadAgainError(Exception):
    """Raised while a source is read, when its encoding turns out to be another one: read it again from the start."""


def restarted(method: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """Call a method again if it raises ReadAgainError."""

    @wraps(method)
    def call(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        while True:
            try:
                return method(self, *args, **kwargs)
            except ReadAgainError:
                continue

    return call


class Source(ABC):
    """A table: its name in messages, its columns, and its rows in batches."""

    name: str
    columns: tuple[str, ...]
    opened: Mapping[Path, Signature] = {}
    folder: Path | None = None  # the folder whose files are the table
    copy: IO[bytes] | None = None  # the temporary file of a table that arrived through a pipe
    read_with: Sequence[str] = ()  # the entries of a `Reading` that matter to this kind of table
    has_first_line = False  # True: the names of columns are the first line, which may be missing
    memory: int = AMPLE  # the memory limit, in bytes; with less memory, batches are smaller

    @property
    def stored(self) -> Sequence[str]:
        """The names of the columns as they stand in the table, which may have blanks around them."""
        return self.columns

    @property
    def encoding(self) -> str | None:
        """The encoding of a text file, final only after the whole file was read; None for other tables."""
        return None

    @property
    def files(self) -> Sequence[Path]:
        """The files that the table is read from; none for a table in memory."""
        return ()

    @property
    def form(self) -> tuple[str, ...]:
        """The kind of table and its format, to be recorded with the results."""
        return ("in memory",)

    def follow(self, path: Path) -> None:
        """Go on with the file under another name: it was renamed after it was opened."""
        self.name, self.opened = path.name, dict.fromkeys([path], *self.opened.values())

    def hash_while_reading(self) -> None:
        """Compute the digest while the rows are read, if that is possible; otherwise `digest` reads the files again."""
        return

    def digest(self) -> str | None:
        """Return the SHA-256 of the file; for several files, that of a list of their digests and names."""
        self.check_unchanged()
        if len(self.files) == 1:
            return file_digest(self.files[0])
        each = [f"{file_digest(file)}  {file.name}\n" for file in self.files]
        return hashlib.sha256("".join(each).encode()).hexdigest() if each else None

    def check_unchanged(self) -> None:
        """Raise an error if a file was written to or replaced after it was opened."""
        for file, before in self.opened.items():
            if signature(file) != before:
                hint = "wait until it is written completely, then measure it again"
                raise SourceError("the file changed after it was opened", where=file.name, hint=hint)

    def faults(self, most: int) -> Sequence[PETWorksError]:  # noqa: ARG002
        """Return errors of the rows, at most so many, after reading them has failed; none where one is all there is."""
        return ()

    @restarted
    def first_batch(self) -> Batch:
        """Return the first rows, with all columns."""
        return next(iter(self.batches(self.columns)), [])

    @abstractmethod
    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Return the rows in order. Each batch has a coded column for each of the named columns."""

    def typed(self, coded: Sequence[str], kept: Sequence[str]) -> Iterator[tuple[Batch, list[pa.Array]]]:  # noqa: ARG002
        """Return the rows in order, with some columns coded, and others as Arrow arrays of the table's own types."""
        raise NotAskableError(
            "the rows of this table cannot be read here", where=self.name, hint="pass the table itself"
        )

    @restarted
    def tally(
        self, columns: Sequence[str], workspace: Workspace | None = None, grouping: Grouping | None = None
    ) -> Tally:
        """Count how often each combination of values occurs.

        If there are too many for the memory, raise a TooLargeError that has the sizes of the classes.
        """
        try:
            return count(self.name, columns, self.batches(columns), workspace, grouping)
        finally:
            self.check_unchanged()  # also after an error, for which the change may be the reason

    @restarted
    def margins(
        self, columns: Sequence[str], workspace: Workspace | None = None, person: str | None = None
    ) -> Mapping[str, Margin]:
        """Count each of some columns by itself, all in one pass over the rows.

        With `person`, one of these columns, people are counted, too, as far as memory allows.
        """
        try:
            return count_each(self.name, columns, self.batches(columns), workspace, person)
        finally:
            self.check_unchanged()

    @restarted
    def locate(self, column: str, values: Iterable[Value]) -> dict[Value, int]:
        """Return, for each value, the number of the first row that has it, counted from 1."""
        wanted, found, start = set(values), dict[Value, int](), 1
        for (coded,) in self.batches([column]):
            for code, value in enumerate(coded.values):
                if value in wanted and value not in found and (rows := np.flatnonzero(coded.codes == code)).size:
                    found[value] = start + int(rows[0])
            if len(found) == len(wanted):
                break
            start += len(coded.codes)
        return found

    @restarted
    def numbers(self, combinations: Tally) -> IntArray:
        """Return the numbers, counted from 1, of the rows that have one of the combinations of values."""
        names, start, found = [str(key) for key in combinations.columns], 1, [np.zeros(0, dtype=np.int64)]
        for batch in self.batches(names):
            rows = batch[0].size
            packed, _ = pack(*_side_by_side(list(combinations.columns.values()), batch))
            found.append(start + np.flatnonzero(np.isin(packed[:rows], packed[rows:])))
            start += rows
        return np.concatenate(found)

    def unknown(self, column: str, holders: Mapping[Value, int], what: str, hint: str) -> UnknownValueError:
        """Build the error for values that should not be in a column; it names a row that has each value.

        `holders` are the values, with how many people hold each.
        """
        values = list(holders)
        common = listing(sorted(cell_text(value) for value in values if holders[value] >= MANY), LISTED)
        rows = self.locate(column, values[:LISTED])  # empty for a table on a cluster
        told = sorted((rows.get(value, 0), cell_text(value)) for value in values[:LISTED])
        places = ", ".join(f'"{value}" (row {row:,})' if row else f'"{value}"' for row, value in told)
        more = f" and {len(values) - LISTED} more" if len(values) > LISTED else ""
        problem = f"{plural(len(values), 'value')} {'is' if len(values) == 1 else 'are'} {what}"
        return UnknownValueError(
            problem, where=f"{self.name}, {column}", hint=hint, listed=places + more, common=common
        )

    def places(self, columns: Iterable[str]) -> list[int]:
        """Return the place of each of the named columns in the table."""
        place_of = {name: place for place, name in enumerate(self.columns)}
        return [place_of[name] for name in columns]

    def require(self, columns: Sequence[str], what: str, beside: Sequence[str] = (), more: str = "") -> None:
        """Raise an error for columns that the table does not have; it suggests similar names.

        If the table has none of them, nor of those `beside`, its header may be missing. Its names, which may then be
        the cells of a person, are not told. `more` is what else may help.
        """
        known = set(self.columns)
        if lacking := [column for column in columns if column not in known]:
            from PETWorks.sources.first_line import require_table, suggestion

            require_table(self)
            problem = f"there is no column {listing(lacking)} ({what})"
            if known.isdisjoint([*columns, *beside]):
                hint = "none of the expected columns is there: check that the first line of the table names its columns"
            else:
                hint = suggestion(self, lacking)
            raise UnknownNameError(problem, where=self.name, hint="\n".join(filter(None, (more, hint))))


def _side_by_side(wanted: Sequence[Coded], batch: Batch) -> tuple[list[IntArray], list[int]]:
    """Return, for each column, the codes of the batch followed by those of `wanted`, in one coding, and its size."""
    columns, sizes = [], []
    for one, column in zip(wanted, batch, strict=True):
        lexicon: dict[Value, int] = {}
        codes = recode(lexicon, column.values)[column.codes], recode(lexicon, one.values)[one.codes]
        columns.append(np.concatenate(codes))
        sizes.append(len(lexicon) or 1)
    return columns, sizes
