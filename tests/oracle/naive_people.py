"""Measures where a person may have several rows, by definition: people are sets, and every set is written out.

A class is the people with a row of the same quasi-identifiers (`known` is "one"), or the people whose rows, all taken
together, are the same multiset of them ("all"). Slow, simple, and without any code of the library.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from oracle import naive_privacy as by_rows
from oracle.naive import (
    Rows,
    Tables,
    Value,
    equal_distance,
    hierarchical_distance,
    is_suppressed,
    ladders,
    ordered_distance,
)
from oracle.naive_population import DoesNotHold, lifted

Person = Hashable
Persons = frozenset[Person]


@dataclass(frozen=True)
class Folk:
    """A release, the person of each of its rows, and what the adversary knows."""

    tables: Tables
    persons: list[Person]
    known: str = "one"

    @property
    def shown(self) -> list[int]:
        """The places of the unsuppressed rows."""
        return [place for place, row in enumerate(self.tables.released) if not is_suppressed(self.tables, row)]

    @property
    def present(self) -> Persons:
        """The people with an unsuppressed row."""
        return frozenset(self.persons[place] for place in self.shown)


def identified(persons: Sequence[Value], unknown: str, marker: str = "*") -> list[Person]:
    """Make the rows without a person one person ("together"), or one each ("each")."""
    return [
        ("?", 0 if unknown == "together" else place) if person in (None, marker) else person
        for place, person in enumerate(persons)
    ]


# Classes.


@dataclass(frozen=True)
class Group:
    """A class: its people, and the places of the rows of theirs that are in it."""

    people: Persons
    places: tuple[int, ...]

    @property
    def size(self) -> int:
        return len(self.people)


def groups(folk: Folk, names: Sequence[str] | None = None) -> list[Group]:
    """Return the classes by some columns; None: by the quasi-identifiers."""
    names = folk.tables.quasi_identifiers if names is None else names
    cells = {place: tuple(folk.tables.released[place][name] for name in names) for place in folk.shown}
    return grouped(cells, folk)


def grouped(cells: dict[int, Hashable], folk: Folk) -> list[Group]:
    """Return the classes of rows, by what stands in each."""
    keys = dict(cells)
    if folk.known == "all":
        history = {
            person: frozenset(Counter(cells[place] for place in cells if folk.persons[place] == person).items())
            for person in folk.present
        }
        keys = {place: history[folk.persons[place]] for place in cells}
    found = []
    for key in dict.fromkeys(keys.values()):
        places = tuple(place for place in keys if keys[place] == key)
        found.append(Group(frozenset(folk.persons[place] for place in places), places))
    return found


def classes_of(folk: Folk, person: Person) -> list[Group]:
    """Return the classes that a person is in."""
    return [group for group in groups(folk) if person in group.people]


# Sensitive values.


@dataclass(frozen=True)
class Holders:
    """A class, and for each sensitive value its people with it."""

    group: Group
    of: dict[Value, Persons]

    @property
    def beliefs(self) -> by_rows.Spread:
        """Counts to be divided by the people of the class."""
        return by_rows.Spread({}, self.group.size, {value: len(people) for value, people in self.of.items()})

    @property
    def shares(self) -> by_rows.Spread:
        """Counts to be divided by their sum."""
        counts = {value: len(people) for value, people in self.of.items()}
        return by_rows.Spread({}, sum(counts.values()), counts)


def holders(folk: Folk, name: str, *, join: bool = False, numbers: bool = False) -> list[Holders]:
    """Return, for each class, who has which value; with `join`, the other sensitive attributes are known, too."""
    others = [other for other in folk.tables.sensitive if other != name] if join else []
    return [
        Holders(group, having(folk, name, group.places, numbers=numbers))
        for group in groups(folk, [*folk.tables.quasi_identifiers, *others])
    ]


def having(folk: Folk, name: str, places: Sequence[int], *, numbers: bool = False) -> dict[Value, Persons]:
    """Return the people with each value; `numbers`: equal numbers written differently are one value."""
    cells = {place: folk.tables.released[place][name] for place in places}
    if numbers:
        first = {Decimal(cell): cell for cell in reversed(cells.values())}
        cells = {place: first[Decimal(cell)] for place, cell in cells.items()}
    return {
        value: frozenset(folk.persons[place] for place in places if cells[place] == value) for value in cells.values()
    }


def published(folk: Folk, name: str) -> list[int]:
    """Return the places of the rows that publish a value of a sensitive attribute."""
    return [
        place
        for place, row in enumerate(folk.tables.released)
        if not (is_suppressed(folk.tables, row) and row[name] == folk.tables.marker)
    ]


def overall_beliefs(folk: Folk, name: str) -> dict[Value, Fraction]:
    """Return the share of all people that has each value: the shares may add up to more than 1."""
    places = published(folk, name)
    everybody = {folk.persons[place] for place in places}
    return {value: Fraction(len(who), len(everybody)) for value, who in having(folk, name, places).items()}


def overall_shares(folk: Folk, name: str, *, numbers: bool = False) -> dict[Value, Fraction]:
    """Return the people with each value, divided by the sum of these counts."""
    counts = {value: len(who) for value, who in having(folk, name, published(folk, name), numbers=numbers).items()}
    return {value: Fraction(count, sum(counts.values())) for value, count in counts.items()}


def distinct(held: Holders) -> int:
    """Return the largest l: there are l people, and whatever v is, those without v hold l - 1 other values."""
    left = [sum(any(person not in held.of[v] for person in held.of[u]) for u in held.of if u != v) for v in held.of]
    return min(held.group.size, 1 + min(left))


def entropy(held: Holders) -> Decimal:
    """Return exp(H) of the shares, at most the distinct l."""
    return min(by_rows.entropy(held.shares), Decimal(distinct(held)))


def entropy_at_least(held: Holders, limit: Fraction) -> bool:
    return distinct(held) >= limit and by_rows.entropy_at_least(held.shares, limit)


def recursive(held: Holders, least: int) -> Fraction | None:
    """Return r1/(r_l + … + r_m); None if the distinct l is too small, so that no c will do."""
    return by_rows.recursive(held.shares, least) if distinct(held) >= least else None


def distances(folk: Folk, name: str, kind: str) -> list[tuple[Group, Fraction]]:
    """Return the Earth Mover's Distance of each class. A value that is no leaf: KeyError."""
    numbers = kind == "ordered"
    whole = overall_shares(folk, name, numbers=numbers)
    tree = ladders(folk.tables, name) if kind == "hierarchical" else {}
    if kind == "hierarchical":
        _ = [tree[value] for value in whole]
    found = []
    for held in holders(folk, name, numbers=numbers):
        counts = held.shares
        inside = {value: Fraction(count, counts.size) for value, count in counts.counts.items()}
        match kind:
            case "ordered":
                # Both sides may write a number in their own way: ordered_distance compares numbers.
                distance = ordered_distance(inside, whole)
            case "hierarchical":
                distance = hierarchical_distance(inside, whole, tree)
            case _:
                distance = equal_distance(inside, whole)
        found.append((held.group, distance))
    return found


# Populations.


@dataclass(frozen=True)
class World:
    """A release that is a sample of a population, and the person of each row of both."""

    folk: Folk
    population: Rows
    persons: list[Person]

    def checked(self) -> tuple[dict[Hashable, Persons], dict[Hashable, Persons]]:
        """Return the people of each class of the population, and those of them that are in the sample.

        Raise an error if the population has fewer people than the sample, as a whole or in a class.
        """
        rows, sample = lifted(self.folk.tables, self.population)
        everybody = Folk(self.folk.tables, self.persons, self.folk.known)
        people = self._by_key(dict(enumerate(rows)), everybody.persons)
        here = self._by_key(dict(zip(self.folk.shown, sample, strict=True)), self.folk.persons)
        if len(set(self.persons)) < len(set(self.folk.persons)):
            raise DoesNotHold
        if any(len(who) > len(people.get(key, ())) for key, who in here.items()):
            raise DoesNotHold
        return people, here

    def _by_key(self, cells: dict[int, Hashable], persons: Sequence[Person]) -> dict[Hashable, Persons]:
        if self.folk.known == "all":
            rows: dict[Person, list[Hashable]] = {}
            for place, cell in cells.items():
                rows.setdefault(persons[place], []).append(cell)
            keys = {person: frozenset(Counter(own).items()) for person, own in rows.items()}
            return {key: frozenset(one for one in keys if keys[one] == key) for key in keys.values()}
        return {key: frozenset(persons[place] for place in cells if cells[place] == key) for key in set(cells.values())}

    def presences(self) -> list[tuple[int, int]]:
        """Return, for each class of the population, its people in the sample and all of its people."""
        people, here = self.checked()
        return [(len(here.get(key, ())), len(who)) for key, who in people.items()]

    def crowds(self) -> list[tuple[Group, int]]:
        """Return the classes of the release, each with its people in the population."""
        people, _ = self.checked()
        _, sample = lifted(self.folk.tables, self.population)
        cells = dict(zip(self.folk.shown, sample, strict=True))
        found = []
        for group in groups(self.folk):
            someone = next(iter(group.people))
            own = [cells[place] for place in group.places if self.folk.persons[place] == someone]
            key = frozenset(Counter(own).items()) if self.folk.known == "all" else own[0]
            found.append((group, len(people[key])))
        return found

    def uniqueness(self) -> Fraction:
        """Return the share of the population's people who are alone in a class of theirs."""
        if not self.folk.shown:
            return Fraction(0)
        people, _ = self.checked()
        alone = frozenset().union(*(who for who in people.values() if len(who) == 1))
        return Fraction(len(alone), len(set(self.persons)))
