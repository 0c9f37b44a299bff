"""How far classes are from the limit of a goal, in floats, for many classes at once.

These are the scores of the measures once more, for speed alone: a class whose margin is close to zero is judged by the
measure itself (`judge.py`). A goal that is not known here is judged right at once, merely more slowly.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from PETWorks.exact.limit import Limit, Number
from PETWorks.exact.scores import FloatArray
from PETWorks.facts.facts import Facts
from PETWorks.facts.spread import Spread
from PETWorks.making.local.distance import Distance
from PETWorks.measure.privacy import Privacy
from PETWorks.privacy.alpha_k_anonymity import AlphaKAnonymity
from PETWorks.privacy.beta_likeness import BetaLikeness
from PETWorks.privacy.delta_disclosure import DeltaDisclosure
from PETWorks.privacy.k_anonymity import KAnonymity
from PETWorks.privacy.l_diversity import LDiversity
from PETWorks.privacy.p_sensitive_k_anonymity import PSensitiveKAnonymity
from PETWorks.privacy.t_closeness import TCloseness

Margin = Callable[[FloatArray, FloatArray], Any]  # an array from the sizes of classes and their counts of values


@dataclass(frozen=True)
class Attribute:
    """A sensitive attribute: its spread over the whole table, and the columns of its values among all counts."""

    spread: Spread
    columns: slice

    @property
    def shares(self) -> FloatArray:
        """The share of each value in the whole table."""
        return np.asarray(self.spread.overall / self.spread.rows)


def margin_of(goal: Privacy, attributes: Mapping[str, Attribute], facts: Facts) -> Margin | None:
    """Return the margin of a goal, positive for classes that hold; None if it is not known here."""
    if type(goal) not in KNOWN or (goal.needs and not attributes):
        return None
    if isinstance(goal, LDiversity) and goal.others == "join" and len(attributes) > 1:
        return None
    by_size, by_value = KNOWN[type(goal)]
    bounds = [] if by_size is None else list(at_least_rows(getattr(goal, by_size)))
    if by_value is not None:
        only = getattr(goal, "sensitive", None)
        for one in attributes.values() if only is None else [attributes[only]]:
            bounds += [_within(one, bound) for bound in by_value(goal, one, facts)]

    def least(sizes: FloatArray, counts: FloatArray) -> FloatArray:
        margin = np.full(len(sizes), np.inf)
        for bound in bounds:
            np.minimum(margin, bound(sizes, counts), out=margin)
        return margin

    return least


def _within(one: Attribute, bound: Margin) -> Margin:
    """Apply a margin to the counts of one attribute."""
    return lambda sizes, counts: bound(sizes, counts[:, one.columns])


def at_least_rows(least: Number | None) -> Iterator[Margin]:
    """Yield how many more rows a class has than it needs; whole numbers, so half a row is never close to a limit."""
    if least is not None:
        enough = float(Limit.of(least).exact) - 0.5
        yield lambda sizes, _: sizes - enough


def _at_least_values(least: Number | None) -> Iterator[Margin]:
    if least is not None:
        enough = math.ceil(Limit.of(least).exact) - 0.5
        yield lambda _, counts: (counts > 0).sum(axis=1) - enough


def _distinct(goal: Any, one: Attribute, facts: Facts) -> Iterator[Margin]:  # noqa: ANN401, ARG001
    yield from _at_least_values(goal.p)


def _shares(goal: Any, one: Attribute, facts: Facts) -> Iterator[Margin]:  # noqa: ANN401, ARG001
    if goal.alpha is not None:
        most = float(Limit.of(goal.alpha).exact)
        yield lambda sizes, counts: most - counts.max(axis=1) / sizes


def _diversity(goal: Any, one: Attribute, facts: Facts) -> Iterator[Margin]:  # noqa: ANN401, ARG001
    if goal.variant == "distinct":
        yield from _at_least_values(goal.l)
    elif goal.variant == "entropy" and goal.l is not None:
        bits = math.log(Limit.of(goal.l).exact)
        yield lambda sizes, counts: _entropy(sizes, counts) - bits
    elif goal.variant == "recursive" and goal.c is not None:
        place, most = int(Limit.of(goal.l).exact), float(Limit.of(goal.c).exact)
        yield from _at_least_values(goal.l)
        yield lambda _, counts: most - _recursive(counts, place)


def _entropy(sizes: FloatArray, counts: FloatArray) -> FloatArray:
    """Return the entropy of each class; a count of 0 is as good as one of 1, whose logarithm is 0."""
    weighted = np.einsum("ij,ij->i", counts, np.log(np.maximum(counts, 1)))
    return np.asarray(np.log(sizes) - weighted / sizes)


def _recursive(counts: FloatArray, place: int) -> FloatArray:
    """Return the largest count divided by the sum of those from a place on."""
    ordered = -np.sort(-counts, axis=1)
    return np.asarray(ordered[:, 0] / np.maximum(ordered[:, place - 1 :].sum(axis=1), 1))


def _closeness(goal: Any, one: Attribute, facts: Facts) -> Iterator[Margin]:  # noqa: ANN401
    if goal.t is not None:
        distance, most = Distance.of(goal, one.spread, facts), float(Limit.of(goal.t).exact)
        yield lambda sizes, counts: most - distance.between(sizes, counts)


def _likeness(goal: Any, one: Attribute, facts: Facts) -> Iterator[Margin]:  # noqa: ANN401, ARG001
    if goal.beta is not None:
        shares, most = one.shares, float(Limit.of(goal.beta).exact)
        caps = np.minimum(most, -np.log(shares)) if goal.variant == "enhanced" else np.full(len(shares), most)
        yield lambda sizes, counts: (caps - np.maximum(counts / (sizes[:, None] * shares) - 1, 0)).min(axis=1)


def _disclosure(goal: Any, one: Attribute, facts: Facts) -> Iterator[Margin]:  # noqa: ANN401, ARG001
    if goal.delta is not None:
        shares, most, skipped = one.shares, float(Limit.of(goal.delta).exact), goal.absent == "skip"

        def margin(sizes: FloatArray, counts: FloatArray) -> FloatArray:
            with np.errstate(divide="ignore"):
                change = np.abs(np.log2(counts / (sizes[:, None] * shares)))
            return np.asarray(most - np.where((counts == 0) & skipped, 0, change).max(axis=1))

        yield margin


ByValue = Callable[[Any, Attribute, Facts], Iterator[Margin]]
KNOWN: Mapping[type[Privacy], tuple[str | None, ByValue | None]] = {  # a limit of class sizes, and bounds by attribute
    KAnonymity: ("k", None),
    AlphaKAnonymity: ("k", _shares),
    PSensitiveKAnonymity: ("k", _distinct),
    LDiversity: (None, _diversity),
    TCloseness: (None, _closeness),
    BetaLikeness: (None, _likeness),
    DeltaDisclosure: (None, _disclosure),
}


def least_size(goal: Privacy, facts: Facts) -> int:
    """Return a number of rows that every class that meets a goal has at least."""
    least = goal.least_size()
    if isinstance(goal, TCloseness) and goal.t is not None:
        most = float(Limit.of(goal.t).exact)
        spreads = facts.spreads(goal.sensitive)
        least = max(least, *(Distance.of(goal, spread, facts).least_size(most) for spread in spreads))
    return least
