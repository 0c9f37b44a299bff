"""Releases of the same people: who is in which edition, with which released labels and sensitive values.

An edition is a released file, its roles and hierarchies, and the column that says who stands behind its rows. A person
has the same key in every edition. A *label* is what is released of a person's quasi-identifiers, row by row, or, of who
has several rows and is known by all of them, the multiset of these. Suppressed rows have a label of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate, pairwise
from math import prod
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from PETWorks.errors import PairingError, PersonError, Quantity
from PETWorks.facts.memo import Memo
from PETWorks.facts.roles import Roles
from PETWorks.facts.tallies import InputTables
from PETWorks.tables.counting.persons import NOBODY, PersonPairs, find_histories
from PETWorks.tables.counting.size_histogram import Grouping
from PETWorks.tables.counting.tally import (
    Before,
    Coded,
    IntArray,
    Key,
    Mask,
    Tally,
    Value,
    find_distinct,
    pack,
    rank_keys,
    recode,
)
from PETWorks.tables.counting.texts import Texts, unify

if TYPE_CHECKING:
    from PETWorks.hierarchies.hierarchy import Hierarchy

UnknownRows = Literal["each", "together", "nobody"]
NO_KEY_HINT = (
    "give every row a key, or pass unknown_person: each (one person each), together (one person) or nobody (the rows"
    " were added, and are of no people)"
)
SAME_KEY = "is the key the same? If nobody is in both by design, say disjoint = true"
MAX_PAIRS = 2 * 10**8  # of combinations that are compared with each other, column by column


@dataclass(frozen=True, eq=False)
class Edition:
    """A release of the same people, as it was given: its tables, roles and hierarchies, and who its rows are of."""

    tables: InputTables  # its column of persons is the key
    roles: Roles
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    several: bool = False  # True: a person may have several rows
    unknown: UnknownRows | None = None  # whose rows without a key are; None: such rows are an error
    disjoint: bool = False  # True: the caller says that nobody is in this edition and in the newest one
    by_position: bool = False  # True: the key is the number of a row of the original
    pseudonym: bool = False  # True: the key is published

    @property
    def name(self) -> str:
        """The name of the released file in messages."""
        return self.tables.release.name

    def describe(self) -> dict[str, Any]:
        """Return which file it is, and how people are named in it, as plain values for the record."""
        return {"name": self.name, "sha256": self.tables.release.digest(), "key": self.tables.people.column}

    def count(self) -> CountedEdition:
        """Count its rows by person."""
        key = str(self.tables.people.column)
        if key in self.tables.release.columns and not self.pseudonym:
            self._refuse_published(key)
        names = self.roles.quasi_identifiers
        self._check_pairs(key)
        before = self._find_true_columns()
        grouping = Grouping(tuple(names), self.tables.marker)
        held = self.tables.count_with_persons(before, [*names, *self.roles.sensitive], grouping)
        lacking = Texts.of(held.names).find([None, self.tables.marker])
        persons, nobody = self._assign(held.persons, lacking)
        if not self.several:
            self._refuse_repeated(persons)
        return CountedEdition(self, held.tally, persons, Texts.of(held.names), tuple(lacking), nobody, bool(before))

    def _check_pairs(self, key: str) -> None:
        """Raise an error if the key is that of the original's rows, and these do not pair with the released ones."""
        if key in self.tables.release.columns or self.tables.original is None:
            return
        from PETWorks.facts.facts import Facts  # which imports this module

        if not self.tables.vouched and all(
            name in self.tables.original.columns for name in self.roles.quasi_identifiers
        ):
            _ = Facts(self.tables, self.roles, self.hierarchies).columns.pairing

    def _find_true_columns(self) -> Sequence[str]:
        """Return the quasi-identifiers whose true values an original says; none without one."""
        original = self.tables.paired_original
        known = original is not None and not self.tables.moved
        names = self.roles.quasi_identifiers
        return names if known and original and all(name in original.columns for name in names) else ()

    def _refuse_published(self, key: str) -> None:
        """Raise an error if the release has the key of a row: whoever has two editions joins them by it."""
        values = self.tables.release.tally([key], self.tables.workspace).columns[key].values
        if any(value not in (None, self.tables.marker) for value in values):
            problem = 'the column "{key}" is published: whoever has two editions joins their rows by it'
            hint = "leave it out of the release, or, if it is a pseudonym on purpose, say pseudonym = true"
            raise PersonError(problem, where=self.name, hint=hint, figures={"key": key})

    def _assign(self, persons: PersonPairs, lacking: Sequence[int]) -> tuple[PersonPairs, int]:
        """Return the persons of rows, and the number from which on they are nobody's."""
        without = np.isin(persons.of_person, lacking) if lacking else np.zeros(0, dtype=bool)
        if not without.any():
            return persons, persons.people
        many = int(persons.rows[without].sum())
        if self.unknown is None:
            figures = {"rows_have": Quantity(many, "row has", "rows have")}
            raise PersonError("{rows_have} no key", where=self.name, hint=NO_KEY_HINT, figures=figures)
        if self.unknown == "together":
            numbers = np.arange(persons.people)
            numbers[list(lacking)] = persons.people
            return persons.renumber(numbers, persons.people + 1), persons.people + 1
        rows = np.where(without, persons.rows, 1)
        of_entry = np.repeat(persons.of_entry, rows)
        of_person = np.repeat(persons.of_person, rows).astype(np.int64)
        alone = np.repeat(without, rows)
        of_person[alone] = persons.people + np.arange(many)
        counts = np.where(alone, 1, np.repeat(persons.rows, rows))
        pairs = PersonPairs.from_pairs(of_entry, of_person, counts, persons.people + many)
        return pairs, persons.people if self.unknown == "nobody" else pairs.people

    def _refuse_repeated(self, persons: PersonPairs) -> None:
        rows = np.bincount(persons.of_person, weights=persons.rows, minlength=persons.people)
        if many := int((rows > 1).sum()):
            figures = {"keys_have": Quantity(many, "key has", "keys have")}
            hint = "a key names one row; pass person= if people have several rows"
            raise PersonError("{keys_have} more than one row", where=self.name, hint=hint, figures=figures)


class CountedEdition(NamedTuple):
    """The rows of an edition by person. Persons have numbers of the edition; `nobody` and above are no people."""

    edition: Edition
    tally: Tally
    persons: PersonPairs
    names: Texts
    lacking: tuple[int, ...]  # the places of names that name nobody
    nobody: int
    has_original: bool


class LabelValues(NamedTuple):
    """How often each label occurs with each value, sorted by label, then value."""

    labels: IntArray
    values: IntArray
    rows: IntArray

    @property
    def starts(self) -> IntArray:
        """Where the values of each label begin, up to the last label that occurs."""
        return np.searchsorted(self.labels, np.arange(int(self.labels.max(initial=-1)) + 2))


@dataclass(frozen=True, eq=False)
class PersonLabels:
    """An edition whose persons are numbered as in all others: pairs of person and label, and rows with values.

    Pairs are distinct and of people only. Rows have those of nobody as well.
    """

    edition: Edition
    tuples: Tally  # the distinct combinations of released quasi-identifiers
    suppressed: int  # the label of suppressed rows; NOBODY if there are none
    labels: int  # labels have the numbers below this one
    person: IntArray  # of each pair
    label: IntArray
    row_person: IntArray  # of each row, or of equal rows of a person; NOBODY if it is no person's
    row_label: IntArray  # NOBODY: of a row that is in no class
    row_tuple: IntArray  # the released combination
    row_count: IntArray
    row_values: Mapping[str, IntArray]  # by sensitive attribute, numbered as in all editions
    row_true: IntArray | None  # the true combination of each row; None without an original
    true_columns: Mapping[str, Coded]  # of the true combinations

    @property
    def name(self) -> str:
        """The name of the released file."""
        return self.edition.name

    @property
    def single(self) -> bool:
        """True if nobody has several rows."""
        return not self.edition.several

    @cached_property
    def is_suppressed_tuple(self) -> Mask:
        """A mask of the combinations that are suppressed."""
        names = self.edition.roles.quasi_identifiers
        return Grouping(tuple(names), self.edition.tables.marker).find_suppressed(self.tuples)

    def count_cells(self, values: IntArray) -> LabelValues:
        """Count the rows of each label by values, which are given for each row."""
        inside = self.row_label != NOBODY
        sizes = [self.labels, int(values.max(initial=0)) + 1]
        keys = self.row_label[inside] * sizes[1] + values[inside]
        distinct, ids = np.unique(keys, return_inverse=True)
        rows = np.bincount(ids, weights=self.row_count[inside], minlength=len(distinct)).astype(np.int64)
        return LabelValues(distinct // sizes[1], distinct % sizes[1], rows)


class Editions:
    """All editions of the same people, oldest first; the last is the one that is judged."""

    def __init__(self, given: Sequence[Edition]) -> None:
        self.given = tuple(given)
        self._memo = Memo()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the released files, oldest first."""
        return tuple(one.name for one in self.given)

    @cached_property
    def has_several(self) -> bool:
        """True if people may have several rows."""
        return any(one.several for one in self.given)

    @property
    def known(self) -> str:
        """What is known of a person: "one" record of each edition, or "all"."""
        return self.given[-1].tables.people.known

    @cached_property
    def counted(self) -> tuple[PersonLabels, ...]:
        """The editions by person; raises an error if two editions share nobody although they should."""
        return self._memo.cache("counted", self._count)

    @property
    def people(self) -> int:
        """The number of people of all editions, each counted once."""
        return len(find_distinct(np.concatenate([one.person for one in self.counted])))

    def _count(self) -> tuple[PersonLabels, ...]:
        self._require_same_original()
        counted = [one.count() for one in self.given]
        numbers = _number_persons(counted)
        shared = {name for one in self.given for name in one.roles.sensitive}
        values: dict[str, dict[Value, int]] = {name: {} for name in shared}
        found = tuple(_label(one, number, self.known, values) for one, number in zip(counted, numbers, strict=True))
        newest = found[-1]
        for one in found[:-1]:
            if not one.edition.disjoint and not np.isin(one.person, newest.person).any():
                problem = "no person is both in this edition and in {newest}"
                raise PersonError(problem, where=one.name, hint=SAME_KEY, figures={"newest": newest.name})
        return found

    def _require_same_original(self) -> None:
        """Raise an error if rows are said to be those of one original, and the originals are not the same."""
        if not any(one.by_position for one in self.given):
            return
        if not all(one.by_position for one in self.given):
            problem = 'pairing = "position" is for cuts of one original, in all editions or none'
            raise PairingError(problem, where=self.given[-1].name, hint="name the key of the people in every edition")
        digests = {one.tables.require_original(()).digest() for one in self.given}
        objects = {id(one.tables.given[1]) for one in self.given}
        if len(digests) > 1 or (digests == {None} and len(objects) > 1):
            problem = 'pairing = "position" is for cuts of one original, and these have different ones'
            hint = 'name the column of the originals that says who each row is of: key = "person"'
            raise PairingError(problem, where=self.given[-1].name, hint=hint)

    @cached_property
    def sets(self) -> tuple[tuple[int, ...], ...]:
        """The sets of two or more editions that are exactly the editions of some person, in a fixed order."""
        many = max(int(one.person.max(initial=-1)) for one in self.counted) + 1
        found, _ = _find_presence([one.person for one in self.counted], many)
        return tuple(sorted((one for one in found if len(one) > 1), key=lambda one: (len(one), one)))

    def join(self, chosen: Sequence[int]) -> JointClasses:
        """Return the people of all of some editions, by their labels in each."""
        key = ("joint", tuple(chosen))
        return self._memo.cache(key, lambda: JointClasses([self.counted[place] for place in chosen]))

    def count_found(self, most: int) -> int:
        """Return the people of the newest edition whose joint class has so many people or fewer."""
        newest = len(self.given) - 1
        joined = [self.join(chosen) for chosen in self.sets if newest in chosen]
        found = [one.find_people(one.sizes <= most) for one in joined]
        return len(find_distinct(np.concatenate(found))) if found else 0

    @cached_property
    def changed(self) -> int | None:
        """Return the people of two editions or more whose true values changed; None without originals."""
        if self.has_several or any(one.row_true is None for one in self.counted):
            return None
        changed: list[IntArray] = []
        for one, other in pairwise(self.counted):
            common, here, there = np.intersect1d(one.row_person, other.row_person, return_indices=True)
            common, here, there = (array[common != NOBODY] for array in (common, here, there))
            names = [name for name in one.true_columns if name in other.true_columns]
            differs = np.zeros(len(common), dtype=bool)
            assert one.row_true is not None and other.row_true is not None  # noqa: S101, PT018
            for name in names:
                lexicon: dict[Value, int] = {}
                mine, yours = one.true_columns[name], other.true_columns[name]
                a, b = recode(lexicon, mine.values)[mine.codes], recode(lexicon, yours.values)[yours.codes]
                differs |= a[one.row_true[here]] != b[other.row_true[there]]
            for name in one.row_values:
                if name in other.row_values:
                    differs |= one.row_values[name][here] != other.row_values[name][there]
            changed.append(common[differs])
        return len(find_distinct(np.concatenate(changed))) if changed else 0


def _number_persons(counted: Sequence[CountedEdition]) -> list[IntArray]:
    """Return, for each edition, the number of each of its persons among those of all; NOBODY for rows of nobody."""
    texts, places = unify([one.names for one in counted])
    ends = [0, *accumulate(len(one.names) for one in counted)]
    following, found = len(texts), []
    for one, (start, end) in zip(counted, pairwise(ends), strict=True):
        numbers = np.full(one.persons.people, NOBODY, dtype=np.int64)
        numbers[: end - start] = places[start:end]
        numbers[list(one.lacking)] = NOBODY
        fresh = np.arange(end - start, min(one.nobody, one.persons.people))
        numbers[fresh] = following + np.arange(len(fresh))
        following += len(fresh)
        found.append(numbers)
    return found


def _label(one: CountedEdition, numbers: IntArray, known: str, lexicons: dict[str, dict[Value, int]]) -> PersonLabels:
    """Return the rows of an edition with their labels; values are numbered by `lexicons`."""
    edition, names = one.edition, one.edition.roles.quasi_identifiers
    of_tuple, tuples = one.tally.group(names)
    suppressed = Grouping(tuple(names), edition.tables.marker).find_suppressed(tuples)
    entry, local = one.persons.of_entry.astype(np.int64), one.persons.of_person.astype(np.int64)
    row_tuple = of_tuple[entry].astype(np.int64)
    if known == "all" and edition.several:
        label, labels, hidden = _label_histories(one.persons.regroup(of_tuple), suppressed)
        row_label = label[local]
        row_label[(row_label != hidden) & suppressed[row_tuple]] = NOBODY  # left out of what is known
        if not (row_label == hidden).any():
            hidden = NOBODY
    else:
        row_label, labels = row_tuple, len(tuples.counts)
        place = np.flatnonzero(suppressed)
        hidden = int(place[0]) if len(place) else NOBODY
    row_person = numbers[local]
    named = (row_person != NOBODY) & (row_label != NOBODY)
    pairs = find_distinct(row_person[named] * labels + row_label[named])
    values = {}
    for name in edition.roles.sensitive:
        column = one.tally.columns[name]
        values[name] = recode(lexicons[name], column.values)[column.codes][entry].astype(np.int64)
    true, columns = None, dict[str, Coded]()
    if one.has_original:
        keys: list[Key] = [Before(name) for name in names]
        ids, before = one.tally.group(keys)
        true = ids[entry].astype(np.int64)
        columns = {name: before.columns[Before(name)] for name in names}
    count = one.persons.rows.astype(np.int64)
    return PersonLabels(
        edition,
        tuples,
        hidden,
        labels,
        pairs // max(labels, 1),
        pairs % max(labels, 1),
        row_person,
        row_label,
        row_tuple,
        count,
        values,
        true,
        columns,
    )


def _label_histories(persons: PersonPairs, suppressed: Mask) -> tuple[IntArray, int, int]:
    """Return the label of each person: the multiset of their combinations, or that they are suppressed."""
    histories = find_histories(_keep(persons, ~suppressed))
    label = histories.of_person.astype(np.int64)
    hidden = len(histories)
    return np.where(label == NOBODY, hidden, label), hidden + 1, hidden


def _keep(persons: PersonPairs, kept: Mask) -> PersonPairs:
    chosen = kept[persons.of_entry]
    return replace(
        persons, of_entry=persons.of_entry[chosen], of_person=persons.of_person[chosen], rows=persons.rows[chosen]
    )


class JointClasses:
    """The people who are in all of some editions, by their labels in each; a joint class are those who agree.

    Who has several rows, of which one is known, is in a joint class for every choice of a row in each edition.
    """

    def __init__(self, editions: Sequence[PersonLabels]) -> None:
        self.editions = tuple(editions)
        self._memo = Memo()
        shared = _find_shared([one.person for one in editions])
        self.person, self.person_labels = _join_labels(self.editions, shared)
        self.people = len(shared)
        sizes = [max(1, one.labels) for one in editions]
        packed, _ = pack(self.person_labels, sizes)
        first, ids = rank_keys(packed, prod(sizes))
        self.ids = ids.astype(np.int64)  # the joint class of each pair of person and labels
        self.labels = [labels[first] for labels in self.person_labels]  # of each joint class, in each edition
        self.sizes: IntArray = np.bincount(self.ids, minlength=len(first))
        hidden = [labels == one.suppressed for labels, one in zip(self.labels, editions, strict=True)]
        self.is_judged: Mask = ~np.logical_and.reduce(hidden)  # a mask of the joint classes

    def __len__(self) -> int:
        """Return the number of joint classes."""
        return len(self.sizes)

    @cached_property
    def pairs_judged(self) -> Mask:
        """A mask of the pairs of person and labels that are judged."""
        judged: Mask = self.is_judged[self.ids]
        return judged

    @cached_property
    def judged(self) -> int:
        """The number of people who are judged."""
        return self.count_people(np.ones(len(self), dtype=bool))

    def count_people(self, chosen: Mask) -> int:
        """Return the number of judged people who are in one of some joint classes."""
        return self.count_people_of(chosen[self.ids])

    def count_people_of(self, chosen: Mask) -> int:
        """Return the number of judged people with one of some pairs of person and labels."""
        return len(find_distinct(self.person[chosen & self.pairs_judged]))

    def find_people(self, chosen: Mask) -> IntArray:
        """Return the judged people who are in one of some joint classes."""
        return find_distinct(self.person[chosen[self.ids] & self.pairs_judged])

    def find_least(self, figures: IntArray) -> int | None:
        """Return the least of some figures of joint classes that are judged; None if there are none."""
        return int(figures[self.is_judged].min()) if self.is_judged.any() else None

    @cached_property
    def unsure(self) -> IntArray:
        """For each joint class, the people who in each edition are absent or have its label, and are in one."""
        editions, found = self.editions, np.zeros(len(self), dtype=np.int64)
        everybody = find_distinct(np.concatenate([one.person for one in editions]))
        held = [np.searchsorted(everybody, find_distinct(one.person)) for one in editions]
        patterns, pattern = _find_presence(held, len(everybody))
        for number, chosen in enumerate(patterns):
            people = everybody[pattern == number]
            sizes = [max(1, editions[place].labels) for place in chosen]
            _, labels = _join_labels([editions[place] for place in chosen], people)
            both = [np.concatenate([theirs, self.labels[place]]) for theirs, place in zip(labels, chosen, strict=True)]
            packed, _ = pack(both, sizes)
            first, ids = rank_keys(packed, prod(sizes))
            counts = np.bincount(ids[: len(labels[0])], minlength=len(first))
            found += counts[ids[len(labels[0]) :]]
        return found

    def find_compatible(self, spread: JointValues | None = None) -> CompatiblePeople | None:
        """Return who fits the true values of each judged person; None if that is not known, or takes too long."""
        return find_compatible(self, spread)

    def spread(self, name: str | Sequence[str]) -> JointValues:
        """Return the values that the classes of every edition have, for each joint class."""
        names = (name,) if isinstance(name, str) else tuple(name)
        return self._memo.cache(names, lambda: JointValues(self, names))


def _find_presence(several: Sequence[IntArray], many: int) -> tuple[list[tuple[int, ...]], IntArray]:
    """Return the distinct sets of lists that some number below `many` is in, and which set is that of each number."""
    sets: list[tuple[int, ...]] = [()]
    ids: IntArray = np.zeros(many, dtype=np.int64)
    for place, numbers in enumerate(several):
        keys = 2 * ids
        keys[find_distinct(numbers)] += 1
        distinct, ids = np.unique(keys, return_inverse=True)
        sets = [(*sets[key // 2], place) if key % 2 else sets[key // 2] for key in distinct.tolist()]
    return sets, ids


def _find_shared(several: Sequence[IntArray]) -> IntArray:
    shared = find_distinct(several[0])
    for one in several[1:]:
        shared = np.intersect1d(shared, find_distinct(one), assume_unique=True)
    return shared


def _join_labels(editions: Sequence[PersonLabels], people: IntArray) -> tuple[IntArray, list[IntArray]]:
    """Return people with their labels in editions that all of them are in, once for each choice of a row of each."""
    person, found = people, list[IntArray]()
    for one in editions:
        first = np.searchsorted(one.person, person, "left")
        many = np.searchsorted(one.person, person, "right") - first
        again = np.repeat(np.arange(len(person)), many)
        offset = np.arange(len(again)) - np.repeat(np.cumsum(many) - many, many)
        found = [labels[again] for labels in found]
        found.append(one.label[np.repeat(first, many) + offset])
        person = person[again]
    return person, found


class JointValues:
    """The values that the rows of the classes of every edition have, for each joint class; of no column, one value.

    Beside these stand the values of the people of a joint class, in the newest of its editions.
    """

    def __init__(self, joint: JointClasses, names: Sequence[str]) -> None:
        self.joint = joint
        values, self.kinds = _combine(
            [[one.row_values[name] for name in names] or [np.zeros_like(one.row_label)] for one in joint.editions]
        )
        self._values = values
        cells = [one.count_cells(some) for one, some in zip(joint.editions, values, strict=True)]
        first = cells[0]
        starts = np.append(first.starts, len(first.labels)) if len(first.starts) == 0 else first.starts
        labels = joint.labels[0]
        start = starts[np.minimum(labels, len(starts) - 1)]
        many = starts[np.minimum(labels + 1, len(starts) - 1)] - start
        of_joint = np.repeat(np.arange(len(joint)), many)
        place = np.repeat(start, many) + np.arange(len(of_joint)) - np.repeat(np.cumsum(many) - many, many)
        value, rows = first.values[place], [first.rows[place]]
        for labels, one in zip(joint.labels[1:], cells[1:], strict=True):
            keys = one.labels * self.kinds + one.values
            wanted = labels[of_joint] * self.kinds + value
            found = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
            inside = keys[found] == wanted if len(keys) else np.zeros(len(wanted), dtype=bool)
            of_joint, value = of_joint[inside], value[inside]
            rows = [*(some[inside] for some in rows), one.rows[found[inside]]]
        self.of_joint, self.value, self.rows = of_joint, value, rows  # values that all editions share
        self.shared = np.bincount(of_joint, minlength=len(joint))
        self._keys = of_joint * self.kinds + value

    @cached_property
    def rows_left(self) -> IntArray:
        """For each joint class, the rows that remain if rows cannot be joined and these values do not change."""
        if not self.rows or not len(self.of_joint):
            return np.zeros(len(self.joint), dtype=np.int64)
        least = np.minimum.reduce(self.rows)
        return np.bincount(self.of_joint, weights=least, minlength=len(self.joint)).astype(np.int64)

    @cached_property
    def _held(self) -> tuple[Mask, Mask]:
        """For each pair of person and labels: whether they have the shared value everywhere, or one outside."""
        joint = self.joint
        everywhere = np.ones(len(joint.person), dtype=bool)
        outside = np.zeros(len(joint.person), dtype=bool)
        for place in range(len(joint.editions)):
            pair, value = self._find_own(place)
            wanted = joint.ids[pair] * self.kinds + value
            found = np.minimum(np.searchsorted(self._keys, wanted), max(len(self._keys) - 1, 0))
            inside = self._keys[found] == wanted if len(self._keys) else np.zeros(len(wanted), dtype=bool)
            here = np.zeros(len(joint.person), dtype=bool)
            here[pair[inside]] = True
            everywhere &= here
            outside[pair[~inside]] = True
        return everywhere, outside

    def _find_own(self, place: int) -> tuple[IntArray, IntArray]:
        """Return the pairs of person and labels beside each value that the person has in a row with that label."""
        joint, one = self.joint, self.joint.editions[place]
        named = (one.row_person != NOBODY) & (one.row_label != NOBODY)
        keys = one.row_person[named] * max(one.labels, 1) + one.row_label[named]
        order = np.argsort(keys, kind="stable")
        keys, values = keys[order], self._values[place][named][order]
        wanted = joint.person * max(one.labels, 1) + joint.person_labels[place]
        first = np.searchsorted(keys, wanted, "left")
        many = np.searchsorted(keys, wanted, "right") - first
        pair = np.repeat(np.arange(len(wanted)), many)
        at = np.repeat(first, many) + np.arange(len(pair)) - np.repeat(np.cumsum(many) - many, many)
        return pair, values[at]

    @cached_property
    def certain(self) -> Mask:
        """A mask of the pairs of person and labels of which one value is left, which the person has everywhere."""
        only: Mask = (self.shared == 1)[self.joint.ids] & self._held[0]
        return only

    @cached_property
    def misled(self) -> Mask:
        """A mask of the pairs of person and labels whose person has a value outside the shared ones."""
        return self._held[1]

    @cached_property
    def joined(self) -> tuple[IntArray, IntArray]:
        """For each joint class, the different values of its people, and how many have the most frequent one.

        The values are those of the newest edition.
        """
        return self.count_joined(len(self.joint.editions) - 1)

    def count_joined(self, place: int) -> tuple[IntArray, IntArray]:
        """Return the same by the values of one of the editions."""
        joint = self.joint
        pair, value = self._find_own(place)
        keys = find_distinct((joint.ids[pair] * self.kinds + value) * (len(joint.person) + 1) + pair)
        cells, many = np.unique(keys // (len(joint.person) + 1), return_counts=True)
        distinct = np.bincount(cells // self.kinds, minlength=len(joint))
        most = np.zeros(len(joint), dtype=np.int64)
        np.maximum.at(most, cells // self.kinds, many)
        return distinct, most

    def find_independent_beliefs(self) -> tuple[IntArray, IntArray]:
        """Return, for each joint class, the largest product of the rows of a value, and the sum over all values.

        The sum is 0 where no value is shared. Both are exact, of Python's integers where they are large.
        """
        bound = prod(max(int(some.max(initial=1)), 1) for some in self.rows) * max(self.kinds, 1)
        kind = np.int64 if bound < 2**62 else object
        product = np.ones(len(self.of_joint), dtype=kind)
        for some in self.rows:
            product = product * some.astype(kind)
        most, total = np.zeros(len(self.joint), dtype=kind), np.zeros(len(self.joint), dtype=kind)
        np.maximum.at(most, self.of_joint, product)
        np.add.at(total, self.of_joint, product)
        return most, total


def _combine(several: Sequence[Sequence[IntArray]]) -> tuple[list[IntArray], int]:
    """Return one number for the values of several columns, for each row of each edition, and how many there are."""
    ends = [0, *accumulate(len(columns[0]) for columns in several)]
    columns = [np.concatenate([one[place] for one in several]) for place in range(len(several[0]))]
    packed, _ = pack(columns, [int(one.max(initial=0)) + 1 for one in columns])
    distinct, ids = np.unique(packed, return_inverse=True)
    return [ids[start:end] for start, end in pairwise(ends)], max(len(distinct), 1)


@dataclass(frozen=True, eq=False)
class CompatiblePeople:
    """For each person who is judged: the people and the values that their true values fit, in all editions."""

    sizes: IntArray
    values: IntArray


def find_compatible(joint: JointClasses, spread: JointValues | None) -> CompatiblePeople | None:
    """Return who fits the true values of each judged person; None without originals, or for several rows.

    None, too, where comparing takes too long. A cell fits if it is the marker, the true value, or an ancestor of it.
    """
    editions = joint.editions
    if any(one.row_true is None or not one.single for one in editions):
        return None
    people = joint.person[joint.pairs_judged]
    if not len(people):
        return CompatiblePeople(people, people)
    trues = []
    for one in editions:
        order = np.argsort(one.row_person, kind="stable")
        at = order[np.searchsorted(one.row_person[order], people)]
        assert one.row_true is not None  # noqa: S101
        trues.append(one.row_true[at])
    sizes = [int(one.max(initial=0)) + 1 for one in trues]
    packed, _ = pack(trues, sizes)
    first, ids = rank_keys(packed, prod(sizes))
    own = [one[first] for one in trues]  # the true combinations of each distinct person
    if len(first) * (len(joint) + sum(one.labels for one in editions)) > MAX_PAIRS:
        return None
    fits = [_find_fitting(one) for one in editions]
    found_sizes = np.zeros(len(first), dtype=np.int64)
    found_values = np.zeros(len(first), dtype=np.int64)
    step = max(1, 2 * 10**7 // max(len(joint), *(one.labels for one in editions), 1))
    has = None if spread is None else [_has_value(joint, spread, place) for place in range(len(editions))]
    for start in range(0, len(first), step):
        part = slice(start, start + step)
        masks = [
            _compare(one, fit, true[part]) for one, fit, true in zip(editions, fits, own, strict=True)
        ]  # of true combinations and labels
        both = np.logical_and.reduce([mask[:, labels] for mask, labels in zip(masks, joint.labels, strict=True)])
        found_sizes[part] = both @ joint.sizes
        if has is not None:
            told = [(mask.astype(np.float32) @ some) > 0 for mask, some in zip(masks, has, strict=True)]
            found_values[part] = np.logical_and.reduce(told).sum(axis=1)
    return CompatiblePeople(found_sizes[ids], found_values[ids])


def _has_value(
    joint: JointClasses, spread: JointValues, place: int
) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    cells = joint.editions[place].count_cells(spread._values[place])  # noqa: SLF001 (of this module)
    found = np.zeros((joint.editions[place].labels, spread.kinds), dtype=np.float32)
    found[cells.labels, cells.values] = 1
    return found


def _find_fitting(one: PersonLabels) -> list[Mask]:
    """Return, for each quasi-identifier, which released values fit which true ones."""
    fitting = []
    for name in one.edition.roles.quasi_identifiers:
        true, released = one.true_columns[name], one.tuples.columns[name]
        tree = one.edition.hierarchies.get(name)
        place = {value: code for code, value in enumerate(released.values)}
        found = np.zeros((len(true.values), len(released.values)), dtype=bool)
        for code, value in enumerate(true.values):
            above = (
                [tree.lift(value, level) for level in range(1, tree.height + 1)]
                if tree is not None and value in tree
                else []
            )
            found[code, [place[cell] for cell in (value, *above) if cell in place]] = True
        if one.edition.tables.marker in place:
            found[:, place[one.edition.tables.marker]] = True
        fitting.append(found)
    return fitting


def _compare(one: PersonLabels, fitting: Sequence[Mask], true: IntArray) -> Mask:
    """Return which labels fit which true combinations."""
    names = one.edition.roles.quasi_identifiers
    mask = np.ones((len(true), one.labels), dtype=bool)
    for name, fits in zip(names, fitting, strict=True):
        cells = one.true_columns[name].codes[true]
        mask &= fits[cells][:, one.tuples.columns[name].codes]
    return mask
