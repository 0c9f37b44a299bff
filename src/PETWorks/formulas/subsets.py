"""How many rows share each combination of values, for every subset of some columns.

A subset is counted from a larger one by dropping a column: that one has far fewer entries than the table has rows.

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
    """Give all subsets of up to `largest` columns, and for each how many rows every combination of its values has."""
    values = {key: len(column.values) or 1 for key, column in tally.columns.items()}
    if largest < len(values) or prod(values.values()) >= KEY_SPACE:
        for size in range(1, largest + 1):
            for subset in combinations(values, size):
                yield frozenset(subset), tally.sizes_by(subset)
        return
    order = sorted(values, key=lambda key: -values[key])  # what is left after dropping many values is small
    sizes = [values[key] for key in order]
    packed, _ = pack([tally.columns[key].codes for key in order], sizes)
    yield from _dropping(order, sizes, *totals(packed, tally.counts, prod(sizes)))


def _dropping(
    names: Sequence[Key], sizes: Sequence[int], packed: IntArray, counts: IntArray, start: int = 0
) -> Iterator[tuple[Subset, IntArray]]:
    """Give some columns, whose keys are in order, then each subset that lacks any of those from place `start` on."""
    yield frozenset(names), counts
    for place in range(start, len(names)) if len(names) > 1 else ():
        below = prod(sizes[place + 1 :])  # so many keys differ only in what stands after this column
        kept, rest = ([*every[:place], *every[place + 1 :]] for every in (names, sizes))
        if below == 1:  # without the last column keys are in order still
            smaller = side_by_side(packed // sizes[place], counts)
        else:
            keys = packed // (below * sizes[place]) * below + packed % below
            smaller = totals(keys, counts, prod(rest))
        yield from _dropping(kept, rest, *smaller, place)
