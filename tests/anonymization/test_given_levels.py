"""Levels that were given are told as a choice, and a proof is about all combinations, not about the given one."""

import re
from math import prod

import pytest

from anonymization.test_account import HEIGHTS, every_vector, made, step
from PETWorks.anonymization import full_domain
from render.page.reading import read
from support.release_facts import disclose_making

LANGUAGES = ("en", "zh_TW")
ALL = prod(height + 1 for height in HEIGHTS.values())
CHOICE = {"en": "These levels are the user's choice: age", "zh_TW": "下列層級由使用者選定：age"}
NOT_BEST = {"en": "Not the best: these levels were chosen by hand", "zh_TW": "並非最佳：這些層級由使用者選定"}


def told(one, language="en"):
    return read(one.release.check(*one.plan.goals).to_html(language=language), language)["making"]


@pytest.mark.parametrize("asked", [{}, {"utility": "loss"}, {"suppress_at_most": "20%"}, {"weights": {"age": "1/4"}}])
def test_the_record_of_every_vector_says_whether_it_is_the_best_of_all(asked):
    best = made(**asked)
    for one in every_vector(**asked):
        making = one.provenance
        assert (making.proven, making.better is None) == ((one.levels == best.levels,) * 2)
        assert making.proof == best.provenance.proof
        assert making.proof["vectors"] == sum(making.proof.values()) / 2 == ALL
        if making.better:
            assert making.better.levels == best.levels
            assert making.better.score == pytest.approx(best.worth)
            assert making.better.suppressed == best.suppressed
            assert step(one.explain(), "better")["value"] == pytest.approx(best.worth)
        else:
            assert step(one.explain(), "proven")["vectors"] == ALL
        assert step(one.explain(), "given")["levels"] == [f"{name} {level}" for name, level in one.levels.items()]


@pytest.mark.parametrize("level", range(1, HEIGHTS["age"] + 1))
def test_of_levels_for_some_columns(level):
    best, one = made(suppress_at_most="20%"), made(suppress_at_most="20%", levels={"age": level})
    assert one.proven == (one.worth == best.worth)
    assert one.provenance.proof["vectors"] == ALL
    assert step(one.explain(), "given")["levels"] == [f"age {level}"]


def test_within_bounds_nothing_is_said_of_all_combinations():
    one = made(coarsest={"age": 2}, finest={"age": 1})
    text = told(one)
    assert ("of all combinations of levels" in text, "all there are" in text) == (False, False)
    assert "The user restricted levels to these: age 1–2." in text
    assert "= 6 combinations of levels, all that were allowed" in text
    assert step(one.explain(), "bounds")["bounds"] == ["age 1–2"]
    fixed = made(coarsest={"age": 1}, finest={"age": 1})
    assert "The user restricted levels to these: age 1." in told(fixed)
    assert step(fixed.explain(), "bounds")["bounds"] == ["age 1"]
    assert "all there are" in told(made(coarsest={"age": HEIGHTS["age"]}))


@pytest.mark.parametrize("language", LANGUAGES)
def test_pages_name_the_choice_and_what_keeps_more(language):
    best, *_, worst = every_vector(suppress_at_most="20%")
    for one, is_best in ((best, True), (worst, False)):
        text = told(one, language)
        assert CHOICE[language] in text
        assert (NOT_BEST[language] in text) is not is_best
        assert re.search(r"\b12\b", text)
    assert CHOICE[language] not in told(made(), language)


def test_a_release_that_differs_by_few_rows_does_not_tell_the_other_apart():
    best, *others = every_vector(suppress_at_most="20%")
    for one in others:
        guarded = disclose_making(one.provenance, 5)
        apart = abs(one.suppressed - best.suppressed)
        if 0 < apart < 5 or 0 < best.suppressed < 5:
            assert guarded.better.levels is guarded.better.score is guarded.bound is None
        else:
            assert guarded.better.levels == best.levels


def test_a_search_that_would_take_too_long_proves_nothing(monkeypatch):
    best, second, *_ = every_vector()
    monkeypatch.setattr(full_domain, "FREE_SEARCH_WORK", 1)
    for one in (made(levels=best.levels), made(levels=second.levels)):
        assert (one.proven, one.provenance.proof["open"] > 0) == (False, True)
        assert one.bound >= best.worth
        assert ("Proven" in told(one), "Best found" in told(one)) == (False, False)


def test_making_many_searches_nothing(monkeypatch):
    def refuse(*_):
        raise AssertionError

    monkeypatch.setattr(full_domain.SearchWithoutGivenLevels, "run", refuse)
    one = made(levels={"age": 2, "place": 1})
    assert ("as given" in repr(one), "These levels are the user's choice: age 2, place 1" in str(one)) == (True, True)
