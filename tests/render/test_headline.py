"""The headline tells of the requirement that most people fail, in every format that has one."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import PETWorks as pw
from PETWorks import Evaluation
from PETWorks.render.tables import as_html
from render.page.reading import read
from support.output import LANGUAGES, evaluation_markdown, write_check
from support.strategies import brute, release_of, tables

REQUIREMENTS = [
    pw.KAnonymity(k=2),
    pw.KAnonymity(k=4),
    pw.TCloseness(t="0.2"),
    pw.LDiversity(l=2),
    pw.AlphaKAnonymity(alpha="0.5", k=3),
    pw.DeltaDisclosure(delta=1),
    pw.Profitability(cost=4, gain=10, loss=300, benefit=100),
    pw.ReidentificationRisk(average="0.3"),
    pw.Precision(at_least="0.9"),
]
chosen = st.lists(st.sampled_from(REQUIREMENTS), min_size=1, max_size=5, unique=True)
PATTERNS = {  # how many requirements fail, of how many; and how many people fail the first, of how many
    "en": (r"(?P<fails>\d+) of (?P<all>\d+) ", r"(?:For )?(?P<people>\d+) of (?P<rows>\d+) people"),
    "zh_TW": (r"(?P<all>\d+) 項要求中，有 (?P<fails>\d+) 項不滿足", r"(?P<rows>\d+) 人中，有 (?P<people>\d+) 人"),
}


def headlines(evaluation: Evaluation, page: str, language: str) -> dict[str, str]:
    """The sentence that opens each format, or in a terminal closes it."""
    shown = evaluation.guarded()
    return {
        "text": next(
            line for line in write_check(shown, language).splitlines()[::-1] if re.match(PATTERNS[language][0], line)
        ),
        "Markdown": evaluation_markdown(shown, language).splitlines()[0].strip("*"),
        "notebook": re.search("<strong>(.*?)</strong>", as_html(shown, language)).group(1),
        "page": page.splitlines()[1],
    }


@settings(brute, max_examples=60)
@given(tables(least_sensitive=1, most_sensitive=2), chosen, st.sampled_from(LANGUAGES))
def test_the_headline_is_about_the_requirement_that_most_people_fail(drawn, measures, language):
    evaluation = release_of(drawn).check(*measures)
    failing = [one for one in evaluation.requirements if one.holds is False]
    if not failing:
        return
    page = read(evaluation.to_html(), language)["answer"]
    of_requirements, of_people = PATTERNS[language]
    for told in headlines(evaluation, page, language).values():
        found = re.match(of_requirements, told)
        assert (int(found["fails"]), int(found["all"])) == (len(failing), len(measures)), told
    most = max(one.result.failing_rows for one in failing)
    lead = page.splitlines()[2]
    told = [int(found["people"]) for found in re.finditer(of_people, lead)]
    assert told == sorted(told, reverse=True), lead
    assert told[:1] == [most] * bool(most), lead
    assert set(told) <= {one.result.failing_rows for one in failing} - {0}
    why = write_check(evaluation.guarded(), language, command="policy.toml").rpartition("policy.toml ")[2]
    named = why.partition("\n")[0].partition(" --lang")[0].strip("'")
    assert named in {one.measure.name for one in failing if one.result.failing_rows == most}


SICK = {"g": ["a"] * 10 + ["b"] * 20 + ["c"] * 30, "d": ["x"] * 10 + ["y"] * 25 + ["x"] * 25}


def lead(evaluation: Evaluation, language: str) -> str:
    """The sentences below the headline of the page."""
    return read(evaluation.to_html(), language)["answer"].splitlines()[2]


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("en", "For 60 of 60 people (100%), being in their class says more about at least one of d, s than"),
        ("zh_TW", "60 人中，有 60 人（100%）所屬的等價類透露的資訊，在 d、s 中至少一項超過上限。"),
    ],
)
def test_people_who_fail_in_any_attribute_are_counted(language, told):
    """d fails for 20 people, s for all 60."""
    table = SICK | {"s": ["1"] * 30 + ["2"] * 30}
    release = pw.Release(table, quasi_identifiers=["g"], sensitive=["d", "s"])
    assert lead(release.evaluate(pw.KAnonymity(k=15), pw.TCloseness(t="0.45")), language).startswith(told)


@pytest.mark.parametrize(
    ("language", "told"),
    [("en", "2 more do not hold, such as t-closeness."), ("zh_TW", "另有 t-相似性等 2 項不滿足。")],
)
def test_the_others_are_counted(language, told):
    release = pw.Release(SICK, quasi_identifiers=["g"], sensitive=["d"])
    asked = pw.LDiversity(l=3), pw.TCloseness(t="0.3"), pw.KAnonymity(k=15), pw.ReidentificationRisk(highest="0.01")
    assert told in lead(release.evaluate(*asked), language)


@pytest.mark.parametrize(
    ("language", "told"), [("en", "nothing is published. Precision does"), ("zh_TW", "。精準度不")]
)
def test_a_requirement_may_fail_though_nothing_is_published(language, told):
    table = {"sex": ["m", "f"], "year": ["1970", "1980"]}
    release = pw.Release({"sex": ["*"] * 2, "year": ["*"] * 2}, original=table)
    answer = read(release.evaluate(pw.KAnonymity(k=2), pw.Precision(at_least="0.5")).to_html(), language)["answer"]
    assert re.match(PATTERNS[language][0], answer.splitlines()[1])
    assert told in answer.splitlines()[2]
