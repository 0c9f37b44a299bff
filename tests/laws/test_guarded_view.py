"""Guarding cannot be bypassed: no object that describes few people can be reached from what is shown.

Every object that can be reached from a guarded evaluation, or from the view that the sections of the report receive, is
looked at. None of them is a table, a tally, facts, a source, or an array of counts.
"""

from __future__ import annotations

import gc
import inspect
import pickle
from collections.abc import Iterator
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np
import pytest

import PETWorks as pw
from laws.samples import SAMPLES, questions
from laws.test_nobody_given_away import marked
from PETWorks.facts.tallies import InputTables
from PETWorks.plugin import Bound, Cells, Facts, Groups, Scores, Spread, TableSource
from PETWorks.render.page import annex, write_page
from support.counted_tables import Coded, Tally
from support.output import SECTIONS
from support.release_facts import EvaluationView

SECRET = (Facts, InputTables, Tally, Coded, Cells, Groups, Spread, Bound, Scores, TableSource, np.ndarray)
CODE = (type, ModuleType, FunctionType, BuiltinFunctionType, MethodType)  # the program, not what it worked out
RELEASES = {"marked": marked(), **{f"sample {number}": one.release() for number, one in enumerate(SAMPLES)}}


def reached(start: Any) -> Iterator[Any]:
    """Yield every object that can be reached from one, except code."""
    seen, waiting = set(), [start]
    while waiting:
        one = waiting.pop()
        if id(one) in seen or isinstance(one, CODE):
            continue
        seen.add(id(one))
        yield one
        waiting += gc.get_referents(one)


def judged(release: pw.Release) -> pw.Evaluation:
    """Everything that can be evaluated, with limits, most of which fail."""
    asked = [one for kind in pw.measures().values() for one in questions(kind) if one.judges]
    return release.check(*asked)


@pytest.fixture(params=RELEASES, scope="module")
def evaluation(request):
    return judged(RELEASES[request.param])


def test_the_walk_finds_what_there_is_to_find(evaluation):
    """Show that the search finds such objects in unguarded results."""
    found = {type(one) for one in reached(evaluation)}
    assert {Facts, InputTables, Tally, Bound, np.ndarray} <= found


def test_nothing_is_behind_a_guarded_evaluation(evaluation):
    assert [one for one in reached(evaluation.guarded()) if isinstance(one, SECRET)] == []


def test_nothing_is_behind_a_guarded_result(evaluation):
    for result in evaluation:
        assert [one for one in reached(result.guarded()) if isinstance(one, SECRET)] == []


@pytest.mark.parametrize("small", [False, True])
def test_nothing_is_behind_the_view_of_a_report(evaluation, small):
    view = EvaluationView.of(evaluation, show_small_classes=small)
    assert [one for one in reached(view) if isinstance(one, SECRET)] == []


def test_sections_receive_the_view_and_nothing_else(evaluation):
    for section in (*SECTIONS.values(), annex.build_record_section):
        needed = [
            one for one in inspect.signature(section).parameters.values() if one.default is inspect.Parameter.empty
        ]
        assert [one.annotation for one in needed] == ["EvaluationView"]
    assert list(inspect.signature(write_page).parameters) == ["view", "language", "command"]
    assert write_page(EvaluationView.of(evaluation)).startswith("<!DOCTYPE html>")


def test_a_guarded_evaluation_shows_itself_in_every_format_and_survives_pickling(evaluation):
    guarded = evaluation.guarded()
    copy = pickle.loads(pickle.dumps(guarded))
    assert copy.to_json() == guarded.to_json()
    assert copy.text("zh_TW") == guarded.text("zh_TW")
    assert [str(one.explain()) for one in copy] == [str(one.explain()) for one in guarded]


def test_a_guarded_evaluation_knows_no_rows_and_makes_no_report(evaluation):
    for ask in (pw.Evaluation.failing_mask, pw.Evaluation.to_html):
        with pytest.raises(pw.PETWorksError, match=r"guarded|nothing to report"):
            ask(evaluation.guarded())


def test_no_source_can_be_reached_from_facts_by_a_public_name():
    """Measures get facts, whose public names lead to no source, file or table of the caller."""
    facts = marked().facts
    public = {name: getattr(facts, name) for name in dir(facts) if not name.startswith("_")}
    for name, value in public.items():
        assert not isinstance(value, TableSource | InputTables | dict), name
