"""The rows of a release as Arrow batches: columns that stay as they are keep their types, the others are text.

That text is a dictionary and codes as long as possible, since Parquet stores it like that, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from PETWorks.counting.arrow_arrays import integers, text_array
from PETWorks.counting.count import Batch
from PETWorks.counting.prefetch import Ahead
from PETWorks.sources.rewriting.rewriting import Rewriting

if TYPE_CHECKING:
    import pyarrow as pa


def record_batches(rewriting: Rewriting) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a release, in their order. Columns that were replaced are dictionaries."""
    source = rewriting.source
    names = dict(zip(source.columns, source.stored, strict=True))
    read = rewriting.reading(source.typed(rewriting.coded, rewriting.kept))
    with Ahead(lambda rows: _record_batch(rewriting, [names[name] for name in rewriting.columns], *rows), read) as work:
        yield from rewriting.ordered(batch for _, batch in work)


def plain_schema(rewriting: Rewriting, schema: pa.Schema) -> pa.Schema:
    """Return the schema of a release, in which the columns that were replaced are plain text."""
    import pyarrow as pa

    fields = zip(rewriting.columns, schema, strict=True)
    return pa.schema(
        [field.with_type(pa.string()) if name in rewriting.replacements else field for name, field in fields]
    )


def _record_batch(
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
