"""What a guarded evaluation keeps of results, requirements and problems."""

from __future__ import annotations

import pytest

import PETWorks as pw
from PETWorks.disclosure.evaluation import disclose_evaluation
from PETWorks.plugin import Note
from support.release_facts import Requirement

RELEASE = pw.Release({"q": list("aab")}, quasi_identifiers=["q"])
PROBLEM = Note("error", {"text": "the cell is 'x'", "guarded": "a cell is wrong"})


def test_steps_are_there_unless_they_are_not_wanted():
    evaluation = RELEASE.check(pw.KAnonymity(k=2))
    assert disclose_evaluation(evaluation)[0].steps
    assert disclose_evaluation(evaluation, explained=False)[0].steps == ()


def test_a_requirement_shows_the_guarded_result():
    shown = disclose_evaluation(RELEASE.check(pw.KAnonymity(k=2)))
    assert shown.requirements[0].result is shown[0]
    assert shown[0].worst == ()


def test_problems_and_skipped_measures_name_no_values():
    told = pw.Evaluation([], {"t-closeness": PROBLEM}, [Requirement(pw.KAnonymity(k=2), problem=PROBLEM)], "Title")
    shown, complete = disclose_evaluation(told), disclose_evaluation(told, least=1)
    assert shown.title == "Title"
    assert shown.requirements[0].problem == shown.skipped["t-closeness"] == Note("error", {"text": "a cell is wrong"})
    assert complete.requirements[0].problem == complete.skipped["t-closeness"] == PROBLEM


@pytest.mark.parametrize("shown", [pw.Evaluation.guarded, pw.Evaluation.public])
def test_a_requirement_may_have_a_result_of_its_own(shown):
    k, risk = RELEASE.ask(pw.KAnonymity(k=2)), RELEASE.ask(pw.ReidentificationRisk(highest=1))
    both = pw.Evaluation([risk], requirements=[Requirement(k.measure, k), Requirement(risk.measure, risk)])
    assert both.all_results == (risk, k)
    first, own = shown(both).all_results
    assert (first.measure, own.measure) == (risk.measure, k.measure)
    assert own.facts is None
    assert both.to_html().count('id="m-k-anonymity"') == 1
