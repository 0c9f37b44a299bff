"""Released cells of a numeric column as intervals, and how far from the original number their ends may be."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from PETWorks.cells import Cells
from PETWorks.facts import Facts
from PETWorks.numeral import numeral
from PETWorks.tally import IntArray, pack

Interval = tuple[Fraction, Fraction]


def numbers_of(cells: Cells) -> list[Fraction]:
    """Give the values of the original as numbers; none if one of them is not."""
    numbers = [numeral(value) for value in cells.original.values] if cells.original else []
    return [] if None in numbers else [Fraction(number) for number in numbers if number is not None]


def errors_of(facts: Facts, cells: Cells) -> tuple[list[Fraction], list[Fraction], IntArray]:
    """Give the error, and the largest possible, for each kind of cell; and which entries are of which kind."""
    numbers = numbers_of(cells)
    whole = min(numbers), max(numbers)
    hidden = cells.suppressed | cells.marked
    spans = _spans(facts, cells, numbers, whole)
    original = cells.original.codes if cells.original else cells.released.codes
    columns = [original, cells.released.codes, cells.levels, hidden.astype(np.int64)]
    sizes = [len(numbers), len(cells.released.values), cells.hierarchy.height + 1, 2]
    packed, unpack = pack(columns, sizes)
    distinct, entries = np.unique(packed, return_inverse=True)
    kinds = zip(*(digits.tolist() for digits in unpack(distinct)), strict=True)
    error, most = [], []
    for code, released, level, is_hidden in kinds:
        low, high = whole if is_hidden else spans[released, level]
        low, high = (min(max(end, whole[0]), whole[1]) for end in (low, high))
        error.append(max(abs(numbers[code] - low), abs(numbers[code] - high)))
        most.append(max(abs(numbers[code] - whole[0]), abs(numbers[code] - whole[1])))
    return error, most, entries


def _spans(facts: Facts, cells: Cells, numbers: list[Fraction], whole: Interval) -> dict[tuple[int, int], Interval]:
    """Give the interval of each released value, on each level at which it is released."""
    point = [numeral(value) for value in cells.released.values]
    no_point = np.array([number is None for number in point])[cells.released.codes]
    known = cells.name in facts.hierarchies
    if known:
        facts.refuse_unknown(cells, cells.unknown & no_point)
    spans = {}
    for code, level in set(zip(cells.released.codes.tolist(), cells.levels.tolist(), strict=True)):
        if (number := point[code]) is not None:
            spans[code, level] = (Fraction(number), Fraction(number))
            continue
        if known:
            leaves = map(numeral, cells.hierarchy.under(cells.released.values[code], level))
            below = [Fraction(leaf) for leaf in leaves if leaf is not None]
        else:
            originals = cells.original.codes if cells.original else cells.released.codes
            below = [numbers[one] for one in np.unique(originals[cells.released.codes == code]).tolist()]
        spans[code, level] = (min(below), max(below)) if below else whole
    return spans
