"""Several sensitive attributes: each has a line of its own, the same as if it were required alone, in every format."""

import re
from xml.etree import ElementTree as ET

import pytest

import PETWorks as pw
from PETWorks.plugin import Measure
from PETWorks.render.formats.junit import evaluation_junit
from PETWorks.render.formats.markdown import evaluation_markdown
from PETWorks.render.summary import write_check, write_evaluation_table
from PETWorks.render.tables import as_html
from PETWorks.render.words import LANGUAGES

both = pytest.mark.parametrize("language", LANGUAGES)
NAMES = ("disease", "salary", "ward")
TABLE = {
    "sex": ["m", "f"] * 50,
    "year": ["197*", "198*"] * 40 + ["199*"] * 20,
    "disease": ["flu", "cold", "ulcer", "flu"] * 25,
    "salary": ["1000", "2000", "3000", "4000", "5000"] * 20,
    "ward": ["a"] * 30 + ["b"] * 70,
}
MEASURES = [
    pw.TCloseness(t="0.2"),
    pw.LDiversity(l=2),
    pw.AlphaKAnonymity(alpha="0.4"),
    pw.PSensitiveKAnonymity(p=3),
    pw.BetaLikeness(beta="0.9"),
    pw.DeltaDisclosure(delta="0.5"),
]


def release() -> pw.Release:
    return pw.Release(TABLE, quasi_identifiers=["sex", "year"], sensitive=NAMES)


def alone(measure: Measure) -> list[Measure]:
    """The same measure for each sensitive attribute alone."""
    return [type(measure)(**measure.parameters() | {"sensitive": name}) for name in NAMES]


def cases(text: str) -> dict[str, str | None]:
    """The test cases of a JUnit document, with the messages of those that fail."""
    found = ET.fromstring(text.encode()).iter("testcase")  # noqa: S314
    return {case.get("name"): None if (one := case.find("failure")) is None else one.get("message") for case in found}


def lines(text: str) -> list[str]:
    return sorted(line for line in text.splitlines() if any(name in line for name in NAMES))


def rows(text: str) -> list[str]:
    return sorted(row for row in re.findall("<tr>.*?</tr>", text) if any(name in row for name in NAMES))


@both
@pytest.mark.parametrize("measure", MEASURES, ids=lambda one: one.name)
def test_each_attribute_is_judged_as_if_alone(measure, language):
    together, apart = (one.guarded() for one in (release().check(measure), release().check(*alone(measure))))
    assert {one.result.holds for one in apart.requirements} == {True, False}
    assert lines(write_check(together, language)) == lines(write_check(apart, language))
    assert len(lines(write_check(together, language))) == len(NAMES)
    tables = [evaluation_markdown(one, language).partition("<details>")[0] for one in (together, apart)]
    assert lines(tables[0]) == lines(tables[1])
    assert rows(as_html(together, language)) == rows(as_html(apart, language))
    assert cases(evaluation_junit(together, language)) == cases(evaluation_junit(apart, language))


@both
def test_without_limits_each_attribute_has_its_value(language):
    measured = {name: release().evaluate(pw.TCloseness(sensitive=name)) for name in NAMES}
    together = lines(write_evaluation_table(release().evaluate("t-closeness"), language))
    assert together == sorted(
        line for one in measured.values() for line in lines(write_evaluation_table(one, language))
    )


@both
def test_the_counts_beside_an_attribute_are_its_own(language):
    evaluation = release().check(pw.TCloseness(t="0.2")).guarded()
    assert evaluation[0].failing_rows == 100
    told = {"en": "2 classes, 20 people", "zh_TW": "2 個等價類，20 人"}[language]
    assert [told in line for line in lines(write_check(evaluation, language)) if "ward" in line] == [True]
    assert told in evaluation[0].text(language)


@both
def test_steps_of_another_attribute_are_not_in_the_failure(language):
    document = ET.fromstring(evaluation_junit(release().check(MEASURES[0]).guarded(), language).encode())  # noqa: S314
    failures = {case.get("name"): case.findtext("failure") for case in document.iter("testcase")}
    assert failures["t-closeness, salary"] is None
    assert "ward" in failures["t-closeness, ward"]
    assert "disease" not in failures["t-closeness, ward"]
    assert "salary" not in failures["t-closeness, disease"]


def test_an_explanation_opens_with_every_attribute():
    head = str(release().evaluate(pw.TCloseness(t="0.2"))[0].explain()).splitlines()[: len(NAMES)]
    assert [line.partition(":")[0] for line in head] == [f"t-closeness, {name}" for name in NAMES]


def test_every_limit_of_a_measure_has_a_line():
    risk = pw.ReidentificationRisk(highest="0.09", average="0.05")
    text = write_check(release().check(risk, pw.AlphaKAnonymity(alpha="0.5", k=20)).guarded())
    assert re.search(r"FAIL  re-identification \(highest\) +0.1000  at most 0.09", text)
    assert re.search(r"ok    re-identification \(mean\) +0.04000  at most 0.05", text)
    assert re.search(r"FAIL  \(α,k\)-anonymity \(k\) +10  at least 20 +2 classes, 20 people", text)
    assert "2 of 2 requirements do not hold." in text


def test_test_cases_have_the_same_names_in_every_language():
    evaluation = release().check(*MEASURES, pw.KAnonymity(k=30), pw.ReidentificationRisk(average="0.05")).guarded()
    unjudged = release().evaluate().guarded()
    for one in (evaluation, unjudged):
        english, chinese = (list(cases(evaluation_junit(one, language))) for language in LANGUAGES)
        assert english == chinese
        assert len(set(english)) == len(english)


def test_a_sensitive_attribute_may_be_called_as_a_limit_is():
    """k is a column here, and a limit of (α,k)-anonymity."""
    table = {"g": ["a"] * 4 + ["b"] * 2, "k": ["x", "y", "x", "x", "z", "z"], "s": ["1", "2", "1", "1", "2", "2"]}
    release = pw.Release(table, quasi_identifiers=["g"], sensitive=["k", "s"])
    evaluation = release.check(pw.AlphaKAnonymity(alpha="0.8", k=3))
    text = write_check(evaluation.guarded())
    assert re.search(r"FAIL  \(α,k\)-anonymity, k +1  at most 0.8", text)
    assert re.search(r"FAIL  \(α,k\)-anonymity, s +1  at most 0.8", text)
    assert re.search(r"FAIL  \(α,k\)-anonymity \(k\) +2  at least 3", text)
    assert "one value of k takes" in str(evaluation)
    assert "<code><bdi>k</bdi></code> · " in evaluation.to_html()
    assert "k&#39;" not in evaluation.to_html()
