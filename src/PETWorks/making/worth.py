"""What a release is worth by weights of its columns: the loss over all of them, and granularity."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import expm1, log1p

from PETWorks.facts.facts import Facts
from PETWorks.utility.granularity import Granularity


def combined_loss(facts: Facts, weights: Mapping[str, Fraction]) -> float:
    """Return Π (1 + w·x)^(1/columns) - 1, x being the share that a column lost, and w its weight."""
    terms = [log1p(float(weight * share)) for weight, share in lost_shares(facts, weights).values()]
    return expm1(sum(terms) / len(terms))


def weighted_granularity(facts: Facts, weights: Mapping[str, Fraction]) -> float:
    """Return granularity, with the losses of columns multiplied by their weights."""
    lost, possible = (
        sum(float(getattr(one, amount) * weights.get(one.part, 1)) for one in Granularity().losses(facts))
        for amount in ("lost", "possible")
    )
    return 1 - lost / possible if possible else 1.0


def lost_shares(facts: Facts, weights: Mapping[str, Fraction]) -> dict[str, tuple[Fraction, Fraction]]:
    """Return the weight of each column, and the share that it lost of what it could lose."""
    return {
        loss.part: (weights.get(loss.part, Fraction(1)), Fraction(loss.lost) / (loss.possible or 1))  # type: ignore[arg-type, operator]
        for loss in Granularity().losses(facts)
    }
