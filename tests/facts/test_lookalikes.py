"""Rows with a mark in every quasi-identifier that was not said to be one form a class; every output says so."""

import pytest

import PETWorks as pw

WORDS = "Some rows hold a mark such as NA"


def released(*marks, columns=("age", "zip"), **options):
    rows = [(f"{20 + place // 2}", f"{place // 2}") for place in range(20)] + [marks] * 30
    table = dict(zip(columns, map(list, zip(*rows, strict=True)), strict=False))
    return pw.Release(table, **options)


@pytest.mark.parametrize("mark", ["NA", "n/a", "＊", "**", "-", "—", None, "", "null", "ＮＡ", "不詳", "Suppressed"])
def test_rows_that_look_suppressed_are_told_once(mark):
    risk = pw.ReidentificationRisk(average="0.25")
    evaluation = released(mark, mark).check(risk, pw.KAnonymity(2))
    assert evaluation.holds  # only because these rows are counted as a class
    assert str(evaluation).count(WORDS) == str(evaluation.public()).count(WORDS) == 1
    assert WORDS in evaluation.to_html(language="en")
    assert "計為一個等價類" in evaluation.text("zh_TW")
    if mark:
        said = released(mark, mark, suppressed=mark).check(risk, pw.KAnonymity(2))
        assert not said.holds
        assert WORDS not in str(said)


def test_marks_may_be_mixed():
    assert WORDS in str(released("NA", "-").check(pw.KAnonymity(2)))


def test_the_marker_itself_where_another_one_was_said():
    assert WORDS in str(released("*", "*", suppressed="NA").check(pw.KAnonymity(2)))


@pytest.mark.parametrize("marks", [("*", "*"), ("NA", "100"), ("40", "100")])
def test_other_rows_are_not(marks):
    assert WORDS not in str(released(*marks).check(pw.KAnonymity(2)))


def test_of_a_single_column_a_mark_may_be_a_value():
    assert WORDS not in str(released("NA", "NA", quasi_identifiers=["age"]).check(pw.KAnonymity(2)))
