"""Alibis by definition: for a small class, another table that a guarded report fits just as well.

A table of classes is a mapping from combinations of values to numbers of people.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import combinations, product

Combination = tuple[str, ...]
Table = Mapping[Combination, int]
Moves = Mapping[Combination, Combination]  # where the people of a class go
EDGES = (10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000)


def band(count: int) -> int:
    return sum(count >= edge for edge in EDGES)


def marginals(table: Table, column: int) -> dict[str, int]:
    found: Counter[str] = Counter()
    for combination, people in table.items():
        found[combination[column]] += people
    return found


def moved(table: Table, moves: Moves) -> dict[Combination, int]:
    return {moves.get(combination, combination): people for combination, people in table.items()}


def fits(table: Table, other: Table) -> bool:
    """True if every value still occurs, in its band."""
    for column in range(len(next(iter(table)))):
        before, after = marginals(table, column), marginals(other, column)
        if before.keys() != after.keys() or any(band(before[value]) != band(after[value]) for value in before):
            return False
    return True


def changed(combination: Combination, column: int, value: str) -> Combination:
    return (*combination[:column], value, *combination[column + 1 :])


def going(table: Table, small: Combination) -> Iterator[Moves]:
    """The people of the class go where nobody is, one or two columns away."""
    columns = range(len(small))
    values = [sorted(marginals(table, column)) for column in columns]
    for places in [*combinations(columns, 1), *combinations(columns, 2)]:
        for chosen in product(*(values[place] for place in places)):
            target = small
            for place, value in zip(places, chosen, strict=True):
                target = changed(target, place, value)
            if target not in table and all(small[place] != target[place] for place in places):
                yield {small: target}


def exchanging(table: Table, small: Combination, least: int) -> Iterator[Moves]:
    """The class takes another small class's value; that one changes places with its counterpart, or with nobody."""
    for other, people in table.items():
        for column, value in enumerate(small):
            target, counterpart = changed(small, column, other[column]), changed(other, column, value)
            if people < least and other[column] != value and target not in table and table.get(counterpart, 0) < least:
                yield {small: target, other: counterpart, counterpart: other}


def alibi(table: Table, small: Combination, least: int = 5) -> Moves | None:
    """Return the moves that make an alibi; None if there is none."""
    for moves in (*going(table, small), *exchanging(table, small, least)):
        if fits(table, moved(table, moves)):
            return moves
    return None
