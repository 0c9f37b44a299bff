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


def compute_odds(
    matrix: dict[str, dict[str, Fraction]], original: Sequence[str]
) -> tuple[Fraction, Fraction | None, Fraction | None]:
    """The largest posterior, gain in odds and ratio of chances, by naming every pair of values; None: no bound."""
    released = {name for row in matrix.values() for name in row}
    posterior, gain, ratio = [Fraction(0)], [Fraction(0)], [Fraction(1)]
    for value, name in ((value, name) for value in set(original) for name in released):
        right = sum(matrix[one].get(name, 0) for one in original if one == value)
        wrong = sum(matrix[one].get(name, 0) for one in original if one != value)
        if right:
            posterior.append(Fraction(right) / (right + wrong))
            others = len(original) - original.count(value)
            if not others:
                gain.append(Fraction(1))
            else:
                before = Fraction(original.count(value), others)
                gain.append(Fraction(right) / wrong / before if wrong else None)
    pairs = [(one, other, name) for one in matrix.values() for other in matrix.values() for name in released]
    ratio += [one[name] / other[name] if other.get(name, 0) else None for one, other, name in pairs if one.get(name, 0)]
    return max(posterior), None if None in gain else max(gain), None if None in ratio else max(ratio)


def overlap(first: tuple[float, float], second: tuple[float, float]) -> float:
    """The mean share of two intervals, given as a coefficient and its standard error, that both have."""
    ends = [(one - 1.96 * error, one + 1.96 * error) for one, error in (first, second)]
    low, high = max(low for low, _ in ends), min(high for _, high in ends)
    return max(0.0, sum((high - low) / (end - start) for start, end in ends) / 2)


def classify(rows: Rows, target: int, values: Sequence[int], row: Row) -> str | None:
    """The class that naive Bayes names: the greatest product of shares, then the more frequent class, then the text."""

    def rank(name: str | None) -> tuple[Fraction, int, list[int]]:
        own = [one for one in rows if one[target] == name]
        product = Fraction(len(own))
        for place, many in enumerate(values):
            if place != target:
                product *= Fraction(sum(one[place] == row[place] for one in own) + 1, len(own) + many)
        return product, len(own), [-ord(letter) for letter in name or ""]

    return max({one[target] for one in rows}, key=rank)


def link(released: Sequence[Sequence[Fraction]], original: Sequence[Sequence[Fraction]]) -> Fraction:
    """The mean chance that the nearest released row is a row's own; columns without variance take no part."""
    rows, total = len(original), Fraction(0)
    means = [sum(column, Fraction(0)) / rows for column in zip(*original, strict=True)]
    spread = [
        sum(((one - mean) ** 2 for one in column), Fraction(0)) / rows
        for column, mean in zip(zip(*original, strict=True), means, strict=True)
    ]
    for place, row in enumerate(original):
        distances = [
            sum(((x - y) ** 2 / own for x, y, own in zip(row, one, spread, strict=True) if own), Fraction(0))
            for one in released
        ]
        nearest = [other for other, distance in enumerate(distances) if distance == min(distances)]
        total += Fraction(1, len(nearest)) if place in nearest else 0
    return total / rows


def count_in_intervals(released: Sequence[Fraction], original: Sequence[Fraction], ranks: Fraction) -> Fraction:
    """The share of original values between released ones whose rank differs by less than a share of the rows."""
    rows, inside = len(released), 0
    for x, y in zip(original, released, strict=True):
        first, last = sum(one < y for one in released), sum(one <= y for one in released) - 1
        near = [
            one
            for rank, one in enumerate(sorted(released))
            if rank > first - ranks * rows and rank < last + ranks * rows
        ]
        inside += min(near) <= x <= max(near)
    return Fraction(inside, rows)
