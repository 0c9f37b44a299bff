"""Squared error: how far released numbers are from the original ones, at worst.

Definition
    A released cell of a numeric column is an interval: a number is itself; a generalised value reaches from the least
    to the greatest leaf below it (without a hierarchy, over the original values released as that text); a suppressed
    cell reaches over the whole column. Its error is the squared distance from the original number to the farther end of
    the interval, compared with that to the farther end of the column. By record, the errors of all columns count in
    units of their variance.

Formula
    by column 1 - Σ e / Σ w, e = max((x - lo)², (x - hi)²), w = max((x - a)², (x - b)²), a and b the column's ends; by
    record 1 - Σ √(Σ e/σ²) / Σ √(Σ w/σ²), the inner sums over columns

Example
    Ages released as a band of ten: 32 is at most 7 from 39, and 18 from the farther end of the column.

    >>> from PETWorks import Release
    >>> ages = [(str(age), f"{age // 10}0-{age // 10}9", "*") for age in range(20, 60)]
    >>> release = Release({"age": ["30-39", "50"]}, original={"age": ["32", "50"]}, hierarchies={"age": ages})
    >>> result = release.ask(SquaredError())
    >>> part = result.parts["age"]
    >>> print(part.figures["mean_squared_error"], part.exact, round(result.value, 4))
    49/2 599/648 0.8056

Reading
    1: every number is known exactly. 0: nothing is known but the range. The value is that by record: a quotient of sums
    of square roots, which is compared with a limit exactly, though it is rarely a fraction. It takes the worst that an
    interval allows, not what is likely.

Reference
    J. Domingo-Ferrer, J. M. Mateo-Sanz, "Practical Data-Oriented Microaggregation for Statistical Disclosure Control",
    IEEE Transactions on Knowledge and Data Engineering 14(1), 2002, doi:10.1109/69.979982.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import ClassVar

import numpy as np

from PETWorks.exact.limit import parse_number
from PETWorks.exact.sums import Roots
from PETWorks.facts.cells import Cells
from PETWorks.measure.plugin import (
    Facts,
    Loss,
    Need,
    NotAskableError,
    Page,
    Result,
    Step,
    Utility,
    Words,
    build_column_step,
    find_costliest,
)
from PETWorks.tables.counting.tally import IntArray


@dataclass(frozen=True, eq=False)
class Errors:
    """The errors of a column's cells, by kind: cells with the same original, released value and suppression."""

    error: IntArray  # for each kind, the largest distance from the original to the released interval's ends, scaled
    most: IntArray  # for each kind, the error if the cell were suppressed, scaled
    rows: IntArray  # for each kind, the number of cells
    kinds: IntArray  # for each entry of the joint tally, its kind
    scale: int  # factor that makes all numbers of the column integers
    variance: Fraction  # of the original column

    def total(self, errors: IntArray, power: int) -> Fraction:
        """Return the sum, over all cells, of the errors raised to a power."""
        return Fraction(int((errors**power * self.rows).sum()), self.scale**power)


def sum_errors(columns: Sequence[Errors], rows: IntArray) -> tuple[Roots, Roots]:
    """Add up the errors of all records: as released, and if everything were suppressed.

    The error of a record is the root of its squared errors, each divided by the variance of its column. `rows` has the
    number of records of each entry of the joint tally.
    """
    variances = [one.variance * one.scale**2 for one in columns]
    shared = lcm(*(variance.numerator for variance in variances))
    weights = [int(shared / variance) for variance in variances]
    common = gcd(*weights)

    def total(errors: list[IntArray]) -> Roots:
        pairs = zip(columns, errors, weights, strict=True)
        squared: IntArray = np.sum(
            [(one**2 * (weight // common))[column.kinds] for column, one, weight in pairs], axis=0
        )
        return Roots.of(squared.tolist(), rows.tolist(), Fraction(shared, common))

    return total([one.error for one in columns]), total([one.most for one in columns])


def find_errors(facts: Facts, cells: Cells) -> Errors | None:
    """Return the errors of a column; None if not every value of the original is a number."""
    originals = [parse_number(value) for value in cells.original.values] if cells.original else [None]
    points = [parse_number(value) for value in cells.released.values]
    exact = [Fraction(number) for number in originals if number is not None]
    if cells.original is None or len(exact) < len(originals):
        return None
    others = [number for number in (*points, *map(parse_number, cells.hierarchy.leaves)) if number is not None]
    scale = lcm(*(number.denominator for number in exact), *(Fraction(number).denominator for number in others))
    numbers = np.array([int(number * scale) for number in exact], dtype=object)
    least, greatest = numbers.min(), numbers.max()
    scaled = [None if point is None else int(Fraction(point) * scale) for point in points]
    intervals = _find_intervals(facts, cells, numbers, scaled, scale)

    hidden = (cells.suppressed | cells.marked).tolist()
    kinds = zip(cells.released.codes.tolist(), cells.levels.tolist(), hidden, strict=True)
    found = [(least, greatest) if is_hidden else intervals[value, level] for value, level, is_hidden in kinds]
    low, high = (np.array(ends, dtype=object).clip(least, greatest) for ends in zip(*found, strict=True))
    number, rows = numbers[cells.original.codes], cells.counts.astype(object)
    mean = Fraction(int((number * rows).sum()), int(rows.sum()))
    variance = Fraction(int((number**2 * rows).sum()), int(rows.sum())) - mean**2
    return Errors(
        error=np.maximum(abs(number - low), abs(number - high)),
        most=np.maximum(number - least, greatest - number),
        rows=rows,
        kinds=cells.of_entry,
        scale=scale,
        variance=variance / scale**2,
    )


def _find_intervals(
    facts: Facts, cells: Cells, numbers: IntArray, points: list[int | None], scale: int
) -> dict[tuple[int, int], tuple[int, int]]:
    """Return the interval of each released value, for each level at which it is released."""
    no_point = np.array([point is None for point in points])[cells.released.codes]
    known = cells.name in facts.hierarchies
    if known:
        facts.columns.refuse_unknown(cells, cells.unknown & no_point)
        leaves = {
            leaf: int(Fraction(number) * scale)
            for leaf in cells.hierarchy.leaves
            if (number := parse_number(leaf)) is not None
        }
    else:
        released_as = _find_ranges(cells, numbers)
    whole = (numbers.min(), numbers.max())
    found = {}
    for code, level in set(zip(cells.released.codes.tolist(), cells.levels.tolist(), strict=True)):
        if (point := points[code]) is not None:
            found[code, level] = (point, point)
        elif known:
            below = [
                leaves[leaf] for leaf in cells.hierarchy.under(cells.released.values[code], level) if leaf in leaves
            ]
            found[code, level] = (min(below), max(below)) if below else whole
        else:
            found[code, level] = released_as[code]
    return found


def _find_ranges(cells: Cells, numbers: IntArray) -> dict[int, tuple[int, int]]:
    """Return the smallest and the largest original number of each released value."""
    assert cells.original is not None  # noqa: S101
    order = np.argsort(cells.released.codes, kind="stable")
    codes, starts = np.unique(cells.released.codes[order], return_index=True)
    originals = numbers[cells.original.codes][order]
    ends = (np.minimum.reduceat(originals, starts), np.maximum.reduceat(originals, starts))
    return dict(zip(codes.tolist(), zip(*(end.tolist() for end in ends), strict=True), strict=True))


class SquaredError(Utility):
    """1 minus the squared error as a share of the largest possible squared error."""

    name: ClassVar[str] = "squared error"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.ORIGINAL})
    pairs: ClassVar[bool] = True
    words: ClassVar = {
        "en": Words(
            "squared error",
            "Of what could become uncertain about the numbers, {percent} is still certain, record by record.",
            "accuracy left",
            {
                "columns": "A released cell is an interval; its error is the distance from the original number to the"
                " farther end, compared with that to the farther end of the whole column. Squared errors by column, out"
                " of {columns:column|columns} of numbers:",
                "column": "{column}: {lost} of at most {possible}, {value} is left; on average {mean}",
                "one_column": "Record by record: with one column that varies, the error of a record is the distance"
                " itself.",
                "many_columns": "Record by record: the squared errors of its columns, in units of their variance, are"
                " added up, and the root is taken. The roots of all records are added up.",
                "untold": "it takes the worst that an interval allows, not what is likely; and it looks at columns of"
                " numbers only.",
                "improve": "release the columns with the largest errors in narrower intervals, or suppress fewer rows.",
            },
        ),
        "zh_TW": Words(
            "平方誤差",
            "逐筆計算，從僅知全距到得知每個數值之間，保留了 {percent}。",
            "保留的準確程度",
            {
                "columns": "發布的儲存格為一區間；誤差為原始數值至區間較遠端的距離，與至整欄較遠端的距離比較。"
                "{columns} 個數值欄位的平方誤差：",
                "column": "{column}：{lost}，至多 {possible}，保留 {value}；平均 {mean}",
                "one_column": "逐筆計算：僅一個欄位有變化，每筆的誤差即為距離本身。",
                "many_columns": "逐筆計算：將各欄位的平方誤差除以其變異數後加總，再開平方根；最後將各筆加總。",
                "untold": "以區間內最壞的情況計，並非最可能的情況；且僅檢視數值欄位。",
                "improve": "縮小誤差最大欄位的區間，或減少遮蔽的資料列。",
            },
            page=Page(
                summary="發布的數字與原始的數字，最多可能相差多遠。",
                definition="數值欄位中，發布的儲存格視為一個區間：數字即為其本身；"
                "概化的值由其下最小的葉節點至最大的葉節點（沒有資料階層時，為發布為該文字的原始值之範圍）；"
                "遮蔽的儲存格為整個欄位的範圍。誤差為原始數字到區間較遠一端的距離平方，"
                "並與其到欄位較遠一端的距離平方相比。以資料列計時，各欄位的誤差以其變異數為單位。",
                formula="各欄位 1 - Σ e / Σ w，e = max((x - lo)², (x - hi)²)，w = max((x - a)², (x - b)²)，a、"
                "b 為欄位的兩端\n"
                "以資料列計 1 - Σ √(Σ e/σ²) / Σ √(Σ w/σ²)，內層對各欄位加總",
                example="年齡以十歲為一組發布：32 與 39 至多相差 7，與欄位較遠一端相差 18。",
                reading="1：每個數字都確知。0：除了範圍之外一無所知。數值以資料列計，"
                "為平方根總和之商；雖然很少是分數，與門檻比較時仍精確判定。取的是區間所容許的最差情形，而非較可能的情形。",
            ),
        ),
    }

    def losses(self, facts: Facts) -> Iterator[Loss]:
        """Yield the loss of each numeric column, its squared errors, and that of all records."""
        found = {name: find_errors(facts, facts.columns.build_cells(name)) for name in facts.roles.quasi_identifiers}
        columns = {name: errors for name, errors in found.items() if errors is not None}
        if not columns:
            raise NotAskableError(
                "this measure needs numbers, but no quasi-identifier of the original holds numbers only"
            )
        for name, one in columns.items():
            lost, possible = one.total(one.error, 2), one.total(one.most, 2)
            yield Loss(lost, possible, name, figures={"mean_squared_error": lost / facts.joint.rows})
        varying = [one for one in columns.values() if one.variance]
        if len(varying) == 1:  # the root of a single square is a plain distance
            yield Loss(varying[0].total(varying[0].error, 1), varying[0].total(varying[0].most, 1))
        elif varying:
            yield Loss(*sum_errors(varying, facts.joint.counts))
        else:
            yield Loss(Fraction(0), Fraction(0))

    def explain_losses(self, result: Result) -> Iterator[Step]:
        """Yield the squared errors of each column, and how the error of a record is computed from them."""
        columns = find_costliest(result)
        lines = [
            build_column_step(named)
            if not result.disclosure.shows_counts
            else Step("column", {**build_column_step(named).figures, "mean": named[1].figures["mean_squared_error"]})
            for named in columns
        ]
        yield Step("columns", {"columns": len(result.parts)}, tuple(lines))
        if columns:
            yield Step("one_column" if len(columns) == 1 else "many_columns")
