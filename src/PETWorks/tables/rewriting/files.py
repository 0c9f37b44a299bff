"""Write a release to a file: `write_release` for every format, and the writers of CSV and Parquet.

In CSV, columns that stay unchanged are copied as bytes from the original CSV file, in whole runs of adjacent columns.
The replaced cells between them are text that is written once for each distinct combination. One `take` of Arrow then
puts the pieces of all rows of a batch in order, so that its result is the bytes of the file.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from gzip import GzipFile
from itertools import chain, groupby
from math import prod
from typing import IO, TYPE_CHECKING

import numpy as np

from PETWorks.errors import CellText, OutputError
from PETWorks.tables.counting.count import Batch
from PETWorks.tables.counting.tally import IntArray, Value, pack, rank_keys
from PETWorks.tables.counting.texts import binary_array, integer_array, text_array
from PETWorks.tables.counting.workspace import Prefetch
from PETWorks.tables.formats import list_written_formats
from PETWorks.tables.formats.delimited import DelimitedSource, SplitRows
from PETWorks.tables.mapped import MappedSource
from PETWorks.tables.records import DELIMITERS, quote_cell
from PETWorks.tables.rewriting.cells import Rewriting
from PETWorks.tables.rewriting.frames import build_plain_schema, build_record_batches
from PETWorks.tables.text_form import write_cells

if TYPE_CHECKING:
    import pyarrow as pa

Runs = list[tuple[int, int]]  # of adjacent columns: the first, and the one after the last
QUOTED_CHARACTERS = '"\r\n'  # characters that make quotes necessary whatever the delimiter is
BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True, eq=False)
class Segment:
    """A part of every line: constant texts, or a column that is computed batch by batch."""

    texts: pa.Array = None
    of_combination: IntArray | None = None  # which of the texts each combination has; None: the only one
    column: str = ""
    ends: tuple[str, str] = ("", "")  # before and after the cells of the column


def enumerate_places(columns: Sequence[str], kept: Collection[str]) -> Iterator[tuple[str, int]]:
    """Yield the columns that are written unchanged, with their positions."""
    return ((name, place) for place, name in enumerate(columns) if name in kept)


@dataclass(frozen=True, eq=False)
class ReleaseLines:
    """The header and the rows of a release as lines."""

    rewriting: Rewriting
    delimiter: str
    end: str = "\n"

    @classmethod
    def of(cls, rewriting: Rewriting) -> ReleaseLines:
        """Build lines in the format of the original if it is a CSV file, else with commas."""
        raw = rewriting.source.raw
        if not isinstance(raw, DelimitedSource):
            return cls(rewriting, ",")
        return cls(rewriting, raw.delimiter, "\r\n" if raw.header.text.endswith("\r\n") else "\n")

    @cached_property
    def _copied(self) -> Mapping[str, int] | None:
        """The positions in the file of the columns whose bytes are copied; None if the original is no CSV file."""
        source = self.rewriting.source
        if not isinstance(source.raw, DelimitedSource):
            return None
        place_of = {name: place for place, name in enumerate(source.raw.columns)}
        return {name: place_of[source.raw_columns[name]] for name in self.rewriting.kept if name in source.raw_columns}

    @cached_property
    def _computed(self) -> list[str]:
        """The columns whose cells are computed batch by batch: neither copied nor replaced by combination."""
        return [] if self._copied is None else [name for name in self.rewriting.kept if name not in self._copied]

    @property
    def _marks(self) -> str:
        """The characters that require quotes; in a single column, also all that might be taken for the delimiter."""
        return self.delimiter if len(self.rewriting.columns) > 1 else DELIMITERS

    def header(self) -> bytes:
        """Return the first line. Names are quoted if another character in them might be taken for the delimiter."""
        source, raw = self.rewriting.source, self.rewriting.source.raw
        stored_heads = raw.header.split_raw(self.delimiter) if isinstance(raw, DelimitedSource) else ()
        heads = dict(zip(raw.columns, stored_heads, strict=False))
        written = []
        for column, stored in zip(source.columns, source.stored_columns, strict=True):
            copied = source.raw_columns.get(column) == column and column in heads
            name = heads[column] if copied else stored
            as_is = name.lstrip(" ").startswith('"') and copied
            if column not in self.rewriting.dropped:
                written.append(name if as_is else quote_cell(name, DELIMITERS + BYTE_ORDER_MARK))
        return (self.delimiter.join(written) + self.end).encode(self.rewriting.encoding)

    def batches(self) -> Iterator[pa.Array]:
        """Yield the lines of the rows, batch by batch, as binary arrays with an element for each row."""
        runs, gaps = self._find_layout()
        fixed = [self._write_gap(gap, number, len(runs)) for number, gap in enumerate(gaps)]
        with Prefetch(
            lambda read: self._assemble_lines(*read, fixed), self.rewriting.check_batches(self._read_rows(runs))
        ) as work:
            for _, lines in work:
                yield lines

    def _find_layout(self) -> tuple[Runs, list[list[str]]]:
        """Return the runs of adjacent columns that are copied, and the columns before, between and after the runs."""
        source, kept = self.rewriting.source, set(self.rewriting.kept)
        places = dict(enumerate_places(source.columns, kept)) if self._copied is None else self._copied
        runs, gaps = Runs(), list[list[str]]([[]])
        for name in source.columns:
            if (place := places.get(name)) is None:
                gaps[-1] += [] if name in self.rewriting.dropped else [name]
            elif runs and not gaps[-1] and runs[-1][1] == place:
                runs[-1] = runs[-1][0], place + 1
            else:
                runs.append((place, place + 1))
                gaps.append([])
        return runs, gaps

    def _write_gap(self, columns: Sequence[str], number: int, runs: int) -> list[Segment]:
        """Return the segments between two runs, with all delimiters."""
        lead = self.delimiter if number and columns else ""
        trail = self.end if number == runs else self.delimiter if number or columns else ""
        if not columns:
            return [Segment(binary_array([trail.encode()]))]
        groups = [(one, list(names)) for one, names in groupby(columns, lambda name: name in self._computed and name)]
        found = []
        for place, (computed, names) in enumerate(groups):
            ends = lead if place == 0 else "", trail if place == len(groups) - 1 else self.delimiter
            found.append(Segment(column=names[0], ends=ends) if computed else self._write_replaced(names, *ends))
        return found

    def _write_replaced(self, columns: Sequence[str], lead: str, trail: str) -> Segment:
        """Return the distinct texts of adjacent replaced columns, and the index of the text of each combination."""
        cells = [self.rewriting.replacements[name] for name in columns]
        sizes = [len(column.values) for column in cells]
        first, ids = rank_keys(pack([column.codes for column in cells], sizes)[0], prod(sizes))
        parts = [
            text_array(self._quote_values(column.values)).take(integer_array(column.codes[first])) for column in cells
        ]
        return Segment(self._encode(parts, lead, trail), ids)

    def _quote_values(self, values: Sequence[Value]) -> list[str]:
        empty = "" if len(self.rewriting.columns) > 1 else '""'  # a blank line might be no row
        return [quote_cell(value, self._marks) if value else empty for value in values]

    def _encode(self, parts: Sequence[pa.Array], lead: str, trail: str) -> pa.Array:
        import pyarrow as pa

        return _join(parts, self.delimiter, lead, trail).cast(pa.large_binary())

    def _read_rows(self, runs: Runs) -> Iterator[tuple[Batch, SplitRows | None]]:
        """Yield the retained rows with the pieces that are copied."""
        rewriting, source = self.rewriting, self.rewriting.source
        if isinstance(source, DelimitedSource | MappedSource) and self._copied is not None:
            yield from source.read_split_rows([*rewriting.coded, *self._computed], runs)
            return
        place_of = {place: number for number, place in enumerate(source.find_places(rewriting.kept))}
        for batch, cells in source.read_typed(rewriting.coded, rewriting.kept):
            columns = [
                self._quote(write_cells(column, f"{source.name}, {name}"))
                for column, name in zip(cells, rewriting.kept, strict=True)
            ]
            parts = [_join([columns[place_of[place]] for place in range(*run)], self.delimiter) for run in runs]
            yield batch, _split_columns(parts) if runs else None

    def _quote(self, column: pa.Array) -> pa.Array:
        from pyarrow import compute

        column = column.fill_null(text_array([""])[0])
        needs = reduce(
            compute.or_, [compute.match_substring(column, mark) for mark in {*self._marks, *QUOTED_CHARACTERS}]
        )
        if not compute.any(needs).as_py():
            return column
        doubled = compute.replace_substring(column, '"', '""')
        return compute.if_else(needs, _join([doubled], "", '"', '"'), column)

    def _assemble_lines(self, batch: Batch, pieces: SplitRows | None, gaps: Sequence[Sequence[Segment]]) -> pa.Array:
        """Join the texts of gaps and the copied pieces, row by row."""
        import pyarrow as pa

        many = len(self.rewriting.coded)
        combinations, rows = self.rewriting.find(batch[:many])
        computed = dict(zip(self._computed, batch[many:], strict=True))
        parts = [pieces.texts] if pieces else []
        start, order = sum(map(len, parts)), list[IntArray]()
        for number, gap in enumerate(gaps):
            if number and pieces:
                order.append(pieces.places[rows, number - 1])
            for segment in gap:
                if segment.column:
                    cells = computed[segment.column].trim()
                    texts = self._encode([text_array(self._quote_values(cells.values))], *segment.ends)
                    chosen = cells.codes[rows].astype(np.int64)
                else:
                    texts, ids = segment.texts, segment.of_combination
                    chosen = ids[combinations] if ids is not None else np.zeros(len(combinations), dtype=np.int64)
                    if pieces and len(texts) > len(chosen):  # copy no more texts than there are rows
                        texts, chosen = texts.take(integer_array(chosen)), np.arange(len(chosen))
                parts.append(texts)
                order.append(start + chosen)
                start += len(texts)
        whole = parts[0] if len(parts) == 1 else pa.concat_arrays(parts)
        laid = whole.take(integer_array(np.stack(order, axis=1).ravel()))
        _, offsets, data = laid.buffers()
        ends = np.frombuffer(offsets, dtype=np.int64)[: len(laid) + 1 : len(order)]
        return pa.Array.from_buffers(laid.type, len(combinations), [None, pa.py_buffer(ends.copy()), data])


def _join(columns: Sequence[pa.Array], delimiter: str, lead: str = "", trail: str = "") -> pa.Array:
    """Join the cells of each row, with text before and after them."""
    from pyarrow import compute

    between, before, after, nothing = text_array([delimiter, lead, trail, ""])
    text = columns[0] if len(columns) == 1 else compute.binary_join_element_wise(*columns, between)
    return compute.binary_join_element_wise(before, text, after, nothing) if lead or trail else text


def _split_columns(parts: Sequence[pa.Array]) -> SplitRows:
    import pyarrow as pa

    texts_of = pa.concat_arrays(parts).cast(pa.large_binary())
    return SplitRows(texts_of, np.arange(sum(map(len, parts))).reshape(len(parts), -1).T)


def write_release(rewriting: Rewriting, file: IO[bytes], ending: str) -> None:
    """Write a release in the format of the files with this ending.

    Suppressed rows are removed, and the others shuffled, before the format writes them, so every format is safe.
    """
    form = dict(list_written_formats())[ending]
    rows = rewriting.put_in_order((form.build_rows or build_record_batches)(rewriting))
    form.write[ending](rewriting, rows, file)
    if next(rows, None) is not None:
        problem = f"the format {form.name} did not write all rows"
        raise OutputError(problem, where=rewriting.source.name, hint="choose another file format, and report this")


GROUP_ROWS = 2**19  # rows of a group in a Parquet file
GZIP_LEVEL = 6  # of gzip
ARROW_SCHEMA = "ARROW:schema"  # the entry of a Parquet file that tells Arrow the types of its columns


def build_csv_rows(rewriting: Rewriting) -> Iterator[pa.RecordBatch]:
    """Yield the lines of the rows, with the delimiter and line ends of the original if it is a CSV file."""
    return build_line_batches(ReleaseLines.of(rewriting).batches())


def write_csv(rewriting: Rewriting, rows: Iterable[pa.RecordBatch], file: IO[bytes]) -> None:
    """Write UTF-8 text: the header, and the lines of the rows."""
    file.write(ReleaseLines.of(rewriting).header())
    write_lines(rows, file)


def build_line_batches(lines: Iterable[pa.Array]) -> Iterator[pa.RecordBatch]:
    """Yield batches whose only column has the bytes of each row."""
    import pyarrow as pa

    return (pa.record_batch([rows], ["line"]) for rows in lines)


def write_lines(batches: Iterable[pa.RecordBatch], file: IO[bytes]) -> None:
    """Write the rows of batches whose only column has their bytes."""
    for batch in batches:
        if batch.num_rows:
            (rows,) = batch.columns
            _, offsets, data = rows.buffers()
            bounds = np.frombuffer(offsets, dtype=np.int64)[rows.offset : rows.offset + len(rows) + 1]
            file.write(memoryview(data)[bounds[0] : bounds[-1]])


def write_gzipped_csv(rewriting: Rewriting, rows: Iterable[pa.RecordBatch], file: IO[bytes]) -> None:
    """Write compressed CSV. The same text gives the same bytes: they contain neither a name nor a time."""
    with GzipFile("", "wb", GZIP_LEVEL, file, mtime=0) as compressed:
        write_csv(rewriting, rows, compressed)  # type: ignore[arg-type]  # a binary file all the same


def write_parquet(rewriting: Rewriting, rows: Iterator[pa.RecordBatch], file: IO[bytes]) -> None:
    """Write Parquet: unchanged columns keep their types, the others are text."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    first = next(rows)
    plain = build_plain_schema(rewriting, first.schema)
    try:
        with pq.ParquetWriter(file, first.schema, store_schema=False) as writer:
            writer.add_key_value_metadata({ARROW_SCHEMA: b64encode(plain.serialize()).decode()})
            for table in _group_batches(chain([first], rows)):
                writer.write_table(table, GROUP_ROWS)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:
        problem, figures = "a column cannot be stored as Parquet: {reason}", {"reason": CellText(str(error))}
        raise OutputError(problem, hint="write a CSV file, or convert the column", figures=figures) from error


def _group_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Yield the rows in groups of the size that is written at a time."""
    import pyarrow as pa

    waiting = list[pa.RecordBatch]()
    for batch in batches:
        waiting.append(batch)
        if sum(one.num_rows for one in waiting) >= GROUP_ROWS:
            yield pa.Table.from_batches(waiting)
            waiting.clear()
    if waiting:
        yield pa.Table.from_batches(waiting)
