"""For each person, the largest number of columns on which one released row agrees, and how rare the person is.

>>> from PETWorks.facts.pool import Pool, PoolSide
>>> from PETWorks.tables.counting.tally import Coded
>>> columns = {"sex": Coded.of(["F", "F", "M"]), "zip": Coded.of(["1", "2", "9"])}
>>> rows, people = np.array([1, 0, 0]), PoolSide(np.array([1, 1, 1]), 3)
>>> find_agreement(Pool(columns, rows, people, None, "*"), rows, most_away=2).tolist()
[2, 1, 0]
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import log2

import numpy as np

from PETWorks.facts.pool import Pool
from PETWorks.tables.counting.tally import IntArray, pack, sum_by_group

ALL_SETS = 10  # up to so many columns, all sets of columns are looked at
MOST_AWAY = 3  # of more columns, sets without up to so many
INT_BITS = 62


def find_agreement(pool: Pool, released: IntArray, most_away: int) -> IntArray:
    """Return the most columns on which one released row agrees with each combination; -1 if fewer than required.

    The rows are sorted once for each set of columns, larger sets first, until every combination has a number.
    """
    names = list(pool.columns)
    codes = [pool.columns[name].codes for name in names]
    sizes = [max(1, len(pool.columns[name].values)) for name in names]
    found = np.full(len(released), -1, dtype=np.int64)
    rows, waiting = np.flatnonzero(released > 0), np.flatnonzero(pool.together > 0)
    for away in range(min(most_away, len(names)) + 1):
        for kept in combinations(range(len(names)), len(names) - away):
            if not len(waiting):
                return found
            meets = _agree(kept, codes, sizes, waiting, rows)
            found[waiting[meets]] = len(kept)
            waiting = waiting[~meets]
    return found


def _agree(
    kept: Sequence[int], codes: Sequence[IntArray], sizes: Sequence[int], waiting: IntArray, rows: IntArray
) -> IntArray:
    """Return a mask of the remaining combinations that agree with a released one on the chosen columns."""
    if not kept:
        return np.full(len(waiting), len(rows) > 0)
    both = np.concatenate([waiting, rows])
    packed, _ = pack([codes[place][both] for place in kept], [sizes[place] for place in kept])
    return np.isin(packed[: len(waiting)], packed[len(waiting) :])


def rank_people(pool: Pool, agreement: IntArray) -> IntArray:
    """Return the rank of each combination: by agreement, then by rarity.

    Rarity is the product, over columns, of the number of people in the pool with the value: an integer. Combinations
    without sufficient agreement tie.
    """
    people = []
    for column in pool.columns.values():
        by_value = sum_by_group(column.codes, pool.together, len(column.values))
        people.append(by_value[column.codes])
    fits = sum(log2(max(2, int(one.max(initial=1)))) for one in people) < INT_BITS
    product = np.ones(len(agreement), dtype=np.int64 if fits else object)
    for one in people:
        product = product * (one if fits else one.astype(object))
    _, rarity = np.unique(-product, return_inverse=True)
    rarity = np.where(agreement < 0, 0, rarity)
    key = (agreement + 1) * (int(rarity.max(initial=0)) + 1) + rarity
    ranks: IntArray = np.unique(key, return_inverse=True)[1]
    return ranks
