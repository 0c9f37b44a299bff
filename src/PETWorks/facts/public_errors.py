"""What an error tells everybody: no count below the threshold, none from which one follows, and nothing of a cell.

>>> from PETWorks.errors import PersonError
>>> figures = {"rows_have": Quantity(1, "row has", "rows have")}
>>> error = PersonError("{rows_have} no person", where="a.csv", figures=figures)
>>> write_public_error(error)
('a.csv: fewer than 5 rows have no person', '')
>>> write_public_error(PersonError("Ann occurs in 2 rows", hint="leave her out"))
('', 'leave her out')
"""

from __future__ import annotations

from PETWorks.errors import CellText, PETWorksError, Quantity
from PETWorks.facts.notes import CountBand, Note

LEFT_OUT = "…"


def write_public_error(error: PETWorksError) -> tuple[str, str]:
    """Return the place with the problem, and the hint; empty where the text may tell of people."""
    problem, hint = error.render_public(write_public_figure)
    return (f"{error.where}: {problem}" if error.where and problem else problem), hint


def build_public_note(error: PETWorksError) -> Note:
    """Build the note that states an error to everybody, or that its reason is not public."""
    problem, hint = write_public_error(error)
    return Note("error", {"text": problem, "hint": hint}) if problem else Note("not_public", {"hint": hint})


def write_public_figure(figure: Quantity | CellText) -> str:
    """Write a count as a band, and leave content out."""
    return LEFT_OUT if isinstance(figure, CellText) else figure.write_as(CountBand.of_people(figure.number))
