"""Whether rows pair, by definition: row by row, in exact fractions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations

from oracle.naive import Tables, Value, is_number, is_suppressed, ladders

Pair = tuple[Value, Value]  # an original cell and the released cell of the same row


def fits(tables: Tables, name: str) -> Callable[[Value, Value], bool]:
    """Return the function that says if a released cell is a generalisation of an original one.

    A value that the hierarchy lacks may be one of any value, unless it is a number.
    """
    tree = ladders(tables, name)
    known = {tables.marker, *(value for ladder in tree.values() for value in ladder)}
    anything = {row[name] for row in tables.released if row[name] not in known and not is_number(row[name])}
    return lambda original, released: released in (tables.marker, *tree[original]) or released in anything


def kept(tables: Tables) -> list[int]:
    """Return the places of the rows that are not suppressed."""
    return [place for place, row in enumerate(tables.released) if not is_suppressed(tables, row)]


def pairs_of(tables: Tables, name: str, places: list[int]) -> list[Pair]:
    """Return the original and the released cell of some rows."""
    return [(tables.original[place][name], tables.released[place][name]) for place in places]


def chance(fit: Callable[[Value, Value], bool], pairs: list[Pair]) -> Fraction:
    """Return the share of cells that fit, on average, if the released cells are dealt out at random."""
    fitting = sum(fit(original, released) for original, _ in pairs for _, released in pairs)
    return Fraction(fitting, len(pairs) ** 2)


def numbers(pairs: list[Pair]) -> tuple[list[Fraction], list[Fraction]] | None:
    """Return the cells as numbers; None if some are not."""
    if not all(is_number(cell) for pair in pairs for cell in pair):
        return None
    return [Fraction(original) for original, _ in pairs], [Fraction(released) for _, released in pairs]


def different_numbers(pairs: list[Pair]) -> bool:
    """Return True if all cells are numbers that vary on both sides."""
    columns = numbers(pairs)
    return columns is not None and all(len(set(column)) > 1 for column in columns)


def covariance(x: list[Fraction], y: list[Fraction]) -> Fraction:
    """Return the sum of the products of the distances from the mean."""
    mean_x, mean_y = Fraction(sum(x), len(x)), Fraction(sum(y), len(y))
    return sum(((one - mean_x) * (other - mean_y) for one, other in zip(x, y, strict=True)), start=Fraction(0))


class Column:
    """A column over the unsuppressed rows: e, c, off, and whether it vouches."""

    def __init__(self, tables: Tables, name: str) -> None:
        self.name, self.fit, self.pairs = name, fits(tables, name), pairs_of(tables, name, kept(tables))
        n = len(self.pairs)
        self.wrong = [not self.fit(*pair) for pair in self.pairs]
        self.unexplained, self.chance = sum(self.wrong), chance(self.fit, self.pairs)
        varies = min(len(set(side)) for side in zip(*self.pairs, strict=True)) > 1
        self.telling = varies and self.chance < 1 and (self.chance > 0 or different_numbers(self.pairs))
        if not self.telling:
            return
        self.misfit = self.off = Fraction(self.unexplained, n) / (1 - self.chance)
        gain = n * (1 - self.chance) - self.unexplained
        self.vouches = self.off <= Fraction(1, 20) and gain**2 * (n - 1) >= 9 * n**2 * self.chance * (1 - self.chance)
        if columns := numbers(self.pairs):
            cov, spread = covariance(*columns), covariance(columns[0], columns[0]) * covariance(columns[1], columns[1])
            if cov > 0 and cov**2 * (n - 1) >= 9 * spread:
                short = 1 - cov / covariance(*map(sorted, columns))
                self.off = min(self.off, short)
                self.vouches = self.vouches or short <= Fraction(1, 20)


def contradicts(tables: Tables, column: Column, vouching: list[str]) -> bool:
    """Return True if, among rows with the same vouching values, cells fit no better than if they were dealt."""
    groups = defaultdict(list)
    for place in kept(tables):
        groups[tuple(tables.released[place][name] for name in vouching)].append(place)
    gain, variance, gain_of_numbers, variance_of_numbers = [Fraction(0)] * 4
    for places in groups.values():
        pairs, s = pairs_of(tables, column.name, places), len(places)
        if min(len(set(side)) for side in zip(*pairs, strict=True)) == 1:
            continue
        c = chance(column.fit, pairs)
        gain += sum(column.fit(*pair) for pair in pairs) - s * c
        variance += s**2 * c * (1 - c) / (s - 1)
        if numbers(column.pairs):
            x, y = numbers(pairs)
            gain_of_numbers += covariance(x, y)
            variance_of_numbers += covariance(x, x) * covariance(y, y) / (s - 1)
    told = [one for one in ((gain, variance), (gain_of_numbers, variance_of_numbers)) if one[1]]
    return bool(told) and not any(gain > 0 and gain**2 >= 9 * variance for gain, variance in told)


def pairing(tables: Tables) -> tuple[bool, Fraction]:
    """Return whether the rows pair by steps 1 and 2, and the share of rows that do not seem to (step 4)."""
    columns = [Column(tables, name) for name in tables.quasi_identifiers if kept(tables)]
    telling = [column for column in columns if column.telling]
    if not any(column.unexplained for column in telling):
        return True, Fraction(0)
    n = len(telling[0].pairs)
    close = [column for column in telling if column.misfit <= Fraction(1, 2)]
    m = min((column.misfit for column in close if column.misfit), default=None)
    by_row = [sum(wrong) for wrong in zip(*(column.wrong for column in close), strict=True)]
    meetings = sum(x * (x - 1) // 2 for x in by_row)
    expected = sum((Fraction(a.unexplained * b.unexplained, n) for a, b in combinations(close, 2)), start=Fraction(0))
    crowd = m is not None and meetings**2 * m > expected**2
    vouching = [column.name for column in telling if column.vouches]
    if vouching:
        doubted = [column for column in telling if column.off > Fraction(1, 20)]
        pair = sum(contradicts(tables, column, vouching) for column in doubted) < len(vouching)
    else:
        pair = len(close) >= 2 and 2 * len(close) >= len(telling) and m is not None and not crowd
        pair = pair and (expected / m - expected) ** 2 >= 9 * expected / m
    touched = sum(column.unexplained > 0 for column in close)
    warns = pair and crowd and meetings >= 5 and 2 * touched >= len(telling)
    return pair, m if warns else Fraction(0)


def shift(tables: Tables) -> tuple[int, int] | None:
    """Return from which row on the others fit an original some rows on, and how many on; None: they do not (step 3)."""
    columns = [Column(tables, name) for name in tables.quasi_identifiers if kept(tables)]
    telling = [column for column in columns if column.telling]
    if not telling:
        return None
    least = min(column.off for column in telling)
    chosen = [column for column in telling if column.off <= 2 * least]
    places = kept(tables)
    wrong = [sum(column.wrong[row] for column in chosen) for row in range(len(places))]
    ahead = [k * sum(wrong) - len(places) * sum(wrong[:k]) for k in range(len(places) + 1)]
    r = ahead.index(max(ahead))
    behind = places[r:]
    if sum(wrong[r:]) < 10:
        return None

    def share(d: int) -> Fraction:
        fitting = sum(
            column.fit(tables.original[place + d][column.name], tables.released[place][column.name])
            for place in behind
            for column in chosen
            if 0 <= place + d < len(tables.original)
        )
        return Fraction(fitting, len(behind) * len(chosen))

    best = max((1, -1, 2, -2, 3, -3), key=share)
    row = 1 + (places[r - 1] + 1 if r else 0)
    return (row, best) if 1 - share(best) < share(best) - share(0) else None
