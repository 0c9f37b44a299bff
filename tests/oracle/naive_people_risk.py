"""Risks where a person may have several rows, by definition: over people, each with the worst of their classes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations
from math import prod

from oracle import naive_privacy as by_rows
from oracle import naive_suda, naive_utility, naive_weights
from oracle.naive import DIGITS, Game
from oracle.naive_people import Folk, Group, Person, World, classes_of, groups

Crowds = Sequence[tuple[Group, int]]


# Risks of people.


def re_identification(folk: Folk, world: World | None, above: Callable[[Fraction], bool]) -> dict[str, Fraction]:
    """Return the risks for the three adversaries; `above` says whether a risk is above the threshold."""
    crowds = [(group, group.size) for group in groups(folk)]
    wide = world.crowds() if world and folk.shown else crowds
    prosecutor, journalist = risks_of(folk, crowds), risks_of(folk, wide)
    everybody = sum(many for _, many in wide)
    return {
        "highest": max(prosecutor, default=Fraction(0)),
        "lowest": min(prosecutor, default=Fraction(0)),
        "average": mean(prosecutor),
        "at highest": Fraction(prosecutor.count(max(prosecutor)) if prosecutor else 0),
        "above threshold": mean([Fraction(above(risk)) for risk in prosecutor]),
        "journalist highest": max(journalist, default=Fraction(0)),
        "journalist lowest": min(journalist, default=Fraction(0)),
        "journalist success rate": max(Fraction(len(wide), everybody or 1), mean(journalist)),
        "journalist above threshold": mean([Fraction(above(risk)) for risk in journalist]),
        "marketer": mean(journalist),
    }


def risks_of(folk: Folk, crowds: Crowds) -> list[Fraction]:
    """Return, for each person, 1 divided by the smallest crowd of a class that they are in."""
    return [
        1 / Fraction(min(many for group, many in crowds if person in group.people)) for person in sorted_people(folk)
    ]


def sorted_people(folk: Folk) -> list[Person]:
    return sorted(folk.present, key=str)


def mean(numbers: Sequence[Fraction]) -> Fraction:
    return sum(numbers, Fraction(0)) / len(numbers) if numbers else Fraction(0)


def sample_uniqueness(folk: Folk) -> Fraction:
    """Return the share of people who are alone in at least one class."""
    return mean([Fraction(any(one.size == 1 for one in classes_of(folk, each))) for each in sorted_people(folk)])


def everybody_in_one_class(folk: Folk) -> bool:
    return all(len(classes_of(folk, person)) == 1 for person in folk.present)


def attribute_risk(folk: Folk) -> dict[tuple[str, ...], tuple[Fraction, Fraction | None]]:
    """Return distinction and separation of every subset of the quasi-identifiers.

    Two different people are drawn, each with one of their tuples (or with their history): how often do these differ?
    """
    found = {}
    for size in range(1, len(folk.tables.quasi_identifiers) + 1):
        for names in combinations(folk.tables.quasi_identifiers, size):
            parts = groups(folk, names)
            pairs = [(place, person) for place, part in enumerate(parts) for person in part.people]
            apart = [Fraction(one[0] != other[0]) for one, other in combinations(pairs, 2) if one[1] != other[1]]
            found[names] = Fraction(len(parts), len(pairs) or 1), mean(apart) if apart else None
    return found


# Weights.


def weight_of(folk: Folk, weights: Sequence[Fraction]) -> dict[Person, Fraction]:
    """Return the weight of each person, which is the same in all of their rows."""
    known: dict[Person, Fraction] = {}
    for person, weight in zip(folk.persons, weights, strict=True):
        if known.setdefault(person, weight) != weight:
            raise ValueError(person)
    return known


def individual_risks(folk: Folk, weights: Sequence[Fraction], digits: int = 60) -> dict[Person, Decimal]:
    """Return, for each person, the highest risk of their classes."""
    weight = weight_of(folk, weights)
    with localcontext(prec=digits):
        risk = {
            group: naive_weights.risk(group.size, sum(weight[one] for one in group.people), digits)
            for group in groups(folk)
        }
    return {person: max(risk[group] for group in risk if person in group.people) for person in folk.present}


def population_uniques(folk: Folk, weights: Sequence[Fraction]) -> Fraction:
    """Return how many of the people who are alone in a class of the sample are expected to be so in the population."""
    weight = weight_of(folk, weights)
    alone = {next(iter(group.people)) for group in groups(folk) if group.size == 1}
    return sum((min(1 / weight[person], Fraction(1)) for person in alone), Fraction(0))


def household_risks(folk: Folk, weights: Sequence[Fraction], households: Sequence[Hashable]) -> dict[Hashable, Decimal]:
    """Return, for each household, the chance that at least one of its people is re-identified."""
    risks = individual_risks(folk, weights)
    with localcontext(prec=DIGITS):
        return {
            household: 1
            - prod(1 - risks[one] for one in {folk.persons[p] for p in folk.shown if households[p] == household})
            for household in {households[place] for place in folk.shown}
        }


# Special uniques.


def minimal_uniques(
    folk: Folk, largest: int, *, missing_is_known: bool = True
) -> dict[tuple[Hashable, Person], set[naive_suda.Columns]]:
    """Return, for each pair of a class and a person in it, the sets of columns that single the person out."""
    names, rows = folk.tables.quasi_identifiers, folk.tables.released
    hidden = {folk.tables.marker} if missing_is_known else {folk.tables.marker, None}
    found = {}
    for place in folk.shown:
        row, person = rows[place], folk.persons[place]

        def single(columns: naive_suda.Columns, row=row, person=person) -> bool:
            alike = [p for p in folk.shown if all(rows[p][name] == row[name] for name in columns)]
            return {folk.persons[p] for p in alike} == {person} and not any(row[name] in hidden for name in columns)

        sets = (columns for size in range(1, largest + 1) for columns in combinations(names, size))
        mine = [columns for columns in sets if single(columns)]
        least = {one for one in mine if not any(set(other) < set(one) for other in mine)}
        found[tuple(row[name] for name in names), person] = least
    return found


def right_matches(folk: Folk, scored: Sequence[int], fraction: Fraction, digits: int = DIGITS) -> list[Decimal]:
    """Return the chance that a match is right, for each pair of a class and a person in it, by their scores."""
    doubles = sum(2 for group in groups(folk) if group.size == 2)
    with localcontext(prec=digits):
        exponent = Decimal(28 - len(folk.tables.quasi_identifiers)) / 20
        spread = sum(Decimal(score) ** -exponent for score in scored if score)
        below = doubles * (1 - fraction) / fraction
        rest = Decimal(below.numerator) / below.denominator
        return [1 / (1 + rest / (spread * Decimal(score) ** exponent)) if score else Decimal(0) for score in scored]


# Profitability.


def payoffs(folk: Folk, game: Game, crowds: Crowds | None = None) -> list[tuple[Group, Fraction, Fraction]]:
    """Return the payoffs of publisher and adversary in each class."""
    crowds = [(group, group.size) for group in groups(folk)] if crowds is None else crowds
    return [(group, game.publisher(many), game.adversary(many)) for group, many in crowds]


def payoffs_with_loss(folk: Folk, game: Game) -> list[list[by_rows.Payoff]]:
    """Return the publisher's payoff of each row of each class, with the benefit B·(1 - IL)."""
    everything = naive_utility.all_combinations(folk.tables)
    return [
        [
            by_rows.payoff(
                game,
                game.publisher(group.size) - game.benefit,
                naive_utility.combinations(folk.tables, place),
                everything,
            )
            for place in group.places
        ]
        for group in groups(folk)
    ]


# Suppression.


def suppress_people(rows: Sequence[tuple[Person, Hashable]], k: int) -> list[set[Person]]:
    """Return who is suppressed in each round: everybody in a class of fewer than k people, until there is none."""
    left, rounds = list(rows), []
    while left:
        sizes = {key: {person for person, other in left if other == key} for _, key in left}
        gone = {person for who in sizes.values() if len(who) < k for person in who}
        if not gone:
            break
        rounds.append(gone)
        left = [(person, key) for person, key in left if person not in gone]
    return rounds
