"""The main class: a release, and the measures that can be evaluated on it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np

from PETWorks.errors import ParameterError
from PETWorks.evaluation.editions import open_editions
from PETWorks.evaluation.evaluation import Evaluation
from PETWorks.evaluation.provenance import ProvenanceSource
from PETWorks.evaluation.remedies import find_failing_classes
from PETWorks.evaluation.requirement import Requirement
from PETWorks.evaluation.run import evaluate_all, judge_requirements, read_measure, read_once
from PETWorks.facts.facts import Facts
from PETWorks.facts.notes import Name, Note
from PETWorks.facts.people import add_person_role, read_people
from PETWorks.facts.roles import Names, Role, Roles, combine_roles, read_role
from PETWorks.facts.sidecar import find_sidecar, find_unused_hierarchies, require_columns_of_hierarchies
from PETWorks.facts.tallies import InputTables, count_raw_values, find_tables
from PETWorks.hierarchies.files import LazyHierarchies, find_hierarchies
from PETWorks.hierarchies.hierarchy import Hierarchy
from PETWorks.hierarchies.rule import Rule
from PETWorks.inspection.values import find_wrong_numbers
from PETWorks.measure.base import Measure
from PETWorks.measure.bounds import Privacy
from PETWorks.measure.result import Result
from PETWorks.premises.accept import Accept
from PETWorks.premises.adversary import Adversary
from PETWorks.premises.check import PremiseCheck, check_names
from PETWorks.settings.sections import CellReading, EarlierReleases, Person, Preparing, Reading, RowPairing
from PETWorks.shown import THRESHOLD
from PETWorks.tables.counting.tally import is_missing
from PETWorks.tables.counting.workspace import Workspace
from PETWorks.tables.frames import Library
from PETWorks.tables.mapped import find_distinct_cells
from PETWorks.tables.opening import OpenedTable, open_original, open_source
from PETWorks.tables.prepare import count_repeated_rows, read_day
from PETWorks.tables.source import TableSource, require_used


class Release:
    """A de-identified table that is to be published, with the original, the population, roles and hierarchies.

    `table`, `original` and `population` (which includes the released people) are paths, such as of a CSV or Parquet
    file, or tables in memory (pandas, polars, Arrow, DuckDB, Spark, a dict). Roles say what an adversary may know
    (`quasi_identifiers`) and what must stay hidden (`sensitive`). Without roles, every column is a quasi-identifier.
    `hierarchies` is a folder of ``*_hierarchy_<column>.csv``, a dict of rows, files or rules such as
    `Hierarchy.intervals`, or a list of these rules. Rows of original and release pair by position, or by the column
    `key`. Measures that compare them raise an error if they do not seem to belong together, unless the caller vouches
    for it: `pairing` ("position" or "key"). `weight` names the column that says how many people of the population each
    row of a sample stands for. `person` names the column that says whose rows they are: people are then counted, not
    rows. `known` is what an adversary knows of a person ("one" record, or "all"), and `unknown_person` says who rows
    without a person belong to ("together": one person; "each": one each). `earlier` lists releases of the same people
    that are out already, the oldest first: mappings with `released`, `original`, `key` and other settings of
    [[earlier]] in a policy. Of a workbook with several sheets, `sheet`
    names the one to read. Values with labels, in files of SPSS and Stata, are read as their labels, or with
    `value_labels="codes"` as they are. Counting uses at most `memory_limit` ("2 GB"; by default most of the machine's
    memory); what does not fit is written to the folder `temporary`.

    >>> years = [("1977", "197*"), ("1988", "198*")]
    >>> release = Release({"year": ["197*", "198*", "198*"]}, hierarchies={"year": years})
    >>> print(release.ask("Precision").value)
    0.5
    """

    def __init__(
        self,
        table: Any,  # noqa: ANN401 (any kind of table)
        *,
        # begin: tables with roles (written by tools/lists.py)
        original: Any = None,  # noqa: ANN401
        population: Any = None,  # noqa: ANN401
        holdout: Any = None,  # noqa: ANN401
        hierarchies: str | os.PathLike[str] | Mapping[str, Any] | Sequence[Hierarchy | Rule] | None = None,
        earlier: Sequence[Any] | None = None,
        key_file: Any = None,  # noqa: ANN401
        quasi_identifiers: Names | None = None,
        sensitive: Names | None = None,
        identifiers: Names | None = None,
        insensitive: Names | None = None,
        # end: tables with roles
        roles: Mapping[str, object] | None = None,
        sidecar: bool = True,
        # begin: reading of a release (written by tools/lists.py)
        key: str | None = None,
        pairing: Literal["position", "key", "none"] | None = None,
        synthetic: bool = False,
        weight: str | None = None,
        person: str | None = None,
        known: Literal["one", "all"] = "one",
        unknown_person: Literal["together", "each"] | None = None,
        prepare: Mapping[str, Any] | None = None,
        derive: Mapping[str, Any] | None = None,
        suppressed: str = "*",
        unknown_values: Literal["error", "generalised"] = "error",
        delimiter: str | None = None,
        encoding: str | None = None,
        sheet: str | None = None,
        value_labels: Literal["text", "codes"] | None = None,
        memory_limit: str | int | None = None,
        temporary: str | os.PathLike[str] | None = None,
        # end: reading of a release
    ) -> None:
        passed = dict(locals())
        for section in (RowPairing, Person, CellReading):
            section.pick(passed)  # which checks them
        passed |= EarlierReleases.pick(passed).values()
        reading = Reading.pick(passed)
        source = open_source(table, "release", *reading)
        beside = find_sidecar(table, original) if sidecar else None
        given: Sequence[tuple[str, object]] = combine_roles(
            roles, quasi_identifiers, sensitive, identifiers, insensitive
        )
        where = source.name
        person = (people := read_people(person, known, unknown_person, weight)).column
        if beside and beside.roles and not given:
            given, where = beside.roles, beside.path.name
        if hierarchies is None and beside:
            hierarchies = beside.hierarchies
        if weight is not None:
            source.require([weight], "the sampling weights", source.columns)
            given = given or [(name, Role.QUASI_IDENTIFIER) for name in source.columns if name not in (weight, person)]
        preparing = Preparing.pick(passed)
        if preparing and original is None:
            hint = "pass original=, or leave out prepare and derive: a release is read as it was written"
            raise ParameterError("prepare and derive are for the original, which is not given", hint=hint)
        before = None if original is None else open_original(original, reading, preparing, person)
        given, self._left_out = _split_left_out(given, source, before)
        given = add_person_role(given, person, source.columns)
        self._unassigned = _find_unassigned(given, person, source.columns)
        self._hierarchies = find_hierarchies(hierarchies)
        all_columns = dict.fromkeys([*source.columns, *(before.columns if before else ())])
        require_columns_of_hierarchies(self._hierarchies, [*all_columns], source.name)
        self._beside = (beside.path.absolute(),) if beside else ()
        facts_roles = Roles.of(source.columns, given, where, source)
        tables = InputTables(
            release=source,
            original=before,
            population=None if population is None else open_source(population, "population", *reading),
            holdout=None if holdout is None else open_source(holdout, "hold-out", *reading),
            key=key,
            vouched=pairing in ("position", "key"),
            unpaired=synthetic or pairing == "none",
            synthetic=synthetic,
            identifiers=(*facts_roles.identifiers, *self._left_out),
            weight=weight,
            people=people,
            marker=suppressed.strip(),
            reading=reading,
            preparing=preparing,
            workspace=Workspace.of(memory_limit, temporary),
            given=tuple(one.given if isinstance(one, OpenedTable) else one for one in (table, original)),
        )
        tables.require_key()
        require_used(reading, *tables.all_tables.values())
        self._provenance_source: ProvenanceSource | None = None
        used = (*facts_roles.quasi_identifiers, *facts_roles.sensitive)
        self._facts = Facts(
            tables,
            roles=facts_roles,
            hierarchies=self._find_used_hierarchies(tables, facts_roles),
            forgiving=unknown_values == "generalised",
            remarks=(
                *([Note("sidecar", {"file": Name(beside.path.name)})] if beside else []),
                *([] if before is None else _note_rows(before, preparing)),
                *find_unused_hierarchies(self._hierarchies, source.columns, used),
            ),
        )
        if editions := open_editions(passed["earlier"], passed["key_file"], self._facts, self._hierarchies):
            self._facts = replace(self._facts, _tables=replace(tables, editions=editions))

    def with_roles(self, *, quasi_identifiers: Names | None = None, sensitive: Names | None = None) -> Release:
        """Return a release of the same tables with other roles; rows that were counted are not read again.

        >>> people = Release({"zip": ["100", "100"], "disease": ["flu", "cold"]})
        >>> by_zip = people.with_roles(quasi_identifiers=["zip"], sensitive=["disease"])
        >>> people.ask("k-anonymity").value, by_zip.ask("k-anonymity").value
        (1.0, 2.0)
        """
        given = combine_roles(None, quasi_identifiers, sensitive, None, None)
        facts, source, person = self._facts, self._tables.release, self._tables.people.column
        said = add_person_role(given, person, source.columns)
        roles = Roles.of(source.columns, said, source.name, source)
        hierarchies = self._find_used_hierarchies(self._tables, roles)
        other = self.with_facts(Facts(self._tables, roles, hierarchies, facts.forgiving, facts.remarks))
        vars(other)["_unassigned"] = _find_unassigned(said, person, source.columns)
        return other

    def with_facts(self, facts: Facts, provenance_source: ProvenanceSource | None = None) -> Release:
        """Return a release with the same files and other facts; `provenance_source` is what made it, if known."""
        other = Release.__new__(Release)
        state = {"_facts": facts, "_provenance_source": provenance_source or self._provenance_source}
        vars(other).update(vars(self) | state)
        return other

    def with_tables(self, tables: InputTables, roles: Roles) -> Release:
        """Return a release of other tables with the same settings, and other roles; nothing of them is counted yet."""
        hierarchies, facts = self._find_used_hierarchies(tables, roles), self._facts
        return self.with_facts(Facts(tables, roles, hierarchies, facts.forgiving, facts.remarks))

    @property
    def facts(self) -> Facts:
        """The facts that measures are computed from."""
        return self._facts

    @property
    def _tables(self) -> InputTables:
        return find_tables(self._facts)

    def _find_used_hierarchies(self, tables: InputTables, roles: Roles) -> LazyHierarchies:
        """Return the hierarchies of the quasi-identifiers and sensitive attributes."""
        used = (*roles.quasi_identifiers, *roles.sensitive)
        places = {name: self._hierarchies[name] for name in used if name in self._hierarchies}
        return LazyHierarchies(places, partial(count_raw_values, tables, roles))

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that the release is read from: tables, hierarchies, and the YAML beside the table."""
        return (
            *self._tables.files,
            *(Path(one) for one in self._hierarchies.values() if isinstance(one, Path)),
            *self._beside,
        )

    def hash_while_reading(self) -> None:
        """Compute the digests of CSV files while they are read: a record of the results then reads no file again."""
        self._tables.hash_while_reading()

    def __repr__(self) -> str:
        """Name the table and its roles."""
        return f"<Release {self._tables.release.name}: {self.roles}>"

    @property
    def roles(self) -> Roles:
        """The columns by role."""
        return self._facts.roles

    @property
    def left_out(self) -> tuple[str, ...]:
        """The identifiers of the original that the release no longer has."""
        return self._left_out

    @property
    def remarks(self) -> tuple[Note, ...]:
        """Notes on how the tables are used: settings from a YAML file, hierarchies that fit no column."""
        return self._facts.remarks

    def ask(self, measure: Measure | str) -> Result:
        """Evaluate one measure, given as an object or, if it needs no parameters, by name."""
        return self.evaluate(measure)[0]

    def evaluate(self, *asked: Measure | str, others: bool = False) -> Evaluation:
        """Evaluate the given measures; without any, all that can be evaluated without further parameters.

        With `others`, evaluate the given measures and all others. Measures that cannot be evaluated are then skipped,
        and the evaluation says why.
        """
        questions = [read_measure(measure) for measure in asked]
        if others or not questions:
            return self._complete(evaluate_all(self._facts, asked=questions))
        read_once(self._facts, questions)
        return self._complete(Evaluation([question.evaluate(self._facts) for question in questions]))

    def classes(self, *failing: Measure | str, library: Library | None = None) -> Any:  # noqa: ANN401 (any library)
        """Return the classes as a frame: the quasi-identifiers' values, as text, and the number of people (`size`).

        If measures with limits are given, `failing` tells the classes that fail one of them. Suppressed rows are in no
        class. `library` is "pandas", "polars" or "pyarrow"; by default the one in which the release was passed, and for
        files the first that is installed. Values are categories; many classes take up memory beyond `memory_limit`.
        """
        from PETWorks.evaluation.frames import build_class_frame

        measures = [read_measure(measure) for measure in failing]
        for one in measures:
            if not isinstance(one, Privacy) or not one.judges:
                hint = "pass measures that judge every class, with their limits, for example KAnonymity(k=5)"
                raise ParameterError(f"{one.name} does not tell which classes fail", hint=hint)
        return build_class_frame(
            self._facts, find_failing_classes(measures, self._facts) if measures else None, library
        )

    def check(
        self,
        *required: Measure | Requirement,
        title: str = "",
        accept: Sequence[Accept] = (),
        adversaries: Sequence[Adversary] = (),
    ) -> Evaluation:
        """Judge measures with limits. If one cannot be evaluated, its problem is kept and the others still are.

        `accept` lists the premises that may stay although they do not hold, each with its reason; `adversaries` those
        who must not find more people than they say. Premises (``evaluation.premises``) are part of the verdict, and
        are checked when they or the verdict are asked for; ``requirements_hold`` is the verdict without them.

        >>> from PETWorks import KAnonymity
        >>> Release({"year": ["197*", "198*", "198*"]}).check(KAnonymity(k=2)).holds
        False
        """
        asked = [one if isinstance(one, Requirement) else Requirement(read_measure(one)) for one in required]
        check_names(self.build_premise_check((), accept, adversaries))
        find_tables(self._facts).record_rows()
        evaluation = self._complete(judge_requirements(self._facts, asked, title), accept, adversaries)
        evaluation.judges_premises = True
        return evaluation

    def judge_premises(
        self, evaluation: Evaluation, accept: Sequence[Accept] = (), adversaries: Sequence[Adversary] = ()
    ) -> None:
        """Make the premises of this release part of the verdict of an evaluation of it."""
        measures = [one.measure for one in evaluation.requirements]
        evaluation.premise_source = self.build_premise_check(measures, accept, adversaries)
        evaluation.judges_premises = True

    def _complete(
        self, evaluation: Evaluation, accept: Sequence[Accept] = (), adversaries: Sequence[Adversary] = ()
    ) -> Evaluation:
        """Add the provenance and the source of the premises."""
        evaluation.provenance_source = self._provenance_source
        measures = [one.measure for one in evaluation.requirements]
        evaluation.premise_source = self.build_premise_check(measures, accept, adversaries)
        return evaluation

    def build_premise_check(
        self, measures: Sequence[Measure], accept: Sequence[Accept], adversaries: Sequence[Adversary]
    ) -> PremiseCheck:
        """Return the check of the premises of this release, which has not run yet."""
        given = tuple(measures), tuple(accept), tuple(adversaries)
        return PremiseCheck(self._facts, *given, self._unassigned, self._left_out)


def _note_rows(original: TableSource, preparing: Preparing) -> Iterator[Note]:
    """Yield notes on rows of the original's file that are left out, and on cells that fail a check."""
    rows = preparing.prepare.rows if preparing else None
    if rows and (rows.header_row > 1 or rows.skip_last):
        yield Note("left_out_rows", {"above": rows.header_row - 1, "below": rows.skip_last})
    if rows and rows.drop_duplicates and (many := count_repeated_rows(original)):
        yield Note("repeated_rows", {"rows": many}) if many >= THRESHOLD else Note("few_repeated_rows")
    for name, one in preparing.prepare.columns.items() if preparing else ():
        if one.check:
            yield from _note_cells("failed_check", name, one.check, _count_wrong_numbers(original, name, one.check))
        if one.not_after:
            yield from _note_cells("later", name, one.not_after, _count_later(original, name, one.not_after))


def _note_cells(kind: str, column: str, other: str, cells: int) -> Iterator[Note]:
    """Yield a note on cells that fail a check; none if no cell fails."""
    figures = {"column": Name(column), "other": Name(other)}
    if cells:
        yield Note(kind, {**figures, "cells": cells}) if cells >= THRESHOLD else Note(f"few_{kind}", figures)


def _count_wrong_numbers(original: TableSource, column: str, check: str) -> int:
    """Return how many cells are no such numbers, or have a wrong check digit; missing cells do not count."""
    cells = 0
    for batch in original.batches([column]):
        codes, found = find_distinct_cells(batch)
        texts = ["" if text is None or is_missing(text) else text for (text,) in found]
        filled = np.array([bool(text) for text in texts], dtype=bool)
        cells += int((find_wrong_numbers(check, texts) & filled)[codes].sum()) if texts else 0
    return cells


def _count_later(original: TableSource, column: str, other: str) -> int:
    """Return how many dates are later than in another column, or no dates; missing cells do not count."""
    cells = 0
    for batch in original.batches([column, other]):
        codes, found = find_distinct_cells(batch)
        later = np.array([_is_later(*pair) for pair in found], dtype=bool)
        cells += int(later[codes].sum()) if found else 0
    return cells


def _is_later(first: str | None, second: str | None) -> bool:
    if first is None or second is None or is_missing(first) or is_missing(second):
        return False
    try:
        return read_day(first) > read_day(second)
    except ValueError:  # what is no date cannot be in order
        return True


def _split_left_out(
    given: Sequence[tuple[str, object]], source: TableSource, original: TableSource | None
) -> tuple[Sequence[tuple[str, object]], tuple[str, ...]]:
    """Split off the identifiers that only the original has: releases often leave them out."""
    before = () if original is None else original.columns
    gone = {
        str(name).strip(): role
        for name, role in given
        if str(name).strip() in before and str(name).strip() not in source.columns
    }
    left_out = tuple(name for name, role in gone.items() if read_role(role) is Role.IDENTIFIER)
    return [one for one in given if str(one[0]).strip() not in left_out], left_out


def _find_unassigned(
    given: Sequence[tuple[str, object]], person: str | None, columns: Sequence[str]
) -> tuple[str, ...]:
    """Return the columns without a role; none if no roles were given, since all columns have the same one then."""
    named = {str(name).strip() for name, _ in given}
    return tuple(name for name in columns if name not in named and name != person) if given else ()
