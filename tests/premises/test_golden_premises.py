"""Every case of the reference values for premises."""

import json
import os
from pathlib import Path

import pytest

import PETWorks as pw

SHARED = Path(os.environ.get("PETWORKS_SHARED", Path(__file__).parents[3] / "shared"))
FILE = SHARED / "golden" / "premises.json"
CASES = json.loads(FILE.read_text(encoding="utf-8"))["cases"] if FILE.exists() else []
ROLES = {
    "quasi": "quasi_identifiers",
    "sensitive": "sensitive",
    "identifier": "identifiers",
    "insensitive": "insensitive",
}

pytestmark = pytest.mark.skipif(not CASES, reason="the reference values of ../shared are absent")


def read_table(columns):
    return {name: [cell or None for cell in cells] for name, cells in columns.items()}


def build_requirement(given):
    parameters = {name: value for name, value in given.items() if name != "measure"}
    if isinstance(listed := parameters.get("sensitive"), list):
        (parameters["sensitive"],) = listed
    if "at_most" in parameters and given["measure"] == "re-identification-risk":
        parameters["highest"] = parameters.pop("at_most")
    return pw.measures()[given["measure"].removesuffix("-risk")](**parameters)


def check_premises(case):
    by_role = {keyword: [] for keyword in ROLES.values()}
    for name, role in case["roles"].items():
        if name != case.get("person") and (name in case["released"] or role == "identifier"):
            by_role[ROLES[role]].append(name)
    options = {name: case[name] for name in ("person", "weight") if name in case}
    original = read_table(case["original"]) if "original" in case else None
    release = pw.Release(read_table(case["released"]), original=original, **options, **by_role)
    accept = [pw.Accept(**one) for one in case.get("accept", [])]
    return release.check(*map(build_requirement, case["require"]), accept=accept).premises


def check_figures(found, expected):
    """Compare the figures that the case names.

    Without insensitive columns, those who are alone by all columns are those alone by the quasi-identifiers; the case
    says 0 there, since its prototype did not group.
    """
    for key, value in expected.items():
        if key in ("all", "left") and not found.columns:
            assert found.counts[key] == found.counts["qi"]
            continue
        if key == "verdict":
            assert found.verdict == value, found
        elif key == "columns":
            for name, told in value.items():
                if isinstance(told, dict):
                    assert told.items() <= dict(found.columns[name]).items()
                else:
                    assert found.columns[name] == told
            if found.name != "rest":
                assert set(found.columns) == set(value)
        else:
            assert found.counts[key] == value, key


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_premises_are_those_of_the_reference(case):
    premises = check_premises(case)
    for name, expected in case["expect"].items():
        check_figures(premises[name], expected)
    for name, verdict in case["others"].items():
        assert premises[name].verdict == verdict, premises[name]
    assert premises.holds is (case["exit"] == 0)
    assert all(one.finder is not None for one in premises)
