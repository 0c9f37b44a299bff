"""The parts of a result: their names, values and verdicts as text, and the notes below the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from PETWorks.evaluation.evaluation import Evaluation
from PETWorks.facts.notes import FEW_SUPPRESSED, KINDS_BELOW, Note
from PETWorks.measure.base import Measure
from PETWorks.measure.losses import Utility
from PETWorks.measure.parameter import find_limits, find_parameters
from PETWorks.measure.result import Result, ResultPart
from PETWorks.measure.steps import Step
from PETWorks.render.fill import PLAIN, Medium, fill, reword_label_for_people
from PETWorks.render.typography import format_exact
from PETWorks.render.words import Vocabulary, words
from PETWorks.shown import show_exactly


def select_line_parts(result: Result) -> list[tuple[str, ResultPart]]:
    """Return the parts that get a line each: those with a limit; without limits, the sensitive attributes.

    If these are fewer than two, return only the deciding part.
    """
    given = {name: part for name, part in result.parts.items() if is_set_by_caller(part, result)}
    if not result.is_judged:
        given = {name: part for name, part in result.parts.items() if is_attribute(part)}
    several = len(given) > 1 and not isinstance(result.measure, Utility)
    return list(given.items()) if several else [find_deciding_part(result)]


def is_set_by_caller(part: ResultPart, result: Result) -> bool:
    """Return True if the caller set this limit, False if it belongs to the measure itself."""
    measure = result.measure
    given = [getattr(measure, name) for name in find_limits(type(measure))]
    return part.limit is not None and part.limit in given  # by equality: equal measures share one result


def describe_table_parameters(measure: Measure, language: str) -> dict[str, str]:
    """Return the parameters that are tables, such as chances of attempts, as text by translated name.

    Tables of values of a column, such as the numbers of people who have each, are left out.
    """
    found, ours = dict[str, str](), measure.words[language].terms
    for name, parameter in find_parameters(type(measure)).items():
        if parameter.kind == "table" and not parameter.of_values and getattr(measure, name) is not None:
            for key, one in getattr(measure, name).items():
                found[ours.get(key, key)] = (
                    ", ".join(f"{k} {v}" for k, v in one.items()) if isinstance(one, Mapping) else str(one)
                )
    return found


def select_steps(result: Result, name: str) -> Sequence[Step]:
    """Return the steps of a result without those that explain only parts that have another line."""
    others = {other for other, _ in select_line_parts(result)} - {name}
    return [step for step in result.steps if step.part not in others]


def is_attribute(part: ResultPart) -> bool:
    """Return True if a part is about a sensitive attribute. Its name is no sign: a column may be called "k"."""
    return "part" in part.figures


def find_attribute_part(result: Result, name: str) -> ResultPart:
    """Return the part of a sensitive attribute; for any other part, the whole result."""
    part = result.parts.get(name, result)
    return part if is_attribute(part) else result


def find_fixed_part(result: Result, name: str) -> str:
    """Return which of the measure's `fixed_parts` a part is; "" if it is about a column."""
    stem = name.rstrip("'")  # a prime distinguishes it from a column of the same name
    return stem if stem in result.measure.fixed_parts and find_attribute_part(result, name) is result else ""


def find_deciding_part(result: Result) -> tuple[str, ResultPart]:
    """Return the deciding part: one that fails, else one with a limit; of several, one with the result's value."""
    if isinstance(result.measure, Utility) or not result.parts:
        return "", result

    def key(part: ResultPart) -> tuple[bool, bool, bool]:
        same = (part.value, part.exact, part.side) == (result.value, result.exact, result.side)
        return part.holds is not False, not part.is_judged, not same

    return min(result.parts.items(), key=lambda named: key(named[1]))


def write_title_line(result: Result, language: str, medium: Medium = PLAIN, name: str | None = None) -> str:
    """Write the title of the measure, the value and the verdict: of one part, or of the deciding one."""
    (name, part), word = (
        find_deciding_part(result) if name is None else (name, result.parts.get(name, result)),
        words(language),
    )
    return write_part_label(result, name, language, medium) + medium.text(word.colon + write_verdict(part, word))


def write_part_label(result: Result, name: str, language: str, medium: Medium = PLAIN, *, brackets: bool = True) -> str:
    """Write the title of a measure and the name of a part; only the title if the measure has that one part."""
    word, fixed = words(language, result.measure), find_fixed_part(result, name)
    title = medium.text(result.measure.words[language].title)
    if not name or ((fixed,) == result.measure.fixed_parts and name == next(iter(result.parts))):
        return title
    pattern = word.brackets if brackets and fixed else word.comma + "{}"
    before, after = map(medium.text, pattern.split("{}"))
    return title + before + write_part_name(result, name, word, medium) + after


def write_part_name(result: Result, name: str, word: Vocabulary, medium: Medium = PLAIN) -> str:
    """Write the name of a part: translated if it is one of `fixed_parts`, else it is a column name."""
    if fixed := find_fixed_part(result, name):
        label = word.parts.get(fixed, fixed)
        people = bool(result.scope.known) and not isinstance(result.measure, Utility)
        return medium.text(reword_label_for_people(label) if people else label)
    return medium.name(name)


def write_withheld(part: ResultPart, word: Vocabulary) -> str:
    """Return the range of a withheld value, or that it is withheld; "" if the value is shown."""
    if part.band:
        return fill("{band}", {"band": part.band}, word)
    return word.untold if part.withheld else ""


def write_verdict(part: ResultPart, word: Vocabulary) -> str:
    """Write a value with its limit and verdict; without a limit, with the better direction."""
    value = write_withheld(part, word) or format_exact(part.exact, part.value, word.brackets, part.limit)
    if part.limit is None and not part.side:
        return value
    if part.limit is None:
        better = word.higher if part.side in ("at least", "more than") else word.lower
        return f"{value}{word.brackets.format(better)}"
    return value + word.comma + word.sides[part.side].format(part.limit) + word.colon + name_verdict(part, word)


def name_verdict(part: ResultPart, word: Vocabulary) -> str:
    """Return the word for the verdict on a part."""
    if part.verdict_withheld:
        return word.untold
    return word.holds if part.holds else word.fails


def write_part(part: ResultPart, word: Vocabulary, medium: Medium = PLAIN) -> str:
    """Write the value, limit and verdict of a part, and how many classes and people fail."""
    counts = show_exactly({"classes": part.failing_classes, "people": part.failing_people})
    failing = word.brackets.format(word.command["failing"]) if part.failing_classes else ""
    return medium.text(write_verdict(part, word)) + fill(failing, counts, word, medium)


def write_failing_counts(part: ResultPart, word: Vocabulary, medium: Medium = PLAIN) -> str:
    """Write how many classes and people fail, of how many; "" if none do."""
    counts = show_exactly({"classes": part.failing_classes, "all_classes": part.judged_classes})
    people = show_exactly({"rows": part.failing_people, "all_rows": part.judged_people})
    return fill(word.failing, counts | people, word, medium) if part.failing_classes else ""


def list_notes_below(evaluation: Evaluation) -> list[Note]:
    """Return the notes below the answer, each once; of those on few suppressed people, the one with the fewest."""
    found = sorted((note for result in evaluation.all_results for note in result.told_below), key=_order)
    few = [note for note in found if note.kind == FEW_SUPPRESSED][:1]
    return few + [note for place, note in enumerate(found) if note.kind != FEW_SUPPRESSED and note not in found[:place]]


def list_few_suppressed_notes(evaluation: Evaluation) -> list[Note]:
    """Return the note that few people are suppressed, if there is one."""
    return [note for note in list_notes_below(evaluation) if note.kind == FEW_SUPPRESSED]


def _order(note: Note) -> tuple[int, Fraction]:
    return KINDS_BELOW.index(note.kind), note.figures["size"].exact if note.kind == FEW_SUPPRESSED else Fraction(0)
