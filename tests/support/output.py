"""The words and formats of the output, for tests of what a reader is told, whichever room tells it."""

from unicodedata import combining, east_asian_width

from PETWorks.progress import listen
from PETWorks.render.formats import junit, markdown
from PETWorks.render.page import SECTIONS
from PETWorks.render.summary import write_check, write_evaluation_table
from PETWorks.render.words import LANGUAGES, words

__all__ = [
    "LANGUAGES",
    "SECTIONS",
    "WIDTH",
    "display_width",
    "evaluation_junit",
    "evaluation_markdown",
    "listen",
    "words",
    "write_check",
    "write_evaluation_table",
]

evaluation_junit, evaluation_markdown = junit.evaluation_junit, markdown.evaluation_markdown

WIDTH = 80  # columns of a terminal


def display_width(text: str) -> int:
    """Return the columns that a text takes on a terminal: two for a Han character, none for a combining mark."""
    return sum(0 if combining(sign) else 2 if east_asian_width(sign) in "WF" else 1 for sign in text)
