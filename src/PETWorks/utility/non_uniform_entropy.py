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
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from PETWorks.bits import Bits
from PETWorks.cells import Cells
from PETWorks.facts import Facts
from PETWorks.loss import Loss, Utility
from PETWorks.measure import Need, Words
from PETWorks.tally import sums


@dataclass(frozen=True, kw_only=True)
class NonUniformEntropy(Utility):
    """Share of the columns' information that is left."""

    name: ClassVar[str] = "Non-Uniform Entropy"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.ORIGINAL})
    pairs: ClassVar[bool] = True
    words: ClassVar = {
        "en": Words(
            "Non-Uniform Entropy",
            "{percent} of the information, counted in bits, is left; a rare value that became common costs most.",
        ),
        "zh_TW": Words("非均勻熵", "保留了 {percent} 的資訊量（以位元計）；罕見值變為常見值時損失最多。"),
    }

    def losses(self, facts: Facts) -> Iterator[Loss]:
        """Add up the bits that each column loses from level to level."""
        for cells in facts.cells:
            lost, below = Bits(), 0
            for level in np.unique(cells.levels).tolist():
                reached = cells.levels >= level
                fine, coarse = (_information(facts, cells, height, reached) for height in (below, level))
                lost, below = lost + coarse - fine, level
            everything = np.ones(len(cells.counts), dtype=bool)
            possible = Bits.of(np.array([facts.paired.rows])) - _information(facts, cells, 0, everything)
            yield Loss(lost, possible, cells.name, cells.notes)


def _information(facts: Facts, cells: Cells, level: int, rows: np.ndarray) -> Bits:
    """Σ f·log2(f) over the original's values at a level, counted among some rows."""
    lifted = facts.lifted(cells, level)
    return Bits.of(sums(lifted.codes[rows], facts.paired.counts[rows], len(lifted.values)))
