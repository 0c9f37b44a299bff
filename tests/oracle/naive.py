"""The five measures computed by definition, row by row: slow, simple, and without any code of the library.

Rows are dicts from column name to text, or to None if the cell is missing. Results are exact fractions; those with
logarithms are computed with 60 digits and rounded to 50.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache

Value = str | None
Row = dict[str, Value]
Rows = list[Row]
Shares = dict[Value, Fraction]
Ladder = tuple[Value, ...]  # a leaf and its ancestors, lowest first

DIGITS = 60


@dataclass(frozen=True)
class Tables:
    """A release, its original (None: not given), and the roles and hierarchies of the columns."""

    released: Rows
    quasi_identifiers: list[str]
    sensitive: list[str]
    original: Rows | None
    hierarchies: dict[str, list[Ladder]]
    marker: str = "*"


@dataclass(frozen=True)
class Scored:
    """A class, by the values that its rows share, with its size and a score."""

    values: Row
    size: int
    score: Fraction


# Rows and classes.


def is_suppressed(tables: Tables, row: Row) -> bool:
    """Return True if all quasi-identifiers of a row are the marker."""
    return all(row[name] == tables.marker for name in tables.quasi_identifiers)


def classes(tables: Tables) -> list[Rows]:
    """Return the classes: the unsuppressed rows, grouped by all quasi-identifiers."""
    return grouped([row for row in tables.released if not is_suppressed(tables, row)], tables.quasi_identifiers)


def grouped(rows: Rows, names: Sequence[str]) -> list[Rows]:
    """Group rows by some columns."""
    groups: list[Rows] = []
    for row in rows:
        for group in groups:
            if all(group[0][name] == row[name] for name in names):
                group.append(row)
                break
        else:
            groups.append([row])
    return groups


# Levels.


def ladders(tables: Tables, name: str) -> dict[Value, Ladder]:
    """Return the ancestors of each leaf; without a hierarchy, the marker is above all values.

    A level `*` is added if the highest level has several values.
    """
    if name in tables.hierarchies:
        rows = tables.hierarchies[name]
    else:
        known = tables.released if tables.original is None else tables.original
        rows = [(row[name], tables.marker) for row in known if row[name] != tables.marker]
    if len({row[-1] for row in rows}) > 1:
        rows = [(*row, "*") for row in rows]
    return {row[0]: row for row in rows}


def unknown_levels(tables: Tables) -> list[str]:
    """Name the columns of which nobody can know how far they were generalised."""
    if tables.original is not None:
        return []
    return [name for name in tables.quasi_identifiers if name not in tables.hierarchies]


def height(tables: Tables, name: str) -> int:
    """Return the number of levels above the leaves."""
    return max((len(ladder) - 1 for ladder in ladders(tables, name).values()), default=1)


def level(tables: Tables, name: str, place: int) -> int:
    """Return the level of a cell: where the original's ancestor is its value, else where its value occurs.

    In both cases this is the lowest such level. The marker, and a value that occurs at no level, are at the top.
    """
    cell, tree, top = tables.released[place][name], ladders(tables, name), height(tables, name)
    if cell == tables.marker:
        return top
    explaining = [step for step, ancestor in enumerate(own_ladder(tables, name, place)) if ancestor == cell]
    occurring = [step for ladder in tree.values() for step, ancestor in enumerate(ladder) if ancestor == cell]
    return min(explaining or occurring, default=top)


def own_ladder(tables: Tables, name: str, place: int) -> Ladder:
    """Return the original of a cell and its ancestors; nothing if there is no original."""
    return () if tables.original is None else ladders(tables, name)[tables.original[place][name]]


def unexplained(tables: Tables, name: str) -> int:
    """Count the unsuppressed cells that are not an ancestor of their original."""
    cells = [(row[name], own_ladder(tables, name, place)) for place, row in enumerate(tables.released)]
    return sum(cell != tables.marker and cell not in ladder for cell, ladder in cells)


# Utility.


def precision(tables: Tables, names: Sequence[str]) -> Fraction:
    """Return 1 minus the mean loss over all cells of some columns."""
    losses = [cell_loss(tables, name, place) for name in names for place in range(len(tables.released))]
    return 1 - sum(losses, Fraction(0)) / len(losses)


def cell_loss(tables: Tables, name: str, place: int) -> Fraction:
    """Return the loss of a cell: 1 in a suppressed row, else its level divided by the height (0 if that is 0)."""
    if is_suppressed(tables, tables.released[place]):
        return Fraction(1)
    top = height(tables, name)
    return Fraction(level(tables, name, place), top) if top else Fraction(0)


def average_class_size(tables: Tables) -> Fraction | None:
    """Return the mean number of unsuppressed rows in a class of the release."""
    sizes = [len(rows) for rows in classes(tables)]
    return Fraction(sum(sizes), len(sizes)) if sizes else None


def original_class_size(tables: Tables) -> Fraction:
    """Return the mean number of rows in a class of the original."""
    return Fraction(len(tables.original), len(grouped(tables.original, tables.quasi_identifiers)))


def aecs(tables: Tables) -> Fraction:
    """Scale the average class size: 1 if it is that of the original, 0 if all rows form one class."""
    size, least, rows = average_class_size(tables), original_class_size(tables), len(tables.original)
    if size is None:
        return Fraction(0)
    if rows == least:
        return Fraction(1)
    return min(max(1 - (size - least) / (rows - least), Fraction(0)), Fraction(1))


@cache
def bits(share: Fraction) -> Decimal:
    """Return minus the base-2 logarithm of a share."""
    with localcontext(prec=DIGITS):
        return (Decimal(share.denominator).ln() - Decimal(share.numerator).ln()) / Decimal(2).ln()


def bits_lost(tables: Tables, name: str) -> Decimal:
    """Add up the bits lost from each occurring level to the next, over the rows released at that level or above."""
    places = range(len(tables.released))
    levels = [level(tables, name, place) for place in places]
    lost, below = Decimal(0), 0
    with localcontext(prec=DIGITS):
        for step in sorted(set(levels)):
            climbing = [own_ladder(tables, name, place) for place in places if levels[place] >= step]
            for own in climbing:
                fine = sum(other[below] == own[below] for other in climbing)
                coarse = sum(other[step] == own[step] for other in climbing)
                lost += bits(Fraction(fine, coarse))
            below = step
    return lost


def bits_possible(tables: Tables, name: str) -> Decimal:
    """Return the most bits that can be lost: for every original cell, minus the logarithm of its value's share."""
    cells = [row[name] for row in tables.original]
    with localcontext(prec=DIGITS):
        return sum((bits(Fraction(cells.count(cell), len(cells))) for cell in cells), Decimal(0))


def non_uniform_entropy(tables: Tables, names: Sequence[str]) -> Fraction | None:
    """Return 1 minus the bits that some columns lost, divided by the most they could lose; None if that is 0."""
    with localcontext(prec=DIGITS):
        lost = sum((bits_lost(tables, name) for name in names), Decimal(0))
        possible = sum((bits_possible(tables, name) for name in names), Decimal(0))
        return 1 - Fraction(round(lost / possible, 50)) if possible else None


# Privacy.


@dataclass(frozen=True)
class Game:
    """The adversary's cost and gain of an attack, the publisher's loss by a success and benefit of publishing."""

    cost: Fraction
    gain: Fraction
    loss: Fraction
    benefit: Fraction

    def is_attacked(self, size: int) -> bool:
        """Return True if the adversary attacks a row of a class: the expected gain is not below the cost."""
        return not self.gain / size < self.cost

    def publisher(self, size: int) -> Fraction:
        """Return the benefit, minus the expected loss if there is an attack."""
        return self.benefit - (self.loss / size if self.is_attacked(size) else 0)

    def adversary(self, size: int) -> Fraction:
        """Return the expected gain of an attack, minus its cost."""
        return self.gain / size - self.cost


def payoffs(tables: Tables, game: Game) -> tuple[list[Scored], list[Scored]]:
    """Return the payoffs of publisher and adversary for a row of each class."""
    return (
        scored(tables, lambda rows: game.publisher(len(rows))),
        scored(tables, lambda rows: game.adversary(len(rows))),
    )


def scored(tables: Tables, score) -> list[Scored]:
    """Score every class."""
    found = classes(tables)
    shared = [{name: rows[0][name] for name in tables.quasi_identifiers} for rows in found]
    return [Scored(values, len(rows), score(rows)) for values, rows in zip(shared, found, strict=True)]


def unpublished(tables: Tables, name: str) -> Rows:
    """Return the rows that publish no value of a sensitive attribute: suppressed rows whose sensitive cell is, too."""
    return [row for row in tables.released if is_suppressed(tables, row) and row[name] == tables.marker]


def overall_cells(tables: Tables, name: str) -> list[Value]:
    """Return the cells of a sensitive attribute that its overall distribution counts."""
    hidden = unpublished(tables, name)
    return [row[name] for row in tables.released if row not in hidden]


def distance_kind(tables: Tables, name: str) -> str:
    """Return the kind of distance: ordered if every value is a number, else hierarchical if possible, else equal."""
    if all(is_number(cell) for cell in overall_cells(tables, name)):
        return "ordered"
    return "hierarchical" if name in tables.hierarchies else "equal"


def is_number(cell: Value) -> bool:
    """Return True if a text is a decimal number: sign, digits, fraction, exponent."""
    return (
        cell is not None and re.fullmatch(r"[-+]?([0-9]+|[0-9]+\.[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?", cell) is not None
    )


def distances(tables: Tables, name: str, kind: str) -> list[Scored]:
    """Return the Earth Mover's Distance between each class and the whole table. A value that is no leaf: KeyError."""
    whole = shares(Counter(overall_cells(tables, name)))
    tree = ladders(tables, name) if kind == "hierarchical" else {}
    if kind == "hierarchical":
        _ = [tree[value] for value in whole]

    def score(rows: Rows) -> Fraction:
        inside = shares(Counter(row[name] for row in rows))
        match kind:
            case "ordered":
                return ordered_distance(inside, whole)
            case "hierarchical":
                return hierarchical_distance(inside, whole, tree)
        return equal_distance(inside, whole)

    return scored(tables, score)


def shares(counts: dict[Value, int]) -> Shares:
    """Divide counts by their sum."""
    return {value: Fraction(count, sum(counts.values())) for value, count in counts.items()}


def ordered_distance(inside: Shares, whole: Shares) -> Fraction:
    """Move the surplus of each number to the next larger one; each of the m - 1 steps has the length 1/(m - 1)."""
    numbers = sorted({Decimal(value) for value in whole})
    carried = moved = Fraction(0)
    for number in numbers[:-1]:
        carried += sum(share for value, share in inside.items() if Decimal(value) == number)
        carried -= sum(share for value, share in whole.items() if Decimal(value) == number)
        moved += abs(carried)
    return moved / (len(numbers) - 1) if len(numbers) > 1 else Fraction(0)


def equal_distance(inside: Shares, whole: Shares) -> Fraction:
    """Return half the sum of all absolute differences."""
    return sum((abs(inside.get(value, Fraction(0)) - share) for value, share in whole.items()), Fraction(0)) / 2


def hierarchical_distance(inside: Shares, whole: Shares, tree: dict[Value, Ladder]) -> Fraction:
    """Cancel surplus against shortfall at each node, from the leaves up; the cost is node height over tree height."""
    top = len(next(iter(tree.values()))) - 1
    rest = {leaf: inside.get(leaf, Fraction(0)) - whole.get(leaf, Fraction(0)) for leaf in tree}
    cost = Fraction(0)
    for step in range(1, top + 1):
        parents = {ladder[step - 1]: ladder[step] for ladder in tree.values()}
        below = {parent: [rest[node] for node in parents if parents[node] == parent] for parent in parents.values()}
        for differences in below.values():
            surplus = sum(difference for difference in differences if difference > 0)
            shortfall = -sum(difference for difference in differences if difference < 0)
            cost += Fraction(step, top) * min(surplus, shortfall)
        rest = {parent: sum(differences) for parent, differences in below.items()}
    return cost


# Limits.


def keeps_at_most(score: Fraction, limit: float | str | Fraction) -> bool:
    """Return True if a score is not above a limit."""
    return score <= Fraction(str(limit)) or stands_for(limit, score)


def keeps_at_least(score: Fraction, limit: float | str | Fraction) -> bool:
    """Return True if a score is not below a limit."""
    return score >= Fraction(str(limit)) or stands_for(limit, score)


def stands_for(limit: float | str | Fraction, score: Fraction) -> bool:
    """Return True if a limit was written as a float, and the score rounds to it."""
    return isinstance(limit, float) and float(score) == limit
