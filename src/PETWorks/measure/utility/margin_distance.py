"""Margin distance: how far the shares of values, alone and in pairs of columns, differ from those of the original.

Definition
    For each set of columns (by default each pair), the share of released rows with each combination of values is
    compared with the share of the original. Columns of numbers are cut into ten bins first, unless they have bins or
    a level. The value is that of the worst set. The ratio to chance says how the difference compares with that of
    rows drawn from the original's own combinations.

Formula
    ½ Σ |s/m - o/n| over combinations; ratio: (1/N) Σ (o + s)(s/(o + s) - c)² ÷ ((k - 1)(1 - c)²c/N), c = m/N,
    N = n + m, k combinations

Example
    Sex and zip are each as in the original, but not together.

    >>> from PETWorks import Release
    >>> people = {"sex": ["F", "F", "M", "M"], "zip": ["a", "a", "b", "b"]}
    >>> release = Release({"sex": ["F", "F", "M", "M"], "zip": ["a", "b", "a", "b"]}, original=people, synthetic=True)
    >>> print(release.ask(MarginDistance(ways=1)).exact, release.ask(MarginDistance()).exact)
    0 1/2

Reading
    0: the same shares; 1: nothing in common. A ratio of about 1: as if drawn from the original; 1/(1 - c): as other
    people would be; far below 1: rows were copied, which is a warning and no merit.

Reference
    J. Snoke, G. M. Raab, B. Nowok, C. Dibben, A. Slavković, "General and specific utility measures for synthetic data",
    Journal of the Royal Statistical Society A 181(3), 2018, doi:10.1111/rssa.12358.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import ClassVar, NamedTuple

import numpy as np

from PETWorks.facts.pool import Pool
from PETWorks.measure.original_people import COARSER, PoolFigures
from PETWorks.measure.plugin import (
    LISTED,
    Facts,
    Figure,
    Limit,
    Name,
    Note,
    Number,
    Page,
    Result,
    Side,
    Step,
    Words,
    columns,
    number,
    parse_number,
    sum_by_group,
)

BINS = 10  # of a column of numbers for which nothing else is said
COPIED = Fraction(1, 10)  # below this mean ratio rows are nearer to the original's than rows drawn from it


class MarginDistance(PoolFigures):
    """Largest distance between the shares of values, or of pairs of values, in release and original."""

    max_distance: Number | None = number(default=None, limit=Side.AT_MOST, least=0, most=1, kw_only=False)
    ways: Number = number(default=2, least=1, whole=True)
    columns: Sequence[str] | None = columns(default=None)

    name: ClassVar[str] = "margin distance"
    family: ClassVar[str] = "utility"
    examples: ClassVar = ({"max_distance": "0.9"}, {"ways": 1})
    fixed_parts: ClassVar = ("distance", "mean", "ratio", "mean ratio")
    words: ClassVar = {
        "en": Words(
            "margin distance",
            "The shares of values of {worst} differ most from the original's: by {percent}.",
            "largest distance",
            {
                "sets": "{sets:set|sets} of {ways:column|columns} compared; those that differ most, with the ratio to"
                " chance:",
                "set": "{columns}: {score}, ratio {ratio}",
                "set without ratio": "{columns}: {score}",
                "distance": "The largest is {score}.",
                "mean": "The mean over all sets is {score}, the mean ratio {ratio}; 1 is as if drawn from the"
                " original's own combinations.",
                "mean without ratio": "The mean over all sets is {score}.",
                "untold": "sets of more columns may differ more, and sums may differ where shares do not.",
                "improve": "let the model learn the columns of the worst set together.",
            },
            parts={"distance": "largest", "mean": "mean", "ratio": "largest ratio", "mean ratio": "mean ratio"},
            notes={
                "ten_bins": "Columns of numbers were cut into {bins} bins: {columns}.",
                "copied_rows": "The shares are nearer to the original's than those of rows drawn from it would be:"
                " rows seem to be copied, which is no merit.",
            },
            parameters={
                "max_distance": "the largest distance",
                "ways": "how many columns a set has",
                "columns": "the columns that are compared; otherwise all but identifiers",
                **COARSER["en"],
            },
        ),
        "zh_TW": Words(
            "邊際分布距離",
            "{worst} 的值，其占比與原始資料相差最多：{percent}。",
            "最大距離",
            {
                "sets": "比較 {sets} 組欄位，每組 {ways} 個；相差最多者，以及與隨機之比：",
                "set": "{columns}：{score}，比值 {ratio}",
                "set without ratio": "{columns}：{score}",
                "distance": "最大為 {score}。",
                "mean": "各組平均 {score}，平均比值 {ratio}；1 表示如同由原始資料的組合抽出。",
                "mean without ratio": "各組平均 {score}。",
                "untold": "更多欄位的組合可能相差更多；占比相同時，總和仍可能不同。",
                "improve": "讓模型一併學習相差最多的那組欄位。",
            },
            parts={"distance": "最大", "mean": "平均", "ratio": "最大比值", "mean ratio": "平均比值"},
            notes={
                "ten_bins": "數值欄位已分為 {bins} 組：{columns}。",
                "copied_rows": "占比比由原始資料抽出的資料列更接近原始資料：資料列似為複製，這不是優點。",
            },
            parameters={
                "max_distance": "距離上限",
                "ways": "每組的欄位數",
                "columns": "比較的欄位；否則為識別屬性以外的所有欄位",
                **COARSER["zh_TW"],
            },
            page=Page(
                summary="各值在單一欄位與成對欄位中的占比，與原始資料相差多少。",
                definition="對每組欄位（預設為每一對），比較各值組合在發布資料列與原始資料中的占比。"
                "數值欄位若未指定分組或層級，先分為十組。取相差最多的一組。"
                "與隨機之比，說明此差異相較於由原始資料的組合抽出的資料列如何。",
                formula="對各組合求 ½ Σ |s/m - o/n|；比值："
                "(1/N) Σ (o + s)(s/(o + s) - c)² ÷ ((k - 1)(1 - c)²c/N)，c = m/N，N = n + m，k 為組合數",
                example="性別與郵遞區號各自與原始資料相同，合在一起則不同。",
                reading="0：占比相同；1：毫無相同。比值約為 1：如同由原始資料抽出；1/(1 - c)：如同其他人；"
                "遠小於 1：資料列為複製，是警訊而非優點。",
            ),
        ),
    }

    def figures(self, facts: Facts) -> Iterator[Figure]:
        """Yield the largest and the mean distance, and the largest and the mean ratio to chance."""
        sets, binned = self.compare(facts)
        worst = max(sets, key=lambda one: one.distance)
        ratios = [one.ratio for one in sets if one.ratio is not None]
        notes = list(self.list_notes(facts))
        if binned:
            notes.append(Note("ten_bins", {"bins": BINS, "columns": tuple(map(Name, binned))}))
        if ratios and sum(ratios, Fraction(0)) / len(ratios) < COPIED:
            notes.append(Note("copied_rows", warning=True))
        named = {"worst": Name(" + ".join(worst.columns)), "sets": len(sets), "ways": len(worst.columns)}
        yield Figure("distance", worst.distance, self.max_distance, figures=named, notes=tuple(notes))
        yield Figure("mean", sum((one.distance for one in sets), Fraction(0)) / len(sets))
        yield Figure("ratio", max(ratios, default=None), side=None)
        yield Figure("mean ratio", sum(ratios, Fraction(0)) / len(ratios) if ratios else None, side=None)

    def compare(self, facts: Facts) -> tuple[list[MarginDifference], tuple[str, ...]]:
        """Return the margin of each set of columns, and the columns of numbers that were cut into bins."""
        return facts.cache(("margins", self), lambda: self._compare(facts))

    def _compare(self, facts: Facts) -> tuple[list[MarginDifference], tuple[str, ...]]:
        names = tuple(self.columns or facts.comparable)
        levels, bins = self.coarser
        plain = facts.find_pool(names)
        binned = tuple(name for name in names if name not in {**levels, **bins} and _has_only_numbers(plain, name))
        pool = facts.find_pool(names, levels, {**dict.fromkeys(binned, BINS), **bins})
        ways = min(int(Limit.of(self.ways).exact), len(names))
        return [measure_margin(pool, some) for some in combinations(names, ways)], binned

    def explain_figures(self, result: Result) -> Iterator[Step]:
        """Yield the sets that differ most."""
        sets, _ = self.compare(result.measured)
        first = sorted(sets, key=lambda one: (-one.distance, one.columns))[:LISTED]
        yield Step("sets", {name: result.figures[name] for name in ("sets", "ways")}, tuple(map(_build_line, first)))
        yield Step("distance", {"score": result.exact})
        mean, ratio = result.parts["mean"].best_known, result.parts["mean ratio"].value
        kind = "mean" if ratio is not None else "mean without ratio"
        yield Step(kind, {"score": mean} | ({} if ratio is None else {"ratio": ratio}))


class MarginDifference(NamedTuple):
    """How the shares of combinations of some columns differ."""

    columns: tuple[str, ...]
    distance: Fraction
    ratio: Fraction | None  # to chance; None: there is only one combination


def measure_margin(pool: Pool, names: Sequence[str]) -> MarginDifference:
    """Compare the shares of the combinations of some columns."""
    s, o = pool.count_combinations(names)
    occurs = (s + o) > 0
    s, o = s[occurs], o[occurs]
    m, n = int(s.sum()), int(o.sum())
    distance = Fraction(int(np.abs(s * n - o * m).sum()), 2 * m * n)
    if len(s) == 1:
        return MarginDifference(tuple(names), distance, None)
    whole, ids = np.unique(s + o, return_inverse=True)  # (sn - om)² is summed by s + o, in integers of any size
    squares = [sum_by_group(ids, one, len(whole)).tolist() for one in (s * s, s * o, o * o)]
    sums = zip(whole.tolist(), *squares, strict=True)
    error = sum((Fraction(n * n * ss - 2 * n * m * so + m * m * oo, t) for t, ss, so, oo in sums), Fraction(0))
    everybody = n + m
    expected = Fraction((len(s) - 1) * n * n * m, everybody**4)
    return MarginDifference(tuple(names), distance, error / everybody**3 / expected)


def _has_only_numbers(pool: Pool, name: str) -> bool:
    values = [value for value in pool.columns[name].values if value not in (None, pool.marker)]
    return bool(values) and all(parse_number(value) is not None for value in values)


def _build_line(one: MarginDifference) -> Step:
    figures = {"columns": Name(" + ".join(one.columns)), "score": one.distance}
    if one.ratio is None:
        return Step("set without ratio", figures)
    return Step("set", figures | {"ratio": float(one.ratio)})
