"""Results of measures: numbers and kinds, no words. `render/` chooses the words, in each language.

Results are displayed as tables in a terminal (with rich) and in a notebook. They also select the rows of a release that
are in failing classes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from PETWorks.errors import NotAskableError
from PETWorks.exact.limit import Limit
from PETWorks.facts.facts import Facts
from PETWorks.facts.notes import KINDS_BELOW, Note, PeopleCounts, Scope, to_plain_values
from PETWorks.measure.steps import Step
from PETWorks.presentation import Language, presenter
from PETWorks.shown import THRESHOLD, CountBand, Disclosure
from PETWorks.tables.counting.tally import IntArray, Mask, Value

if TYPE_CHECKING:
    from rich.console import RenderableType

    from PETWorks.measure.base import Measure
    from PETWorks.measure.bounds import Bound


class Displayed:
    """An object that is displayed as a table, by `rich.print` in a terminal and as the last value of a notebook cell.

    The language is English unless set. Nothing is withheld, because the analyst may see everything; `guarded()` returns
    what may be passed on.
    """

    language: str = "en"

    def _subject(self) -> Any:  # noqa: ANN401 (a result, an evaluation or an explanation)
        return self

    def __rich__(self) -> RenderableType:
        """Return the table for a terminal."""
        return presenter().as_rich(self._subject(), self.language)

    def _repr_html_(self) -> str:
        """Return the table as HTML for a notebook."""
        return presenter().as_html(self._subject(), self.language)


@dataclass(frozen=True, repr=False)
class InLanguage(Displayed):
    """A result or an evaluation that is printed and displayed in one language."""

    content: Any
    language: str

    def _subject(self) -> Any:  # noqa: ANN401
        return self.content

    def __str__(self) -> str:
        """Return the text in this language."""
        return str(self.content.text(self.language))

    __repr__ = __str__


class FailingRows:
    """A result or an evaluation that knows which classes fail."""

    def _find_failing(self) -> tuple[Facts, Mask]:
        """Return the facts, and a mask of the classes that fail; raise an error if they are not known."""
        raise NotImplementedError

    def failing_positions(self) -> IntArray:
        """Return the positions of the released rows that are in a failing class, counted from 0. Rows are read again.

        They choose rows of a frame: ``frame.iloc[positions]`` (pandas), ``frame[positions]`` (polars).
        """
        facts, failing = self._find_failing()
        positions: IntArray = facts.find_row_numbers(failing) - 1
        return positions

    def failing_mask(self) -> Mask:
        """Return, for each released row, True if it is in a failing class. Rows are read again.

        The mask chooses rows of a frame: ``frame[mask]`` (pandas), ``frame.filter(mask)`` (polars, Arrow).
        """
        facts, failing = self._find_failing()
        mask = np.zeros(facts.scope.rows, dtype=bool)
        mask[facts.find_row_numbers(failing) - 1] = True
        return mask


@dataclass(frozen=True)
class ClassScore:
    """One class: the released values that its rows share, its number of rows, and its score."""

    values: Mapping[str, Value] | None  # None: withheld, because the class has few people
    size: int
    value: float | None  # None: the class fails for every limit
    exact: Fraction | None
    people: int = 0  # the fewest people this discloses something about, such as those who have the deciding value
    rows: int | None = None  # rows of the class, if people have several; None: as many as its size

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values for JSON."""
        told = {name: to_plain_values(value) for name, value in vars(self).items() if name != "rows"}
        return told if self.rows is None else told | {"rows": self.rows}


@dataclass(frozen=True)
class EqualScores:
    """The classes that have the deciding score: their number, and the sizes of the smallest and the largest."""

    classes: int
    least: int
    most: int


@dataclass(frozen=True)
class ResultPart:
    """The value and verdict of one attribute, or of one of several limits."""

    value: float | None  # None: not defined
    exact: Fraction | None = None  # the exact value; None if it is undefined or not a fraction
    side: str = ""  # "at most", "at least", …: the side of the limit where the value must be
    limit: Limit | None = None
    holds: bool | None = None  # None: no limit was set
    failing_classes: int = 0
    failing_rows: int = 0
    judged_classes: int = 0  # all classes that were scored; some measures score those of a population
    judged_rows: int = 0
    persons: PeopleCounts | None = None  # None: every row is one person
    worst: tuple[ClassScore, ...] = ()
    figures: Mapping[str, Any] = field(default_factory=dict)
    alike: EqualScores | None = None
    withheld: bool = False  # True: the value is known, but must not be shown
    band: CountBand | None = None  # the band shown instead of a withheld value
    verdict_withheld: bool = False  # True: it was judged, but the verdict must not be shown
    about_few: bool = False  # True: a class with the deciding score has, or tells of, fewer people than the threshold

    @property
    def is_judged(self) -> bool:
        """True if there is a verdict, also one that must not be shown."""
        return self.verdict_withheld or self.holds is not None

    @property
    def failing_people(self) -> int:
        """The number of people in failing classes."""
        return self.failing_rows if self.persons is None else self.persons.failing

    @property
    def judged_people(self) -> int:
        """The number of people who were judged."""
        return self.judged_rows if self.persons is None else self.persons.judged

    @property
    def best_known(self) -> Fraction | float | None:
        """The exact value if it is known as a fraction, else the float."""
        return self.value if self.exact is None else self.exact

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values for JSON: floats in full, fractions as text."""
        return {
            "value": self.value,
            "exact": to_plain_values(self.exact),
            "side": self.side or None,
            "limit": to_plain_values(self.limit),
            "holds": self.holds,
            **({"verdict_withheld": True} if self.verdict_withheld else {}),
            "withheld": self.withheld,
            "band": to_plain_values(self.band),
            "failing_classes": self.failing_classes,
            "failing_rows": self.failing_rows,
            "judged_classes": self.judged_classes,
            "judged_rows": self.judged_rows,
            **({} if self.persons is None else {"failing_people": self.failing_people}),
            **({} if self.persons is None else {"judged_people": self.judged_people}),
            "worst": [score.to_dict() for score in self.worst],
            "figures": to_plain_values(self.figures),
        }


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Result(Displayed, FailingRows, ResultPart):
    """The result of a measure for a release.

    `value` is for the whole table, `parts` are for single attributes or limits. `holds` is the verdict, None without a
    limit. `worst` lists the worst classes, the deciding one first. `notes` say what was special about the data.
    """

    measure: Measure
    scope: Scope
    parts: Mapping[str, ResultPart] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    facts: Facts | None = None  # the measured facts; None after disclosure control, or if no release was measured
    bounds: tuple[Bound, ...] = ()  # of a privacy measure, the bounds that were compared with limits
    disclosure: Disclosure = Disclosure()  # what may be shown; everything before disclosure control
    recorded_steps: tuple[Step, ...] | None = None  # the steps after disclosure control; None: computed from the facts

    __eq__, __hash__ = object.__eq__, object.__hash__  # compared by identity

    @property
    def name(self) -> str:
        """The measure's name."""
        return self.measure.name

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values for JSON."""
        return {
            "measure": self.name,
            "family": self.measure.family,
            "parameters": self.measure.parameters(),
            **super().to_dict(),
            "parts": {name: part.to_dict() for name, part in self.parts.items()},
            "steps": [step.to_dict() for step in self.steps],
            "notes": [note.to_dict() for note in self.notes],
            "scope": self.scope.to_dict(),
        }

    @property
    def warnings(self) -> tuple[Note, ...]:
        """The notes that put the value in doubt, leading ones first; every output shows them beside it."""
        return tuple(sorted((note for note in self.notes if note.warning), key=lambda note: not note.leading))

    @property
    def told_below(self) -> tuple[Note, ...]:
        """The notes that every output shows below the answer, for example on few suppressed people."""
        return tuple(note for kind in KINDS_BELOW for note in self.notes if note.kind == kind)

    @property
    def measured(self) -> Facts:
        """The facts that were measured; an error for a result after disclosure control."""
        assert self.facts is not None  # noqa: S101
        return self.facts

    def _find_failing(self) -> tuple[Facts, Mask]:
        from PETWorks.measure.bounds import find_failing_classes

        if self.facts is None:
            hint = "call it on the result that Release.ask, Release.evaluate or Release.check returned"
            raise NotAskableError(
                "the rows are not known: this result is guarded, or no release was measured", hint=hint
            )
        if not self.bounds:
            hint = "measures that judge every class know the rows that fail"
            raise NotAskableError(f"{self.name} judges the table as a whole, and no single rows", hint=hint)
        return self.facts, find_failing_classes(self.bounds, self.facts)

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The steps that explain how the result was computed, as kinds and figures."""
        return tuple(self.measure.explain(self)) if self.recorded_steps is None else self.recorded_steps

    def explain(self, language: Language = "en") -> Explanation:
        """Explain step by step how the result was computed: print the explanation, or read its `steps`."""
        return Explanation(self, language)

    def guarded(self, least: int = THRESHOLD) -> Result:
        """Return the result without what discloses classes of fewer than `least` people."""
        shown: Result = presenter().disclose_result(self, least)
        return shown

    def text(self, language: Language = "en") -> str:
        """Write the result for people, in English (``en``) or 繁體中文 (``zh_TW``)."""
        return presenter().result_text(self, language)

    def in_language(self, language: Language) -> InLanguage:
        """Return the result as an object that is printed and displayed in a language."""
        return InLanguage(self, language)

    def __str__(self) -> str:
        """Write the result for people, in English."""
        return self.text()

    def __repr__(self) -> str:
        """Write the first line of the text."""
        return f"<{str(self).splitlines()[0]}>"


@dataclass(frozen=True, repr=False)
class Explanation(Displayed):
    """The steps of a result in a language: printed as text, displayed as HTML in a notebook."""

    result: Result
    language: Language = "en"

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps as kinds and figures."""
        return self.result.steps

    def to_dict(self) -> list[dict[str, Any]]:
        """Return the steps as plain values for JSON."""
        return [step.to_dict() for step in self.steps]

    def __str__(self) -> str:
        """Write the steps for people."""
        return presenter().explanation_text(self.result, self.language)

    __repr__ = __str__


@dataclass(frozen=True, repr=False)
class Account(Displayed):
    """The explanation of how a release was made: goals, utility and search; it names no value and no class."""

    head: Step
    results: tuple[Result, ...]  # of the goals and the utility measure
    remarks: tuple[Step, ...] = ()
    steps: tuple[Step, ...] = ()
    language: Language = "en"

    def __str__(self) -> str:
        """Write it for people."""
        return presenter().account_text(self, self.language)

    __repr__ = __str__
