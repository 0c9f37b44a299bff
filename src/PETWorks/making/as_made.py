"""Measure a table as a release that was made by a plan: what making did to it is known, and no reason to doubt it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace

from PETWorks.counting.tally import Before, Value
from PETWorks.facts.facts import Facts
from PETWorks.facts.memo import Memo
from PETWorks.facts.notes import Note
from PETWorks.hierarchies.hierarchy import Hierarchy
from PETWorks.making.missing import with_missing
from PETWorks.making.plan import Plan
from PETWorks.release import Release


def as_made(
    release: Release, plan: Plan, hierarchies: Mapping[str, Hierarchy] | None = None, remarks: tuple[Note, ...] = ()
) -> Release:
    """Return a release as one that was made by a plan; `remarks` are to be told of it, too.

    Hierarchies have a row for missing values, as they had when it was made; `hierarchies` are such. If rows were
    removed or shuffled, they pair by a key only. Means of groups are no generalisations of their originals, so nothing
    but the order shows that they pair.
    """
    tables, facts = release._tables, release._facts  # noqa: SLF001 (of our own)
    tables = replace(
        tables,
        removed=plan.suppressed_rows == "remove",
        shuffled=plan.order == "shuffled",
        vouched=tables.vouched or plan.recoding == "microaggregate",
    )

    complete = with_missing(facts, lambda name: _values(made, name)) if hierarchies is None else hierarchies
    made = replace(facts, _tables=tables, hierarchies=complete, remarks=(*facts.remarks, *remarks), _memo=Memo())
    other = copy(release)
    other._tables, other._facts = tables, made  # noqa: SLF001 (of our own)
    return other


def _values(facts: Facts, name: str) -> Sequence[Value]:
    """Return the values of a column before it was recoded; without an original, those that were released."""
    if facts.has_original:
        return facts.before.columns[Before(name)].values
    return facts.released.columns[name].values
