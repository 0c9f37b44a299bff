"""A limit that no table can fail is told before everything else: that it holds says nothing."""

import json

import pytest

import PETWorks as pw

ILL = ["flu", "flu", "flu", "cold", "cold", "flu"]
TABLE = {"age": ["20s", "20s", "20s", "30s", "30s", "30s"], "zip": ["1", "1", "1", "1", "1", "1"], "ill": ILL}
SIZES = {"age": ["20s"] * 3 + ["30s"] * 9, "zip": ["1"] * 12, "ill": ["flu"] * 12}
NOTHING_FAILS = [
    pw.KAnonymity(1),
    pw.KMap(1),
    pw.LDiversity(1),
    pw.LDiversity(1, variant="entropy"),
    pw.TCloseness("1"),
    pw.TCloseness(1.0),
    pw.AlphaKAnonymity(alpha=1, k=1),
    pw.PSensitiveKAnonymity(p=1, k=1),
    pw.DeltaPresence(d_min=0, d_max=1),
    pw.ReidentificationRisk(average=1),
    pw.ReidentificationRisk(highest=1, above="1"),
    pw.SampleUniqueness(at_most=1),
    pw.Shares(at_most=1),
    pw.Precision(0),
    pw.ContextRisk(attempts="public", risk="highest", adversary="prosecutor", limit=1),
]
SOME_FAIL = [
    pw.KAnonymity(),
    pw.KAnonymity(2),
    pw.TCloseness("0.999"),
    pw.AlphaKAnonymity(alpha=1, k=2),
    pw.PSensitiveKAnonymity(p=2, k=1),
    pw.DeltaPresence(d_min=0, d_max="0.9"),
    pw.ReidentificationRisk(average=1, highest="0.9"),
    pw.LDiversity(1, variant="recursive", c=9),
    pw.Precision("0.001"),
    pw.Precision(1),
    pw.Shares(at_most=0),
    pw.Profitability(cost=4, gain=300, loss=300, benefit=1200),
]


ROLES = {"quasi_identifiers": ["age", "zip"], "sensitive": ["ill"]}
AGES = {"age": ["20", "21", "22", "30", "31", "32"]}


@pytest.fixture
def release():
    return pw.Release(TABLE, original=TABLE, population=SIZES, **ROLES)


@pytest.mark.parametrize("measure", NOTHING_FAILS, ids=repr)
def test_a_limit_that_no_table_can_fail_is_told_once(measure, release):
    result = release.ask(measure)
    (told,) = [note for note in result.notes if note.leading]
    assert result.holds
    assert str(told).startswith("No table can fail this")


@pytest.mark.parametrize("measure", SOME_FAIL, ids=repr)
def test_a_limit_that_some_table_fails_is_not(measure, release):
    assert not any(note.leading for note in release.ask(measure).notes)


@pytest.mark.parametrize(
    ("language", "words"), [("en", "Warning: No table can fail"), ("zh_TW", "警告：任何資料表都不會違反")]
)
def test_every_output_begins_with_it(language, words):
    evaluation = pw.Release(TABLE, original=TABLE | AGES, **ROLES).check(pw.KAnonymity(1), pw.LDiversity(2))
    assert evaluation.text(language).startswith(words)
    assert json.loads(evaluation.to_json())["warnings"][0]["kind"] == "never_fails"
    assert "k-anonymity (k 1)" in evaluation.to_html(language=language)
    assert "k-anonymity (k 1)" in evaluation.public().text(language)
