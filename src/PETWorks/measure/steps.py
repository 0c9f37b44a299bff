"""The steps of an explanation, as kinds and figures. `render/` has the words for each kind, by language.

A figure is a number, a plain `str` (a term of PETWorks, such as ``ordered``), or something of the user's: a `Name` of a
column or file, a `Cell` of a table, or the values of a class as a mapping. Lists of any of these are figures too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

from PETWorks.exact.limit import Limit
from PETWorks.facts.notes import Cell, Name

__all__ = ["LISTED", "Amounts", "Cell", "Name", "Step", "Terms"]

LISTED = 12  # the most values that are listed one by one


class Terms(NamedTuple):
    """Numbers to add up. `common`: they are written with a common denominator, as in 3/40 + 6/40."""

    values: Sequence[Fraction | float]
    common: bool = False


class Amounts(NamedTuple):
    """A list of numbers, written with a common denominator."""

    values: Sequence[Fraction]


@dataclass(frozen=True)
class Step:
    """One step of an explanation; `lines` are the single computations that belong to it."""

    kind: str
    figures: Mapping[str, Any] = field(default_factory=dict)
    lines: tuple[Step, ...] = ()
    part: str = ""  # the part of the result that it explains; "" if more than one

    def to_dict(self) -> dict[str, Any]:
        """Return the step as plain values for JSON."""
        figures = {name: _to_plain(figure) for name, figure in self.figures.items()}
        return {"kind": self.kind, "figures": figures, "lines": [line.to_dict() for line in self.lines]}


def _to_plain(figure: Any) -> Any:  # noqa: ANN401 (anything JSON can say)
    if isinstance(figure, Terms | Amounts):
        figure = figure.values
    if isinstance(figure, Fraction):
        return int(figure) if figure.denominator == 1 else str(figure)
    if isinstance(figure, Limit):
        return str(figure)
    if isinstance(figure, Mapping):
        return {str(name): _to_plain(value) for name, value in figure.items()}
    if isinstance(figure, list | tuple):
        return [_to_plain(value) for value in figure]
    return figure
