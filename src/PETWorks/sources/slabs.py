"""Slabs: large pieces of delimited text that end where a record ends, and where records and cells end in them."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from PETWorks.counting.arrow_arrays import binary_array, integers
from PETWorks.counting.tally import IntArray

if TYPE_CHECKING:
    import pyarrow as pa

QUOTE, LF, CR = b'"\n\r'


def arrow_memory(slab: bytes) -> pa.Buffer:
    """Copy bytes to memory that Arrow allocates.

    One of Arrow's threads may release its input while Python is shutting down. If Python had allocated that memory, the
    thread would need the interpreter's lock, and would abort the process.
    """
    import pyarrow as pa

    buffer = pa.allocate_buffer(len(slab))
    np.frombuffer(buffer, dtype=np.uint8)[:] = np.frombuffer(slab, dtype=np.uint8)
    return buffer


def record_end(text: bytes) -> int:
    """Return where the last complete record ends, or 0 if there is none."""
    end = text.rfind(b"\n") + 1
    if b'"' in text and text.count(b'"', 0, end) % 2:
        return int(record_ends(text).max(initial=0))
    return end


def record_ends(text: bytes) -> IntArray:
    """Return where records end: after each line feed that has an even number of quotes before it."""
    array = np.frombuffer(text, dtype=np.uint8)
    feeds = np.flatnonzero(array == LF)
    quotes_before = np.searchsorted(np.flatnonzero(array == QUOTE), feeds)
    ends: IntArray = feeds[quotes_before % 2 == 0] + 1
    return ends


def unusual(slab: bytes, delimiter: str) -> bool:
    """Return True if Arrow might misread the slab.

    That is so if a quote is not at the edge of a cell, if there is a CR without LF, or if the slab starts with a
    byte-order mark, which Arrow would drop.
    """
    if slab.startswith(BOM_UTF8):
        return True
    text = np.frombuffer(slab, dtype=np.uint8)
    if b"\r" in slab:
        returns = np.flatnonzero(text == CR)
        if returns[-1] == len(text) - 1 or (text[returns + 1] != LF).any():
            return True
    if b'"' not in slab:
        return False
    quotes = np.flatnonzero(text == QUOTE)
    if len(quotes) % 2:
        return True
    edges = np.array([ord(delimiter), LF, CR, QUOTE], dtype=np.uint8)  # QUOTE: two adjacent quotes are a doubled quote
    opens, closes = quotes[::2], quotes[1::2]
    before, after = text[opens[opens > 0] - 1], text[closes[closes < len(text) - 1] + 1]
    return not (np.isin(before, edges).all() and np.isin(after, edges).all())


class Pieces(NamedTuple):
    """Runs of adjacent cells, as they stand in the file, with the delimiters and quotes between and around them."""

    texts: pa.Array  # binary; what is between two runs may be among its elements
    places: IntArray  # for each row (first axis) and each run (second), its index in `texts`

    @classmethod
    def of(cls, rows: Sequence[Sequence[bytes]], runs: int) -> Pieces:
        """Build them from the pieces of each row."""
        texts = binary_array([piece for row in rows for piece in row])
        return cls(texts, np.arange(len(rows) * runs).reshape(len(rows), runs))

    def cells(self) -> list[pa.Array]:
        """Return the text of each run, which must be a single column: without the quotes around it."""
        return [_unquoted(self.texts.take(integers(column))) for column in self.places.T]


def _unquoted(raw: pa.Array) -> pa.Array:
    import pyarrow as pa
    from pyarrow import compute

    text = raw.cast(pa.large_string())
    has_quotes = compute.starts_with(compute.ascii_ltrim(text, " "), '"')
    if not compute.any(has_quotes).as_py():
        return text
    inner = compute.utf8_slice_codeunits(compute.ascii_ltrim(text, " "), 1, -1)
    return compute.if_else(has_quotes, compute.replace_substring(inner, '""', '"'), text)


def pieces(slab: pa.Buffer, delimiter: str, shape: tuple[int, int], runs: Sequence[tuple[int, int]]) -> Pieces | None:
    """Cut runs of columns, from a first to before a last, out of a slab of so many rows and columns, without copying.

    Return None if the slab does not have that shape. Blank lines are skipped.
    """
    import pyarrow as pa

    text = np.frombuffer(slab, dtype=np.uint8)
    ends = np.flatnonzero((text == ord(delimiter)) | (text == LF))
    quotes = np.flatnonzero(text == QUOTE)
    if quotes.size:
        ends = ends[np.searchsorted(quotes, ends) % 2 == 0]
    if text[-1] != LF:
        ends = np.append(ends, len(text))
    starts = np.concatenate([[0], ends[:-1] + 1])
    returned = (ends > starts) & (text[ends - 1] == CR)  # a cell can end with CR only before LF
    if len(ends) != shape[0] * shape[1]:
        first = np.concatenate([[True], text[ends[:-1]] == LF])
        last = np.append(text[ends[:-1]], LF) == LF
        filled = ~(first & last & (ends - returned == starts))
        starts, ends, returned = starts[filled], ends[filled], returned[filled]
        if len(ends) != shape[0] * shape[1]:
            return None
    starts, ends = starts.reshape(shape), (ends - returned).reshape(shape)
    edges = np.stack([edge for run in runs for edge in (starts[:, run[0]], ends[:, run[1] - 1])], axis=1)
    offsets = np.append(edges, len(text))  # what is between two runs becomes an element, too
    texts = pa.Array.from_buffers(pa.large_binary(), edges.size, [None, pa.py_buffer(offsets), slab])
    return Pieces(texts, np.arange(0, edges.size, 2).reshape(shape[0], len(runs)))
