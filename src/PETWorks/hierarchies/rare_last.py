"""Rare values last: values that few people have become one group, more of them from level to level.

>>> job = RareLast("job", ["10%", "30%"]).build({"clerk": 70, "nurse": 20, "diver": 6, "judge": 4})
>>> [job.lift("judge", level) for level in range(4)], [job.lift("nurse", level) for level in range(3)]
(['judge', 'other (<10%)', 'other (<30%)', '*'], ['nurse', 'nurse', 'other (<30%)'])
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import ClassVar

from PETWorks.counting.tally import Coded, IntArray
from PETWorks.errors import ParameterError, shown
from PETWorks.exact.limit import Limit, Number
from PETWorks.hierarchies.numbers import decimal_places, written
from PETWorks.hierarchies.rule import Rule, ascending


@dataclass(frozen=True)
class RareLast(Rule):
    """Values of less than a share of the people are one group, called `label`; `share` may be one for each level."""

    kind: ClassVar[str] = "rare_last"
    main: ClassVar[str] = "share"
    expects: ClassVar[str] = "a text"

    share: tuple[Number, ...]
    label: str = "other"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "share", ascending(self.name, self.share, "shares", self.example()))
        for low, high in pairwise(self._shares):
            if high <= low:
                raise ParameterError("shares must rise from level to level", hint=self.example())
        if not isinstance(self.label, str) or not self.label.strip():
            raise ParameterError(f"label must be a text, not {shown(self.label)}", hint='pass label="other"')

    @classmethod
    def example(cls) -> str:
        """Return a hint that shows how the rule is written."""
        return 'Hierarchy.rare_last("occupation", share=["1%", "5%"])'

    @property
    def height(self) -> int:
        """The highest level of what is built."""
        return len(self.share) + 1

    @property
    def _shares(self) -> list[Fraction]:
        return [_share(one) for one in self.share]

    def levels(self, values: Sequence[str], counts: IntArray) -> tuple[Sequence[int], Sequence[Coded]]:
        """Return the places of all values, and on each level the value or the group."""
        people, total = counts.tolist(), int(counts.sum())
        levels = []
        for share in self._shares:
            group = f"{self.label.strip()} (<{_percent(share)})"
            few = share.numerator * total
            levels.append(
                Coded.of(
                    [
                        group if count * share.denominator < few else value
                        for value, count in zip(values, people, strict=True)
                    ]
                )
            )
        return range(len(values)), levels


def _share(given: Number) -> Fraction:
    percent = isinstance(given, str) and given.strip().endswith("%")
    exact = Limit.of(given.strip()[:-1] if percent else given, "share").exact / (100 if percent else 1)  # type: ignore[union-attr]
    if not 0 < exact <= 1:
        problem = f"share must be a share of the people, more than 0 and at most 1, not {shown(given)}"
        raise ParameterError(problem, hint='pass for example "1%" or "1/100"')
    return exact


def _percent(share: Fraction) -> str:
    percent = share * 100
    return f"{written(percent)}%" if decimal_places(percent.denominator) is not None else str(share)
