"""Context risk: stated chances of attempts with the re-identification risk, against its definition."""

from __future__ import annotations

import json
import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import PETWorks as pw
from oracle import naive_risk as naive
from oracle.naive import keeps_at_most
from oracle.naive_population import DoesNotHold
from PETWorks.errors import ParameterError
from PETWorks.measure.risk.context_risk import Attempts
from PETWorks.plugin import Limit
from support.process import petworks
from support.strategies import NUDGE, tables
from support.strategies_family import quick, release_from, release_of, samples

WHOSE = {
    ("prosecutor", "highest"): "highest",
    ("prosecutor", "average"): "average",
    ("journalist", "highest"): "journalist highest",
    ("journalist", "average"): "journalist success rate",
    ("marketer", "average"): "marketer",
}
chances = st.fractions(0, 1, max_denominator=40)
whose = st.sampled_from(list(WHOSE))
combine = st.sampled_from(["largest", "any"])


def stated(attempts="public", risk="highest", adversary="prosecutor", limit="0.05", **other) -> pw.ContextRisk:
    return pw.ContextRisk(attempts=attempts, risk=risk, adversary=adversary, limit=limit, **other)


def alike(people: int) -> pw.Release:
    return pw.Release({"year": ["198*"] * people})


@quick
@given(samples(), st.lists(chances, min_size=1, max_size=3), whose, combine)
def test_the_chance_of_an_attempt_that_succeeds(sample, chances, whose, combine):
    (tables, population), release = sample, release_from(*sample)
    try:
        risk = naive.re_identification(tables, population, 1)[WHOSE[whose]]
    except DoesNotHold:
        return
    expected = naive.context_risk(chances, risk, any_of=combine == "any")
    attempts = {f"attempt {number}": chance for number, chance in enumerate(chances)}
    for limit in (expected, min(1, expected + NUDGE), max(0, expected - NUDGE), float(expected)):
        question = stated(attempts, adversary=whose[0], risk=whose[1], limit=limit, combine=combine)
        result = release.ask(question)
        assert (result.exact, result.value) == (expected, float(expected))
        assert result.holds is keeps_at_most(expected, limit)


@quick
@given(chances, st.integers(1, 30))
def test_acquaintances(prevalence, acquaintances):
    known = {"neighbour": {"prevalence": prevalence, "acquaintances": acquaintances}}
    assert alike(2).ask(stated(known)).exact == naive.knowing_one(prevalence, acquaintances) / 2


@quick
@given(tables(), st.lists(chances, min_size=1, max_size=3), st.fractions(0, 1, max_denominator=30), combine)
def test_no_table_can_fail_is_said_just_then(tables, chances, limit, combine):
    attempts = {str(number): chance for number, chance in enumerate(chances)}
    result = release_of(tables).ask(stated(attempts, limit=limit, combine=combine))
    said = "cannot_fail" in {note.kind for note in result.notes}
    assert said is (naive.context_risk(chances, Fraction(1), any_of=combine == "any") <= limit)
    assert not said or result.holds


@pytest.mark.parametrize("form", [Fraction, float])
def test_the_people_asked_are_the_fewest_that_keep_the_limit(form):
    chance = random.Random(0)
    for _ in range(300):
        limit = Limit.of(form(Fraction(chance.randint(1, 40), chance.randint(40, 300))))
        given = [Fraction(chance.randint(0, 20), 20) for _ in range(chance.randint(1, 3))]
        any_of = chance.random() < 0.5
        known = Attempts({str(n): Limit.of(one) for n, one in enumerate(given)}, any_of=any_of)
        fits = (
            people
            for people in range(1, 10**5)
            if limit.compare(naive.context_risk(given, Fraction(1, people), any_of=any_of)) <= 0
        )
        assert known.find_required_people(limit) == next(fits)


@pytest.mark.parametrize(
    ("attempts", "limit", "people"),
    [
        ({"insider": "0.05", "breach": "0.27"}, "0.05", 6),
        ("public", "0.09", 12),
        ({"public": 1, "insider": "0.05"}, "0.09", 12),
        ("public", Fraction(1, 11), 11),
        ("public", 1 / 11, 11),
        ({"breach": "0.27"}, "0.33", 1),
        ({"breach": "0.27"}, 0, None),
        ({"nobody": 0}, 0, 1),
    ],
)
def test_the_class_size_that_a_limit_asks_for(attempts, limit, people):
    question = stated(attempts, limit=limit)
    assert alike(3).ask(question).figures["people asked"] == people
    assert question.requested_size == (people if people and people > 1 else None)
    for size in {people, people and people - 1} - {0, None}:
        assert alike(size).ask(question).holds is (size == people)


def test_beside_a_public_release_other_attempts_change_nothing():
    for combine in ("largest", "any"):
        alone, beside = (
            alike(5).ask(stated(given, combine=combine)) for given in ("public", {"public": 1, "insider": "0.9"})
        )
        assert alone.exact == beside.exact == Fraction(1, 5)
        assert beside.figures["counted"] == ["public"]


def test_a_result_names_what_was_stated():
    result = alike(5).ask(stated({"insider": "0.05", "breach": "0.27"}))
    assert "insider=0.05, breach=0.27; counted: breach" in str(result).replace("\n  ", " ")
    assert "0.2000 (prosecutor, highest)" in str(result)
    assert "at least 6 people" in str(result)
    assert "至少 6 人" in result.text("zh_TW")


def test_a_verdict_that_says_nothing_is_said_first(tmp_path):
    """Of R 0.33 with T 0.27: everybody is unique, and yet it holds."""
    uniques = pw.Release({"year": [str(year) for year in range(1970, 1990)]})
    result = uniques.ask(stated({"insider": "0.05", "breach": "0.27"}, limit="0.33"))
    assert result.holds
    evaluation = pw.Evaluation([result])
    first = {"en": "Warning: No table can fail", "zh_TW": "警告：任何資料表都不會違反"}
    for language, text in first.items():
        assert result.text(language).startswith(text)
        assert str(result.explain(language)).startswith(text)
        assert evaluation.text(language).startswith(text)
        assert evaluation.guarded().text(language).startswith(text)
        assert evaluation.public().text(language).startswith(text)
    for shown in (evaluation, evaluation.guarded(), evaluation.public()):
        document = json.loads(shown.to_json())
        assert document["warnings"][0]["kind"] == document["results"][0]["notes"][0]["kind"] == "cannot_fail"
        assert document["warnings"][0]["leading"]
    for page in (evaluation.to_html(), evaluation.public().to_html()):
        body = page[page.index("<main") :]
        assert body.index("No table can fail") < body.index("<h1")
    table = tmp_path / "people.csv"
    table.write_text("year\n" + "\n".join(map(str, range(1970, 1990))), encoding="utf-8")
    options = "-m", "context-risk", "--attempts", "insider=0.05", "--attempts", "breach=0.27", "--risk", "highest"
    for form in ("text", "markdown"):
        done = petworks("evaluate", table, *options, "--adversary", "prosecutor", "--limit", "0.33", "--format", form)
        assert done.stdout.startswith("Warning: No table can fail")


def test_an_average_of_a_public_release_is_noted():
    for attempts, risk, noted in (
        ("public", "average", True),
        ("public", "highest", False),
        ({"a": 1}, "average", False),
    ):
        result = alike(5).ask(stated(attempts, risk=risk))
        assert ("public_average" in {note.kind for note in result.warnings}) is noted


@pytest.mark.parametrize(
    ("attempts", "problem"),
    [
        ({}, "attempts must be names with numbers"),
        ("private", 'attempts must be names with numbers, or "public"'),
        ({"insider": "1.2"}, "attempts.insider must be at least 0 and at most 1, not '1.2'"),
        ({"insider": -1}, "attempts.insider must be at least 0 and at most 1"),
        ({"insider": "often"}, "attempts.insider must be a finite number"),
        ({"insider": "0.1", " Insider": "0.2"}, 'attempts has the name "Insider" twice'),
        ({"": "0.1"}, "attempts: a name must be text"),
        ({"public": "0.5"}, "attempts.public is certain, so it must be 1"),
        ({"friend": {"prevalence": "0.1"}}, "attempts.friend also needs acquaintances"),
        ({"friend": {"prevalence": "0.1", "friends": 3}}, 'attempts.friend has no key "friends"'),
        ({"friend": {"prevalence": "0.1", "acquaintances": 0}}, "attempts.friend.acquaintances must be at least 1"),
        ({"friend": {"prevalence": 2, "acquaintances": 5}}, "attempts.friend.prevalence must be"),
        ({"friend": {"prevalence": "0.123456789", "acquaintances": 9999}}, "attempts have too many digits"),
    ],
)
def test_wrong_attempts(attempts, problem):
    with pytest.raises(ParameterError) as error:
        stated(attempts)
    assert problem in str(error.value)


def test_nothing_has_a_default():
    for lacking in ("attempts", "risk", "adversary", "limit"):
        known = {"attempts": "public", "risk": "highest", "adversary": "prosecutor", "limit": 1}
        with pytest.raises(TypeError):
            pw.ContextRisk(**{name: one for name, one in known.items() if name != lacking})
    with pytest.raises(ParameterError, match="the marketer has no highest risk"):
        stated(adversary="marketer")


def test_attempts_on_the_command_line(tmp_path):
    table = tmp_path / "people.csv"
    table.write_text("year\n" + "198*\n" * 5, encoding="utf-8")
    other = "--risk", "highest", "--adversary", "prosecutor", "--limit", "0.2"

    def run(*attempts: str):
        typed = [word for one in attempts for word in ("--attempts", one)]
        return petworks("evaluate", table, "-m", "context risk", *typed, *other, "--format", "json")

    result = json.loads(run("public", "friend.prevalence=0.5", "friend.acquaintances=2").stdout)["results"][0]
    nested = {"public": 1, "friend": {"prevalence": "1/2", "acquaintances": 2}}
    assert (result["parameters"]["attempts"], result["exact"], result["holds"]) == (nested, "1/5", True)
    assert '--attempts has the name "a" twice' in run("a=0.1", "a=0.2").stderr
    assert '--attempts has the name "a" twice' in run("a=0.1", "a.prevalence=0.2").stderr
    assert '--attempts must be NAME=NUMBER, not "private"' in run("private").stderr
    assert "--attempts.a must be at least 0 and at most 1, not '2'" in run("a=2").stderr


def test_a_release_is_made_so_that_it_holds():
    years = [str(1960 + year % 20) for year in range(60)]
    hierarchy = [(str(year), f"{year // 10}*", "*") for year in range(1960, 1980)]
    made = pw.anonymize(
        {"year": years}, goals=stated({"breach": "0.27"}), quasi_identifiers=["year"], hierarchies={"year": hierarchy}
    )
    assert made.levels == {"year": 1}
    assert pw.Release(made.frame(), quasi_identifiers=["year"]).ask(stated({"breach": "0.27"})).holds


def test_a_release_is_made_as_for_the_class_size_that_is_asked_for():
    chance = random.Random(1)
    table = {
        "year": [str(chance.randint(1960, 1979)) for _ in range(80)],
        "zip": chance.choices(["100", "101", "200"], k=80),
    }
    years = [(str(year), f"{year // 5}", f"{year // 10}*", "*") for year in range(1960, 1980)]
    zips = [(code, code[0] + "**", "*") for code in ("100", "101", "200")]
    given = {"quasi_identifiers": ["year", "zip"], "hierarchies": {"year": years, "zip": zips}}
    for rate in ("0%", "30%"):
        for recoding in ("global", "local"):
            by_risk, by_size = (
                pw.anonymize(table, goals=goal, suppress_at_most=rate, recoding=recoding, **given)
                for goal in (stated({"breach": "0.27"}), pw.KAnonymity(6))
            )
            assert (by_risk.levels, by_risk.suppressed) == (by_size.levels, by_size.suppressed)
            assert by_risk.proven is by_size.proven
