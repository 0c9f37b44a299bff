"""Special uniques (SUDA2): who stands out by few columns, though hidden among many.

Definition
    A minimal sample unique of a row is a set of quasi-identifiers on which no other row agrees with it, while on every
    smaller part of the set another row does. The fewer columns it takes to single a row out, and the more such sets
    there are, the higher the row's score. With the fraction of the population that was sampled, stated or by sampling
    weights, the score becomes the chance that a match with the row is right (DIS-SUDA).

Formula
    A set of k of m columns counts (m - k)(m - k - 1)…(m - M), M the largest size looked at (at most m - 1); a row
    scores S, the sum over its sets. DIS-SUDA = 1 / (1 + P(1 - π) / (π·A·S^Q)): P rows with exactly one double, π the
    sampling fraction (rows ÷ sum of weights), A = Σ S^-Q over rows with a score, Q = 1 + (8 - m)/20.

Example
    Of ten people of the SDC practice guide, four can be singled out by a single column.

    >>> from PETWorks import Release
    >>> people = {
    ...     "residence": [*["Urban"] * 4, "Rural", *["Urban"] * 5],
    ...     "gender": ["f", "f", "f", "m", "f", "m", "f", "m", "f", "f"],
    ...     "education": ["2i", "2i", "1i", "2c", "2c", "2c", "1c", "3", "2i", "2i"],
    ...     "labor": ["yes", "yes", "not", "yes", "no", "yes", "not", "no", "not", "not"],
    ... }
    >>> result = Release(people).ask(SpecialUniques(fraction="1/100", max_size=3))
    >>> print(f"{result.value:.12f}", result.figures["special"], result.figures["file"], result.figures["education"])
    0.011383006247 2/5 2/299 11/17

Reading
    0: nobody can be singled out. Scores of tables with other numbers of columns, or other largest sizes, cannot be
    compared. Shares of columns add up to more than 1. DIS-SUDA is an estimate: it takes the release to be a random
    sample of the stated fraction.

Reference
    M. J. Elliot, A. Manning, K. Mayes, J. Gurd, M. Bane, "SUDA: A Program for Detecting Special Uniques", UNECE Work
    Session on Statistical Data Confidentiality, 2005; C. J. Skinner, M. J. Elliot, Journal of the Royal Statistical
    Society B 64(4), 2002, doi:10.1111/1467-9868.00365.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, ClassVar, Literal

from PETWorks.facts.weights import add_up_weights
from PETWorks.measure.formulas.special_uniques import (
    LARGEST_SET,
    MAX_COLUMNS,
    Intrusion,
    MinimalUniques,
    estimate_effort,
    explain_columns,
    explain_uniques,
    find_uniques,
    simulate_intrusion,
)
from PETWorks.measure.plugin import (
    Facts,
    Figure,
    Limit,
    NotAskableError,
    Note,
    Number,
    Page,
    Result,
    ResultPart,
    Risk,
    Side,
    Step,
    Words,
    build_grouping_step,
    number,
    word,
)
from PETWorks.shown import DisclosureLevel


class SpecialUniques(Risk):
    """How easily people are singled out by few columns."""

    fraction: Number | None = number(default=None, above=0, most=1)
    highest: Number | None = number(default=None, limit=Side.AT_MOST, least=0, most=1)
    threshold: Number | None = number(default=None, least=0, most=1)
    max_size: Number | None = number(default=None, least=1, whole=True)
    missing: Literal["value", "unknown"] = word(Literal["value", "unknown"], default="value")

    name: ClassVar[str] = "special uniques"
    against: ClassVar[str] = "identity"
    scales: ClassVar[bool] = True
    examples: ClassVar = ({"fraction": "0.01", "highest": "0.1", "threshold": 0}, {"max_size": 2, "missing": "unknown"})
    fixed_parts: ClassVar = ("highest", "average", "above threshold", "special", "file")
    words: ClassVar = {
        "en": Words(
            "special uniques",
            "{special:%} of the published rows stand out by few columns.",
            "highest chance of a right match",
            {
                "special": "Somebody stands out by a set of columns if nobody else agrees there, but others do on each"
                " smaller part. {rows} of {all_rows:published row does|published rows do}, a share of {score}; sets by"
                " their number of columns: {sets}.",
                "highest": "The fewer columns it takes, the higher the score. The highest chance that a match is right,"
                " with {share:%} of the population sampled: {score}.",
                "average": "On average over everybody who is published: {score}.",
                "above threshold": "A chance above {threshold}: a share of {score}.",
                "file": "Over the whole table, {unique:unique row|unique rows}, {pairs:row|rows} with exactly one"
                " double: a unique match is right with a chance of {score}.",
                "file_people": "Over the whole table, counting a person in each class of theirs, {unique:is|are} alone"
                " and {pairs:has|have} exactly one double: a unique match is right with a chance of {score}.",
                "columns": "How much of all scores comes from sets with a column (in total more than 1):",
                "column": "{column}: {score}",
                "untold": "the chance is an estimate, as for a random sample. Scores of other tables cannot compare.",
                "improve": "generalise the columns with the largest shares, or suppress what stands out.",
            },
            parts={
                "highest": "highest",
                "average": "mean",
                "above threshold": "share above the threshold",
                "special": "share of rows",
                "file": "whole table (DIS)",
            },
            notes={
                "largest": "{columns} quasi-identifiers: only sets of up to {most} columns were looked at.",
                "no_doubles": "Every match counts as right: nobody has just one double, or everybody was sampled.",
                "by_weights": "By weights, {sampled} of about {people:person was|people were} sampled: {share:%}.",
                "many_columns": "{columns} quasi-identifiers: the chance of a right match is defined for up to {most}.",
            },
            parameters={
                "fraction": "the share of the population that was sampled; otherwise that of the weights",
                "threshold": "the chance above which a row counts as at risk",
                "max_size": "the most columns of a set that is looked at",
                "missing": "whether a missing cell is a value like others, or one that nobody knows",
            },
            people="{special:%} of the people stand out by few columns.",
        ),
        "zh_TW": Words(
            "特殊唯一性",
            "發布的資料列中，有 {special:%} 僅憑少數欄位即顯得突出。",
            "比對正確的最高機率",
            {
                "special": "若某組欄位上沒有其他人與某人相同，而在該組的任何較小部分上都有，該人即因此突出。"
                "{all_rows} 筆發布的資料列中有 {rows} 筆如此，占 {score}。依欄位數，這樣的欄位組有：{sets}。",
                "highest": "所需欄位愈少，分數愈高。母體的 {share:%} 被抽樣時，比對正確的最高機率為 {score}。",
                "average": "所有發布者的平均：{score}。",
                "above threshold": "機率高於 {threshold} 者占 {score}。",
                "file": "就整張表而言，獨一無二者 {unique} 筆，恰有一筆相同者 {pairs} 筆："
                "唯一的比對結果，正確的機率為 {score}。",
                "file_people": "就整張表而言，一人在其各等價類中各計一次：獨自一類者 {unique} 人次，恰有一人相同者"
                " {pairs} 人次：唯一的比對結果，正確的機率為 {score}。",
                "columns": "全部分數中，來自含有該欄位之欄位組的占比；各占比合計大於 1：",
                "column": "{column}：{score}",
                "untold": "此機率為估計值，假設發布資料表是依所述比例隨機抽樣而得。欄位數不同時，分數不能互相比較。",
                "improve": "概化占比最大的欄位，或遮蔽突出的資料列。",
            },
            parts={
                "highest": "最高",
                "average": "平均",
                "above threshold": "高於門檻的占比",
                "special": "資料列占比",
                "file": "整張表（DIS）",
            },
            notes={
                "largest": "共 {columns} 個準識別屬性，僅檢視至多 {most} 個欄位的組合。",
                "no_doubles": "沒有人恰與另一人相同，或母體全部被抽樣，因此每次比對都視為正確：所知不足。",
                "by_weights": "依權數，估計 {people} 人中有 {sampled} 人被抽樣：{share:%}。",
                "many_columns": "共 {columns} 個準識別屬性；比對正確的機率僅定義至 {most} 個。",
            },
            parameters={
                "fraction": "母體中被抽樣的比例；否則依權數",
                "threshold": "機率高於此值的資料列視為有風險",
                "max_size": "檢視的欄位組至多包含的欄位數",
                "missing": "缺漏值視為一般的值，或視為無人知道",
            },
            people="有 {special:%} 的人僅憑少數欄位即顯得突出。",
            page=Page(
                summary="誰在眾多欄位中並不顯眼，卻僅憑少數欄位就顯得突出。",
                definition="某列的最小樣本唯一欄位組，是一組準識別屬性：沒有其他資料列在這組欄位上與該列相同，"
                "而在其任何較小的部分上都有。所需欄位愈少、這樣的欄位組愈多，該列的分數愈高。"
                "給定母體的抽樣比例，或有抽樣權數時，分數可換算為比對正確的機率（DIS-SUDA）。",
                formula="m 個欄位中，大小為 k 的欄位組計 (m - k)(m - k - 1)…(m - M) 分，"
                "M 為檢視的最大欄位數（至多 m - 1）；一列的分數 S 為其各欄位組的總和。\n"
                "DIS-SUDA = 1 / (1 + P(1 - π) / (π·A·S^Q))：P 為恰有一筆相同者的列數，π 為抽樣比例，"
                "A 為有分數之列的 S^-Q 總和，Q = 1 + (8 - m)/20。",
                example="SDC 實務指南的十人中，有四人憑單一欄位即可被單獨指出。",
                reading="0：無人可被單獨指出。欄位數或檢視的最大欄位數不同的表，分數不能互相比較。各欄占比合計大於 1。"
                "DIS-SUDA 為估計值，假設發布資料表是依所述比例隨機抽樣而得。",
            ),
        ),
    }

    def estimate_effort(self, facts: Facts) -> int:
        """Return the effort of trying sets of columns, which grows with their number and that of the classes."""
        return estimate_effort(facts)

    def find_implied_size(self, name: str, part: ResultPart) -> int:  # noqa: ARG002
        """Return 2: where classes have two people or more, nobody is unique."""
        return 2

    def figures(self, facts: Facts) -> Iterator[Figure]:
        """Yield the chances that matches are right, the share of rows with a score, and the share of each column."""
        uniques, rows = self._find_uniques(facts), facts.classes.everybody
        simulated, columns = self._simulate(facts), uniques.columns
        notes = list(self._notes(uniques, simulated, facts))
        if simulated is not None and columns <= MAX_COLUMNS:
            for figure in self._yield_chances(simulated, uniques.by_person, rows):
                yield replace(figure, notes=(*notes, *figure.notes))
                notes.clear()
        elif self.highest is not None:
            problem = f"{columns} quasi-identifiers: this chance is defined for up to {MAX_COLUMNS}"
            raise NotAskableError(problem, hint="name fewer quasi-identifiers, or leave out highest=")
        yield Figure("special", Fraction(uniques.special, rows or 1), notes=tuple(notes))
        if simulated is not None:
            yield Figure("file", simulated.chance_of_file)
        for name, share in zip(facts.roles.quasi_identifiers, uniques.compute_shares(), strict=True):
            yield Figure(name, share, side=None)

    def _yield_chances(self, simulated: Intrusion, scores: Mapping[int, int], rows: int) -> Iterator[Figure]:
        """Yield the highest and the mean chance, and the share of rows, or people, above the threshold."""
        limit = None if self.highest is None else Limit.of(self.highest).exact
        doubtful = (Note("no_doubles"),) if scores and simulated.certain else ()
        yield Figure("highest", simulated.compute_chance(max(scores, default=0), limit), self.highest)
        yield Figure("average", simulated.compute_mean(rows, scores), notes=doubtful)
        if self.threshold is not None:
            yield Figure(
                "above threshold", Fraction(simulated.count_above(Limit.of(self.threshold), scores), rows or 1)
            )

    def explain_figures(self, result: Result) -> Iterator[Step]:
        """Yield the number of rows that are unique in few columns, the chances, and the share of each column."""
        facts = result.measured
        yield build_grouping_step(facts)
        if not (rows := facts.classes.everybody):
            yield Step("nothing_published")
            return
        told = {name: part.best_known for name, part in result.parts.items() if not part.withheld}
        yield from explain_uniques(told, rows, self._find_uniques(facts), self._simulate(facts), self.threshold)
        yield from explain_columns({name: told[name] for name in told if name not in self.fixed_parts})

    def withhold(self, result: Result) -> Result:
        """Withhold all that does not follow from sizes where bands stand beside values: sets disclose more."""
        if result.disclosure.level is not DisclosureLevel.BANDED:
            return result
        hidden: dict[str, Any] = {"value": None, "exact": None, "withheld": True, "figures": {}}
        parts = {name: part if name == "file" else replace(part, **hidden) for name, part in result.parts.items()}
        return replace(result, **hidden, parts=parts)

    def _find_uniques(self, facts: Facts) -> MinimalUniques:
        largest = None if self.max_size is None else int(Limit.of(self.max_size).exact)
        return find_uniques(facts, largest, missing_is_known=self.missing == "value")

    def _simulate(self, facts: Facts) -> Intrusion | None:
        found = simulate_intrusion(facts, self._find_uniques(facts), self.fraction)
        for name in ("highest", "threshold"):
            if getattr(self, name) is not None and found is None:
                hint = "pass fraction=, the share of the population that was sampled (1: everybody), or name weight="
                raise NotAskableError(f"{name} needs the sampling fraction", hint=hint)
        return found

    def _notes(self, uniques: MinimalUniques, simulated: Intrusion | None, facts: Facts) -> Iterator[Note]:
        if self.fraction is None and simulated is not None and (sampled := facts.classes.everybody):
            people = round(add_up_weights(facts).all_people)
            yield Note("by_weights", {"sampled": sampled, "people": people, "share": simulated.fraction})
        if self.max_size is None and uniques.largest < min(LARGEST_SET, uniques.columns):
            yield Note("largest", {"columns": uniques.columns, "most": uniques.largest})
        if simulated is not None and uniques.columns > MAX_COLUMNS:
            yield Note("many_columns", {"columns": uniques.columns, "most": MAX_COLUMNS})
