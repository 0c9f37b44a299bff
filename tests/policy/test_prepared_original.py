"""The original that a policy names is read as it is prepared, by every door that reads it."""

from __future__ import annotations

import tomllib

from PETWorks.policy.policy import read_original

TEXT = """
[data]
original = "visits.csv"
[prepare]
header_row = 2
[prepare.sex]
spellings = { "M" = ["1"], "F" = ["2"] }
[derive.age]
years = { from = "birth", at = "2026-01-01" }
[roles]
quasi_identifiers = ["sex", "age"]
[treat.note]
remove = true
"""


def test_the_original_of_a_policy_is_prepared(tmp_path):
    lines = ["title,,", "sex,birth,note", "1,2000-02-01,x", "M,2001-03-01,y"]
    (tmp_path / "visits.csv").write_text("\n".join(lines), encoding="utf-8")
    release, _ = read_original(tomllib.loads(TEXT), tmp_path, {})
    assert release.roles.quasi_identifiers == ("sex", "age")
    assert release.roles.identifiers == ("birth", "note")
    found = release.classes(library="pyarrow").to_pydict()
    assert sorted(zip(found["sex"], found["age"], found["size"], strict=True)) == [("M", "24", 1), ("M", "25", 1)]
