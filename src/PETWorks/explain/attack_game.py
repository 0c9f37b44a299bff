"""Explain how the payoffs of publisher and attacker are computed; `given` has the amounts as the caller wrote them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from PETWorks.explain.step import Step
from PETWorks.formulas.attack_game import Game, Played
from PETWorks.formulas.leaves import information_loss

LISTED = 5  # most class sizes for which an explanation shows the attack
Given = Mapping[str, Any]


def attacks(played: Played, given: Given) -> Iterator[Step]:
    """Yield the attacker's expected gain and the publisher's risk, for the smallest classes, the easiest to attack."""
    game, sizes = played.game, played.sizes
    for size in np.unique(sizes)[:LISTED].tolist():
        risk, people = game.risk(size), played.classes.people_in(sizes == size)
        figures = {"size": size, "expected": game.gain / size, "risk": risk or 0, "people": people}
        yield Step("attack_idle" if risk is None else "attack_pays", {**given, **figures})


def strict(game: Game, given: Given) -> Step:
    """Explain how many people an attacker must choose among so that no attack pays."""
    return Step("strict", {**given, "size": game.gain / game.cost}) if game.cost else Step("strict_free")


def attacked(played: Played, given: Given, index: int, score: Fraction | float) -> Iterator[Step]:
    """Explain the attacker's payoff in one class."""
    size = int(played.sizes[index])
    yield Step("attack", {"gain": given["gain"], "size": size, "cost": given["cost"], "score": score})


def published(played: Played, given: Given, index: int, score: Fraction | float) -> Iterator[Step]:
    """Explain the publisher's payoff in one class: what its rows are worth, and what they risk."""
    benefit = given["benefit"]
    if played.leaves is not None:
        step = worth(played.game, given, int(played.leaves[index]), played.everything)
        benefit = step.figures["worth"]
        yield step
    figures = {"benefit": benefit, "risk": played.game.risk(int(played.sizes[index])) or 0, "score": score}
    yield Step("payoff" if score > 0 else "no_payoff", figures)


def worth(game: Game, given: Given, leaves: int, everything: int) -> Step:
    """Explain the benefit of publishing rows that stand for `leaves` of all combinations of leaves (`everything`)."""
    lost = information_loss(leaves, everything)
    left = float(game.benefit) * (1 - lost)
    combinations = {"leaves": leaves, "everything": everything, "lost": lost}
    return Step("worth", combinations | {"benefit": given["benefit"], "worth": left})
