"""Columns that look like identifiers and would be published as they are: told on every screen that decides."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from PETWorks.app.answering import Say
from PETWorks.app.desk import Desk
from PETWorks.explain.step import Name
from PETWorks.inspection.published import published_identifiers, published_note
from PETWorks.render.page.markup import PAGE
from PETWorks.render.text import warning_text

PATIENCE = 0.3  # seconds that a page waits until the table is looked at


def published_of(desk: Desk) -> tuple[str, ...] | None:
    """Return the columns, by the roles that are decided; None while the table is being looked at."""
    work = desk.survey
    if not work.wait(PATIENCE):
        return None
    weight = desk.draft.data.get("weight")
    roles = {name: role for name, role in desk.draft.roles_of(desk.columns).items() if name != weight}
    return published_identifiers(work.value.inspection, roles)


def but(title: Markup, columns: Sequence[str] | None, say: Say) -> Markup:
    """Return an answer that does not hide what no measure sees."""
    return title + say("frame_but_published", columns=[Name(one) for one in columns]) if columns else title


def told(columns: Sequence[str] | None, language: str) -> Markup:
    """Write the warning, as reports begin with it; "" if there is nothing to be told."""
    return Markup(warning_text(published_note(columns), language, PAGE)) if columns else Markup()  # noqa: S704 (escaped)
