"""The table of columns: the role of each published column, and what was done to it, in both languages."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from PETWorks.facts.roles import Role
from PETWorks.facts.tallies import find_tables
from PETWorks.measure.steps import Name
from PETWorks.presentation import Language
from PETWorks.render.fill import fill
from PETWorks.render.words import words

if TYPE_CHECKING:
    from PETWorks.anonymization.anonymized_table import AnonymizedTable

HEADINGS = ("column", "role", "done")
BETWEEN = " / "  # the texts of two languages


def list_columns(made: AnonymizedTable, marker: str) -> list[tuple[str, ...]]:
    """Return the heading, and a line for each published column, in the order of the original."""
    roles = made.facts.roles
    named = {
        Role.IDENTIFIER: () if made.plan.drop_identifiers else roles.identifiers,
        Role.QUASI_IDENTIFIER: roles.quasi_identifiers,
        Role.SENSITIVE_ATTRIBUTE: roles.sensitive,
        Role.INSENSITIVE_ATTRIBUTE: roles.insensitive,
    }
    lines = {
        name: (name, _say(f"role_{role.value}"), _describe(made, role, name, marker))
        for role, names in named.items()
        for name in names
    }
    heading = tuple(_say(f"columns_{name}") for name in HEADINGS)
    return [heading, *(lines[name] for name in find_tables(made.original.facts).release.columns if name in lines)]


def _describe(made: AnonymizedTable, role: Role, name: str, marker: str) -> str:
    """Say what was done to a column. How many rows are on which level is not told."""
    if role is Role.IDENTIFIER:
        return _say("columns_marked", marker=Name(marker))
    if role is not Role.QUASI_IDENTIFIER:
        return _say("columns_as_it_is")
    if isinstance(level := made.levels.get(name), int):
        heights = {ladder.name: ladder.height for ladder in made.facts.combination_labels.table.ladders}
        return _say("columns_level", level=level, height=heights[name])
    return _say("columns_differ")


def _say(key: str, **figures: object) -> str:
    """Return a text in all languages."""
    vocabularies = [words(language) for language in get_args(Language)]
    return BETWEEN.join(fill({**word.inspection, **word.making}[key], figures, word) for word in vocabularies)
