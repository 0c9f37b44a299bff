"""Sort keys, to find which are distinct, how often each occurs, and what belongs to equal ones.

>>> keys = np.array([30, 10, 30])
>>> [found.tolist() for found in totals(keys, np.array([1, 2, 4]), space=31)]
[[10, 30], [2, 5]]
>>> [found.tolist() for found in numbered(keys, space=31)]
[[10, 30], [1, 0, 1]]
"""

from __future__ import annotations

import numpy as np

from PETWorks.counting.tally import DENSE, INT32, KEY_SPACE, IntArray, narrow


def occurrences(keys: IntArray) -> tuple[IntArray, IntArray]:
    """Sort the keys in place; return the distinct ones, and how often each occurs."""
    keys.sort()
    starts = _runs(keys)
    return keys[starts], _lengths(starts, len(keys))


def distinct(keys: IntArray) -> IntArray:
    """Return the distinct keys, sorted. That is faster than np.unique, which hashes them, if there are very many."""
    keys = np.sort(keys)
    return keys[_runs(keys)]


def combine(packed: IntArray, counts: IntArray) -> tuple[IntArray, IntArray]:
    """Return the index of one entry for each distinct key, sorted by key, and the sum of the counts of each key."""
    order = np.argsort(packed, kind="stable")  # a stable sort is fast for keys that are almost sorted, as most are
    starts = _runs(packed[order])
    return order[starts], np.add.reduceat(counts[order], starts)


def totals(keys: IntArray, counts: IntArray, space: int, *, overwrite: bool = False) -> tuple[IntArray, IntArray]:
    """Return the distinct keys, sorted, and the sum of the counts of each key. Keys are smaller than `space`.

    If 64-bit keys may be overwritten, less memory is needed.
    """
    if space > DENSE * len(keys):
        bits = int(counts.max(initial=0)).bit_length()
        if space << bits >= KEY_SPACE or counts.dtype == object:
            order = np.argsort(keys, kind="stable")
            return side_by_side(keys[order], counts[order])
        both = np.left_shift(keys, bits, out=keys if overwrite else None, dtype=np.int64)
        both |= counts  # sorting both as one number is faster than an indirect sort
        both.sort()
        counts = narrow(both & (1 << bits) - 1, 1 << bits)
        both >>= bits
        return side_by_side(both, counts)
    added = np.bincount(keys, weights=counts)  # exact, as in `sums`
    occurring = np.flatnonzero(added > 0)
    return occurring, added[occurring].astype(np.int64)


def side_by_side(keys: IntArray, counts: IntArray) -> tuple[IntArray, IntArray]:
    """Return the distinct keys, and the sum of the counts of each key. Equal keys must be adjacent."""
    starts = _runs(keys)
    return keys[starts], np.add.reduceat(counts, starts, dtype=np.promote_types(counts.dtype, np.int64))


def numbered(keys: IntArray, space: int) -> tuple[IntArray, IntArray]:
    """Return the distinct keys, sorted, and for each entry the place of its key among them. Keys are below `space`."""
    if space > DENSE * len(keys):
        return _numbered_by_sorting(keys, space)
    occurs = np.zeros(space, dtype=bool)
    occurs[keys] = True
    if occurs.all():
        return np.arange(space), keys
    return np.flatnonzero(occurs), narrow(np.cumsum(occurs) - 1, space)[keys]


def _numbered_by_sorting(keys: IntArray, space: int) -> tuple[IntArray, IntArray]:
    bits = len(keys).bit_length()
    if space << bits >= KEY_SPACE:
        return np.unique(keys, return_inverse=True)
    both = np.left_shift(keys, bits, dtype=np.int64)  # sorting both as one number is faster than an indirect sort
    both |= np.arange(len(keys))
    both.sort()
    entries = both & (1 << bits) - 1
    both >>= bits
    places = np.empty(len(keys), dtype=np.int32 if len(keys) < INT32 else np.int64)
    starts = _runs(both)
    places[entries] = np.repeat(np.arange(len(starts), dtype=places.dtype), _lengths(starts, len(both)))
    return both[starts], places


def _runs(keys: IntArray) -> IntArray:
    """Return the index at which each run of equal keys starts."""
    differs = np.ones(len(keys), dtype=bool)
    np.not_equal(keys[1:], keys[:-1], out=differs[1:])
    return np.flatnonzero(differs)


def _lengths(starts: IntArray, entries: int) -> IntArray:
    """Return the length of each run."""
    lengths = np.empty_like(starts)
    np.subtract(starts[1:], starts[:-1], out=lengths[:-1])
    lengths[-1:] = entries - starts[-1:]
    return lengths
