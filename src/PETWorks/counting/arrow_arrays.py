"""Arrow arrays of codes and of text. Arrow's own `array` and `scalar` would import pandas, which takes long.

>>> text_array(["a", None, "高雄"]).to_pylist()
['a', None, '高雄']
>>> integers(np.array([2, 1]), valid=np.array([True, False])).to_pylist()
[2, None]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from PETWorks.counting.tally import IntArray, Mask, Value

if TYPE_CHECKING:
    import pyarrow as pa


def integers(numbers: IntArray, valid: Mask | None = None) -> pa.Array:
    """Convert an array of integers without copying it; those that are not valid become null."""
    import pyarrow as pa

    numbers = np.ascontiguousarray(numbers)
    return pa.Array.from_buffers(
        pa.from_numpy_dtype(numbers.dtype), len(numbers), [_bits(valid), pa.py_buffer(numbers)]
    )


def binary_array(pieces: Sequence[bytes]) -> pa.Array:
    """Build an array of bytes."""
    import pyarrow as pa

    ends = np.cumsum([0, *map(len, pieces)], dtype=np.int64)
    return pa.Array.from_buffers(
        pa.large_binary(), len(pieces), [None, pa.py_buffer(ends), pa.py_buffer(b"".join(pieces))]
    )


def text_array(values: Sequence[Value]) -> pa.Array:
    """Build an array of text; missing values become null."""
    import pyarrow as pa

    _, ends, data = binary_array([(value or "").encode() for value in values]).buffers()
    missing = None if None not in values else np.array([value is not None for value in values])
    return pa.Array.from_buffers(pa.large_string(), len(values), [_bits(missing), ends, data])


def _bits(valid: Mask | None) -> pa.Buffer | None:
    import pyarrow as pa

    return None if valid is None else pa.py_buffer(np.packbits(valid, bitorder="little"))
