"""JUnit XML: it is parsed, and follows strict schemas."""

from xml.etree import ElementTree as ET

import pytest
from junitparser import Error, Failure, JUnitXml, Skipped

import PETWorks as pw
from PETWorks.render.formats.junit import evaluation_junit
from PETWorks.render.words import LANGUAGES
from render.evaluations import HOSTILE, all_sorts, hostile, judged, small, unasked

both = pytest.mark.parametrize("language", LANGUAGES)

CHILDREN = {  # what strict readers allow: no properties within a test case, none but these attributes
    "testsuites": {"testsuite"},
    "testsuite": {"properties", "testcase"},
    "properties": {"property"},
    "testcase": {"failure", "error", "skipped", "system-out"},
}
ATTRIBUTES = {
    "testsuites": {"name", "tests", "failures", "errors"},
    "testsuite": {"name", "tests", "failures", "errors", "skipped"},
    "property": {"name", "value"},
    "testcase": {"name", "classname"},
    "failure": {"type", "message"},
    "error": {"type", "message"},
    "skipped": {"message"},
}


def parsed(evaluation, language="en"):
    """Return the suite, after checking the whole document."""
    text = evaluation_junit(evaluation, language)
    root = ET.fromstring(text.encode())  # noqa: S314
    assert root.tag == "testsuites"
    for element in root.iter():
        assert {child.tag for child in element} <= CHILDREN.get(element.tag, set())
        assert set(element.attrib) == ATTRIBUTES.get(element.tag, set())
    for suite in root:
        cases = suite.findall("testcase")
        assert [child.tag for child in suite][:1] == ["properties"]
        assert suite.attrib["tests"] == str(len(cases))
        for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert suite.attrib[attribute] == str(sum(case.find(tag) is not None for case in cases))
        assert len({(case.attrib["classname"], case.attrib["name"]) for case in cases}) == len(cases)
        assert all(len([child for child in case if child.tag != "system-out"]) <= 1 for case in cases)
    (suite,) = JUnitXml.fromstring(text.encode())
    return suite


def test_requirements_are_test_cases():
    suite = parsed(judged(small()).guarded())
    assert (suite.name, suite.tests, suite.failures, suite.errors, suite.skipped) == ("release", 5, 1, 0, 0)
    first, *others = suite
    assert (first.classname, first.name) == ("privacy", "k-anonymity")
    (failure,) = first.result
    assert isinstance(failure, Failure)
    assert failure.message == "k-anonymity: 2, at least 3: does not hold"
    assert "  1. Grouped 7 published rows by sex, age into 2 classes" in failure.text
    assert not any(case.result for case in others)
    properties = {one.name: one.value for one in suite.properties()}
    assert properties["rows"] == "8"
    assert properties["k-anonymity: measured"] == "2"
    assert properties["k-anonymity: limit"] == "at least 3"
    assert properties["profitability: measured"] == "yes"


@both
def test_what_could_not_be_asked_is_an_error(language):
    suite = parsed(unasked(), language)
    assert (suite.name, suite.tests, suite.failures, suite.errors) == ("Small", 4, 1, 2)
    errors = [one for case in suite for one in case.result if isinstance(one, Error)]
    assert {one.type for one in errors} == {{"en": "could not be evaluated", "zh_TW": "無法評估"}[language]}
    assert errors[1].message == "a.csv: 2 values <b>x</b>"
    assert [case.name for case in suite][-1].endswith("#2")
    assert "rule 7" in [one.value for one in suite.properties()]


@both
@pytest.mark.parametrize("k", [2, 3, 4])
def test_a_withheld_verdict_passes_in_no_pipeline(k, language):
    """With a smallest class of three people, some hold and some do not: all are errors, of one text."""
    evaluation = pw.Release({"age": ["2*"] * 3 + ["3*"] * 9}, quasi_identifiers=["age"]).evaluate(pw.KAnonymity(k))
    assert evaluation.requirements_hold is (k <= 3)
    suite = parsed(evaluation.public(), language)
    assert (suite.tests, suite.failures, suite.errors, suite.skipped) == (1, 0, 1, 0)
    ((error,),) = [case.result for case in suite]
    assert isinstance(error, Error)
    assert error.type == {"en": "verdict withheld", "zh_TW": "不顯示判定"}[language]
    assert {"en": "exit code", "zh_TW": "結束代碼"}[language] in error.message
    told = parsed(evaluation.guarded(), language)  # for readers who may see the table
    assert (told.failures, told.errors, told.skipped) == (int(k > 3), 0, 0)


@both
def test_without_requirements_measures_are_only_measured(language):
    evaluation = small().evaluate().guarded()
    suite = parsed(evaluation, language)
    assert suite.tests == len(evaluation) + len(evaluation.skipped)
    assert suite.skipped == len(evaluation.skipped)
    assert suite.failures == suite.errors == 0
    measured = [one for one in suite.properties() if one.name.endswith(": measured")]
    assert len(measured) == len(evaluation)
    assert all(isinstance(one, Skipped) and one.message for case in suite for one in case.result)


@both
@pytest.mark.parametrize("kind", all_sorts())
def test_every_sort_is_accepted(kind, language):
    parsed(all_sorts()[kind], language)


@both
@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
def test_what_xml_forbids_is_shown(name, language):
    evaluation = hostile(name).evaluate(pw.LDiversity(l=9), pw.TCloseness(t=0))
    suite = parsed(pw.Evaluation(evaluation.results, title=name), language)
    texts = [one.message + one.text for case in suite for one in case.result]
    if name.isprintable() and len(name) < 30:
        assert all(name.strip() in text for text in texts)
    if "\0" in name:
        assert all(r"\x00" in text for text in texts)
        assert r"\x00" in suite.name


def test_no_times_are_made_up():
    assert "time" not in evaluation_junit(judged(small()))
