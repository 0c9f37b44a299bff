"""Findings of `inspect`: what they count is what accepting them does, and nothing is found in a clean table."""

from __future__ import annotations

import json

import pytest

import PETWorks as pw

MESSY = {
    "sex": ["M", "男", "F", "2", "女", "1"] * 10,
    "fee": ["1,200", "447元", "90", "NT$ 5", "6", "12"] * 10,
    "born": ["0800405", "民國80年4月5日", "1991/4/5", "1991-04-05", "1991.04.05", "2001/13/1"] * 10,
    "home": ["台北市", "臺北市", "台中市", "臺中市", "高雄市", "高雄市"] * 10,
    "code": ["E11.9", "e119", "I10", "i10", "J45.9", "J459"] * 10,
    "note": ["a  b", "a b", "ＡＢ", "x", "NA", "y"] * 10,
}
EXPECTED = [
    ("sex", "spellings"), ("fee", "numbers"), ("home", "variants"), ("code", "code"),
    ("note", "missing"), ("note", "width"), ("note", "trim"),
]  # fmt: skip


def test_each_kind_is_found_in_its_column():
    assert [(one.column, one.kind) for one in pw.inspect(MESSY).findings] == EXPECTED


@pytest.mark.parametrize("place", range(len(EXPECTED)))
def test_counts_are_those_of_the_prepared_table(place):
    found = pw.inspect(MESSY).findings[place]
    made = pw.anonymize(
        {**MESSY, "k": ["x"] * 60},
        quasi_identifiers=["k"],
        the_rest="insensitive",
        goals=pw.KAnonymity(1),
        prepare=found.settings,
    )
    before, after = MESSY[found.column], made.frame("pyarrow").to_pydict()[found.column]
    assert found.cells == sum(old != new for old, new in zip(before, after, strict=True))
    assert (found.before, found.after) == (len({*before}), len({*after} - {None}))


def test_cells_that_cannot_be_read_make_it_a_decision():
    born = [*MESSY["born"][:5] * 10, "2001/13/1"]
    (found,) = pw.inspect({"born": born}).findings
    assert (found.kind, found.doubtful, found.changes_meaning) == ("dates", 1, True)


def test_a_clean_table_has_none():
    clean = {"sex": ["男", "女"] * 30, "age": [*map(str, range(60))], "day": ["2026-03-01", "2026-04-01"] * 30}
    clean |= {"zip": ["10617", "10618"] * 30, "yes": ["1", "2"] * 30, "id": [f"P{one:03}" for one in range(60)]}
    assert pw.inspect(clean).findings == ()


def test_few_cells_are_not_counted_in_outputs():
    found = pw.inspect({"fee": [*["5"] * 40, "6元"]})
    assert "fewer than 5" in str(found)
    (plain,) = json.loads(found.to_json())["findings"]
    assert plain["cells"] is None
    assert plain["settings"] == {"fee": {"number": True}}
