"""If only class sizes are known, measures that need only these give the same results; the others say what they lack."""

from __future__ import annotations

import pytest
from hypothesis import given

import PETWorks as pw
from PETWorks.errors import TooLargeError
from PETWorks.tables.counting import count as counting
from support.process import five_people
from support.strategies import release_of, tables
from support.strategies_family import thorough

BY_SIZE = {"k-anonymity", "class sizes", "re-identification", "sample uniqueness", "AECS", "discernibility"}
GAME = pw.Profitability(cost=4, gain=300, loss=300, benefit=1200)
ESTIMATED = pw.PopulationUniqueness(sampling_fraction="1/10")
UNTOLD = {"worst", "steps", "notes"}  # parts of a result that name classes


@pytest.fixture
def nothing_fits(monkeypatch):
    monkeypatch.setattr(counting, "COMBINATION_BYTES", 10**15)


def answers(evaluation) -> dict:
    return {result.name: without_classes(result.to_dict()) for result in evaluation}


def without_classes(answer):
    """Return the result without the parts that name classes."""
    if isinstance(answer, dict):
        return {key: without_classes(one) for key, one in answer.items() if key not in UNTOLD}
    return answer


@thorough
@given(tables())
def test_measures_of_sizes(tables):
    questions = [pw.KAnonymity(k=2), GAME, ESTIMATED]
    expected = release_of(tables).evaluate(*questions, others=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "COMBINATION_BYTES", 10**15)
        found = release_of(tables).evaluate(*questions, others=True)
    known = answers(expected)
    assert answers(found) == {name: known[name] for name in answers(found)}
    asked = (BY_SIZE | {GAME.name, ESTIMATED.name}) & set(known)
    assert set(answers(found)) - {"k-map"} == asked
    others = set(known) - asked
    assert {found.skipped[name].kind for name in others} <= {"too_large"}


@pytest.mark.parametrize("language", ["en", "zh_TW"])
def test_all_that_is_written(tmp_path, monkeypatch, language):
    policy = pw.Policy(five_people(tmp_path))
    monkeypatch.setattr(counting, "COMBINATION_BYTES", 10**15)
    evaluation = policy.check()
    assert [(one.measure.name, one.holds) for one in evaluation.requirements] == [
        ("k-anonymity", True),
        ("t-closeness", None),
        ("Precision", None),
    ]
    explained = str(evaluation[0].explain(language))
    assert {"en": "the one that decides has 2 people.", "zh_TW": "關鍵等價類有 2 人。"}[language] in explained
    page = evaluation.to_html(language=language)
    assert {"en": "Only the sizes of classes are known", "zh_TW": "僅得知各等價類的大小"}[language] in page
    assert {"en": "different combinations of 3 columns", "zh_TW": "3 個欄位有"}[language] in page
    assert page.count({"en": "there is nothing to show", "zh_TW": "故無內容可顯示"}[language]) == 3
    assert evaluation.to_json()
    with pytest.raises(TooLargeError):
        pw.Release({"a": ["x", "y"]}).check(pw.KAnonymity(k=2)).failing_positions()


@pytest.mark.usefixtures("nothing_fits")
def test_what_the_error_says():
    with pytest.raises(TooLargeError) as raised:
        pw.Release({"a": ["x", "y"], "b": ["1", "2"]}, memory_limit="1 GB").ask("attribute risk")
    assert "2 different combinations of 2 columns need about" in raised.value.problem
    assert "the limit is 1.0 GB" in raised.value.hint
    assert "memory_limit" in raised.value.hint


def test_pairs_that_do_not_fit_keep_nothing_else_from_being_answered(monkeypatch):
    """The pairs of rows are too many, although each table alone fits."""
    numbers = [str(number) for number in range(200)]
    released, original = {"a": ["x", "y"] * 100, "b": ["1"] * 200}, {"a": numbers, "b": numbers}
    monkeypatch.setattr(counting, "estimate_memory", lambda combinations, columns: combinations * 10**9 * (columns > 2))
    evaluation = pw.Release(released, original=original, memory_limit="1 GB").evaluate()
    assert evaluation["k-anonymity"].value == 100
    assert {"AECS", "discernibility", "attribute risk"} <= {result.name for result in evaluation}
    assert evaluation.skipped["Precision"].kind == "too_large"


@pytest.mark.usefixtures("nothing_fits")
def test_no_class_can_be_named_or_changed():
    evaluation = pw.Release({"a": list("xxyz")}).check(pw.KAnonymity(k=2))
    result = evaluation["k-anonymity"]
    assert (result.value, result.holds, result.worst, result.alike) == (1, False, (), None)
    assert evaluation.advice is None
