"""An evaluation as JUnit XML, Markdown and JSON.

JUnit XML is for pipelines that show test results. A requirement is a test case; one with several limits, or on several
sensitive attributes, is as many test cases. Their names are the same in every language. A requirement that does not
hold is a failure; one that could not be evaluated is an error; other measures that could not be evaluated are skipped.
Values and limits are properties of the suite, because strict readers reject them within a test case. No times are
written, because none are measured.

Markdown is for a comment or a wiki: the verdict, one table, and the folded steps of the measures that fail.

JSON has all digits, and fractions as text. Its schema is `evaluation.schema.json` beside this file (JSON Schema, draft
2020-12). A document names the version that it follows in `schema`. The version number grows when programs that read
older documents would have to change.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from importlib.resources import files
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from PETWorks.evaluation.evaluation import Evaluation
from PETWorks.facts.notes import Scope, disclose_count, to_plain_values
from PETWorks.measure.base import Measure
from PETWorks.measure.registry import find
from PETWorks.measure.result import Result
from PETWorks.render.blocks import explanation_text, write_clause_heads, write_clause_rows, write_step
from PETWorks.render.fill import HTML, PLAIN, Medium, cut, escape_unprintable
from PETWorks.render.lines import LineWriter, ReportLine, find_scope, is_public
from PETWorks.render.parts import (
    find_attribute_part,
    select_line_parts,
    select_steps,
    write_part_label,
    write_title_line,
)
from PETWorks.render.text import write_remarks

NAMED_IN = "en"  # the language of all names, so that a pipeline recognises a test case in any language
OUTCOMES = {"failure": "failures", "error": "errors", "skipped": "skipped"}


def evaluation_junit(evaluation: Evaluation, language: str = "en") -> str:
    """Write the requirements as test cases; without requirements, the results, as test cases that pass."""
    scribe, scope = LineWriter(language), find_scope(evaluation)
    cases = _cases(evaluation, scribe)
    suite = Element("testsuite", name=PLAIN.name(evaluation.title or (scope.name if scope else "PETWorks")))
    properties = SubElement(suite, "properties")
    warnings = [("warning", text) for text in (*scribe.write_openings(evaluation), *scribe.write_alarms(evaluation))]
    for name, value in [*_properties(cases, scope), *warnings]:
        SubElement(properties, "property", name=name, value=value)
    for name, (measure, line) in cases.items():
        suite.append(_case(name, measure, line, scribe))
    if scope and scope.known:
        SubElement(suite, "system-out").text = scribe.write_scope(scope)
    for name, note in evaluation.skipped.items():
        kind = find(name)
        case = SubElement(suite, "testcase", classname=kind.family, name=kind.words[NAMED_IN].title)
        SubElement(case, "skipped", message=scribe.write_reason(note, kind))
    counts = {attribute: str(len(suite.findall(f"testcase/{tag}"))) for tag, attribute in OUTCOMES.items()}
    suite.attrib |= {"tests": str(len(suite.findall("testcase"))), **counts}
    suites = Element("testsuites", {one: suite.attrib[one] for one in ("tests", "failures", "errors")}, name="PETWorks")
    suites.append(suite)
    indent(suites)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(suites, encoding="unicode")}\n'


def _cases(evaluation: Evaluation, scribe: LineWriter) -> Mapping[str, tuple[Measure, ReportLine]]:
    """Return the test cases by name, the same in every run; repeated names are numbered."""
    asked = [(one.measure, line) for one in evaluation.requirements for line in scribe.write_requirement(one)]
    measured = [(result.measure, line) for result in evaluation for line in scribe.write_result_lines(result)]
    cases, times = {}, Counter[str]()
    for measure, line in asked or measured:
        name = _name(measure, line)
        times[name] += 1
        cases[name if times[name] == 1 else f"{name} #{times[name]}"] = measure, line
    return cases


def _name(measure: Measure, line: ReportLine) -> str:
    """Return the title of a measure, with the sensitive attribute or the limit if that does not depend on the data."""
    if line.result and (
        len(select_line_parts(line.result)) > 1 or find_attribute_part(line.result, line.part) is not line.result
    ):
        return write_part_label(line.result, line.part, NAMED_IN)
    return measure.words[NAMED_IN].title


def _properties(cases: Mapping[str, tuple[Measure, ReportLine]], scope: Scope | None) -> Iterator[tuple[str, str]]:
    yield "petworks", version("petworks")
    if scope:
        if is_public(scope):
            yield "rows", str(disclose_count(scope.rows))
        else:
            yield from ((one, str(getattr(scope, one))) for one in ("rows", "suppressed", "classes"))
    for name, (_, line) in cases.items():
        texts = {"measured": line.value if line.result else "", "limit": line.limit, "why": line.why}
        yield from ((f"{name}: {key}", value) for key, value in texts.items() if value)


def _case(name: str, measure: Measure, line: ReportLine, scribe: LineWriter) -> Element:
    case = Element("testcase", classname=measure.family, name=name)
    if line.verdict == "unasked":
        SubElement(case, "error", type=scribe.say("could_not_be_asked"), message=line.detail)
    if line.verdict == "fails" and line.result:
        message = write_title_line(line.result, scribe.language, name=line.part)
        failure = SubElement(case, "failure", type=scribe.word.fails, message=message)
        failure.text = explanation_text(line.result, scribe.language, line.part)
    if warnings := scribe.write_warnings(line.result):
        SubElement(case, "system-out").text = "\n".join(warnings)
    return case


SPECIAL = re.compile(r"([\\`*_\[\]<>&#~])")


class Markdown(Medium):
    """Markdown: text of PETWorks is escaped; text of the user is a code span that it cannot break out of."""

    def text(self, text: str) -> str:
        """Escape characters that have a meaning in Markdown."""
        return SPECIAL.sub(r"\\\1", text)

    def name(self, text: str) -> str:
        """Write a name as code."""
        return _code(cut(escape_unprintable(text)))

    def message(self, text: str) -> str:
        """Write a message as code, so that it notifies nobody and nothing in it becomes a link."""
        return _code(escape_unprintable(text))


def evaluation_markdown(evaluation: Evaluation, language: str = "en") -> str:
    """Write the verdict, a table, the steps of the measures that fail, the scope and the notes."""
    scribe = LineWriter(language, Markdown())
    blocks = [
        *scribe.write_openings(evaluation),
        f"**{scribe.write_answer(evaluation)}**",
        *scribe.write_alarms(evaluation),
    ]
    blocks += [scribe.write_nothing_published(evaluation), _scope(evaluation, scribe)]
    blocks += ["\n".join(_table(evaluation, scribe))]
    blocks += _clauses(evaluation, scribe)
    lines = scribe.write_requirements(evaluation)
    blocks += [_steps(line.result, line.part, scribe) for line in lines if line.result and _is_explained(line)]
    skipped = [
        scribe.word.separator.join(names) + scribe.word.colon + why for why, names in scribe.group_skipped(evaluation)
    ]
    notes = write_remarks(evaluation, language, scribe.medium)
    for heading, entries in ((scribe.word.skipped, skipped), (scribe.word.command["notes"], notes)):
        blocks += [f"**{scribe.write_text(heading)}**", "\n".join(f"- {entry}" for entry in entries)] if entries else []
    return "\n\n".join(filter(None, blocks)) + "\n"


def _is_explained(line: ReportLine) -> bool:
    return line.verdict == "fails" and line.result is not None and not is_public(line.result.scope)


def _scope(evaluation: Evaluation, scribe: LineWriter) -> str:
    names = [scribe.medium.name(evaluation.title)] if evaluation.title else []
    if scope := find_scope(evaluation):
        names += [scribe.medium.name(scope.name), scribe.write_scope(scope)]
    return scribe.write_text(scribe.word.comma).join(names)


def _table(evaluation: Evaluation, scribe: LineWriter) -> Iterator[str]:
    """Yield the lines of a table: the requirements, then the results without a limit; omit an empty last column."""
    judged = scribe.write_requirements(evaluation)
    heads = ["verdict", "requirement", "measured_head", "limit"] if judged else ["measure", "measured_head"]
    unjudged = [result for result in evaluation if result.holds is None]
    lines = judged + [line for result in unjudged for line in scribe.write_result_lines(result)]
    details = ["<br>".join(filter(None, [line.detail, *scribe.write_warnings(line.result)])) for line in lines]
    if any(details):
        heads.append("notes" if evaluation.is_public else "failing_head" if judged else "decided_head")
    yield write_table_row([scribe.say(head) for head in heads])
    yield write_table_row(["---:" if head == "measured_head" else "---" for head in heads])
    for line, detail in zip(lines, details, strict=True):
        name = line.name + (scribe.word.brackets.format(line.why) if line.why else "")
        verdict = f"**{scribe.say(line.verdict)}**" if line.verdict else ""
        cells = [verdict, name, line.value, line.limit] if judged else [name, line.value]
        yield write_table_row([*cells, detail] if any(details) else cells)


def _clauses(evaluation: Evaluation, scribe: LineWriter) -> list[str]:
    """Write a table of the clauses of each source; nothing if no source is named."""
    rows = write_clause_rows(evaluation, scribe)
    table = "\n".join(map(write_table_row, [write_clause_heads(scribe), ["---"] * 4, *rows]))
    return [f"**{scribe.say('clauses_head')}**", table] if rows else []


def write_table_row(cells: Sequence[str]) -> str:
    """Write a table row; escape bars, which end a cell even within code."""
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


def _steps(result: Result, part: str, scribe: LineWriter) -> str:
    lines = []
    for number, step in enumerate(select_steps(result, part), 1):
        lines.append(f"{number}. {write_step(step, result, scribe.language, scribe.medium)}")
        lines += [f"    - {write_step(each, result, scribe.language, scribe.medium)}" for each in step.lines]
    summary = write_title_line(result, scribe.language, HTML, part)
    return "\n\n".join([f"<details>\n<summary>{summary}</summary>", "\n".join(lines), "</details>"])


def _code(text: str) -> str:
    """Write a code span, enclosed in more backticks than occur together in the text."""
    fence = "`" * (max(map(len, re.findall("`+", text)), default=0) + 1)
    edge = " " if text[:1] in "` " or text[-1:] in "` " else ""
    return f"{fence}{edge}{text}{edge}{fence}"


SCHEMA = "petworks/evaluation/1"
PUBLIC_SCHEMA = "petworks/public/1"
PUBLIC_FIELDS = ("value", "withheld", "band", "side", "limit", "holds")  # the fields of a result in a public document


def evaluation_json(evaluation: Evaluation, *, original_digest: bool = True) -> str:
    """Write an evaluation as a JSON document."""
    if evaluation.is_public:
        document = {"schema": PUBLIC_SCHEMA, "version": version("petworks"), **_public(evaluation)}
    else:
        record = evaluation.record
        if record is not None and not original_digest:
            record = record.without_original_digest()
        document = {"schema": SCHEMA, "version": version("petworks"), "record": record and record.to_dict()}
        document |= evaluation.to_dict()
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    return text.encode(errors="backslashreplace").decode()  # lone surrogates cannot be encoded, so they are escaped


def _public(evaluation: Evaluation) -> dict[str, Any]:
    """Return a public evaluation as plain data: without counts, steps, and values in parameters."""
    whole = evaluation.to_dict()
    for one in (*whole["requirements"], *whole["results"]):
        one["parameters"] = {name: value for name, value in one["parameters"].items() if not isinstance(value, list)}
    results = []
    for result in whole["results"]:
        parts = {name: {key: part[key] for key in PUBLIC_FIELDS} for name, part in result["parts"].items()}
        named = {key: result[key] for key in ("measure", "family", "parameters", *PUBLIC_FIELDS, "notes")}
        results.append({**named, "parts": parts})
    scope = whole["scope"] and {key: whole["scope"][key] for key in ("name", "rows", "people") if key in whole["scope"]}
    if scope:
        scope["rows"] = to_plain_values(disclose_count(scope["rows"]))
    shown = {key: whole[key] for key in ("title", "holds", "requirements", "not_shown", "warnings", "skipped")}
    return {**shown, "scope": scope, "results": results}


def schema() -> Any:  # noqa: ANN401 (JSON)
    """Return the JSON schema of the documents."""
    return json.loads(files(__package__).joinpath("evaluation.schema.json").read_text(encoding="utf-8"))
