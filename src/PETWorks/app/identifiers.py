"""Columns that look like identifiers and would be published as they are: told on every screen that decides."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from PETWorks.app.answering import Say
from PETWorks.app.desk import Desk
from PETWorks.explain.step import Name
from PETWorks.inspection.published import published_identifiers, published_note
from PETWorks.inspection.survey import Survey
from PETWorks.render.page.markup import PAGE
from PETWorks.render.text import warning_text

PATIENCE = 0.3  # seconds that a page waits until the table is looked at


def published_of(desk: Desk) -> tuple[str, ...] | None:
    """Return the columns, by the roles that are decided; None while the table is being looked at."""
    work = desk.survey
    return published_in(work.value, desk) if work.wait(PATIENCE) else None


def published_in(survey: Survey, desk: Desk) -> tuple[str, ...]:
    """Return the columns of a table that was looked at, by the roles that are decided."""
    draft = desk.draft
    return published_identifiers(survey.inspection, draft.roles_of(desk.columns), draft.data.get("weight"))


def but(title: Markup, columns: Sequence[str] | None, say: Say) -> Markup:
    """Return an answer that does not hide what no measure sees."""
    return title + say("frame_but_published", columns=[Name(one) for one in columns]) if columns else title


def told(columns: Sequence[str] | None, language: str) -> Markup:
    """Write the warning, as reports begin with it; "" if there is nothing to be told."""
    return Markup(warning_text(published_note(columns), language, PAGE)) if columns else Markup()  # noqa: S704 (escaped)
