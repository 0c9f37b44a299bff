"""Explain how the payoffs of publisher and attacker are computed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from PETWorks.counting.tally import IntArray
from PETWorks.explain.step import Step
from PETWorks.facts.classes import Groups
from PETWorks.formulas.attack_game import Game
from PETWorks.formulas.leaves import information_loss

LISTED = 5  # most class sizes for which an explanation shows the attack


def attacks(game: Game, given: Mapping[str, Any], classes: Groups, sizes: IntArray) -> Iterator[Step]:
    """Yield the attacker's expected gain and the publisher's risk, for the smallest classes, the easiest to attack.

    `given` has the amounts as the caller wrote them, `sizes` how many people an attacker must choose among in each
    class.
    """
    for size in np.unique(sizes)[:LISTED].tolist():
        risk, people = game.risk(size), int(classes.people[sizes == size].sum())
        figures = {"size": size, "expected": game.gain / size, "risk": risk or 0, "people": people}
        yield Step("attack_idle" if risk is None else "attack_pays", {**given, **figures})


def worth(game: Game, given: Mapping[str, Any], leaves: int, everything: int) -> Step:
    """Explain the benefit of publishing rows that stand for `leaves` of all combinations of leaves (`everything`)."""
    lost = information_loss(leaves, everything)
    left = float(game.benefit) * (1 - lost)
    combinations = {"leaves": leaves, "everything": everything, "lost": lost}
    return Step("worth", combinations | {"benefit": given["benefit"], "worth": left})
