"""The family of risk measures, and other measures that yield a few named figures."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar

from PETWorks.exact.limit import Limit, Number, Side
from PETWorks.facts.classes import Unit
from PETWorks.facts.facts import Facts
from PETWorks.facts.notes import Note, Scope
from PETWorks.measure.base import Measure, ReleasedRows, all_hold, build_verdict, name_parts
from PETWorks.measure.result import Result, ResultPart
from PETWorks.measure.steps import Step


@dataclass(frozen=True)
class Figure:
    """A named value, and the side of the limit where it must be, if a limit is set."""

    name: str
    value: Fraction | Decimal | float | None
    limit: Number | None = None
    side: Side | None = Side.AT_MOST  # None: neither high nor low values are better
    figures: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    holds: bool | None = None  # the verdict, where it is not that of comparing the value with the limit
    about_few: bool = False  # True: fewer people than the threshold could be worked out from it


class Figures(Measure):
    """Measures that yield named figures; the first is the value of the measure."""

    rows: ClassVar[ReleasedRows] = ReleasedRows.ANY
    unit: ClassVar[Unit] = Unit.ROWS
    _former_names: ClassVar[Mapping[str, str]] = {
        **Measure._former_names,  # noqa: SLF001 (of a base class)
        "worked": "explain_figures",
    }

    @abstractmethod
    def figures(self, facts: Facts) -> Iterator[Figure]:
        """Yield the figures; the first is the value of the measure."""

    def _compute(self, facts: Facts) -> Result:
        """Compute the result: its value is the first figure; it holds if all limits are kept."""
        return self.result(list(self.figures(facts)), facts.scope, facts)

    def explain(self, result: Result) -> Iterator[Step]:
        """Yield the steps of all figures, each followed by the verdict if the figure has a limit."""
        judged = {name: part for name, part in result.parts.items() if part.holds is not None} or {"": result}
        if result.withheld:
            judged = {}
        for step in self.explain_figures(result):
            part = step.kind if step.kind in judged else ""
            yield replace(step, part=part)
            if part:
                yield replace(build_verdict(judged.pop(part)), part=part)
        yield from map(build_verdict, judged.values())
        yield from self.conclude()

    def explain_figures(self, result: Result) -> Iterator[Step]:  # noqa: ARG002
        """Yield the steps of the figures; `explain` adds a verdict after a step whose kind is the name of a figure."""
        return iter(())

    def result(self, figures: list[Figure], scope: Scope, facts: Facts | None = None) -> Result:
        """Build a result from figures."""
        parts = name_parts((figure.name, _build_part(figure)) for figure in figures)
        head = next(iter(parts.values()))
        own = [note for figure in figures for note in figure.notes]
        common = (*facts.notes, *(facts.people_notes if self.unit is Unit.PEOPLE else ())) if facts else ()
        notes = sorted((*common, *own), key=lambda note: not note.leading)
        everything = {name: part.best_known for name, part in parts.items()}
        return Result(
            **vars(head) | {"holds": all_hold(parts.values()), "figures": everything | dict(head.figures)},
            measure=self,
            scope=scope,
            parts=parts,
            notes=tuple(notes),
            facts=facts,
        )


def _build_part(figure: Figure) -> ResultPart:
    exact = figure.value if isinstance(figure.value, Fraction) else None
    limit = None if figure.limit is None else Limit.of(figure.limit)
    holds = figure.holds if limit else None
    if holds is None and limit and figure.value is not None and figure.side:
        holds = figure.side.allows(limit.compare(Fraction(str(figure.value))))
    value = None if figure.value is None else float(figure.value)
    return ResultPart(
        value=value,
        exact=exact,
        side=figure.side or "",
        limit=limit,
        holds=holds,
        figures=figure.figures,
        about_few=figure.about_few,
    )


class Risk(Figures):
    """Measures of how likely people are to be re-identified."""

    family: ClassVar[str] = "risk"
    rows: ClassVar[ReleasedRows] = ReleasedRows.PEOPLE
    unit: ClassVar[Unit] = Unit.PEOPLE
    of_sizes: ClassVar[bool] = True
