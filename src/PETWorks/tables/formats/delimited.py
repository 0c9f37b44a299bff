"""Read CSV and other delimited text strictly: a malformed line is an error that names the line.

There are two parsers. Arrow's fast parser reads slabs (large pieces of text that end where a record ends) directly into
dictionary codes. But it does not handle blanks before a quote, and accepts some wrong quotes, so quotes are checked
first. If a slab is unusual, or Arrow raises an error, the strict parser of `records.py` reads the same text. It follows
RFC 4180, or names the wrong line and the reason.
"""

from __future__ import annotations

import io
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple

import numpy as np

from PETWorks.errors import MalformedError, PETWorksError, plural
from PETWorks.settings.preparing import RowsOfFile
from PETWorks.settings.sections import Reading
from PETWorks.tables.counting.count import Batch
from PETWorks.tables.counting.tally import IntArray
from PETWorks.tables.counting.texts import binary_array, integer_array
from PETWorks.tables.counting.workspace import Prefetch, scale_batch
from PETWorks.tables.decoding import BLOCK, TextFile
from PETWorks.tables.formats import FileFormat
from PETWorks.tables.records import (
    DELIMITERS,
    LINE_LIMIT,
    DelimitedRow,
    build_too_long_error,
    quote_cell,
    read_header,
    read_records,
)
from PETWorks.tables.source import ReadAgainError, TableSource, check_column_names, restart_on_change
from PETWorks.tables.text_form import encode, encode_cells

if TYPE_CHECKING:
    import pyarrow as pa

    from PETWorks.tables.rewriting.cells import Rewriting

QUOTE, LF, CR = b'"\n\r'


def copy_to_arrow(slab: bytes) -> pa.Buffer:
    """Copy bytes to memory that Arrow allocates.

    One of Arrow's threads may release its input while Python is shutting down. If Python had allocated that memory, the
    thread would need the interpreter's lock, and would abort the process.
    """
    import pyarrow as pa

    buffer = pa.allocate_buffer(len(slab))
    np.frombuffer(buffer, dtype=np.uint8)[:] = np.frombuffer(slab, dtype=np.uint8)
    return buffer


def find_record_end(text: bytes) -> int:
    """Return the offset at which the last complete record ends, or 0 if there is none."""
    end = text.rfind(b"\n") + 1
    if b'"' in text and text.count(b'"', 0, end) % 2:
        return int(find_record_ends(text).max(initial=0))
    return end


def find_record_ends(text: bytes) -> IntArray:
    """Return the offsets at which records end: after each line feed that has an even number of quotes before it."""
    array = np.frombuffer(text, dtype=np.uint8)
    feeds = np.flatnonzero(array == LF)
    quotes_before = np.searchsorted(np.flatnonzero(array == QUOTE), feeds)
    ends: IntArray = feeds[quotes_before % 2 == 0] + 1
    return ends


def needs_strict_parser(slab: bytes, delimiter: str) -> bool:
    """Return True if Arrow might misread the slab.

    That is so if a quote is not at the edge of a cell, if there is a CR without LF, or if the slab starts with a
    byte-order mark, which Arrow would drop.
    """
    if slab.startswith(BOM_UTF8):
        return True
    text = np.frombuffer(slab, dtype=np.uint8)
    if b"\r" in slab:
        returns = np.flatnonzero(text == CR)
        if returns[-1] == len(text) - 1 or (text[returns + 1] != LF).any():
            return True
    if b'"' not in slab:
        return False
    quotes = np.flatnonzero(text == QUOTE)
    if len(quotes) % 2:
        return True
    edges = np.array([ord(delimiter), LF, CR, QUOTE], dtype=np.uint8)  # QUOTE: two adjacent quotes are a doubled quote
    opens, closes = quotes[::2], quotes[1::2]
    before, after = text[opens[opens > 0] - 1], text[closes[closes < len(text) - 1] + 1]
    return not (np.isin(before, edges).all() and np.isin(after, edges).all())


class SplitRows(NamedTuple):
    """Runs of adjacent cells as written in the file, with the delimiters and quotes between and around them."""

    texts: pa.Array  # binary; what is between two runs may be among its elements
    places: IntArray  # for each row (first axis) and each run (second), its index in `texts`

    @classmethod
    def from_rows(cls, rows: Sequence[Sequence[bytes]], runs: int) -> SplitRows:
        """Build them from the bytes of the runs of each row."""
        texts = binary_array([piece for row in rows for piece in row])
        return cls(texts, np.arange(len(rows) * runs).reshape(len(rows), runs))

    def read_cells(self) -> list[pa.Array]:
        """Return the text of each run, which must be a single column, without the quotes around it."""
        return [_unquote(self.texts.take(integer_array(column))) for column in self.places.T]


def _unquote(raw: pa.Array) -> pa.Array:
    import pyarrow as pa
    from pyarrow import compute

    text = raw.cast(pa.large_string())
    has_quotes = compute.starts_with(compute.ascii_ltrim(text, " "), '"')
    if not compute.any(has_quotes).as_py():
        return text
    inner = compute.utf8_slice_codeunits(compute.ascii_ltrim(text, " "), 1, -1)
    return compute.if_else(has_quotes, compute.replace_substring(inner, '""', '"'), text)


def split_rows(
    slab: pa.Buffer, delimiter: str, shape: tuple[int, int], runs: Sequence[tuple[int, int]]
) -> SplitRows | None:
    """Split a block of text into cells without copying, and return the cells of some columns.

    Each of `runs` is a range of adjacent columns: the first, and the one behind the last. Return None if the text does
    not have `shape` (rows, columns). Blank lines are skipped.
    """
    import pyarrow as pa

    text = np.frombuffer(slab, dtype=np.uint8)
    ends = np.flatnonzero((text == ord(delimiter)) | (text == LF))
    quotes = np.flatnonzero(text == QUOTE)
    if quotes.size:
        ends = ends[np.searchsorted(quotes, ends) % 2 == 0]
    if text[-1] != LF:
        ends = np.append(ends, len(text))
    starts = np.concatenate([[0], ends[:-1] + 1])
    returned = (ends > starts) & (text[ends - 1] == CR)  # a cell can end with CR only before LF
    if len(ends) != shape[0] * shape[1]:
        first = np.concatenate([[True], text[ends[:-1]] == LF])
        last = np.append(text[ends[:-1]], LF) == LF
        filled = ~(first & last & (ends - returned == starts))
        starts, ends, returned = starts[filled], ends[filled], returned[filled]
        if len(ends) != shape[0] * shape[1]:
            return None
    starts, ends = starts.reshape(shape), (ends - returned).reshape(shape)
    edges = np.stack([edge for run in runs for edge in (starts[:, run[0]], ends[:, run[1] - 1])], axis=1)
    offsets = np.append(edges, len(text))  # what is between two runs becomes an element, too
    texts = pa.Array.from_buffers(pa.large_binary(), edges.size, [None, pa.py_buffer(offsets), slab])
    return SplitRows(texts, np.arange(0, edges.size, 2).reshape(shape[0], len(runs)))


PARSE_BYTES = 2**19  # bytes that each of Arrow's threads parses at a time
HEADER_BYTES = 2**16  # bytes that are read first to find the header; if it is longer, more is read
STRICT_BATCH_ROWS = 2**16  # rows in a batch of the strict parser
Runs = Sequence[tuple[int, int]]  # of adjacent columns: the first, and the one after the last


class DelimitedSource(TableSource):
    """The rows of a delimited text file, which may be compressed with gzip."""

    read_with = ("delimiter", "encoding")
    has_first_line = True

    def __init__(
        self, path: Path, delimiter: str | None, encoding: str | None, name: str, rows: RowsOfFile | None = None
    ) -> None:
        self.name, rows = name, rows or RowsOfFile()
        self._file = TextFile(path, encoding, name)
        self._skip_last = rows.skip_last
        header = self._read_header(rows.header_row - 1)
        if not header.isascii():
            self._file.require_plausible()
        where = f"{self.name}, line {rows.header_row}"
        self.delimiter, self.header = read_header(header.decode(), delimiter, self.name)
        if rows.names:
            end = "\r\n" if header.endswith(b"\r\n") else "\n"
            line = self.delimiter.join(quote_cell(name, DELIMITERS) for name in rows.names) + end
            self.header, self.has_first_line = DelimitedRow(1, [*rows.names], line), False
        else:
            self._skip += len(header)
        self.columns = check_column_names(self.header.cells, where)
        if not header.isascii():
            self._file.settle()

    @property
    def encoding(self) -> str | None:
        """The encoding in which the file is read. It is final only after the whole file was read."""
        return self._file.encoding

    @property
    def files(self) -> Sequence[Path]:
        """The path of the file."""
        return (self._file.path,)

    @property
    def form(self) -> tuple[str, ...]:
        """CSV, its encoding and its delimiter."""
        delimiter = {"\t": "tab"}.get(self.delimiter, self.delimiter)
        return ("CSV", self._file.encoding.upper(), f'"{delimiter}"')

    def set_path(self, path: Path) -> None:
        """Continue with the file under a new path."""
        super().set_path(path)
        self._file.path, self._file.name = path, path.name

    def hash_while_reading(self) -> None:
        """Compute the digest while the rows are read."""
        self._file.hashed = True

    def digest(self) -> str | None:
        """Return the SHA-256 of the file. The file is read again unless its digest was computed while reading."""
        self._file.digest = self._file.digest or super().digest()
        return self._file.digest

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Return the rows, slab by slab. Threads start to parse the first slabs immediately."""
        return (batch for batch, _ in self.read_split_rows(columns, ()))

    def read_typed(self, coded: Sequence[str], kept: Sequence[str]) -> Iterator[tuple[Batch, list[pa.Array]]]:
        """Yield the rows. Cells of the columns that are not coded are text, which is not trimmed."""
        for batch, cut in self.read_split_rows(coded, [(place, place + 1) for place in self.find_places(kept)]):
            yield batch, cut.read_cells() if cut else []

    def read_split_rows(self, columns: Sequence[str], runs: Runs) -> Iterator[tuple[Batch, SplitRows | None]]:
        """Yield the rows with some columns coded, and with runs of adjacent columns as written in the file."""
        places, alone = self.find_places(columns), self._file.small
        slabs = self._read_slabs(self._skip)
        slabs = leave_out_last(slabs, self._skip_last) if self._skip_last else slabs
        work = Prefetch(lambda slab: self._parse_fast(slab, places, runs, alone=alone), slabs)
        return self._parse(work, places, runs)

    def _parse(
        self, work: Prefetch[bytes, tuple[Batch, SplitRows | None] | None], places: Sequence[int], runs: Runs
    ) -> Iterator[tuple[Batch, SplitRows | None]]:
        start = self._skip
        with work:
            for slab, rows in work:
                if rows is not None:
                    yield rows
                elif len(self.columns) == 1 or needs_strict_parser(slab, self.delimiter):
                    yield from self._parse_strictly(_split_lines(slab, work.take_rest()), start, places, runs)
                    return
                else:
                    yield from self._parse_strictly(_split_lines(slab), start, places, runs)
                start += len(slab)

    def _read_header(self, lines: int) -> bytes:
        """Skip some lines, and return the bytes of the record that follows, with its line end."""
        while True:
            self._skip = 0
            try:
                slab = next(self._file.blocks(HEADER_BYTES), b"")
                for _ in range(lines):
                    self._skip = slab.find(b"\n", self._skip) + 1
                    if not self._skip:
                        hint = "leave out header_row, or name the row that names the columns"
                        problem = f"no line {lines + 1} that could name the columns is found at the start of the file"
                        raise MalformedError(problem, where=self.name, hint=hint)
                slab = slab[self._skip :]
                if not find_record_end(slab):
                    slab = next(self._read_slabs(self._skip), b"")
                break
            except ReadAgainError:
                continue
        if not slab.strip():
            raise MalformedError(
                "the file is empty", where=self.name, hint="the first line must name the columns", figures={}
            )
        end = slab.find(b"\n") + 1
        if slab.count(b'"', 0, end) % 2:  # the line feed is inside quotes
            end = next(iter(find_record_ends(slab[:LINE_LIMIT]).tolist()), 0)
        return slab[:end] if end else slab[:LINE_LIMIT]

    def _read_slabs(self, skip: int) -> Iterator[bytes]:
        """Skip the first bytes of the text, and yield the rest in slabs that end where a record ends."""
        rest, start = b"", 0
        for block in self._file.blocks(scale_batch(BLOCK, self.memory)):
            rest += block
            end = find_record_end(rest)
            if end <= skip and len(rest) > skip + LINE_LIMIT:  # the record is too long, or a quote is not closed
                end = rest.rfind(b"\n") + 1
                if end <= skip:
                    raise build_too_long_error(f"{self.name}, line {self._file.line_at(start + skip)}")
            if end > skip:
                yield rest[skip:end]
                rest, skip, start = rest[end:], 0, start + end
        if rest[skip:]:
            yield rest[skip:]

    def _parse_fast(
        self, slab: bytes, places: Sequence[int], runs: Runs, *, alone: bool = False
    ) -> tuple[Batch, SplitRows | None] | None:
        """Parse a slab with Arrow; return None if it needs the strict parser. `alone`: use all of Arrow's threads."""
        import pyarrow as pa
        from pyarrow import csv

        if len(self.columns) == 1 or needs_strict_parser(slab, self.delimiter):
            return None
        names = [str(place) for place in range(len(self.columns))]
        coded, buffer = pa.dictionary(pa.int32(), pa.string()), copy_to_arrow(slab)
        try:
            table = csv.read_csv(
                buffer,
                csv.ReadOptions(column_names=names, block_size=PARSE_BYTES if alone else len(slab), use_threads=alone),
                csv.ParseOptions(delimiter=self.delimiter, newlines_in_values=b'"' in slab),
                csv.ConvertOptions(
                    column_types=dict.fromkeys(names, coded),
                    include_columns=[names[place] for place in dict.fromkeys(places)],
                    strings_can_be_null=False,
                    check_utf8=False,
                ),
            )
        except pa.ArrowInvalid:
            return None
        cut = split_rows(buffer, self.delimiter, (table.num_rows, len(names)), runs) if runs else None
        if runs and not cut:
            return None
        return [encode(table.column(names[place]).combine_chunks(), self.name) for place in places], cut

    def _parse_strictly(
        self, lines: Iterator[str], start: int, places: Sequence[int], runs: Runs
    ) -> Iterator[tuple[Batch, SplitRows | None]]:
        rows = self._check_rows(read_records(lines, self.delimiter, self.name, self._file.line_at(start)))
        while part := list(islice(rows, STRICT_BATCH_ROWS)):
            batch = [encode_cells((row.cells[place] for row in part), self.name) for place in places]
            yield batch, SplitRows.from_rows([self._cut(row, runs) for row in part], len(runs)) if runs else None

    def _cut(self, row: DelimitedRow, runs: Runs) -> list[bytes]:
        raw = row.split_raw(self.delimiter)
        return [self.delimiter.join(raw[first:last]).encode() for first, last in runs]

    @restart_on_change
    def find_faults(self, most: int) -> Sequence[PETWorksError]:
        """Return at most `most` errors: one for each record with a wrong number of cells, and one if reading fails."""
        found: list[PETWorksError] = []
        try:
            slabs = self._read_slabs(self._skip)
            lines = _split_lines(b"", leave_out_last(slabs, self._skip_last) if self._skip_last else slabs)
            for record in read_records(lines, self.delimiter, self.name, self._file.line_at(self._skip)):
                if record.cells and len(record.cells) != len(self.columns):
                    found.append(self._build_ragged_error(record))
                    if len(found) == most:
                        return found
        except PETWorksError as error:
            found.append(error)
        return found

    def _build_ragged_error(self, record: DelimitedRow) -> MalformedError:
        width = len(self.columns)
        problem = "the record has {cells}, but the header has {columns}"
        hint = "cells are delimited by {delimiter!r}; quote a cell that contains it, as in {example}"
        hint = f"check that this is a table: {hint}" if width == 1 else hint
        figures = {"cells": plural(len(record.cells), "cell"), "columns": plural(width, "column")}
        figures |= {"delimiter": self.delimiter, "example": f'"a{self.delimiter}b"'}
        return MalformedError(problem, where=f"{self.name}, line {record.line}", hint=hint, figures=figures)

    def _check_rows(self, found: Iterator[DelimitedRow]) -> Iterator[DelimitedRow]:
        """Yield the records; raise an error for one with a wrong number of cells.

        A blank line is a row with one empty cell if the file has one column, except at the end of the file.
        """
        width, blank = len(self.columns), 0
        for record in found:
            if not (cells := record.cells):
                blank += 1
                continue
            if len(cells) != width:
                self._file.require_plausible()  # in another encoding, the line may be right
                raise self._build_ragged_error(record)
            if width == 1:
                yield from (DelimitedRow(record.line, [""]) for _ in range(blank))
            blank = 0
            yield record


def leave_out_last(slabs: Iterable[bytes], rows: int) -> Iterator[bytes]:
    r"""Yield the text of all records but the last ones; blank lines at the end are no records.

    >>> b"".join(leave_out_last([b"a\nb\n", b"c\nsum\n\n"], 2))
    b'a\nb\n'
    """
    held = b""
    for slab in slabs:
        held += slab
        ends = find_record_ends(held)
        lines = sum(bool(held[start:end].strip()) for start, end in pairwise([0, *ends[-rows - 64 :].tolist()]))
        if len(ends) > rows + 64 and lines > rows + 1:  # enough records are held back
            cut = int(ends[-rows - 64])
            yield held[:cut]
            held = held[cut:]
    bounds = [0, *find_record_ends(held).tolist()]
    if bounds[-1] < len(held):
        bounds.append(len(held))
    records = [start for start, end in pairwise(bounds) if held[start:end].strip()]
    if kept := held[: records[-rows]] if len(records) >= rows else b"":
        yield kept


def _split_lines(slab: bytes, more: Iterator[bytes] = iter(())) -> Iterator[str]:
    for text in chain([slab], more):
        yield from io.StringIO(text.decode(), newline="\n")


def _open(path: Path, name: str, reading: Reading, rows: RowsOfFile | None = None) -> TableSource:
    return DelimitedSource(path, reading.delimiter, reading.encoding, name, rows)


def _build_rows(rewriting: Rewriting) -> Iterator[pa.RecordBatch]:
    from PETWorks.tables.rewriting.files import build_csv_rows

    return build_csv_rows(rewriting)


def _write(rewriting: Rewriting, rows: Iterator[pa.RecordBatch], file: IO[bytes]) -> None:
    from PETWorks.tables.rewriting.files import write_csv

    write_csv(rewriting, rows, file)


def _write_compressed(rewriting: Rewriting, rows: Iterator[pa.RecordBatch], file: IO[bytes]) -> None:
    from PETWorks.tables.rewriting.files import write_gzipped_csv

    write_gzipped_csv(rewriting, rows, file)


FORMAT = FileFormat(
    name="CSV",
    open=_open,
    open_rows=_open,
    endings=(".csv", ".tsv", ".txt"),
    reads_gzip=True,
    write={".csv": _write, ".csv.gz": _write_compressed},
    build_rows=_build_rows,
)
