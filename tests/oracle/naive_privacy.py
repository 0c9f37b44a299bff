"""The other privacy models computed by definition, row by row: slow, simple, and without any code of the library.

Rows are as in `naive`. Scores are exact fractions; None for a class that fails at every limit. Scores with logarithms
are decimals of 60 digits, and are compared with limits in integers if possible.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from math import prod

from oracle.naive import (
    DIGITS,
    Game,
    Row,
    Rows,
    Scored,
    Tables,
    Value,
    classes,
    grouped,
    is_suppressed,
    overall_cells,
    scored,
)
from oracle.naive_population import crowds, presences
from oracle.naive_utility import all_combinations, combinations


@dataclass(frozen=True)
class Spread:
    """A class, by the values that its rows share, and how often each value of a sensitive attribute occurs in it."""

    values: Row
    size: int
    counts: dict[Value, int]


def spreads(tables: Tables, name: str, *, join: bool = False) -> list[Spread]:
    """Count a sensitive attribute in every class; with `join` the other ones are quasi-identifiers too."""
    others = [other for other in tables.sensitive if other != name] if join else []
    names = [*tables.quasi_identifiers, *others]
    rows = [row for row in tables.released if not is_suppressed(tables, row)]
    return [
        Spread({key: group[0][key] for key in names}, len(group), dict(Counter(row[name] for row in group)))
        for group in grouped(rows, names)
    ]


def overall(tables: Tables, name: str) -> dict[Value, Fraction]:
    """Return the share of each value in the whole table."""
    cells = overall_cells(tables, name)
    return {cell: Fraction(cells.count(cell), len(cells)) for cell in cells}


# k-anonymity and (α,k).


def class_sizes(tables: Tables) -> list[Scored]:
    """Score each class by its size."""
    return scored(tables, lambda rows: Fraction(len(rows)))


def largest_share(spread: Spread) -> Fraction:
    """Return the share of the most frequent value."""
    return max(Fraction(count, spread.size) for count in spread.counts.values())


# l-diversity.


def distinct(spread: Spread) -> Fraction:
    """Count the values."""
    return Fraction(len(spread.counts))


def entropy(spread: Spread) -> Decimal:
    """Return exp(H) = Π q^(-q)."""
    with localcontext(prec=DIGITS):
        shares = [Decimal(count) / spread.size for count in spread.counts.values()]
        return (-sum((share * share.ln() for share in shares), Decimal(0))).exp()


def entropy_at_least(spread: Spread, limit: Fraction) -> bool:
    """Compare exp(H) with a/b in integers: (b·s)^s ≥ a^s · Π c^c."""
    powers = prod(count**count for count in spread.counts.values())
    return (limit.denominator * spread.size) ** spread.size >= limit.numerator**spread.size * powers


def recursive(spread: Spread, least: int) -> Fraction | None:
    """Divide the largest count by the sum of those from the l-th on; None if there is no l-th."""
    counts = sorted(spread.counts.values(), reverse=True)
    return Fraction(counts[0], sum(counts[least - 1 :])) if len(counts) >= least else None


# δ-disclosure.


def change(spread: Spread, whole: dict[Value, Fraction]) -> Fraction:
    """Return the largest factor by which the share of a value in a class is above or below that in the table."""
    ratios = [Fraction(count, spread.size) / whole[value] for value, count in spread.counts.items()]
    return max(max(ratio, 1 / ratio) for ratio in ratios)


def lacks_a_value(spread: Spread, whole: dict[Value, Fraction]) -> bool:
    """Return True if some value of the table does not occur in a class."""
    return any(value not in spread.counts for value in whole)


def log2(number: Fraction) -> Decimal:
    """Return the logarithm to base 2."""
    with localcontext(prec=DIGITS):
        return (Decimal(number.numerator).ln() - Decimal(number.denominator).ln()) / Decimal(2).ln()


def whole_log2(number: Fraction) -> Fraction | None:
    """Return the logarithm to base 2 if it is a fraction: that of a fraction can only be a whole number."""
    power = round(log2(number))
    return Fraction(power) if Fraction(2) ** power == number else None


def log2_below(number: Fraction, limit: Fraction) -> bool:
    """Compare log2(number) with a limit."""
    exact = whole_log2(number)
    if exact is not None:
        return exact < limit
    with localcontext(prec=DIGITS):
        return log2(number) < Decimal(limit.numerator) / limit.denominator


# β-likeness.


def excess(spread: Spread, whole: dict[Value, Fraction]) -> Fraction:
    """Return the largest (q - p)/p over the values with q > p; 0 if there are none."""
    shares = {value: Fraction(count, spread.size) for value, count in spread.counts.items()}
    gains = [(share - whole[value]) / whole[value] for value, share in shares.items() if share > whole[value]]
    return max(gains, default=Fraction(0))


def beyond_log(spread: Spread, whole: dict[Value, Fraction]) -> bool:
    """Return True if the excess of some value is above -ln p."""
    for value, count in spread.counts.items():
        share = whole[value]
        gain = (Fraction(count, spread.size) - share) / share
        with localcontext(prec=DIGITS):
            surprise = Decimal(share.denominator).ln() - Decimal(share.numerator).ln()
            if gain > 0 and Decimal(gain.numerator) / gain.denominator > surprise:
                return True
    return False


# Populations.


def presence(tables: Tables, population: Rows) -> list[tuple[Fraction, int]]:
    """Return, for every class of the population, the share that is in the release, and its people."""
    return [(Fraction(rows, people), people) for rows, people in presences(tables, population)]


def k_map(tables: Tables, population: Rows) -> list[Scored]:
    """Score each class of the release by its people."""
    people = crowds(tables, population)
    return [Scored(one.values, one.size, Fraction(many)) for one, many in zip(class_sizes(tables), people, strict=True)]


# Profitability.


def journalist_payoffs(tables: Tables, population: Rows, game: Game) -> tuple[list[Scored], list[Scored]]:
    """Return the payoffs of publisher and adversary in every class, by the number of people in the population."""
    found = k_map(tables, population)
    return (
        [Scored(one.values, one.size, game.publisher(int(one.score))) for one in found],
        [Scored(one.values, one.size, game.adversary(int(one.score))) for one in found],
    )


@dataclass(frozen=True)
class Payoff:
    """The publisher's payoff for a row: as a decimal, and also exactly if it is a fraction."""

    exact: Fraction | None
    value: Decimal

    @property
    def pays(self) -> bool:
        """Return True if the payoff is positive."""
        return (self.value if self.exact is None else self.exact) > 0


def payoffs_with_loss(tables: Tables, game: Game, crowd: list[int] | None = None) -> list[list[Payoff]]:
    """Return the publisher's payoff for every row of every class, with the benefit B·(1 - IL) instead of B."""
    found = classes(tables)
    sizes = [len(rows) for rows in found] if crowd is None else crowd
    everything = all_combinations(tables)
    payoffs = []
    for group, size in zip(found, sizes, strict=True):
        places = [place for place, row in enumerate(tables.released) if any(row is other for other in group)]
        losses = [combinations(tables, place) for place in places]
        payoffs.append([payoff(game, game.publisher(size) - game.benefit, lost, everything) for lost in losses])
    return payoffs


def payoff(game: Game, minus_risk: Fraction, lost: int, everything: int) -> Payoff:
    """Return B·(1 - ln(lost)/ln(everything)) - risk."""
    share = log_share(lost, everything)
    exact = game.benefit * (1 - share) + minus_risk if share is not None else None
    if game.benefit == 0:
        exact = minus_risk
    with localcontext(prec=DIGITS):
        loss = Decimal(lost).ln() / Decimal(everything).ln() if everything > 1 else Decimal(0)
        value = decimal(game.benefit) * (1 - loss) + decimal(minus_risk)
    return Payoff(exact, value)


def log_share(part: int, everything: int) -> Fraction | None:
    """Return ln(part)/ln(everything) if it is a fraction; 0 if everything is 1."""
    if everything == 1:
        return Fraction(0)
    return next(
        (
            Fraction(above, below)
            for below in range(1, everything.bit_length() + 1)
            for above in range(below + 1)
            if part**below == everything**above
        ),
        None,
    )


def decimal(number: Fraction) -> Decimal:
    """Divide, to the digits of the decimal context."""
    return Decimal(number.numerator) / number.denominator
