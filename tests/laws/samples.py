"""Small tables on which every measure can be asked, with their originals, hierarchies and roles."""

from __future__ import annotations

import random
from dataclasses import dataclass, fields, replace
from typing import Any

import PETWorks as pw
from PETWorks.measure import Measure

Table = dict[str, list[str | None]]


@dataclass(frozen=True)
class Sample:
    released: Table
    original: Table
    hierarchies: dict[str, list[tuple[str | None, ...]]]

    def release(self, **options: Any) -> pw.Release:
        roles = {"quasi_identifiers": ["age", "zip"], "sensitive": ["disease", "salary"]}
        return pw.Release(self.released, original=self.original, hierarchies=self.hierarchies, **(roles | options))

    def rows(self, order: list[int]) -> Sample:
        def pick(table: Table) -> Table:
            return {name: [cells[row] for row in order] for name, cells in table.items()}

        return replace(self, released=pick(self.released), original=pick(self.original))


def sample(seed: int, rows: int = 40) -> Sample:
    """Ages and postcodes lifted column by column or cell by cell, with a few rows suppressed."""
    chance = random.Random(seed)
    ages = [(str(age), f"{age // 10}x", "young" if age < 40 else "old", "*") for age in range(20, 60)]
    zips = [(str(code), f"{code // 10}*", "*") for code in range(100, 140)]
    diseases = [("flu", "lung", "any"), ("cold", "lung", "any"), ("ulcer", "stomach", "any"), (None, "unknown", "any")]
    original: Table = {"age": [], "zip": []}
    released: Table = {"age": [], "zip": [], "disease": [], "salary": []}
    for _ in range(rows):
        age, code = chance.choice(ages[::7]), chance.choice(zips[::9])
        disease, salary = chance.choice(diseases)[0], chance.choice(["1000", "2000", "2000.0", "3e3"])
        suppressed = chance.random() < 0.15
        cells = ("*", "*") if suppressed else (age[chance.choice([1, 1, 2])], code[1])
        values = ("*", "*") if suppressed and chance.random() < 0.5 else (disease, salary)
        for name, cell in zip(released, (*cells, *values), strict=True):
            released[name].append(cell)
        for name, cell in zip(original, (age[0], code[0]), strict=True):
            original[name].append(cell)
    return Sample(released, original, {"age": ages, "zip": zips, "disease": diseases})


SAMPLES = [sample(seed) for seed in range(4)]


def questions(kind: type[Measure]) -> list[Measure]:
    """The measure without limits, and with every number set to something its range allows."""
    declared = {one.name: one.metadata["parameter"] for one in fields(kind) if "parameter" in one.metadata}
    numbers = {name: parameter for name, parameter in declared.items() if parameter.kind == "number"}
    needed = {name: 2 + place for place, name in enumerate(kind.required())}
    chosen = {name: "1/2" if parameter.most == 1 else needed.get(name, 2) for name, parameter in numbers.items()}
    return list(dict.fromkeys([kind(**needed), kind(**(needed | chosen))]))
