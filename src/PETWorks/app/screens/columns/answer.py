"""The answer of the screen of columns: what is open, and how many people are singled out as decided so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from markupsafe import Markup

from PETWorks.app.answering import Say, speaker
from PETWorks.app.identifiers import but, told
from PETWorks.app.screens.columns.bars import Band, bands
from PETWorks.facts.roles import Role
from PETWorks.inspection.survey import Survey
from PETWorks.inspection.uniqueness import SingledOut
from PETWorks.render.inspection import Findings
from PETWorks.render.page.markup import PAGE


@dataclass(frozen=True)
class Answer:
    """A table, the roles that are decided, and what these single out."""

    survey: Survey
    roles: Mapping[str, Role]
    published: Sequence[str]  # the columns that look like identifiers and would be published as they are
    language: str
    singled: SingledOut | None = None  # None: not known

    @property
    def counting(self) -> bool:
        """True if the rows must be counted again for these roles."""
        return not self.survey.is_quick(self.quasi)

    @cached_property
    def quasi(self) -> list[str]:
        """The quasi-identifiers, as far as they are decided."""
        return [name for name, role in self.roles.items() if role is Role.QUASI_IDENTIFIER]

    @cached_property
    def open(self) -> int:
        """How many columns wait for a decision."""
        return sum(one.name not in self.roles for one in self.survey.inspection)

    @property
    def state(self) -> str:
        """Whether the next step is open: "holds", or "waits"; "fails" if an identifier would be published."""
        return "fails" if self.published else "holds" if not self.open and self.quasi else "waits"

    @cached_property
    def say(self) -> Say:
        """What fills the words of the application."""
        return speaker(self.language, rows=self.survey.person is not None)

    @cached_property
    def findings(self) -> Findings:
        """What writes the findings of an inspection."""
        return Findings(self.language, PAGE)

    @property
    def title(self) -> Markup:
        """The answer."""
        return but(self._decided, self.published, self.say)

    @property
    def published_told(self) -> Markup:
        """The warning that an identifier would be published; "" if none is."""
        return told(self.published, self.language)

    @property
    def _decided(self) -> Markup:
        columns = len(self.survey.inspection)
        if self.open:
            return self.say("columns_open_one" if self.open == 1 else "columns_open", open=self.open, columns=columns)
        return self.say("columns_done", columns=columns) if self.quasi else self.say("columns_no_quasi")

    @property
    def lead(self) -> Markup:
        """How many people are in small classes, as decided so far."""
        rows = self.survey.inspection.rows
        if not self.quasi:
            return self.joined(self.say("columns_lead_none", rows=rows), self._suggested)
        if self.singled is None:
            return self.say("columns_lead_counting" if self.counting else "columns_lead_unknown")
        small = self.singled.small
        return self.say("columns_lead", small=small, rows=rows, share=small / rows, alone=self.singled.alone)

    @property
    def _suggested(self) -> Markup:
        """How many people would be in small classes if all suggestions were confirmed; "" if that is not known."""
        small, rows = self.survey.inspection.small, self.survey.inspection.rows
        return (
            Markup()
            if small is None
            else self.say("columns_lead_suggested", small=small, rows=rows, share=small / rows)
        )

    @property
    def shut(self) -> Markup:
        """Why the next step is shut; nothing if it is open."""
        if self.open:
            return self.say("columns_door_open", open=self.open)
        return Markup() if self.quasi else self.say("columns_door_no_quasi")

    @property
    def bands(self) -> list[Band]:
        """All people, by the size of their class; none while there is no quasi-identifier."""
        return [*bands(self.singled, self.say)] if self.singled and self.quasi else []

    def role(self, role: Role) -> Markup:
        """Write a role."""
        return Markup(self.findings.role(role))  # noqa: S704 (escaped)

    def joined(self, *sentences: str) -> Markup:
        """Join sentences, which are escaped; some may be empty."""
        return Markup(self.findings.joined(*sentences))  # noqa: S704 (all parts are escaped)
