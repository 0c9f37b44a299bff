"""Count, for every subset of some columns, how many rows have each combination of values.

The counts of a subset are computed from those of a larger subset by dropping a column. That is fast, since the larger
subset has far fewer combinations than the table has rows.

>>> from PETWorks.tables.counting.builder import Coded, TallyBuilder
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
from fractions import Fraction
from itertools import combinations
from math import prod
from typing import NamedTuple

import numpy as np

from PETWorks.facts.classes import squares
from PETWorks.facts.facts import Facts
from PETWorks.facts.people import Known
from PETWorks.tables.counting.persons import Persons, histories_of
from PETWorks.tables.counting.tally import KEY_SPACE, IntArray, Key, Tally, pack, side_by_side, totals

Subset = frozenset[Key]


class Told(NamedTuple):
    """How far a subset of columns tells rows, or people, apart."""

    distinct: int  # different combinations
    alike: int  # the sum of the squares of how many have each of them
    rows: int  # how many have any
    pairs: int  # ordered pairs that could be told apart

    @property
    def separation(self) -> Fraction | None:
        """The share of pairs that are told apart; None if there are none."""
        return Fraction(self.pairs - (self.alike - self.rows), self.pairs) if self.pairs else None

    @property
    def order(self) -> tuple[Fraction, int]:
        """What subsets are sorted by: the most identifying first."""
        return -(self.separation or Fraction(0)), -self.distinct


def told_by_subset(facts: Facts, largest: int) -> dict[Subset, Told]:
    """Return how far all subsets of up to `largest` quasi-identifiers tell unsuppressed rows, or people, apart."""
    table, persons = facts.combinations, facts.published_persons
    if persons is None:
        pairs = table.rows * (table.rows - 1)
        sizes = sizes_by_subset(table, largest)
        return {subset: Told(len(many), squares(many), table.rows, pairs) for subset, many in sizes}
    return dict(people_by_subset(table, persons.of(facts.known_row_classes.of_entry), largest, facts.known))


def people_by_subset(tally: Tally, persons: Persons, largest: int, known: Known) -> Iterator[tuple[Subset, Told]]:
    """Yield all subsets of up to `largest` columns, with how far they tell people apart who have several rows.

    Of a person who has the same combination in several rows, it counts once; who knows all rows of a person compares
    these. People with one combination stay so in every subset, and are counted without looking at each.
    """
    combinations_of = np.bincount(persons.of_person, minlength=persons.people)
    single = combinations_of[persons.of_person] == 1
    alone = np.bincount(persons.of_entry[single], minlength=len(tally.counts))
    if known == "all":
        single = np.zeros(len(single), dtype=bool)
    others = Persons(persons.of_entry[~single], persons.of_person[~single], persons.rows[~single], persons.people)
    for size in range(1, largest + 1):
        for subset in combinations(tally.columns, size):
            ids, smaller = tally.grouped(subset)
            if known == "all":
                yield frozenset(subset), _by_history(others.of(ids))
                continue
            shared = others.of(ids)
            sizes = np.bincount(ids, weights=alone, minlength=len(smaller.counts)).astype(np.int64)
            sizes += np.bincount(shared.of_entry, minlength=len(smaller.counts))
            own = np.bincount(shared.of_person)
            rows = int(sizes.sum())
            pairs = rows**2 - int(alone.sum()) - squares(own)
            yield frozenset(subset), Told(len(sizes), squares(sizes), rows, pairs)


def _by_history(persons: Persons) -> Told:
    of_person = histories_of(persons).of_person
    sizes = np.bincount(of_person[of_person >= 0])
    people = int(sizes.sum())
    return Told(len(sizes), squares(sizes), people, people * (people - 1))


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
