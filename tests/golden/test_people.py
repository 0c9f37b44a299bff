"""Reference values for tables in which people have several rows; the naive definitions must give them, too."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import PETWorks as pw
from oracle import naive_people as naive
from oracle import naive_people_risk as naive_risk
from oracle import naive_privacy as by_rows
from oracle.naive import Tables
from oracle.naive_people import Folk, World

CASES: list[dict[str, Any]] = json.loads((Path(__file__).parent / "people.json").read_text(encoding="utf-8"))
TEN = [case for case in CASES if case["case"].startswith("people, ten rows")]
ONE, ALL = TEN[1:]
DIVERSITY = [case for case in CASES if case["case"] == "people, diversity of one class"]
Rows = list[list[str]]


def the(name: str) -> dict[str, Any]:
    return next(case for case in CASES if case["case"] == name)


def columns(names: list[str], rows: Rows) -> dict[str, list[str]]:
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def release_of(rows: Rows, *, person: bool = True, known: str = "one", **options: Any) -> pw.Release:
    table = columns(["person", "zip", "diagnosis"], rows)
    options |= {"person": "person", "known": known} if person else {}
    return pw.Release(table, quasi_identifiers=["zip"], sensitive=["diagnosis"], identifiers=["person"], **options)


def folk_of(rows: Rows, *, person: bool = True, known: str = "one") -> Folk:
    released = [dict(zip(["zip", "diagnosis"], row[1:], strict=True)) for row in rows]
    persons = [row[0] for row in rows] if person else list(range(len(rows)))
    return Folk(Tables(released, ["zip"], ["diagnosis"], None, {}), persons, known)


def figures(release: pw.Release) -> dict[str, Any]:
    """What the library says, by the names of the reference file."""
    risk = release.ask(pw.ReidentificationRisk(threshold="1/3")).parts
    (attribute,) = release.ask("attribute risk").parts.values()
    alpha = release.ask("(α,k)-anonymity").parts
    found = {
        "k_anonymity": release.ask("k-anonymity").exact,
        "alpha": alpha["diagnosis"].exact,
        "l_distinct": release.ask("l-diversity").exact,
        "l_entropy": release.ask(pw.LDiversity(variant="entropy")).value,
        "recursive_value_l2": release.ask(pw.LDiversity(variant="recursive", l=2)).exact,
        "recursive_value_l3": release.ask(pw.LDiversity(variant="recursive", l=3)).exact,
        "t_equal": release.ask(pw.TCloseness(distance="equal")).exact,
        "delta_disclosure": release.ask("δ-disclosure").value,
        "beta_basic": release.ask("β-likeness").exact,
        "highest": risk["highest"].exact,
        "lowest": risk["lowest"].exact,
        "average": risk["average"].exact,
        "people_at_highest": list(risk.values())[3].exact,
        "share_above_1/3": risk["above threshold"].exact,
        "sample_uniqueness": release.ask("sample uniqueness").exact,
        "distinction": attribute.exact,
        "separation": attribute.figures["separation"],
        "class_sizes": {str(size): many for size, many in release.ask("class sizes").figures["histogram"].items()},
    }
    return found | {"smallest": alpha["k"].exact}


def defined(folk: Folk) -> dict[str, Any]:
    """What the definitions say, by the same names."""
    held, whole = naive.holders(folk, "diagnosis"), naive.overall_beliefs(folk, "diagnosis")
    risk = naive_risk.re_identification(folk, None, lambda one: one > Fraction(1, 3))
    ((distinction, separation),) = naive_risk.attribute_risk(folk).values()
    sizes = [group.size for group in naive.groups(folk)]

    def recursive(least: int) -> Fraction | None:
        ratios = [naive.recursive(one, least) for one in held]
        return None if None in ratios else max(ratios)

    return {
        "k_anonymity": min(sizes),
        "alpha": max(by_rows.largest_share(one.beliefs) for one in held),
        "l_distinct": min(map(naive.distinct, held)),
        "l_entropy": float(min(map(naive.entropy, held))),
        "recursive_value_l2": recursive(2),
        "recursive_value_l3": recursive(3),
        "t_equal": max(distance for _, distance in naive.distances(folk, "diagnosis", "equal")),
        "delta_disclosure": float(by_rows.log2(max(by_rows.change(one.beliefs, whole) for one in held))),
        "beta_basic": max(by_rows.excess(one.beliefs, whole) for one in held),
        "highest": risk["highest"],
        "lowest": risk["lowest"],
        "average": risk["average"],
        "people_at_highest": risk["at highest"],
        "share_above_1/3": risk["above threshold"],
        "sample_uniqueness": naive_risk.sample_uniqueness(folk),
        "distinction": distinction,
        "separation": separation,
        "class_sizes": {str(size): sizes.count(size) for size in sizes},
        "smallest": min(sizes),
    }


def check(found: dict[str, Any], expected: dict[str, Any]) -> None:
    """Compare what both have."""
    expected = expected | expected.get("prosecutor", {})
    for name in found.keys() & expected.keys():
        value = expected[name]
        if isinstance(value, str):
            value = Fraction(value)
        assert found[name] == (pytest.approx(value, rel=1e-15) if isinstance(value, float) else value), name


@pytest.mark.parametrize("case", TEN, ids=lambda case: case["case"])
def test_ten_rows(case):
    inputs = case["inputs"]
    options = {"person": "person" in inputs, "known": inputs.get("known", "one")}
    check(defined(folk_of(inputs["rows"], **options)), case["expected"])
    check(figures(release_of(inputs["rows"], **options)), case["expected"])


@pytest.mark.parametrize("case", TEN, ids=lambda case: case["case"])
def test_ten_rows_class_by_class(case):
    inputs = case["inputs"]
    options = {"person": "person" in inputs, "known": inputs.get("known", "one")}
    expected = sorted((one["people"], one["l_distinct"]) for one in case["expected"]["per_class"].values())
    held = naive.holders(folk_of(inputs["rows"], **options), "diagnosis")
    assert sorted((one.group.size, naive.distinct(one)) for one in held) == expected
    worst = release_of(inputs["rows"], **options).ask("l-diversity").parts["diagnosis"].worst
    assert sorted((one.size, one.exact) for one in worst) == expected


def test_ten_rows_in_a_population():
    inputs, expected = ONE["inputs"], ONE["expected"]
    people = columns(inputs["population"]["columns"], inputs["population"]["rows"])
    release = release_of(inputs["rows"], population=people)
    assert release.ask("k-map").exact == expected["k_map"]
    presence = release.ask("δ-presence")
    assert [one.exact for one in presence.worst] == sorted(map(Fraction, expected["delta_presence"].values()))[::-1]
    risk = release.ask("re-identification").parts
    assert risk["journalist highest"].exact == Fraction(expected["journalist"]["highest"])
    assert risk["journalist success rate"].exact == Fraction(expected["journalist"]["success_rate"])
    assert risk["marketer"].exact == Fraction(expected["marketer"]) == Fraction(expected["journalist"]["average"])
    rows = [dict(zip(people, row, strict=True)) for row in zip(*people.values(), strict=True)]
    world = World(folk_of(inputs["rows"]), rows, people["person"])
    assert min(many for _, many in world.crowds()) == expected["k_map"]
    assert naive_risk.re_identification(world.folk, world, bool)["marketer"] == Fraction(expected["marketer"])


MERGED = {"zip as one value": {"1": "all", "2": "all"}, "1 and 2 together": {"1": "both", "2": "both"}}


def before_and_after(case: dict[str, Any]) -> tuple[Rows, Rows]:
    merged = MERGED[case["inputs"]["levels"].split("; ")[1]]
    rows = case["inputs"]["rows"]
    return rows, [[person, merged.get(code, code), value] for person, code, value in rows]


def test_generalising_worsens_sensitive_measures():
    case = the("people, generalising worsens sensitive measures")
    for rows, when in zip(before_and_after(case), ("before", "after"), strict=True):
        check(figures(release_of(rows)), case["expected"][when])
        check(defined(folk_of(rows)), case["expected"][when])


def test_generalising_worsens_t_closeness():
    case = the("people, generalising worsens t-closeness")
    for rows, when in zip(before_and_after(case), ("before", "after"), strict=True):
        check(figures(release_of(rows)), {"t_equal": case["expected"][f"{when} t_equal"]})
        check(defined(folk_of(rows)), {"t_equal": case["expected"][f"{when} t_equal"]})


@pytest.mark.parametrize("known", ["one", "all"])
def test_generalising_worsens_delta_disclosure_even_by_rows(known):
    case = the("delta-disclosure is not monotone, one row per person")
    for rows, when in zip(before_and_after(case), ("before", "after"), strict=True):
        check(figures(release_of(rows, known=known)), {"delta_disclosure": case["expected"][when]})


@pytest.mark.parametrize("case", DIVERSITY, ids=lambda case: str(case["inputs"]["values of each person"]))
def test_diversity_of_one_class(case):
    people = case["inputs"]["values of each person"]
    rows = [[person, "zip", value] for person, values in people.items() for value in values]
    check(figures(release_of(rows)), case["expected"])
    check(defined(folk_of(rows)), case["expected"])
    assert len({row[2] for row in rows}) == case["expected"]["distinct values"]
    assert len(people) == case["expected"]["people"]


def test_special_uniques():
    case = the("suda, several rows per person")
    inputs, expected = case["inputs"], case["expected"]
    names = inputs["columns"][1:]
    options = {"quasi_identifiers": names, "person": "person"}
    release = pw.Release(columns(inputs["columns"], inputs["rows"]), **options)
    parts = release.ask(pw.SpecialUniques(fraction=inputs["fraction"], max_size=inputs["max_size"])).parts
    pairs = expected["by (person, class)"]
    highest = dict.fromkeys(expected["score of a person (highest)"], 0.0)
    for pair in pairs:
        highest[pair["person"]] = max(highest[pair["person"]], float(pair["dis_score"]))
    assert parts["highest"].value == pytest.approx(max(highest.values()), rel=1e-14)
    assert parts["average"].value == pytest.approx(sum(highest.values()) / len(highest), rel=1e-14)
    assert parts["special"].exact == Fraction(sum(bool(score) for score in highest.values()), len(highest))
    folk = Folk(
        Tables([dict(zip(names, row[1:], strict=True)) for row in inputs["rows"]], names, [], None, {}),
        [row[0] for row in inputs["rows"]],
    )
    found = naive_risk.minimal_uniques(folk, 3)
    assert {(person, key): sorted(sets) for (key, person), sets in found.items()} == {
        (pair["person"], tuple(pair["class"])): sorted(map(tuple, pair["msus"])) for pair in pairs
    }


def test_suppression_of_people_goes_on_until_nothing_fails():
    case = the("people, suppression")
    rows = [tuple(row) for row in case["inputs"]["rows (person, class)"]]
    rounds = naive_risk.suppress_people(rows, case["inputs"]["k"])
    assert [sorted(one) for one in rounds] == case["expected"]["suppress people, round by round"]
