"""What of an evaluation may be shown where anybody can read it.

The analyst's own results are complete. Every output of the command line and every report shows a guarded evaluation,
unless the user asks for small classes to be shown. No facts can be reached from it: what is left out cannot be found.
"""

from __future__ import annotations

from dataclasses import replace

from PETWorks.answer.evaluation import Evaluation, Requirement
from PETWorks.measure.guard import guarded, shown_note
from PETWorks.measure.result import DESCRIBABLE, Result


def guarded_evaluation(evaluation: Evaluation, least: int = DESCRIBABLE, *, explained: bool = True) -> Evaluation:
    """Leave out of all results what describes classes of fewer than `least` people.

    With ``explained=False`` results have no steps: for outputs that show none, because they take time.
    """
    shown: dict[Result, Result] = {}

    def show(result: Result) -> Result:
        if result not in shown:
            shown[result] = guarded(result, least, explained=explained)
        return shown[result]

    def show_requirement(one: Requirement) -> Requirement:
        result = None if one.result is None else show(one.result)
        problem = None if one.problem is None else shown_note(one.problem, least)
        return replace(one, result=result, problem=problem)

    return Evaluation(
        [show(result) for result in evaluation],
        {name: shown_note(note, least) for name, note in evaluation.skipped.items()},
        [show_requirement(one) for one in evaluation.requirements],
        evaluation.title,
    )
