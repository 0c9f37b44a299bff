"""The premises as lines of a report: failing ones first, then accepted ones, then unchecked ones.

They are the same in every format. No line names a cell, a row or a value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PETWorks.evaluation.evaluation import Evaluation
from PETWorks.facts.notes import Name, Reason
from PETWorks.premises.premise import Premise, Premises, PremiseVerdict
from PETWorks.render.fill import MarkedText
from PETWorks.render.typography import WIDTH, display_width, pad, wrap_indented

if TYPE_CHECKING:
    from PETWorks.render.lines import LineWriter

STATUS = {  # by verdict, in the order in which premises are told
    PremiseVerdict.DOES_NOT_HOLD: "fails",
    PremiseVerdict.ACCEPTED: "accepted",
    PremiseVerdict.NOT_CHECKED: "unchecked",
    PremiseVerdict.HOLDS: "holds",
}
MAX_COLUMNS = 5  # of `rest`, listed with their own figures


@dataclass(frozen=True)
class PremiseLine:
    """The texts about one premise, in a language and with the markup of a medium."""

    name: str  # as in policies
    status: str  # "fails", "accepted", "unchecked" or "holds"
    verdict: str
    title: str
    found: tuple[str, ...]  # what was found in each column, or why it was not checked
    why: str


class PremiseWriter:
    """Writes premises in one language, for one medium."""

    def __init__(self, writer: LineWriter, *, public: bool = False) -> None:
        self.writer, self.public = writer, public

    def say(self, key: str, /, **figures: Any) -> str:  # noqa: ANN401
        """Fill one of the templates of premises; a withheld count is described as nearly all."""
        some = self.writer.word.command["premise_some"]
        return self.writer.say(
            f"premise_{key}", **{name: some if one is None else one for name, one in figures.items()}
        )

    def write_lines(self, premises: Premises) -> list[PremiseLine]:
        """Return the lines of all premises."""
        order = list(STATUS)
        return [self._write_line(one) for one in sorted(premises, key=lambda one: order.index(one.verdict))]

    def _write_line(self, premise: Premise) -> PremiseLine:
        found = list(self._write_found(premise))
        if premise.unchecked:
            found.append(self.say(f"unchecked_{premise.unchecked}"))
        status = STATUS[premise.verdict]
        why = self.say("why", why=Reason(premise.why)) if premise.why else ""
        title = self.say(f"title_{premise.name}")
        return PremiseLine(premise.name, status, self.say(status), title, tuple(found), why)

    def write_name(self, premise: Premise) -> str:
        """Write what a premise says."""
        return self.say(f"title_{premise.name}")

    def write_names(self, premises: tuple[Premise, ...]) -> str:
        """Return the names of some premises; with the reason for unchecked ones."""
        written = []
        for one in premises:
            reason = self.say(f"unchecked_{one.unchecked}") if one.verdict is PremiseVerdict.NOT_CHECKED else ""
            brackets = self.writer.write_text(self.writer.word.brackets).format(reason) if reason else ""
            written.append(self.write_name(one) + brackets)
        return self.say("join").join(written)

    def _write_found(self, premise: Premise) -> Iterator[str]:
        """Yield the findings, column by column, open ones first."""
        if premise.name == "rest":
            yield from self._write_rest(premise)
            return
        for column in sorted(premise.columns, key=lambda one: one not in premise.open):
            yield self._write_column(premise, column, premise.columns[column])

    def _write_column(self, premise: Premise, column: str, found: Any) -> str:  # noqa: ANN401
        name, named = premise.name, Name(column or self.writer.word.command["premise_no_column"])
        if name == "requirement":
            void = premise.counts.get("void")
            return self.say("found_requirement_void", void=void) if void else self.say("found_requirement")
        if name == "columns":
            return self.say(f"found_columns_{found.replace(' ', '_')}", column=named)
        if name == "contents":
            return self.say("found_contents", column=named, kinds=self._write_kinds(found))
        if name == "changed":
            return self.say("public_changed" if self.public else "found_changed", rows=found)
        if self.public:
            return self.say(f"public_{name}", column=named, **found)
        figures = dict(found)
        smallest, suffix = figures.pop("smallest", None), ""
        if smallest:
            figures |= dict(zip(("by_rows", "by_people"), smallest, strict=True))
            suffix = "_smallest"
        if (name == "identifiers" and figures["original"]) or (name == "covered" and figures.get("same")):
            suffix = "_original" if name == "identifiers" else "_same"
        return self.say(f"found_{name}{suffix}", column=named, **figures)

    def _write_kinds(self, found: Mapping[str, Any]) -> str:
        key = "public_contents_kind" if self.public else "found_contents_kind"
        kinds = {kind: self.writer.word.command[f"premise_kind_{kind}"] for kind in found}
        texts = [self.say(key, kind=kinds[kind], rows=rows) for kind, rows in found.items()]
        return MarkedText(self.writer.write_text(self.writer.word.separator).join(texts))

    def _write_rest(self, premise: Premise) -> Iterator[str]:
        """Yield how many people the insensitive columns single out: together, and the worst columns separately."""
        counts = premise.counts
        if "all" not in counts:
            return
        if self.public:
            if premise.holds is False:
                yield self.say("public_rest", alone=counts["all"])
            return
        alone = counts["all"] - counts["qi"]
        if not alone and premise.verdict is PremiseVerdict.HOLDS:
            return
        yield self.say("found_rest", alone=alone, of=counts["of"])
        worst = [(name, one["alone"]) for name, one in premise.columns.items() if one["alone"]][:MAX_COLUMNS]
        if worst:
            listed = [self.say("found_rest_column", column=Name(name), alone=found) for name, found in worst]
            separator = self.writer.write_text(self.writer.word.separator)
            yield self.say("found_rest_by_column", columns=MarkedText(separator.join(listed)))
        if counts["left"] != counts["all"]:
            yield self.say("found_rest_left", left=counts["left"] - counts["qi"])
        if premise.verdict is not PremiseVerdict.HOLDS:
            yield self.say("found_rest_more", few=counts["few"], with_sensitive=counts["with_sensitive"])

    def write_unused(self, premises: Premises) -> list[str]:
        """Return a sentence on each acceptance that no finding needs."""
        texts = []
        for one in premises.unused:
            columns = self.say("about", columns=[Name(name) for name in one.columns]) if one.columns else ""
            premise = MarkedText(self.say(f"title_{one.premise}"))
            texts.append(self.say("unused", premise=premise, columns=MarkedText(columns)))
        return texts

    def write_answer(self, evaluation: Evaluation, answer: str) -> str:
        """Return the verdict on requirements and premises: what fails, else what was accepted or unchecked."""
        stop = self.writer.say("stop")
        premises, text = evaluation.premises, MarkedText(answer if answer.endswith(stop) else answer + stop)
        failing = premises.failing
        if failing:
            figures = {"premises": len(failing), "names": MarkedText(self.write_names(failing)), "title": text}
            if not evaluation.requirements:
                return self.say("answer_fails_alone", **figures)
            return self.say("answer_fails" if evaluation.requirements_hold else "answer_fails_too", **figures)
        for key, told in (("accepted", premises.accepted), ("unchecked", premises.unchecked)):
            if told:
                figures = {"premises": len(told), "names": MarkedText(self.write_names(told))}
                text = MarkedText(self.say(f"answer_{key}", title=text, **figures))
        return str(text) if premises.accepted or premises.unchecked else answer


def write_premise_lines(evaluation: Evaluation, writer: LineWriter) -> list[PremiseLine]:
    """Return the lines of the premises; none if they are not part of the evaluation."""
    if not evaluation.has_premises:
        return []
    return PremiseWriter(writer, public=evaluation.is_public).write_lines(evaluation.premises)


def list_open_lines(evaluation: Evaluation, writer: LineWriter) -> list[PremiseLine]:
    """Return the lines at the beginning of an output: failing and accepted premises, and with these, unchecked ones.

    If no premise fails or was accepted, the verdict names the unchecked ones.
    """
    lines = [line for line in write_premise_lines(evaluation, writer) if line.status != "holds"]
    return lines if any(line.status in ("fails", "accepted") for line in lines) else []


def write_premise_block(evaluation: Evaluation, writer: LineWriter) -> list[str]:
    """Return the first lines of a check: the verdict if a premise fails, then all premises that do not hold."""
    if not (told := list_open_lines(evaluation, writer)):
        return []
    lines = [*wrap_indented(writer.write_answer(evaluation), 0), ""] if evaluation.premises.failing else []
    widths = [max(map(display_width, texts)) for texts in zip(*((one.verdict, one.title) for one in told), strict=True)]
    for one in told:
        head = f"{pad(one.verdict, widths[0])}  {one.title}"
        lines += [head] if display_width(head) <= WIDTH else wrap_indented(head, 0)
        lines += [line for text in (*one.found, *([one.why] if one.why else [])) for line in wrap_indented(text, 4)]
    for text in PremiseWriter(writer).write_unused(evaluation.premises):
        lines += wrap_indented(text, 0)
    return [*lines, ""]
