"""Premises by their definitions, row by row: tables are dicts of lists, `None` a missing cell."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

Columns = Mapping[str, Sequence[str | None]]
MARKER = "*"


def are_many(some: int, everybody: int) -> bool:
    return some >= 5 and 20 * some > everybody


def is_cell(value: str | None) -> bool:
    return value is not None and value != MARKER


def find_persons(columns: Columns, person: str | None) -> list[Hashable]:
    """The person of each row; rows without one are one person each."""
    rows = len(next(iter(columns.values())))
    if person is None:
        return list(range(rows))
    return [value if is_cell(value) else ("row", row) for row, value in enumerate(columns[person])]


def find_alone(columns: Columns, names: Sequence[str], persons: Sequence[Hashable], fewer: int = 2) -> set[Hashable]:
    """The people of groups, by some columns, of fewer people than this."""
    rows = range(len(persons))
    tuples = [tuple(columns[name][row] for name in names) for row in rows]
    groups: dict[tuple[Any, ...], set[Hashable]] = {}
    for row in rows:
        groups.setdefault(tuples[row], set()).add(persons[row])
    return {person for group in groups.values() if len(group) < fewer for person in group}


def rest(
    columns: Columns, quasi: Sequence[str], insensitive: Sequence[str], sensitive: Sequence[str], person: str | None
) -> dict[str, Any]:
    persons = find_persons(columns, person)
    count = lambda names, fewer=2: len(find_alone(columns, names, persons, fewer))  # noqa: E731
    own = count(quasi)
    figures = {
        "qi": own,
        "all": count([*quasi, *insensitive]),
        "of": len(set(persons)),
        "few": count([*quasi, *insensitive], 5),
        "with_sensitive": count([*quasi, *insensitive, *sensitive]),
    }
    return figures, {name: count([*quasi, name]) - own for name in insensitive}


def fingerprint(columns: Columns, name: str, person: str | None) -> int:
    """People whose cell nobody else has."""
    persons, holders = find_persons(columns, person), dict[str, set[Hashable]]()
    for value, one in zip(columns[name], persons, strict=True):
        if is_cell(value):
            holders.setdefault(str(value), set()).add(one)
    return len({next(iter(people)) for people in holders.values() if len(people) == 1})


def free_text(columns: Columns, name: str, person: str | None, units: Mapping[str, int]) -> tuple[bool, int, int]:
    persons, holders = find_persons(columns, person), dict[str, set[Hashable]]()
    cells = 0
    for value, one in zip(columns[name], persons, strict=True):
        if is_cell(value):
            holders.setdefault(str(value), set()).add(one)
            cells += 1
    long = [value for value in holders if units[value] >= 5]
    own = sum(len(holders[value]) == 1 for value in long)
    return are_many(own, cells) and 2 * own > len(long), own, cells


def covered(columns: Columns, quasi: Sequence[str], name: str, person: str | None) -> tuple[int, int]:
    """The published values, and the people of classes where all rows have the same one."""
    persons, classes = find_persons(columns, person), dict[tuple[Any, ...], list[int]]()
    for row in range(len(persons)):
        known = tuple(columns[one][row] for one in quasi)
        if any(value != MARKER for value in known):
            classes.setdefault(known, []).append(row)
    same = [rows for rows in classes.values() if len({columns[name][row] for row in rows}) == 1]
    values = {value for value in columns[name] if is_cell(value)}
    return len(values), len({persons[row] for rows in same for row in rows})


def identifiers(columns: Columns, name: str, original: Columns | None) -> tuple[int, int]:
    before = {value for value in (original or {}).get(name, ()) if is_cell(value)}
    cells = [value for value in columns[name] if is_cell(value)]
    return len(cells), sum(value in before for value in cells)


def changed(columns: Columns, original: Columns, published: Sequence[str]) -> bool:
    """True if the rows are others than those of the original."""
    if any(name not in original for name in published):
        return True
    tables = (list(zip(*(table[name] for name in published), strict=True)) for table in (columns, original))
    return Counter(next(tables)) != Counter(next(tables))


def counts(excess: int, filled: int) -> bool:
    return excess >= 5 or 100 * excess > filled


def number_of_people(cells: Sequence[str | None], persons: Sequence[Hashable] | None = None) -> bool:
    """Rule 1, of a column that is a number of people."""
    filled = [(value, row) for row, value in enumerate(cells) if is_cell(value)]
    values = {value for value, _ in filled}
    excess = len(filled) - len(values)
    if persons is not None:
        excess = len({(value, persons[row]) for value, row in filled}) - len(values)
    return bool(values) and counts(excess, len(filled)) and len(filled) <= 50 * len(values)


def other_identifier(columns: Columns, name: str, companions: Sequence[str], *, filled_too: bool) -> bool:
    """Rule 2: rows that agree with an earlier one."""
    needed = [name, *(companions if filled_too else ())]
    rows = [row for row in range(len(columns[name])) if all(is_cell(columns[one][row]) for one in needed)]
    seen = {tuple(columns[one][row] for one in (name, *companions)) for row in rows}
    return counts(len(rows) - len(seen), sum(map(is_cell, columns[name])))


def acts_like_number(columns: Columns, name: str) -> bool:
    """Rule 3."""
    cells, rows = columns[name], len(columns[name])
    filled = [row for row in range(rows) if is_cell(cells[row])]
    distinct = len({cells[row] for row in filled})
    if not (distinct >= 20 and Fraction(105, 100) * distinct <= len(filled) <= 50 * distinct):
        return False
    groups: dict[str | None, list[int]] = {}
    for row in filled:
        groups.setdefault(cells[row], []).append(row)
    pairs = [pair for group in groups.values() for pair in pairwise(group)]
    if len(pairs) < 20 or not counts(len(filled) - distinct, len(filled)):
        return False
    kappas = []
    for other in columns:
        if other == name:
            continue
        chance = sum(Fraction(times, rows) ** 2 for times in Counter(columns[other]).values())
        if chance <= Fraction(4, 5):
            agree = Fraction(sum(columns[other][one] == columns[other][two] for one, two in pairs), len(pairs))
            kappas.append((agree - chance) / (1 - chance))
    best = sorted(kappas)[-2:]
    return len(best) == 2 and best[0] >= Fraction(3, 5) and best[1] >= Fraction(4, 5)


def whom_found(columns: Columns, names: Sequence[str], person: str | None, *, all_rows: bool) -> tuple[int, int]:
    """People whom fewer than five fit, and whom nobody else fits."""
    persons = find_persons(columns, person)
    rows = [tuple(columns[name][row] for name in names) for row in range(len(persons))]
    if all_rows:
        histories: dict[Hashable, Counter[tuple[Any, ...]]] = {}
        for one, row in zip(persons, rows, strict=True):
            histories.setdefault(one, Counter())[row] += 1
        fitting = Counter(frozenset(one.items()) for one in histories.values())
        least = [fitting[frozenset(histories[one].items())] for one in histories]
    else:
        groups: dict[tuple[Any, ...], set[Hashable]] = {}
        for one, row in zip(persons, rows, strict=True):
            groups.setdefault(row, set()).add(one)
        own: dict[Hashable, int] = {}
        for one, row in zip(persons, rows, strict=True):
            own[one] = min(own.get(one, len(persons)), len(groups[row]))
        least = [*own.values()]
    return sum(one < 5 for one in least), sum(one == 1 for one in least)
