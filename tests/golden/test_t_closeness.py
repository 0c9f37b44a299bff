"""Distances that papers, ARX and exact arithmetic agree on."""

from fractions import Fraction

import pytest

import PETWorks as pw
from golden.cases import EXTRA, named, sensitive_release

NAMES = {"equal(s)": ("s", "equal"), "hierarchical(s)": ("s", "hierarchical"), "ordered(m)": ("m", "ordered")}


@pytest.mark.parametrize(
    ("table", "roles", "distance", "value"),
    [
        ("merit.csv", (["Name"], ["Merit"]), "auto", Fraction(4, 15)),
        ("disease/disease.csv", (["ZIPCode", "Age"], ["Disease"]), "auto", Fraction(8, 27)),
        ("disease/disease.csv", (["ZIPCode", "Age"], ["Disease"]), "equal", Fraction(5, 9)),
        ("disease/disease.csv", (["ZIPCode", "Age"], ["Salary"]), "auto", Fraction(3, 8)),
        ("patient/patient_anonymized.csv", (["ZIPCode", "Age"], ["Disease"]), "auto", Fraction(8, 27)),
    ],
)
def test_small_tables(shared, table, roles, distance, value):
    path = shared / "datasets" / table
    folder = path.parent / f"{path.parent.name}_hierarchy"
    release = pw.Release(
        path,
        quasi_identifiers=roles[0],
        sensitive=roles[1],
        hierarchies=folder if folder.is_dir() else None,
    )
    assert release.ask(pw.TCloseness(distance=distance)).exact == value


@pytest.mark.parametrize(
    ("name", "distance"),
    [("tordered_age_qi7", "ordered"), ("thier_occupation_qi6", "hierarchical"), ("tequal_workclass_qi5", "equal")],
)
def test_what_arx_made_t_close_is(shared, name, distance):
    release = sensitive_release(EXTRA[f"sensitive/{name}"])
    result = release.ask(pw.TCloseness(t=0.2, distance=distance))
    assert result.holds
    assert not release.ask(pw.TCloseness(t=result.exact - Fraction(1, 10**12), distance=distance)).holds


@pytest.mark.parametrize("name", named(EXTRA, "t_closeness/"))
def test_random_tables(name):
    inputs, expected = EXTRA[name]["inputs"], EXTRA[name]["expected"]
    table = dict(zip("qsm", map(list, zip(*inputs["rows"], strict=True)), strict=True))
    rows = [line.split(";") for line in inputs["hierarchy_of_s"]]
    release = pw.Release(table, quasi_identifiers=["q"], sensitive=["s", "m"], hierarchies={"s": rows})
    for key, value in expected.items():
        column, distance = NAMES[key]
        result = release.ask(pw.TCloseness(distance=distance, sensitive=column))
        assert result.exact == Fraction(value)
