"""Rows that fit the original a few rows on, as when one row was lost or inserted: all rows behind it are out of place.

The tables are read once more, side by side. Only sums are kept: those behind the row that best divides rows that fit
from rows that do not, among the rows read so far.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from PETWorks.counting.count import Batch
from PETWorks.counting.tally import Coded, IntArray, Mask, wide
from PETWorks.facts.fit import Fit

FAR = 3  # the most rows on that are tried
STEPS = (0, 1, -1, 2, -2, 3, -3)
TABLE = 2**22  # the most pairs of values that are looked up in a table
FEWEST = 10  # cells that do not fit: fewer say little about their order


class Shift(NamedTuple):
    """From near a row on, counted from 1, released rows fit the original some rows `on`."""

    row: int
    on: int


def suspects(fits: Sequence[Fit]) -> list[Fit]:
    """Return the columns that fit best; none if too few of their cells do not fit."""
    least = min((fit.off for fit in fits), default=0)
    chosen = [fit for fit in fits if fit.off <= 2 * least]
    return chosen if sum(fit.unexplained for fit in chosen) >= FEWEST else []


def find_shift(fits: Sequence[Fit], batches: Iterable[Batch], marker: str) -> Shift | None:
    """Return the shift that explains most, if it explains more than half of what does not fit; None: there is none.

    Each batch has the original's columns, then the released quasi-identifiers, both in the order of `fits`; further
    quasi-identifiers are last.
    """
    rows, all_wrong = fits[0].rows, sum(fit.unexplained for fit in fits)
    row, seen, wrong, lead, from_row = 0, 0, 0, 0, 0
    fitting, behind, wrong_behind = np.zeros(len(STEPS), dtype=np.int64), 0, 0
    for fitting_cells, published in _windows(fits, batches, marker):
        misfits = np.where(published, len(fits) - fitting_cells[0].astype(np.int64), 0)
        rows_so_far, wrong_so_far = seen + np.cumsum(published), wrong + np.cumsum(misfits)
        leads = wide(rows_so_far, rows * all_wrong) * all_wrong - rows * wrong_so_far
        first = 0
        if leads.max() > lead:
            first = int(leads.argmax()) + 1
            lead, from_row = leads.max(), row + first
            fitting[:], behind, wrong_behind = 0, 0, 0
        fitting += fitting_cells[:, first:][:, published[first:]].sum(axis=1, dtype=np.int64)
        behind += int(published[first:].sum()) * len(fits)
        wrong_behind += int(misfits[first:].sum())
        row, seen, wrong = row + len(published), int(rows_so_far[-1]), int(wrong_so_far[-1])
    best = 1 + int(fitting[1:].argmax())
    if wrong_behind < FEWEST or 2 * fitting[best] <= behind + fitting[0]:
        return None
    return Shift(from_row + 1, STEPS[best])


def _windows(fits: Sequence[Fit], batches: Iterable[Batch], marker: str) -> Iterator[tuple[IntArray, Mask]]:
    """Yield, for rows in order, how many cells fit the original that is each of STEPS on, and if they are published."""
    looked_up = [_lookup(fit) for fit in fits]
    outside = [np.full(FAR, len(fit.original.values), dtype=np.int32) for fit in fits]
    before, after = outside, [np.zeros(0, dtype=np.int32)] * len(fits)
    published = np.zeros(0, dtype=bool)
    read = (_read(fits, batch, marker) for batch in batches)
    end = outside, [np.zeros(FAR, dtype=np.int32)] * len(fits), np.zeros(FAR, dtype=bool)
    for originals, released, shown in chain(read, [end]):
        before = [np.append(*both) for both in zip(before, originals, strict=True)]
        after = [np.append(*both) for both in zip(after, released, strict=True)]
        published = np.append(published, shown)
        if (ready := len(published) - FAR) <= 0:
            continue
        fitting = np.zeros((len(STEPS), ready), dtype=np.min_scalar_type(len(fits)))
        for fit, original, cells in zip(looked_up, before, after, strict=True):
            for number, step in enumerate(STEPS):
                fitting[number] += fit(original[FAR + step : FAR + step + ready], cells[:ready])
        yield fitting, published[:ready]
        before, after = [one[ready:] for one in before], [one[ready:] for one in after]
        published = published[ready:]


def _lookup(fit: Fit) -> Callable[[IntArray, IntArray], Mask]:
    """Return a function of codes that says if they fit; an original code beyond the last stands for no row."""
    originals, released = len(fit.original.values), len(fit.released.values)
    if originals * released > TABLE:
        return lambda one, other: (one < originals) & fit.fits(np.minimum(one, originals - 1), other)
    table = np.zeros((originals + 1) * released, dtype=bool)
    table[:-released] = fit.fits(*(codes.ravel() for codes in np.indices((originals, released))))
    return lambda one, other: table[one * np.int64(released) + other]


def _read(fits: Sequence[Fit], batch: Batch, marker: str) -> tuple[list[IntArray], list[IntArray], Mask]:
    """Return the codes of original and released cells, as `fits` code them, and which rows are not suppressed."""
    columns = list(batch)
    originals, released = columns[: len(fits)], columns[len(fits) :]
    hidden = np.all([column.codes == column.code(marker) for column in released], axis=0)
    before = [_recoded(column, fit.original) for fit, column in zip(fits, originals, strict=True)]
    after = [_recoded(column, fit.released) for fit, column in zip(fits, released[: len(fits)], strict=True)]
    return before, after, ~hidden


def _recoded(column: Coded, known: Coded) -> IntArray:
    """Return codes of the same values in another column's coding."""
    code_of = {value: code for code, value in enumerate(known.values)}
    return np.array([code_of.get(value, 0) for value in column.values], dtype=np.int32)[column.codes]
