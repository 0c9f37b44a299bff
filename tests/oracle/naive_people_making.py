"""The best level vector where people have several rows: every vector is tried on real rows, and judged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import PETWorks as pw
from oracle import naive_making
from oracle import naive_people as people
from oracle import naive_privacy as by_rows
from oracle.naive import Tables
from oracle.naive_people import Folk, Group, Holders, groups
from PETWorks.plugin import Measure

WHO = "who"
Table = dict[str, list[str | None]]


class TwoAnswersError(Exception):
    """Several classes are the smallest, and which of them is suppressed is a matter of order."""


Bad = Callable[[Holders, dict[str, Fraction], dict[str | None, Fraction]], bool]  # by limits, and the whole table
FAILS: dict[str, Bad] = {
    "KAnonymity": lambda held, limit, _: held.group.size < limit["k"],
    "AlphaKAnonymity": lambda held, limit, _: (
        by_rows.largest_share(held.beliefs) > limit["alpha"] or held.group.size < limit["k"]
    ),
    "PSensitiveKAnonymity": lambda held, limit, _: people.distinct(held) < limit["p"] or held.group.size < limit["k"],
    "distinct LDiversity": lambda held, limit, _: people.distinct(held) < limit["l"],
    "entropy LDiversity": lambda held, limit, _: not people.entropy_at_least(held, limit["l"]),
    "recursive LDiversity": lambda held, limit, _: (
        (ratio := people.recursive(held, int(limit["l"]))) is None or not limit["c"] > ratio
    ),
    "BetaLikeness": lambda held, limit, whole: by_rows.excess(held.beliefs, whole) > limit["beta"],
    "DeltaDisclosure": lambda held, limit, whole: (
        not by_rows.log2_below(by_rows.change(held.beliefs, whole), limit["delta"])
    ),
}

LIMITS = ("k", "alpha", "p", "l", "c", "beta", "delta", "t")


def fails(folk: Folk, goal: Measure) -> list[bool]:
    """Return which classes fail a goal, by definition, for the one sensitive attribute."""
    (name,) = folk.tables.sensitive
    given = goal.parameters()
    limit = {key: Fraction(str(given[key])) for key in LIMITS if given.get(key)}
    if isinstance(goal, pw.TCloseness):
        return [distance > limit["t"] for _, distance in people.distances(folk, name, "equal")]
    kind = f"{given['variant']} LDiversity" if isinstance(goal, pw.LDiversity) else type(goal).__name__
    whole = people.overall_beliefs(folk, name)
    return [FAILS[kind](held, limit, whole) for held in people.holders(folk, name)]


@dataclass(frozen=True)
class Making:
    """What a release is made from, what it must meet, and how much may be suppressed: rows, or people."""

    original: Table
    who: list[str]
    hierarchies: dict[str, list[tuple[str | None, ...]]]
    sensitive: list[str]
    goals: Sequence[Measure]
    known: str
    suppress: str
    allowed: int
    crowd: int

    def folk(self, table: Table) -> Folk:
        names = [*self.hierarchies, *self.sensitive]
        rows = [dict(zip(names, cells, strict=True)) for cells in zip(*(table[name] for name in names), strict=True)]
        return Folk(Tables(rows, list(self.hierarchies), self.sensitive, None, {}), self.who, self.known)

    def classes(self, table: Table) -> list[Group]:
        return groups(self.folk(table))

    def failing(self, table: Table) -> list[Group]:
        """Return the classes of which some goal fails."""
        folk = self.folk(table)
        found = [fails(folk, goal) for goal in self.goals]
        return [group for group, *bad in zip(groups(folk), *found, strict=True) if any(bad)]

    def at(self, levels: dict[str, int]) -> tuple[Table, int] | None:
        """Return the release at a vector and how many rows or people it suppresses; None if that are too many."""
        lifted = naive_making.lifted(self.hierarchies, levels, self.original)
        table, names = lifted, list(self.hierarchies)
        while True:
            left = {place for group in self.classes(table) for place in group.places}
            gone = set(range(len(self.who))) - left
            people = {self.who[place] for place in gone}
            if (len(people) if self.suppress == "people" else len(gone)) > self.allowed:
                return None
            bad = self.failing(table)
            if not bad and 0 < len(people) < self.crowd:
                bad = self.smallest(table)
                if not bad:
                    return None
            if not bad:
                return table, len(people) if self.suppress == "people" else len(gone)
            more = {place for group in bad for place in group.places}
            if self.suppress == "people":
                leaving = {person for group in bad for person in group.people}
                more |= {place for place, person in enumerate(self.who) if person in leaving}
            table = naive_making.suppressed(lifted, names, gone | more)

    def smallest(self, table: Table) -> list[Group]:
        """Return the class of the fewest people, if there is one."""
        found = sorted(self.classes(table), key=lambda group: group.size)
        if len(found) > 1 and found[0].size == found[1].size:
            raise TwoAnswersError
        return found[:1]

    def best(self, loss: Callable[[Table], Any]) -> tuple[Any, dict[str, int], int] | None:
        """Return loss, levels and what is suppressed of the best vector; None if there is none."""
        names, found = list(self.hierarchies), []
        for vector in product(*(range(len(self.hierarchies[name][0])) for name in names)):
            made = self.at(dict(zip(names, vector, strict=True)))
            if made is not None:
                found.append((loss(made[0]), made[1], sum(vector), vector[::-1]))
        if not found:
            return None
        lost, gone, _, backwards = min(found)
        return lost, dict(zip(names, backwards[::-1], strict=True)), gone
