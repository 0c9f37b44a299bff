"""Originals and releases whose rows pair, and the same releases with rows out of place: a trial of the check."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from support.places import ROOT

Columns = dict[str, list[str]]
Ladders = dict[str, list[tuple[str, ...]]]  # for each column, the rows of its hierarchy


class Table(NamedTuple):
    """An original with its hierarchies."""

    name: str
    columns: Columns
    hierarchies: Ladders

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(next(iter(self.columns.values())))

    def ladder(self, name: str) -> dict[str, tuple[str, ...]]:
        """Return the ancestors of each value of a column."""
        if name in self.hierarchies:
            return {row[0]: row for row in self.hierarchies[name]}
        return {value: (value, "*") for value in self.columns[name]}


# Originals.


def adult(chance: Random, rows: int) -> Table:
    """Return rows of the census table that stand one after another, and some of its columns."""
    with (ROOT / "data" / "adult.csv").open(encoding="utf-8") as file:
        everything = list(csv.DictReader(file, delimiter=";"))
    names = chance.sample(sorted(everything[0]), chance.choice([2, 3, 4, 6, 9]))
    start = chance.randrange(len(everything) - rows)
    columns = {name: [row[name] for row in everything[start : start + rows]] for name in names}
    return Table("census", columns, {name: _hierarchy(name) for name in names})


def _hierarchy(name: str) -> list[tuple[str, ...]]:
    with (ROOT / "data" / "adult_hierarchy" / f"adult_hierarchy_{name}.csv").open(encoding="utf-8") as file:
        return [tuple(row) for row in csv.reader(file, delimiter=";")]


def invented(chance: Random, rows: int) -> Table:
    """Draw a table: columns of numbers and of words, skewed or not, with and without hierarchies."""
    columns, hierarchies = {}, {}
    for number in range(chance.choice([1, 2, 3, 4, 5])):
        name, many = f"c{number}", chance.choice([2, 3, 6, 20, 60])
        prefix = chance.choice(["", "", "v"])
        values = [f"{prefix}{value}" for value in range(10, 10 + many)]
        weights = [1 / (1 + place) ** chance.choice([0, 1]) for place in range(many)]
        columns[name] = chance.choices(values, weights, k=rows)
        if chance.random() < 0.7:
            widths = chance.choice([(2,), (3, 9), (5, 10, 30)])
            steps = [[f"{name} {width}:{place // width}" for place in range(many)] for width in widths]
            hierarchies[name] = [*zip(values, *steps, ["*"] * many, strict=True)]
    return Table("invented", columns, hierarchies)


# Releases whose rows pair.


def full_domain(chance: Random, table: Table) -> Columns:
    """Lift each column to one level; leave at least one column below its top."""
    released = {}
    for name, cells in table.columns.items():
        ladder = table.ladder(name)
        level = chance.randrange(len(next(iter(ladder.values()))) - 1)
        released[name] = [ladder[cell][level] for cell in cells]
    return released


def local_recoding(chance: Random, table: Table) -> Columns:
    """Lift each cell to a level of its own."""
    ladders = {name: table.ladder(name) for name in table.columns}
    return {name: [chance.choice(ladders[name][cell][:3]) for cell in cells] for name, cells in table.columns.items()}


def suppression(chance: Random, table: Table) -> Columns:
    """Suppress cells, and whole rows."""
    gone = [chance.random() < 0.2 for _ in range(table.rows)]
    released = {}
    for name, cells in table.columns.items():
        share = chance.choice([0, 0.1, 0.4])
        released[name] = [
            "*" if hide or chance.random() < share else cell for hide, cell in zip(gone, cells, strict=True)
        ]
    return released


def microaggregation(chance: Random, table: Table) -> Columns:
    """Replace numbers by the mean of their class, which the other columns, generalised, form."""
    released = full_domain(chance, table)
    numeric = [name for name, cells in table.columns.items() if all(map(str.isdigit, cells))]
    others = [name for name in table.columns if name not in numeric[:1]]
    for name in numeric[:1]:
        classes: dict[tuple[str, ...], list[int]] = {}
        for row in range(table.rows):
            classes.setdefault(tuple(released[other][row] for other in others), []).append(row)
        for rows in classes.values():
            mean = sum(int(table.columns[name][row]) for row in rows) / len(rows)
            for row in rows:
                released[name][row] = f"{mean:.2f}"
    return released


def perturbation(chance: Random, table: Table, columns: int | None = None) -> Columns:
    """Change cells of fewer than half of the columns, or of so many: numbers by noise, words at random."""
    released = full_domain(chance, table)
    for name in chance.sample(sorted(released), (len(released) - 1) // 2 if columns is None else columns):
        cells = table.columns[name]
        values, share = sorted(set(cells)), chance.choice([0.05, 0.1, 0.3])
        if all(map(str.isdigit, cells)) and chance.random() < 0.5:
            released[name] = [str(int(cell) + chance.randint(-3, 3)) for cell in cells]
        else:
            released[name] = [chance.choice(values) if chance.random() < share else cell for cell in cells]
    return released


def perturbed_everywhere(chance: Random, table: Table) -> Columns:
    """Change cells of every column."""
    return perturbation(chance, table, len(table.columns))


RIGHT = {
    one.__name__: one
    for one in (full_domain, local_recoding, suppression, microaggregation, perturbation, perturbed_everywhere)
}


# The same rows out of place.


def shuffled(chance: Random, rows: int) -> list[int]:
    """Shuffle all rows."""
    return chance.sample(range(rows), rows)


def shifted(chance: Random, rows: int, earliest: int = 0) -> list[int]:
    """Move one to three rows from some place to the end, so that all behind them are too early."""
    start, many = chance.randrange(earliest, max(earliest + 1, rows - 10)), chance.choice([1, 2, 3])
    return [*range(start), *range(start + many, rows), *range(start, start + many)]


def shifted_late(chance: Random, rows: int) -> list[int]:
    """Shift at most the last twentieth of the rows."""
    return shifted(chance, rows, rows - rows // 20 - 3)


def partly_shuffled(chance: Random, rows: int, share: float = 0.5) -> list[int]:
    """Shuffle some of the rows among each other, wherever they stand."""
    moved = chance.sample(range(rows), max(round(rows * share), 2))
    order = list(range(rows))
    for place, row in zip(sorted(moved), moved, strict=True):
        order[place] = row
    return order


def slightly_shuffled(chance: Random, rows: int) -> list[int]:
    """Shuffle three rows out of a hundred."""
    return partly_shuffled(chance, rows, 0.03)


def blocks_swapped(chance: Random, rows: int) -> list[int]:
    """Exchange the first and the last part of the table."""
    cut = chance.randrange(rows // 4, rows - rows // 4)
    return [*range(cut, rows), *range(cut)]


WRONG = {
    one.__name__: one for one in (shuffled, shifted, shifted_late, partly_shuffled, slightly_shuffled, blocks_swapped)
}


def in_order(columns: Columns, order: list[int]) -> Columns:
    """Return a table with its rows in another order."""
    return {name: [cells[row] for row in order] for name, cells in columns.items()}


def sorted_by_one(chance: Random, released: Columns) -> Columns:
    """Sort the rows by one column."""
    name = chance.choice(sorted(released))
    return in_order(released, sorted(range(len(released[name])), key=lambda row: released[name][row]))


class Case(NamedTuple):
    """A release of a table: how it was made, and how its rows were put out of place ("": they pair)."""

    table: Table
    released: Columns
    made: str
    moved: str


def cases(seed: int, many: int) -> Iterator[Case]:
    """Yield releases with their rows in place, and out of place."""
    chance = Random(seed)
    for _ in range(many):
        size = chance.choice([12, 50, 200, 1000, 3000])
        table = chance.choice([adult, invented])(chance, size)
        made = chance.choice(sorted(RIGHT))
        released = RIGHT[made](chance, table)
        yield Case(table, released, made, "")
        for moved, order in WRONG.items():
            yield Case(table, in_order(released, order(chance, size)), made, moved)
        yield Case(table, sorted_by_one(chance, released), made, "sorted")
