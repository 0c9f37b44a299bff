"""Explain how diverse the sensitive values of a class are: which of them count, their entropy, and their ratio."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

from PETWorks.explain.privacy import LISTED
from PETWorks.explain.step import Step, Terms
from PETWorks.facts.facts import Facts
from PETWorks.facts.spread import Spread
from PETWorks.formulas.diversity import diverse


def counting_values(facts: Facts) -> Iterator[Step]:
    """Yield which values count, if a person can hold several."""
    if facts.persons is not None:
        yield Step("counting_values")


def counted_values(spread: Spread, index: int, score: Fraction | float, kind: str) -> Step:
    """Return the step with the number of different values of a class, or with how many of them count."""
    values = len(spread.entries(index))
    if values == score:
        return Step(kind, {"score": score})
    if score == (size := int(spread.classes.sizes[index])):
        return Step("values_of_few", {"values": values, "size": size, "score": score})
    return Step("values_implied", {"values": values, "implied": values - score, "score": score})


def entropy(spread: Spread, index: int, counts: Sequence[int], score: Fraction | float) -> Iterator[Step]:
    """Yield 2 to the power of the entropy of some counts; if fewer values count than that, that they do."""
    size, most = sum(counts), int(diverse(spread)[index])
    terms = [count / size * math.log2(size / count) for count in counts]
    kind, bits = "bits" if 1 < len(terms) <= LISTED else "bits_sum", math.fsum(terms)
    is_cut = score == most < len(counts)
    power = 2**bits if is_cut else score
    yield Step(kind, {"terms": Terms(terms[:LISTED]), "bits": bits, "score": power})
    if is_cut:
        yield counted_values(spread, index, Fraction(most), "values")
        yield Step("smaller", {"score": score})


def ratio(counts: Sequence[int], least: int, score: Fraction | float) -> Step:
    """Return the step that divides the largest count by the sum of the counts from a place on."""
    return Step("ratio", {"largest": counts[0], "l": least, "rest": sum(counts[least - 1 :]), "score": score})


def no_ratio(spread: Spread, index: int, counts: Sequence[int], least: int) -> Iterator[Step]:
    """Yield why a class has no ratio: too few values occur, or too few of them count."""
    if len(counts) < least:
        yield Step("too_few", {"values": len(counts), "l": least})
        return
    yield counted_values(spread, index, Fraction(int(diverse(spread)[index])), "values")
    yield Step("too_few_count", {"l": least})
