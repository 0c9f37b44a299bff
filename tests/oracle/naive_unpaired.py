"""Naive definitions of what a release tells of people, person by person and in exact fractions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations
from math import comb, prod

Row = tuple[str | None, ...]
Rows = Sequence[Row]
MARKER = "*"


def match(released: Rows, keys: Sequence[int]) -> list[Row]:
    """Released rows that may match somebody: not those whose keys are all suppressed."""
    return [row for row in released if any(row[key] != MARKER for key in keys)]


def pick(row: Row, places: Sequence[int]) -> Row:
    return tuple(row[place] for place in places)


def is_copied(released: Rows, keys: Sequence[int]) -> Callable[[Row], bool]:
    known = set(match(released, keys))
    return lambda row: row in known


def is_replicated(released: Rows, people: Rows, keys: Sequence[int]) -> Callable[[Row], bool]:
    """Unique among these people, and once in the release."""
    seen = Counter(pick(row, keys) for row in match(released, keys))
    own = Counter(pick(row, keys) for row in people)
    return lambda row: own[pick(row, keys)] == 1 and seen[pick(row, keys)] == 1


def is_disclosed(released: Rows, keys: Sequence[int], target: Sequence[int]) -> Callable[[Row], bool]:
    rows = match(released, keys)

    def told(row: Row) -> bool:
        values = {pick(one, target) for one in rows if pick(one, keys) == pick(row, keys)}
        return values == {pick(row, target)}

    return told


def compute_cap(released: Rows, original: Rows, keys: Sequence[int], target: Sequence[int]) -> Fraction:
    rows, total = match(released, keys), Fraction(0)
    for row in original:
        alike = [one for one in rows if pick(one, keys) == pick(row, keys)]
        right = [one for one in alike if pick(one, target) == pick(row, target)]
        total += Fraction(len(right), len(alike)) if alike else 0
    return total / len(original)


def compute_tcap(released: Rows, original: Rows, keys: Sequence[int], target: Sequence[int]) -> Fraction | None:
    rows, shares = match(released, keys), []
    for row in rows:
        alike = {pick(one, target) for one in rows if pick(one, keys) == pick(row, keys)}
        own = [one for one in original if pick(one, keys) == pick(row, keys)]
        if len(alike) == 1 and own:
            right = [one for one in own if pick(one, target) == pick(row, target)]
            shares.append(Fraction(len(right), len(own)))
    return sum(shares, Fraction(0)) / len(shares) if shares else None


def compute_chance(a: int, n: int, b: int, h: int) -> Fraction:
    """How often n people chosen among all hold as many of the a + b or more."""
    told, ways = a + b, 0
    for i in range(a, min(told, n) + 1):
        ways += comb(told, i) * comb(n + h - told, n - i)
    return Fraction(ways, comb(n + h, n))


def exceeds_binomial(b: int, h: int, share: Fraction) -> Fraction:
    """The chance that b or more of h are seen."""
    if share <= 0:
        return Fraction(int(b == 0))
    if share >= 1:
        return Fraction(1)
    return sum((comb(h, i) * share**i * (1 - share) ** (h - i) for i in range(b, h + 1)), Fraction(0))


def score(row: Row, released: Rows, pool: Rows) -> tuple[int, int]:
    """The most columns on which one released row agrees, then rarity."""
    agrees = max((sum(x == y for x, y in zip(row, one, strict=True)) for one in released), default=-1)
    people = prod(sum(one[place] == value for one in pool) for place, value in enumerate(row))
    return agrees, -people


def compute_auc(members: Sequence[object], others: Sequence[object]) -> Fraction:
    pairs = [(x, y) for x in members for y in others]
    return Fraction(sum(2 * (x > y) + (x == y) for x, y in pairs), 2 * len(pairs))  # type: ignore[operator]


def find_true_positives(members: list[object], others: list[object], most: Fraction) -> tuple[int, int]:
    """Members and others above the lowest threshold at which at most so many others are."""
    best = (0, 0)
    for threshold in sorted({*members, *others}, reverse=True):  # type: ignore[type-var]
        tp, fp = (sum(one >= threshold for one in some) for some in (members, others))  # type: ignore[operator]
        if fp > most:
            break
        best = (tp, fp)
    return best


def compute_distance(released: Rows, original: Rows, places: Sequence[int]) -> tuple[Fraction, Fraction | None]:
    """Half the sum of differences of shares, and the ratio to chance."""
    s, o = (Counter(pick(row, places) for row in rows) for rows in (released, original))
    m, n, cells = len(released), len(original), {*s, *o}
    distance = sum((abs(Fraction(s[cell], m) - Fraction(o[cell], n)) for cell in cells), Fraction(0)) / 2
    if len(cells) == 1:
        return distance, None
    whole = n + m
    c = Fraction(m, whole)
    error = sum(((o[cell] + s[cell]) * (Fraction(s[cell], o[cell] + s[cell]) - c) ** 2 for cell in cells), Fraction(0))
    return distance, (error / whole) / ((len(cells) - 1) * (1 - c) ** 2 * c / whole)


def find_sets(columns: int, ways: int) -> list[tuple[int, ...]]:
    return list(combinations(range(columns), ways))
