"""The inspection of a raw table as text, as blocks for notebooks and as JSON.

Also suggested hierarchies, and the coverage of hierarchies, as text. Values of fewer than five people are not named.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.metadata import version

from PETWorks.facts.notes import Note
from PETWorks.facts.roles import Role
from PETWorks.hierarchies.hierarchy import Coverage
from PETWorks.hierarchies.suggestion import Suggestion
from PETWorks.inspection.findings import PrepareFinding
from PETWorks.inspection.inspection import InspectedColumn, Inspection
from PETWorks.measure.steps import Cell, Name
from PETWorks.render.blocks import Block, Headline, TextTable
from PETWorks.render.fill import PLAIN, Medium, ShownFigure, escape_unprintable, fill
from PETWorks.render.typography import WIDTH, display_width, pad, wrap, wrap_indented
from PETWorks.render.words import LANGUAGES, Vocabulary, words
from PETWorks.shown import THRESHOLD, Exact, disclose_count, show_exactly
from PETWorks.tables.counting.tally import cell_text

SCHEMA = "petworks/inspection/1"
OURS = ("form", "topic", "kind", "role")  # figures that are names of PETWorks, written in words
NAMES = 24  # maximum width of column names, in terminal columns; a longer name moves the rest to the right


class InspectionWriter:
    """A writer of the findings of an inspection, in one language and for one medium."""

    def __init__(self, language: str = "en", medium: Medium = PLAIN) -> None:
        self.word, self.medium = words(language), medium

    def say(self, key: str, /, **figures: ShownFigure) -> str:
        """Fill one of the templates; names of kinds, forms, topics and roles are written in words."""
        ours = {name: self.word.inspection[f"{name}_{figures[name]}"] for name in OURS if name in figures}
        return fill(self.word.inspection[key], {**figures, **ours}, self.word, self.medium)

    def write_note(self, note: Note) -> str:
        """Write a reason or a warning."""
        return self.say(note.kind, **note.figures)

    def write_reasons(self, column: InspectedColumn) -> str:
        """Write why a role is suggested for a column, or what has to be decided."""
        return self.join(*map(self.write_note, column.reasons))

    def write_answer(self, inspection: Inspection) -> Iterator[str]:
        """Yield sentences: the columns to decide about, the people in small classes, and identifiers that repeat."""
        open_ = [Name(name) for name in inspection.questions]
        yield (
            self.say("open", open=Exact(len(open_)), columns=Exact(len(inspection)), names=open_)
            if open_
            else self.say("closed")
        )
        if Role.QUASI_IDENTIFIER not in inspection.roles.values():
            yield self.say("no_quasi")
        elif inspection.small is None:
            yield self.say("no_classes")
        else:
            figures = show_exactly({"small": inspection.small, "alone": inspection.alone, "rows": inspection.rows})
            key = "classes" if inspection.person is None else "classes_rows"
            yield self.say(key, share=Exact(inspection.small / inspection.rows), **figures)

        if inspection.person is not None:
            yield self.say("counted_by", column=Name(inspection.person))
            return
        repeated = [Name(one) for one in inspection.persons if inspection.roles.get(one) is Role.IDENTIFIER]
        if repeated:
            yield self.say("several_rows", columns=repeated)

    def write_head(self, inspection: Inspection) -> str:
        """Write the size and the form of the table."""
        figures = show_exactly({"rows": inspection.rows, "columns": len(inspection)})
        read = Name(", ".join(inspection.form))
        return self.say("head", table=Name(inspection.name), read=read, **figures)

    def write_role(self, role: Role | None) -> str:
        """Write a role."""
        return self.medium.text(self.word.inspection[f"role_{role or 'none'}"])

    def write_cells(self, column: InspectedColumn) -> str:
        """Write the kind of a column, and how many values it has."""
        key = "cells_missing" if column.missing else "cells"
        return self.say(key, kind=column.kind, distinct=Exact(column.distinct), missing=Exact(column.missing))

    def write_values(self, column: InspectedColumn) -> str:
        """Write the most frequent values, or their pattern; "" if neither may be shown."""
        if column.pattern:
            return self.say("pattern", pattern=Cell(column.pattern))
        shown = [self.say("one_common", value=Cell(value), people=Exact(people)) for value, people in column.common]
        listed = self.medium.text(self.word.separator).join(shown)
        return self.medium.text(self.word.inspection["common"]).replace("{values}", listed) if shown else ""

    def write_singled_out(self, column: InspectedColumn, inspection: Inspection) -> str:
        """Write how many people a column singles out, or rows if a person seems to have several; "" if unknown."""
        if column.adds is None:
            return ""
        key = "adds_quasi" if column.role is Role.QUASI_IDENTIFIER else "adds_other"
        return self.say(key if inspection.person is None else f"{key}_rows", adds=Exact(column.adds))

    def write_finding(self, one: PrepareFinding) -> str:
        """Return a finding to prepare, and its effect."""
        column = Name(one.column or "")
        text = self.say(f"finding_{one.kind}", column=column, rows=Exact(one.cells), row=Exact(one.cells + 1))
        changes = show_exactly({"before": one.before, "after": one.after})
        effect = self.say("finding_effect", cells=disclose_count(one.cells), **changes)
        doubt = self.say("finding_doubtful", cells=disclose_count(one.doubtful)) if one.doubtful else ""
        return self.join(text, effect if one.column else "", doubt)

    def join(self, *sentences: str) -> str:
        """Join sentences, of which some may be empty."""
        return self.medium.text(self.word.gap).join(filter(None, sentences))


def sort_for_decision(inspection: Inspection) -> list[InspectedColumn]:
    """Return the columns: first those to decide about, then the others, each in the order of the table."""
    return sorted(inspection, key=lambda column: column.role is not None)


def inspection_text(inspection: Inspection, language: str = "en") -> str:
    """Write an inspection as text: the open decisions, then the lines of each column."""
    findings = InspectionWriter(language)
    lines = [*wrap_indented(findings.write_head(inspection), 0)]
    for sentence in findings.write_answer(inspection):
        lines += wrap_indented(sentence, 0)
    if inspection.findings:
        lines += ["", findings.say("findings")]
        lines += [line for one in inspection.findings for line in wrap_indented(findings.write_finding(one), 2)]
    for column in sort_for_decision(inspection):
        lines += ["", *write_column(column, inspection, findings)]
    if inspection.warnings:
        lines += ["", findings.say("warnings")]
        lines += [line for note in inspection.warnings for line in wrap_indented(findings.write_note(note), 2)]
    return "\n".join(lines)


def write_column(column: InspectedColumn, inspection: Inspection, findings: InspectionWriter) -> Iterator[str]:
    """Yield the lines about a column: name, role and kind, aligned, and the findings below them."""
    width = min(NAMES, max(display_width(escape_unprintable(one.name)) for one in inspection))
    roles = max(display_width(findings.write_role(one.role)) for one in inspection)
    name, role = pad(escape_unprintable(column.name), width), pad(findings.write_role(column.role), roles)
    heading = f"{name}  {role}  {findings.write_cells(column)}"
    yield from [heading] if display_width(heading) <= WIDTH else wrap_indented(heading, 0)
    singled_out = findings.write_singled_out(column, inspection)
    for text in (findings.write_reasons(column), findings.write_values(column), singled_out):
        yield from wrap_indented(text, 4) if text else []


def inspection_blocks(inspection: Inspection, language: str, medium: Medium) -> Iterator[Block]:
    """Yield the blocks of an inspection for a notebook."""
    findings = InspectionWriter(language, medium)
    yield Headline(findings.write_head(inspection))
    yield from findings.write_answer(inspection)
    yield from map(findings.write_finding, inspection.findings)
    rows = []
    for column in sort_for_decision(inspection):
        name = fill("{name}", {"name": Name(column.name)}, findings.word, medium)
        singled_out = findings.write_singled_out(column, inspection)
        text = findings.join(findings.write_reasons(column), findings.write_values(column), singled_out)
        rows.append((name, findings.write_role(column.role), findings.write_cells(column), text))
    heads = [findings.say(key) for key in ("column", "role_head", "values", "found")]
    yield TextTable(heads, rows, short=(0, 1, 2))
    if inspection.warnings:
        yield Headline(findings.say("warnings"))
    for note in inspection.warnings:
        yield findings.write_note(note)


def inspection_json(inspection: Inspection) -> str:
    """Write an inspection as a JSON document, with the sentences of both languages."""
    document = {"schema": SCHEMA, "version": version("petworks"), **inspection.to_dict()}
    for column, plain in zip(inspection, document["columns"], strict=True):
        plain["says"] = {language: InspectionWriter(language).write_reasons(column) for language in LANGUAGES}
    for one, plain in zip(inspection.findings, document["findings"], strict=True):
        plain["says"] = {language: InspectionWriter(language).write_finding(one) for language in LANGUAGES}
        if 0 < one.cells < THRESHOLD and one.column:
            plain["cells"] = None  # of a few people
    for note, plain in zip(inspection.warnings, document["warnings"], strict=True):
        plain["says"] = {language: InspectionWriter(language).write_note(note) for language in LANGUAGES}
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    return text.encode(errors="backslashreplace").decode()  # as `evaluation_json`


MAX_LISTED_VALUES = 10  # maximum number of values that are named


def suggestion_text(suggestion: Suggestion, language: str = "en") -> str:
    """Write the findings on a column, and the suggested hierarchy."""
    word = words(language)
    terms = {term: word.hierarchies[f"level_{term}"] for term in suggestion.figures.get("levels", ())}
    figures = dict(suggestion.figures) | {"levels": [*terms.values()]}
    figures |= {"column": Name(suggestion.name), "values": suggestion.values}
    text = fill(word.hierarchies[f"suggest_{suggestion.kind}"], figures, word)
    asked = word.hierarchies.get(f"question_{suggestion.kind}", word.hierarchies["question"])
    return "\n".join(wrap_indented(text + (word.gap + asked if suggestion.question else ""), 2))[2:]


def coverage_text(coverage: Coverage, language: str = "en") -> str:
    """Write which values are not covered, and how large the groups of each level are."""
    return "\n".join([*_write_uncovered(coverage, words(language)), "", *_levels(coverage, words(language))])


def _write_uncovered(coverage: Coverage, word: Vocabulary) -> Iterator[str]:
    templates = word.hierarchies
    counts = {"values": coverage.values, "people": coverage.people}
    counts |= {"lacking": len(coverage.lacking), "lacking_people": coverage.lacking_people}
    covered = {"column": Name(coverage.name), **show_exactly(counts)}
    yield from wrap_indented(fill(templates["covered" if coverage.complete else "not_covered"], covered, word), 0)
    common = list(coverage.common.items())
    for value, people in common[:MAX_LISTED_VALUES]:
        yield from wrap_indented(fill(templates["lacks"], {"value": Cell(value), "people": Exact(people)}, word), 2)
    if rest := common[MAX_LISTED_VALUES:]:
        figures = show_exactly({"values": len(rest), "people": sum(people for _, people in rest)})
        yield from wrap_indented(fill(templates["lacks_more"], figures, word), 2)
    if few := len(coverage.lacking) - len(common):
        figures = show_exactly({"values": few, "people": coverage.lacking_people - sum(count for _, count in common)})
        yield from wrap_indented(fill(templates["lacks_few"], figures, word), 2)


def _levels(coverage: Coverage, word: Vocabulary) -> Iterator[str]:
    """Write a line for each level; only groups of five people or more are named, as many as fit the line."""
    templates = word.hierarchies
    rows = [[templates["level"], templates["groups"], templates["smallest"], templates["largest"]]]
    for one in reversed(coverage.levels):
        smallest = disclose_count(one.smallest)
        named = [Cell(cell_text(value)) for value, people in one.largest.items() if people >= THRESHOLD]
        figures = (Exact(one.level), Exact(one.groups), smallest)
        rows.append([fill("{figure}", {"figure": figure}, word) for figure in figures])
        rows[-1].append(fill("{cells}", {"cells": named}, word) if named else "")
    widths = [max(display_width(row[place]) for row in rows) for place in range(3)]
    for row in rows:
        *cells, last = row
        line = "  " + "  ".join(pad(cell, width) for cell, width in zip(cells, widths, strict=True))
        first, *rest = wrap(last, WIDTH - display_width(line) - 2)
        yield f"{line}  {first}{'…' if rest else ''}".rstrip()
