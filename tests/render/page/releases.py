"""The evaluations for page tests: Adult that fails, Adult that holds, and edge cases."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa

import PETWorks as pw
from PETWorks.demo import write_folder
from render.evaluations import NotShown, Requirement

Row = dict[str, str]
QUASI_IDENTIFIERS = ["sex", "age", "race", "marital-status", "education", "native-country"]
PEOPLE = {
    "sex": ["m", "f"] * 50,
    "year": ["197*", "198*"] * 40 + ["199*"] * 20,
    "disease": ["flu", "cold", "ulcer", "flu"] * 25,
}
KNOWN = {name: PEOPLE[name] for name in ("sex", "year")}
ROLES = {"quasi_identifiers": ["sex", "year"], "sensitive": ["disease"]}


def adult(folder: Path, change: Callable[[list[Row]], None] | None = None) -> pw.Evaluation:
    """Write the Adult release of the demonstration, changed or not, and judge it by its policy."""
    write_folder(folder, "en")
    path = folder / "adult_released.csv"
    if change:
        with path.open(newline="") as file:
            header, *rows = csv.reader(file, delimiter=";")
        people = [dict(zip(header, row, strict=True)) for row in rows]
        change(people)
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, header, delimiter=";", lineterminator="\n")
            writer.writeheader()
            writer.writerows(people)
    return pw.Policy(folder / "policy.toml").check()


def class_of(row: Row) -> tuple[str, ...]:
    return tuple(row[name] for name in QUASI_IDENTIFIERS)


def suppress(classes: set[tuple[str, ...]]) -> Callable[[list[Row]], None]:
    def change(rows: list[Row]) -> None:
        for row in rows:
            if class_of(row) in classes:
                row.update(dict.fromkeys(QUASI_IDENTIFIERS, "*"))

    return change


def generalise(column: str) -> Callable[[list[Row]], None]:
    def change(rows: list[Row]) -> None:
        for row in rows:
            row[column] = "*"

    return change


def failing(evaluation: pw.Evaluation, *names: str) -> set[tuple[str, ...]]:
    """The classes that fail any of the given requirements."""
    facts = evaluation.facts
    asked = [one.measure for one in evaluation.requirements if one.measure.name in names]
    wrong = np.any([bound.failing for measure in asked for bound in measure.bounds(facts)], axis=0)
    return {tuple(facts.classes.values(number).values()) for number in np.flatnonzero(wrong).tolist()}


def small(folder: Path, least: int) -> set[tuple[str, ...]]:
    """The classes of a written release that have fewer people, counted row by row."""
    with (folder / "adult_released.csv").open(newline="") as file:
        classes = Counter(class_of(row) for row in csv.DictReader(file, delimiter=";"))
    return {one for one, people in classes.items() if people < least and set(one) != {"*"}}


def no_original() -> pw.Evaluation:
    return pw.Release(PEOPLE, **ROLES).evaluate(pw.KAnonymity(k=15), pw.TCloseness(t="0.1"))


def no_sensitive() -> pw.Evaluation:
    return pw.Release(KNOWN, original=KNOWN, **(ROLES | {"sensitive": []})).evaluate(pw.KAnonymity(k=5))


def suppressed() -> pw.Evaluation:
    nothing = {"sex": ["*"] * 1_030, "year": ["*"] * 1_030, "disease": ["flu"] * 1_030}
    original = {"sex": ["m"] * 1_030, "year": ["1970", "1980"] * 515}
    return pw.Release(nothing, original=original, **ROLES).evaluate(pw.KAnonymity(k=3), pw.TCloseness(t="0.2"))


def one_class() -> pw.Evaluation:
    alike = {"sex": ["m"] * 30, "year": ["19**"] * 30, "disease": ["flu", "cold"] * 15}
    return pw.Release(alike, original=alike, **ROLES).evaluate(pw.KAnonymity(k=3))


def no_hierarchies() -> pw.Evaluation:
    released = {"sex": ["*"] * 20 + PEOPLE["sex"][20:], "year": PEOPLE["year"], "disease": PEOPLE["disease"]}
    return pw.Release(released, original=KNOWN, **ROLES).evaluate(pw.KAnonymity(k=2), pw.Precision(at_least="0.99"))


def several_sensitive() -> pw.Evaluation:
    table = PEOPLE | {"salary": ["1000", "2000", "3000", "4000", "5000"] * 20}
    release = pw.Release(table, original=KNOWN, **(ROLES | {"sensitive": ["disease", "salary"]}))
    return release.evaluate(pw.KAnonymity(k=30), pw.TCloseness(t="0.2"), pw.LDiversity(l=2))


def asked_twice() -> pw.Evaluation:
    """Each sensitive attribute has a limit of its own, and so have two uses of the data."""
    table = PEOPLE | {"salary": ["1000", "2000", "3000", "4000", "5000"] * 20}
    release = pw.Release(table, original=KNOWN, **(ROLES | {"sensitive": ["disease", "salary"]}))
    closeness = [pw.TCloseness(t="0.3", sensitive="disease"), pw.TCloseness(t="0.1", sensitive="salary")]
    return release.check(*closeness, pw.KAnonymity(k=2), pw.KAnonymity(k=30))


def not_askable() -> pw.Evaluation:
    return pw.Release(PEOPLE, original=KNOWN, **ROLES).check(pw.KAnonymity(k=2), pw.KMap(k=2))


def no_requirements() -> pw.Evaluation:
    return pw.Release(PEOPLE, original=KNOWN, **ROLES).evaluate()


def other_failure() -> pw.Evaluation:
    """No measure of classes fails, but two others do."""
    released = PEOPLE | {"sex": ["*"] * 100}
    asked = pw.KAnonymity(k=2), pw.ReidentificationRisk(average="0.01"), pw.Precision(at_least="0.9")
    return pw.Release(released, original=KNOWN, **ROLES).evaluate(*asked)


def between() -> pw.Evaluation:
    """The limit is within a bin of class sizes, not at its end."""
    return pw.Release(PEOPLE, original=KNOWN, **ROLES).evaluate(pw.KAnonymity(k=30))


def sourced() -> pw.Evaluation:
    """Requirements with sources, one that no table can fail, one that could not be evaluated, and what is not shown."""
    chances = {"insider": "0.05", "breach": "0.27"}
    context = pw.ContextRisk(attempts=chances, risk="highest", adversary="prosecutor", limit="0.33")
    asked = [
        Requirement(pw.KAnonymity(k=30), source="A guideline", clause="section 4, groups of 30"),
        Requirement(context, source="A guideline", clause="section 5"),
        Requirement(pw.KMap(k=2), source="An opinion", clause="linkability"),
        Requirement(pw.TCloseness(t="0.5")),
    ]
    evaluation = pw.Release(PEOPLE, original=KNOWN, **ROLES).check(*asked)
    evaluation.not_shown = (
        NotShown({"en": "the contract", "zh_TW": "契約"}, "An opinion", "recipients"),
        NotShown({"en": "governance", "zh_TW": "管理"}),
    )
    return evaluation


def wide() -> pw.Evaluation:
    chance = np.random.default_rng(1)
    table = {f"column number {one}": chance.integers(0, 3, 300).astype(str).tolist() for one in range(200)}
    people = table | {"sick": chance.integers(0, 5, 300).astype(str).tolist()}
    release = pw.Release(people, original=table, quasi_identifiers=list(table), sensitive=["sick"])
    return release.evaluate(pw.KAnonymity(k=2), pw.TCloseness(t="0.4"))


def million() -> pw.Evaluation:
    rows = np.arange(1_000_000)

    def column(codes: np.ndarray, values: int) -> pa.DictionaryArray:
        labels = pa.array([f"value {one}" for one in range(values)])
        return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), labels)

    table = pa.table({"a": column(rows % 1000, 1000), "b": column(rows // 1000, 1000), "s": column(rows % 7 % 4, 4)})
    release = pw.Release(table, quasi_identifiers=["a", "b"], sensitive=["s"])
    return release.evaluate(pw.KAnonymity(k=2), pw.TCloseness(t="0.4"))


EDGES = {
    kind.__name__: cache(kind)
    for kind in (
        no_original,
        no_sensitive,
        suppressed,
        one_class,
        no_hierarchies,
        several_sensitive,
        asked_twice,
        not_askable,
        no_requirements,
        other_failure,
        between,
        sourced,
        wide,
        million,
    )
}
