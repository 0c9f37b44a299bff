"""The optima that ARX found on the project's own data, and the releases they describe.

`own_data.json` holds ARX's figures; its field "what" defines them. Releases are built and classes are judged here by
definition, without the library's measures.
"""

from __future__ import annotations

import csv
import json
from collections import Counter, defaultdict
from collections.abc import Collection
from fractions import Fraction
from functools import cache, cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import PETWorks as pw
from oracle.naive import Ladder, Shares, equal_distance, hierarchical_distance, shares
from oracle.naive_privacy import Spread, change, entropy_at_least, excess, log2_below, recursive
from support.places import ROOT

Case = dict[str, Any]
Goal = dict[str, Any]
Rows = list[int]  # the row numbers of a class

ADULT = ROOT / "data" / "adult.csv"
HIERARCHIES = ROOT / "data" / "adult_hierarchy"
MEASURES = {
    "k-anonymity": pw.KAnonymity,
    "l-diversity": pw.LDiversity,
    "t-closeness": pw.TCloseness,
    "beta-likeness": pw.BetaLikeness,
    "delta-disclosure": pw.DeltaDisclosure,
}


def load() -> dict[str, Case]:
    """Read the cases by name, and add the right answer to o15, which the file has in a note.

    ARX is wrong there: the entropy l of a class with the counts 4, 1, 1, 1, 1 is exactly 4, which it rejects by
    rounding. It accepts the other classes with exactly 4, whose counts are 1, 1, 1, 1.
    """
    path = Path(__file__).with_name("own_data.json")
    cases = {case["id"]: case for case in json.loads(path.read_text(encoding="utf-8"))["cases"]}
    right = {"suppressed": 1_486, "score": 0.2474441079170524, "arx_quality": {}}
    return cases | {"o15": cases["o15"] | {"rejected": [4, 1, 1, 1, 1]}, "o15 exactly": cases["o15"] | right}


OPTIMA = load()


def read(path: Path) -> list[list[str]]:
    """Read the rows of a CSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file, delimiter=";"))


@cache
def original() -> dict[str, list[str]]:
    """Read the original, by column."""
    return {name: cells for name, *cells in zip(*read(ADULT), strict=True)}


@cache
def ladders(name: str) -> dict[str, Ladder]:
    """Read the leaves of a column with their ancestors."""
    return {row[0]: tuple(row) for row in read(HIERARCHIES / f"adult_hierarchy_{name}.csv")}


@cache
def lifted(name: str, level: int) -> np.ndarray:
    """Lift a column of the original to a level."""
    hierarchy = pw.Hierarchy(name, ladders(name).values())
    ancestors = {leaf: hierarchy.lift(leaf, level) for leaf in ladders(name)}
    return np.array([ancestors[cell] for cell in original()[name]], dtype=object)


def asked(goal: Goal) -> Any:
    """Build the measure that has the limits of a goal."""
    return MEASURES[goal["measure"]](**{key: value for key, value in goal.items() if key != "measure"})


class Optimum:
    """A case: the original lifted to its levels, the classes this makes, and those that fail a goal."""

    def __init__(self, case: Case) -> None:
        levels = zip(case["quasi_identifiers"], case["levels"], strict=True)
        self.case = case
        self.columns = {name: lifted(name, level) for name, level in levels}

    @cached_property
    def classes(self) -> list[Rows]:
        """All classes."""
        found = defaultdict[tuple[str, ...], Rows](list)
        for row, values in enumerate(zip(*self.columns.values(), strict=True)):
            found[values].append(row)
        return list(found.values())

    @cached_property
    def failing(self) -> list[list[Rows]]:
        """For each goal, the classes that do not meet it."""
        return [self._failing(goal) for goal in self.case["goals"]]

    def _failing(self, goal: Goal) -> list[Rows]:
        cells = original()[goal.get("sensitive", "occupation")]  # k-anonymity looks at sizes only
        whole = shares(Counter(cells))
        return [rows for rows in self.classes if not meets(goal, spread(cells, rows), whole)]

    @cached_property
    def suppressed(self) -> set[int]:
        """The rows of all classes that fail a goal, and of the one that ARX rejects."""
        suppressed = [rows for failing in self.failing for rows in failing]
        if counts := self.case.get("rejected"):
            cells = original()["occupation"]
            suppressed += [rows for rows in self.classes if sorted(spread(cells, rows).counts.values())[::-1] == counts]
        return {row for rows in suppressed for row in rows}

    def release(self, suppressed: Collection[int] = ()) -> pw.Release:
        """Build the release, with some rows suppressed."""
        marked = np.isin(np.arange(len(original()["age"])), list(suppressed))
        released = {name: np.where(marked, "*", cells) for name, cells in self.columns.items()}
        return pw.Release(
            pa.table(released | {name: original()[name] for name in self.case["sensitive"]}),  # read faster than lists
            original=ADULT,
            hierarchies=HIERARCHIES,
            quasi_identifiers=self.case["quasi_identifiers"],
            sensitive=self.case["sensitive"],
        )


def spread(cells: list[str], rows: Rows) -> Spread:
    """Count the values of a class in a column."""
    return Spread({}, len(rows), Counter(cells[row] for row in rows))


def meets(goal: Goal, inside: Spread, whole: Shares) -> bool:
    """Judge a class by definition."""
    match goal:
        case {"k": k}:
            met = inside.size >= k
        case {"variant": "distinct", "l": least}:
            met = len(inside.counts) >= least
        case {"variant": "entropy", "l": least}:
            met = entropy_at_least(inside, Fraction(least))
        case {"variant": "recursive", "l": least, "c": c}:
            needed = recursive(inside, least)
            met = needed is not None and needed < Fraction(c)
        case {"t": t}:
            met = distance(goal, shares(inside.counts), whole) <= Fraction(t)
        case {"beta": beta}:
            met = excess(inside, whole) <= Fraction(beta)
        case {"delta": delta}:
            met = log2_below(change(inside, whole), Fraction(delta))
    return met


def distance(goal: Goal, inside: Shares, whole: Shares) -> Fraction:
    """Compute the Earth Mover's Distance of a class by definition."""
    if goal["distance"] == "equal":
        return equal_distance(inside, whole)
    if goal["distance"] == "hierarchical":
        return hierarchical_distance(inside, whole, ladders(goal["sensitive"]))
    differences = [inside.get(number, 0) - whole[number] for number in sorted(whole, key=int)]
    return sum(map(abs, accumulate(differences))) / (len(differences) - 1)
