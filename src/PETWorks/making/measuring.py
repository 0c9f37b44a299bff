"""Measure what was made: as a release like any other, from its rows or from the file that was written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PETWorks.answer.evaluation import Evaluation
from PETWorks.errors import GoalError
from PETWorks.making.as_made import as_made
from PETWorks.release import Release
from PETWorks.sources import OpenedTable, open_source

if TYPE_CHECKING:
    from PETWorks.making.made import Made


def measured_again(made: Made, part: Path, target: Path) -> Evaluation:
    """Measure the written file by the ordinary measures; raise an error if a goal does not hold.

    Goals that compare a row with its original are judged before rows are removed or shuffled.
    """
    source = open_source(part, "release")
    source.name = target.name  # which it takes soon
    written = as_release(made, OpenedTable(part, source))
    written.hash_while_reading()
    before = [goal for goal in made.plan.goals if goal.pairs and not made.pairs]
    after = [goal for goal in made.plan.goals if goal not in before]
    results = {goal: goal.evaluate(made.facts) for goal in before}
    results |= {one.measure: one for one in (written.evaluate(*after) if after else ())}
    judged = Evaluation([results[goal] for goal in made.plan.goals], facts=written._facts)  # noqa: SLF001 (of our own)
    judged.maker = made
    if judged.holds is not True:
        problem = "the written table does not meet the goals when it is measured again"
        hint = "please report this, with the options that were used"
        raise GoalError(problem, where=made.facts.name, hint=hint)
    return judged


def as_release(made: Made, table: OpenedTable) -> Release:
    """Return a table that was made as a release, with the roles and hierarchies that it was made with."""
    tables, roles = made.original._facts._tables, made.facts.roles  # noqa: SLF001 (of our own)
    original, population = tables.original, tables.population
    release = Release(
        table,
        original=OpenedTable(tables.given[1], original) if original else None,
        population=OpenedTable(None, population) if population else None,
        weight=tables.weight,
        person=tables.people.column,
        known=tables.people.known,
        unknown_person=tables.people.unknown,
        quasi_identifiers=roles.quasi_identifiers,
        sensitive=roles.sensitive,
        identifiers=() if made.plan.drop_identifiers else roles.identifiers,
        insensitive=roles.insensitive,
        pairing="position",
        suppressed=tables.marker,
        unknown_values="generalised" if made.facts.forgiving else "error",
        **tables.reading._asdict(),  # for the record; the tables are open
        sidecar=False,
        memory_limit=tables.workspace.memory,
        temporary=tables.workspace.folder,
    )
    release._maker = made  # noqa: SLF001 (of our own)
    return as_made(release, made.plan, made.facts.hierarchies, made.remarks)
