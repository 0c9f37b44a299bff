"""What is shown of one requirement."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from PETWorks.app.screens.requirements.fields import Field
from PETWorks.render.lines import Line


@dataclass(frozen=True)
class Row:
    """A requirement of the list."""

    number: int
    title: str
    sentences: tuple[Markup, ...]
    limits: tuple[Field, ...]
    others: tuple[Field, ...]
    why: str
    source: str
    clause: str
    reason: str
    is_open: bool
    reason_missing: bool
    error: Markup | None  # of the whole
    problem: str
    changes: str
    marks: tuple[Markup, ...]  # contradictions
    now: tuple[Line, ...]  # what the original has

    @property
    def wrong(self) -> bool:
        """True if what was typed was not accepted."""
        return bool(self.error) or self.reason_missing or any(one.error for one in (*self.limits, *self.others))
