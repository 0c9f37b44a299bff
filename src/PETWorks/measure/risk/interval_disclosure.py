"""Interval disclosure: how many original numbers lie between released numbers of nearly the same rank as their own.

Definition
    Somebody takes the released number of a row, and those whose rank differs by less than a share of the rows. The
    original number is disclosed if it lies between the least and the greatest of these.

Formula
    rows whose original value lies in the interval ÷ rows; the worst column counts

Example
    With one rank on either side, one of three ages lies in its interval.

    >>> from PETWorks import Release
    >>> people = {"age": ["20", "30", "70"]}
    >>> release = Release({"age": ["21", "33", "68"]}, original=people, pairing="position")
    >>> result = release.ask(IntervalDisclosure(ranks="2/3"))
    >>> print(result.exact, release.ask(IntervalDisclosure()).exact)
    1/3 0

Reading
    0: nobody's number lies so near. The share of ranks says how narrow the interval is.

Reference
    J. M. Mateo-Sanz, J. Domingo-Ferrer, F. Sebé, "Probabilistic Information Loss Measures in Confidentiality Protection
    of Continuous Microdata", Data Mining and Knowledge Discovery 11(2), 2005; D. Pagliuca, G. Seri, 1999.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import ClassVar

from PETWorks.measure.formulas.perturbed_numbers import count_within, find_number_columns, read_number_pairs
from PETWorks.measure.plugin import (
    THRESHOLD,
    Facts,
    Figure,
    Figures,
    Limit,
    Name,
    Need,
    Number,
    Page,
    ReleasedRows,
    Result,
    Side,
    Step,
    Words,
    columns,
    number,
)


class IntervalDisclosure(Figures):
    """Share of original numbers that lie between released numbers of nearly the same rank."""

    columns: Sequence[str] | None = columns(default=None)
    ranks: Number = number(default="0.01", above=0, most=1, percent=True)
    max_share: Number | None = number(default=None, limit=Side.AT_MOST, least=0, most=1)

    name: ClassVar[str] = "interval disclosure"
    family: ClassVar[str] = "risk"
    against: ClassVar[str] = "attribute"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.ORIGINAL})
    rows: ClassVar[ReleasedRows] = ReleasedRows.RECODED
    for_unpaired: ClassVar[bool] = True
    scales: ClassVar[bool] = True
    pairs: ClassVar[bool] = True
    examples: ClassVar = ({"columns": ["salary"], "max_share": "0.9"},)
    fixed_parts: ClassVar = ("worst", "mean")
    words: ClassVar = {
        "en": Words(
            "interval disclosure",
            "Of {worst}, {percent} of the original numbers lie in an interval that the release tells.",
            "numbers in the interval",
            {
                "worst": "Of {rows:row|rows}, those whose original number lies between released numbers whose rank"
                " differs"
                " by less than {ranks:%}: at most {score}, of {worst}.",
                "column": "{column}: {score}",
                "mean": "The mean over all columns is {score}.",
                "untold": "how narrow an interval is depends on how dense the numbers are there.",
                "improve": "add more noise, or swap numbers within a wider range of ranks.",
            },
            parts={"worst": "worst column", "mean": "mean"},
            parameters={
                "columns": "the columns of numbers; otherwise all quasi-identifiers that have numbers only",
                "ranks": "by what share of the rows ranks may differ",
                "max_share": "the largest share of numbers in their interval",
            },
        ),
        "zh_TW": Words(
            "區間揭露",
            "「{worst}」有 {percent} 的原始數值，落在發布資料表所透露的區間內。",
            "落在區間內的數值",
            {
                "worst": "{rows} 列中，原始數值落在名次相差不到 {ranks:%} 的發布數值之間者：至多占"
                " {score}（{worst}）。",
                "column": "{column}：{score}",
                "mean": "各欄平均 {score}。",
                "untold": "區間有多窄，取決於該處數值的疏密。",
                "improve": "加入更多雜訊，或在更大的名次範圍內交換數值。",
            },
            parts={"worst": "最嚴重的欄位", "mean": "平均"},
            parameters={
                "columns": "數值欄位；否則為只有數字的所有準識別屬性",
                "ranks": "名次最多可相差列數的多少比例",
                "max_share": "落在區間內的數值比例上限",
            },
            page=Page(
                summary="有多少原始數值，落在名次相近的發布數值之間。",
                definition="取某列的發布數值，以及名次相差不到某比例的發布數值；"
                "若原始數值介於其中最小與最大者之間，即為揭露。",
                formula="原始數值落在區間內的列數 ÷ 列數；取最嚴重的欄位",
                example="三人的年齡中，有一人落在名次相近者的區間內。",
                reading="0：沒有人的數值落在這麼近的區間。名次的比例決定區間有多窄。",
            ),
        ),
    }

    def figures(self, facts: Facts) -> Iterator[Figure]:
        """Yield the share of the worst column, and the mean."""
        pairs = read_number_pairs(facts, self.columns or find_number_columns(facts))
        rows, share = int(pairs[0].counts.sum()), Limit.of(self.ranks).exact
        found = {one.name: Fraction(count_within(one, share), rows) for one in pairs}
        worst = max(found, key=found.__getitem__)
        told = {"worst": Name(worst), "rows": rows, "ranks": share, "by_column": found}
        yield Figure("worst", found[worst], self.max_share, figures=told)
        yield Figure("mean", sum(found.values(), Fraction(0)) / len(found))

    def tells_of_few(self, result: Result) -> bool:
        """Return True if the numbers of fewer than five rows are in their interval, or not."""
        rows = result.figures.get("rows", 0)
        return any(
            min(share * rows, rows - share * rows) < THRESHOLD for share in result.figures.get("by_column", {}).values()
        )

    def explain_figures(self, result: Result) -> Iterator[Step]:
        """Yield the share of each column, and the mean."""
        told = {name: result.figures[name] for name in ("worst", "rows", "ranks")}
        columns = result.figures["by_column"].items()
        lines = tuple(Step("column", {"column": Name(name), "score": share}) for name, share in columns)
        yield Step("worst", {**told, "score": result.exact}, lines)
        yield Step("mean", {"score": result.parts["mean"].best_known})
