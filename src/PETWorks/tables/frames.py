"""Read tables in memory: of pandas, polars, Arrow, and others that narwhals supports, and lazy ones such as DuckDB's.

A frame in memory is read in slices, so it is neither copied as a whole nor changed. A lazy frame is counted by its own
engine, which returns only the combinations and their counts. `convert_frame` builds frames of the user's library.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from PETWorks.errors import CellText, ParameterError, SourceError, did_you_mean
from PETWorks.progress import report_share
from PETWorks.tables.counting.count import Batch, count
from PETWorks.tables.counting.size_histogram import Grouping
from PETWorks.tables.counting.tally import Coded, Tally
from PETWorks.tables.counting.workspace import Prefetch, Workspace, scale_batch
from PETWorks.tables.source import TableSource, check_column_names
from PETWorks.tables.text_form import cast_string_view, convert_column, encode, encode_cells

if TYPE_CHECKING:
    import narwhals as nw
    import pyarrow as pa

BATCH_ROWS = 2**18  # rows that are read at a time
UNBOUNDED = "BIGNUM"  # DuckDB's type of whole numbers of any size, of which Arrow has none: they are read as text


def is_spark(table: object) -> bool:
    """Return True for a Spark DataFrame, classic or of Spark Connect. This does not import Spark."""
    kinds = [kind for kind in type(table).__mro__ if kind.__name__ == "DataFrame"]
    return any(kind.__module__.startswith("pyspark.sql") for kind in kinds)


def open_frame(table: Any, name: str) -> TableSource:  # noqa: ANN401 (any kind of table is the point)
    """Build the source of any kind of table in memory; messages call it `name`."""
    if isinstance(table, Mapping):
        return ListSource(table, name)
    if is_spark(table):
        from PETWorks.tables.spark.source import SparkSource

        return SparkSource(table, name)
    import narwhals as nw

    try:
        frame = nw.from_native(table)
    except nw.exceptions.DuplicateError as error:
        problem = f"two columns have the same name: {' '.join(str(error).split())}"
        raise SourceError(problem, where=name, hint="rename them, so that every name occurs once") from error
    except TypeError as error:
        kinds = "a path, a pandas, polars, Arrow or Spark table, a DuckDB relation, or a dict of lists"
        raise SourceError(
            f"an object of type {type(table).__name__} is not a table", where=name, hint=f"pass {kinds}"
        ) from error
    return LazySource(frame, name) if isinstance(frame, nw.LazyFrame) else EagerSource(frame, name)


class ListSource(TableSource):
    """A dict of lists: column names and their cells."""

    def __init__(self, table: Mapping[str, Sequence[Any]], name: str) -> None:
        self.name = name
        self.columns = check_column_names(list(table), name)
        self._cells = {
            key: _to_list(cells, f"{name}, {key}") for key, cells in zip(self.columns, table.values(), strict=True)
        }
        lengths = {key: len(cells) for key, cells in self._cells.items()}
        if len(set(lengths.values())) > 1:
            hint, figures = "pass the same number of cells for every column", {"lengths": CellText(str(lengths))}
            raise SourceError("the columns have different lengths: {lengths}", where=name, hint=hint, figures=figures)

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Yield all rows in one batch."""
        yield [encode_cells(self._cells[key], f"{self.name}, {key}") for key in columns]

    def read_typed(self, coded: Sequence[str], kept: Sequence[str]) -> Iterator[tuple[Batch, list[pa.Array]]]:
        """Yield all rows in one batch."""
        for batch in self.batches(coded):
            yield batch, [convert_column(self._cells[key], f"{self.name}, {key}") for key in kept]


def _to_list(cells: Any, where: str) -> list[Any]:  # noqa: ANN401
    if isinstance(cells, str | bytes) or not isinstance(cells, Iterable):
        problem, figures = "the column is {cells}, not a list of cells", {"cells": CellText(f"{cells!r:.40}")}
        raise SourceError(problem, where=where, hint="pass a list for each column", figures=figures)
    return list(cells)


class EagerSource(TableSource):
    """A frame in memory."""

    def __init__(self, frame: nw.DataFrame[Any], name: str) -> None:
        self.name = name
        self.columns = check_column_names(frame.columns, name)
        self.frame = frame

    @property
    def stored_columns(self) -> Sequence[str]:
        """The names of the frame's columns."""
        return [str(name) for name in self.frame.columns]

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Yield the rows, slice by slice."""
        places = dict(zip(columns, self.find_places(columns), strict=True))
        rows, step = len(self.frame), scale_batch(BATCH_ROWS, self.memory)

        def encode_part(start: int) -> Batch:
            part = slice(start, start + step)
            return [_encode_series(self.frame[part, places[name]], f"{self.name}, {name}") for name in columns]

        with Prefetch(encode_part, range(0, rows, step)) as work:
            for start, batch in work:
                yield batch
                report_share(min(1.0, (start + step) / rows))

    def read_typed(self, coded: Sequence[str], kept: Sequence[str]) -> Iterator[tuple[Batch, list[pa.Array]]]:
        """Yield the rows. Columns that are not coded are converted as a whole, so that all slices have one type."""
        places = zip(kept, self.find_places(kept), strict=True)
        cells = [convert_column(self.frame[:, place], f"{self.name}, {name}") for name, place in places]
        start = 0
        for batch in self.batches(coded):
            rows = batch[0].size
            yield batch, [column.slice(start, rows) for column in cells]
            start += rows


class LazySource(TableSource):
    """A frame that is a query. Each read may run the query again, so the frame's own engine counts the rows."""

    def __init__(self, frame: nw.LazyFrame[Any], name: str) -> None:
        self.name = name
        self._stored = frame.collect_schema().names()
        self.columns = check_column_names(self._stored, name)
        self.frame = frame

    @property
    def stored_columns(self) -> Sequence[str]:
        """The names of the frame's columns."""
        return self._stored

    @property
    def local_kind(self) -> str:
        """The kind of query if only this process can run it, since it needs a connection; else empty."""
        engine = self.frame.implementation
        if engine.is_polars() or engine.is_dask():
            return ""
        return "a DuckDB relation" if engine.is_duckdb() else f"a query of {engine.value}"

    def tally(
        self, columns: Sequence[str], workspace: Workspace | None = None, grouping: Grouping | None = None
    ) -> Tally:
        """Count in the frame's own engine."""
        import narwhals as nw

        chosen = self._select(columns)
        query = chosen.group_by(chosen.collect_schema().names()).agg(nw.len().alias("rows"))
        with closing(
            _stream(query, scale_batch(BATCH_ROWS, self.memory))
        ) as counted:  # while a result is open, the caller cannot use the connection
            batches = ((self._encode_batch(columns, batch), np.from_dlpack(batch.column("rows"))) for batch in counted)
            return count(self.name, columns, batches, workspace, grouping)

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Return the rows, for pairing. Only the named columns are collected."""
        chosen = self._select(columns)
        # Two DuckDB relations may share a connection, and a connection can stream only one result at a time.
        parts = (
            _collect(chosen)
            if chosen.implementation.is_duckdb()
            else _stream(chosen, scale_batch(BATCH_ROWS, self.memory))
        )
        return (self._encode_batch(columns, batch) for batch in parts)

    def read_typed(self, coded: Sequence[str], kept: Sequence[str]) -> Iterator[tuple[Batch, list[pa.Array]]]:
        """Yield the rows. The query runs again, and may then return them in another order."""
        with closing(_stream(self._select([*coded, *kept]), scale_batch(BATCH_ROWS, self.memory))) as parts:
            for part in parts:
                yield (
                    self._encode_batch(coded, part),
                    [cast_string_view(column) for column in part.columns[len(coded) :]],
                )

    def _encode_batch(self, columns: Sequence[str], batch: pa.RecordBatch) -> Batch:
        arrays = batch.columns[: len(columns)]
        return [encode(array, f"{self.name}, {name}") for array, name in zip(arrays, columns, strict=True)]

    def _select(self, columns: Sequence[str]) -> nw.LazyFrame[Any]:
        """Select columns and rename them: engines may ignore case in names, and a column may be called "rows"."""
        import narwhals as nw

        stored = [self._stored[place] for place in self.find_places(columns)]
        if self.frame.implementation.is_duckdb():  # to version 1, the dot of an unquoted name parts table and column
            native = self.frame.to_native()
            kinds = dict(zip(self._stored, map(str, native.types), strict=True))
            quoted = ['"' + name.replace('"', '""') + '"' for name in stored]
            cells = [
                f"CAST({name} AS VARCHAR)" if kinds[key] == UNBOUNDED else name
                for key, name in zip(stored, quoted, strict=True)
            ]
            chosen = ", ".join(f"{cell} AS c{place}" for place, cell in enumerate(cells))
            relation: nw.LazyFrame[Any] = nw.from_native(native.project(chosen))
            return relation
        return self.frame.select(nw.col(name).alias(f"c{place}") for place, name in enumerate(stored))


def _stream(frame: nw.LazyFrame[Any], rows: int) -> Generator[pa.RecordBatch]:
    """Run a query and yield its result in batches; engines that can stream never hold all of it."""
    native = frame.to_native()
    if frame.implementation.is_duckdb():
        with native.to_arrow_reader(rows) as reader:
            yield from reader
    elif frame.implementation.is_polars():
        for part in native.collect_batches(chunk_size=rows):
            yield from part.to_arrow().to_batches()
    else:
        yield from _collect(frame)


def _collect(frame: nw.LazyFrame[Any]) -> Iterator[pa.RecordBatch]:
    """Run a query, and yield its result in batches after all of it was computed."""
    yield from frame.collect("pyarrow").to_native().combine_chunks().to_batches(BATCH_ROWS)


def _encode_series(series: nw.Series[Any], where: str) -> Coded:
    """Code a column of a frame. Python objects are coded one by one: Arrow would convert them to one type."""
    import pyarrow as pa

    try:
        if str(series.dtype) == "Object" or str(getattr(series.to_native(), "dtype", "")) == "object":
            return encode(pa.array(series.to_native(), pa.large_string(), from_pandas=True), where)
        column = series.to_arrow()
        if isinstance(column, pa.ChunkedArray):  # for example from a pandas frame that was concatenated
            column = column.combine_chunks()
    except (pa.ArrowException, TypeError, OverflowError, ValueError):
        return encode_cells(series.to_list(), where)
    values = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if pa.types.is_nested(values) or isinstance(values, pa.BaseExtensionType):
        return encode_cells(series.to_list(), where)
    return encode(column, where)


Library = Literal["pandas", "polars", "pyarrow"]
LIBRARIES: tuple[Library, ...] = get_args(Library)  # of those that are installed, the first is used for files


def find_library(table: Any) -> Library:  # noqa: ANN401 (any kind of table)
    """Return the library of a table in memory; for a file or another kind of table, the first that is installed.

    >>> import pyarrow
    >>> find_library(pyarrow.table({"zip": ["100"]}))
    'pyarrow'
    """
    import narwhals as nw

    implementation = getattr(nw.from_native(table, pass_through=True), "implementation", None)
    own = [one for one in LIBRARIES if implementation is not None and one == implementation.value]
    return next(one for one in (*own, *LIBRARIES) if find_spec(one))


def convert_frame(table: pa.Table, library: Library) -> Any:  # noqa: ANN401 (a frame of that library)
    """Convert an Arrow table to a frame of a library."""
    if library not in LIBRARIES:
        raise ParameterError(f"library cannot be {library!r}", hint=did_you_mean(str(library), LIBRARIES))
    if not find_spec(library):
        raise ParameterError(f"{library} is not installed", hint="install it, or choose another library=")
    import narwhals as nw

    frame = nw.from_native(table)
    return {"pandas": frame.to_pandas, "polars": frame.to_polars, "pyarrow": frame.to_native}[library]()


def make_unused_name(name: str, names: Any) -> str:  # noqa: ANN401 (a collection of names)
    """Return a name that is not among `names`, by adding primes: a column may already be called "size"."""
    while name in names:
        name += "'"
    return name
