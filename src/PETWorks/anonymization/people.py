"""Judge lattice nodes by goals that count people, where people have several rows.

Suppression removes the rows of failing classes, or all rows of every person in a failing class. Where an adversary
knows all records of a person, classes are of people, and the two are the same. Otherwise a suppressed person leaves
other classes smaller, so that the remaining classes are judged again.

If rows are suppressed by person, each combination of the table is divided by person.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from PETWorks.anonymization.candidate import LatticeNode, NodeJudge, NodeVerdict, SuppressionFloor
from PETWorks.anonymization.plan import SearchSettings
from PETWorks.anonymization.recodings import load_recoding
from PETWorks.anonymization.release_facts import OriginalTallies, RecodedFacts, RecodingMap
from PETWorks.anonymization.table import RawTable
from PETWorks.anonymization.vectors import Levels
from PETWorks.errors import ParameterError
from PETWorks.facts.facts import Facts
from PETWorks.facts.memo import cached
from PETWorks.facts.tallies import find_tables
from PETWorks.measure.base import Measure
from PETWorks.measure.bounds import Privacy
from PETWorks.settings.sections import Suppress
from PETWorks.tables.counting.persons import PersonPairs
from PETWorks.tables.counting.size_histogram import Grouping
from PETWorks.tables.counting.tally import Coded, IntArray, Mask, Tally, rank_keys, sum_by_group


@dataclass(frozen=True, eq=False)
class PersonTallies(OriginalTallies):
    """The tallies of an original with an entry for each combination and person."""

    pairs: PersonPairs

    @cached
    def released(self) -> Tally:
        """The quasi-identifiers and sensitive attributes; entries of several persons may have the same values."""
        columns = {name: column.take(self.pairs.of_entry) for name, column in self.facts.released.columns.items()}
        return Tally(columns, self.pairs.rows)

    @cached
    def persons(self) -> PersonPairs:
        """The people of the entries: each entry has one person."""
        return replace(self.pairs, of_entry=np.arange(len(self.pairs.rows)))


@dataclass(frozen=True, eq=False)
class PersonTable(RawTable):
    """A table whose combinations are divided by person."""

    @classmethod
    def divide(cls, whole: RawTable) -> RawTable:
        """Divide the combinations of a table by person; return the table itself if nobody has several rows."""
        if (pairs := whole.facts.persons) is None:
            return whole
        return cls(replace(whole.facts, changed=PersonTallies(whole.facts, pairs)))

    @cached_property
    def _by_combination(self) -> tuple[IntArray, Tally]:
        return self.facts.released.group(self.facts.roles.quasi_identifiers)

    @cached_property
    def _grouped(self) -> tuple[IntArray, Tally]:
        (ids, tally), persons = self._by_combination, self.facts.all_persons
        assert persons is not None  # noqa: S101 (of this kind of table)
        keys = ids.astype(np.int64) * persons.people + persons.of_person
        first, units = rank_keys(keys, len(tally.counts) * persons.people)
        columns = {name: column.take(ids[first]) for name, column in tally.columns.items()}
        return units, Tally(columns, sum_by_group(units, self.facts.released.counts, len(first)))

    @property
    def distinct(self) -> Tally:
        """The combinations of the undivided table."""
        return self._by_combination[1]

    def build_recoding_map(self, cells: Mapping[str, Coded], suppressed: Mask) -> RecodingMap:
        """Build the recoding map, which finds rows by their quasi-identifiers and the cell of the person column.

        Rows without a person, whose cell is the marker or missing, are found by either.
        """
        tables, names = find_tables(self.facts), self.facts.roles.quasi_identifiers
        named = tables.count_with_persons([], names, Grouping(names, self.facts.marker)).names
        nobody = [code for code, name in enumerate(named) if name is None or name == self.facts.marker]
        persons = self.pairs.of_person
        unnamed = np.isin(persons, nobody) | (persons >= len(named))
        chosen = np.concatenate([np.flatnonzero(~unnamed), *(np.flatnonzero(unnamed) for _ in nobody)])
        codes = np.concatenate([persons[~unnamed], *(np.full(int(unnamed.sum()), code) for code in nobody)])
        counts = self.counts[chosen]
        counts[len(persons) :] = 0  # the same rows again
        before = {name: column.take(chosen) for name, column in self.combinations.columns.items()}
        return RecodingMap(
            Tally({**before, str(tables.people.column): Coded(codes, named)}, counts),
            {name: column.take(chosen) for name, column in cells.items()},
            suppressed[chosen],
        )


def build_judge(
    table: RawTable,
    plan: SearchSettings,
    goals: Sequence[Measure] | None = None,
    allowed: int | None = None,
    crowd: int = 0,
) -> NodeJudge:
    """Build the judge of a plan, or of some goals with another limit on suppressed rows."""
    judged, most = (
        plan.goals if goals is None else goals,
        count_allowed_units(table, plan) if allowed is None else allowed,
    )
    removes = plan.suppressed_rows == "remove" and goals is None
    if table.facts.persons is None:
        return NodeJudge(table, judged, most, crowd, removes=removes)
    return PeopleJudge(table, judged, most, crowd, suppress=plan.suppress)  # it never removes rows


def build_table(facts: Facts, plan: SearchSettings) -> RawTable:
    """Build the table that a plan recodes. The facts are those of the original, measured as if it were released."""
    require_countable(facts, plan)
    table = RawTable.of(facts)
    return PersonTable.divide(table) if plan.suppress == "people" or facts.known == "all" else table


def require_countable(facts: Facts, plan: SearchSettings) -> None:
    """Raise an error if a plan cannot count people, or must count them without a person column."""
    recoding = load_recoding(plan.recoding)
    if facts.persons is not None and not recoding.counts_people:
        hint = 'pass recoding="global", which counts people'
        raise ParameterError(f"{recoding.title} counts rows, but people have several", hint=hint)
    if facts.persons is not None and (plan.suppressed_rows == "remove" or plan.order == "shuffled"):
        problem = (
            "after rows are removed or shuffled, the person of each row is unknown, so people cannot be counted again"
        )
        hint = 'keep suppressed rows and the order of rows: suppressed_rows="keep", order="original"'
        raise ParameterError(problem, hint=hint)
    if plan.suppress == "people" and facts.all_persons is None:
        problem = 'suppress="people" needs the column of persons'
        raise ParameterError(problem, hint="name their column in person=")


def count_units(table: RawTable, plan: SearchSettings) -> int:
    """Count the rows, or people, of which a share may be suppressed."""
    persons = table.facts.persons
    return table.rows if persons is None or plan.suppress == "rows" else persons.occurring


def count_suppressed_units(facts: RecodedFacts, plan: SearchSettings) -> int:
    """Count the suppressed rows, or people, of a release."""
    crowd = facts.scope.people
    return facts.scope.suppressed if crowd is None or plan.suppress == "rows" else crowd.suppressed


def count_chosen_units(gone: Mask, table: RawTable, plan: SearchSettings) -> int:
    """Count the rows, or people, of some combinations."""
    by_person = plan.suppress == "people" and table.facts.persons is not None
    return table.count_people(gone) if by_person else int(table.counts[gone].sum())


def count_allowed_units(table: RawTable, plan: SearchSettings) -> int:
    """Count the rows, or people, that may be suppressed."""
    return plan.allowed(count_units(table, plan))


class PeopleJudge(NodeJudge):
    """Judges level vectors by goals; `allowed` counts rows or people, by `suppress`, and `crowd` counts people."""

    def __init__(
        self,
        table: RawTable,
        goals: Sequence[Measure],
        allowed: int,
        crowd: int = 0,
        *,
        suppress: Suppress = "rows",
    ) -> None:
        super().__init__(table, goals, allowed, crowd)
        self._by_person = suppress == "people"

    def _count_fewest_rows(self, goal: Privacy) -> int:
        """Return the class size that a goal requires: people have at least one row; 1 if people are suppressed."""
        return 1 if self._by_person else goal.requested_size or 1

    def _judge(self, levels: Levels, facts: RecodedFacts) -> NodeVerdict:
        whole, failing, hopeless = ~facts.groups(with_values=True).all, ~facts.groups(with_values=True).all, False
        for goal in self.by_class:
            fails = goal.find_failing(facts)
            if fails.any():
                failing |= fails
                hopeless |= not self.allowed and goal.monotone and goal.declarations_hold(facts)
                whole |= goal.find_least_suppression(facts) >= 1
        hopeless |= self._count_units(self._select_rows(whole, facts)) > self.allowed
        candidate, amount = self.admit(levels, facts, failing)
        return NodeVerdict(
            facts, candidate, amount, hopeless, SuppressionFloor(levels, facts, whole, 0) if whole.any() else None
        )

    def admit(self, levels: Levels, facts: RecodedFacts, failing: Mask) -> tuple[LatticeNode | None, int]:
        """Return the node, or None if more must be suppressed than allowed; and the amount."""
        further: Mask | None = facts.combination_labels.suppressed | self._select_rows(failing, facts)
        gone = facts.combination_labels.suppressed
        while further is not None:
            gone = gone | further
            if (amount := self._count_units(gone)) > self.allowed:
                return None, amount
            candidate = LatticeNode(self.table, levels, facts, gone, int(self.table.counts[gone].sum()))
            further = self._find_further(candidate)
            if further is not None and not further.any():
                return candidate, amount
        return None, self._count_units(gone)

    def _find_further(self, candidate: LatticeNode) -> Mask | None:
        """Return the further combinations that must be suppressed; None if no suppression can help."""
        released = candidate.released
        classes = released.groups(with_values=True)
        failing = np.logical_or.reduce([~classes.all, *(goal.find_failing(released) for goal in self.by_class)])
        if not failing.any():
            unmet = [goal for goal in self._again if goal.evaluate(released).holds is not True]
            if not unmet and not 0 < self.table.count_people(candidate.gone) < self.crowd:
                return np.zeros_like(candidate.gone)
            if not len(classes) or any(map(self._only_worsens, unmet)):
                return None
            failing = self._add_smallest(failing, classes.sizes)
        return self._select_rows(failing, released)

    def _select_rows(self, classes: Mask, facts: RecodedFacts) -> Mask:
        """Return the combinations to suppress for some classes: those of their rows, or of all their people."""
        chosen: Mask = np.append(classes, False)[facts.of_combination]
        if not self._by_person:
            return chosen
        pairs = self.table.pairs
        gone = np.zeros(pairs.people, dtype=bool)
        gone[pairs.of_person[chosen[pairs.of_entry]]] = True
        return gone[pairs.of_person]  # each combination is one of a person

    def _count_units(self, gone: Mask) -> int:
        """Count the suppressed rows or, if people are suppressed, the people."""
        return self.table.count_people(gone) if self._by_person else int(self.table.counts[gone].sum())
