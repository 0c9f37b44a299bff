"""Every subset of columns has the same counts as if it were counted alone."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from PETWorks.measure.risk.attribute_risk import count_sizes_by_subset
from support.counted_tables import Coded, Tally

ROWS = 400


def table(sizes: list[int], spread: int = 1) -> Tally:
    """Draw codes; of `spread` values, only the last occurs."""
    random = np.random.default_rng(len(sizes) + spread)
    columns = {
        f"c{place}": Coded(random.integers(0, size, ROWS) * spread + spread - 1, range(size * spread))
        for place, size in enumerate(sizes)
    }
    return Tally(columns, random.integers(1, 9, ROWS)).select(list(columns))


@pytest.mark.parametrize(
    ("tally", "largest"),
    [
        (table([2, 3, 2]), 3),  # few possible combinations
        (table([2, 70, 5, 41, 3]), 5),  # many possible combinations, then few
        (table([300, 300, 2, 300]), 4),
        (table([2**16, 2**15]), 2),  # the smallest number of combinations that does not fit in 32 bits
        (table([7]), 1),
        (table([1, 1, 5]), 3),
        (table([2, 70, 5, 41, 3]), 2),  # not all subsets
        (table([40, 3, 40, 2], spread=2**20), 4),  # more possible combinations than keys
    ],
)
def test_every_subset(tally: Tally, largest: int) -> None:
    found = list(count_sizes_by_subset(tally, largest))
    expected = [frozenset(names) for size in range(1, largest + 1) for names in combinations(tally.columns, size)]
    assert sorted(map(sorted, (subset for subset, _ in found))) == sorted(map(sorted, expected))
    for subset, sizes in found:
        counts: Counter[tuple[int, ...]] = Counter()
        for row, count in enumerate(tally.counts.tolist()):
            counts[tuple(int(tally.columns[name].codes[row]) for name in sorted(subset))] += count
        assert sorted(sizes.tolist()) == sorted(counts.values())


def test_nothing_counted() -> None:
    empty = Tally({"a": Coded.of([]), "b": Coded.of([])}, np.zeros(0, dtype=np.int64))
    assert [sizes.tolist() for _, sizes in count_sizes_by_subset(empty, 2)] == [[], [], []]
