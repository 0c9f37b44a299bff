"""An evaluation as JUnit XML.

JUnit XML is for pipelines that show test results. A requirement is a test case; one with several limits, or on several
sensitive attributes, is as many test cases. Their names are the same in every language. A requirement that does not
hold is a failure; one that could not be evaluated is an error; other measures that could not be evaluated are skipped.
One whose verdict is withheld is an error too, whichever way it falls: readers take a skipped case for one that passed.
The premises are a suite of their own, before that of the requirements: one that a person accepted passes.
Values and limits are properties of the suite, because strict readers reject them within a test case. No times are
written, because none are measured.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from PETWorks.evaluation.evaluation import Evaluation
from PETWorks.facts.notes import Scope
from PETWorks.measure.base import Measure
from PETWorks.measure.registry import find
from PETWorks.render.blocks import explanation_text
from PETWorks.render.fill import PLAIN
from PETWorks.render.formats import OutputFormat, OutputSettings
from PETWorks.render.lines import NOTHING, WITHHELD, LineWriter, ReportLine, find_scope, is_public
from PETWorks.render.parts import (
    find_attribute_part,
    select_line_parts,
    write_part_label,
    write_title_line,
)
from PETWorks.render.premises import write_premise_lines
from PETWorks.shown import disclose_count

NAMED_IN = "en"  # the language of all names, so that a pipeline recognises a test case in any language
OUTCOMES = {"failure": "failures", "error": "errors", "skipped": "skipped"}


def evaluation_junit(evaluation: Evaluation, language: str = "en") -> str:
    """Write the requirements as test cases; without requirements, the results, as test cases that pass."""
    writer, scope = LineWriter(language), find_scope(evaluation)
    cases = _name_cases(evaluation, writer)
    suite = Element("testsuite", name=PLAIN.name(evaluation.title or (scope.name if scope else "PETWorks")))
    properties = SubElement(suite, "properties")
    warnings = [("warning", text) for text in (*writer.write_openings(evaluation), *writer.write_alarms(evaluation))]
    files = [(LineWriter(NAMED_IN).write_file_kind(one), f"{one.method} {one.value}") for one in evaluation.commitments]
    for name, value in [*_build_properties(cases, scope), *warnings, *files]:
        SubElement(properties, "property", name=name, value=value)
    for name, (measure, line) in cases.items():
        suite.append(_build_case(name, measure, line, writer))
    if scope and scope.known:
        SubElement(suite, "system-out").text = writer.write_scope(scope)
    for name, note in evaluation.skipped.items():
        kind = find(name)
        case = SubElement(suite, "testcase", classname=kind.family, name=kind.words[NAMED_IN].title)
        SubElement(case, "skipped", message=writer.write_reason(note, kind))
    suite.attrib |= {"tests": str(len(suite.findall("testcase"))), **_count_outcomes(suite)}
    found = [*_build_premises(evaluation, writer), suite]
    summed = {one: str(sum(int(each.attrib[one]) for each in found)) for one in ("tests", "failures", "errors")}
    suites = Element("testsuites", summed, name="PETWorks")
    suites.extend(found)
    indent(suites)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(suites, encoding="unicode")}\n'


def _build_premises(evaluation: Evaluation, writer: LineWriter) -> Iterator[Element]:
    """Yield the suite of premises: accepted ones pass with the reason, unchecked ones are skipped."""
    if not (lines := write_premise_lines(evaluation, writer)):
        return
    suite = Element("testsuite", name="premises")
    for line in lines:
        case, told = SubElement(suite, "testcase", classname="premises", name=line.name), "\n".join(line.found)
        if line.status == "fails":
            SubElement(case, "failure", type=line.verdict, message=line.title).text = told
        elif line.status == "unchecked":
            SubElement(case, "skipped", message=told)
        elif line.status == "accepted":
            SubElement(case, "system-out").text = "\n".join(filter(None, [told, line.why]))
    suite.attrib |= {"tests": str(len(lines)), **_count_outcomes(suite)}
    yield suite


def _count_outcomes(suite: Element) -> dict[str, str]:
    return {attribute: str(len(suite.findall(f"testcase/{tag}"))) for tag, attribute in OUTCOMES.items()}


def _name_cases(evaluation: Evaluation, writer: LineWriter) -> Mapping[str, tuple[Measure, ReportLine]]:
    """Return the test cases by name, the same in every run; repeated names are numbered."""
    asked = [(one.measure, line) for one in evaluation.requirements for line in writer.write_requirement(one)]
    measured = [(result.measure, line) for result in evaluation for line in writer.write_result_lines(result)]
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


def _build_properties(
    cases: Mapping[str, tuple[Measure, ReportLine]], scope: Scope | None
) -> Iterator[tuple[str, str]]:
    yield "petworks", version("petworks")
    if scope:
        if is_public(scope):
            yield "rows", str(disclose_count(scope.rows))
        else:
            yield from ((one, str(getattr(scope, one))) for one in ("rows", "suppressed", "classes"))
    for name, (_, line) in cases.items():
        texts = {"measured": line.value if line.result else "", "limit": line.limit, "why": line.why}
        yield from ((f"{name}: {key}", value) for key, value in texts.items() if value)


def _build_case(name: str, measure: Measure, line: ReportLine, writer: LineWriter) -> Element:
    case = Element("testcase", classname=measure.family, name=name)
    if line.verdict == "unasked":
        SubElement(case, "error", type=writer.say("could_not_be_asked"), message=line.detail)
    if line.verdict == WITHHELD:
        case.append(Element("error", type=writer.say("case_withheld"), message=writer.say("case_withheld_why")))
    if line.verdict == NOTHING:
        SubElement(case, "skipped", message=writer.word.notes["nothing_published"])
    if line.verdict == "fails" and line.result:
        message = write_title_line(line.result, writer.language, name=line.part)
        failure = SubElement(case, "failure", type=writer.word.fails, message=message)
        failure.text = explanation_text(line.result, writer.language, line.part)
    if warnings := writer.write_warnings(line.result):
        SubElement(case, "system-out").text = "\n".join(warnings)
    return case


def _write(evaluation: Evaluation, settings: OutputSettings) -> str:
    return evaluation_junit(evaluation, settings.language)


FORMAT = OutputFormat(endings=(".xml",), write=_write, is_for_public=True)
