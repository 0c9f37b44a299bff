"""Evaluate a release with the settings that it was made with: nothing about its making has to be inferred.

Hierarchies without a row for missing values get one if values are missing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PETWorks.anonymization.plan import SearchSettings
from PETWorks.anonymization.recodings import load_recoding
from PETWorks.anonymization.treatments import treat_hierarchies
from PETWorks.evaluation.release import Release
from PETWorks.facts.facts import Facts
from PETWorks.facts.notes import Note
from PETWorks.facts.tallies import find_tables
from PETWorks.hierarchies.files import HierarchiesWithMissing
from PETWorks.hierarchies.hierarchy import Hierarchy
from PETWorks.tables.counting.tally import Before, Value, is_missing

if TYPE_CHECKING:
    from PETWorks.anonymization.anonymized_table import AnonymizedTable


def apply_plan_settings(
    release: Release,
    plan: SearchSettings,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    remarks: tuple[Note, ...] = (),
    made_by: AnonymizedTable | None = None,
) -> Release:
    """Return a copy of the release that is evaluated with the settings of the plan, with further `remarks`.

    `hierarchies` are those of the anonymisation, with a row for missing values; None: those of the release, to which
    the row is added here. If rows were removed or shuffled, original and release can be paired by a key column only.
    The level vector that it was made at is known, so it is not looked for in the released values.
    Means of groups are not generalisations of their originals, so the order of their rows is trusted, not checked.
    """
    facts, tables = release.facts, find_tables(release.facts)
    tables = replace(
        tables,
        removed=plan.suppressed_rows == "remove",
        shuffled=plan.order == "shuffled",
        vouched=tables.vouched or not load_recoding(plan.recoding).generalises,
    )
    if hierarchies is None:
        hierarchies = complete_hierarchies(replace(facts, hierarchies=treat_hierarchies(facts, plan)))
    levels = made_by.facts.known_levels if made_by else None
    made = replace(facts, _tables=tables, hierarchies=hierarchies, remarks=(*facts.remarks, *remarks), made_at=levels)
    return release.with_facts(made, made_by)


def complete_hierarchies(facts: Facts) -> HierarchiesWithMissing:
    """Complete the hierarchies of columns with missing values, also in the population, by a row for these.

    Missing values stay missing below the top.
    """
    return HierarchiesWithMissing(facts.hierarchies, partial(_find_missing_values, facts))


def _find_missing_values(facts: Facts, name: str) -> Sequence[Value]:
    """Return the missing values of a quasi-identifier that occur in the original or in the population."""
    if name not in facts.roles.quasi_identifiers:
        return ()
    values = [*_find_original_values(facts, name), *_find_population_values(facts, name)]
    return list(dict.fromkeys(filter(is_missing, values)))


def _find_original_values(facts: Facts, name: str) -> Sequence[Value]:
    """Return the values of a column of the original; without an original, the released values."""
    if facts.has_original:
        return facts.before.columns[Before(name)].values
    return facts.released.columns[name].values


def _find_population_values(facts: Facts, name: str) -> Sequence[Value]:
    if not facts.has_population:
        return ()
    people = find_tables(facts).count_population(facts.roles.quasi_identifiers, rows=0)
    return people.columns[name].values
