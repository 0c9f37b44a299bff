"""The family of utility measures. They yield losses; the score is 1 - (amount lost ÷ amount that could be lost)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from operator import attrgetter
from typing import Any, ClassVar, NamedTuple

from PETWorks.exact.limit import Limit, Number, Side
from PETWorks.exact.sums import Bits, Roots
from PETWorks.facts.cells import Cells, LevelCodes
from PETWorks.facts.classes import Unit
from PETWorks.facts.facts import Facts
from PETWorks.facts.notes import Note
from PETWorks.measure.base import Measure, ReleasedRows, build_verdict, to_plain
from PETWorks.measure.parameter import number
from PETWorks.measure.result import Result, ResultPart
from PETWorks.measure.steps import Name, Step
from PETWorks.shown import Rounded
from PETWorks.tables.counting.tally import IntArray

Amount = Fraction | Bits | Roots
MOST_COLUMNS = 20  # the most columns that an explanation lists
AMOUNTS = ("lost", "possible")  # figures from which a score is computed


@dataclass(frozen=True)
class Loss:
    """The amount lost and the amount that could be lost, for one column (`part`) or for the whole table."""

    lost: Amount
    possible: Amount
    part: str = ""
    notes: tuple[Note, ...] = ()
    figures: Mapping[str, Any] = field(default_factory=dict)


class CellLosses(NamedTuple):
    """The losses of a column's cells, as integers: of a value at a level, and of suppressed rows."""

    by_level: IntArray  # a row for each level, a column for each value
    suppressed: int
    whole: int  # divide by it and by the number of rows to get the loss of a column


class CellFactors(NamedTuple):
    """The factors of a row's loss, as integers: for cells of a value at a level, and for those of suppressed rows."""

    by_level: IntArray  # a row for each level, a column for each value
    suppressed: int


class Utility(Measure):
    """Measures of how useful the data still is: 1 is the original, 0 is nothing left."""

    at_least: Number | None = number(default=None, limit=Side.AT_LEAST, least=0, most=1, kw_only=False)

    family: ClassVar[str] = "utility"
    rows: ClassVar[ReleasedRows] = ReleasedRows.RECODED
    unit: ClassVar[Unit] = Unit.ROWS
    _former_names: ClassVar[Mapping[str, str]] = {
        **Measure._former_names,  # noqa: SLF001 (of a base class)
        "worked": "explain_losses",
    }
    examples: ClassVar[tuple[Mapping[str, Any], ...]] = ({}, {"at_least": "1/2"})

    @abstractmethod
    def losses(self, facts: Facts) -> Iterator[Loss]:
        """Yield the losses: one for each column, or one for the whole table."""

    def cell_losses(self, ladder: LevelCodes) -> CellLosses | None:  # noqa: ARG002
        """Return the loss of each cell of a column, if losses are sums over cells; else None.

        A search for the best release uses it to exclude releases without evaluating them.
        """
        return None

    def column_loss(self, ladder: LevelCodes, level: int, published: IntArray, suppressed: IntArray) -> float | None:
        """Return the loss of a column released at a level, if losses are sums over columns; else None.

        `published` and `suppressed` are the numbers of rows of each value. Suppressing more must not lose less.
        """
        if (losses := self.cell_losses(ladder)) is None:
            return None
        lost = losses.by_level[level] @ published + losses.suppressed * suppressed.sum()
        return float(lost / (losses.whole * (published.sum() + suppressed.sum())))

    def cell_factors(self, ladder: LevelCodes) -> CellFactors | None:  # noqa: ARG002
        """Return the factors of a column, if losses are sums over rows of products over their cells; else None."""
        return None

    def row_losses(self, sizes: IntArray) -> IntArray | None:  # noqa: ARG002
        """Return the loss of a row by the size of its class, if losses are sums over rows of that; else None.

        The loss must not fall as classes grow. A suppressed row loses as much as a row of a class of all rows.
        """
        return None

    def _compute(self, facts: Facts) -> Result:
        """Compute the result: 1 - (amount lost ÷ amount that could be lost)."""
        losses = {loss.part: loss for loss in self.losses(facts)}
        columns = [loss for part, loss in losses.items() if part]
        whole = sum_losses(list(losses.values()))
        published = len(facts.classes) > 0
        score = _score(whole, undefined=Fraction(1 if published else 0), at_least=self.at_least)
        return Result(
            measure=self,
            **vars(score),
            scope=facts.scope,
            parts={loss.part: _score(loss) for loss in columns},
            notes=(*facts.notes, *whole.notes, *(note for loss in columns for note in loss.notes)),
            facts=facts,
        )

    def explain(self, result: Result) -> Iterator[Step]:
        """Yield the steps: the losses, 1 minus their share of what could be lost, comparison with the limit."""
        yield from self.explain_losses(result)
        lost, possible = (read_amount(result.figures[name]) for name in ("lost", "possible"))
        figures = {"lost": lost, "possible": possible, "value": result.best_known}
        if not possible:
            yield Step("nothing_to_lose", figures)
        else:
            share = lost / possible
            kind = "one_minus" if 0 <= share <= 1 else "one_minus_cut"
            yield Step(kind, figures | {"share": share, "title": self.name})
        yield build_verdict(result)
        yield from self.conclude()

    def evenly_lost(self, cells: Cells) -> bool:  # noqa: ARG002
        """Return True if all published cells of a column lose the same: its score discloses no single value."""
        return False

    def withhold(self, result: Result) -> Result:
        """Round the scores of columns that depend on how often values occur, where counts are withheld.

        If cells are on different levels, the score is withheld: it would disclose how many are on each.
        """
        if result.disclosure.shows_counts:
            return result
        cells = {one.name: one for one in result.measured.cells} if self.of_levels else {}

        def withhold_part(name: str, part: ResultPart) -> ResultPart:
            if name not in cells:
                return _round(part)
            if not cells[name].on_one_level:
                return withhold_score(part)
            return part if self.evenly_lost(cells[name]) else _round(part)

        return replace(result, parts={name: withhold_part(name, part) for name, part in result.parts.items()})

    def explain_losses(self, result: Result) -> Iterator[Step]:
        """Yield the loss of each column, if the measure has losses by column."""
        if result.parts:
            yield Step(
                "by_column", {"columns": len(result.parts)}, tuple(map(build_column_step, find_costliest(result)))
            )


def find_costliest(result: Result, most: int = MOST_COLUMNS) -> list[tuple[str, ResultPart]]:
    """Return at most `most` columns, the one that lost most first; without columns that have nothing to lose."""
    parts = [(name, part) for name, part in result.parts.items() if part.value is not None]
    return sorted(parts, key=lambda one: one[1].value or 0)[:most]


def build_scale_step(value: Fraction | int, least: Fraction | int, most: Fraction | int) -> Step:
    """Build the step that places a value on a scale from `least` to `most`."""
    scale = {"value": value, "least": least, "most": most}
    return Step("placed", scale | {"lost": value - least, "possible": most - least})


def build_column_step(named: tuple[str, ResultPart]) -> Step:
    """Build the step with the loss of a column."""
    name, part = named
    if "lost" not in part.figures:
        return Step("column_score", {"column": Name(name), "value": part.value})
    lost, possible = (read_amount(part.figures[figure]) for figure in ("lost", "possible"))
    return Step("column_loss", {"column": Name(name), "lost": lost, "possible": possible, "value": part.best_known})


def _round(part: ResultPart) -> ResultPart:
    value = None if part.value is None else Rounded(part.value)
    figures = {name: Rounded(float(one)) for name, one in part.figures.items() if name not in AMOUNTS}
    return replace(part, value=value, exact=None, figures=figures)


def withhold_score(part: ResultPart) -> ResultPart:
    """Withhold the score of a column."""
    return replace(part, value=None, exact=None, figures={}, withheld=True)


def read_amount(plain: float | str) -> Fraction | float:
    """Read an amount from a result's figures: a fraction, unless it is a float."""
    return plain if isinstance(plain, float) else Fraction(plain)


def _score(loss: Loss, undefined: Fraction | None = None, at_least: Number | None = None) -> ResultPart:
    """Convert a loss to a score from 0 to 1; `undefined` is the score if nothing could be lost."""
    limit = None if at_least is None else Limit.of(at_least)
    value, exact, holds = None if undefined is None else float(undefined), undefined, None
    if loss.possible:
        share: Any = min(max(loss.lost / loss.possible, 0), 1)  # type: ignore[operator]  # both are of one kind
        value, exact = 1.0 - float(share), Fraction(1 - share) if isinstance(share, Fraction | int) else None
        if limit and limit.written in (value, float(1 - share)):
            holds = True  # a float limit equal to the shown value is kept, even if the exact value is slightly less
    if limit and not holds:
        holds = _meets_limit(limit, exact, loss)
    figures = {**loss.figures, "lost": to_plain(loss.lost), "possible": to_plain(loss.possible)}
    return ResultPart(value=value, exact=exact, side=Side.AT_LEAST, limit=limit, holds=holds, figures=figures)


def _meets_limit(limit: Limit, exact: Fraction | None, loss: Loss) -> bool:
    """Return True if a score is at least its limit; without an exact score, compare the loss with the allowed loss."""
    if exact is not None:
        return Side.AT_LEAST.allows(limit.compare(exact))
    allowed = 1 - limit.exact
    spare: Any = loss.possible * allowed.numerator - loss.lost * allowed.denominator  # type: ignore[operator]
    return bool(spare.sign() >= 0)


def sum_losses(losses: list[Loss]) -> Loss:
    """Return the loss of the whole table: the one that has no column, or else the sum over the columns."""
    if whole := [loss for loss in losses if not loss.part]:
        return whole[0]
    lost, possible = ([amount(loss) for loss in losses] for amount in (attrgetter("lost"), attrgetter("possible")))
    return Loss(sum(lost[1:], start=lost[0]), sum(possible[1:], start=possible[0]))
