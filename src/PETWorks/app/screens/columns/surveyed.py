"""The survey of the table, worked out in the background and kept on the desk."""

from __future__ import annotations

from PETWorks.app.desk import Desk
from PETWorks.app.work import Work
from PETWorks.inspection.survey import Survey, survey


def survey_of(desk: Desk) -> Work[Survey]:
    """Return the work that looks at the table."""
    table = desk.table
    return desk.background(("survey", desk.table_key), lambda _: survey(table, **desk.memory))
