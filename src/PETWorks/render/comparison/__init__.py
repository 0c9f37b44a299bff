"""A comparison of releases: text, Markdown, JSON, and one page."""

from __future__ import annotations

from PETWorks.evaluation.comparison.view import ComparisonView
from PETWorks.render.comparison.formats import comparison_json, comparison_markdown, comparison_text
from PETWorks.render.comparison.page import comparison_page


def comparison(view: ComparisonView, form: str, language: str = "en", command: str = "") -> str:
    """Write a comparison in a format."""
    match form:
        case "html":
            return comparison_page(view, language, command)
        case "json":
            return comparison_json(view)
        case "markdown":
            return comparison_markdown(view, language)
    return comparison_text(view, language)
