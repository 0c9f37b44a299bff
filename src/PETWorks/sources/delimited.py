"""Read CSV and other delimited text strictly: a malformed line is an error that names the line, nothing is guessed.

There are two parsers. Arrow's fast parser reads slabs (large pieces of text that end where a record ends) directly into
dictionary codes. But it does not handle blanks before a quote, and accepts some wrong quotes, so quotes are checked
first. If a slab is unusual, or Arrow raises an error, the strict parser of `records.py` reads the same text. It follows
RFC 4180, or says which line is wrong and why.
"""

from __future__ import annotations

import io
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from PETWorks.counting.count import Batch
from PETWorks.counting.memory import scaled
from PETWorks.counting.prefetch import Ahead
from PETWorks.counting.tally import IntArray
from PETWorks.errors import MalformedError, plural
from PETWorks.sources.decoding import BLOCK, TextFile
from PETWorks.sources.records import LINE_LIMIT, read_header, records, too_long
from PETWorks.sources.source import ReadAgainError, Source, column_names
from PETWorks.sources.text_form import encode, encode_cells

if TYPE_CHECKING:
    import pyarrow as pa

PARSED = 2**19  # bytes that each of Arrow's threads parses at a time
HEADER = 2**16  # bytes that are read first to find the header; if it is longer, more is read
CAREFUL_ROWS = 2**16  # rows in a batch of the strict parser
QUOTE, LF, CR = b'"\n\r'


class DelimitedSource(Source):
    """The rows of a delimited text file, which may be compressed with gzip."""

    def __init__(self, path: Path, delimiter: str | None, encoding: str | None, name: str) -> None:
        self.name = name
        self._file = TextFile(path, encoding, name)
        header = self._header()
        self._skip = len(header)
        self._delimiter, cells = read_header(header.decode(), delimiter, self.name)
        self.columns = column_names(cells, f"{self.name}, line 1")
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
        delimiter = {"\t": "tab"}.get(self._delimiter, self._delimiter)
        return ("CSV", self._file.encoding.upper(), f'"{delimiter}"')

    def hash_while_reading(self) -> None:
        """Compute the digest while the rows are read."""
        self._file.hashed = True

    def digest(self) -> str | None:
        """Return the SHA-256 of the file; it is read again unless that was computed while reading."""
        self._file.digest = self._file.digest or super().digest()
        return self._file.digest

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Return the rows, slab by slab. Threads start to parse the first slabs immediately."""
        places = self.places(columns)
        alone = self._file.small
        work = Ahead(lambda slab: self._fast(slab, places, alone=alone), self._slabs(self._skip))
        return self._parsed(work, places)

    def _parsed(self, work: Ahead[bytes, Batch | None], places: Sequence[int]) -> Iterator[Batch]:
        start = self._skip
        with work:
            for slab, batch in work:
                if batch is not None:
                    yield batch
                elif len(self.columns) == 1 or _unusual(slab, self._delimiter):
                    yield from self._careful(_lines(slab, work.rest()), start, places)
                    return
                else:
                    yield from self._careful(_lines(slab), start, places)
                start += len(slab)

    def _header(self) -> bytes:
        """Return the bytes of the first record, with its line end."""
        while True:
            try:
                slab = next(self._file.blocks(HEADER), b"")
                if not _record_end(slab):
                    slab = next(self._slabs(0), b"")
                break
            except ReadAgainError:
                continue
        if not slab.strip():
            raise MalformedError("the file is empty", where=self.name, hint="the first line must name the columns")
        end = slab.find(b"\n") + 1
        if slab.count(b'"', 0, end) % 2:  # the line feed is inside quotes
            end = next(iter(_record_ends(slab[:LINE_LIMIT]).tolist()), 0)
        return slab[:end] if end else slab[:LINE_LIMIT]

    def _slabs(self, skip: int) -> Iterator[bytes]:
        """Skip the first bytes of the text, and yield the rest in slabs that end where a record ends."""
        rest, start = b"", 0
        for block in self._file.blocks(scaled(BLOCK, self.memory)):
            rest += block
            end = _record_end(rest)
            if end <= skip and len(rest) > skip + LINE_LIMIT:  # the record is too long, or a quote is not closed
                end = rest.rfind(b"\n") + 1
                if end <= skip:
                    raise too_long(f"{self.name}, line {self._file.line_at(start + skip)}")
            if end > skip:
                yield rest[skip:end]
                rest, skip, start = rest[end:], 0, start + end
        if rest[skip:]:
            yield rest[skip:]

    def _fast(self, slab: bytes, places: Sequence[int], *, alone: bool = False) -> Batch | None:
        """Parse a slab with Arrow; return None if it needs the strict parser. `alone`: use all of Arrow's threads."""
        import pyarrow as pa
        from pyarrow import csv

        if len(self.columns) == 1 or _unusual(slab, self._delimiter):
            return None
        names = [str(place) for place in range(len(self.columns))]
        coded = pa.dictionary(pa.int32(), pa.string())
        try:
            table = csv.read_csv(
                _arrow_memory(slab),
                csv.ReadOptions(column_names=names, block_size=PARSED if alone else len(slab), use_threads=alone),
                csv.ParseOptions(delimiter=self._delimiter, newlines_in_values=b'"' in slab),
                csv.ConvertOptions(
                    column_types=dict.fromkeys(names, coded),
                    include_columns=[names[place] for place in dict.fromkeys(places)],
                    strings_can_be_null=False,
                    check_utf8=False,
                ),
            )
        except pa.ArrowInvalid:
            return None
        return [encode(table.column(names[place]).combine_chunks(), self.name) for place in places]

    def _careful(self, lines: Iterator[str], start: int, places: Sequence[int]) -> Iterator[Batch]:
        rows = self._rows(records(lines, self._delimiter, self.name, self._file.line_at(start)))
        while part := list(islice(rows, CAREFUL_ROWS)):
            yield [encode_cells((cells[place] for cells in part), self.name) for place in places]

    def _rows(self, found: Iterator[tuple[int, list[str]]]) -> Iterator[list[str]]:
        """Yield the records, and raise an error for one with a wrong number of cells.

        A blank line is a row with one empty cell if the file has one column, unless it is at the end of the file.
        """
        width, blank = len(self.columns), 0
        for line, cells in found:
            if not cells:
                blank += 1
                continue
            if len(cells) != width:
                problem = f"the record has {plural(len(cells), 'cell')}, but the header has {plural(width, 'column')}"
                example = f'"a{self._delimiter}b"'
                hint = f"cells are delimited by {self._delimiter!r}; quote a cell that contains it, as in {example}"
                raise MalformedError(problem, where=f"{self.name}, line {line}", hint=hint)
            if width == 1:
                yield from ([""] for _ in range(blank))
            blank = 0
            yield cells


def _arrow_memory(slab: bytes) -> pa.Buffer:
    """Copy bytes to memory that Arrow allocates.

    One of Arrow's threads may release its input while Python is shutting down. If Python had allocated that memory, the
    thread would need the interpreter's lock, and would abort the process.
    """
    import pyarrow as pa

    buffer = pa.allocate_buffer(len(slab))
    np.frombuffer(buffer, dtype=np.uint8)[:] = np.frombuffer(slab, dtype=np.uint8)
    return buffer


def _record_end(text: bytes) -> int:
    """Return where the last complete record ends, or 0 if there is none."""
    end = text.rfind(b"\n") + 1
    if b'"' in text and text.count(b'"', 0, end) % 2:
        return int(_record_ends(text).max(initial=0))
    return end


def _record_ends(text: bytes) -> IntArray:
    """Return where records end: after each line feed that has an even number of quotes before it."""
    array = np.frombuffer(text, dtype=np.uint8)
    feeds = np.flatnonzero(array == LF)
    quotes_before = np.searchsorted(np.flatnonzero(array == QUOTE), feeds)
    ends: IntArray = feeds[quotes_before % 2 == 0] + 1
    return ends


def _unusual(slab: bytes, delimiter: str) -> bool:
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


def _lines(slab: bytes, more: Iterator[bytes] = iter(())) -> Iterator[str]:
    while slab:
        yield from io.StringIO(slab.decode(), newline="\n")
        slab = next(more, b"")
