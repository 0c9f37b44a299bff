"""The shape of a measure: frozen parameters in, a result out.

A measure is a frozen dataclass; its fields are its parameters. It belongs to one of three families, and the family
turns what it yields into a result, once for all measures:

- privacy yields *bounds*: a score for every class, and the side of a limit on which all of them must be;
- utility yields *losses*: how much was lost of how much could be, for each column or overall;
- risk yields *figures*: named values.

A measure sees `Facts` and nothing else: no rows, no files, no engine.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields
from enum import StrEnum
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

import numpy as np

from PETWorks.bits import Bits
from PETWorks.bound import Bound, Side
from PETWorks.facts import Facts
from PETWorks.limit import Limit, Number
from PETWorks.parameter import number
from PETWorks.result import ClassScore, Note, Part, Result

WORST = 10  # classes that a result names


class Need(StrEnum):
    """What a measure cannot do without."""

    ORIGINAL = "original"
    SENSITIVE = "sensitive"


class Words(NamedTuple):
    """A measure's own words in one language: its title, and a sentence that reads its result out."""

    title: str
    sentence: str


@dataclass(frozen=True, kw_only=True)
class Measure(ABC):
    """A question that can be asked of a release."""

    name: ClassVar[str]
    family: ClassVar[str]
    needs: ClassVar[frozenset[Need]] = frozenset()
    pairs: ClassVar[bool] = False  # looks at released cells beside their originals, where there is an original
    scales: ClassVar[bool] = False  # changes when every row is written twice
    words: ClassVar[Mapping[str, Words]]

    def __post_init__(self) -> None:
        """Check the parameters."""
        for one in fields(self):
            if parameter := one.metadata.get("parameter"):
                object.__setattr__(self, one.name, parameter.read(getattr(self, one.name), one.name))

    @classmethod
    def required(cls) -> list[str]:
        """Name the parameters that must be given."""
        return [one.name for one in fields(cls) if one.default is MISSING and one.default_factory is MISSING]

    def parameters(self) -> dict[str, Any]:
        """Give the parameters as plain values, from which an equal measure can be made."""
        return {one.name: _plain(getattr(self, one.name)) for one in fields(self)}

    @abstractmethod
    def evaluate(self, facts: Facts) -> Result:
        """Answer for a release."""


@dataclass(frozen=True, kw_only=True)
class Privacy(Measure):
    """How well people are hidden: bounds on every class."""

    family: ClassVar[str] = "privacy"

    @abstractmethod
    def bounds(self, facts: Facts) -> Iterator[Bound]:
        """Give the bounds that must hold. The first says which side the value of the measure comes from."""

    def evaluate(self, facts: Facts) -> Result:
        """Take the worst score as value; the verdict is that all bounds hold."""
        bounds = list(self.bounds(facts))
        parts = {bound.part: _judged(bound, facts) for bound in bounds}
        leading = [bound for bound in bounds if bound.side is bounds[0].side]
        worst = max if bounds[0].side.high_is_bad else min
        head = worst((parts[bound.part] for bound in leading), key=lambda part: part.exact or 0)
        verdicts = [part.holds for part in parts.values() if part.holds is not None]
        failing = np.any([bound.fails() for bound in bounds], axis=0)
        notes = [note for bound in bounds for note in bound.notes]
        if not len(facts.classes):
            notes.append(Note("nothing_published"))
        return Result(
            measure=self,
            value=head.value,
            exact=head.exact,
            side=head.side,
            limit=head.limit,
            holds=all(verdicts) if verdicts else None,
            failing_classes=int(failing.sum()),
            failing_rows=int(facts.classes.sizes[failing].sum()),
            worst=head.worst,
            figures=head.figures,
            scope=facts.scope,
            parts=parts,
            notes=(*facts.notes, *notes),
        )


def _judged(bound: Bound, facts: Facts) -> Part:
    """Turn a bound into the worst score, the verdict, and the classes that decide."""
    worst, failing, sizes = bound.worst(), bound.fails(), facts.classes.sizes
    badness = bound.scores() if bound.side.high_is_bad else -bound.scores()
    order = np.lexsort((-sizes, -badness))[:WORST]
    return Part(
        value=None if worst is None else float(worst),
        exact=worst,
        side=bound.side,
        limit=None if bound.limit is None else Limit.of(bound.limit),
        holds=None if bound.limit is None else not failing.any(),
        failing_classes=int(failing.sum()),
        failing_rows=int(sizes[failing].sum()),
        worst=tuple(
            ClassScore(facts.classes.values(i), int(sizes[i]), float(bound.exact(i)), bound.exact(i)) for i in order
        ),
        figures=bound.figures,
    )


@dataclass(frozen=True)
class Loss:
    """How much was lost of how much could be lost, of one column (`part`) or of the whole table."""

    lost: Fraction | Bits
    possible: Fraction | Bits
    part: str = ""
    notes: tuple[Note, ...] = ()
    figures: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Utility(Measure):
    """How much the data is still worth: 1 is the original, 0 is nothing left."""

    at_least: Number | None = number(least=0, most=1)

    family: ClassVar[str] = "utility"

    @abstractmethod
    def losses(self, facts: Facts) -> Iterator[Loss]:
        """Give the losses: one for each column, or one for the whole table."""

    def evaluate(self, facts: Facts) -> Result:
        """Subtract from 1 the share of what could be lost that was lost."""
        losses = list(self.losses(facts))
        if losses[0].part:
            whole = Loss(_sum([loss.lost for loss in losses]), _sum([loss.possible for loss in losses]))
        else:
            whole = losses.pop()
        published = len(facts.classes) > 0
        score = _scored(whole, undefined=Fraction(1 if published else 0), at_least=self.at_least)
        return Result(
            measure=self,
            **vars(score),
            scope=facts.scope,
            parts={loss.part: _scored(loss) for loss in losses},
            notes=(*facts.notes, *whole.notes, *(note for loss in losses for note in loss.notes)),
        )


def _scored(loss: Loss, undefined: Fraction | None = None, at_least: Number | None = None) -> Part:
    """Turn a loss into a score from 0 to 1; `undefined` is the score where nothing could be lost."""
    limit = None if at_least is None else Limit.of(at_least)
    exact, holds = undefined, None
    value = None if undefined is None else float(undefined)
    if isinstance(loss.lost, Bits) and isinstance(loss.possible, Bits) and loss.possible:
        exact = None
        value = 1.0 - min(max(loss.lost / loss.possible, 0.0), 1.0)
        if limit:
            rest = loss.possible * (1 - limit.exact) - loss.lost
            holds = value == limit.written or rest.sign() >= 0
    elif isinstance(loss.lost, Fraction) and isinstance(loss.possible, Fraction) and loss.possible:
        share = min(max(loss.lost / loss.possible, Fraction(0)), Fraction(1))
        exact, value = 1 - share, 1.0 - float(share)
    if limit and exact is not None:
        holds = limit.at_least(exact)
    figures = {**loss.figures, "lost": _plain(loss.lost), "possible": _plain(loss.possible)}
    return Part(value=value, exact=exact, side=Side.AT_LEAST, limit=limit, holds=holds, figures=figures)


def _sum(terms: list[Any]) -> Any:  # noqa: ANN401 (all fractions, or all bits)
    return sum(terms[1:], start=terms[0])


def _plain(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, Limit):
        return value.written if value.written is not None else _plain(value.exact)
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else str(value)
    return float(value) if isinstance(value, Bits) else value


@dataclass(frozen=True, kw_only=True)
class Risk(Measure):
    """How likely people are to be found: named figures."""

    family: ClassVar[str] = "risk"
