"""How much the detail of each column counts in what is looked for: a field in the menu of its strip."""

from __future__ import annotations

from dataclasses import dataclass

from PETWorks.app.desk import Desk
from PETWorks.app.forms import BadRequestError, Form
from PETWorks.app.project.change import Change
from PETWorks.app.project.draft import Draft
from PETWorks.errors import ParameterError
from PETWorks.making.given import weights_of
from PETWorks.making.plan import plan
from PETWorks.policy.making import ANY_GOAL

ALL = "1"  # the weight of a column that has none of its own


@dataclass(frozen=True)
class WrongWeight:
    """What was typed as the weight of a column, and why it was not taken."""

    number: int  # of the column
    typed: str
    problem: str


def weight_of(draft: Draft, name: str) -> str:
    """Return the weight of a column, as its field shows it."""
    return str(draft.making.get("weights", {}).get(name, ALL))


def set_weight(desk: Desk, form: Form) -> WrongWeight | None:
    """Set the weight of a column, as the library takes it; return what is wrong with it, if it cannot be taken."""
    number, text = form.number("column"), form["weight"].strip() or ALL
    if not 0 < number <= len(desk.columns):
        raise BadRequestError("there is no such column")
    name, making = desk.columns[number - 1], desk.draft.making
    others = {key: one for key, one in making.get("weights", {}).items() if key != name}
    try:
        whole = weights_of({name: text})[name] == 1
        weights = others if whole else {**making.get("weights", {}), name: text}
        plan(ANY_GOAL, **{key: making[key] for key in ("utility", "recoding") if key in making}, weights=weights)
    except ParameterError as error:
        return WrongWeight(number, text, str(error))
    if (before := weight_of(desk.draft, name)) != (ALL if whole else text):
        change = Change("explore_weight", column=name, before=before, weight=ALL if whole else text)
        desk.apply(form, change, desk.draft.with_making("weights", weights))
    return None
