"""Rows that look suppressed, but are not: they hold a mark in every quasi-identifier that was not said to be one.

Such rows form a class, and often the largest, which makes mean risks look small.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from PETWorks.counting.tally import Mask, Tally

MARKS = {  # of suppressed, unknown or missing cells; full-width forms are the same
    *("", "*", "**", "***", "-", "--", "—", "?", "na", "n/a", "n.a.", "nan", "null", "none", "nil"),
    *("unknown", "missing", "suppressed", "redacted", "masked", "無", "不詳", "未知", "不明", "遮蔽", "已遮蔽"),
}
FULL_WIDTH = {code + 0xFEE0: code for code in range(0x21, 0x7F)}


def look_suppressed(tally: Tally, columns: Sequence[str], suppressed: Mask) -> bool:
    """Return True if other rows than the suppressed ones hold a mark in each of several columns."""
    looks = ~suppressed if len(columns) > 1 else np.zeros(len(tally.counts), dtype=bool)
    for name in columns:
        column = tally.columns[name]
        marks = [(value or "").translate(FULL_WIDTH).casefold() in MARKS for value in column.values]
        looks = looks & np.array(marks, dtype=bool)[column.codes]
    return bool(looks.any())
