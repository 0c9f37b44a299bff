"""Alibis by definition: for a small class, another table that a guarded report fits just as well.

A table of classes is a mapping from combinations of values to numbers of people. An original is known by how many of
its rows have each value of each column; they move with the people. Values have kinds, and only change to their own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import combinations, product

Combination = tuple[str, ...]
Table = Mapping[Combination, int]
Moves = Mapping[Combination, Combination]  # where the people of a class go
Kinds = Mapping[str, object]  # of values that are not all of one kind
Original = list[Counter[str]]  # rows of each value, by column
EDGES = (0, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000)


def band(count: int) -> int:
    return sum(count >= edge for edge in EDGES)


def marginals(table: Table, column: int) -> dict[str, int]:
    found: Counter[str] = Counter()
    for combination, people in table.items():
        found[combination[column]] += people
    return found


def moved(table: Table, moves: Moves) -> dict[Combination, int]:
    return {moves.get(combination, combination): people for combination, people in table.items()}


def fits(table: Table, other: Table, original: Original | None = None) -> bool:
    """True if every value still occurs, in its band, also in the original."""
    for column in range(len(next(iter(table)))):
        known, moved = marginals(table, column), marginals(other, column)
        if known.keys() != moved.keys() or any(band(known[value]) != band(moved[value]) for value in known):
            return False
        rows = original[column] if original else {}
        if any(band(many) != band(many + moved.get(value, 0) - known.get(value, 0)) for value, many in rows.items()):
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


def same_kinds(moves: Moves, kinds: Kinds) -> bool:
    pairs = [pair for start, end in moves.items() for pair in zip(start, end, strict=True)]
    return all(kinds.get(one) == kinds.get(other) for one, other in pairs)


def alibi(
    table: Table, small: Combination, least: int = 5, original: Original | None = None, kinds: Kinds | None = None
) -> Moves | None:
    """Return the moves that make an alibi; None if there is none."""
    for moves in (*going(table, small), *exchanging(table, small, least)):
        if same_kinds(moves, kinds or {}) and fits(table, moved(table, moves), original):
            return moves
    return None
