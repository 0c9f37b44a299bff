"""`TableSource`: the base class of all sources of rows, and what all sources share.

A source yields its rows in order, in batches of coded columns. The rest of the package calls two methods that are built
on these: `tally(columns)` counts, and `locate(column, values)` finds rows to name in an error message.

Also here: the check that each setting of `Reading` concerns a table, the signature and digest that show whether a file
has changed, and the checks of column names and keys. Messages quote the names of columns only if these cannot be cells
of a person: the first line of a file may hold data instead of names.

>>> [looks_like_cell(name) for name in ("age", "birth year 2", "A123456789", "2019-05-21", "41", "ann@example.org")]
[False, False, True, True, True, True]
>>> [looks_like_prose(name) for name in ("# PETWorks", "Dear all, here is the list.", "marital status")]
[True, True, False]
"""

from __future__ import annotations

import hashlib
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeVar

import numpy as np

from PETWorks.errors import (
    MalformedError,
    NotAskableError,
    PairingError,
    ParameterError,
    PETWorksError,
    Quantity,
    SourceError,
    UnknownNameError,
    UnknownValueError,
    did_you_mean,
    list_quoted,
    plural,
    show_value,
)
from PETWorks.settings.preparing import RowsOfFile
from PETWorks.settings.sections import Reading
from PETWorks.shown import THRESHOLD
from PETWorks.tables.counting.count import Batch, count
from PETWorks.tables.counting.margins import Margin, count_each
from PETWorks.tables.counting.size_histogram import Grouping
from PETWorks.tables.counting.tally import Coded, IntArray, Tally, Value, cell_text, pack, recode
from PETWorks.tables.counting.workspace import AMPLE_MEMORY, Workspace

if TYPE_CHECKING:
    import pyarrow as pa

Signature = tuple[int, int, int] | None


def read_signature(path: Path) -> Signature:
    """Return the number, size and time of a file, which change when it is changed or replaced; None if it is gone."""
    try:
        told = path.stat()
    except OSError:
        return None
    return told.st_ino, told.st_size, told.st_mtime_ns


def compute_digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        problem = f"the file can no longer be read: {error.strerror or error}"
        raise SourceError(problem, where=path.name, hint="check that it was not moved or deleted") from error


PICKLE_HINT = "pass the table as a file, or as an Arrow table; or pickle `guarded()` of what was evaluated"
MAX_LISTED_VALUES = 10  # most values that an error lists
P = ParamSpec("P")
SourceType = TypeVar("SourceType")
T = TypeVar("T")


class ReadAgainError(Exception):
    """Raised while a source is read, when its encoding turns out to be another one. The reader must start again."""


def restart_on_change(method: Callable[Concatenate[SourceType, P], T]) -> Callable[Concatenate[SourceType, P], T]:
    """Decorate a method: call it again from the start if it raises ReadAgainError."""

    @wraps(method)
    def call(self: SourceType, /, *args: P.args, **kwargs: P.kwargs) -> T:
        while True:
            try:
                return method(self, *args, **kwargs)
            except ReadAgainError:
                continue

    return call


class Recorder(Protocol):
    """Reads the rows of a source in its place, and stores some of them."""

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Return the rows in order, as the source does."""


class TableSource(ABC):
    """A table: its name in messages, its columns, and its rows in batches."""

    name: str
    columns: tuple[str, ...]
    opened: Mapping[Path, Signature] = {}
    folder: Path | None = None  # the folder whose files are the table
    copy: IO[bytes] | None = None  # the temporary file of a table that arrived through a pipe
    read_with: Sequence[str] = ()  # the settings of `Reading` that matter to this kind of table
    counts_in_cluster = False  # True: pairs of this table's rows are counted in its cluster
    found_rows: RowsOfFile | None = None  # the rows of the file that were found to be the table, if not all
    has_first_line = False  # True: the names of columns are the first line, which may be missing
    memory: int = AMPLE_MEMORY  # the memory limit, in bytes; with less memory, batches are smaller
    recorder: Recorder | None = None  # reads the rows that are counted, and keeps more of them than is counted

    @property
    def stored_columns(self) -> Sequence[str]:
        """The names of the columns as stored in the table, where they may have blanks around them."""
        return self.columns

    @property
    def computed(self) -> frozenset[str]:
        """The columns whose cells are computed rather than copied from a file."""
        return frozenset()

    @property
    def raw(self) -> TableSource:
        """The source of the copied columns."""
        return self

    @property
    def raw_columns(self) -> Mapping[str, str]:
        """For each copied column, its name in the raw source."""
        return {name: name for name in self.columns}

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

    @property
    def local_kind(self) -> str:
        """The kind of table if only this process can read it, such as "a DuckDB relation"; else empty."""
        return "a pipe" if self.copy else ""

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for a pickle; raise an error if only this process can read the table."""
        if self.local_kind:
            problem = f"{self.local_kind} cannot be pickled, since only this process can read it"
            raise SourceError(problem, where=self.name, hint=PICKLE_HINT)
        return vars(self)

    def set_path(self, path: Path) -> None:
        """Continue with the file under a new path: it was renamed after it was opened."""
        self.name, self.opened = path.name, dict.fromkeys([path], *self.opened.values())

    def hash_while_reading(self) -> None:
        """Compute the digest while the rows are read, if possible; otherwise `digest` reads the files again."""
        return

    def digest(self) -> str | None:
        """Return the SHA-256 of the file; for several files, that of a list of their digests and names."""
        self.check_unchanged()
        if len(self.files) == 1:
            return compute_digest(self.files[0])
        each = [f"{compute_digest(file)}  {file.name}\n" for file in self.files]
        return hashlib.sha256("".join(each).encode()).hexdigest() if each else None

    def check_unchanged(self) -> None:
        """Raise an error if a file was written to or replaced after it was opened."""
        for file, before in self.opened.items():
            if read_signature(file) != before:
                hint = "wait until it is written completely, then measure it again"
                raise SourceError("the file changed after it was opened", where=file.name, hint=hint, figures={})

    def find_faults(self, most: int) -> Sequence[PETWorksError]:  # noqa: ARG002
        """Return errors of the rows, at most `most`, after reading has failed; none if the first is the only one."""
        return ()

    @restart_on_change
    def first_batch(self) -> Batch:
        """Return the first rows, with all columns."""
        return next(iter(self.batches(self.columns)), [])

    @abstractmethod
    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Return the rows in order. Each batch has a coded column for each of the named columns."""

    def read_to_count(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Return the rows in order, like `batches`; a recorder may read them instead."""
        return self.batches(columns) if self.recorder is None else self.recorder.batches(columns)

    def read_typed(self, coded: Sequence[str], kept: Sequence[str]) -> Iterator[tuple[Batch, list[pa.Array]]]:  # noqa: ARG002
        """Yield the rows in order: the columns `coded` as codes, those `kept` as Arrow arrays of the stored types."""
        raise NotAskableError(
            "the rows of this table cannot be read here", where=self.name, hint="pass the table itself"
        )

    @restart_on_change
    def tally(
        self, columns: Sequence[str], workspace: Workspace | None = None, grouping: Grouping | None = None
    ) -> Tally:
        """Count how often each combination of values occurs.

        If there are too many for the memory, raise a TooLargeError that has the sizes of the classes.
        """
        try:
            return count(self.name, columns, self.read_to_count(columns), workspace, grouping)
        finally:
            self.check_unchanged()  # also after an error, for which the change may be the reason

    @restart_on_change
    def count_margins(
        self, columns: Sequence[str], workspace: Workspace | None = None, person: str | None = None
    ) -> Mapping[str, Margin]:
        """Count each of some columns by itself, in one pass over the rows.

        With `person`, one of these columns, people are counted as well, as far as memory allows.
        """
        try:
            return count_each(self.name, columns, self.read_to_count(columns), workspace, person)
        finally:
            self.check_unchanged()

    @restart_on_change
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

    @restart_on_change
    def find_rows(self, combinations: Tally) -> IntArray:
        """Return the numbers, counted from 1, of the rows that have one of these combinations of values."""
        names, start, found = [str(key) for key in combinations.columns], 1, [np.zeros(0, dtype=np.int64)]
        for batch in self.batches(names):
            rows = batch[0].size
            packed, _ = pack(*_share_codings(list(combinations.columns.values()), batch))
            found.append(start + np.flatnonzero(np.isin(packed[:rows], packed[rows:])))
            start += rows
        return np.concatenate(found)

    def build_unknown_error(self, column: str, holders: Mapping[Value, int], what: str, hint: str) -> UnknownValueError:
        """Build the error for values that should not be in a column. It names a row that has each value.

        `holders` maps each value to the number of people who have it.
        """
        values = list(holders)
        common = list_quoted(
            sorted(cell_text(value) for value in values if holders[value] >= THRESHOLD), MAX_LISTED_VALUES
        )
        rows = self.locate(column, values[:MAX_LISTED_VALUES])  # empty for a table on a cluster
        told = sorted((rows.get(value, 0), cell_text(value)) for value in values[:MAX_LISTED_VALUES])
        places = ", ".join(f'"{value}" (row {row:,})' if row else f'"{value}"' for row, value in told)
        more = f" and {len(values) - MAX_LISTED_VALUES} more" if len(values) > MAX_LISTED_VALUES else ""
        figures = {"values_are": Quantity(len(values), "value is", "values are"), "what": what, "hint": hint}
        return UnknownValueError(
            "{values_are} {what}",
            where=f"{self.name}, {column}",
            hint="{hint}",
            listed=places + more,
            figures=figures,
            common=common,
        )

    def find_places(self, columns: Iterable[str]) -> list[int]:
        """Return the position of each named column in the table."""
        place_of = {name: place for place, name in enumerate(self.columns)}
        return [place_of[name] for name in columns]

    def require(self, columns: Sequence[str], what: str, beside: Sequence[str] = (), more: str = "") -> None:
        """Raise an error for columns that the table does not have, with a hint that suggests similar names.

        If the table has none of them, and none of those `beside`, its header may be missing. Its names may then be
        cells of a person, and are not shown. `more` is a further hint.
        """
        known = set(self.columns)
        if lacking := [column for column in columns if column not in known]:
            require_table(self)
            problem = f"there is no column {list_quoted(lacking)} ({what})"
            if known.isdisjoint([*columns, *beside]):
                hint = "none of the expected columns is there: check that the first line of the table names its columns"
            else:
                hint = suggest_columns(self, lacking)
            raise UnknownNameError(problem, where=self.name, hint="\n".join(filter(None, (more, hint))))


def _share_codings(wanted: Sequence[Coded], batch: Batch) -> tuple[list[IntArray], list[int]]:
    """Return, for each column, the codes of the batch followed by those of `wanted`, in one coding, and its size."""
    columns, sizes = [], []
    for one, column in zip(wanted, batch, strict=True):
        lexicon: dict[Value, int] = {}
        codes = recode(lexicon, column.values)[column.codes], recode(lexicon, one.values)[one.codes]
        columns.append(np.concatenate(codes))
        sizes.append(len(lexicon) or 1)
    return columns, sizes


OPTION_KINDS = {  # the files that each entry concerns
    "delimiter": "a CSV file",
    "encoding": "a text file",
    "sheet": "a workbook",
    "value_labels": "a file of SPSS or Stata",
}


class TableLike(Protocol):
    """The part of a source that states which settings of reading it uses."""

    @property
    def read_with(self) -> Sequence[str]:
        """The settings of `Reading` that this kind of table uses."""


def require_used(reading: Reading, *tables: TableLike | None) -> None:
    """Raise an error if a setting concerns none of the tables: probably another kind of file was meant."""
    used = {name for table in tables if table is not None for name in table.read_with}
    for name, given in reading.values().items():
        if given is not None and name not in used:
            problem = f"{name} {show_value(given)} has no effect: no table is {OPTION_KINDS[name]}"
            raise ParameterError(problem, hint=f"leave out {name}=, or check which file is meant")


MAX_COLUMNS = 100_000  # each takes memory of its own, whatever its cells
MAX_NAME = 10_000  # characters of the name of a column


def check_column_names(headers: Sequence[object], where: str) -> tuple[str, ...]:
    """Trim and return the names of columns; raise an error if there are too many, or one is empty or occurs twice."""
    if len(headers) > MAX_COLUMNS:
        problem, hint = "the table has {columns:,} columns", f"at most {MAX_COLUMNS:,} are read; leave some out"
        raise SourceError(problem, where=where, hint=hint, figures={"columns": len(headers)})
    if any(len(str(header)) > MAX_NAME for header in headers):
        hint = "check the delimiter, and that the first line names the columns"
        problem = "the name of a column has more than {most:,} characters"
        raise MalformedError(problem, where=where, hint=hint, figures={"most": MAX_NAME})
    names = tuple(str(header).strip() for header in headers)
    if not names:
        raise MalformedError("there are no columns", where=where, hint="check that this is the right table", figures={})
    if "" in names:
        hint = "give every column a name (a delimiter at the end of the line adds a column without a name)"
        problem, place = "column {place} has an empty name", names.index("") + 1
        raise MalformedError(problem, where=where, hint=hint, figures={"place": place})
    if twice := [name for name, times in Counter(names).items() if times > 1]:
        places = [str(place) for place, name in enumerate(names, 1) if name == twice[0]]
        figures = {"others": ", ".join(places[:-1]), "last": places[-1], "more": plural(len(twice) - 1, "other name")}
        problem = "columns {others} and {last} have the same name"
        more = ", and so have columns of {more}" if len(twice) > 1 else ""
        hint = "rename them, so that every name occurs once; the first line must name the columns"
        raise MalformedError(problem + more, where=where, hint=hint, listed=list_quoted(twice), figures=figures)
    return names


KEY_HINT = "name a column that has a different value in every row"


def build_missing_key_error(table: str, key: str) -> PairingError:
    """Build the error for rows whose key is missing."""
    return PairingError('the key "{key}" has missing cells', where=table, hint=KEY_HINT, figures={"key": key})


def build_repeated_key_error(table: str, key: str, some: Sequence[object], many: int) -> PairingError:
    """Build the error for key values that several rows have; it lists `some` of `many` values."""
    figures, problem = {"values_occur": _count_values_of(key, many)}, "{values_occur} more than once"
    return PairingError(problem, where=table, hint=KEY_HINT, listed=_list_some(some, many), figures=figures)


def build_lone_key_error(tables: tuple[str, str], key: str, some: Sequence[object], many: int) -> PairingError:
    """Build the error for key values that only one table has; it lists `some` of `many` values."""
    figures, problem = {"values_occur": _count_values_of(key, many)}, "{values_occur} in one table only"
    hint, listed = "keep only the rows whose key is in both tables", _list_some(some, many)
    return PairingError(problem, where=" and ".join(tables), hint=hint, listed=listed, figures=figures)


def _count_values_of(key: str, many: int) -> Quantity:
    return Quantity(many, f'value of the key "{key}" occurs', f'values of the key "{key}" occur')


def _list_some(some: Sequence[object], many: int) -> str:
    more = f" and {many - MAX_LISTED_VALUES} more" if many > MAX_LISTED_VALUES else ""
    return list_quoted(some[:MAX_LISTED_VALUES]) + more


NO_HEADER = "the first line looks like data, not like names of columns"
NO_HEADER_HINT = f"{NO_HEADER}: add a line that names them"
NO_TABLE_HINT = (
    "name a table: its first line names the columns, with ; , tab or | between them, or what delimiter= says"
)
CELL_FORMS = re.compile(
    r"[-+]?\d[\d.,]*%?"  # a number
    r"|\d{1,4}[-/.年]\d{1,2}(?:[-/.月]\d{1,4}日?)?"  # a date
    r"|\S+@\S+\.\S+"  # an address
    r"|(?=(?:\D*\d){5})(?:\d*\D){0,3}\d*"  # an identifier: five digits or more, and little else
)
SHORT_NUMBER = re.compile(r"[\d.,]{1,4}")
PROSE_MARKS = ("#", "<", "{", "[", "//", "%", "---", "```", "*")  # of pages and programs
SENTENCE_ENDS = (".", ":", "!", "?", "。", "：", "！", "？")
SENTENCE_WORDS = 4  # a name of so many words may be a sentence


def looks_like_cell(name: str) -> bool:
    """Return True if the name of a column is a number, a date, an address or an identifier."""
    return CELL_FORMS.fullmatch(name) is not None


def looks_like_prose(name: str) -> bool:
    """Return True if a line reads like text: it has a mark of a page or of a program, or is a sentence."""
    return name.startswith(PROSE_MARKS) or (name.endswith(SENTENCE_ENDS) and len(name.split()) >= SENTENCE_WORDS)


def find_showable_names(source: TableSource) -> Sequence[str]:
    """Return the names of columns that a message may show; none if they may be cells, because the header is missing."""
    columns = source.columns
    if not source.has_first_line:
        return columns
    if look_like_cells(columns):
        return ()
    try:
        batch = source.first_batch()
    except PETWorksError:
        return columns
    again = any(name in column.values for name, column in zip(columns, batch, strict=False))
    return () if again else columns


def look_like_cells(names: Sequence[str]) -> bool:
    """Return True if most names look like cells, or if one does that is not a short number such as a year."""
    found = [name for name in names if looks_like_cell(name)]
    return bool(found) and (2 * len(found) > len(names) or any(not SHORT_NUMBER.fullmatch(name) for name in found))


def require_header(source: TableSource) -> None:
    """Raise an error if the first line of a table, which names the columns, looks like data: it may be a person."""
    if source.has_first_line and 2 * sum(map(looks_like_cell, source.columns)) > len(source.columns):
        raise MalformedError(NO_HEADER, where=source.name, hint="add a line that names the columns", figures={})


def suggest_columns(source: TableSource, lacking: Sequence[str]) -> str:
    """Return a hint for columns that a table does not have: similar names, unless they may be cells.

    Raise an error if the file does not look like a table.
    """
    require_table(source)
    names = find_showable_names(source)
    return did_you_mean([*lacking], names) if names else NO_HEADER_HINT


def describe_columns(source: TableSource, columns: Sequence[str]) -> str:
    """Return the quoted names of some columns; only their number if the names may be cells."""
    return list_quoted(columns) if find_showable_names(source) else plural(len(columns), "column")


def require_table(source: TableSource) -> None:
    """Raise an error if a file with one unexpected column does not look like a table."""
    if not source.has_first_line or len(source.columns) > 1:
        return
    found = "which reads like text" if looks_like_prose(source.columns[0]) else ""
    try:
        source.first_batch()
    except MalformedError as error:
        cells = re.search(r"\d+ cells", error.problem)
        found = f"but {error.where.rpartition(', ')[2]} {f'has {cells[0]}' if cells else 'cannot be read'}"
    if found:
        problem = f"this does not look like a table: its first line is one cell, {found}"
        raise MalformedError(problem, where=source.name, hint=NO_TABLE_HINT)
