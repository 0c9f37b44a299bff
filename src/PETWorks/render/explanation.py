"""Explanations as text: the steps that led to a result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from PETWorks.explain.step import Step
from PETWorks.measure.result import Result
from PETWorks.render.fill import PLAIN, Medium, fill
from PETWorks.render.of_people import step_template
from PETWorks.render.parts import lined, steps_of, title_line
from PETWorks.render.text import note_text, openings, warning_text
from PETWorks.render.words import words
from PETWorks.render.wrapping import indented


def step_text(step: Step, result: Result, language: str, medium: Medium = PLAIN) -> str:
    """Write a step: in the measure's own words if it has them, else in the shared ones."""
    word = words(language, result.measure)
    people = bool(result.scope.known) and result.measure.family != "utility"
    template = step_template(step.kind, word.steps[step.kind], people=people)
    return fill(word.leads.get(step.kind, "") + template, step.figures, word, medium)


def explanation_text(result: Result, language: str = "en", part: str | None = None) -> str:
    """Write the values and verdicts of a result, or of one part of it, then the steps that explain them."""
    names = [name for name, _ in lined(result)] if part is None else [part]
    lines = [line for text in openings(result, language) for line in indented(text, 0)]
    lines += [line for name in names for line in indented(title_line(result, language, name=name), 0)]
    doubts = [note for note in result.warnings if not note.leading]
    told = [warning_text(note, language) for note in doubts] + [note_text(note, language) for note in result.told_below]
    lines += [line for text in told for line in indented(text, 2)]
    steps = result.steps if part is None else steps_of(result, part)
    texts = [[step_text(each, result, language) for each in (step, *step.lines)] for step in steps]
    return "\n".join([*lines, *numbered((head, details) for head, *details in texts)])


def numbered(steps: Iterable[tuple[str, Sequence[str]]]) -> Iterator[str]:
    """Yield the lines of numbered steps, each with its details."""
    for number, (text, details) in enumerate(steps, 1):
        head, *rest = indented(text, 5)
        yield f"{number:>3}. {head.lstrip()}"
        yield from rest
        yield from (line for each in details for line in indented(each, 7))
