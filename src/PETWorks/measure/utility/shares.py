"""Shares: how many rows were suppressed, and how many cells of each column were changed.

Definition
    The share of rows of which every quasi-identifier is suppressed. For each column the share of cells that were
    generalised, and of those that are at the top of their hierarchy; suppressed cells are both. Without an original,
    that is not known of a column without a hierarchy.

Formula
    suppressed rows ÷ N; by column, cells at level 1 or higher ÷ N and cells at the highest level ÷ N

Example
    One of four rows is suppressed; another was generalised.

    >>> from PETWorks import Release
    >>> years = [("1977", "197*", "*"), ("1988", "198*", "*")]
    >>> result = Release({"year": ["1977", "1977", "198*", "*"]}, hierarchies={"year": years}).ask(Shares())
    >>> print(result.exact, result.parts["year"].exact, result.parts["year"].figures["top"])
    1/4 1/2 1/4

Reading
    0: nothing was touched. Look at it beside every score: many of them rise when rows are suppressed.

Reference
    No publication; these are plain counts of rows and cells.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import ClassVar

from PETWorks.measure.plugin import (
    MOST_COLUMNS,
    Facts,
    Figure,
    Figures,
    Name,
    Note,
    Number,
    Page,
    ReleasedRows,
    Result,
    Side,
    Step,
    Words,
    number,
    withhold_score,
)


class Shares(Figures):
    """Share of rows that are suppressed, and of cells that were generalised."""

    at_most: Number | None = number(default=None, limit=Side.AT_MOST, least=0, most=1, kw_only=False)

    name: ClassVar[str] = "shares"
    family: ClassVar[str] = "utility"
    rows: ClassVar[ReleasedRows] = ReleasedRows.RECODED
    pairs: ClassVar[bool] = True
    examples: ClassVar = ({"at_most": "0.05"},)
    fixed_parts: ClassVar = ("suppressed rows",)
    of_sizes: ClassVar[bool] = True
    words: ClassVar = {
        "en": Words(
            "suppressed rows",
            "{percent} of the rows are suppressed.",
            "suppressed rows",
            {
                "suppressed rows": "Rows of which every quasi-identifier is suppressed: {suppressed} of"
                " {rows:row|rows}, a share of {score}.",
                "columns": "Cells by column, those of suppressed rows included:",
                "column": "{column}: {changed:%} generalised, {top:%} at the top of the hierarchy",
                "untold": "it does not see what was in the suppressed rows: look at it beside every score, since many"
                " of them rise when rows are suppressed.",
                "improve": "generalise further where it takes little, so that fewer rows need to be suppressed.",
            },
            parts={"suppressed rows": "suppressed rows"},
            notes={
                "no_levels": "Without an original and a hierarchy, generalised cells cannot be counted: {columns}.",
            },
        ),
        "zh_TW": Words(
            "整列遮蔽比例",
            "有 {percent} 的資料列遭整列遮蔽。",
            "整列遮蔽比例",
            {
                "suppressed rows": "準識別屬性全部遭遮蔽者：{rows} 筆資料列中有 {suppressed} 筆，占 {score}。",
                "columns": "各欄位的儲存格，含整列遮蔽者：",
                "column": "{column}：{changed:%} 經概化，{top:%} 位於資料階層的最高層",
                "untold": "未說明整列遮蔽者原有的內容；許多指標會因遮蔽資料列而上升，請一併參考。",
                "improve": "在損失不大處進一步概化，使須遮蔽的資料列減少。",
            },
            parts={"suppressed rows": "整列遮蔽"},
            notes={"no_levels": "沒有原始資料表與資料階層，無法計算經概化的儲存格：{columns}。"},
            page=Page(
                summary="有多少資料列遭整列遮蔽，各欄位有多少儲存格遭更動。",
                definition="準識別屬性全部遭遮蔽的資料列占比。各欄位另計概化的儲存格占比，"
                "以及位於資料階層最高層的儲存格占比；遮蔽的儲存格兩者皆計入。"
                "沒有原始資料表時，無從得知沒有資料階層的欄位有多少。",
                formula="整列遮蔽的列數 ÷ N；各欄位：第 1 層以上的儲存格數 ÷ N、最高層的儲存格數 ÷ N",
                example="四列中有一列遭整列遮蔽，另有一列經過概化。",
                reading="0：完全沒有更動。請與每項指標一併檢視：許多指標在遮蔽資料列後反而上升。",
            ),
            reference="無；僅為資料列與儲存格的計數。",
        ),
    }

    def figures(self, facts: Facts) -> Iterator[Figure]:
        """Yield the share of suppressed rows, and of changed cells by column."""
        rows = facts.joint.rows
        unknown = [Name(column) for column in facts.columns.without_levels]
        notes = (Note("no_levels", {"columns": unknown}),) if unknown else ()
        suppressed = Fraction(facts.scope.suppressed, facts.scope.rows)
        yield Figure("suppressed rows", suppressed, self.at_most, notes=notes)
        for cells in facts.columns.cells_with_levels:
            changed = int(cells.counts[(cells.levels > 0) | cells.suppressed].sum())
            top = int(cells.counts[(cells.levels == cells.hierarchy.height) | cells.suppressed].sum())
            yield Figure(cells.name, Fraction(changed, rows), figures={"top": Fraction(top, rows)}, notes=cells.notes)

    def withhold(self, result: Result) -> Result:
        """Withhold the shares of columns whose cells are on different levels, where counts are withheld."""
        if result.disclosure.shows_counts:
            return result
        mixed = {cells.name for cells in result.measured.columns.cells_with_levels if not cells.on_one_level}
        parts = {name: withhold_score(part) if name in mixed else part for name, part in result.parts.items()}
        return replace(result, parts=parts)

    def explain_figures(self, result: Result) -> Iterator[Step]:
        """Yield the share of suppressed rows, then of changed cells in the columns that changed most."""
        scope, columns = result.scope, [one for one in list(result.parts.items())[1:] if not one[1].withheld]
        yield Step("suppressed rows", {"suppressed": scope.suppressed, "rows": scope.rows, "score": result.exact})
        columns.sort(key=lambda named: -(named[1].value or 0))
        lines = [
            Step("column", {"column": Name(name), "changed": part.exact, "top": part.figures["top"]})
            for name, part in columns[:MOST_COLUMNS]
        ]
        if lines:
            yield Step("columns", {}, tuple(lines))
