"""The risks computed by definition, row by row: slow, simple, and without any code of the library."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations

from oracle.naive import Rows, Tables, classes, is_suppressed, keeps_at_most
from oracle.naive_population import checked, crowds

Limit = float | str | Fraction


def row_sizes(tables: Tables) -> list[int]:
    """Return, for every unsuppressed row, the size of its class."""
    return [len(rows) for rows in classes(tables) for _ in rows]


def row_crowds(tables: Tables, population: Rows | None) -> list[int]:
    """Return, for every unsuppressed row, the number of people in its class; without a population, of rows."""
    if population is None or not classes(tables):
        return row_sizes(tables)
    both = zip(classes(tables), crowds(tables, population), strict=True)
    return [people for rows, people in both for _ in rows]


def mean(numbers: list[Fraction]) -> Fraction:
    """Return the mean; 0 for an empty list."""
    return sum(numbers, Fraction(0)) / len(numbers) if numbers else Fraction(0)


def share_above(risks: list[Fraction], threshold: Limit) -> Fraction:
    """Return the share of risks above a threshold."""
    return mean([Fraction(not keeps_at_most(risk, threshold)) for risk in risks])


def re_identification(tables: Tables, population: Rows | None, threshold: Limit) -> dict[str, Fraction]:
    """Return the risks for the three adversaries."""
    prosecutor = [Fraction(1, size) for size in row_sizes(tables)]
    journalist = [Fraction(1, people) for people in row_crowds(tables, population)]
    crowd = crowds(tables, population) if population and classes(tables) else [len(rows) for rows in classes(tables)]
    return {
        "highest": max(prosecutor, default=Fraction(0)),
        "lowest": min(prosecutor, default=Fraction(0)),
        "average": mean(prosecutor),
        "rows at highest": Fraction(prosecutor.count(max(prosecutor)) if prosecutor else 0),
        "above threshold": share_above(prosecutor, threshold),
        "journalist highest": max(journalist, default=Fraction(0)),
        "journalist lowest": min(journalist, default=Fraction(0)),
        "journalist success rate": max(Fraction(len(crowd), sum(crowd) or 1), mean(journalist)),
        "journalist above threshold": share_above(journalist, threshold),
        "marketer": mean(journalist),
    }


def sample_uniqueness(tables: Tables) -> Fraction:
    """Return the share of rows that are alone in their class."""
    return mean([Fraction(size == 1) for size in row_sizes(tables)])


def population_uniqueness(tables: Tables, population: Rows) -> Fraction:
    """Return the share of people that are alone once generalised as the release is; 0 if nothing is published."""
    if not classes(tables):
        return Fraction(0)
    people, _ = checked(tables, population)
    return mean([Fraction(people.count(key) == 1) for key in people])


def histogram(tables: Tables) -> dict[int, int]:
    """Count the classes of each size."""
    return dict(Counter(len(rows) for rows in classes(tables)))


def attribute_risk(tables: Tables) -> dict[tuple[str, ...], tuple[Fraction, Fraction | None]]:
    """Return distinction and separation for every subset of the quasi-identifiers."""
    rows = [row for row in tables.released if not is_suppressed(tables, row)]
    risks = {}
    for size in range(1, len(tables.quasi_identifiers) + 1):
        for names in combinations(tables.quasi_identifiers, size):
            seen = [tuple(row[name] for name in names) for row in rows]
            risks[names] = Fraction(len(set(seen)), len(seen) or 1), separation(seen)
    return risks


def separation(seen: list) -> Fraction | None:
    """Return the share of pairs of rows that are different; None if there is no pair."""
    apart = [Fraction(one != other) for one, other in combinations(seen, 2)]
    return mean(apart) if apart else None


# Estimates from the histogram of class sizes.


def zayatz(sizes: dict[int, int], population: int) -> Fraction:
    """Zayatz 1991, in fractions."""
    unique, rows = sizes.get(1, 0), sum(size * many for size, many in sizes.items())
    if not unique:
        return Fraction(0)
    if rows == population:
        return Fraction(unique, rows)
    expected = Fraction(0)
    for size, many in sizes.items():
        product = Fraction(1)
        for k in range(1, size):
            factor = 1 - Fraction(rows - 1, population - k)
            if factor <= 0:
                product = Fraction(0)
                break
            product *= factor
        expected += size * many * product
    return Fraction(unique, rows) * unique / expected


def context_risk(chances: list[Fraction], risk: Fraction, *, any_of: bool) -> Fraction:
    """Return the chance that the likeliest attempt, or at least one of independent attempts, succeeds.

    For independent attempts, add up the chances of every way in which some succeed and the others do not.
    """
    if not any_of:
        return max(chance * risk for chance in chances)
    total, places = Fraction(0), range(len(chances))
    for succeeding in (set(chosen) for many in places for chosen in combinations(places, many + 1)):
        way = Fraction(1)
        for place in places:
            success = chances[place] * risk
            way *= success if place in succeeding else 1 - success
        total += way
    return total


def knowing_one(prevalence: Fraction, acquaintances: int) -> Fraction:
    """Return the chance that one of some acquaintances has a condition: the first has it, or the others do."""
    return 0 if not acquaintances else prevalence + (1 - prevalence) * knowing_one(prevalence, acquaintances - 1)
