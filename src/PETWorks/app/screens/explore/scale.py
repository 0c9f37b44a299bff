"""The axes of the plot: detail up; across the risk, or the rows that are suppressed."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from PETWorks.making.exploring import Weighed

Across = Literal["risk", "suppressed"]
PERCENT = (0, 0.1, 0.5, 1, 2, 5, 10, 20, 50, 100)  # of suppressed rows, where the axis may have ticks
GAP = 0.1  # of the width, between two of them
LEAST = 0.01  # the share of suppressed rows that the axis reaches at least
Place = tuple[float, float]  # from 0 to 1: to the right, and down


@dataclass(frozen=True)
class Scale:
    """The axis of risks, logarithmic, or of shares of suppressed rows, by square root; and that of scores."""

    across: Across
    low: float  # ends of the axis: logarithms, or roots
    high: float
    rows: int  # of which some are suppressed
    most: float  # the highest score of the axis
    least: bool  # True: a loss, so that less is better

    @classmethod
    def of(cls, known: Iterable[Weighed], across: Across, rows: int, limit: float, *, loss: bool) -> Scale:
        """Return the scale that has room for all, and for the limit on the share of suppressed rows."""
        every = list(known)
        most = max((one.score for one in every), default=1.0) if loss else 1.0
        if across == "suppressed":
            high = math.sqrt(max([limit, LEAST, *(one.suppressed / (rows or 1) for one in every if one.risk)])) * 1.04
            return cls(across, -0.02 * high, high, rows, most or 1.0, loss)
        risks = [math.log10(one.risk) for one in every if one.risk]
        low, high = min(risks, default=-1.0), max(risks, default=0.0)
        return cls(across, low - 0.15, max(high + 0.1, low + 0.5), rows, most or 1.0, loss)

    def place(self, one: Weighed) -> Place | None:
        """Return where a combination is; None if it releases nobody."""
        if not one.risk:
            return None
        value = one.suppressed / (self.rows or 1) if self.across == "suppressed" else float(one.risk)
        return min(max(self.at(value), 0.0), 1.0), one.score / self.most if self.least else 1 - one.score

    def at(self, value: float) -> float:
        """Return where a risk, or a share of suppressed rows, is on the axis."""
        moved = math.sqrt(value) if self.across == "suppressed" else math.log10(value)
        return (moved - self.low) / (self.high - self.low)

    @property
    def ticks(self) -> tuple[tuple[str, float], ...]:
        """The ticks of the axis, in percent of the width: powers of ten, or percentages."""
        if self.across == "risk":
            powers = range(math.ceil(self.low), math.floor(self.high) + 1)
            named = [(f"1/{10**-power:,}" if power else "1", 10.0**power) for power in powers]
            return tuple((text, self.at(value) * 100) for text, value in named)
        found: list[tuple[str, float]] = []
        for percent in PERCENT:
            place = self.at(percent / 100)
            if place <= 1 and (not found or place - found[-1][1] / 100 >= GAP):
                found.append((f"{percent:g}%", place * 100))
        return tuple(found)
