"""The classes of a population that includes the released sample, computed by definition, row by row."""

from __future__ import annotations

from collections import Counter

from oracle.naive import Ladder, Row, Rows, Tables, Value, classes, is_suppressed, ladders

Key = tuple[Value, ...]


class DoesNotHold(Exception):  # noqa: N818
    """The population does not include the sample, or cannot be generalised in the same way."""


def tree_of(tables: Tables, population: Rows, name: str) -> dict[Value, Ladder]:
    """Return the ladders of a column; without a hierarchy, those of all values of the population and the release."""
    if name in tables.hierarchies:
        return ladders(tables, name)
    values = [row[name] for row in (*population, *tables.released) if row[name] != tables.marker]
    return {value: (value, tables.marker) for value in values}


def released_level(tables: Tables, tree: dict[Value, Ladder], name: str) -> int:
    """Return the lowest level that has all values of a column; the marker is at the top only."""
    top = max((len(ladder) - 1 for ladder in tree.values()), default=1)
    values = [row[name] for row in tables.released if not is_suppressed(tables, row)]
    for step in range(top + 1):
        nodes = [ladder[step] for ladder in tree.values()]
        if all(step == top if value == tables.marker else value in nodes for value in values):
            return step
    raise DoesNotHold


def lifted(tables: Tables, population: Rows) -> tuple[list[Key], list[Key]]:
    """Return a key for each person and each unsuppressed row; keys are equal if all quasi-identifiers are."""
    people: list[list[Value]] = [[] for _ in population]
    rows = [row for row in tables.released if not is_suppressed(tables, row)]
    sample: list[list[Value]] = [[] for _ in rows]
    for name in tables.quasi_identifiers:
        tree = tree_of(tables, population, name)
        step = released_level(tables, tree, name)
        for person, row in zip(people, population, strict=True):
            if row[name] not in tree:
                raise DoesNotHold
            person.append(tree[row[name]][step])
        for key, row in zip(sample, rows, strict=True):
            key.append(released_node(tables, tree, row, name))
    return [tuple(key) for key in people], [tuple(key) for key in sample]


def released_node(tables: Tables, tree: dict[Value, Ladder], row: Row, name: str) -> Value:
    """Return the value of a cell; for the marker, the value at the top of the hierarchy."""
    return next(iter(tree.values()))[-1] if row[name] == tables.marker else row[name]


def checked(tables: Tables, population: Rows) -> tuple[list[Key], list[Key]]:
    """Generalise the population, and raise an error if it does not include the sample."""
    if len(population) < len(tables.released):
        raise DoesNotHold
    people, sample = lifted(tables, population)
    if any(sample.count(key) > people.count(key) for key in sample):
        raise DoesNotHold
    return people, sample


def presences(tables: Tables, population: Rows) -> list[tuple[int, int]]:
    """Return, for every class of the population, its rows in the sample and its people."""
    people, sample = checked(tables, population)
    return [(sample.count(key), many) for key, many in Counter(people).items()]


def crowds(tables: Tables, population: Rows) -> list[int]:
    """Return, for every class of the release, in the order of `naive.classes`, its people."""
    people, sample = checked(tables, population)
    rows = [row for row in tables.released if not is_suppressed(tables, row)]
    places = [rows.index(group[0]) for group in classes(tables)]
    return [people.count(sample[place]) for place in places]
