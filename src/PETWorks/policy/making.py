"""How a policy file wants its release to be made: the section [anonymize], with the parameters of `pw.anonymize`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, get_args

from PETWorks.making.plan import Plan, Recoding, plan
from PETWorks.making.record import PARAMETERS
from PETWorks.measure.base import Measure
from PETWorks.policy.toml import Problems, Settings
from PETWorks.privacy.k_anonymity import KAnonymity

OF_COLUMNS = ("coarsest", "finest", "levels", "weights")  # tables: a number for each of some columns
ANY_GOAL = KAnonymity(1)  # each key is checked by itself, whatever the requirements are


@dataclass(frozen=True)
class Pinned:
    """Levels that somebody wants to remember, with a name; the search does not look at them."""

    name: str
    levels: Mapping[str, int]
    given: Mapping[str, Any] = field(default_factory=dict)  # "recoding" and "suppress_at_most", if they are its own

    def planned(self, asked: Plan) -> Plan:
        """Return the plan that makes it, from that of the section; with levels of its own, one level for each column.

        Bounds of the search do not matter where levels are given.
        """
        own = plan(ANY_GOAL, **self.given)
        recoding = own.recoding if self.levels or "recoding" in self.given else asked.recoding
        rate = own.suppress_at_most if "suppress_at_most" in self.given else asked.suppress_at_most
        bounds: dict[str, Any] = {"coarsest": {}, "finest": {}} if self.levels else {}
        return replace(asked, levels=self.levels, recoding=recoding, suppress_at_most=rate, **bounds)


class Making:
    """The section [anonymize]: what may be done to meet the goals. What is wrong with it is added to `problems`.

    `check` raises an error if a plan names other columns than the quasi-identifiers, or levels they do not have.
    """

    plan: Plan | None = None  # None: something is wrong
    pinned: tuple[Pinned, ...] = ()

    def __init__(
        self,
        section: Settings,
        goals: Sequence[Measure],
        problems: Problems,
        check: Callable[[Plan], object],
        further: Mapping[str, Any],
    ) -> None:
        self._problems, self._check = problems, check
        before, accepted = len(problems), dict[str, Any]()
        tables = {name: section.table(name) for name in OF_COLUMNS}
        self.pinned = tuple(map(self._read_pinned, section.tables("pinned")))
        names = [one.name for one in self.pinned if one.name]
        for name in sorted({name for name in names if names.count(name) > 1}):
            section.refuse(f'two candidates are pinned as "{name}"', hint="give each a name of its own")
        given = {**section.rest(), **further}
        section.done(*PARAMETERS)
        for name in (name for name in PARAMETERS if name in given):
            with problems.gathering(section.where):
                plan(ANY_GOAL, **accepted, **{name: given[name]})
                accepted[name] = given[name]
        for name, table in tables.items():
            for column, number in table.rest().items():
                with problems.gathering(table.where):
                    alone: dict[str, Any] = {name: {column: number}}
                    check(plan(ANY_GOAL, **alone))
        with problems.gathering(section.where):
            if goals and len(problems) == before:
                accepted |= {name: table.rest() for name, table in tables.items()}
                found = plan(goals, **accepted)
                check(found)
                self.plan = found

    def _read_pinned(self, one: Settings) -> Pinned:
        name, table = one.text("name"), one.table("levels")
        if "name" not in one:
            one.refuse('missing key "name"', hint='add name = "A", for example')
        recoding = one.word("recoding", *get_args(Recoding))
        given = {key: value for key, value in one.rest().items() if key == "suppress_at_most"}
        one.done("suppress_at_most")
        with self._problems.gathering(one.where):
            plan(ANY_GOAL, **given)
        given |= {"recoding": recoding} if recoding else {}
        levels = {column: level for column in table.rest() if (level := table.whole_number(column)) is not None}
        for column, level in levels.items():
            with self._problems.gathering(one.where):
                self._check(Plan((), levels={column: level}))
        return Pinned(name or "", levels, given)
