"""The best level vector with a population by definition: all vectors are tried, row by row, in exact fractions.

The levels of a vector are known, also where a label stands on several. A vector at which a class of the sample has more
rows than the population is not admitted. Suppressed rows are removed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import product

from oracle.naive import Ladder, Row, Rows, Value

Trees = Mapping[str, Sequence[Ladder]]
Holds = Callable[[int, int], bool]  # whether a class of so many rows and so many people of the population holds
MARKER = "*"


def lift(row: Row, trees: Trees, levels: Sequence[int]) -> tuple[Value, ...]:
    """Return the labels of a row."""
    ladders = [next(one for one in tree if one[0] == row[name]) for name, tree in trees.items()]
    return tuple(ladder[level] for ladder, level in zip(ladders, levels, strict=True))


def find_suppressed(
    sample: Rows, everybody: Rows, trees: Trees, levels: Sequence[int], holds: Holds
) -> list[bool] | None:
    """Return which rows are suppressed; None if the population cannot be read."""
    rows, people = ([lift(row, trees, levels) for row in table] for table in (sample, everybody))
    sizes, crowds = Counter(rows), Counter(people)
    released = {label for label in sizes if set(label) != {MARKER}}
    if any(sizes[label] > crowds[label] for label in released):
        return None
    return [label not in released or not holds(sizes[label], crowds[label]) for label in rows]


def measure_loss(sample: Rows, trees: Trees, levels: Sequence[int], holds: Holds, everybody: Rows) -> Fraction:
    """Return what is missing from granularity."""
    gone = find_suppressed(sample, everybody, trees, levels, holds) or []
    lost = possible = Fraction(0)
    for (name, tree), level in zip(trees.items(), levels, strict=True):
        leaves = len({ladder[0] for ladder in tree})
        covered = Fraction(0)
        for row, out in zip(sample, gone, strict=True):
            ladder = next(one for one in tree if one[0] == row[name])
            lowest = next(step for step in range(len(ladder)) if ladder[step] == ladder[level])
            under = sum(one[lowest] == ladder[level] for one in tree)
            covered += Fraction(leaves if out or ladder[level] == MARKER else under, leaves)
        lost += covered / len(sample) - Fraction(1, leaves)
        possible += 1 - Fraction(1, leaves)
    return lost / possible


def find_best(
    sample: Rows, everybody: Rows, trees: Trees, holds: Holds, allowed: int
) -> tuple[Fraction, int, tuple[int, ...]] | None:
    """Return loss, suppressed rows and levels of the best vector; None if there is none."""
    found = []
    for levels in product(*(range(len(tree[0])) for tree in trees.values())):
        gone = find_suppressed(sample, everybody, trees, levels, holds)
        if gone is not None and sum(gone) <= allowed:
            loss = measure_loss(sample, trees, levels, holds, everybody)
            found.append((loss, sum(gone), sum(levels), levels[::-1]))
    if not found:
        return None
    loss, suppressed, _, backwards = min(found)
    return loss, suppressed, backwards[::-1]
