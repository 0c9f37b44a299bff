"""Tables in memory: pandas, polars, Arrow, and whatever else narwhals knows; and lazy ones such as DuckDB relations.

A frame in memory is read in slices, so it is neither copied whole nor changed. A lazy frame counts in its own engine,
and only the combinations come back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from PETWorks.errors import SourceError
from PETWorks.sources.source import Batch, Source, column_names, not_empty
from PETWorks.sources.text import encode, encode_cells
from PETWorks.tally import Coded, Tally, TallyBuilder

if TYPE_CHECKING:
    import narwhals as nw

BATCH_ROWS = 2**18


def frame_source(table: Any, name: str) -> Source:  # noqa: ANN401 (any kind of table is the point)
    """Make a source of any table in memory; `name` is what messages call it."""
    if isinstance(table, Mapping):
        return Lists(table, name)
    import narwhals as nw

    try:
        frame = nw.from_native(table)
    except nw.exceptions.DuplicateError as error:
        problem = f"two columns have the same name: {' '.join(str(error).split())}"
        raise SourceError(problem, where=name, hint="rename them, so that every name occurs once") from error
    except TypeError as error:
        kinds = "a path, a pandas, polars or Arrow table, a DuckDB relation, or a dict of lists"
        raise SourceError(
            f"a table cannot be made of {type(table).__name__}", where=name, hint=f"pass {kinds}"
        ) from error
    return Lazy(frame, name) if isinstance(frame, nw.LazyFrame) else Eager(frame, name)


class Lists(Source):
    """A dict of lists: column names and their cells."""

    def __init__(self, table: Mapping[str, Sequence[Any]], name: str) -> None:
        self.name = name
        self.columns = column_names(list(table), name)
        self._cells = {
            key: _listed(cells, f"{name}, {key}") for key, cells in zip(self.columns, table.values(), strict=True)
        }
        lengths = {key: len(cells) for key, cells in self._cells.items()}
        if len(set(lengths.values())) > 1:
            problem = f"the columns have different lengths: {lengths}"
            raise SourceError(problem, where=name, hint="give every column as many cells as there are rows")

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Give all rows at once."""
        yield [encode_cells(self._cells[key], f"{self.name}, {key}") for key in columns]


def _listed(cells: Any, where: str) -> list[Any]:  # noqa: ANN401
    if isinstance(cells, str | bytes) or not isinstance(cells, Iterable):
        raise SourceError(
            f"the column is {cells!r:.40}, not a list of cells", where=where, hint="pass a list for each column"
        )
    return list(cells)


class Eager(Source):
    """A frame in memory."""

    def __init__(self, frame: nw.DataFrame[Any], name: str) -> None:
        self.name = name
        self.columns = column_names(frame.columns, name)
        self._frame = frame

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Give the rows slice by slice."""
        places = [self.columns.index(name) for name in columns]
        for start in range(0, len(self._frame), BATCH_ROWS):
            part = slice(start, start + BATCH_ROWS)
            yield [
                _encode_series(self._frame[part, place], f"{self.name}, {name}")
                for place, name in zip(places, columns, strict=True)
            ]


class Lazy(Source):
    """A frame that is a query. It may run anew on every call, so it is counted where it lives, once."""

    def __init__(self, frame: nw.LazyFrame[Any], name: str) -> None:
        self.name = name
        self._stored = frame.collect_schema().names()
        self.columns = column_names(self._stored, name)
        self._frame = frame

    def tally(self, columns: Sequence[str]) -> Tally:
        """Count in the frame's own engine."""
        import narwhals as nw

        chosen = self._chosen(columns)
        counted = chosen.group_by(chosen.columns).agg(nw.len().alias("rows")).collect("pyarrow").to_native()
        builder = TallyBuilder(columns)
        cells = [
            encode(column.combine_chunks(), f"{self.name}, {name}")
            for name, column in zip(columns, counted.drop(["rows"]).columns, strict=True)
        ]
        builder.add(cells, np.from_dlpack(counted["rows"].combine_chunks()))
        return not_empty(self.name, builder.done())

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Give the rows, for pairing: only the columns asked for are collected."""
        for batch in self._chosen(columns).collect("pyarrow").to_native().to_batches(BATCH_ROWS):
            yield [encode(column, f"{self.name}, {name}") for name, column in zip(columns, batch.columns, strict=True)]

    def _chosen(self, columns: Sequence[str]) -> nw.LazyFrame[Any]:
        """Select columns under names of our own: engines fold case, and a column may be called "rows"."""
        import narwhals as nw

        stored = [self._stored[self.columns.index(name)] for name in columns]
        return self._frame.select(nw.col(name).alias(f"c{place}") for place, name in enumerate(stored))


def _encode_series(series: nw.Series[Any], where: str) -> Coded:
    """Code a column of a frame. Python objects are looked at one by one: Arrow would bring them to one type."""
    import pyarrow as pa

    try:
        if str(series.dtype) == "Object" or str(getattr(series.to_native(), "dtype", "")) == "object":
            return encode(pa.array(series.to_native(), pa.large_string(), from_pandas=True), where)
        column = series.to_arrow()
    except (pa.ArrowException, TypeError, OverflowError, ValueError):
        return encode_cells(series.to_list(), where)
    values = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if pa.types.is_nested(values) or isinstance(values, pa.BaseExtensionType):
        return encode_cells(series.to_list(), where)
    return encode(column, where)
