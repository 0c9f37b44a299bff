"""A release that was made: what was done, what it is worth, how that is known, and the release itself."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import expm1, log1p

from PETWorks.making.lifted import LiftedFacts
from PETWorks.making.outcome import LevelsOf, Outcome
from PETWorks.making.plan import Plan
from PETWorks.making.recoding import Recoding
from PETWorks.measure.result import Result
from PETWorks.release import Release
from PETWorks.utility.granularity import Granularity


@dataclass(frozen=True, eq=False)
class Made:
    """A release that meets its goals, made from an original."""

    original: Release  # the original, as a release of itself
    plan: Plan
    outcome: Outcome

    def __repr__(self) -> str:
        """Name the original, the levels and what was suppressed."""
        known = "proven" if self.proven else "not proven"
        return f"<Made from {self.facts.name}: levels {self.levels}, {self.suppressed:,} suppressed, {known}>"

    @property
    def facts(self) -> LiftedFacts:
        """What is known about the release."""
        return self.outcome.facts

    @property
    def levels(self) -> LevelsOf:
        """The level of each quasi-identifier; if rows have different levels, how many rows have each."""
        return self.outcome.levels

    @property
    def suppressed(self) -> int:
        """How many rows are suppressed."""
        return self.facts.scope.suppressed

    @property
    def proven(self) -> bool:
        """True if no other release of this kind meets the goals at less loss."""
        return self.outcome.proven

    @property
    def bound(self) -> float | None:
        """What the utility of no other release of this kind exceeds; with utility="loss", which loss none is below."""
        return self.outcome.bound

    @cached_property
    def utility(self) -> Result:
        """The result of the utility measure; with utility="loss", that of granularity."""
        return (self.plan.utility or Granularity()).evaluate(self.facts)

    @cached_property
    def loss(self) -> float:
        """What was lost, over all columns: Π (1 + w·x)^(1/columns) - 1, x being the share that a column lost.

        For means of groups, it is the share of the variance that was lost: the mean over the columns, by their weights.
        """
        if self.outcome.lost_variance is not None:
            return float(self.outcome.lost_variance)
        terms = [log1p(float(weight * share)) for weight, share in self._shares.values()]
        return expm1(sum(terms) / len(terms))

    @property
    def _shares(self) -> dict[str, tuple[Fraction, Fraction]]:
        """The weight of each column, and the share that it lost of what it could lose."""
        losses = {loss.part: loss for loss in Granularity().losses(self.facts)}
        return {
            name: (self.plan.weights.get(name, Fraction(1)), Fraction(loss.lost) / (loss.possible or 1))  # type: ignore[arg-type, operator]
            for name, loss in losses.items()
        }

    @cached_property
    def release(self) -> Release:
        """The release, to be evaluated, explained and reported on."""
        release = copy(self.original)
        release._facts = self.facts  # noqa: SLF001 (a release of our own)
        return release

    @cached_property
    def recoding(self) -> Recoding:
        """The released cells of every combination of quasi-identifiers."""
        lift = self.facts.lifted
        return Recoding(lift.table.combinations, self.facts.cells_by_combination, lift.suppressed)
