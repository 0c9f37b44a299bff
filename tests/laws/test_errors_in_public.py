"""No error tells the public how many people it is about, nor what a cell holds: tried on random tables of few people.

The same mistake is made for one, two, three and four people; what the public reads must be the same each time.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import PETWorks as pw
from PETWorks.errors import PETWorksError
from PETWorks.plugin import Need
from PETWorks.shown import write_public_error
from support.attacks import attack_seeds

ROWS = 18
CELL = "Zqx"  # begins every cell that is wrong
TREE = {"age": [(one, "2*", "*") for one in ("21", "22", "23")]}
Columns = Mapping[str, list[str]]


def draw(seed: int) -> dict[str, list[str]]:
    chance = random.Random(seed)
    return {
        "age": [chance.choice(("21", "22", "23")) for _ in range(ROWS)],
        "ill": [chance.choice("abc") for _ in range(ROWS)],
        "who": [f"p{row}" for row in range(ROWS)],
        "weight": ["2"] * ROWS,
    }


class ProblemError(Exception):
    """What the public reads of a requirement that could not be evaluated."""


def spoil(table: Columns, column: str, few: int, cells: Callable[[int], str]) -> dict[str, list[str]]:
    """Return the table with other cells in the last rows of a column."""
    kept = table[column][: ROWS - few]
    return {**table, column: [*kept, *(cells(row) for row in range(few))]}


def secret(row: int) -> str:
    return f"{CELL}{row}"


def write_csv(folder: Path, table: Columns, *more: str) -> Path:
    path = folder / "table.csv"
    lines = [",".join(row) for row in ((*table,), *zip(*table.values(), strict=True))]
    path.write_text("\n".join([*lines, *more]) + "\n", encoding="utf-8")
    return path


def check(*tables: object, measure: object = None, **options: object) -> None:
    given = {"quasi_identifiers": ["age"], "sensitive": ["ill"], "insensitive": ["who", "weight"], **options}
    evaluation = pw.Release(*tables, **given).check(measure or pw.KAnonymity(2))
    (one,) = evaluation.public().requirements
    assert one.problem is not None
    raise ProblemError(str(sorted(one.problem.to_dict().items())))


def unpaired(table: Columns, few: int, _: Path) -> None:
    check({name: cells[: ROWS - few] for name, cells in table.items()}, original=table, measure=pw.Precision("0.1"))


def strange_levels(table: Columns, few: int, _: Path) -> None:
    check(spoil(table, "age", few, secret), hierarchies=TREE, measure=pw.Precision("0.1"))


def nobody(table: Columns, few: int, _: Path) -> None:
    check(spoil(table, "who", few, lambda _: ""), person="who", known="all", insensitive=["weight"])


def weights(table: Columns, few: int, _: Path) -> None:
    check(spoil(table, "weight", few, secret), weight="weight", insensitive=["who"], measure=pw.IndividualRisk())


def negative_weights(table: Columns, few: int, _: Path) -> None:
    wrong = spoil(table, "weight", few, lambda row: f"-{row + 1}")
    check(wrong, weight="weight", insensitive=["who"], measure=pw.IndividualRisk())


def population(table: Columns, few: int, _: Path) -> None:
    check(table, population={"age": table["age"][: ROWS - few]}, measure=pw.KMap(2))


def population_size(table: Columns, few: int, _: Path) -> None:
    check(table, measure=pw.PopulationUniqueness(population_size=ROWS - few, at_most="0.1"))


def numbers(table: Columns, few: int, _: Path) -> None:
    check(spoil(table, "ill", few, secret), measure=pw.TCloseness("0.1", distance="numeric"))


def ragged(table: Columns, few: int, folder: Path) -> None:
    check(write_csv(folder, table, *[f"{secret(row)},x" for row in range(few)]))


def records(table: Columns, few: int, folder: Path) -> None:
    path = folder / "table.jsonl"
    rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    lines = [json.dumps(row) for row in rows] + [json.dumps([secret(row)]) for row in range(few)]
    path.write_text("\n".join(lines))
    check(path)


def make(table: Columns, few: int, _: Path) -> None:
    roles = {"quasi_identifiers": ["age"], "sensitive": ["ill"], "insensitive": ["who", "weight"]}
    pw.anonymize(
        {name: cells[:few] for name, cells in table.items()},
        goals=pw.KAnonymity(9),
        hierarchies=TREE,
        **roles,
    )


def make_strange(table: Columns, few: int, _: Path) -> None:
    roles = {"quasi_identifiers": ["age"], "insensitive": ["ill", "who", "weight"]}
    pw.anonymize(spoil(table, "age", few, secret), goals=pw.KAnonymity(2), hierarchies=TREE, **roles)


MISTAKES = (
    *(unpaired, strange_levels, nobody, weights, negative_weights, population, population_size, numbers, ragged),
    *(records, make, make_strange),
)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda one: one.__name__)
def test_the_public_reads_the_same_of_one_person_and_of_four(mistake, tmp_path):
    made = 0
    for seed in attack_seeds(3):
        read = set()
        for few in range(1, 5):
            try:
                mistake(draw(seed), few, tmp_path)
            except PETWorksError as error:
                read.add(write_public_error(error))
                made += 1
            except ProblemError as error:
                read.add(str(error))
                made += 1
        assert len(read) <= 1
        assert CELL not in str(read)
    assert made


@pytest.mark.parametrize("need", [Need.ORIGINAL, Need.POPULATION])
def test_what_was_not_given_is_told(need):
    measure = {Need.ORIGINAL: pw.SquaredError(), Need.POPULATION: pw.KMap(2)}[need]
    (problem,) = [one.problem for one in pw.Release({"age": ["21"] * 9}).check(measure).public().requirements]
    assert problem.kind == f"needs_{need}"
