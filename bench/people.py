"""Generate tables of synthetic people as codes, drawn from Adult chunk by chunk with a fixed seed.

If Adult's rows were only repeated, there would be no more than its 19,502 combinations of nine values. In real tables,
more rows bring more combinations. So some of the drawn people take one or two of their values from others.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import NamedTuple

import numpy as np
from layout import DATA, DELIMITER, PERSON, SENSITIVE

SEED, VERSION = 1, 1  # increase the version after any change of the generated tables
CHUNK = 1_000_000  # rows that are generated at a time
MIXED = (0.15, 0.075)  # share of people who take one value from another person; share who do so in a second pass
STRIDE = 400_500_269  # coprime to the number of all combinations, so that no combination occurs twice
LIFTED = {"age": 1}  # the level at which a column is released; other columns are not generalised
SMALLEST = 5  # smallest class of the release; the quasi-identifiers of smaller ones are suppressed

NUMBERS = {"age": (39, 13, 17, 90), "hours": (41, 12, 1, 99), "income": (2800, 1500, 0, 9999)}  # of `numbers`:
# mean and standard deviation of each column, and the least and greatest number

MORE = {"hours": 60, "region": 22, "smokes": 2}  # further columns of tables of twelve, with their numbers of values
VISITS = 5  # rows of a person in `visits`
KINDS = ("adult", "released", "independent", "distinct", "numbers", "visits", "twelve", "twelve_made", "twelve_others")

Codes = np.ndarray  # a row for each person, a column for each attribute: indices into the values of that attribute


class Table(NamedTuple):
    """The names of the columns, the values of each column, and a function that yields the rows as codes."""

    columns: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]  # none for a column of numbers, whose codes are the numbers
    chunks: Callable[[], Iterator[Codes]]


def table(kind: str, rows: int) -> Table:
    """Return a table. Its rows are generated whenever its chunks are read, every time the same."""
    if kind == "released":
        return released(table("adult", rows))
    columns, values, _ = adult()
    if kind == "numbers":
        columns = tuple(NUMBERS)
        values = tuple(tuple(map(str, range(least, most + 1))) for _, _, least, most in NUMBERS.values())
    if kind == "visits":
        columns, values = (*columns, PERSON), (*values, ())
    if kind.startswith("twelve"):
        columns, values = (*columns, *MORE), (*values, *(tuple(map(str, range(size))) for size in MORE.values()))
    draw = {
        "twelve": partial(_twelve, table=0),
        "twelve_made": partial(_twelve, table=1),
        "twelve_others": partial(_twelve, table=2),
        "adult": _mixed,
        "independent": _independent,
        "distinct": _distinct,
        "numbers": _numbers,
        "visits": partial(_visits, people=max(1, rows // VISITS)),
    }[kind]

    def chunks() -> Iterator[Codes]:
        for number, start in enumerate(range(0, rows, CHUNK)):
            yield draw(np.random.default_rng([SEED, number]), start)[: rows - start]

    return Table(columns, values, chunks)


@cache
def adult() -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...], Codes]:
    """Read Adult as columns, values and codes."""
    with (DATA / "adult.csv").open(newline="", encoding="ascii") as file:
        columns, *rows = csv.reader(file, delimiter=DELIMITER)
    values, codes = zip(*(np.unique(cells, return_inverse=True) for cells in zip(*rows, strict=True)), strict=True)
    return tuple(columns), tuple(tuple(map(str, some)) for some in values), np.stack(codes, axis=1).astype(np.uint8)


def _mixed(random: np.random.Generator, start: int) -> Codes:  # noqa: ARG001 (all have the same signature)
    """Draw people of Adult, some of whom take one or two values from somebody else."""
    people = adult()[2]
    drawn = people[random.integers(0, len(people), CHUNK)]
    for share in MIXED:
        who = np.flatnonzero(random.random(CHUNK) < share)
        what = random.integers(0, people.shape[1], len(who))
        drawn[who, what] = people[random.integers(0, len(people), len(who)), what]
    return drawn


def _twelve(random: np.random.Generator, start: int, table: int) -> Codes:  # noqa: ARG001
    """Draw people as `_mixed` does, with three more columns; each table has people of its own."""
    own = np.random.default_rng([SEED, table, start])
    more = [own.integers(0, size, CHUNK) for size in MORE.values()]
    return np.column_stack([_mixed(own, start), *more]).astype(np.uint8)


def _independent(random: np.random.Generator, start: int) -> Codes:  # noqa: ARG001
    """Draw every value independently, which makes far more combinations than real people have."""
    people = adult()[2]
    return np.stack([column[random.integers(0, len(people), CHUNK)] for column in people.T], axis=1)


def _distinct(random: np.random.Generator, start: int) -> Codes:
    """Return rows that are all different, by walking through all combinations in large strides."""
    sizes = [len(some) for some in adult()[1]]
    place = random.permutation(np.arange(start, start + CHUNK, dtype=np.int64)) * STRIDE % np.prod(sizes)
    return np.stack(np.unravel_index(place, sizes), axis=1).astype(np.uint8)


def _numbers(random: np.random.Generator, start: int) -> Codes:  # noqa: ARG001
    """Draw whole numbers from normal distributions that are cut off."""
    drawn = [
        np.clip(np.rint(random.normal(mean, deviation, CHUNK)), least, most) - least
        for mean, deviation, least, most in NUMBERS.values()
    ]
    return np.stack(drawn, axis=1).astype(np.uint16)


def _visits(random: np.random.Generator, start: int, people: int) -> Codes:
    """Return visits in a random order of people who come several times; now and then a value has changed."""
    rows = random.permutation(np.arange(start, start + CHUNK, dtype=np.int64))
    who = rows * STRIDE % people
    visits = adult()[2][who * STRIDE % len(adult()[2])].astype(np.int32)
    changed = np.flatnonzero(random.random(CHUNK) < MIXED[0])
    what = random.integers(0, visits.shape[1], len(changed))
    visits[changed, what] = adult()[2][random.integers(0, len(adult()[2]), len(changed)), what]
    return np.column_stack([visits, who.astype(np.int32)])


def released(original: Table) -> Table:
    """Return the table with generalised quasi-identifiers; in small classes they are all `*`."""
    known = [place for place, name in enumerate(original.columns) if name != SENSITIVE]
    values, lifts = [], []
    for name, leaves in zip(original.columns, original.values, strict=True):
        labels = lifted(name, leaves)
        values.append((*dict.fromkeys(labels), *(() if name == SENSITIVE else "*")))
        lifts.append(np.array([values[-1].index(label) for label in labels], dtype=np.uint8))
    sizes = [len(values[place]) for place in known]
    sign = np.array([len(some) - 1 for some in values], dtype=np.uint8)

    def lift(codes: Codes) -> tuple[Codes, np.ndarray]:
        coarse = np.stack([to[column] for to, column in zip(lifts, codes.T, strict=True)], axis=1)
        return coarse, np.ravel_multi_index(tuple(coarse[:, known].T), sizes)

    def chunks() -> Iterator[Codes]:
        people = np.zeros(np.prod(sizes), dtype=np.int32)
        for codes in original.chunks():
            classes, counts = np.unique(lift(codes)[1], return_counts=True)
            people[classes] += counts.astype(np.int32)
        for codes in original.chunks():
            coarse, place = lift(codes)
            coarse[np.ix_(people[place] < SMALLEST, known)] = sign[known]
            yield coarse

    return Table(original.columns, tuple(values), chunks)


def lifted(name: str, leaves: tuple[str, ...]) -> list[str]:
    """Return the ancestor of each value at the level of the release."""
    with (DATA / "adult_hierarchy" / f"adult_hierarchy_{name}.csv").open(newline="", encoding="ascii") as file:
        lines = {line[0]: line for line in csv.reader(file, delimiter=DELIMITER)}
    return [lines[leaf][LIFTED.get(name, 0)] for leaf in leaves]
