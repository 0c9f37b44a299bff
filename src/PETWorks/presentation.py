"""The interface through which results, evaluations and explanations are disclosed and displayed.

`disclosure` decides what may be shown, `render` writes text, tables and pages; both import the packages of results.
These must not import them in turn, so they get a `Presenter` here. Only this file names the module that implements it.
"""

from __future__ import annotations

import os
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from rich.console import RenderableType

Language = Literal["en", "zh_TW"]
AudienceName = Literal["internal", "public"]  # as policies and the command line name the readers of an output
RENDERER = "PETWorks.render.presenter"


class Presenter(Protocol):
    """The functions that write results for people."""

    def result_text(self, result: Any, language: str = "en") -> str:  # noqa: ANN401
        """Write a result as text."""

    def evaluation_text(self, evaluation: Any, language: str = "en") -> str:  # noqa: ANN401
        """Write an evaluation as text."""

    def explanation_text(self, result: Any, language: str = "en") -> str:  # noqa: ANN401
        """Write a result step by step as text."""

    def account_text(self, account: Any, language: str = "en") -> str:  # noqa: ANN401
        """Write how a release was made as text."""

    def inspection_text(self, inspection: Any, language: str = "en") -> str:  # noqa: ANN401
        """Write what was found in a raw table as text."""

    def inspection_json(self, inspection: Any) -> str:  # noqa: ANN401
        """Write what was found in a raw table as a JSON document."""

    def coverage_text(self, coverage: Any, language: str = "en") -> str:  # noqa: ANN401
        """Write how complete a hierarchy is as text."""

    def suggestion_text(self, suggestion: Any, language: str = "en") -> str:  # noqa: ANN401
        """Write a suggested hierarchy as text."""

    def comparison(self, view: Any, form: str, language: str = "en", command: str = "") -> str:  # noqa: ANN401
        """Write a comparison as text, Markdown, JSON or an HTML page."""

    def note_text(self, note: Any, language: str = "en") -> str:  # noqa: ANN401
        """Write a note as text."""

    def evaluation_json(self, evaluation: Any, *, original_digest: bool = True) -> str:  # noqa: ANN401
        """Write an evaluation as a JSON document."""

    def report_page(
        self,
        evaluation: Any,  # noqa: ANN401
        *,
        language: str,
        show_small_classes: bool,
        original_digest: bool,
        command: str,
    ) -> str:
        """Write the report of an evaluation as an HTML page."""

    def disclose(self, evaluation: Any, audience: str, *, recorded: bool = False) -> Any:  # noqa: ANN401
        """Return what may be shown of an evaluation to an audience."""

    def disclose_evaluation(self, evaluation: Any, least: int, *, record: Any = None) -> Any:  # noqa: ANN401
        """Return an evaluation without what discloses classes of fewer than `least` people."""

    def disclose_result(self, result: Any, least: int) -> Any:  # noqa: ANN401
        """Return a result without what discloses classes of fewer than `least` people."""

    def disclose_comparison(self, comparison: Any, audience: str) -> Any:  # noqa: ANN401
        """Return what may be shown of a comparison to an audience."""

    def write_file(self, path: str | os.PathLike[str], text: str, *, private: bool = False) -> Path:
        """Write a text file, completely or not at all; return its path."""

    def as_rich(self, subject: Any, language: str = "en") -> RenderableType:  # noqa: ANN401
        """Draw a result, an evaluation or an explanation for a terminal."""

    def as_html(self, subject: Any, language: str = "en") -> str:  # noqa: ANN401
        """Draw a result, an evaluation or an explanation for a notebook."""


@lru_cache
def presenter() -> Presenter:
    """Return the presenter; its module is imported when first used."""
    found: Presenter = import_module(RENDERER)  # a module that has these functions
    return found
