"""A release as a frame of pandas, polars or Arrow.

The rows of a release as Arrow batches: columns that stay as they are keep their types, the others are text.

That text is a dictionary and codes as long as possible, since Parquet stores it like that, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from PETWorks.tables.counting.count import Batch
from PETWorks.tables.counting.texts import integers, text_array
from PETWorks.tables.counting.workspace import Ahead
from PETWorks.tables.frames import Eager, Lazy, Library, library_of, user_frame
from PETWorks.tables.rewriting.cells import Rewriting
from PETWorks.tables.spark.source import SparkSource
from PETWorks.tables.text_form import encode

if TYPE_CHECKING:
    import pyarrow as pa


def record_batches(rewriting: Rewriting) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a release, in their order. Columns that were replaced are dictionaries."""
    source = rewriting.source
    names = dict(zip(source.columns, source.stored_columns, strict=True))
    read = rewriting.reading(source.read_typed(rewriting.coded, rewriting.kept))
    with Ahead(
        lambda rows: _build_record_batch(rewriting, [names[name] for name in rewriting.columns], *rows), read
    ) as work:
        yield from rewriting.ordered(batch for _, batch in work)


def plain_schema(rewriting: Rewriting, schema: pa.Schema) -> pa.Schema:
    """Return the schema of a release, in which the columns that were replaced are plain text."""
    import pyarrow as pa

    fields = zip(rewriting.columns, schema, strict=True)
    return pa.schema(
        [field.with_type(pa.string()) if name in rewriting.replacements else field for name, field in fields]
    )


def _build_record_batch(
    rewriting: Rewriting, names: Sequence[str], batch: Batch, cells: Sequence[pa.Array]
) -> pa.RecordBatch:
    import pyarrow as pa

    combinations, rows = rewriting.find(batch)
    columns = dict(zip(rewriting.kept, cells, strict=True))
    if not isinstance(rows, slice):
        columns = {name: column.take(integers(rows)) for name, column in columns.items()}
    for name, coded in rewriting.replacements.items():
        codes = coded.codes[combinations].astype(np.int32)
        valid = codes != coded.code(None) if None in coded.values else None  # missing cells have no code
        values = text_array([value or "" for value in coded.values]).cast(pa.string())
        columns[name] = pa.DictionaryArray.from_arrays(integers(codes, valid), values)
    return pa.record_batch([columns[name] for name in rewriting.columns], names)


def rewritten_frame(rewriting: Rewriting, library: Library | None = None) -> Any:  # noqa: ANN401 (a frame of that library)
    """Return the release as a frame, by default of the original's library; for a file, of one that is installed."""
    import pyarrow as pa

    source = rewriting.source
    if isinstance(source, SparkSource):
        from PETWorks.tables.spark.files import rewritten

        released = rewritten(rewriting, source)
        return released if library is None else user_frame(source.fetched(released), library)
    own = library_of(source.frame if isinstance(source, Eager | Lazy) else None)
    if isinstance(source, Eager) and library in (None, own):
        return _replace_columns(rewriting, source, own)
    table = pa.Table.from_batches(record_batches(rewriting))
    return user_frame(table.cast(plain_schema(rewriting, table.schema)), library or own)


def text_frame(rewriting: Rewriting, library: Library | None = None) -> Any:  # noqa: ANN401 (a frame of that library)
    """Return the release as a frame whose cells are text, whatever types the original's columns have."""
    import pyarrow as pa

    batches = [
        pa.record_batch([_write_texts(column, rewriting.source.name) for column in batch.columns], rewriting.columns)
        for batch in record_batches(rewriting)
    ]
    return user_frame(pa.Table.from_batches(batches), library or library_of(None))


def _write_texts(column: pa.Array, where: str) -> pa.Array:
    coded = encode(column, where)
    return text_array(coded.values).take(integers(coded.codes))


def _replace_columns(rewriting: Rewriting, source: Eager, library: Library) -> Any:  # noqa: ANN401
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
