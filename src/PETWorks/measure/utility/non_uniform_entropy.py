"""Non-Uniform Entropy: how much information, in bits, generalisation cost.

Definition
    A cell whose value occurs f times in its column, and whose generalised value occurs g times, loses -log2(f/g) bits:
    most where a rare value becomes a common one. What a column can lose is what it would lose if all its cells became
    the same. The measure is 1 minus the bits lost by all columns divided by the bits they could lose.

    Where a column's cells are released at several levels, the loss is added up level by level: at each level that
    occurs, the rows released there or higher are lifted from the level before, and counted among themselves.

Formula
    1 - Σ loss / Σ max over columns, max = Σ -log2(f/N) over the N cells of the original

Example
    Four years of birth become one 197* and three 198*: the latter lose log2(3) bits each, of 4·log2(4) = 8 bits.

    >>> from PETWorks import Release
    >>> hierarchy = [(year, f"{year // 10}*", "*") for year in (1970, 1981, 1983, 1988)]
    >>> original, released = {"year": [1970, 1981, 1983, 1988]}, {"year": ["197*", "198*", "198*", "198*"]}
    >>> result = Release(released, original=original, hierarchies={"year": hierarchy}).ask(NonUniformEntropy())
    >>> from math import log2
    >>> print(f"{result.value:.4f}", result.value == 1 - 3 * log2(3) / 8)
    0.4056 True

Reading
    1: no information was lost. 0: every column says the same everywhere. A few suppressed rows cost almost nothing
    here, because they are counted among themselves. Columns that were constant to begin with take no part.

Reference
    A. Gionis, T. Tassa, "k-Anonymization with Minimal Loss of Information", IEEE Transactions on Knowledge and Data
    Engineering 21(2), 2009, doi:10.1109/TKDE.2008.129; several levels in one column as in ARX.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from PETWorks.measure.plugin import (
    Bits,
    Cells,
    Facts,
    IntArray,
    LevelCodes,
    Loss,
    Mask,
    Name,
    Need,
    Page,
    Result,
    Step,
    Utility,
    Words,
    build_column_step,
    find_costliest,
)
from PETWorks.tables.counting.tally import sum_by_group

LISTED = 8  # the most kinds of cells that an explanation lists one by one


class NonUniformEntropy(Utility):
    """Share of the columns' information that is left."""

    name: ClassVar[str] = "Non-Uniform Entropy"
    of_levels: ClassVar[bool] = True
    needs: ClassVar[frozenset[Need]] = frozenset({Need.ORIGINAL})
    pairs: ClassVar[bool] = True
    words: ClassVar = {
        "en": Words(
            "Non-Uniform Entropy",
            "{percent} of the information, counted in bits, is left; a rare value that became common costs most.",
            "information left",
            {
                "bits_cell": "A cell loses -log2(rows with its original value ÷ rows with its released value) bits: a"
                " rare value that becomes common loses most. Where a column is released at several levels, this is"
                " added up level by level. A column could lose the bits that make all its cells the same.",
                "bits_most": "Least is left of {column}:",
                "lifted": "from level {below} to {level}: {cells:cell|cells} × -log2({fine} ÷ {coarse}) = {bits}",
                "lifted_sum": "from level {below} to {level}: {cells:cell|cells}, {bits} bits",
                "lifted_more": "other cells: {bits} bits",
                "bits_column": "Bits lost by column, where least is left first:",
                "untold": "a few suppressed cells cost almost nothing here, because they are counted among themselves;"
                " columns with one single value take no part.",
                "improve": "release the columns of which least is left at a lower level, above all where rare values"
                " were merged with common ones.",
            },
        ),
        "zh_TW": Words(
            "非均勻熵",
            "保留了 {percent} 的資訊量（以位元計）；罕見值變為常見值時損失最多。",
            "保留的資訊量",
            {
                "bits_cell": "每個儲存格損失 -log2（原始值的列數 ÷ 發布值的列數）位元；罕見值變為常見值時損失最多。"
                "同一欄位有多個層級時，逐層加總。欄位至多可損失的，為全部儲存格變為相同時的位元數。",
                "bits_most": "保留最少的欄位為 {column}：",
                "lifted": "自第 {below} 層至第 {level} 層：{cells} 個儲存格 × -log2({fine} ÷ {coarse}) = {bits}",
                "lifted_sum": "自第 {below} 層至第 {level} 層：{cells} 個儲存格，{bits} 位元",
                "lifted_more": "其他儲存格：{bits} 位元",
                "bits_column": "各欄位損失的位元數，由保留最少者起：",
                "untold": "少量遮蔽在此幾乎不扣分，因為僅在其中相互計數；僅有單一值的欄位不列入。",
                "improve": "降低保留最少欄位的概化層級，尤其是將罕見值併入常見值者。",
            },
            page=Page(
                summary="概化損失了多少資訊，以位元計。",
                definition="儲存格的值在欄位中出現 f 次，概化後的值出現 g 次，則損失 -log2(f/g) 位元："
                "罕見的值變為常見的值時損失最多。一個欄位至多可損失的量，是其所有儲存格都變為相同時的損失。"
                "數值為 1 減去「所有欄位損失的位元 ÷ 可損失的位元」。\n"
                "若同一欄位的儲存格發布於不同層級，則逐層累加損失：在每個出現的層級，"
                "將發布於該層或更高層的資料列由前一層提升，並只在這些資料列之中計數。",
                formula="1 - Σ 損失 / Σ 最大值，對各欄位加總；最大值 = 原始資料表 N 個儲存格的 Σ -log2(f/N)",
                example="四個出生年變為一個 197* 與三個 198*：後者每個損失 log2(3) 位元，總量為 4·log2(4) = 8 位元。",
                reading="1：沒有損失資訊。0：每個欄位處處相同。少量整列遮蔽在此幾乎不扣分，因為只在它們自己之中計數。"
                "原本就只有單一值的欄位不列入。",
            ),
            reference='A. Gionis, T. Tassa, "k-Anonymization with Minimal Loss of Information", IEEE'
            " Transactions on Knowledge and Data Engineering 21(2), 2009, doi:10.1109/TKDE.2008.129；"
            "同一欄位有多個層級時，算法同 ARX。",
        ),
    }

    def losses(self, facts: Facts) -> Iterator[Loss]:
        """Yield the loss of each column: the bits that it loses from level to level."""
        for cells in facts.cells:
            lost = Bits()
            for below, level, reached in _yield_generalisations(cells):
                fine, coarse = (_sum_information(facts, cells, height, reached) for height in (below, level))
                lost = lost + coarse - fine
            everything = np.ones(len(cells.counts), dtype=bool)
            possible = Bits.of(np.array([facts.paired.rows])) - _sum_information(facts, cells, 0, everything)
            yield Loss(lost, possible, cells.name, cells.notes)

    def column_loss(self, ladder: LevelCodes, level: int, published: IntArray, suppressed: IntArray) -> float | None:
        """Return the bits that a column loses at a level; None if it has values that its hierarchy lacks."""
        if not ladder.known.all():
            return None
        lost, below = 0.0, 0
        levels = ladder.levels[level]
        for above in np.unique([*levels, ladder.height] if suppressed.any() else levels).tolist():
            reached = np.where(levels >= above, published, 0) + suppressed
            fine, coarse = (np.bincount(ladder.up[height], weights=reached) for height in (below, above))
            lost += float(_sum_bits(coarse) - _sum_bits(fine))
            below = above
        return lost

    def explain_losses(self, result: Result) -> Iterator[Step]:
        """Yield the computation for the column that lost most, then the loss of each column."""
        facts, columns, may = result.measured, find_costliest(result), result.disclosure
        yield Step("bits_cell")
        for cells in facts.cells if may.shows_counts else ():
            if (
                columns
                and columns[0][0] == cells.name
                and (lines := _explain_generalisations(facts, cells, apart=may.least == 1))
            ):
                yield Step("bits_most", {"column": Name(cells.name)}, tuple(lines))
        yield Step("bits_column", {}, tuple(map(build_column_step, columns)))


def _yield_generalisations(cells: Cells) -> Iterator[tuple[int, int, Mask]]:
    """Yield each pair of consecutive levels, with a mask of the rows released at the higher level or above."""
    below = 0
    for level in np.unique(cells.levels).tolist():
        yield below, level, cells.levels >= level
        below = level


def _explain_generalisations(facts: Facts, cells: Cells, *, apart: bool) -> list[Step]:
    """Return steps on the bits lost between levels; with `apart`, one for each frequency of the original values."""
    lines = []
    for below, level, reached in _yield_generalisations(cells):
        if level == below:
            continue
        figures, counts = {"below": below, "level": level}, cells.counts[reached]
        fine, coarse = (_count_frequencies(facts, cells, height, reached) for height in (below, level))
        kinds, ids = np.unique(np.stack([fine, coarse]), axis=1, return_inverse=True)
        many = sum_by_group(ids.ravel(), counts, kinds.shape[1])
        bits = many * np.log2(kinds[1] / kinds[0])
        if not apart:
            lines.append(Step("lifted_sum", figures | {"cells": int(counts.sum()), "bits": float(bits.sum())}))
            continue
        for rows, lost, before, after in zip(many.tolist(), bits.tolist(), *kinds.tolist(), strict=True):
            lines.append(Step("lifted", figures | {"cells": rows, "fine": before, "coarse": after, "bits": lost}))
    lines.sort(key=lambda line: -line.figures["bits"])
    rest = sum(line.figures["bits"] for line in lines[LISTED:])
    return [*lines[:LISTED], *([Step("lifted_more", {"bits": rest})] if rest else [])]


def _count_frequencies(facts: Facts, cells: Cells, level: int, rows: Mask) -> IntArray:
    """Return, for each of the rows, the number of these rows that have the same value at a level."""
    lifted, counts = facts.columns.generalise(cells, level), cells.counts[rows]
    codes = lifted.codes[rows]
    return sum_by_group(codes, counts, len(lifted.values))[codes]


def _sum_information(facts: Facts, cells: Cells, level: int, rows: np.ndarray) -> Bits:
    """Return Σ f·log2(f) over the original's values at a level, f being the frequency among the rows."""
    lifted = facts.columns.generalise(cells, level)
    return Bits.of(sum_by_group(lifted.codes[rows], cells.counts[rows], len(lifted.values)))


def _sum_bits(frequencies: IntArray) -> float:
    """Return Σ f·log2(f)."""
    occurring = frequencies[frequencies > 0]
    return float(occurring @ np.log2(occurring))
