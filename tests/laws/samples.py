"""Small tables on which every measure can be evaluated, with their originals, hierarchies and roles."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import PETWorks as pw
from PETWorks.plugin import Measure, Step
from support.parameters import find_parameters

Table = dict[str, list[str | None]]
HOLDOUT: Table = {  # people who took no part
    "age": ["20", "27", "33", "48"],
    "zip": ["100", "101", "122", "121"],
    "disease": ["flu", "cold", "flu", None],
    "salary": ["1000", "2000", "3e3", "1000"],
}


@dataclass(frozen=True)
class Sample:
    released: Table
    original: Table
    hierarchies: dict[str, list[tuple[str | None, ...]]]
    population: Table | None  # only where each column is at one level

    def release(self, **options: Any) -> pw.Release:
        roles = {"quasi_identifiers": ["age", "zip"], "sensitive": ["disease", "salary"]}
        tables = {"original": self.original, "population": self.population, "holdout": HOLDOUT}
        cut = {"released": self.original, "original": self.original, "pairing": "position"}
        tables["earlier"] = [cut]  # with more detail
        return pw.Release(self.released, hierarchies=self.hierarchies, weight="weight", **(tables | roles | options))

    def rows(self, order: list[int]) -> Sample:
        """Return the sample with rows reordered or repeated, and the population with them."""

        def pick(table: Table) -> Table:
            return {name: [cells[row] for row in order] for name, cells in table.items()}

        times = len(order) // len(self.original["age"])
        more = self.population and {name: cells * times for name, cells in self.population.items()}
        return replace(self, released=pick(self.released), original=pick(self.original), population=more)


def sample(seed: int, rows: int = 40) -> Sample:
    """Ages and postcodes lifted column by column (even seeds) or cell by cell, with a few rows suppressed."""
    chance = random.Random(seed)
    ages = [(str(age), f"{age // 10}x", "young" if age < 40 else "old", "*") for age in range(20, 60)]
    zips = [(str(code), f"{code // 10}*", "*") for code in range(100, 140)]
    diseases = [("flu", "lung", "any"), ("cold", "lung", "any"), ("ulcer", "stomach", "any"), (None, "unknown", "any")]
    original: Table = {"age": [], "zip": [], "disease": [], "salary": []}
    released: Table = {"age": [], "zip": [], "disease": [], "salary": [], "weight": []}
    for _ in range(rows):
        age, code = chance.choice(ages[::7]), chance.choice(zips[::9])
        disease, salary = chance.choice(diseases)[0], chance.choice(["1000", "2000", "2000.0", "3e3"])
        suppressed = chance.random() < 0.15
        cells = ("*", "*") if suppressed else (age[chance.choice([1, 1, 2]) if seed % 2 else 1], code[1])
        values = ("*" if suppressed and chance.random() < 0.5 else disease, salary)  # numbers stay numbers
        weight = chance.choice(["1", "2.5", "40", "0.5"])
        for name, cell in zip(released, (*cells, *values, weight), strict=True):
            released[name].append(cell)
        for name, cell in zip(original, (age[0], code[0], disease, salary), strict=True):
            original[name].append(cell)
    strangers = {"age": ["27", "31", "58"], "zip": ["101", "122", "139"]}
    population = None if seed % 2 else {name: original[name] + strangers[name] for name in strangers}
    return Sample(released, original, {"age": ages, "zip": zips, "disease": diseases}, population)


SAMPLES = [sample(seed) for seed in range(4)]


def questions(kind: type[Measure]) -> list[Measure]:
    """Build the measure from each of its examples, without limits and with them; columns that it names stay named."""
    named = {*kind.list_required(), *(name for name, one in find_parameters(kind).items() if one.names)}
    needed = {name: value for name, value in kind.examples[0].items() if name in named}
    asked = [{**needed}, *kind.examples]
    return list({repr(one): one for one in (kind(**parameters) for parameters in asked)}.values())


def walk(steps: Iterable[Step]) -> Iterator[Step]:
    """Steps, each followed by its lines."""
    for step in steps:
        yield step
        yield from walk(step.lines)
