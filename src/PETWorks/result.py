"""What a measure answers: numbers and kinds, no words. The words are chosen in `render/`, per language."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

from PETWorks.display import Displayed, InLanguage
from PETWorks.errors import UnknownNameError, did_you_mean
from PETWorks.limit import Limit
from PETWorks.step import Step
from PETWorks.tally import Value

if TYPE_CHECKING:
    from PETWorks.facts import Facts
    from PETWorks.measure import Measure

LEAST = 5  # people that a class must have to be described where anybody may read it


@dataclass(frozen=True)
class Note:
    """Something the reader should know: its kind, for which `render/words` has the sentence, and its figures."""

    kind: str
    figures: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Give it as plain values for JSON."""
        return {"kind": self.kind, "figures": _plain(self.figures)}

    def __str__(self) -> str:
        """Write it for people."""
        from PETWorks.render.text import note_text

        return note_text(self)


@dataclass(frozen=True)
class Scope:
    """What a result is about: the release, and how its special cells were treated."""

    name: str
    rows: int
    suppressed: int  # rows that form no class
    classes: int
    missing: Mapping[str, int]  # by column, cells that are missing; they count as a value of their own


@dataclass(frozen=True)
class ClassScore:
    """One class: the released values that its rows share, how many rows, and its score."""

    values: Mapping[str, Value] | None  # None: withheld, because few people are in it
    size: int
    value: float | None  # None: beyond every limit
    exact: Fraction | None
    people: int = 0  # of the release; differs from the size where that counts a population


@dataclass(frozen=True)
class Part:
    """A value, and whether it keeps its limit; of one attribute, or of one of several requirements."""

    value: float | None  # None: not defined
    exact: Fraction | None = None  # None also where the value is no fraction
    side: str = ""  # "at most", "at least", …: where the value must be, seen from the limit
    limit: Limit | None = None
    holds: bool | None = None  # None: no limit was given, so nothing is judged
    failing_classes: int = 0
    failing_rows: int = 0
    judged_classes: int = 0  # of how many; these are of a population, for some measures
    judged_rows: int = 0
    worst: tuple[ClassScore, ...] = ()
    figures: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain values for JSON: floats in full, fractions as text."""
        return {
            "value": self.value,
            "exact": _plain(self.exact),
            "side": self.side or None,
            "limit": _plain(self.limit),
            "holds": self.holds,
            "failing_classes": self.failing_classes,
            "failing_rows": self.failing_rows,
            "judged_classes": self.judged_classes,
            "judged_rows": self.judged_rows,
            "worst": [_plain(vars(score)) for score in self.worst],
            "figures": _plain(self.figures),
        }


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Result(Displayed, Part):
    """The answer of a measure for a release.

    `value` is the whole table's, `parts` those of single attributes or requirements. `holds` is the verdict (None
    without a limit), `worst` are the classes that decide, `notes` say what was special about the data.
    """

    measure: Measure
    scope: Scope
    parts: Mapping[str, Part] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    facts: Facts | None = None  # what was measured; None for an analysis of anything but a release
    least: int = 1  # classes of fewer people are not described

    __eq__, __hash__ = object.__eq__, object.__hash__  # two results are one only if they are

    @property
    def name(self) -> str:
        """The measure's name."""
        return self.measure.name

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain values for JSON."""
        return {
            "measure": self.name,
            "family": self.measure.family,
            "parameters": self.measure.parameters(),
            **super().to_dict(),
            "parts": {name: part.to_dict() for name, part in self.parts.items()},
            "steps": [step.to_dict() for step in self.steps],
            "notes": [note.to_dict() for note in self.notes],
            "scope": _plain(vars(self.scope)),
        }

    @property
    def measured(self) -> Facts:
        """What was measured, of a result of a release."""
        assert self.facts is not None  # noqa: S101
        return self.facts

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """How the result came about, as kinds and figures."""
        return tuple(self.measure.explain(self))

    def explain(self, language: str = "en") -> Explanation:
        """Say step by step how the result came about: print it, or look at its `steps`."""
        return Explanation(self, language)

    def guarded(self, least: int = LEAST) -> Result:
        """Give the result without what describes classes of fewer people, as it may be shown to anybody."""
        from PETWorks.guard import guarded

        return guarded(self, least)

    def text(self, language: str = "en") -> str:
        """Write the result for people, in English (``en``) or 繁體中文 (``zh_TW``)."""
        from PETWorks.render.text import result_text

        return result_text(self, language)

    def in_language(self, language: str) -> InLanguage:
        """Give it as it shows itself in a language: printed, in a terminal, in a notebook."""
        return InLanguage(self, language)

    def __str__(self) -> str:
        """Write the result for people, in English."""
        return self.text()

    def __repr__(self) -> str:
        """Write the first line of it."""
        return f"<{str(self).splitlines()[0]}>"


@dataclass(frozen=True, repr=False)
class Explanation(Displayed):
    """A result step by step, in a language: printed as text, shown as HTML in a notebook."""

    result: Result
    language: str = "en"

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps as kinds and figures."""
        return self.result.steps

    def to_dict(self) -> list[dict[str, Any]]:
        """Give the steps as plain values for JSON."""
        return [step.to_dict() for step in self.steps]

    def __str__(self) -> str:
        """Write the steps for people."""
        from PETWorks.render.explanation import explanation_text

        return explanation_text(self.result, self.language)

    __repr__ = __str__


@dataclass(frozen=True)
class Requirement:
    """A measure with limits that a release must keep: how it came out, or why it could not be asked."""

    measure: Measure
    result: Result | None = None
    problem: Note | None = None
    why: str = ""  # where the requirement comes from, in the words of whoever set it

    @property
    def holds(self) -> bool | None:
        """The verdict; None if it could not be asked."""
        return None if self.result is None else self.result.holds

    def to_dict(self, results: Sequence[Result]) -> dict[str, Any]:
        """Give it as plain values for JSON; the result as its place among others."""
        return {
            "measure": self.measure.name,
            "parameters": self.measure.parameters(),
            "why": self.why,
            "holds": self.holds,
            "result": None if self.result is None else results.index(self.result),
            "problem": self.problem and self.problem.to_dict(),
        }


class Evaluation(Displayed, Sequence[Result]):
    """The results of several measures, by position or by name, and why others were skipped.

    `requirements` are the measures that were asked with limits, among them those that could not be asked.
    """

    def __init__(
        self,
        results: Sequence[Result],
        skipped: Mapping[str, Note] | None = None,
        requirements: Sequence[Requirement] | None = None,
        title: str = "",
    ) -> None:
        self.results = tuple(results)
        self.skipped = dict(skipped or {})
        judged = [Requirement(result.measure, result) for result in results if result.holds is not None]
        self.requirements = tuple(judged if requirements is None else requirements)
        self.title = title

    @property
    def holds(self) -> bool | None:
        """Whether every requirement holds; None if there is none, or if one could not be asked."""
        verdicts = [requirement.holds for requirement in self.requirements]
        return all(verdicts) if verdicts and None not in verdicts else None

    @property
    def facts(self) -> Facts | None:
        """What was measured."""
        return next((result.facts for result in self if result.facts is not None), None)

    def guarded(self, least: int = LEAST) -> Evaluation:
        """Give the evaluation without what describes classes of fewer people, as it may be shown to anybody."""
        from PETWorks.guard import guarded_evaluation

        return guarded_evaluation(self, least)

    @overload
    def __getitem__(self, key: int | str) -> Result: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[Result]: ...
    def __getitem__(self, key: int | str | slice) -> Result | Sequence[Result]:
        """Give a result by its position or by its measure's name."""
        if not isinstance(key, str):
            return self.results[key]
        for result in self:
            if result.measure.is_called(key):
                return result
        if key in self.skipped:
            raise UnknownNameError(f'"{key}" was not asked', hint=str(self.skipped[key]))
        raise UnknownNameError(f'there is no result of "{key}"', hint=did_you_mean(key, [one.name for one in self]))

    def __contains__(self, key: object) -> bool:
        """Whether there is a result, or one of that name."""
        return key in self.results or (isinstance(key, str) and any(one.measure.is_called(key) for one in self))

    def __len__(self) -> int:
        """How many results there are."""
        return len(self.results)

    def __iter__(self) -> Iterator[Result]:
        """Give the results in the order asked."""
        return iter(self.results)

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain values for JSON."""
        required = [one.result for one in self.requirements if one.result is not None]
        results = list(dict.fromkeys([*self, *required]))
        return {
            "title": self.title,
            "scope": _plain(vars(results[0].scope)) if results else None,
            "holds": self.holds,
            "requirements": [one.to_dict(results) for one in self.requirements],
            "results": [result.to_dict() for result in results],
            "skipped": {name: note.to_dict() for name, note in self.skipped.items()},
        }

    def to_json(self) -> str:
        """Write everything as a JSON document that follows the published schema."""
        from PETWorks.render.document import evaluation_json

        return evaluation_json(self)

    def to_html(self, path: str | os.PathLike[str] | None = None, **options: Any) -> str:  # noqa: ANN401
        """Write the report as one self-contained HTML page; also to a file, if a path is given.

        Options: `language` (``en`` or ``zh_TW``, which is shown first), `show_small_classes`, `original_digest`
        (whether the original's digest is told) and `command` (what made the report, to be repeated).
        """
        from PETWorks.render.page import write_page

        return write_page(self, path, **options)

    def text(self, language: str = "en") -> str:
        """Write the results for people, in English (``en``) or 繁體中文 (``zh_TW``)."""
        from PETWorks.render.text import evaluation_text

        return evaluation_text(self, language)

    def in_language(self, language: str) -> InLanguage:
        """Give it as it shows itself in a language: printed, in a terminal, in a notebook."""
        return InLanguage(self, language)

    def __str__(self) -> str:
        """Write the results for people, in English."""
        return self.text()

    __repr__ = __str__


def _plain(value: Any) -> Any:  # noqa: ANN401 (anything JSON can say)
    if isinstance(value, Fraction | Limit):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
