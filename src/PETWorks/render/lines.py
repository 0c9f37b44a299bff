"""The lines of a report: one for each measure, limit or sensitive attribute. They are the same in every format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PETWorks.evaluation.evaluation import Evaluation
from PETWorks.evaluation.requirement import Requirement
from PETWorks.facts.commitment import Commitment
from PETWorks.facts.notes import Note, Scope
from PETWorks.measure.base import Measure
from PETWorks.measure.losses import Utility, find_costliest
from PETWorks.measure.registry import find
from PETWorks.measure.result import Result, ResultPart
from PETWorks.measure.steps import Name
from PETWorks.render.fill import PLAIN, Medium, ShownFigure, fill
from PETWorks.render.parts import (
    describe_table_parameters,
    is_set_by_caller,
    name_verdict,
    select_line_parts,
    write_part_label,
    write_withheld,
)
from PETWorks.render.premises import PremiseWriter
from PETWorks.render.text import note_text, select_warnings_beside, warning_text, write_alarms, write_openings
from PETWorks.render.typography import format_number
from PETWorks.render.words import words
from PETWorks.shown import Exact, disclose_count, show_exactly

ORDER = {False: "fails", None: "unasked", True: "holds"}  # sorted so that what needs attention comes first
WITHHELD = "verdict_withheld"  # the verdict where it must not be shown
NOTHING = "not_shown"  # the verdict where nothing is published
HIGHER = ("at least", "more than")


@dataclass(frozen=True)
class ReportLine:
    """The texts about one measure or one part of it, in a language and with the markup of a medium."""

    verdict: str  # a key of the words; "" if there is no limit
    name: str
    value: str
    limit: str = ""
    detail: str = ""  # the classes and people that fail, what decided the value, or why it could not be evaluated
    why: str = ""  # where the requirement comes from
    result: Result | None = None
    part: str = ""  # the part of the result that the line is about


class LineWriter:
    """A writer of lines and sentences in one language, for one medium."""

    def __init__(self, language: str = "en", medium: Medium = PLAIN) -> None:
        self.language, self.word, self.medium = language, words(language), medium

    def say(self, key: str, /, **figures: ShownFigure) -> str:
        """Fill one of the templates of the command line."""
        return fill(self.word.command[key], figures, self.word, self.medium)

    def write_text(self, text: str) -> str:
        """Write text of PETWorks itself."""
        return self.medium.text(text)

    def write_title(self, measure: Measure | type[Measure]) -> str:
        """Write the title of a measure."""
        return self.write_text(measure.words[self.language].title)

    def write_file_kind(self, file: Commitment) -> str:
        """Write what a file is that the record has: "original", or "hierarchy" with its column."""
        kind = self.write_text(self.word.command[f"verify_{file.role}"])
        return kind if file.column is None else f"{kind} {self.medium.name(file.column)}"

    def write_scope(self, scope: Scope) -> str:
        """Write the size of the release."""
        if is_public(scope):
            return self.say("scope_public", rows=disclose_count(scope.rows)) + self._write_adversary(scope)
        share = scope.suppressed / scope.rows if scope.rows else 0
        size = self.say(
            "scope",
            rows=Exact(scope.rows),
            suppressed=Exact(scope.suppressed),
            share=Exact(share),
            classes=Exact(scope.classes),
        )
        return size + self._write_adversary(scope)

    def _write_adversary(self, scope: Scope) -> str:
        """Write that people are counted, and what an adversary knows of them; "" if every row is one person."""
        if scope.people is None:
            return self.say("scope_known", known=scope.known) if scope.known else ""
        return self.say("scope_people", known=scope.known, people=Exact(scope.people.people))

    def write_answer(self, evaluation: Evaluation) -> str:
        """Write whether the requirements and the premises hold."""
        answer = self._write_requirements_answer(evaluation)
        return PremiseWriter(self).write_answer(evaluation, answer) if evaluation.judges_premises else answer

    def _write_requirements_answer(self, evaluation: Evaluation) -> str:
        counts = count_verdicts(evaluation.requirements) | {"measures": len(evaluation)}
        if kept_nothing(evaluation) and not counts["fails"] and not counts["unasked"]:
            return self.write_nothing_published(evaluation)
        shown, withheld = show_exactly(counts), counts[WITHHELD]
        kind = next((key for key in ORDER.values() if counts[key]), "none")
        if withheld and kind in ("holds", "none"):
            return self.say("answer_withheld", **shown)
        if kind in ("fails", "holds") and counts[kind] == 1:
            kind += "_one"
        if counts["fails"] and counts["unasked"]:
            kind += "_unasked"
        answer = self.say(f"answer_{kind}", **shown)
        return answer + self.word.gap + self.say("answer_withheld_too", **shown) if withheld else answer

    def write_nothing_published(self, evaluation: Evaluation) -> str:
        """Write that all rows are suppressed; "" if they are not."""
        scope = find_scope(evaluation)
        if scope is None or not kept_nothing(evaluation):
            return ""
        failing = any(one.holds is False for one in evaluation.requirements)
        return self.say("answer_nothing_left" if failing else "answer_nothing", rows=Exact(scope.rows))

    def write_reason(self, note: Note, measure: Measure | type[Measure], prefix: str = "") -> str:
        """Write why a measure was not evaluated, and the option (with `door="policy_"`, the key) that would help."""
        if (key := f"{prefix}{note.kind}") not in self.word.command:
            return note_text(note, self.language, self.medium, measure)
        options = [f"--{name.replace('_', '-')}" for name in measure.list_required()]
        return self.say(key, options=" ".join(options), **note.figures)

    def write_warnings(self, result: Result | None) -> list[str]:
        """Write the warnings on a result, in brief."""
        found = select_warnings_beside(result.warnings) if result else []
        return [warning_text(note, self.language, self.medium, brief=True) for note in found]

    def write_alarms(self, evaluation: Evaluation) -> list[str]:
        """Write the warnings on values, each once, except those that open the output; then the notes below."""
        return write_alarms(evaluation, self.language, self.medium)

    def write_openings(self, subject: Evaluation | Result) -> list[str]:
        """Write the warnings that a verdict means nothing; every output begins with them."""
        return write_openings(subject, self.language, self.medium)

    def group_skipped(self, evaluation: Evaluation) -> list[tuple[str, list[str]]]:
        """Return the reasons why measures were not evaluated, each with the titles of its measures."""
        reasons: dict[str, list[str]] = {}
        for name, note in evaluation.skipped.items():
            kind = find(name)
            reasons.setdefault(self.write_reason(note, kind), []).append(self.write_title(kind))
        return list(reasons.items())

    def write_requirements(self, evaluation: Evaluation) -> list[ReportLine]:
        """Return the lines of the requirements: first what fails, then what could not be evaluated, then what holds."""
        lines = [line for one in evaluation.requirements for line in self.write_requirement(one)]
        order = [ORDER[False], ORDER[None], WITHHELD, ORDER[True], NOTHING]
        return sorted(lines, key=lambda line: order.index(line.verdict))

    def write_requirement(self, one: Requirement) -> list[ReportLine]:
        """Return the lines of a requirement: a line for each limit, for each sensitive attribute."""
        why = self.medium.message(one.why) if one.why else ""
        if (result := one.result) is None:
            reason = self.write_reason(one.problem, one.measure, "policy_") if one.problem else ""
            return [ReportLine("unasked", self.write_title(one.measure), self.write_text("-"), detail=reason, why=why)]
        return [self._write_limit_line(result, name, part, why) for name, part in select_line_parts(result)]

    def _write_limit_line(self, result: Result, name: str, part: ResultPart, why: str) -> ReportLine:
        """Return the line of a limit; if it belongs to the measure itself, the value is yes or no."""
        label = write_part_label(result, name, self.language, self.medium)
        if is_set_by_caller(part, result):
            texts = (
                label,
                self.write_value(part),
                self.write_limit(part),
                self.write_failing(part) or self.write_table_parameters(result.measure),
            )
            return ReportLine(find_verdict(part, result), *texts, why, result, name)
        label = self.write_title(result.measure) if result.holds else label
        held = self.word.untold if result.verdict_withheld else self.say("yes" if result.holds else "no")
        texts = label, held, self.say("required"), self.write_failing(result)
        return ReportLine(find_verdict(result, result), *texts, why, result, name)

    def write_result_lines(self, result: Result) -> list[ReportLine]:
        """Return the lines of a result: values and what decided them; with limits, the limits and the verdicts."""
        return [self._write_result_line(result, name, part) for name, part in select_line_parts(result)]

    def _write_result_line(self, result: Result, name: str, part: ResultPart) -> ReportLine:
        label = write_part_label(result, name, self.language, self.medium, brackets=False)
        own, variant = result.measure.words[self.language], result.measure.variant_figure
        variant = part.figures.get(variant, result.figures.get(variant, ""))
        if variant and not own.decided:
            label += self.write_text(self.word.brackets.format(own.short.get(variant, own.terms.get(variant, variant))))
        if not part.is_judged:
            return ReportLine(
                "",
                label,
                self.write_value(part),
                detail=self._write_deciding_detail(result, part),
                result=result,
                part=name,
            )
        verdict = self.write_text(self.word.colon + name_verdict(part, self.word))
        details = [self.write_limit(part) + verdict, self.write_failing(part)]
        texts = (
            label,
            self.write_value(part),
            self.write_limit(part),
            self.write_text(self.word.comma).join(filter(None, details)),
        )
        return ReportLine(find_verdict(part, result), *texts, result=result, part=name)

    def write_value(self, part: ResultPart) -> str:
        """Write a value with four digits, or with as many as distinguish it from its limit."""
        if untold := write_withheld(part, self.word):
            return self.write_text(untold)
        return self.medium.figure(format_number(part.value if part.exact is None else part.exact, part.limit))

    def write_limit(self, part: ResultPart) -> str:
        """Write a limit with its side."""
        return self.write_text(self.word.sides[part.side].format(part.limit)) if part.limit else ""

    def write_direction(self, part: ResultPart) -> str:
        """Write whether higher or lower values are better; "" if neither are."""
        return self.write_text(self.word.higher if part.side in HIGHER else self.word.lower) if part.side else ""

    def write_failing(self, part: ResultPart) -> str:
        """Write the number of classes and people that fail; "" if none do."""
        if not part.failing_classes:
            return ""
        return self.say("failing", classes=Exact(part.failing_classes), people=Exact(part.failing_people))

    def write_table_parameters(self, measure: Measure) -> str:
        """Write the parameters that are tables, such as chances of attempts; "" if there are none."""
        return self.say("stated", stated=given) if (given := describe_table_parameters(measure, self.language)) else ""

    def _write_deciding_detail(self, result: Result, part: ResultPart) -> str:
        if result.measure.family == "utility" and part.side not in HIGHER:
            return self.write_direction(part)
        if not result.scope.classes:
            return ""
        if (template := result.measure.words[self.language].decided) and result.value is not None:
            return fill(template, result.figures, words(self.language, result.measure), self.medium)
        if alike := part.alike:
            kind = "alike" if alike.least == alike.most else "between"
            return self.say(
                f"classes_{kind}", classes=Exact(alike.classes), least=Exact(alike.least), most=Exact(alike.most)
            )
        columns = find_costliest(result, 1) if isinstance(result.measure, Utility) and len(result.parts) > 1 else []
        return "".join(
            self.say("least", column=Name(name), value=Exact(one.value or 0)) for name, one in columns if one.value != 1
        )


def kept_nothing(evaluation: Evaluation) -> bool:
    """Return True if no row was retained."""
    scope = find_scope(evaluation)
    return scope is not None and 0 < scope.rows == scope.suppressed


def find_verdict(part: ResultPart, result: Result) -> str:
    """Return the key of a verdict; a requirement without a value counts as not judged if all rows are suppressed."""
    if part.verdict_withheld:
        return WITHHELD
    scope = result.scope
    nothing = part.holds and part.value is None and 0 < scope.rows == scope.suppressed
    return NOTHING if nothing else ORDER[part.holds]


def count_verdicts(requirements: Sequence[Requirement]) -> dict[str, int]:
    """Return the number of all requirements, and of those with each verdict by its key."""
    verdicts = [WITHHELD if one.verdict_withheld else ORDER[one.holds] for one in requirements]
    return {"all": len(verdicts)} | {key: verdicts.count(key) for key in (*ORDER.values(), WITHHELD)}


def list_failing(evaluation: Evaluation) -> list[Requirement]:
    """Return the requirements that do not hold, first the one that most people fail."""
    return sorted(
        (one for one in evaluation.requirements if one.holds is False), key=count_failing_people, reverse=True
    )


def count_failing_people(one: Requirement) -> int:
    """Return the number of people who fail a requirement; 0 if it is not about people."""
    return 0 if one.result is None else one.result.failing_people


def is_public(scope: Scope) -> bool:
    """Return True if only the number of rows may be shown."""
    return not scope.classes and scope.suppressed < scope.rows


def find_scope(evaluation: Evaluation) -> Scope | None:
    """Return the size of the measured release; None if there is no result."""
    return next((result.scope for result in evaluation.all_results), None)
