"""Results as plain text: 80 terminal columns, with only characters that a Windows console in Taiwan can show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from PETWorks.evaluation.evaluation import Evaluation
from PETWorks.facts.notes import Name, Note
from PETWorks.measure.base import Measure
from PETWorks.measure.registry import find, measures
from PETWorks.measure.result import Result
from PETWorks.render.fill import PLAIN, Medium, fill, list_figure_names
from PETWorks.render.parts import (
    find_attribute_part,
    list_notes_below,
    select_line_parts,
    write_failing_counts,
    write_part,
    write_part_label,
    write_part_name,
    write_title_line,
    write_verdict,
)
from PETWorks.render.typography import (
    WIDTH,
    display_width,
    format_brief,
    format_exact,
    format_number,
    format_percent,
    pad,
    wrap,
    wrap_indented,
)
from PETWorks.render.words import Vocabulary, words
from PETWorks.shown import DisclosureLevel, Exact

MAX_LISTED_PARTS = 10  # the most parts that are listed


def result_text(result: Result, language: str = "en") -> str:
    """Write one result: value, verdict, sentence, parts, worst classes, and notes on the data."""
    word = words(language, result.measure)
    lines = [line for text in write_openings(result, language) for line in wrap_indented(text, 0)]
    lines += wrap_indented(write_title_line(result, language), 0)
    lines += wrap_indented(write_sentence(result, language), 2)
    lines += wrap_indented(write_failing_counts(result, word), 2) if result.failing_classes else []
    if len(result.parts) > 1:
        names = {name: write_part_name(result, name, word) for name in list(result.parts)[:MAX_LISTED_PARTS]}
        width = min(max(map(display_width, names.values())), WIDTH // 2)
        for name, title in names.items():
            *above, last = wrap(title, width)
            lines += [f"  {line}" for line in above]
            beside, text = f"  {pad(last, width)}  ", write_part(result.parts[name], word)
            head, *rest = wrap_indented(text, display_width(beside))
            lines += [beside + head.lstrip(), *rest]
        if len(result.parts) > MAX_LISTED_PARTS:
            lines += [f"  {word.more.format(format_number(len(result.parts) - MAX_LISTED_PARTS))}"]
    if result.worst:
        lines += [f"  {word.worst}"]
        for one in result.worst[:3]:
            values = fill("{values}", {"values": one.values}, word) if one.values is not None else word.withheld
            score = format_exact(one.exact, one.value, word.brackets)
            if one.rows is None:
                sizes = {"size": format_number(one.size), "rows": format_number(result.judged_rows)}
                lines += wrap_indented(word.one_class.format(values=values, score=score, **sizes), 4)
            else:
                counts = fill(
                    word.command["people_and_rows"], {"people": Exact(one.size), "rows": Exact(one.rows)}, word
                )
                class_line = word.command["one_class_people"].format(values=values, score=score, counts=counts)
                lines += wrap_indented(class_line, 4)
    lines += [f"  {scope_line(result, word)}"] if result.scope.rows else []
    return "\n".join([*lines, *(line for note in write_notes(result, language) for line in wrap_indented(note, 2))])


def evaluation_text(evaluation: Evaluation, language: str = "en") -> str:
    """Write a table of results with one sentence each, and the measures that could not be evaluated."""
    from PETWorks.render.attack import write_tried
    from PETWorks.render.lines import LineWriter
    from PETWorks.render.premises import write_premise_block

    word = words(language)
    lines = write_premise_block(evaluation, LineWriter(language)) if evaluation.judges_premises else []
    lines += [line for text in write_openings(evaluation, language) for line in wrap_indented(text, 0)]
    shown = [(result, name, part) for result in evaluation for name, part in select_line_parts(result)]
    several = {result for result in evaluation if len(select_line_parts(result)) > 1}
    titles = [
        write_part_label(result, name if result in several or (part.limit and not result.limit) else "", language)
        for result, name, part in shown
    ]
    width = max(map(display_width, titles), default=0)
    for title, (result, name, part) in zip(titles, shown, strict=True):
        lines += [f"{pad(title, width)}  {write_verdict(part, word)}"]
        lines += [*wrap_indented(write_meaning(result, name, language), 4), ""]
    told_below = [*write_alarms(evaluation, language), *write_remarks(evaluation, language)]
    lines += [line for remark in told_below for line in wrap_indented(remark, 0)] + [""] * bool(told_below)
    if tried := write_tried(evaluation, LineWriter(language)):
        lines += [LineWriter(language).say("attack_heading")]
        lines += [*(line for text in tried for line in wrap_indented(text, 4)), ""]
    if evaluation.skipped:
        lines += [word.skipped]
        for name, why in evaluation.skipped.items():
            lines += wrap_indented(f"{find(name).words[language].title}{word.colon}{note_text(why, language)}", 4)
    return "\n".join(lines).rstrip("\n")


def write_meaning(result: Result, name: str, language: str, medium: Medium = PLAIN) -> str:
    """Write what a part's line means: the measure's sentence, who fails, and warnings in brief.

    A sentence on the whole result is written for its first line only.
    """
    shown, word = dict(select_line_parts(result)), words(language)
    has_sentence = find_attribute_part(result, name) is not result or name == next(iter(shown))
    failing = write_failing_counts(shown[name] if len(shown) > 1 else result, word, medium)
    doubts = [warning_text(note, language, medium, brief=True) for note in select_warnings_beside(result.warnings)]
    texts = [write_sentence(result, language, medium, name) if has_sentence else "", failing, *doubts]
    return medium.text(word.gap).join(filter(None, texts))


def write_sentence(result: Result, language: str, medium: Medium = PLAIN, part: str = "") -> str:
    """Fill a measure's own sentence with the figures of a result, or with those of one sensitive attribute."""
    word, of = words(language, result.measure), find_attribute_part(result, part)
    if of.withheld:
        return fill(word.notes["withheld"], {"least": Exact(result.disclosure.least)}, word, medium)
    if of.value is None:
        if hopeless := of.figures.get("hopeless_classes"):
            counts = {"classes": hopeless, "all_classes": of.judged_classes}
            return fill(word.hopeless, counts, word, medium)
        return medium.text(word.notes["nothing_published"])
    figures = {"value": format_brief(of.exact, of.value, of.limit), "percent": format_percent(of.value)}
    own = result.measure.words[language]
    template = own.people or own.sentence if result.scope.known else own.sentence
    known = {**of.figures, **figures}
    if result.disclosure.level is DisclosureLevel.PUBLIC and not list_figure_names(template) <= known.keys():
        return ""  # it would disclose more than the value
    return fill(template, known, word, medium, decimals=True)


def scope_line(result: Result, word: Vocabulary) -> str:
    """Write the size of the measured release."""
    scope = result.scope
    sizes = {name: getattr(scope, name) for name in ("rows", "suppressed", "classes")}
    known = ""
    if scope.known:
        people = {} if scope.people is None else {"people": Exact(scope.people.people)}
        known = fill(word.command["scope_people" if people else "scope_known"], {"known": scope.known, **people}, word)
    return fill(word.scope, {**sizes, "share": Exact(scope.suppressed / scope.rows)}, word) + known


def write_remarks(evaluation: Evaluation, language: str = "en", medium: Medium = PLAIN) -> list[str]:
    """Write the notes on the data of all results, each once, without warnings and the notes below the answer."""
    found = (note for result in evaluation for note in write_notes(result, language, medium))
    below = {note_text(note, language, medium) for result in evaluation for note in result.told_below}
    others = {*below, *write_alarms(evaluation, language, medium)}
    return [note for note in dict.fromkeys(found) if note not in others]


def write_alarms(evaluation: Evaluation, language: str = "en", medium: Medium = PLAIN) -> list[str]:
    """Write the warnings on values, each once, without those that open the output; then the notes below the answer."""
    doubts = [warning_text(note, language, medium) for note in evaluation.warnings if not note.leading]
    return [*doubts, *(note_text(note, language, medium) for note in list_notes_below(evaluation))]


def write_openings(subject: Evaluation | Result, language: str = "en", medium: Medium = PLAIN) -> list[str]:
    """Write the warnings that a verdict means nothing; every output begins with them."""
    return [warning_text(note, language, medium) for note in subject.warnings if note.leading]


def select_warnings_beside(notes: Iterable[Note]) -> list[Note]:
    """Return the warnings that stand beside a value: all but those about the whole release, which open the output."""
    about_all = words("en").notes  # the leading warnings of a measure are in its own words
    return [note for note in notes if note.warning and not (note.leading and note.kind in about_all)]


def write_notes(result: Result, language: str = "en", medium: Medium = PLAIN) -> Iterator[str]:
    """Yield the notes on the data of a result, without the warnings that open the output."""
    for column, cells in result.scope.missing.items():
        yield note_text(Note("missing", {"column": Name(column), "cells": cells}), language, medium)
    for note in result.notes:
        if note.leading:
            continue
        if note.warning:
            yield warning_text(note, language, medium)
        else:
            yield note_text(note, language, medium, result.measure)


def note_text(
    note: Note, language: str = "en", medium: Medium = PLAIN, measure: Measure | type[Measure] | None = None
) -> str:
    """Write one note; if no measure is given, search the words of all measures for this kind of note."""
    word = words(language, measure)
    if note.kind not in word.notes:
        word = words(language, _find_owner(note, language))
    if note.kind == "error":
        return medium.message(note.figures["text"])
    return fill(word.notes[note.kind], note.figures, word, medium)


def warning_text(note: Note, language: str = "en", medium: Medium = PLAIN, *, brief: bool = False) -> str:
    """Write a warning; in brief, to stand beside a value."""
    word = words(language)
    own = {} if note.kind in word.notes else _find_owner(note, language).words[language].notes
    template = {**word.command, **own}.get(f"brief_{note.kind}") if brief else None
    text = fill(template, note.figures, word, medium) if template else note_text(note, language, medium)
    return medium.text(word.command["warning"]) + text


def _find_owner(note: Note, language: str) -> type[Measure]:
    """Return the measure whose words have this kind of note."""
    return next(kind for kind in measures().values() if note.kind in kind.words[language].notes)
