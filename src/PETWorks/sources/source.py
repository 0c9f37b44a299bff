"""What every source of rows can do: the only code that sees rows.

A source gives its rows in order, in batches of coded columns. From that follow the two verbs that the rest of the house
uses: `tally(columns)` counts, and `locate(column, values)` finds a row to show in an error message.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

import numpy as np

from PETWorks.counting.count import Batch, count
from PETWorks.counting.memory import Workspace
from PETWorks.counting.size_histogram import Grouping
from PETWorks.counting.tally import Coded, IntArray, Tally, Value, cell_text, pack, recode
from PETWorks.errors import (
    MalformedError,
    SourceError,
    UnknownNameError,
    UnknownValueError,
    did_you_mean,
    listing,
    plural,
)

LISTED = 10  # values that an error lists
P = ParamSpec("P")
S = TypeVar("S")
T = TypeVar("T")


class ReadAgainError(Exception):
    """A source found out in the middle how it must be read: start over."""


def restarted(method: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """Start a method over when a source asks for that."""

    @wraps(method)
    def call(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        while True:
            try:
                return method(self, *args, **kwargs)
            except ReadAgainError:
                continue

    return call


class Source(ABC):
    """A table: its name for messages, its columns, its rows in batches."""

    name: str
    columns: tuple[str, ...]

    @property
    def encoding(self) -> str | None:
        """The encoding of a text file, known for sure once it was read to its end."""
        return None

    @property
    def files(self) -> Sequence[Path]:
        """The files that the table is read from; none for a table in memory."""
        return ()

    @property
    def form(self) -> tuple[str, ...]:
        """What kind of table it is, for the record."""
        return ("in memory",)

    def digest(self) -> str | None:
        """Give the SHA-256 of the file as it is; of several files, that of their names and digests."""
        if len(self.files) == 1:
            return file_digest(self.files[0])
        each = [f"{file_digest(file)}  {file.name}\n" for file in self.files]
        return hashlib.sha256("".join(each).encode()).hexdigest() if each else None

    @abstractmethod
    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Give the rows in order: in each batch, a coded column for each of the columns asked for."""

    @restarted
    def tally(
        self, columns: Sequence[str], workspace: Workspace | None = None, grouping: Grouping | None = None
    ) -> Tally:
        """Count how often each combination of values occurs; if they are too many, an error has the classes' sizes."""
        return count(self.name, columns, self.batches(columns), workspace, grouping)

    @restarted
    def locate(self, column: str, values: Iterable[Value]) -> dict[Value, int]:
        """Find for each value the number, counted from 1, of the first row that holds it."""
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
        """Give the numbers, counted from 1, of the rows that hold one of some combinations of values."""
        names, start, found = [str(key) for key in combinations.columns], 1, [np.zeros(0, dtype=np.int64)]
        for batch in self.batches(names):
            rows = len(batch[0].codes)
            packed, _ = pack(*_side_by_side(list(combinations.columns.values()), batch))
            found.append(start + np.flatnonzero(np.isin(packed[:rows], packed[rows:])))
            start += rows
        return np.concatenate(found)

    def unknown(self, column: str, values: Sequence[Value], what: str, hint: str) -> UnknownValueError:
        """Make an error of values that should not be in a column, with a row of each."""
        rows = self.locate(column, values[:LISTED])  # none on a cluster
        told = sorted((rows.get(value, 0), cell_text(value)) for value in values[:LISTED])
        places = ", ".join(f'"{value}" (row {row:,})' if row else f'"{value}"' for row, value in told)
        more = f" and {len(values) - LISTED} more" if len(values) > LISTED else ""
        problem = f"{plural(len(values), 'value')} {'is' if len(values) == 1 else 'are'} {what}"
        return UnknownValueError(problem, where=f"{self.name}, {column}", hint=hint, listed=places + more)

    def require(self, columns: Iterable[str], what: str) -> None:
        """Raise an error, with the nearest names, for columns that are not there."""
        if lacking := [column for column in columns if column not in self.columns]:
            problem = f"there is no column {listing(lacking)} ({what})"
            raise UnknownNameError(problem, where=self.name, hint=did_you_mean(lacking, self.columns))


def _side_by_side(wanted: Sequence[Coded], batch: Batch) -> tuple[list[IntArray], list[int]]:
    """Give the codes of a batch, then those of some combinations, in one coding; and how many codes there are."""
    columns, sizes = [], []
    for one, column in zip(wanted, batch, strict=True):
        lexicon: dict[Value, int] = {}
        codes = recode(lexicon, column.values)[column.codes], recode(lexicon, one.values)[one.codes]
        columns.append(np.concatenate(codes))
        sizes.append(len(lexicon) or 1)
    return columns, sizes


def file_digest(path: Path) -> str:
    """Give the SHA-256 of a file."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise SourceError(f"cannot be read any more: {error.strerror or error}", where=path.name) from error


def column_names(headers: Sequence[object], where: str) -> tuple[str, ...]:
    """Trim the names of columns; an error names those that are empty or occur twice."""
    names = tuple(str(header).strip() for header in headers)
    if not names:
        raise MalformedError("there are no columns", where=where, hint="was the right table chosen?")
    if "" in names:
        hint = "give every column a name (a delimiter at the end of the line makes one without)"
        raise MalformedError(f"column {names.index('') + 1} has an empty name", where=where, hint=hint)
    if twice := [name for name in dict.fromkeys(names) if names.count(name) > 1]:
        hint = "rename them, so that every name occurs once"
        raise MalformedError(f"these names occur more than once: {listing(twice)}", where=where, hint=hint)
    return names
