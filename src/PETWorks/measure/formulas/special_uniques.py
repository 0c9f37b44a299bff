"""Minimal sample uniques (SUDA2): the small sets of columns that single a row out.

A row is unique on a set of columns if no other row agrees with it there. The set is minimal if the row is unique on no
smaller part of it. Sets are visited depth first, each reached from its prefix by one more column. Rows that are unique
on a set are unique on every larger one, so they leave; so do groups without a row that could still be singled out. The
remaining groups shrink quickly.

Data intrusion simulation (DIS-SUDA): the chance that a match with a row is right. An intruder who finds exactly one
match in a release may be wrong, because the person's double was not sampled. The frequency of that follows from the
rows that are unique and those that have one double, and from the sampling fraction. The scores of special uniques
distribute this chance: rows that are unique in few columns are more likely to be unique outside, too.

>>> sex, year = np.array([0, 1, 1, 1]), np.array([0, 0, 1, 2])
>>> found = find_minimal_uniques([sex, year], np.array([1, 1, 1, 2]), largest=2)
>>> found.by_size, found.of_entry.tolist()  # the first by sex, the third by year, the second by both; the last never
([2, 1], [[1, 0, 1, 0], [0, 1, 0, 0]])

>>> guide = Intrusion({6: 2, 12: 1, 10: 1}, unique=4, pairs=6, fraction=Fraction(1, 100), columns=4)
>>> guide.chance_of_file, f"{guide.compute_chance(12):.9f}", f"{guide.compute_chance(6):.9f}", guide.compute_chance(0)
(Fraction(2, 299), '0.011383006', '0.004986798', Fraction(0, 1))
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, getcontext
from fractions import Fraction
from functools import cached_property
from math import comb, prod
from typing import Any

import numpy as np

from PETWorks.errors import NotAskableError
from PETWorks.exact.limit import Limit, Number
from PETWorks.exact.sums import compute_digits, find_exact_power
from PETWorks.facts.facts import Facts
from PETWorks.facts.notes import Name
from PETWorks.facts.weights import add_up_weights
from PETWorks.measure.steps import Step
from PETWorks.tables.counting.tally import DENSE, INT32, IntArray, Mask, Value

Columns = tuple[int, ...]

LARGEST_SET = 6  # the most columns of a set, unless the caller passes a size
MANY_COLUMNS = 10  # with more quasi-identifiers than these, sets of up to `LARGEST_OF_MANY` columns
LARGEST_SET_OF_MANY_COLUMNS = 3
AFFORDABLE = 10**9  # limit of the effort, unless the caller passes a size: sets * (classes + EACH)
NOBODY = -1  # the holder of an entry that several people have
EFFORT_PER_SET = 2000  # fixed effort for a set, in classes that could be told apart in the same time


@dataclass(frozen=True, eq=False)
class MinimalUniques:
    """The numbers of minimal sample uniques by their number of columns (the first index; 0 is one column)."""

    of_entry: IntArray  # [size, entry]
    of_column: IntArray  # [size, column]: those that contain the column
    holders: IntArray | None = None  # by entry, the only person who has it, where people have several rows

    @property
    def largest(self) -> int:
        """The most columns of a set that was examined."""
        return len(self.of_column)

    @property
    def columns(self) -> int:
        """The number of columns."""
        return int(self.of_column.shape[1])

    @property
    def by_size(self) -> list[int]:
        """The number of minimal sample uniques of each size."""
        return [int(one) for one in self.of_entry.sum(axis=1)]

    @cached_property
    def scores(self) -> Mapping[int, int]:
        """The number of rows with each score, a sum over minimal sample uniques; rows without any are left out."""
        return Counter(score for score in self._weight(self.of_entry) if score)

    @cached_property
    def by_person(self) -> Mapping[int, int]:
        """The number of people by their highest score; without `holders`, every row is one person."""
        if self.holders is None:
            return self.scores
        highest: dict[int, int] = {}
        for person, score in zip(self.holders.tolist(), self._weight(self.of_entry), strict=True):
            if score > highest.get(person, 0):
                highest[person] = score
        return Counter(highest.values())

    @property
    def special(self) -> int:
        """The number of rows, or people, with a score."""
        return sum(self.by_person.values())

    def compute_shares(self) -> list[Fraction]:
        """Return the share of all scores that comes from sets with each column."""
        total = sum(score * rows for score, rows in self.scores.items())
        return [Fraction(score, total or 1) for score in self._weight(self.of_column)]

    def _weight(self, numbers: IntArray) -> list[int]:
        """Add up numbers by size, times their weights, as Python integers: factorials may not fit in 64 bits."""
        weights = np.array(weight_sizes(self.columns, self.largest), dtype=object)
        return [int(one) for one in weights @ numbers.astype(object)]


def weight_sizes(columns: int, largest: int) -> list[int]:
    """Return the score of a minimal sample unique of 1, 2, … columns: the fewer columns, the higher.

    >>> weight_sizes(columns=4, largest=3), weight_sizes(columns=3, largest=3)
    ([6, 2, 1], [2, 1, 1])
    """
    most = min(largest, columns - 1)
    return [prod(columns - further for further in range(size, most + 1)) for size in range(1, largest + 1)]


def find_minimal_uniques(
    codes: Sequence[IntArray],
    sizes: IntArray,
    largest: int,
    unknown: Sequence[Mask] | None = None,
    holders: IntArray | None = None,
) -> MinimalUniques:
    """Find the minimal sample uniques of up to `largest` columns.

    Entries are distinct combinations of `codes`, `sizes` the rows of each. `unknown` marks the cells of each column
    that nobody can know: they are in no set, and differ from every value. If people have several rows, `sizes` are
    people, and `holders` names the only person of an entry: what one person has in several entries is still unique.
    """
    search = _SetSearch(codes, sizes, largest, unknown, holders)
    search.visit((), search.start)
    return MinimalUniques(search.of_entry, search.of_column, holders)


def _find_integer_type(above: int) -> np.dtype[Any]:
    """Return the type of integers below a number."""
    return np.dtype(np.int32 if above < INT32 else np.int64)


@dataclass(frozen=True, eq=False)
class _Groups:
    """The entries that are not unique on a set of columns, by their values there."""

    entries: IntArray
    persons: IntArray  # who is alone in the entry and may still be singled out, else NOBODY
    ids: IntArray  # the group of each entry
    many: int  # the number of groups

    def select(self, some: Mask) -> _Groups:
        """Return the groups of some of the entries."""
        return _Groups(self.entries[some], self.persons[some], self.ids[some], self.many)


class _SetSearch:
    """Visits the sets of columns depth first: groups are held for the sets on the way only, not for all of a size.

    Columns with many values come first, and are tried from the last to the first. So every part of a set that lacks one
    column is visited before it, and where such columns are left out, few entries can still be singled out.
    """

    def __init__(
        self,
        codes: Sequence[IntArray],
        sizes: IntArray,
        largest: int,
        unknown: Sequence[Mask] | None,
        holders: IntArray | None,
    ) -> None:
        entries, columns = len(sizes), len(codes)
        values = [int(column.max(initial=0)) + 1 for column in codes]
        self.order = sorted(range(columns), key=lambda column: -values[column])
        self.codes, self.spaces = [codes[one] for one in self.order], [values[one] for one in self.order]
        known = [~mask if mask.any() else None for mask in unknown] if unknown else [None] * columns
        self.known, self.largest = [known[one] for one in self.order], largest
        self.of_entry = np.zeros((largest, entries), dtype=np.min_scalar_type(comb(columns, min(largest, columns))))
        self.of_column = np.zeros((largest, columns), dtype=np.int64)
        self._unique: dict[Columns, IntArray] = {}  # by set of fewer than `largest` columns: a bit for each entry
        persons = np.arange(entries) if holders is None else holders
        persons = np.where(sizes == 1, persons, NOBODY).astype(_find_integer_type(int(persons.max(initial=0)) + 1))
        together = np.zeros(entries, dtype=np.int32)
        self.start = _Groups(np.arange(entries, dtype=_find_integer_type(entries)), persons, together, 1)
        self._tails = [(together, 1)]  # by column: the rank of each entry's values there and in all columns behind it
        for column in reversed(range(columns)):
            ranks, many = self._tails[0]
            self._tails.insert(0, _rank(*_extend(ranks, many, self.codes[column], self.spaces[column])))

    def visit(self, prefix: Columns, groups: _Groups) -> None:
        """Add a column to a set, in all ways that have not been tried; `groups` are those of the set."""
        following = prefix[-1] + 1 if prefix else 0
        for column in reversed(range(following, len(self.codes))):
            some = groups if column == following else self._merge(groups, column)
            if (known := self.known[column]) is not None:
                some = some.select(known[some.entries])
            subset, space = (*prefix, column), some.many * self.spaces[column]
            keys, space = _extend(some.ids, some.many, self.codes[column][some.entries], self.spaces[column])
            if space > DENSE * len(keys):
                keys, space = _rank(keys, space)
            alone, left = _find_alone(some.persons, keys, space)
            self._count(subset, some.entries[alone])
            if len(subset) < self.largest:
                self._remember(subset, some.entries[alone])
                if left.any():
                    self.visit(subset, _Groups(some.entries[left], some.persons[left], *_rank(keys[left], space)))

    def _merge(self, groups: _Groups, column: int) -> _Groups:
        """Return groups with entries merged that agree in all columns from `column` on: nothing distinguishes them."""
        ranks, many = self._tails[column]
        keys, space = _rank(*_extend(groups.ids, groups.many, ranks[groups.entries], many))
        shared = _find_shared(groups.persons, keys, space)
        one = np.empty(space, dtype=np.int64)
        one[keys] = np.arange(len(keys))
        retained = ~shared[keys]
        retained[one[shared]] = True
        persons = np.where(shared[keys], groups.persons.dtype.type(NOBODY), groups.persons)
        return _Groups(groups.entries, persons, groups.ids, groups.many).select(retained)

    def _count(self, subset: Columns, minimal: IntArray) -> None:
        """Count the entries that are unique on a set, but on no part of it."""
        for place in range(len(subset) - 1):
            if len(minimal):
                minimal = minimal[~self._is_unique(subset[:place] + subset[place + 1 :], minimal)]
        self.of_entry[len(subset) - 1, minimal] += 1
        self.of_column[len(subset) - 1, [self.order[column] for column in subset]] += len(minimal)

    def _remember(self, subset: Columns, alone: IntArray) -> None:
        """Store the entries that are unique on a set, and not on the part without its last column."""
        if len(alone):
            bits = np.zeros(self.of_entry.shape[1], dtype=bool)
            bits[alone] = True
            self._unique[subset] = np.packbits(bits, bitorder="little")

    def _is_unique(self, subset: Columns, entries: IntArray) -> Mask:
        """Return a mask of the entries that are unique on a set, or already on its first columns."""
        unique = np.zeros(len(entries), dtype=bool)
        for size in range(1, len(subset) + 1):
            if (bits := self._unique.get(subset[:size])) is not None:
                unique |= _read_bits(bits, entries)
        return unique


def _extend(ids: IntArray, many: int, codes: IntArray, space: int) -> tuple[IntArray, int]:
    """Return keys of groups and codes together, and the number of possible keys."""
    keys = ids.astype(_find_integer_type(many * space))
    keys *= keys.dtype.type(space)
    keys += codes
    return keys, many * space


def _find_shared(persons: IntArray, keys: IntArray, space: int) -> Mask:
    """Return a mask of the keys that several people have, or an entry that nobody can be singled out by (NOBODY)."""
    last = np.empty(space, dtype=persons.dtype)
    last[keys] = persons
    shared = np.zeros(space, dtype=bool)
    shared[keys[(persons != last[keys]) | (persons == NOBODY)]] = True
    return shared


def _find_alone(persons: IntArray, keys: IntArray, space: int) -> tuple[Mask, Mask]:
    """Return masks of the entries alone with their key, and of those whose key is shared by people who can be found."""
    alone = ~_find_shared(persons, keys, space)[keys]
    hopeful = np.zeros(space, dtype=bool)
    hopeful[keys[(persons != NOBODY) & ~alone]] = True
    return alone, hopeful[keys]


def _rank(keys: IntArray, space: int) -> tuple[IntArray, int]:
    """Return the rank of each key among the distinct keys, and the number of these, or 1 if there are no keys."""
    if space > DENSE * len(keys):
        distinct, ranks = np.unique(keys, return_inverse=True)
        return ranks.astype(_find_integer_type(len(keys))), max(len(distinct), 1)
    occurs = np.zeros(space, dtype=bool)
    occurs[keys] = True
    ranks = np.cumsum(occurs, dtype=_find_integer_type(space))
    return ranks[keys] - ranks.dtype.type(1), int(ranks[-1])


def _read_bits(bits: IntArray, places: IntArray) -> Mask:
    """Return a mask of the positions whose bit is set.

    >>> _read_bits(np.array([0b110], dtype=np.uint8), np.array([0, 1, 2])).tolist()
    [False, True, True]
    """
    mask: Mask = (bits[places >> 3] >> (places & 7).astype(np.uint8)) & 1 != 0
    return mask


def find_uniques(facts: Facts, largest: int | None, *, missing_is_known: bool) -> MinimalUniques:
    """Return the minimal sample uniques of up to `largest` columns, cached for these facts.

    Nobody can know a cell that is suppressed, nor, unless `missing_is_known`, one that is missing.
    """
    return facts.cache(("uniques", largest, missing_is_known), lambda: _find_uniques(facts, largest, missing_is_known))


def _find_uniques(facts: Facts, largest: int | None, missing_is_known: bool) -> MinimalUniques:  # noqa: FBT001
    if facts.persons is not None and facts.known == "all":
        hint = 'pass known="one": what makes one record stand out'
        raise NotAskableError("special uniques are about one record of a person", hint=hint)
    table, classes = facts.combinations, facts.groups(with_values=True)
    columns = [table.columns[name] for name in facts.roles.quasi_identifiers]
    most = _find_affordable_size(len(columns), len(table.counts)) if largest is None else min(largest, len(columns))
    hidden: list[Value] = [facts.marker, *([] if missing_is_known else [None])]
    unknown = [np.isin(column.codes, [column.code(value) for value in hidden]) for column in columns]
    holders = None
    if classes.members is not None:
        holders = np.full(len(classes.sizes), NOBODY)
        holders[classes.members.of_entry] = classes.members.of_person
    return find_minimal_uniques([column.codes for column in columns], classes.sizes, most, unknown, holders)


def estimate_effort(facts: Facts) -> int:
    """Return the number of sets of columns that are examined unless a size is passed, times the classes of each."""
    columns, classes = len(facts.roles.quasi_identifiers), len(facts.combinations.counts)
    largest = _find_affordable_size(columns, classes)
    return sum(comb(columns, size) for size in range(1, largest + 1)) * (classes + EFFORT_PER_SET)


def _find_affordable_size(columns: int, classes: int) -> int:
    """Return the most columns of a set: six, three if there are many columns, or fewer if that takes too long."""
    sizes = range(1, min(LARGEST_SET_OF_MANY_COLUMNS if columns > MANY_COLUMNS else LARGEST_SET, columns) + 1)
    return max((size for size in sizes if comb(columns, size) * (classes + EFFORT_PER_SET) <= AFFORDABLE), default=1)


MAX_COLUMNS = 27  # with more, the exponent is not positive, and would turn the order of the scores round


@dataclass(frozen=True)
class Intrusion:
    """The scores of the rows that a simulated intruder meets, and how many are unique or have exactly one double."""

    scores: Mapping[int, int]  # the number of rows of each positive score
    unique: int
    pairs: int
    fraction: Fraction  # the share of the population that was sampled
    columns: int
    _sums: dict[int, Decimal] = field(default_factory=dict, repr=False, compare=False)  # by precision

    def count_above(self, threshold: Limit, scores: Mapping[int, int]) -> int:
        """Count the rows, or people, whose chance is above a threshold, by their scores."""
        chances = {score: Fraction(self.compute_chance(score, threshold.exact)) for score in scores}
        return sum(many for score, many in scores.items() if threshold.compare(chances[score]) > 0)

    @property
    def chance_of_file(self) -> Fraction | None:
        """The chance that a unique match is right; None if no row is unique or has one double."""
        right, wrong = self.unique * self.fraction, self.pairs * (1 - self.fraction)
        return right / (right + wrong) if right + wrong else None

    @property
    def certain(self) -> bool:
        """True if every match is right: no row has a double, or everybody was sampled."""
        return not self.pairs or self.fraction == 1

    def compute_chance(self, score: int, limit: Fraction | None = None) -> Fraction | Decimal:
        """Return the probability for a row with a score: a fraction, else with digits enough for a limit."""
        if not score:
            return Fraction(0)
        if self.certain:
            return Fraction(1)
        doubles = self.pairs * (1 - self.fraction) / self.fraction
        if self._powers:
            odds = sum(rows / self._powers[other] for other, rows in self.scores.items()) * self._powers[score]
            return odds / (odds + doubles)

        def chance() -> Decimal:
            odds = self._sum_inverse_powers() * Decimal(score) ** _to_decimal(self._exponent)
            return odds / (odds + _to_decimal(doubles))

        return compute_digits(chance, limit)

    def compute_mean(self, rows: int, scores: Mapping[int, int] | None = None) -> Fraction | Decimal:
        """Return the mean chance over a number of rows, or of people with these numbers by score."""
        chances = [(self.compute_chance(score), many) for score, many in (scores or self.scores).items()]
        total = sum((Fraction(chance) * many for chance, many in chances), Fraction(0)) / (rows or 1)
        return total if self.certain or self._powers or not chances else compute_digits(lambda: _to_decimal(total))

    @property
    def _exponent(self) -> Fraction:
        return 1 + Fraction(8 - self.columns, 20)

    @cached_property
    def _powers(self) -> Mapping[int, Fraction] | None:
        """The scores, each divided by the first and raised to the exponent; None if some power is no fraction.

        A sum of positive roots is a fraction only if every root is.
        """
        one = next(iter(self.scores), 1)
        powers = {}
        for score in self.scores:
            power = find_exact_power(Fraction(score, one), self._exponent)
            if power is None:
                return None
            powers[score] = power
        return powers

    def _sum_inverse_powers(self) -> Decimal:
        """Return the sum over rows of 1 ÷ score to the exponent, to the precision of the current context."""
        precision, exponent = getcontext().prec, _to_decimal(self._exponent)
        if precision not in self._sums:
            total = sum((many / Decimal(score) ** exponent for score, many in self.scores.items()), Decimal(0))
            self._sums[precision] = total
        return self._sums[precision]


def _to_decimal(number: Fraction) -> Decimal:
    return Decimal(number.numerator) / number.denominator


def simulate_intrusion(facts: Facts, uniques: MinimalUniques, stated: Number | None) -> Intrusion | None:
    """Simulate an intruder with the stated sampling fraction or that of the weights; None if there is neither."""
    if stated is None and facts.weight is None:
        return None
    fraction = add_up_weights(facts).sampled if stated is None else Limit.of(stated).exact
    histogram = facts.classes.histogram
    return Intrusion(uniques.scores, histogram.get(1, 0), 2 * histogram.get(2, 0), fraction, uniques.columns)


def explain_uniques(
    told: Mapping[str, Any], rows: int, uniques: MinimalUniques, simulated: Intrusion | None, threshold: object
) -> Iterator[Step]:
    """Yield a step for each figure in `told`, by its name."""
    sizes = ", ".join(f"{size}: {many:,}" for size, many in enumerate(uniques.by_size, 1))
    further: dict[str, dict[str, object]] = {
        "special": {"rows": uniques.special, "all_rows": rows, "sets": sizes},
    }
    if simulated is not None:
        further |= {
            "highest": {"share": simulated.fraction},
            "average": {},
            "above threshold": {"threshold": threshold},
            "file": {"unique": simulated.unique, "pairs": simulated.pairs},
        }
    for name, figures in further.items():
        if told.get(name) is not None:
            in_each_class = name == "file" and uniques.holders is not None
            yield Step("file_people" if in_each_class else name, {**figures, "score": told[name]})


def explain_columns(shares: Mapping[str, Any]) -> Iterator[Step]:
    """Yield the share of all scores that comes from each column, the largest share first."""
    order = sorted(shares, key=lambda name: -shares[name])
    lines = tuple(Step("column", {"column": Name(name), "score": shares[name]}) for name in order)
    if lines:
        yield Step("columns", lines=lines)
