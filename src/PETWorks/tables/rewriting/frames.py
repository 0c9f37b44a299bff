"""Build a release as Arrow batches, or as a frame of pandas, polars or Arrow.

Unchanged columns keep their types, the others are text. That text stays a dictionary with codes as long as possible, as
in Parquet.

An unchanged quasi-identifier also keeps its type, but cells with the same text become the same cell: otherwise blanks
around a text, for example, could distinguish the rows of a class.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from PETWorks.tables.counting.count import Batch
from PETWorks.tables.counting.tally import Coded
from PETWorks.tables.counting.texts import integer_array, text_array
from PETWorks.tables.counting.workspace import Prefetch
from PETWorks.tables.frames import EagerSource, LazySource, Library, convert_frame, find_library
from PETWorks.tables.rewriting.cells import Rewriting
from PETWorks.tables.spark.source import SparkSource
from PETWorks.tables.text_form import encode

if TYPE_CHECKING:
    import narwhals as nw
    import pyarrow as pa


def build_record_batches(rewriting: Rewriting) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a release in the order of the original. Columns that were replaced are dictionaries."""
    source = rewriting.source
    names = dict(zip(source.columns, source.stored_columns, strict=True))
    read = rewriting.check_batches(source.read_typed(rewriting.coded, [*rewriting.kept, *rewriting.unchanged]))
    with Prefetch(
        lambda rows: _build_record_batch(rewriting, [names[name] for name in rewriting.columns], *rows), read
    ) as work:
        for _, batch in work:
            yield batch


def build_plain_schema(rewriting: Rewriting, schema: pa.Schema) -> pa.Schema:
    """Return the schema of a release, in which the columns that were changed are plain text."""
    import pyarrow as pa

    fields = zip(rewriting.columns, schema, strict=True)
    changed = rewriting.replacements.keys() - rewriting.unchanged.keys()
    return pa.schema([field.with_type(pa.string()) if name in changed else field for name, field in fields])


def _build_record_batch(
    rewriting: Rewriting, names: Sequence[str], batch: Batch, cells: Sequence[pa.Array]
) -> pa.RecordBatch:
    import pyarrow as pa

    combinations, rows = rewriting.find(batch)
    columns = dict(zip([*rewriting.kept, *rewriting.unchanged], cells, strict=True))
    if not isinstance(rows, slice):
        columns = {name: column.take(integer_array(rows)) for name, column in columns.items()}
    for name, coded in rewriting.unchanged.items():
        columns[name] = keep_type(columns[name], coded.take(combinations))
    for name, coded in rewriting.replacements.items():
        if name in rewriting.unchanged:
            continue
        codes = coded.codes[combinations].astype(np.int32)
        valid = codes != coded.code(None) if None in coded.values else None  # missing cells have no code
        values = text_array([value or "" for value in coded.values]).cast(pa.string())
        columns[name] = pa.DictionaryArray.from_arrays(integer_array(codes, valid), values)
    return pa.record_batch([columns[name] for name in rewriting.columns], names)


def keep_type(cells: pa.Array, texts: Coded) -> pa.Array:
    """Return the cells of an unchanged column in their type, equal wherever their texts are; as text if it has none."""
    import pyarrow as pa

    kind = cells.type.value_type if pa.types.is_dictionary(cells.type) else cells.type
    if pa.types.is_floating(kind) and not pa.types.is_float16(kind):
        return _unify_floats(cells)
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    if not (is_text or pa.types.is_float16(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind)):
        return cells.dictionary_decode().dictionary_encode().cast(cells.type) if kind != cells.type else cells
    values = text_array(texts.values)
    if not pa.types.is_dictionary(cells.type):
        return values.take(integer_array(texts.codes)).cast(kind if is_text else pa.string())
    try:
        codes = values.take(integer_array(texts.codes)).dictionary_encode().cast(cells.type)
    except pa.ArrowInvalid:  # more values than codes of this type
        return values.take(integer_array(texts.codes)).cast(kind)
    return codes


def _unify_floats(cells: pa.Array) -> pa.Array:
    """Return floats without -0.0, and with nulls in place of NaN: their texts are the same."""
    import pyarrow as pa
    from pyarrow import compute

    plain = cells.dictionary_decode() if pa.types.is_dictionary(cells.type) else cells
    plain = compute.if_else(compute.is_nan(plain), pa.scalar(None, plain.type), plain)
    return compute.add(plain, pa.scalar(0.0, plain.type)).cast(cells.type)


def build_frame(rewriting: Rewriting, library: Library | None = None) -> Any:  # noqa: ANN401 (a frame of that library)
    """Build the release as a frame, by default of the original's library; for a file, of one that is installed."""
    import pyarrow as pa

    source = rewriting.source
    if isinstance(source, SparkSource):
        from PETWorks.tables.spark.files import rewrite_frame

        released = rewrite_frame(rewriting, source)
        return released if library is None else convert_frame(source.fetch(released), library)
    raw = source.raw
    own = find_library(raw.frame if isinstance(raw, EagerSource | LazySource) else None)
    if isinstance(source, EagerSource) and library in (None, own):
        return _replace_columns(rewriting, source, own)
    table = pa.Table.from_batches(rewriting.put_in_order(build_record_batches(rewriting)))
    return convert_frame(table.cast(build_plain_schema(rewriting, table.schema)), library or own)


def build_text_frame(rewriting: Rewriting, library: Library | None = None) -> Any:  # noqa: ANN401 (a frame of that library)
    """Build the release as a frame whose cells are text, whatever types the original's columns have."""
    import pyarrow as pa

    batches = [
        pa.record_batch([_write_texts(column, rewriting.source.name) for column in batch.columns], rewriting.columns)
        for batch in rewriting.put_in_order(build_record_batches(rewriting))
    ]
    return convert_frame(pa.Table.from_batches(batches), library or find_library(None))


def _write_texts(column: pa.Array, where: str) -> pa.Array:
    coded = encode(column, where)
    return text_array(coded.values).take(integer_array(coded.codes))


def _replace_columns(rewriting: Rewriting, source: EagerSource, library: Library) -> Any:  # noqa: ANN401
    """Replace columns of the user's frame; the others stay unchanged, except that the index is dropped.

    An index might identify people, or reveal how the rows were ordered.
    """
    import narwhals as nw
    import pyarrow as pa

    found, places, start = [], [], 0
    for batch, _ in rewriting.check_batches((batch, None) for batch in source.batches(rewriting.coded)):
        combinations, rows = rewriting.find(batch)
        size = batch[0].size
        found.append(combinations)
        places.append(np.arange(start, start + size)[rows])
        start += size
    combinations, rows = np.concatenate(found), np.concatenate(places)
    if rewriting.shuffle:
        order = np.argsort(rewriting.shuffle.make_key_generator()(len(rows)), kind="stable")
        combinations, rows = combinations[order], rows[order]
    names = dict(zip(source.columns, source.frame.columns, strict=True))
    before = {str(key): column for key, column in rewriting.before.columns.items()}
    own = {name for name in rewriting.unchanged if _is_unambiguous(source.frame[names[name]], before[name])}
    replaced = {name: coded for name, coded in rewriting.replacements.items() if name not in own}
    texts = pa.table(
        {
            str(number): text_array(coded.values).take(integer_array(coded.codes[combinations]))
            for number, coded in enumerate(replaced.values())
        }
    )
    columns = nw.from_native(convert_frame(texts, library), eager_only=True)
    frame = nw.maybe_reset_index(source.frame if len(rows) == start and not rewriting.shuffle else source.frame[rows])
    new = [columns[str(number)].alias(names[name]) for number, name in enumerate(replaced)]
    new += [_unify_series(frame[names[name]]) for name in own]
    return frame.with_columns(*new).select([names[name] for name in rewriting.columns]).to_native()


def _is_unambiguous(cells: nw.Series[Any], texts: Coded) -> bool:
    """Return True if the cells of a series differ only where their texts do."""
    import narwhals as nw

    if cells.dtype == nw.Object or str(getattr(cells.to_native(), "dtype", "")) == "object":
        kinds = {type(cell) for cell in cells.to_list() if cell is not None and cell == cell}
        if len(kinds) > 1:
            return False
    if cells.dtype.is_float():
        return True
    return bool(cells.n_unique() == np.unique(texts.codes).size)


def _unify_series(cells: nw.Series[Any]) -> nw.Series[Any]:
    """Return an unchanged column without values that no row has, without -0.0, and with nulls in place of NaN."""
    import narwhals as nw
    import pyarrow as pa

    if cells.dtype.is_float():
        return (cells.fill_nan(None) + 0.0).cast(cells.dtype)
    native = cells.to_native()
    if cells.implementation.is_pandas() and hasattr(native, "cat"):
        return nw.from_native(native.cat.remove_unused_categories(), series_only=True)
    if cells.implementation.is_pyarrow() and pa.types.is_dictionary(native.type):
        used = native.combine_chunks().dictionary_decode().dictionary_encode().cast(native.type)
        whole: nw.Series[Any] = nw.from_native(pa.chunked_array([used]), series_only=True)
        return whole.alias(cells.name)
    return cells
