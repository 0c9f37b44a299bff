"""The later sections of the page: what would help, the record of the inputs, and the steps of every measure."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from importlib.metadata import version
from typing import Any

from markupsafe import Markup

from PETWorks.disclosure.report import EvaluationView
from PETWorks.evaluation.remedies import Advice, Remedy
from PETWorks.evaluation.requirement import Requirement
from PETWorks.facts.commitment import Commitment
from PETWorks.facts.notes import Name
from PETWorks.facts.record import InputRecord
from PETWorks.facts.tallies import Input
from PETWorks.measure.base import Measure
from PETWorks.measure.privacy.k_anonymity import KAnonymity
from PETWorks.measure.registry import find
from PETWorks.measure.result import Result
from PETWorks.measure.steps import Step
from PETWorks.measure.utility.margin_distance import MarginDistance
from PETWorks.render.blocks import find_reference, write_step
from PETWorks.render.page.answer import write_limit, write_requirement_title, write_value
from PETWorks.render.page.markup import (
    PAGE,
    BilingualMarkup,
    BilingualText,
    combine_languages,
    find_heading,
    find_title,
    join_sentences,
    say,
    write_figure,
    write_name,
    write_reason,
    write_warnings,
)
from PETWorks.render.page.svg import draw_bar
from PETWorks.render.text import write_sentence
from PETWorks.render.words import LANGUAGES, words
from PETWorks.settings.section import declared
from PETWorks.settings.sections import Reading
from PETWorks.shown import Exact, show_exactly

MAX_COLUMNS = 20  # maximum number of columns in the table; the others are folded


def build_remedies_section(view: EvaluationView) -> Mapping[str, Any]:
    """Return the remedies as cards, and, by column, how many people fail if it is generalised further."""
    if (advice := view.advice) is None:
        return {"cards": [], "untold": False, "columns": [], "folded": [], "failing": []}
    named = [*advice.suppress, *advice.generalise[:1], *([advice.combined] if advice.combined else [])]
    cards = [_card(view, advice, remedy) for remedy in named]
    judged = [number for number, one in enumerate(view.evaluation.requirements) if _counts_people(one)]
    rows = [_row(view, remedy, judged) for remedy in advice.generalise] if judged else []
    headings = [_write_heading(view.evaluation.requirements[number]) for number in judged]
    results = [view.evaluation.requirements[number].result for number in judged]
    released = [_cell(view, result.failing_people, "d2") for result in results if result]
    return {
        "cards": cards,
        "untold": advice.untold,
        "failing": headings,
        "columns": rows[:MAX_COLUMNS],
        "folded": rows[MAX_COLUMNS:],
        "released": released,
    }


def _write_heading(requirement: Requirement) -> Markup:
    """Write the title of a requirement, with its limit if it has one."""
    result = requirement.result
    limit = Markup("") if result is None or result.limit is None else Markup(" · ") + write_limit(result)
    return write_requirement_title(requirement) + limit


def _counts_people(requirement: Requirement) -> bool:
    return requirement.holds is False and requirement.measure.family == "privacy"


def _card(view: EvaluationView, advice: Advice, remedy: Remedy) -> dict[str, Any]:
    """Return the changes of a remedy, how many people it affects, and what holds after it."""
    figures = {"classes": remedy.classes, "people": remedy.people, "share": remedy.people / view.scope.everybody}
    if remedy.lifts:
        title = say("combine" if remedy.classes else "generalise", lifts=remedy.lifts)
    elif remedy.only:
        small = all(isinstance(one, KAnonymity) for one in remedy.only)
        title = say("suppress_small" if small else "suppress_some", measures=_titles(remedy.only))
    else:
        title = say("suppress_failing")
    texts = [say("concerned", **show_exactly(figures))] if remedy.classes else []
    if remedy.lifts and not remedy.classes:
        texts.append(say("left_failing", people=Exact(advice.failing_people), left=Exact(remedy.failing_people)))
        texts += [say("further_suppressed", **show_exactly(figures))] if remedy.people else []
    return {"title": title, "texts": [*texts, *_after(view, remedy)]}


def _titles(measures: Sequence[Measure]) -> BilingualText:
    """Write the titles of some measures."""
    titles = {one: [measure.words[one].title for measure in measures] for one in LANGUAGES}
    return BilingualText({one: words(one).separator.join(listed) for one, listed in titles.items()})


def _after(view: EvaluationView, remedy: Remedy) -> Iterator[Markup]:
    """Yield sentences on the verdicts after a remedy, and on its cost."""
    unasked = "" if remedy.evaluated == len(remedy.after) else "_unasked"
    if remedy.failing:
        first = next(one for one in remedy.after if one.holds is False)
        figures = show_exactly({"fails": remedy.failing, "all": remedy.evaluated})
        yield say(f"then_fails{unasked}", measure=find_title(first.measure), **figures)
    else:
        yield say(f"then_holds{unasked}")
    before = view.advice.precision if view.advice else None
    if view.has_original and before is not None and remedy.precision is not None:
        yield say("then_precision", before=Exact(before), after=Exact(remedy.precision))


def _row(view: EvaluationView, remedy: Remedy, judged: list[int]) -> dict[str, Any]:
    cells = [_cell(view, remedy.after[number].failing_rows) for number in judged]
    return {"name": write_figure(remedy.lifts), "cells": cells}


def _cell(view: EvaluationView, people: int, kind: str = "d1") -> dict[str, Any]:
    most = max(one.result.failing_people for one in view.evaluation.requirements if one.result)
    return {"people": people, "bar": draw_bar(people / most if most else 0, kind)}


TABLES = {
    "release": "released_table",
    "original": "original_table",
    "population": "population_table",
    "holdout": "holdout_table",
}


def build_record_section(view: EvaluationView, *, command: str = "") -> Mapping[str, Any]:
    """Return what an auditor needs to repeat the report."""
    record, roles, scope = view.record, view.roles, view.scope
    rows = {"release": scope.rows, "original": record.original_rows}
    by_role = {
        "quasi_identifiers": roles.quasi_identifiers,
        "sensitive": roles.sensitive,
        "identifiers": roles.identifiers,
        "insensitive": roles.insensitive,
    }
    return {
        "tables": [_table(one, rows.get(one.role), view) for one in record.inputs],
        "roles": [(say(role), [write_name(one) for one in names]) for role, names in by_role.items() if names],
        "quasi_identifiers": [write_name(one) for one in roles.quasi_identifiers],
        "hierarchies": [
            say("hierarchy", column=Name(column), height=Exact(height)) for column, height in record.heights.items()
        ],
        "files": list(_list_other_files(record)),
        "kept": say("record_kept" if record.secret else "record_not_kept") if record.hides_digests else "",
        "reading": list(_describe_reading(record.options)),
        "pairing": join_sentences(_describe_pairing(record)),
        "suppressed": say(
            "record_suppressed", suppressed=Exact(scope.suppressed), rows=Exact(scope.rows), marker=Name(record.marker)
        ),
        "missing": None if view.missing is None else [(write_name(one), cells) for one, cells in view.missing.items()],
        "withheld": say(f"record_{view.disclosure.level}", least=Exact(view.disclosure.least)),
        "versions": f"PETWorks {version('petworks')}, Python {platform.python_version()}",
        "time": datetime.now().astimezone().isoformat(timespec="seconds"),
        "command": command,
    }


def _list_other_files(record: InputRecord) -> Iterator[tuple[Markup, Commitment | None]]:
    """Yield the names of the hierarchies and of the policy, with the commitment to each if a record is kept."""
    known = {(one.role, one.column): one for one in record.commitments}
    for one in record.hierarchies:
        if one.name:
            yield write_name(one.name), known.get(("hierarchy", one.column))
    if record.policy:
        yield write_name(record.policy.name), known.get(("policy", None))


def _describe_reading(options: Mapping[str, str | None]) -> Iterator[Markup]:
    """Yield the options on how to read the tables that are not the default."""
    if options["unknown_values"] == "generalised":
        yield say("reading_unknown_values")
    if options.get("person"):
        yield say(f"reading_known_{options['known']}", column=Name(str(options["person"])))
        if unknown := options["unknown_person"]:
            yield say(f"reading_unknown_person_{unknown}")
    for option in ("weight", *declared(Reading)):
        if given := options[option]:
            yield say(f"reading_{option}", given=Name({"\t": "tab"}.get(given, given)))


def _describe_pairing(record: InputRecord) -> Iterator[BilingualMarkup]:
    if record.unpaired:
        yield say(f"paired_{record.unpaired}")
        return
    yield say("paired_by_key", column=Name(record.key)) if record.key else say("paired_by_position")
    yield say("paired_unchecked" if record.vouched else "paired_checked")


def _table(one: Input, rows: int | None, view: EvaluationView) -> dict[str, Any]:
    return {
        "role": say(TABLES[one.role]),
        "name": write_name(one.name),
        "rows": rows,
        "columns": one.columns,
        "form": one.form,
        "commitment": next((file for file in view.record.commitments if file.role == one.role), None),
        "left_out": one.role == "original" and not view.record.original_digest,
    }


PEOPLE_PARTS = {"share": "share", "others": "hold-out", "excess": "excess", "at_most": "excess at most"}


def build_people_section(view: EvaluationView) -> Mapping[str, Any]:
    """Return what a synthetic release discloses of the people it was made from, compared with the hold-out."""
    rows, others = list[dict[str, Any]](), list[dict[str, Any]]()
    for result in (one for one in view.results if one.measure.for_unpaired and one.measure.family == "risk"):
        head = {"title": write_title(result.measure), "anchor": view.anchors[result]}
        if "share" not in result.parts:
            texts = {one: write_sentence(result, one, PAGE) for one in LANGUAGES}
            others.append({**head, "sentence": combine_languages(texts)})
            continue
        known = {name: result.parts[part].value for name, part in PEOPLE_PARTS.items() if part in result.parts}
        rows.append({**head, **known})
    margins = next((one for one in view.results if isinstance(one.measure, MarginDistance)), None)
    return {
        "rows": rows,
        "others": others,
        "compared": any("others" in row for row in rows),
        "margins": _step(margins.steps[0], margins) if margins and margins.steps else None,
    }


def build_steps_section(view: EvaluationView) -> Mapping[str, Any]:
    """Return the steps of every result, and why the other measures were not evaluated."""
    skipped = view.others.skipped | view.evaluation.skipped
    unasked = [
        {"title": write_title(find(name)), "reason": write_reason(note, find(name))} for name, note in skipped.items()
    ]
    return {"measures": [_measure(result, view.anchors[result]) for result in view.results], "unasked": unasked}


def write_title(measure: Measure | type[Measure]) -> Markup:
    """Write the title of a measure in both languages, as a heading."""
    return say("title", title=find_heading(measure))


def _measure(result: Result, anchor: str) -> dict[str, Any]:
    status = {True: "holds", False: "fails", None: ""}[result.holds]
    return {
        "anchor": anchor,
        "title": write_title(result.measure),
        "value": write_value(next((part for part in result.parts.values() if part.holds is not None), result)),
        "status": status,
        "steps": [_step(step, result) for step in result.steps],
        "notes": [write_reason(note, result.measure) for note in result.notes if not note.warning],
        "warnings": write_warnings(result.notes, brief=True),
        "reference": say(
            "reference", text=BilingualText({one: find_reference(result.measure, one) for one in LANGUAGES})
        ),
    }


def _step(step: Step, result: Result) -> dict[str, Any]:
    texts = {one: write_step(step, result, one, PAGE) for one in LANGUAGES}
    return {"text": combine_languages(texts), "lines": [_step(line, result)["text"] for line in step.lines]}
