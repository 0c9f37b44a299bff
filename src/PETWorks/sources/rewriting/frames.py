"""A release as a frame of pandas, polars or Arrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from PETWorks.counting.arrow_arrays import integers, text_array
from PETWorks.sources.frames import Eager, Lazy
from PETWorks.sources.rewriting.batches import plain_schema, record_batches
from PETWorks.sources.rewriting.rewriting import Rewriting
from PETWorks.sources.spark.source import SparkSource
from PETWorks.sources.text_form import encode
from PETWorks.sources.user_frames import Library, library_of, user_frame

if TYPE_CHECKING:
    import pyarrow as pa


def rewritten_frame(rewriting: Rewriting, library: Library | None = None) -> Any:  # noqa: ANN401 (a frame of that library)
    """Return the release as a frame, by default of the original's library; for a file, of one that is installed."""
    import pyarrow as pa

    source = rewriting.source
    if isinstance(source, SparkSource):
        from PETWorks.sources.spark.rewriting import rewritten

        released = rewritten(rewriting, source)
        return released if library is None else user_frame(source.fetched(released), library)
    own = library_of(source.frame if isinstance(source, Eager | Lazy) else None)
    if isinstance(source, Eager) and library in (None, own):
        return _replaced(rewriting, source, own)
    table = pa.Table.from_batches(record_batches(rewriting))
    return user_frame(table.cast(plain_schema(rewriting, table.schema)), library or own)


def text_frame(rewriting: Rewriting, library: Library | None = None) -> Any:  # noqa: ANN401 (a frame of that library)
    """Return the release as a frame whose cells are text, whatever types the original's columns have."""
    import pyarrow as pa

    batches = [
        pa.record_batch([_texts(column, rewriting.source.name) for column in batch.columns], rewriting.columns)
        for batch in record_batches(rewriting)
    ]
    return user_frame(pa.Table.from_batches(batches), library or library_of(None))


def _texts(column: pa.Array, where: str) -> pa.Array:
    coded = encode(column, where)
    return text_array(coded.values).take(integers(coded.codes))


def _replaced(rewriting: Rewriting, source: Eager, library: Library) -> Any:  # noqa: ANN401
    """Replace columns of the user's frame; the others stay exactly as they are, except that the index is dropped.

    An index might identify people, or tell how the rows were ordered.
    """
    import narwhals as nw
    import pyarrow as pa

    found, places, start = [], [], 0
    for batch, _ in rewriting.reading((batch, None) for batch in source.batches(rewriting.coded)):
        combinations, rows = rewriting.find(batch)
        size = batch[0].size
        found.append(combinations)
        places.append(np.arange(start, start + size)[rows])
        start += size
    combinations, rows = np.concatenate(found), np.concatenate(places)
    if rewriting.shuffle:
        order = np.argsort(rewriting.shuffle.keys()(len(rows)), kind="stable")
        combinations, rows = combinations[order], rows[order]
    texts = pa.table(
        {
            str(number): text_array(coded.values).take(integers(coded.codes[combinations]))
            for number, coded in enumerate(rewriting.replacements.values())
        }
    )
    columns = nw.from_native(user_frame(texts, library), eager_only=True)
    frame = nw.maybe_reset_index(source.frame if len(rows) == start and not rewriting.shuffle else source.frame[rows])
    names = dict(zip(source.columns, source.frame.columns, strict=True))
    new = [columns[str(number)].alias(names[name]) for number, name in enumerate(rewriting.replacements)]
    return frame.with_columns(*new).select([names[name] for name in rewriting.columns]).to_native()
