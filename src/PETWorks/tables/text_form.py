"""The text form of a cell: how a typed value is written in a CSV file.

The cells of every source are turned into text, so that a table gives the same results in every format. Columns arrive
as Arrow arrays; only their distinct values are turned into text, not every cell.

>>> [text_form(value) for value in (39.0, 0.1, True, " 高雄　", float("nan"), "")]
['39', '0.1', 'true', '高雄', None, None]
>>> text_form(datetime(2026, 5, 1)), text_form(datetime(2026, 5, 1, 8, 30))
('2026-05-01', '2026-05-01T08:30:00')
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from PETWorks.errors import SourceError
from PETWorks.exact.limit import write_whole
from PETWorks.tables.counting.tally import Coded, Value
from PETWorks.tables.counting.texts import Texts, WholeNumbers, integer_array, text_array

if TYPE_CHECKING:
    import pyarrow as pa

SPACES = "".join(map(chr, range(0x2000, 0x200B)))
BLANKS = f"\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680{SPACES}\u2028\u2029\u202f\u205f\u3000"  # removed by str.strip()
MIN_LAZY_TEXTS = 2**12  # from so many values on, texts become strings only when they are used
_LAST: dict[tuple[int, int, int], Texts] = {}  # the texts of the dictionary that was converted last
MIDNIGHT = "T00:00:00"
SUPPORTED_TYPES_HINT = "convert the column to text, numbers, dates or booleans"


def text_form(value: Any) -> Value:  # noqa: ANN401, C901, PLR0911, PLR0912 (a line for each type is the point)
    """Return the text form of a value; None for a missing value."""
    if isinstance(value, str):
        return value.strip() or None
    if (  # NAType is the type of pandas.NA; only NaN and NaT are not equal to themselves
        value is None or type(value).__name__ == "NAType" or value != value
    ):
        return None
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, np.floating):  # the float32 0.1 must stay 0.1; as a double it is 0.10000000149011612
        value = float(str(value))
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    if isinstance(value, datetime):
        return value.isoformat().removesuffix(MIDNIGHT)
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, Decimal):
        return format(value, "f") if value.is_finite() else None
    if isinstance(value, int):
        return write_whole(value)
    if isinstance(value, np.integer | timedelta) or type(value).__name__ in ("Interval", "Period"):  # of pandas
        return str(value)
    if isinstance(value, np.datetime64):
        return _format_nanoseconds(value.astype("datetime64[ns]").astype(np.int64).item())
    if isinstance(value, bytes):
        try:
            return text_form(value.decode())
        except UnicodeDecodeError:
            raise SourceError(
                "a cell holds bytes that are not UTF-8 text",
                hint=SUPPORTED_TYPES_HINT,
                listed=f"{value!r:.40}",
                figures={},
            ) from None
    raise SourceError(
        f"a cell holds a value of type {type(value).__name__}", hint=SUPPORTED_TYPES_HINT, listed=f"{value!r:.40}"
    )


def text_forms(values: pa.Array) -> list[Value]:
    """Return the text form of each value of an Arrow array."""
    import pyarrow as pa

    if pa.types.is_float32(values.type) or pa.types.is_float16(values.type):
        return [text_form(value) for value in np.from_dlpack(values.fill_null(np.nan))]
    if pa.types.is_timestamp(values.type) and values.type.unit == "ns":
        return [_format_nanoseconds(value.value, values.type.tz) if value.is_valid else None for value in values]
    if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
        return [None if value is None else value.strip() or None for value in values.to_pylist()]
    return [text_form(value) for value in values.to_pylist()]


def _format_nanoseconds(since_1970: int, zone: str | None = None) -> Value:
    """Return the text form of a timestamp in nanoseconds, which Python's datetime cannot represent."""
    import pyarrow as pa

    micros, rest = divmod(since_1970, 1000)
    moment = pa.scalar(micros, pa.timestamp("us", zone)).as_py()
    if not rest:
        return text_form(moment)
    stamp = moment.isoformat(timespec="microseconds")
    return f"{stamp[:26]}{rest:03d}{stamp[26:]}"


def encode(column: pa.Array, where: str) -> Coded:
    """Code an Arrow array by the text form of its values; `where` names the column in errors."""
    import pyarrow as pa

    if pa.types.is_nested(column.type):
        raise SourceError(
            f"the column has the type {column.type}, which is not supported", where=where, hint=SUPPORTED_TYPES_HINT
        )
    if pa.types.is_string_view(column.type):
        column = column.cast(pa.large_string())
    if pa.types.is_float16(column.type):  # which Arrow before 26 cannot code
        return encode_cells((np.float16(np.nan if value is None else value) for value in column.to_pylist()), where)
    if pa.types.is_integer(column.type) and not column.null_count and column.type != pa.uint64():
        return WholeNumbers(np.from_dlpack(column))
    if not pa.types.is_dictionary(column.type):
        column = _encode_dictionary(column, where)
    if len(column.dictionary) > len(column):  # Parquet: of a whole group of rows, of which this is a part
        column = pa.DictionaryArray.from_arrays(*_drop_unused(column))
    codes = column.indices
    if not codes.null_count and (many := _share_texts(column.dictionary)) is not None:
        return Coded(np.from_dlpack(codes), many)
    with _add_place(where):
        values = text_forms(column.dictionary)
    if codes.null_count:
        codes = codes.cast(pa.int64()).fill_null(len(values))
        values.append(None)
    return Coded(np.from_dlpack(codes), values)  # Array.to_numpy would import pandas


def _encode_dictionary(column: pa.Array, where: str) -> pa.DictionaryArray:
    import pyarrow as pa

    try:
        return column.dictionary_encode(null_encoding="encode")
    except pa.ArrowNotImplementedError as error:
        problem = f"the column has the type {column.type}, which is not supported"
        raise SourceError(problem, where=where, hint=SUPPORTED_TYPES_HINT) from error


def _share_texts(values: pa.Array) -> Texts | None:
    """Return the text forms of many texts or whole numbers as an Arrow array; None for few, or for other types."""
    if len(values) < MIN_LAZY_TEXTS:
        return None
    place = (values.buffers()[-1].address, values.offset, len(values))  # batches of Parquet share a dictionary
    if (last := _LAST.get(place)) is None:
        _LAST.clear()
        if (last := _convert_texts(values)) is not None:
            _LAST[place] = last
            last.owner = values  # so that no other array takes its place in memory
    return last


def _convert_texts(values: pa.Array) -> Texts | None:
    import pyarrow as pa
    from pyarrow import compute

    if pa.types.is_integer(values.type):
        return Texts(values.cast(pa.large_string()))
    if not (pa.types.is_string(values.type) or pa.types.is_large_string(values.type)):
        return None
    try:
        values.validate(full=True)
    except pa.ArrowInvalid:  # text that is not UTF-8: the error is raised where it becomes a string
        return None
    trimmed = compute.utf8_trim(values.cast(pa.large_string()), BLANKS)
    blank = compute.index_in(trimmed, value_set=text_array([""])).is_valid()
    return Texts(compute.if_else(blank, text_array([None])[0], trimmed) if blank.true_count else trimmed)


def _drop_unused(column: pa.DictionaryArray) -> tuple[pa.Array, pa.Array]:
    """Return the codes and values of a column, without the values that do not occur in it."""
    from pyarrow import compute

    used = column.indices.drop_null().unique()
    return compute.index_in(column.indices, used), column.dictionary.take(used)


def encode_cells(cells: Iterable[Any], where: str) -> Coded:
    """Code Python objects of any types by their text form; `where` names the column in errors."""
    with _add_place(where):
        return Coded.of([text_form(cell) for cell in cells])


@contextmanager
def _add_place(where: str) -> Iterator[None]:
    """Add the table and column to an error."""
    try:
        yield
    except SourceError as error:
        raise error.convert(SourceError, where=where) from error
    except (OverflowError, ValueError) as error:  # for example a date after the year 9999, or text that is not UTF-8
        raise SourceError(
            "a cell holds a value that Python cannot represent",
            where=where,
            hint=SUPPORTED_TYPES_HINT,
            listed=str(error),
            figures={},
        ) from error


def convert_column(cells: Any, where: str) -> pa.Array:  # noqa: ANN401 (a column of any library)
    """Convert a column of a table in memory to an Arrow array; values of several types are converted to text."""
    import pyarrow as pa

    try:
        column = cells.to_arrow() if hasattr(cells, "to_arrow") else pa.array(cells, from_pandas=True)
        return cast_string_view(column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column)
    except (pa.ArrowException, TypeError, OverflowError, ValueError):
        with _add_place(where):
            return text_array([cell if isinstance(cell, str) else text_form(cell) for cell in cells])


def cast_string_view(column: pa.Array) -> pa.Array:
    """Convert text of Arrow's newest type, which not all of Arrow's functions support, to an older type."""
    import pyarrow as pa

    return column.cast(pa.large_string()) if pa.types.is_string_view(column.type) else column


def write_cells(column: pa.Array, where: str) -> pa.Array:
    """Return the text of each cell for a CSV file: text unchanged, other types in text form."""
    import pyarrow as pa

    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return column.cast(pa.large_string())
    coded = encode(column, where)
    return text_array(coded.values).take(integer_array(coded.codes))
