"""No verdict tells the public the size of a class of fewer than five people, whichever way it falls."""

from __future__ import annotations

import json
from itertools import product

import pytest

import PETWorks as pw
from PETWorks.disclosure.certificate import disclose_verdict
from support.output import evaluation_junit, evaluation_markdown, write_check

SIZES = range(1, 5)
ASKED = [
    *(pw.KAnonymity(k) for k in (2, 3, 4, 5, 9)),
    *(pw.AlphaKAnonymity(alpha="0.9", k=k) for k in (2, 3, 4)),
    *(pw.AlphaKAnonymity(alpha=alpha, k=9) for alpha in ("0.5", "0.3", "0.25")),
    *(pw.PSensitiveKAnonymity(p=p, k=k) for p, k in ((1, 3), (2, 9), (3, 3), (4, 5))),
    *(pw.LDiversity(least) for least in (2, 3, 4)),
    *(pw.LDiversity(least, variant="entropy") for least in ("1.5", "2.5", "3.5")),
    pw.LDiversity(2, c=9, variant="recursive"),
    *(pw.ReidentificationRisk(highest=risk) for risk in ("0.2", "0.25", "0.3", "0.5", "0.9")),
    *(pw.ReidentificationRisk(average=risk) for risk in ("0.3", "0.5")),
    *(pw.ReidentificationRisk(threshold=risk, above=share) for risk, share in product(("0.3", "0.5"), (0, "0.01"))),
    pw.SampleUniqueness(0),
    pw.SampleUniqueness("0.01"),
    pw.PopulationUniqueness(at_most=0, population_size=1000),
]


def build_release(smallest: int, suppressed: int = 0) -> pw.Release:
    """A release of 60 rows with three classes; people of a class have different illnesses."""
    counts = {"a": smallest, "b": 20 - smallest, "c": 40 - suppressed, "*": suppressed}
    table = {
        "zip": [name for name, many in counts.items() for _ in range(many)],
        "ill": [f"ill {place % 5}" for name, many in counts.items() for place in range(many)],
    }
    return pw.Release(table, quasi_identifiers=["zip"], sensitive=["ill"])


def write_all(evaluation: pw.Evaluation) -> list[str]:
    evaluation.judges_premises = False  # their shares are of five people or more, and depend on other columns
    public = evaluation.public()
    written = [write(public) for write in (write_check, evaluation_markdown, evaluation_junit)]
    return [public.to_json(), public.to_html(), *written]


@pytest.mark.parametrize("measure", ASKED, ids=str)
def test_tables_with_a_small_class_look_alike(measure):
    """Whether the smallest class has one person or four: no output differs by a byte."""
    outputs = [write_all(build_release(size).check(measure)) for size in SIZES]
    assert outputs[1:] == outputs[:-1]


def test_all_verdicts_together_look_alike():
    outputs = [write_all(build_release(size).check(*ASKED)) for size in SIZES]
    assert outputs[1:] == outputs[:-1]


@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_a_note_on_few_suppressed_rows_tells_no_number_below_five(k):
    """With one to four suppressed rows and large classes, outputs differ in nothing."""
    outputs = [write_all(build_release(7, suppressed).check(pw.KAnonymity(k))) for suppressed in SIZES]
    assert outputs[1:] == outputs[:-1]


@pytest.mark.parametrize("k", [2, 3, 4])
def test_a_comparison_looks_alike(k):
    views = []
    for size in SIZES:
        found = pw.compare(build_release(size), build_release(7), requirements=[pw.KAnonymity(k), pw.LDiversity(k)])
        views.append(found.view(public=True))
    rows = [[(*row.best, row.differs, *(cell.to_dict() for cell in row.cells)) for row in one.rows] for one in views]
    assert rows[1:] == rows[:-1]
    assert [[one.holds for one in view.candidates] for view in views] == [[None, True]] * len(views)
    assert [cell.verdict_withheld for row in views[0].required for cell in row.cells] == [True, False] * 2


def test_where_classes_are_large_verdicts_are_told():
    evaluation = build_release(7).check(*ASKED)
    for known, public in zip(evaluation.requirements, evaluation.public().requirements, strict=True):
        assert (public.holds, public.verdict_withheld) == (known.holds, False)


def test_a_verdict_that_follows_from_fewer_than_five_is_told():
    public = build_release(2).check(pw.KAnonymity(5), pw.KAnonymity(3), pw.ReidentificationRisk(highest="0.2")).public()
    assert [one.holds for one in public.requirements] == [False, None, False]
    assert public.requirements_hold is False  # follows from what is told
    assert build_release(2).check(pw.KAnonymity(2)).public().requirements_hold is None


def test_what_is_withheld_is_named_in_both_languages():
    evaluation = build_release(3).check(pw.KAnonymity(3), pw.KAnonymity(9)).public()
    assert "1 verdict is withheld" in " ".join(write_check(evaluation).split())
    assert "另有 1 項不顯示判定" in "".join(write_check(evaluation, language="zh_TW").split("\n"))
    page = evaluation.to_html()
    assert "Verdict withheld" in page
    assert "不顯示判定" in page
    case = json.loads(evaluation.to_json())["requirements"][0]
    assert (case["holds"], case["verdict_withheld"]) == (None, True)


@pytest.mark.parametrize("measure", ASKED, ids=str)
def test_certificates_of_tables_with_a_small_class_look_alike(measure):
    """A certificate is made from the record alone."""
    shown = []
    for size in SIZES:
        record = json.loads(build_release(size).check(measure, pw.TCloseness("0.9")).guarded().to_json())
        shown.append([disclose_verdict(one, record["results"]) for one in record["requirements"]])
    assert shown[1:] == shown[:-1]
    assert shown[0][1]["holds"] is True


def test_certificates_tell_verdicts_where_classes_are_known_to_be_large():
    evaluation = build_release(7).check(pw.KAnonymity(3), *ASKED)
    record = json.loads(evaluation.guarded().to_json())
    for known, one in zip(evaluation.requirements, record["requirements"], strict=True):
        assert disclose_verdict(one, record["results"])["holds"] == known.holds


def tell(asked: object, known: object, size: int) -> dict:
    """Return what a certificate says of a requirement beside another result of the same record."""
    record = json.loads(build_release(size).evaluate(asked, known).guarded().to_json())
    places = {one["measure"]: number for number, one in enumerate(record["results"])}
    place = places[asked.name]
    requirement = {"measure": asked.name, "parameters": asked.parameters(), "result": place}
    return disclose_verdict(requirement | {"holds": record["results"][place]["holds"]}, record["results"])


@pytest.mark.parametrize("known", [pw.KAnonymity(9), pw.ReidentificationRisk(), pw.AlphaKAnonymity(k=9, alpha="0.9")])
@pytest.mark.parametrize("size", [4, 5])
def test_a_certificate_tells_a_verdict_beside_what_says_that_classes_are_large(known, size):
    """Five people, and a risk of 1 ÷ 5, are enough; nothing else tells of class sizes."""
    shown = tell(pw.LDiversity(2), known, size)
    assert shown.get("withheld", False) == (size < 5)
    assert shown["holds"] is (True if size >= 5 else None)


@pytest.mark.parametrize(("limit", "withheld"), [(1, False), (2, True), (4, True), (5, False)])
def test_a_certificate_withholds_verdicts_on_two_to_four_only(limit, withheld):
    shown = tell(pw.KAnonymity(limit), pw.TCloseness("0.9"), 3)
    assert shown.get("withheld") is (True if withheld else None)
    assert shown["holds"] is (None if withheld else limit <= 3)
