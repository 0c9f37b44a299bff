"""Count, for every subset of some columns, how many rows have each combination of values.

The counts of a subset are computed from those of a larger subset by dropping a column. That is fast, since the larger
subset has far fewer combinations than the table has rows.

>>> from PETWorks.tables.counting.builder import Coded, TallyBuilder
>>> people = TallyBuilder(["sex", "year"])
>>> people.add([Coded.of(["m", "f", "f", "f"]), Coded.of(["197*", "197*", "198*", "198*"])])
>>> for subset, sizes in count_sizes_by_subset(people.build(), largest=2):
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

from PETWorks.facts.classes import sum_squares
from PETWorks.facts.facts import Facts
from PETWorks.facts.people import Known
from PETWorks.tables.counting.persons import PersonPairs, find_histories
from PETWorks.tables.counting.tally import KEY_SPACE, IntArray, Key, Tally, pack, sum_adjacent, sum_by_key

Subset = frozenset[Key]


class Distinction(NamedTuple):
    """The rows, or people, that a subset of columns distinguishes."""

    distinct: int  # different combinations
    alike: int  # the sum of the squares of the number of rows with each
    rows: int  # the number of rows, or people
    pairs: int  # ordered pairs that could be distinguished

    @property
    def separation(self) -> Fraction | None:
        """The share of pairs that are distinguished; None if there are none."""
        return Fraction(self.pairs - (self.alike - self.rows), self.pairs) if self.pairs else None

    @property
    def order(self) -> tuple[Fraction, int]:
        """The sort key of subsets: the most identifying first."""
        return -(self.separation or Fraction(0)), -self.distinct


def compare_subsets(facts: Facts, largest: int) -> dict[Subset, Distinction]:
    """Return how far all subsets of up to `largest` quasi-identifiers distinguish unsuppressed rows, or people."""
    table, persons = facts.combinations, facts.published_persons
    if persons is None:
        pairs = table.rows * (table.rows - 1)
        sizes = count_sizes_by_subset(table, largest)
        return {subset: Distinction(len(many), sum_squares(many), table.rows, pairs) for subset, many in sizes}
    return dict(
        compare_subsets_by_people(table, persons.regroup(facts.known_row_classes.of_entry), largest, facts.known)
    )


def compare_subsets_by_people(
    tally: Tally, persons: PersonPairs, largest: int, known: Known
) -> Iterator[tuple[Subset, Distinction]]:
    """Yield all subsets of up to `largest` columns, with how far they distinguish people who have several rows.

    The same combination in several rows of a person counts once; if all rows are known, these are compared. People with
    one combination have one in every subset, and are counted without examining each.
    """
    combinations_of = np.bincount(persons.of_person, minlength=persons.people)
    single = combinations_of[persons.of_person] == 1
    alone = np.bincount(persons.of_entry[single], minlength=len(tally.counts))
    if known == "all":
        single = np.zeros(len(single), dtype=bool)
    others = PersonPairs(persons.of_entry[~single], persons.of_person[~single], persons.rows[~single], persons.people)
    for size in range(1, largest + 1):
        for subset in combinations(tally.columns, size):
            ids, smaller = tally.group(subset)
            if known == "all":
                yield frozenset(subset), _compare_by_history(others.regroup(ids))
                continue
            shared = others.regroup(ids)
            sizes = np.bincount(ids, weights=alone, minlength=len(smaller.counts)).astype(np.int64)
            sizes += np.bincount(shared.of_entry, minlength=len(smaller.counts))
            own = np.bincount(shared.of_person)
            rows = int(sizes.sum())
            pairs = rows**2 - int(alone.sum()) - sum_squares(own)
            yield frozenset(subset), Distinction(len(sizes), sum_squares(sizes), rows, pairs)


def _compare_by_history(persons: PersonPairs) -> Distinction:
    of_person = find_histories(persons).of_person
    sizes = np.bincount(of_person[of_person >= 0])
    people = int(sizes.sum())
    return Distinction(len(sizes), sum_squares(sizes), people, people * (people - 1))


def count_sizes_by_subset(tally: Tally, largest: int) -> Iterator[tuple[Subset, IntArray]]:
    """Yield all subsets of up to `largest` columns, each with the number of rows of every combination of its values."""
    values = {key: len(column.values) or 1 for key, column in tally.columns.items()}
    if largest < len(values) or prod(values.values()) >= KEY_SPACE:
        for size in range(1, largest + 1):
            for subset in combinations(values, size):
                yield frozenset(subset), tally.count_by(subset)
        return
    order = sorted(values, key=lambda key: -values[key])  # dropping the columns with most values first leaves least
    sizes = [values[key] for key in order]
    packed, _ = pack([tally.columns[key].codes for key in order], sizes)
    yield from _drop_columns(order, sizes, *sum_by_key(packed, tally.counts, prod(sizes)))


def _drop_columns(
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
            smaller = sum_adjacent(packed // sizes[place], counts)
        else:
            keys = packed // (below * sizes[place]) * below + packed % below
            smaller = sum_by_key(keys, counts, prod(rest))
        yield from _drop_columns(kept, rest, *smaller, place)
