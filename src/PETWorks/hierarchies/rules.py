"""The rules that `Hierarchy` offers: each method returns a rule, from which the hierarchy of a table's values is built.

A rule is passed where a hierarchy is: `Release` and `anonymize` build it on the values of the original. By hand,
`rule.build(values)` builds it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from PETWorks.exact.limit import Number
    from PETWorks.hierarchies.rule import Rule

Calendar = Literal["iso", "roc"]
Side = Literal["left", "right"]


class Rules:
    """Hierarchies by rule."""

    @staticmethod
    def intervals(
        name: str,
        widths: Number | Iterable[Number],
        bottom: Number | None = None,
        top: Number | None = None,
        origin: Number | None = None,
    ) -> Rule:
        """Put numbers into ranges, of one width for each level; each width is a multiple of the one before.

        The ranges lie between `bottom` and `top`; numbers outside are in a range of their own. There are borders at
        `origin` plus any multiple of a width (default: at `bottom`, else `top`, else 0).
        """
        from PETWorks.hierarchies.intervals import Intervals

        return Intervals(name, widths, bottom, top, origin)  # type: ignore[arg-type]

    @staticmethod
    def quantiles(name: str, parts: int | Iterable[int]) -> Rule:
        """Put numbers into so many ranges of about as many people each, fewer ranges on each level."""
        from PETWorks.hierarchies.quantiles import Quantiles

        return Quantiles(name, parts)  # type: ignore[arg-type]

    @staticmethod
    def prefixes(name: str, keep: int | Iterable[int], mask: str = "*", keep_from: Side = "left") -> Rule:
        """Keep so many characters at the start of a code, fewer on each level; `mask` stands for each of the others.

        `keep_from="right"` keeps those at its end: "10617" becomes "**617".
        """
        from PETWorks.hierarchies.prefixes import Prefixes

        return Prefixes(name, keep, mask, keep_from)  # type: ignore[arg-type]

    @staticmethod
    def dates(
        name: str, levels: str | Iterable[str], read: Calendar | None = None, write: Calendar | None = None
    ) -> Rule:
        """Put dates into periods: "day", "month", "quarter", "half-year", "year", "five years", "decade".

        Dates are read in the Western calendar ("iso") and that of Taiwan ("roc", 民國); labels keep the calendar that
        is found, unless `write` says another. `read="roc"` says that short years, as in 79-05-21, are those of Taiwan.
        """
        from PETWorks.hierarchies.dates import Dates

        return Dates(name, levels, read, write)  # type: ignore[arg-type]

    @staticmethod
    def ordered(name: str, values: Iterable[Any], sizes: int | Iterable[int | Sequence[int]]) -> Rule:
        """Group neighbours in the order of `values`; `sizes` says for each level how many values a group has.

        For groups of different sizes, a level has the list of all their sizes.
        """
        from PETWorks.hierarchies.ordered import Ordered

        return Ordered(name, values, sizes)  # type: ignore[arg-type]

    @staticmethod
    def rare_last(name: str, share: Number | Iterable[Number], label: str = "other") -> Rule:
        """Group the values that less than a share of the people have ("1%"); the share rises from level to level."""
        from PETWorks.hierarchies.rare_last import RareLast

        return RareLast(name, share, label)  # type: ignore[arg-type]

    @staticmethod
    def parents(name: str, mapping: Mapping[Any, Any]) -> Rule:
        """Group values by hand: each has a parent, which may have a parent in turn, or a list of all its ancestors."""
        from PETWorks.hierarchies.parents import Parents

        return Parents(name, mapping)

    @staticmethod
    def places(name: str, levels: str | Iterable[str] = ("district", "county", "region")) -> Rule:
        """Put places of Taiwan, by their Chinese names, into "district" (鄉鎮市區), "county" (縣市) and "region"."""
        from PETWorks.hierarchies.places import Places

        return Places(name, levels)  # type: ignore[arg-type]
