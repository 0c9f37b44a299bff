"""The report: one self-contained HTML page, in both languages, that makes no network requests.

`EvaluationView` holds what the page may show. Each module of this package builds the figures of one section, and the
template puts the sections in order: first the answer, then the reasons, then the details.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined

from PETWorks.disclosure.report import EvaluationView
from PETWorks.evaluation.evaluation import Evaluation
from PETWorks.evaluation.provenance import Front, Provenance
from PETWorks.render.fill import TAGS
from PETWorks.render.page import annex, answer, making, risk, utility
from PETWorks.render.page.making import build_front
from PETWorks.render.page.markup import join_sentences, say, show_unprintable, write_figure, write_name
from PETWorks.render.words import words

SECTIONS = {
    "answer": answer.build_answer_section,
    "requirements": answer.build_requirements_section,
    "clauses": answer.build_clauses_section,
    "remedies": annex.build_remedies_section,
    "people": annex.build_people_section,
    "risk": risk.build_risk_section,
    "inference": risk.build_inference_section,
    "utility": utility.build_utility_section,
    "values": utility.build_values_section,
    "columns": risk.build_columns_section,
    "making": making.build_making_section,
    "steps": annex.build_steps_section,
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
        return fill_page("public.html", language, "public_report", **answer.build_public_section(evaluation))
    view = EvaluationView.of(evaluation, show_small_classes=show_small_classes, original_digest=original_digest)
    return write_page(view, language=language, command=command)


def write_page(view: EvaluationView, *, language: str = "en", command: str = "") -> str:
    """Write the page of a view; its sections read nothing but the view."""
    sections: dict[str, Mapping[str, Any]] = {place: section(view) for place, section in SECTIONS.items()}
    return fill_page(
        "report.html",
        language,
        "report",
        view=view,
        file=write_name(view.scope.name),
        counted=say("rows_nobodys") if view.synthetic else answer.write_counting(view.scope.known),
        title=show_unprintable(view.evaluation.title or view.scope.name),
        policy=show_unprintable(view.evaluation.title),
        record=annex.build_record_section(view, command=command),
        premises=answer.build_premises_section(view.evaluation),
        **sections,
    )


def front_page(front: Front, making: Provenance, original: str, *, least: int, language: str = "en") -> str:
    """Return the page of a disclosure-controlled front: alternative releases, in a drawing and a table."""
    counted = answer.write_counting(making.people["known"] if making.people else "")
    figures = {
        "file": write_name(original),
        "title": show_unprintable(original),
        "rows": making.rows,
        "counted": counted,
    }
    return fill_page("front.html", language, "front_page", front=build_front(front, making, least), **figures)


def fill_page(template: str, language: str, brand: str, **figures: Any) -> str:  # noqa: ANN401
    """Fill a template; its script is allowed by its digest in the page's security policy."""
    script = read_template("script.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    shared = {"tag": TAGS[language], "script": script, "digest": digest, "brand": brand}
    style = read_template("style.css")
    return str(_templates().get_template(template).render(**{"style": style, **shared, **figures}))


@lru_cache
def read_template(template: str) -> str:
    """Return the text of a template, a style sheet or a script."""
    return files("PETWorks.render.page").joinpath("templates", template).read_text(encoding="utf-8")


@lru_cache
def _templates() -> Environment:
    loader, undefined = FunctionLoader(read_template), StrictUndefined
    environment = Environment(loader=loader, autoescape=True, undefined=undefined, trim_blocks=True, lstrip_blocks=True)
    environment.globals |= {"say": say, "figure": write_figure, "join_sentences": join_sentences}
    return environment
