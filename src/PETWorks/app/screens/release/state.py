"""In which state the release is: not ready, to be written, being written, written and measured, or not as it was."""

from __future__ import annotations

from typing import NamedTuple

from PETWorks.app.answering import Say
from PETWorks.app.desk import Desk
from PETWorks.app.screens.release.after import (
    Measured,
    is_as_recorded,
    is_current,
    is_of_table,
    measured,
    recorded,
    target_of,
)
from PETWorks.app.screens.release.settings import have_several_rows
from PETWorks.app.screens.release.view import AfterView
from PETWorks.app.screens.release.writing import Written, key
from PETWorks.app.work import Work
from PETWorks.errors import OutputError, PETWorksError
from PETWorks.making.people import require_countable
from PETWorks.policy.recipe import Recipe

PATIENCE = 0.2  # seconds that a page waits for work that may be done soon


class State(NamedTuple):
    """The state of the release."""

    kind: str  # "shut", "before", "again", "outdated", "busy", "measuring", "failed", "foreign" or "after"
    problem: PETWorksError | None = None
    work: Work[Written] | Work[Measured] | None = None
    after: AfterView | None = None


def state_of(desk: Desk, language: str, say: Say, *, small: bool) -> State:
    """Return the state that the project is in."""
    if problem := _problem(desk):
        return State("shut", problem)
    work = desk.known(("work", key(desk)))
    if isinstance(work, Work):
        if not work.wait(PATIENCE):
            return State("busy", work=work)
        if work.problem:
            return State("failed", work.problem)
    return _written(desk, language, say, small=small)


def _written(desk: Desk, language: str, say: Say, *, small: bool) -> State:
    """Return the state of what lies on disk."""
    target, record = target_of(desk), recorded(desk)
    if not target.is_file() or record is None or not is_current(desk, record):
        return State("again" if target.is_file() and record is not None else "before")
    if not is_as_recorded(desk, record):
        return State("foreign")
    if not is_of_table(desk, record):
        return State("outdated")
    work = measured(desk, language, small=small)
    if not work.wait(PATIENCE):
        return State("measuring", work=work)
    if work.problem:
        return State("failed", work.problem)
    return State("after", after=AfterView(work.value, desk, language, say))


def _problem(desk: Desk) -> PETWorksError | None:
    """Return what is wrong with the policy; None if a release can be made of it."""

    def look() -> PETWorksError | None:
        try:
            recipe = Recipe(desk.project.path, **desk.memory)
        except PETWorksError as error:
            return error
        try:
            if have_several_rows(desk) and (recipe.plan.suppressed_rows, recipe.plan.order) != ("keep", "original"):
                require_countable(recipe.original._facts, recipe.plan)  # noqa: SLF001 (of our own)
        except PETWorksError as error:  # to be decided on this very screen
            return OutputError(error.problem, hint=error.hint)
        return None

    try:
        return desk.kept(("recipe", desk.project.text, desk.table_key), look) or desk.survey.problem
    except PETWorksError as error:
        return error
