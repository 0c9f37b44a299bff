"""Tables in memory: pandas, polars, Arrow, and whatever else narwhals knows; and lazy ones such as DuckDB relations.

A frame in memory is read in slices, so it is neither copied whole nor changed. A lazy frame counts in its own engine,
and only the combinations come back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
        raise SourceError(f"two columns have the same name: {error}", where=name) from error
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
        self._cells = dict(zip(self.columns, table.values(), strict=True))
        if len(set((lengths := {key: len(cells) for key, cells in self._cells.items()}).values())) > 1:
            raise SourceError(f"the columns have different lengths: {lengths}", where=name)

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Give all rows at once."""
        yield [encode_cells(self._cells[name]) for name in columns]


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
        cells = [encode(column.combine_chunks()) for column in counted.drop(["rows"]).columns]
        builder.add(cells, np.from_dlpack(counted["rows"].combine_chunks()))
        return not_empty(self.name, builder.done())

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Give the rows, for pairing: only the columns asked for are collected."""
        for batch in self._chosen(columns).collect("pyarrow").to_native().to_batches(BATCH_ROWS):
            yield [encode(column) for column in batch.columns]

    def _chosen(self, columns: Sequence[str]) -> nw.LazyFrame[Any]:
        """Select columns under names of our own: engines fold case, and a column may be called "rows"."""
        import narwhals as nw

        stored = [self._stored[self.columns.index(name)] for name in columns]
        return self._frame.select(nw.col(name).alias(f"c{place}") for place, name in enumerate(stored))


def _encode_series(series: nw.Series[Any], where: str) -> Coded:
    import pyarrow as pa

    try:
        try:
            return encode(series.to_arrow())
        except (pa.ArrowInvalid, pa.ArrowTypeError):  # values of several types in one column
            return encode_cells(series.to_list())
    except SourceError as error:
        raise SourceError(error.problem, where=where, hint=error.hint) from error
