"""The hierarchies of a policy: built by rule or read from a file, for check and anonymize."""

from __future__ import annotations

from fractions import Fraction

import pytest

from PETWorks import Hierarchy, PETWorksError, Policy

POLICY = """
version = 1
[data]
original = "people.csv"
released = "released.csv"
[roles]
quasi_identifiers = ["age", "zip"]
[[require]]
measure = "k-anonymity"
k = 2
[[require]]
measure = "Precision"
at_least = 0.1
[anonymize]
[hierarchies.zip]
file = "zip.csv"
[hierarchies.age]
intervals = [5, "10"]
bottom = 10
"""
ROWS = [("17", "106"), ("18", "106"), ("31", "100"), ("33", "108")]


@pytest.fixture
def write(tmp_path):
    (tmp_path / "people.csv").write_text("age;zip\n" + "".join(f"{age};{zip_}\n" for age, zip_ in ROWS))
    Hierarchy.prefixes("zip", [1]).build([zip_ for _, zip_ in ROWS]).write(tmp_path / "zip.csv")

    def written(old="", new=""):
        path = tmp_path / "policy.toml"
        assert old in POLICY
        path.write_text(POLICY.replace(old, new) if old else POLICY)
        return path

    return written


def test_a_release_is_made_and_checked_by_rules(write, tmp_path):
    recipe = Policy(write(), purpose="anonymize")
    made = recipe.anonymize()
    made.write(tmp_path / "released.csv")
    assert made.levels == {"age": 1, "zip": 1}
    assert (tmp_path / "released.csv").read_text().splitlines()[1:3] == ["15-19;1**"] * 2
    checked = Policy(write()).check()
    assert (checked.holds, checked["Precision"].exact) == (True, Fraction(7, 12))
    assert [one.column for one in checked.record.hierarchies if one.digest] == ["zip"]


WRONG = {
    "a misspelt column": (
        "hierarchies.age",
        "hierarchies.agee",
        'policy.toml, [hierarchies.agee]: there is no column "agee"',
    ),
    "a misspelt key": (
        "bottom = 10",
        "bottum = 10",
        'policy.toml, [hierarchies.age]: unknown key "bottum" beside intervals',
    ),
    "a misspelt way": ("intervals =", "interval =", 'did you mean "intervals"?'),
    "two ways": ("bottom = 10", "quantiles = 2", "has intervals and quantiles"),
    "a way and a file": (
        'file = "zip.csv"',
        'file = "zip.csv"\nprefixes = 1',
        "a file and prefixes build the same hierarchy",
    ),
    "widths that do not nest": ('[5, "10"]', "[5, 12]", "[hierarchies.age]: 5 does not divide into 12"),
    "no such file": ('"zip.csv"', '"zap.csv"', '[hierarchies.zip]: there is no file "zap.csv"'),
    "sizes are missing": (
        'intervals = [5, "10"]\nbottom = 10',
        'ordered = ["17"]',
        'missing key "sizes" beside ordered',
    ),
    "no table": (
        "[hierarchies.zip]",
        "[hierarchies]\nzip = 5\n[hierarchies.sex]",
        "zip must be a table, [hierarchies.zip], not 5",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_told_with_its_section(write, case):
    old, new, words = WRONG[case]
    with pytest.raises(PETWorksError) as caught:
        Policy(write(old, new), purpose="anonymize")
    assert words in str(caught.value)


def test_all_problems_are_told_at_once(write):
    with pytest.raises(PETWorksError, match="4 problems"):
        Policy(
            write(
                'file = "zip.csv"\n[hierarchies.age]\nintervals = [5, "10"]',
                'file = "a"\n[hierarchies.age]\nintervals = 0\n[hierarchies.sex]\ndates = "year"',
            ),
            purpose="anonymize",
        )


def test_a_file_of_the_folder_beside_a_rule_is_an_error(write, tmp_path):
    (tmp_path / "trees").mkdir()
    Hierarchy.intervals("age", 10).build(["17"]).write(tmp_path / "trees/x_hierarchy_age.csv")
    with pytest.raises(PETWorksError, match=r"has a file for the same column: x_hierarchy_age\.csv"):
        Policy(write("[data]", '[data]\nhierarchies = "trees"'), purpose="anonymize")
