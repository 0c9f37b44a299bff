"""The reference cases of releases of the same people: small tables, and two editions of Adult."""

import csv
import json
from fractions import Fraction

import pytest

import PETWorks as pw
from oracle import naive_editions as naive
from support.editions import build_edition, find_figures
from support.places import ROOT, SHARED

FILE = SHARED / "golden" / "editions.json"
ADULT = SHARED / "golden" / "editions_adult.json"
pytestmark = pytest.mark.skipif(not FILE.exists(), reason="the reference values stand outside the repository")
CASES = json.loads(FILE.read_text()) if FILE.exists() else []
PLAIN = [pytest.param(one, id=one["case"]) for one in CASES if "kind" not in one]
SEVERAL = [pytest.param(one, id=one["case"]) for one in CASES if one.get("kind") == "several rows per person"]
QI = ["sex", "age", "race", "marital-status", "education", "native-country"]


def spell_all(figures, names=()):
    """Return figures as fractions, of which the reference file writes some as text."""
    return {name: None if figures.get(name) is None else Fraction(figures[name]) for name in names or figures}


@pytest.mark.parametrize("case", PLAIN)
def test_reference_case(case):
    names, editions = case["quasi_identifiers"], case["editions"]
    trees = {name: rows for name, rows in case["hierarchies"].items() if name in names}
    release = build_edition(editions, names, case["sensitive"], trees)
    figures = find_figures(release, case["k"])
    if not all(one.get("original") for one in editions):
        case["expected"] = {name: one for name, one in case["expected"].items() if "compatible" not in name}
    assert spell_all(figures, case["expected"]) == spell_all(case["expected"])


@pytest.mark.parametrize("case", SEVERAL)
@pytest.mark.parametrize("known", ["one", "all"])
def test_several_rows_per_person(case, known):
    *earlier, newest = (
        {"released": {"a": cells}, "original": {"person": one["people"], "a": cells}}
        for one in case["editions"]
        for cells in [[row[0] for row in one["released"]]]
    )
    options = {"person": "person", "known": known, "earlier": earlier}
    release = pw.Release(newest["released"], original=newest["original"], **options)
    result = release.ask(pw.JointAnonymity(case["k"]))
    assert {"joint_size": result.exact, "below_k": result.figures["below"]} == case["expected"][known]


def adult():
    """Return the rows of both editions of Adult, by the rule of the reference."""
    path = (
        ROOT / "data" / "adult.csv" if (ROOT / "data" / "adult.csv").exists() else SHARED / "datasets/adult/adult.csv"
    )
    with path.open(encoding="utf-8-sig") as file:
        rows = [
            {name.strip(): cell.strip() for name, cell in row.items()} for row in csv.DictReader(file, delimiter=";")
        ]
    first = [{**row, "person": str(number)} for number, row in enumerate(rows, 1)]
    second = [row for number, row in enumerate(first, 1) if number % 100]
    for number in range(1, 301):
        other = {name: rows[97 * number - 1][name] for name in ("sex", "age", "race", "workclass")}
        second.append({**rows[89 * number], **other, "person": f"new {number}"})
    return [{name: [row[name] for row in some] for name in (*QI, "occupation", "person")} for some in (first, second)]


@pytest.mark.skipif(not ADULT.exists(), reason="the reference values stand outside the repository")
@pytest.mark.parametrize("letter", ["B", "C"])
def test_two_editions_of_adult(letter, tmp_path):
    """The figures of two editions, one of which keeps exact ages."""
    expected = next(one for name, one in json.loads(ADULT.read_text()).items() if name.startswith(letter))
    trees = SHARED / "datasets/adult/adult_hierarchy"
    goals = [pw.KAnonymity(5)] + ([pw.LDiversity(l=2)] if letter == "C" else [])
    roles = {"quasi_identifiers": QI, "sensitive": ["occupation"], "hierarchies": trees}
    made = []
    for name, table in zip(("first", "second"), adult(), strict=True):
        levels = {"levels": expected[name]["levels"], "suppress_at_most": "0.05", "drop_identifiers": True}
        pw.anonymize(table, goals=goals, identifiers=["person"], **roles, **levels).write(tmp_path / f"{name}.csv")
        made.append({"released": tmp_path / f"{name}.csv", "original": table})
    release = pw.Release(
        made[1]["released"], original=made[1]["original"], **roles, earlier=[made[0] | {"key": "person"}]
    )
    figures = find_figures(release, 5)
    assert spell_all(figures, expected["figures"]) == spell_all(expected["figures"])


def test_the_naive_definitions_give_the_reference():
    for case in (one for one in CASES if "kind" not in one):
        width = len(case["quasi_identifiers"])
        editions = [
            naive.Edition(
                one["people"], [tuple(row[:width]) for row in one["released"]], [row[width] for row in one["released"]]
            )
            for one in case["editions"]
        ]
        figures = naive.measure(editions, case["k"])
        expected = {name: value for name, value in case["expected"].items() if name in figures}
        assert spell_all(figures, expected) == spell_all(expected), case["case"]
