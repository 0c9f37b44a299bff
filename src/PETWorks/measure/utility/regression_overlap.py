"""Regression overlap: how far the confidence intervals of a regression on release and original overlap.

Definition
    Least squares of a formula, with a constant, on the released rows and on the original's. For each coefficient, the
    part of its interval of 95% that lies in the other table's interval, the mean of both tables. The least coefficient
    counts. Rows in which a column of the formula is missing or suppressed are left out.

Formula
    ½[(U - L)/(u - l) + (U - L)/(v - m)], not below 0; u, l and v, m are the ends of the two intervals, U, L those of
    what both share; an interval is coefficient ± 1.96 · its standard error. An interval without width overlaps as a
    whole or not at all. The formula ``income ~ 1`` has the constant only, which is the mean.

Example
    Noise keeps the slope, and makes it less certain.

    >>> from PETWorks import Release
    >>> people = {"age": ["20", "30", "40", "50"], "income": ["21", "29", "41", "49"]}
    >>> noisy = {"age": ["20", "30", "40", "50"], "income": ["22", "28", "42", "48"]}
    >>> release = Release(noisy, original=people, pairing="none")
    >>> print(release.ask(RegressionOverlap("income ~ age")).value)
    0.75

Reading
    1: the same intervals; 0: a coefficient that the release shows is none that the original allows. It speaks of this
    formula only.

Reference
    A. F. Karr, C. N. Kohnen, A. Oganian, J. P. Reiter, A. P. Sanil, "A Framework for Evaluating the Utility of Data
    Altered to Protect Confidentiality", The American Statistician 60(3), 2006, doi:10.1198/000313006X124640.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import lcm
from typing import ClassVar

import numpy as np

from PETWorks.errors import Quantity
from PETWorks.exact.sums import compute_digits
from PETWorks.measure.plugin import (
    THRESHOLD,
    Facts,
    Figure,
    Figures,
    Limit,
    Name,
    Need,
    NotAskableError,
    Note,
    Number,
    Page,
    Result,
    Side,
    Step,
    Words,
    formula,
    number,
    parse_formula,
    parse_number,
)
from PETWorks.tables.counting.tally import Tally, is_missing

Z = Fraction(196, 100)  # standard errors on either side of a coefficient
LARGEST = 2**62  # sums that may be larger are computed with integers of any size


class RegressionOverlap(Figures):
    """Overlap of the confidence intervals of a regression on release and original, of the least coefficient."""

    formula: str = formula()
    min_overlap: Number | None = number(default=None, limit=Side.AT_LEAST, least=0, most=1)

    name: ClassVar[str] = "regression overlap"
    family: ClassVar[str] = "utility"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.ORIGINAL})
    for_unpaired: ClassVar[bool] = True
    examples: ClassVar = ({"formula": "salary ~ 1", "min_overlap": "0.5"},)
    fixed_parts: ClassVar = ("overlap", "mean")
    words: ClassVar = {
        "en": Words(
            "regression overlap",
            "The confidence intervals of the regression overlap by {percent} at least.",
            "least overlap",
            {
                "overlap": "Least squares of {formula} on {released:released row|released rows} and on {rows} of the"
                " original; intervals are coefficient ± {z} standard errors. The least overlap is {score}.",
                "coefficient": "{column}: {score}",
                "constant": "constant: {score}",
                "mean": "The mean over all coefficients is {score}.",
                "untold": "it speaks of this formula; another regression may differ more or less.",
                "improve": "let the model that makes the release learn the columns of the formula together.",
            },
            parts={"overlap": "least overlap", "mean": "mean"},
            notes={
                "left_out": "Rows with missing or suppressed cells were left out: {released} of the release,"
                " {original} of the original.",
            },
            parameters={
                "formula": "the column that is explained, and those that explain it",
                "min_overlap": "the least overlap of the intervals of a coefficient",
            },
        ),
        "zh_TW": Words(
            "迴歸區間重疊",
            "迴歸係數的信賴區間，重疊至少 {percent}。",
            "最小重疊",
            {
                "overlap": "以最小平方法估計 {formula}：發布資料表 {released} 列，原始資料 {rows} 列；"
                "區間為係數 ± {z} 倍標準誤。最小的重疊為 {score}。",
                "coefficient": "{column}：{score}",
                "constant": "常數項：{score}",
                "mean": "各係數平均 {score}。",
                "untold": "僅就此公式而言，其他迴歸的差異可能更多或更少。",
                "improve": "讓產生資料的模型一併學習公式中的欄位。",
            },
            parts={"overlap": "最小重疊", "mean": "平均"},
            notes={
                "left_out": "未計入含空白值或已遮蔽儲存格的資料列：發布資料表 {released} 列，原始資料 {original} 列。",
            },
            parameters={
                "formula": "要解釋的欄位，以及用來解釋的欄位",
                "min_overlap": "係數信賴區間重疊的下限",
            },
            page=Page(
                summary="同一迴歸在發布資料表與原始資料上的信賴區間，重疊多少。",
                definition="以含常數項的最小平方法，分別在發布資料列與原始資料列上估計同一公式。"
                "對每個係數，計算各自的 95% 區間落在另一區間內的比例，取兩者的平均；以最小的係數為準。"
                "公式中的欄位若為空白值或已遮蔽，該列不計入。",
                formula="½[(U - L)/(u - l) + (U - L)/(v - m)]，不小於 0；"
                "u、l 與 v、m 為兩區間的兩端，U、L 為共有部分的兩端；"
                "區間為係數 ± 1.96 倍標準誤。寬度為 0 的區間，若非完全重疊，即完全不重疊。",
                example="雜訊保留了斜率，但使它較不確定。",
                reading="1：區間相同；0：發布資料表所示的係數，與原始資料不相容。僅就此公式而言。",
            ),
        ),
    }

    def figures(self, facts: Facts) -> Iterator[Figure]:
        """Yield the least overlap and the mean."""
        names = parse_formula(self.formula)
        limit = None if self.min_overlap is None else Limit.of(self.min_overlap).exact
        fits = self._fit(facts, names)
        overlaps = [fit_overlap(one, other, limit) for one, other in zip(*(fit.terms for fit in fits), strict=True)]
        least = min(overlaps)
        released, original = fits
        told = {
            "formula": Name(f"{names[0]} ~ {' + '.join(names[1:]) or '1'}"),
            "released": released.rows,
            "rows": original.rows,
            "z": Z,
            "overlaps": dict(zip(("", *names[1:]), map(float, overlaps), strict=True)),
        }
        missing = {"released": released.missing, "original": original.missing}
        notes = [Note("left_out", missing)] if any(missing.values()) else []
        yield Figure("overlap", least, self.min_overlap, Side.AT_LEAST, figures=told, notes=tuple(notes))
        yield Figure("mean", sum((Fraction(one) for one in overlaps), Fraction(0)) / len(overlaps), side=Side.AT_LEAST)

    def _fit(self, facts: Facts, names: Sequence[str]) -> tuple[Fit, Fit]:
        """Return the least squares of release and original; numbers of a column have the same scale in both."""
        tallies = {"the release": facts.tally_release(names), "the original": facts.tally_original(names)}
        numbers = {where: [_read(tally, name, facts.marker) for name in names] for where, tally in tallies.items()}
        scales = [
            lcm(*(one.denominator for columns in numbers.values() for one in columns[place] if one is not None))
            for place in range(len(names))
        ]
        first, second = (
            fit_least_squares(tally, names, numbers[where], scales, where) for where, tally in tallies.items()
        )
        return first, second

    def tells_of_few(self, result: Result) -> bool:
        """Return True if a table has fewer rows than may be described."""
        return any(result.figures.get(name, 0) < THRESHOLD for name in ("released", "rows"))

    def explain_figures(self, result: Result) -> Iterator[Step]:
        """Yield the overlap of each coefficient, and the mean."""
        told = {name: result.figures[name] for name in ("formula", "released", "rows", "z")}
        overlaps: Mapping[str, float] = result.figures["overlaps"]
        lines = (
            Step("coefficient", {"column": Name(name), "score": one}) if name else Step("constant", {"score": one})
            for name, one in overlaps.items()
        )
        yield Step("overlap", {**told, "score": result.best_known}, tuple(lines))
        yield Step("mean", {"score": result.parts["mean"].value})


@dataclass(frozen=True)
class Term:
    """A coefficient and its variance; both are those of columns as whole numbers."""

    coefficient: Fraction
    variance: Fraction


@dataclass(frozen=True)
class Fit:
    """Least squares of a table: the constant, and the coefficient of each column."""

    terms: Sequence[Term]
    rows: int
    missing: int  # rows that were left out


def fit_overlap(first: Term, second: Term, limit: Fraction | None = None) -> Fraction | Decimal:
    """Return how far the intervals of two coefficients overlap, with enough digits to compare it with a limit.

    >>> float(fit_overlap(Term(Fraction(0), Fraction(1)), Term(Fraction(1), Fraction(4))))
    0.75
    """
    shift = second.coefficient - first.coefficient
    if not (first.variance and second.variance):  # an interval without width is a point
        inside = shift**2 <= Z**2 * (first.variance + second.variance)
        points = 1 if first.variance == second.variance else Fraction(1, 2)
        return Fraction(points) if inside else Fraction(0)

    def compute() -> Decimal:
        reach = [_divide(Z) * _divide(one.variance).sqrt() for one in (first, second)]
        apart = _divide(shift)
        common = min(reach[0], apart + reach[1]) - max(-reach[0], apart - reach[1])
        return max(Decimal(0), sum((common / (2 * one) for one in reach), Decimal(0)) / 2)

    return compute_digits(compute, limit)


def _divide(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


def fit_least_squares(
    tally: Tally,
    names: Sequence[str],
    numbers: Sequence[Sequence[Fraction | None]],
    scales: Sequence[int],
    where: str,
) -> Fit:
    """Return the coefficients of the exact normal equations; an error if these have no single solution."""
    used = np.ones(len(tally.counts), dtype=bool)
    for name, known in zip(names, numbers, strict=True):
        used &= np.array([one is not None for one in known], dtype=bool)[tally.columns[name].codes]
    counts = tally.counts[used].astype(np.int64)
    rows = int(counts.sum())
    whole = [
        [0 if one is None else int(one * scale) for one in known] for known, scale in zip(numbers, scales, strict=True)
    ]
    largest = max((abs(one) for known in whole for one in known), default=0)
    kind = np.int64 if max(largest, 1) ** 2 * max(rows, 1) < LARGEST else object
    cells = [
        np.array(known, dtype=kind)[tally.columns[name].codes[used]] for name, known in zip(names, whole, strict=True)
    ]
    explained, columns = cells[0], [np.ones(len(counts), dtype=kind), *cells[1:]]
    weighted = [counts * one for one in columns]
    matrix = [[Fraction(int((one * other).sum())) for other in columns] for one in weighted]
    right = [Fraction(int((one * explained).sum())) for one in weighted]
    free = rows - len(columns)
    if free < 1:
        figures = {
            "rows": Quantity(rows, "row", "rows"),
            "where": where,
            "needed": Quantity(len(columns), "coefficient", "coefficients"),
        }
        problem = "{where} has {rows} for {needed}"
        raise NotAskableError(
            problem, hint="more rows than coefficients are needed: shorten the formula", figures=figures
        )
    inverse = invert(matrix)
    if inverse is None:
        problem = f"columns of the formula follow from each other in {where}"
        raise NotAskableError(problem, hint="leave one of them out of formula=, such as a column with one value")
    solved = [sum((a * b for a, b in zip(row, right, strict=True)), Fraction(0)) for row in inverse]
    squares = Fraction(int((counts * explained * explained).sum()))
    error = squares - sum((a * b for a, b in zip(solved, right, strict=True)), Fraction(0))
    terms = [Term(one, error / free * inverse[place][place]) for place, one in enumerate(solved)]
    return Fit(terms, rows, int(tally.rows) - rows)


def invert(matrix: Sequence[Sequence[Fraction]]) -> list[list[Fraction]] | None:
    """Return the inverse of a matrix of fractions; None if there is none.

    >>> invert([[Fraction(2), Fraction(0)], [Fraction(0), Fraction(4)]])
    [[Fraction(1, 2), Fraction(0, 1)], [Fraction(0, 1), Fraction(1, 4)]]
    """
    size = len(matrix)
    rows = [[*row, *(Fraction(place == own) for own in range(size))] for place, row in enumerate(matrix)]
    for place in range(size):
        pivot = next((one for one in range(place, size) if rows[one][place]), None)
        if pivot is None:
            return None
        rows[place], rows[pivot] = rows[pivot], rows[place]
        first = rows[place][place]
        rows[place] = [one / first for one in rows[place]]
        for other in range(size):
            if other != place and (factor := rows[other][place]):
                rows[other] = [one - factor * own for one, own in zip(rows[other], rows[place], strict=True)]
    return [row[size:] for row in rows]


def _read(tally: Tally, name: str, marker: str) -> list[Fraction | None]:
    """Return the numbers of a column, None for missing and suppressed cells; an error if another cell is no number."""
    values = [None if is_missing(value) or value == marker else value for value in tally.columns[name].values]
    found = [parse_number(value) for value in values]
    strange = sum(number is None and value is not None for number, value in zip(found, values, strict=True))
    if strange:
        figures = {"values_are": Quantity(strange, "value is", "values are"), "name": name}
        hint = "name columns of numbers in formula=; write categories as columns of 0 and 1"
        raise NotAskableError('{values_are} no number in "{name}"', hint=hint, figures=figures)
    return [None if one is None else Fraction(one) for one in found]
