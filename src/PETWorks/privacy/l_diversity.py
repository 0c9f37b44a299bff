"""l-diversity: every class must hold several well-represented sensitive values.

Definition
    Distinct: each class has at least l different values of the sensitive attribute.
    Entropy: the entropy H of the values in a class is at least ln l, that is exp(H) ≥ l.
    Recursive (c,l): with the counts r1 ≥ r2 ≥ … of the values in a class, r1 < c · (r_l + r_(l+1) + … ).

Formula
    distinct: least number of values; entropy: least exp(-Σ q·ln q); recursive: largest r1 / (r_l + …), less than c

Example
    In one class three values occur 7, 2 and 1 times: l = 3 values, but r1/r3 = 7, so l = 3 needs c > 7.

    >>> from PETWorks import Release
    >>> table = {"year": ["197*"] * 10, "disease": ["flu"] * 7 + ["cold"] * 2 + ["ulcer"]}
    >>> release = Release(table, quasi_identifiers=["year"], sensitive=["disease"])
    >>> print(release.ask(LDiversity(l=3)).exact, release.ask(LDiversity(variant="recursive", l=3, c=7)).exact)
    3 7
    >>> release.ask(LDiversity(variant="recursive", l=3, c=7)).holds
    False
    >>> print(round(release.ask(LDiversity(variant="entropy")).value, 4))
    2.2296

Reading
    The larger, the better hidden (for the recursive form the value is the c that is not yet enough: the smaller, the
    better). Values count as different however alike they mean, and how common a value is in the whole table plays no
    part. Several sensitive attributes are judged one by one; ``others="join"`` puts the others among the
    quasi-identifiers.

Reference
    A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam, "l-Diversity: Privacy Beyond k-Anonymity", ACM
    Transactions on Knowledge Discovery from Data 1(1), 2007, doi:10.1145/1217299.1217302.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from PETWorks.bits import Bits
from PETWorks.bound import Bound, Privacy, Side
from PETWorks.classes import Spread
from PETWorks.errors import ParameterError
from PETWorks.facts import Facts
from PETWorks.limit import Limit, Number
from PETWorks.measure import Need, Words
from PETWorks.parameter import number, text, word
from PETWorks.result import Note
from PETWorks.scores import Logarithms, Ratios


@dataclass(frozen=True, kw_only=True)
class LDiversity(Privacy):
    """Number of well-represented sensitive values in the least diverse class, at least l."""

    l: Number | None = number(least=1)  # noqa: E741 (its name)
    c: Number | None = number(above=0)
    variant: str = word("distinct", "entropy", "recursive")
    others: str = word("apart", "join")
    sensitive: str | None = text()

    name: ClassVar[str] = "l-diversity"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.SENSITIVE})
    examples: ClassVar = ({"l": 3}, {"variant": "entropy", "l": "2.5"}, {"variant": "recursive", "l": 3, "c": 2})
    words: ClassVar = {
        "en": Words("l-diversity", "The least diverse class comes to {value} for {part} ({variant})."),
        "zh_TW": Words("l-多樣性", "最不多樣的等價類，其「{part}」的值為 {value}（{variant}）。"),
    }

    def __post_init__(self) -> None:
        """Check that l and c fit the variant."""
        super().__post_init__()
        if self.variant == "recursive" and (self.l is None or Limit.of(self.l).exact.denominator != 1):
            raise ParameterError(
                "the recursive variant needs a whole number l", hint="l=3, for example; c is the limit"
            )
        if self.variant != "recursive" and self.c is not None:
            raise ParameterError('c goes with variant="recursive" only')

    def bounds(self, facts: Facts) -> Iterator[Bound]:
        """Give the diversity of every class, for each sensitive attribute."""
        for spread in facts.spreads(self.sensitive, joined=self.others == "join"):
            limit, side, hopeless = self.l, Side.AT_LEAST, None
            match self.variant:
                case "distinct":
                    scores: Ratios | Logarithms = Ratios(np.bincount(spread.of_class, minlength=len(spread.classes)))
                case "entropy":
                    scores = _entropies(spread)
                case _:
                    scores, hopeless = _recursive(spread, int(Limit.of(self.l or 1).exact))
                    limit, side = self.c, Side.LESS_THAN
            figures = {"part": spread.name, "variant": self.variant}
            yield Bound(side, limit, scores, spread.name, spread.classes, hopeless, self._notes(spread), figures)

    def _notes(self, spread: Spread) -> tuple[Note, ...]:
        if self.l is None or Limit.of(self.l).exact <= len(spread.values):
            return ()
        return (Note("too_few_values", {"part": spread.name, "values": len(spread.values), "l": Limit.of(self.l)}),)


def _entropies(spread: Spread) -> Logarithms:
    weighted = spread.counts * np.log2(spread.counts)
    sizes = spread.sizes
    mean = (np.add.reduceat(weighted, spread.starts) if len(sizes) else weighted) / np.maximum(sizes, 1)

    def bits(number: int) -> Bits:
        own = Bits.of(spread.counts_in(number)) * Fraction(1, int(sizes[number]))
        return Bits({int(sizes[number]): 1}) - own

    return Logarithms(2 ** (np.log2(sizes) - mean), bits, [spread.patterns], power=True)


def _recursive(spread: Spread, least: int) -> tuple[Ratios, np.ndarray]:
    """Give the largest count divided by the sum of those from the l-th on; classes without an l-th are hopeless."""
    order = np.lexsort((-spread.counts, spread.of_class))
    counts = spread.counts[order]
    rank = np.arange(len(counts)) - spread.starts[spread.of_class]
    rest = np.add.reduceat(np.where(rank >= least - 1, counts, 0), spread.starts) if len(counts) else counts
    return Ratios(counts[spread.starts], np.maximum(rest, 1)), rest == 0
