"""Judge level vectors by goals that count people, where these have several rows.

What is suppressed are the rows of failing classes, or all rows of everybody in a failing class. Where an adversary
knows all records of a person, a class is of people, and the two are the same. Otherwise a person whose rows are gone
leaves other classes smaller, so that what is left is judged again.

A table in which rows are suppressed by person: rows of one combination, but of different persons, may part ways.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from PETWorks.anonymization.candidate import Candidate, Floor, Judge, Verdict
from PETWorks.anonymization.lifted import LiftedFacts, Recoding, Unchanged
from PETWorks.anonymization.plan import SAID, Plan, Suppress
from PETWorks.anonymization.table import RawTable
from PETWorks.anonymization.vectors import Levels
from PETWorks.errors import ParameterError
from PETWorks.facts.facts import Facts
from PETWorks.facts.memo import Memo, kept
from PETWorks.measure.base import Measure
from PETWorks.measure.bounds import Privacy
from PETWorks.tables.counting.persons import Persons
from PETWorks.tables.counting.size_histogram import Grouping
from PETWorks.tables.counting.tally import Coded, IntArray, Mask, Tally, ranked, sums


@dataclass(frozen=True, eq=False)
class ByPerson(Unchanged):
    """The tallies of an original with an entry for each combination and person."""

    pairs: Persons

    @kept
    def released(self) -> Tally:
        """The quasi-identifiers and sensitive attributes; entries of several persons may have the same values."""
        columns = {name: column.take(self.pairs.of_entry) for name, column in self.facts.released.columns.items()}
        return Tally(columns, self.pairs.rows)

    @kept
    def persons(self) -> Persons:
        """Whose rows they are: each entry has one person."""
        return replace(self.pairs, of_entry=np.arange(len(self.pairs.rows)))


@dataclass(frozen=True, eq=False)
class PersonTable(RawTable):
    """The same table, with what one person has of a combination in the place of combinations."""

    @classmethod
    def dividing(cls, whole: RawTable) -> RawTable:
        """Divide the combinations of a table by person; if nobody has several rows, they stay as they are."""
        if (pairs := whole.facts.persons) is None:
            return whole
        return cls(replace(whole.facts, _changed=ByPerson(whole.facts, pairs), _memo=Memo()))

    @cached_property
    def _by_combination(self) -> tuple[IntArray, Tally]:
        return self.facts.released.grouped(self.facts.roles.quasi_identifiers)

    @cached_property
    def _grouped(self) -> tuple[IntArray, Tally]:
        (ids, tally), persons = self._by_combination, self.facts.all_persons
        assert persons is not None  # noqa: S101 (of this kind of table)
        keys = ids.astype(np.int64) * persons.people + persons.of_person
        first, units = ranked(keys, len(tally.counts) * persons.people)
        columns = {name: column.take(ids[first]) for name, column in tally.columns.items()}
        return units, Tally(columns, sums(units, self.facts.released.counts, len(first)))

    @property
    def distinct(self) -> Tally:
        """The combinations, whoever has them."""
        return self._by_combination[1]

    def recoding(self, cells: Mapping[str, Coded], suppressed: Mask) -> Recoding:
        """Return what is written: rows are found by their quasi-identifiers and the cell that names the person.

        Rows without a person, which have the marker or nothing there, are found by either.
        """
        tables, names = self.facts._tables, self.facts.roles.quasi_identifiers  # noqa: SLF001 (of our own)
        named = tables.held([], names, Grouping(names, self.facts.marker)).names
        nobody = [code for code, name in enumerate(named) if name is None or name == self.facts.marker]
        persons = self.pairs.of_person
        unnamed = np.isin(persons, nobody) | (persons >= len(named))
        chosen = np.concatenate([np.flatnonzero(~unnamed), *(np.flatnonzero(unnamed) for _ in nobody)])
        codes = np.concatenate([persons[~unnamed], *(np.full(int(unnamed.sum()), code) for code in nobody)])
        counts = self.counts[chosen]
        counts[len(persons) :] = 0  # the same rows once more
        before = {name: column.take(chosen) for name, column in self.combinations.columns.items()}
        return Recoding(
            Tally({**before, str(tables.people.column): Coded(codes, named)}, counts),
            {name: column.take(chosen) for name, column in cells.items()},
            suppressed[chosen],
        )


def judge_of(
    table: RawTable, plan: Plan, goals: Sequence[Measure] | None = None, allowed: int | None = None, crowd: int = 0
) -> Judge:
    """Return the judge of a plan, or of only some of its goals, with other numbers of suppressed rows."""
    judged, most = plan.goals if goals is None else goals, allowed_in(table, plan) if allowed is None else allowed
    removes = plan.suppressed_rows == "remove" and goals is None
    if table.facts.persons is None:
        return Judge(table, judged, most, crowd, removes=removes)
    return PeopleJudge(table, judged, most, crowd, suppress=plan.suppress)  # whose rows are never removed


def table_of(facts: Facts, plan: Plan) -> RawTable:
    """Return the table that a plan makes a release of; the facts are those of an original as a release of itself."""
    require_countable(facts, plan)
    table = RawTable.of(facts)
    return PersonTable.dividing(table) if plan.suppress == "people" or facts.known == "all" else table


def require_countable(facts: Facts, plan: Plan) -> None:
    """Raise an error if a plan cannot count people, or counts people where no column says who they are."""
    if facts.persons is not None and plan.recoding != "global":
        hint = 'pass recoding="global", which counts people'
        raise ParameterError(f"{SAID[plan.recoding]} counts rows, but people have several", hint=hint)
    if facts.persons is not None and (plan.suppressed_rows == "remove" or plan.order == "shuffled"):
        problem = "with rows removed or shuffled, nobody can tell whose rows are left, and so not measure them again"
        hint = 'keep suppressed rows and the order of rows: suppressed_rows="keep", order="original"'
        raise ParameterError(problem, hint=hint)
    if plan.suppress == "people" and facts.all_persons is None:
        problem = "to suppress people, it must be known whose rows they are"
        raise ParameterError(problem, hint="name their column in person=")


def all_of(table: RawTable, plan: Plan) -> int:
    """Return how many rows, or people, there are of which a share may be suppressed."""
    persons = table.facts.persons
    return table.rows if persons is None or plan.suppress == "rows" else persons.occurring


def suppressed_in(facts: LiftedFacts, plan: Plan) -> int:
    """Return how many rows, or people, are suppressed of those that `all_of` counts."""
    crowd = facts.scope.people
    return facts.scope.suppressed if crowd is None or plan.suppress == "rows" else crowd.suppressed


def amount_of(gone: Mask, table: RawTable, plan: Plan) -> int:
    """Return how many rows, or people, are suppressed with some combinations."""
    by_person = plan.suppress == "people" and table.facts.persons is not None
    return table.people_in(gone) if by_person else int(table.counts[gone].sum())


def allowed_in(table: RawTable, plan: Plan) -> int:
    """Return how many rows, or people, may be suppressed."""
    return plan.allowed(all_of(table, plan))


class PeopleJudge(Judge):
    """Judges level vectors by goals; `allowed` are rows or people, whichever are suppressed, and `crowd` are people."""

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

    def _fewest_rows(self, goal: Privacy) -> int:
        """Return the class size that a goal asks for: people have no fewer rows; 1 if a share of people may go."""
        return 1 if self._by_person else goal.size_asked or 1

    def judge(self, levels: Levels) -> Verdict:
        """Suppress what fails at a vector, and whatever else must be suppressed with it."""
        facts = LiftedFacts.of(self.table.vectors.lift(levels))
        whole, failing, hopeless = ~facts.known_classes.all, ~facts.known_classes.all, False
        for goal in self.by_class:
            fails = goal.failing(facts)
            if fails.any():
                failing |= fails
                hopeless |= not self.allowed and goal.monotone and goal.steady(facts)
                whole |= goal.floor(facts) >= 1
        hopeless |= self._amount(self._rows_of(whole, facts)) > self.allowed
        candidate, amount = self.admitted(levels, facts, failing)
        return Verdict(facts, candidate, amount, hopeless, Floor(levels, facts, whole, 0) if whole.any() else None)

    def admitted(self, levels: Levels, facts: LiftedFacts, failing: Mask) -> tuple[Candidate | None, int]:
        """Return the candidate, or None if more would have to be suppressed than is allowed; and how much."""
        further: Mask | None = facts.lifted.suppressed | self._rows_of(failing, facts)
        gone = facts.lifted.suppressed
        while further is not None:
            gone = gone | further
            if (amount := self._amount(gone)) > self.allowed:
                return None, amount
            candidate = Candidate(self.table, levels, facts, gone, int(self.table.counts[gone].sum()))
            further = self._must_go(candidate)
            if further is not None and not further.any():
                return candidate, amount
        return None, self._amount(gone)

    def _must_go(self, candidate: Candidate) -> Mask | None:
        """Return the combinations that must be suppressed, too; None if nothing can help."""
        released = candidate.released
        classes = released.known_classes
        failing = np.logical_or.reduce([~classes.all, *(goal.failing(released) for goal in self.by_class)])
        if not failing.any():
            unmet = [goal for goal in self._again if goal.evaluate(released).holds is not True]
            if not unmet and not 0 < self.table.people_in(candidate.gone) < self.crowd:
                return np.zeros_like(candidate.gone)
            if not len(classes) or any(map(self._only_worse, unmet)):
                return None
            failing = self._with_smallest(failing, classes.sizes)
        return self._rows_of(failing, released)

    def _rows_of(self, classes: Mask, facts: LiftedFacts) -> Mask:
        """Return the combinations that are suppressed with some classes: of their rows, or of all their people."""
        chosen: Mask = np.append(classes, False)[facts.of_combination]
        if not self._by_person:
            return chosen
        pairs = self.table.pairs
        gone = np.zeros(pairs.people, dtype=bool)
        gone[pairs.of_person[chosen[pairs.of_entry]]] = True
        return gone[pairs.of_person]  # each combination is one of a person

    def _amount(self, gone: Mask) -> int:
        """Count the suppressed rows or, if people are suppressed, the people."""
        return self.table.people_in(gone) if self._by_person else int(self.table.counts[gone].sum())
