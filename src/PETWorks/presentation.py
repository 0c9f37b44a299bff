"""How results, evaluations and explanations show themselves, without knowing the room that shows them.

Results are made deep inside; text, tables and pages are written in `render`, which uses all rooms below it. So that no
room imports one above it, results ask for a `Presenter` here, and only this file names the module that has one.
"""

from __future__ import annotations

import os
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from rich.console import RenderableType

Language = Literal["en", "zh_TW"]
RENDERER = "PETWorks.render.presenter"


class Presenter(Protocol):
    """Writes for people what the rooms below have worked out."""

    def result_text(self, result: Any, language: str = "en") -> str:  # noqa: ANN401
        """Write a result as text."""

    def evaluation_text(self, evaluation: Any, language: str = "en") -> str:  # noqa: ANN401
        """Write an evaluation as text."""

    def explanation_text(self, result: Any, language: str = "en") -> str:  # noqa: ANN401
        """Write a result step by step as text."""

    def note_text(self, note: Any, language: str = "en") -> str:  # noqa: ANN401
        """Write a note as text."""

    def evaluation_json(self, evaluation: Any) -> str:  # noqa: ANN401
        """Write an evaluation as a JSON document."""

    def write_page(
        self,
        evaluation: Any,  # noqa: ANN401
        path: str | os.PathLike[str] | None,
        *,
        language: str,
        show_small_classes: bool,
        original_digest: bool,
        command: str,
    ) -> str:
        """Write the report page of an evaluation, also to a file if a path is given."""

    def as_rich(self, subject: Any, language: str = "en") -> RenderableType:  # noqa: ANN401
        """Draw a result, an evaluation or an explanation for a terminal."""

    def as_html(self, subject: Any, language: str = "en") -> str:  # noqa: ANN401
        """Draw a result, an evaluation or an explanation for a notebook."""


@lru_cache
def presenter() -> Presenter:
    """Return what writes results; loaded when first needed."""
    found: Presenter = import_module(RENDERER)  # a module with these functions
    return found
