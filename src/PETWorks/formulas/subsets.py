"""Count, for every subset of some columns, how many rows have each combination of values.

The counts of a subset are computed from those of a larger subset by dropping a column. That is fast, since the larger
subset has far fewer combinations than the table has rows.

>>> from PETWorks.counting.builder import Coded, TallyBuilder
>>> people = TallyBuilder(["sex", "year"])
>>> people.add([Coded.of(["m", "f", "f", "f"]), Coded.of(["197*", "197*", "198*", "198*"])])
>>> for subset, sizes in sizes_by_subset(people.done(), largest=2):
...     print(*sorted(subset), sizes)
sex year [1 2 1]
year [2 2]
sex [3 1]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import prod

from PETWorks.counting.tally import KEY_SPACE, IntArray, Key, Tally, pack, side_by_side, totals

Subset = frozenset[Key]


def sizes_by_subset(tally: Tally, largest: int) -> Iterator[tuple[Subset, IntArray]]:
    """Yield all subsets of up to `largest` columns, each with the number of rows of every combination of its values."""
    values = {key: len(column.values) or 1 for key, column in tally.columns.items()}
    if largest < len(values) or prod(values.values()) >= KEY_SPACE:
        for size in range(1, largest + 1):
            for subset in combinations(values, size):
                yield frozenset(subset), tally.sizes_by(subset)
        return
    order = sorted(values, key=lambda key: -values[key])  # dropping the columns with most values first leaves least
    sizes = [values[key] for key in order]
    packed, _ = pack([tally.columns[key].codes for key in order], sizes)
    yield from _dropping(order, sizes, *totals(packed, tally.counts, prod(sizes)))


def _dropping(
    names: Sequence[Key], sizes: Sequence[int], packed: IntArray, counts: IntArray, start: int = 0
) -> Iterator[tuple[Subset, IntArray]]:
    """Yield the given columns, then each subset that lacks one or more of the columns from index `start` on.

    `packed` are the sorted keys of the combinations of these columns, `counts` their numbers of rows.
    """
    yield frozenset(names), counts
    for place in range(start, len(names)) if len(names) > 1 else ():
        below = prod(sizes[place + 1 :])  # number of possible combinations of the columns after this one
        kept, rest = ([*every[:place], *every[place + 1 :]] for every in (names, sizes))
        if below == 1:  # dropping the last column leaves the keys sorted
            smaller = side_by_side(packed // sizes[place], counts)
        else:
            keys = packed // (below * sizes[place]) * below + packed % below
            smaller = totals(keys, counts, prod(rest))
        yield from _dropping(kept, rest, *smaller, place)
