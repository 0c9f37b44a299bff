"""How many people each column singles out: in classes of fewer than five because of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from PETWorks.counting.tally import IntArray, Tally, pack, totals
from PETWorks.errors import MANY


def in_small_classes(sizes: IntArray) -> int:
    """Return how many people are in classes of fewer than five."""
    return int(sizes[sizes < MANY].sum())


def added(tally: Tally, quasi_identifiers: Sequence[str]) -> Mapping[str, int]:
    """Return, for each column, how many people are in classes of fewer than five because of it.

    For a quasi-identifier: how many fewer there would be without it. For another column: how many more there would be
    if it were known, too.
    """
    if not quasi_identifiers:
        return {str(name): in_small_classes(tally.sizes_by([name])) for name in tally.columns}
    of_entry, classes = tally.grouped(quasi_identifiers)
    small = in_small_classes(classes.counts)
    found = {name: small - _without(classes, name, quasi_identifiers) for name in quasi_identifiers}
    large = (classes.counts >= MANY)[of_entry]  # classes that are small stay small
    ids, counts = of_entry[large], tally.counts[large]
    for name in (str(key) for key in tally.columns if key not in found):
        column = tally.columns[name]
        sizes = [len(classes.counts), len(column.values)]
        packed, _ = pack([ids, column.codes[large]], sizes)
        found[name] = in_small_classes(totals(packed, counts, sizes[0] * sizes[1])[1]) if len(packed) else 0
    return found


def _without(classes: Tally, name: str, quasi_identifiers: Sequence[str]) -> int:
    others = [other for other in quasi_identifiers if other != name]
    return in_small_classes(classes.sizes_by(others) if others else np.array([classes.rows]))


def equivalent(tally: Tally) -> list[tuple[str, str]]:
    """Return the pairs of columns that say the same: each value of one goes with a single value of the other."""
    sizes = {str(key): len(column.values) for key, column in tally.columns.items()}
    pairs = (pair for pair in combinations(sizes, 2) if sizes[pair[0]] == sizes[pair[1]] > 1)
    return [(one, other) for one, other in pairs if len(tally.sizes_by([one, other])) == sizes[one]]
