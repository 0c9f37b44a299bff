"""The changes of step 5: levels, bounds, and the limit on suppression."""

from __future__ import annotations

import re
from collections.abc import Collection
from fractions import Fraction

from PETWorks.anonymization.exploration import Exploration
from PETWorks.anonymization.vectors import Levels
from PETWorks.app.forms import BadRequestError, Form
from PETWorks.app.project.draft import Change, Draft
from PETWorks.app.screens.explore.state import ExploreState, name_levels
from PETWorks.app.screens.explore.strips import format_decimal
from PETWorks.app.session import Session
from PETWorks.errors import ParameterError
from PETWorks.settings.kinds import Share

LEVEL = re.compile("[0-9]{1,4}")


def read_levels(form: Form, state: ExploreState) -> Levels:
    """Read levels from one field, or from a field for each column; a column without a field keeps its level."""
    exploration = state.exploration
    if "levels" in form:
        text = form["levels"]
    else:
        now = state.levels or exploration.heights
        numbers = [state.session.columns.index(name) + 1 for name in exploration.names]
        fields = [form.get(f"level-{number}", str(level)) for number, level in zip(numbers, now, strict=True)]
        text = ".".join(fields)
    if (levels := parse_levels(text, exploration)) is None:
        raise BadRequestError("there are no such levels")
    return levels


def parse_levels(text: str, exploration: Exploration) -> Levels | None:
    """Parse levels, as in "2.0.1"; None if the columns do not have them."""
    texts = text.split(".")
    if len(texts) != len(exploration.heights) or not all(LEVEL.fullmatch(one) for one in texts):
        return None
    levels = tuple(map(int, texts))
    fits = all(level <= top for level, top in zip(levels, exploration.heights, strict=True))
    return levels if fits else None


def set_levels(session: Session, form: Form, state: ExploreState, levels: Levels) -> None:
    """Set the levels. A bound that they violate is removed, because the choice is deliberate."""
    names, before = state.exploration.names, state.levels
    moved = [name for name, one, other in zip(names, levels, before or (), strict=False) if one != other]
    draft = with_levels(session.draft, state, levels)
    if "levels" not in form:  # the form also has the bounds
        draft, _ = _apply_ticks(draft, form, state, but=moved)
    if before is not None and len(moved) == 1:
        place = names.index(moved[0])
        change = Change("explore_level", column=moved[0], before=before[place], level=levels[place])
    else:
        change = Change("explore_levels", levels=len(moved) or len(names))
    session.apply(form, change, draft)


def with_levels(draft: Draft, state: ExploreState, levels: Levels) -> Draft:
    """Return the draft with these levels, one for each column, without bounds that they violate."""
    given = name_levels(state.exploration.names, levels)
    coarsest = {name: one for name, one in state.plan.coarsest.items() if given[name] <= one}
    finest = {name: one for name, one in state.plan.finest.items() if given[name] >= one}
    draft = draft.with_making("coarsest", coarsest).with_making("finest", finest)
    return draft.with_making("recoding", None).with_making("levels", given)


def set_bounds(session: Session, form: Form, state: ExploreState) -> None:
    """Set which columns may not become coarser, or finer."""
    draft, change = _apply_ticks(session.draft, form, state)
    if change:
        session.apply(form, change, draft)


def _apply_ticks(
    draft: Draft, form: Form, state: ExploreState, but: Collection[str] = ()
) -> tuple[Draft, Change | None]:
    """Return the draft with the ticked bounds, except of columns in `but`, and the last change."""
    change = None
    for kind in ("coarsest", "finest") if state.levels else ():
        for name, level in zip(state.exploration.names, state.levels or (), strict=True):
            before = dict(draft.making.get(kind, {}))
            ticked = form.get(f"{kind}-{state.session.columns.index(name) + 1}") == "1"
            if name in but or ticked == (name in before):
                continue
            bounds = {**before, name: level} if ticked else {key: one for key, one in before.items() if key != name}
            draft = draft.with_making(kind, bounds)
            change = Change(f"explore_{kind}" if ticked else f"explore_not_{kind}", column=name, level=level)
    return draft, change


def set_limit(session: Session, form: Form, state: ExploreState) -> bool:
    """Set the share of rows that may be suppressed; return True if the slider was moved."""
    slider = form.get("slider") != form.get("shown") and form.get("slider") != ""
    text = (form["slider"] if slider else form["limit"]).strip().removesuffix("%").strip()
    try:
        share = Share().read(f"{text}%", "suppress_at_most").exact
    except ParameterError as error:
        raise BadRequestError(error.problem) from error
    before = state.plan.suppress_at_most.exact
    draft = session.draft.with_making("suppress_at_most", write_share(share))
    if "levels" in form:
        draft = with_levels(draft, state, read_levels(form, state))
    change = Change("explore_limit", before=f"{format_decimal(before * 100)}%", limit=f"{format_decimal(share * 100)}%")
    session.apply(form, change, draft)
    return slider


def write_share(share: Fraction) -> str:
    """Format a share for the policy: an exact percentage, or a fraction."""
    percent = share * 100
    return f"{format_decimal(percent)}%" if Fraction(format_decimal(percent)) == percent else str(share)


def free_column(session: Session, form: Form, state: ExploreState) -> None:
    """Remove the bound of a column, and set the levels."""
    number = form.number("column")
    if not 0 < number <= len(session.columns):
        raise BadRequestError("there is no such column")
    name = session.columns[number - 1]
    bounds = {key: one for key, one in state.plan.coarsest.items() if key != name}
    draft = with_levels(session.draft, state, read_levels(form, state)).with_making("coarsest", bounds)
    session.apply(form, Change("explore_free", column=name), draft)
