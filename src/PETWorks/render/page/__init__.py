"""The report: one self-contained HTML page, in both languages, that makes no network requests.

`View` holds what the page may show. Each module of this package builds the figures of one section, and the template
puts the sections in order: first the answer, then the reasons, then the details.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined

from PETWorks.evaluation.evaluation import Evaluation
from PETWorks.evaluation.provenance import Front, Making
from PETWorks.evaluation.view import View
from PETWorks.render.page import annex as record
from PETWorks.render.page import annex as remedies
from PETWorks.render.page import annex as steps
from PETWorks.render.page import answer, making, risk, utility
from PETWorks.render.page import answer as clauses
from PETWorks.render.page import answer as public
from PETWorks.render.page import answer as requirements
from PETWorks.render.page import risk as columns
from PETWorks.render.page import risk as inference
from PETWorks.render.page import utility as values
from PETWorks.render.page.making import drawn
from PETWorks.render.page.markup import TAGS, joined, markup_of, name, plain, say
from PETWorks.render.words import words

SECTIONS = {
    "answer": answer.section,
    "requirements": requirements.requirements_section,
    "clauses": clauses.clauses_section,
    "remedies": remedies.section,
    "risk": risk.section,
    "inference": inference.inference_section,
    "utility": utility.section,
    "values": values.values_section,
    "columns": columns.columns_section,
    "making": making.section,
    "steps": steps.steps_section,
}


def report_page(
    evaluation: Evaluation,
    *,
    language: str = "en",
    show_small_classes: bool = False,
    original_digest: bool = True,
    command: str = "",
) -> str:
    """Write the page of an evaluation, with `language` shown first."""
    words(language)  # raises an error for an unknown language
    if evaluation.is_public:
        return filled("public.html", language, "public_report", **public.public_section(evaluation))
    view = View.of(evaluation, show_small_classes=show_small_classes, original_digest=original_digest)
    return page(view, language=language, command=command)


def page(view: View, *, language: str = "en", command: str = "") -> str:
    """Write the page of a view; its sections read nothing but the view."""
    sections: dict[str, Mapping[str, Any]] = {place: section(view) for place, section in SECTIONS.items()}
    return filled(
        "report.html",
        language,
        "report",
        view=view,
        file=name(view.scope.name),
        counted=answer.counted(view.scope.known),
        title=plain(view.evaluation.title or view.scope.name),
        policy=plain(view.evaluation.title),
        record=record.record_section(view, command=command),
        **sections,
    )


def front_page(front: Front, making: Making, original: str, *, least: int, language: str = "en") -> str:
    """Write the page of a front, which is guarded: releases that could be had, drawn beside a table."""
    counted = answer.counted(making.people["known"] if making.people else "")
    figures = {"file": name(original), "title": plain(original), "rows": making.rows, "counted": counted}
    return filled("front.html", language, "front_page", front=drawn(front, making, least), **figures)


def filled(template: str, language: str, brand: str, **figures: Any) -> str:  # noqa: ANN401
    """Fill a template; its script may run because its digest stands in the page's security policy."""
    script = _file("script.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    shared = {"tag": TAGS[language], "style": _file("style.css"), "script": script, "digest": digest, "brand": brand}
    return str(_templates().get_template(template).render(**shared, **figures))


@lru_cache
def _file(template: str) -> str:
    return files("PETWorks.render.page").joinpath("templates", template).read_text(encoding="utf-8")


@lru_cache
def _templates() -> Environment:
    environment = Environment(
        loader=FunctionLoader(_file), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.globals |= {"say": say, "figure": markup_of, "joined": joined}
    return environment
