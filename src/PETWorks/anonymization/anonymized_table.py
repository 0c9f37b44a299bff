"""The anonymised table that `pw.anonymize` returns: its levels, its score, the proof, and the released rows.

It can be evaluated like any other release, from its rows or from the file that was written. Where the user fixed
levels, a search without them finds whether others lose less.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

from PETWorks.anonymization.explanation import (
    compute_combined_loss,
    compute_weighted_granularity,
    explain,
    list_columns,
    summarise,
)
from PETWorks.anonymization.front import ProgressReport, estimate_local_recoding, search_front
from PETWorks.anonymization.made_release import apply_plan_settings
from PETWorks.anonymization.objective import build_objective
from PETWorks.anonymization.plan import SearchSettings, record_making
from PETWorks.anonymization.recodings import load_recoding
from PETWorks.anonymization.release_facts import RecodedFacts, RecodingMap
from PETWorks.anonymization.search import LatticeResult, LevelsOf, SearchProgress, SearchResult
from PETWorks.anonymization.treatments import (
    describe_treatments,
    find_untreated,
    find_written,
    split_identifiers,
)
from PETWorks.anonymization.writing import ReleaseWriter, require_separate
from PETWorks.errors import GoalError
from PETWorks.evaluation.evaluation import Evaluation
from PETWorks.evaluation.provenance import BetterLevels, ColumnTreatment, Front, Provenance
from PETWorks.evaluation.release import Release
from PETWorks.facts.notes import Note
from PETWorks.facts.roles import Role
from PETWorks.facts.tallies import find_tables
from PETWorks.inspection.survey import inspect_columns
from PETWorks.inspection.uniqueness import build_published_note, find_published_identifiers
from PETWorks.measure.base import Measure
from PETWorks.measure.result import Account, Displayed, Result
from PETWorks.measure.utility.granularity import Granularity
from PETWorks.premises.accept import Accept
from PETWorks.premises.adversary import Adversary
from PETWorks.premises.check import PremiseCheck, check_names
from PETWorks.presentation import Language
from PETWorks.render.atomic_write import resolve_path
from PETWorks.tables.frames import Library
from PETWorks.tables.opening import OpenedTable, open_part, set_path


@dataclass(frozen=True)
class FreeSearchResult:
    """The result of a search without the levels that the user fixed."""

    proof: SearchProgress  # counts of evaluated and excluded vectors, within `finest` and `coarsest`
    proven: bool  # True: no vector loses less than the one that the user fixed
    bound: float | None  # an upper bound on every vector's utility, or a lower bound on its loss; None: unknown
    better: BetterLevels | None  # the best vector found, if it loses less than the one that the user fixed


@dataclass(frozen=True, eq=False)
class AnonymizedTable(Displayed):
    """An anonymised table that meets its goals, with its original, its settings and the proof of its score.

    `Made` is its former name.
    """

    original: Release  # the original, as a release of itself
    plan: SearchSettings
    outcome: SearchResult
    the_rest: tuple[str, ...] = ()  # the columns that the caller did not name, whose role `the_rest` sets

    def __repr__(self) -> str:
        """Name the original, the levels and what was suppressed."""
        known = "as given" if self.plan.levels else "proven" if self.proven else "not proven"
        return f"<Made from {self.facts.name}: levels {self.levels}, {self.suppressed:,} suppressed, {known}>"

    def __str__(self) -> str:
        """Write a summary for people, in English."""
        return self.text()

    def text(self, language: Language = "en") -> str:
        """Write a summary for people, in English (``en``) or 繁體中文 (``zh_TW``)."""
        return str(summarise(self, language))

    def explain(self, language: Language = "en") -> Account:
        """Explain its levels: what each column costs, the next best levels, the effect of suppressing 1% more."""
        return explain(self, language)

    def front(self, work: int | None = None, tell: ProgressReport | None = None) -> Front:
        """Return alternative releases, with other rates of suppression and other limits, the least risk first.

        Rates are 0 to 100%; limits are those of the first privacy goal if it is k-anonymity. None is dominated: no
        other has at most its risk and its suppressed rows, and at least its utility. The search ends after `work`
        evaluated level vectors (by default as many as take a few seconds), or at the `time_limit` of the release; then
        `complete` is False. `tell` is called with the number of limits that were tried, and that of all limits.
        """
        return search_front(self, work, tell)

    def _subject(self) -> Account:
        return summarise(self, "en")

    @property
    def facts(self) -> RecodedFacts:
        """The facts of the release."""
        return self.outcome.facts

    @property
    def levels(self) -> LevelsOf:
        """The level of each quasi-identifier; if rows have different levels, how many rows have each."""
        return self.outcome.levels

    @property
    def without_hierarchy(self) -> tuple[str, ...]:
        """The quasi-identifiers without a hierarchy: their values stay as they are, or become the marker."""
        return tuple(name for name in self.levels if name not in self.facts.hierarchies)

    @property
    def has_level_vector(self) -> bool:
        """True if every column has one level, so that there is a front."""
        return load_recoding(self.plan.recoding).has_level_vector

    @property
    def divided(self) -> bool:
        """True if people with equal quasi-identifiers have different labels, because of their sensitive values."""
        return self.recoding.divided

    @property
    def suppressed(self) -> int:
        """The number of suppressed rows."""
        return self.facts.scope.suppressed

    @property
    def suppressed_people(self) -> int:
        """The number of people who have a suppressed row."""
        crowd = self.facts.scope.people
        return self.suppressed if crowd is None else crowd.suppressed

    @property
    def proven(self) -> bool:
        """True if no other release of this kind meets the goals at less loss, even with other than fixed levels."""
        return self.outcome.proven if self.given is None else self.given.proven

    @cached_property
    def bound(self) -> float | None:
        """An upper bound on the utility of any release of this kind; with utility="loss", a lower bound on its loss."""
        if self.given is not None:
            return self.given.bound
        return self.outcome.bound if self.outcome.ceiling is None else self.outcome.ceiling.compute()

    @cached_property
    def given(self) -> FreeSearchResult | None:
        """What a second search found that may change the levels the caller fixed; None if the caller fixed none."""
        if self.outcome.free_search is None:
            return None
        found = self.outcome.free_search.run()
        better, bound = self._find_better(found), None if found.trimmed else found.progress.reach
        return FreeSearchResult(found.progress, found.proven and better is None, bound, better)

    def _find_better(self, found: LatticeResult) -> BetterLevels | None:
        """Return the best vector found if it loses less than the release; losses are compared exactly."""
        best, own, table = found.best, self.outcome.best, self.facts.combination_labels.table
        objective = build_objective(table, self.plan.utility, self.plan.weights)
        if best is None or own is None or objective.compare(best, own) >= 0:
            return None
        sizes = best.released.groups(with_values=True).sizes
        return BetterLevels(
            levels=dict(zip(self.levels, best.levels, strict=True)),
            suppressed=best.suppressed_rows,
            risk=Fraction(1, int(sizes.min())) if len(sizes) else Fraction(0),
            score=objective.score(objective.loss(best)),
            people=None if table.facts.persons is None else table.count_people(best.gone),
        )

    @property
    def proof(self) -> SearchProgress | None:
        """The counts of evaluated and excluded level vectors; None if no level vectors were searched."""
        return self.outcome.proof if self.given is None else self.given.proof

    @cached_property
    def utility(self) -> Result:
        """The result of the utility measure; with utility="loss", that of granularity."""
        return (self.plan.utility or Granularity()).evaluate(self.facts)

    @cached_property
    def loss(self) -> float:
        """The loss over all columns: Π (1 + w·x)^(1/columns) - 1, with x the share that a column lost.

        For microaggregation: the share of the variance that was lost, the weighted mean over the columns.
        """
        if self.outcome.lost_variance is not None:
            return float(self.outcome.lost_variance)
        return compute_combined_loss(self.facts, self.plan.weights)

    @cached_property
    def treatments(self) -> tuple[ColumnTreatment, ...]:
        """What was done to columns besides generalising, with examples; the table is read once more for these."""
        return tuple(describe_treatments(self.original, self.plan, self.facts))

    @cached_property
    def provenance(self) -> Provenance:
        """The provenance of the release, as in its record."""
        return record_making(self)

    @property
    def weighted(self) -> bool:
        """True if `worth` weights the columns, unlike `utility`."""
        return bool(self.plan.weights) and isinstance(self.plan.utility, Granularity)

    @property
    def worth(self) -> float | None:
        """The score that the search optimised: the loss with utility="loss", else the utility, weighted if asked."""
        if self.plan.utility is None:
            return self.loss
        if not self.weighted:
            return self.utility.value
        return compute_weighted_granularity(self.facts, self.plan.weights)

    @cached_property
    def local_estimate(self) -> float | None:
        """What `recoding="local"` would keep at least, or with utility="loss" would lose at most, with two decimals.

        None if that would not be better, is not possible, or cannot be found with little work.
        """
        return estimate_local_recoding(self)

    @cached_property
    def remarks(self) -> tuple[Note, ...]:
        """Notes at the start of every output, such as that a published column looks like an identifier."""
        tables, roles = find_tables(self.original.facts), self.facts.roles
        kept = dict.fromkeys(roles.sensitive, Role.SENSITIVE_ATTRIBUTE)
        kept |= dict.fromkeys(roles.insensitive, Role.INSENSITIVE_ATTRIBUTE)
        names = find_published_identifiers(
            inspect_columns(find_written(tables.release), [*kept], tables.workspace), kept, tables.weight
        )
        leading = [note for note in self.original.remarks if note.leading]
        return (*leading, *([build_published_note(names)] if names else ()))

    @property
    def pairs(self) -> bool:
        """True if the rows pair with those of the original: none is removed, and the order is the same."""
        return self.plan.suppressed_rows == "keep" and self.plan.order == "original"

    @cached_property
    def release(self) -> Release:
        """The release, to be evaluated, explained and reported on. Its rows are read again, as of any other release."""
        return self._build_release(OpenedTable(None, self._writer.row_source))

    def evaluate(self, *measures: Measure | str, others: bool = False) -> Evaluation:
        """Evaluate the release: some measures, or all; with `others`, also all others, as `Release.evaluate`."""
        return self.release.evaluate(*measures, others=others)

    @property
    def record(self) -> dict[str, Any]:
        """The provenance and the results of the release as plain data, without a description of small classes.

        It has no digest of the release; `write` also writes a record with the digest of the file.
        """
        judged = self.release.check(*self.plan.goals)
        return json.loads(judged.guarded().to_json())  # type: ignore[no-any-return]

    def write(
        self,
        path: str | os.PathLike[str],
        *,
        record: str | os.PathLike[str] | None = None,
        inputs: Iterable[str | os.PathLike[str]] = (),
        front: Front | None = None,
        below: str | os.PathLike[str] | None = None,
        accept: Sequence[Accept] = (),
        adversaries: Sequence[Adversary] = (),
    ) -> Evaluation:
        """Write the release to a file, whose ending sets the format, and evaluate the file; return the evaluation.

        The file takes its name only if all goals hold. The evaluation judges the premises, too: what `accept` lists may
        stay, and `adversaries` must not find more people than they say, as for `Release.check`. `record` is a JSON file
        that is written too: digests, plan, proof and results, for `petworks verify`. `inputs` are further files that
        must not be overwritten. `front` is what `front()` returned: the record and reports on the evaluation show it.
        `below` is a folder in which the file must stand; no symbolic link on the way from there is followed.
        """
        read = (*self.original.files, *inputs)
        if record is not None:
            require_separate(record, read, path)
        measured: list[Evaluation] = []
        folder = None if below is None else Path(below)
        self._writer.write(path, lambda part: measured.append(self._check_written_file(part, Path(path))), read, folder)
        judged = measured[0]
        if isinstance(check := judged.premise_source, PremiseCheck):
            judged.premise_source = replace(check, accept=tuple(accept), adversaries=tuple(adversaries))
            check_names(judged.premise_source)
        set_path(find_tables(judged.facts).release, resolve_path(path))  # type: ignore[arg-type]  # just measured
        judged.front = front
        if record is not None:
            judged.write_record(record)
        return judged

    def _check_written_file(self, part: Path, target: Path) -> Evaluation:
        """Evaluate the goals on the written file; raise an error if one does not hold.

        Goals that compare a row with its original are evaluated before rows are removed or shuffled.
        """
        written = self._build_release(OpenedTable(part, open_part(part, target)))
        written.hash_while_reading()
        find_tables(written.facts).record_rows()
        before = [goal for goal in self.plan.goals if goal.pairs and not self.pairs]
        after = [goal for goal in self.plan.goals if goal not in before]
        results = {goal: goal.evaluate(self.facts) for goal in before}
        results |= {one.measure: one for one in (written.evaluate(*after) if after else ())}
        judged = Evaluation([results[goal] for goal in self.plan.goals], facts=written.facts)
        judged.provenance_source = self
        if judged.holds is not True:
            problem = "the written table does not meet the goals when it is measured again"
            hint = "please report this, with the options that were used"
            raise GoalError(problem, where=self.facts.name, hint=hint, figures={})
        written.judge_premises(judged)
        return judged

    def _build_release(self, table: OpenedTable) -> Release:
        """Build a release of the anonymised rows, with the roles and hierarchies of the anonymisation."""
        tables, roles = find_tables(self.original.facts), self.facts.roles
        original, population = find_untreated(tables.release), tables.population
        dropped = split_identifiers(self.plan, roles)[1]
        release = Release(
            table,
            original=OpenedTable(tables.given[1], original),
            population=OpenedTable(None, population) if population else None,
            weight=tables.weight,
            person=tables.people.column,
            known=tables.people.known,
            unknown_person=tables.people.unknown,
            quasi_identifiers=roles.quasi_identifiers,
            sensitive=roles.sensitive,
            identifiers=tuple(name for name in roles.identifiers if name not in dropped),
            insensitive=roles.insensitive,
            pairing="position",
            suppressed=tables.marker,
            unknown_values="generalised" if self.facts.forgiving else "error",
            **tables.reading.values(),  # for the record; the tables are open
            **tables.preparing.values(),
            sidecar=False,
            memory_limit=tables.workspace.memory,
            temporary=tables.workspace.folder,
        )
        return apply_plan_settings(release, self.plan, self.facts.hierarchies, self.remarks, made_by=self)

    def frame(self, library: Library | None = None) -> Any:  # noqa: ANN401 (a frame of that library)
        """Return the release as a frame: of the original's library, or "pandas", "polars" or "pyarrow"."""
        return self._writer.frame(library)

    @cached_property
    def _writer(self) -> ReleaseWriter:
        tables, plan = find_tables(self.original.facts), self.plan
        marked, dropped = split_identifiers(plan, self.facts.roles)
        return ReleaseWriter(
            find_written(tables.release),
            self.facts.roles,
            self.recoding,
            marked=marked,
            dropped=dropped,
            suppressed_rows=plan.suppressed_rows,
            order=plan.order,
            seed=plan.seed,
            encoding=plan.output_encoding,
            marker=tables.marker,
            workspace=tables.workspace,
            about=list_columns(self, tables.marker),
        )

    @cached_property
    def recoding(self) -> RecodingMap:
        """The map from each combination of quasi-identifiers to its released cells."""
        lift = self.facts.combination_labels
        return lift.table.build_recoding_map(self.facts.cells_by_combination, lift.suppressed)


Made = AnonymizedTable  # its former name
