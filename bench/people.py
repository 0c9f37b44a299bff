"""Made-up people to count: tables in codes, drawn from Adult chunk by chunk with a fixed seed.

Drawing Adult's rows again would stop at its 19,502 combinations of nine values. Real tables go on, so some of the
people drawn take one or two of their values from others.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

import numpy as np
from layout import DATA, DELIMITER, SENSITIVE

SEED, VERSION = 1, 1  # whoever changes what is drawn raises the version
CHUNK = 1_000_000
MIXED = (0.15, 0.075)  # how many people take a value from another, and how many of all do so once more
STRIDE = 400_500_269  # shares no factor with the number of all combinations, so that none comes twice
LIFTED = {"age": 1}  # levels of the hierarchies in the release; other columns stay as they are
SMALLEST = 5  # people of a class; in smaller classes of the release all quasi-identifiers are suppressed

KINDS = ("adult", "released", "independent", "distinct")

Codes = np.ndarray  # a row for each person, a column for each attribute: places in the values of that attribute


class Table(NamedTuple):
    """Columns, the values of each, and the rows in codes."""

    columns: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    chunks: Callable[[], Iterator[Codes]]


def table(kind: str, rows: int) -> Table:
    """Give a table that is drawn anew whenever its chunks are asked for, each time the same."""
    if kind == "released":
        return released(table("adult", rows))
    columns, values, _ = adult()
    draw = {"adult": _mixed, "independent": _independent, "distinct": _distinct}[kind]

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


def _mixed(random: np.random.Generator, start: int) -> Codes:  # noqa: ARG001 (all draw alike)
    """Draw people of Adult, some with a value or two of somebody else."""
    people = adult()[2]
    drawn = people[random.integers(0, len(people), CHUNK)]
    for share in MIXED:
        who = np.flatnonzero(random.random(CHUNK) < share)
        what = random.integers(0, people.shape[1], len(who))
        drawn[who, what] = people[random.integers(0, len(people), len(who)), what]
    return drawn


def _independent(random: np.random.Generator, start: int) -> Codes:  # noqa: ARG001
    """Draw every value by itself: far more combinations than among people."""
    people = adult()[2]
    return np.stack([column[random.integers(0, len(people), CHUNK)] for column in people.T], axis=1)


def _distinct(random: np.random.Generator, start: int) -> Codes:
    """Give no combination twice, by walking through all of them in large strides."""
    sizes = [len(some) for some in adult()[1]]
    place = random.permutation(np.arange(start, start + CHUNK, dtype=np.int64)) * STRIDE % np.prod(sizes)
    return np.stack(np.unravel_index(place, sizes), axis=1).astype(np.uint8)


def released(original: Table) -> Table:
    """Generalise and suppress a table: a row has its quasi-identifiers lifted, or all `*` where its class is small."""
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
    """Give the label of each value on the level that the release has."""
    with (DATA / "adult_hierarchy" / f"adult_hierarchy_{name}.csv").open(newline="", encoding="ascii") as file:
        lines = {line[0]: line for line in csv.reader(file, delimiter=DELIMITER)}
    return [lines[leaf][LIFTED.get(name, 0)] for leaf in leaves]
