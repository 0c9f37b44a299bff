"""The door of this room: make a release from an original, with goals.

Also applies a release made from a sample to the whole population that the sample is a part of.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from PETWorks.anonymization.anonymized_table import AnonymizedTable
from PETWorks.anonymization.people import build_table
from PETWorks.anonymization.plan import SearchSettings, join_search
from PETWorks.anonymization.recodings import load_recoding
from PETWorks.anonymization.release_facts import RecodedFacts, RecodingMap
from PETWorks.anonymization.search import LevelsOf, Listener
from PETWorks.anonymization.table import RawTable
from PETWorks.anonymization.treatments import is_unpublished, remove_sources, treat_original
from PETWorks.errors import PopulationError, Quantity, RoleError
from PETWorks.evaluation.release import Release
from PETWorks.exact.limit import Number
from PETWorks.facts.roles import PARAMETERS, Names, Role, combine_roles, read_role
from PETWorks.facts.sidecar import find_sidecar
from PETWorks.hierarchies.hierarchy import Hierarchy
from PETWorks.hierarchies.rule import Rule
from PETWorks.measure.base import Measure
from PETWorks.measure.losses import Utility
from PETWorks.settings.sections import Preparing, Reading, Search, Writing
from PETWorks.tables.counting.tally import Coded, Key, Lookup, Tally
from PETWorks.tables.opening import OpenedTable, TableSource, open_original
from PETWorks.tables.source import describe_columns

REST = {"sensitive": "sensitive_attribute", "insensitive": "insensitive_attribute"}  # shorter names of roles


def anonymize(
    table: Any,  # noqa: ANN401 (any kind of table)
    *,
    goals: Measure | Iterable[Measure],
    the_rest: str | None = None,
    # begin: settings of anonymize (written by tools/lists.py)
    population: Any = None,  # noqa: ANN401
    hierarchies: str | os.PathLike[str] | Mapping[str, Any] | Sequence[Hierarchy | Rule] | None = None,
    quasi_identifiers: Names | None = None,
    sensitive: Names | None = None,
    identifiers: Names | None = None,
    insensitive: Names | None = None,
    weight: str | None = None,
    person: str | None = None,
    known: Literal["one", "all"] = "one",
    unknown_person: Literal["together", "each"] | None = None,
    suppress_at_most: Number = 0,
    utility: Utility | str | None = None,
    recoding: Literal["global", "local", "microaggregate"] = "global",
    grouping: Literal["halving", "mdav"] | None = None,
    parts: bool = False,
    coarsest: Mapping[str, int] | None = None,
    finest: Mapping[str, int] | None = None,
    levels: Mapping[str, int] | None = None,
    weights: Mapping[str, Number] | None = None,
    suppress: Literal["rows", "people"] = "rows",
    time_limit: str | float | None = None,
    polish_rounds: int | None = None,
    suppressed_rows: Literal["keep", "remove"] = "keep",
    drop_identifiers: bool = False,
    order: Literal["original", "shuffled"] = "original",
    seed: int | None = None,
    output_encoding: Literal["utf-8", "utf-8-sig"] | None = None,
    treat: Mapping[str, Any] | None = None,
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
    # end: settings of anonymize
    listener: Listener | None = None,
) -> AnonymizedTable:
    """Make the release that meets the goals at the least loss.

    Every column of the original needs a role; `the_rest` gives one to those that are not named. At most the share
    `suppress_at_most` ("5%") of the rows is suppressed. `utility` says what is to be kept: "granularity" (the default),
    "loss", or a utility measure. With `recoding="global"`, every column is released at one level of its hierarchy, and
    the best of all level vectors is found; with "local", rows of a column may have different levels, which loses
    less, and the best that was found is not proven to be the best. With `parts`, its labels may depend on sensitive
    values, too: that loses less, but labels then tell something about these values, which no measure counts. `levels`
    fixes levels, `finest` and `coarsest` restrict them. After `time_limit` ("60 s"), or Ctrl-C, the best so far is
    returned, not proven to be the best.

    If people have several rows, `person` names the column that identifies the person of each row, and goals count
    people (`known` and `unknown_person` as for `Release`). Then `suppress="people"` suppresses all rows of everybody in
    a failing class, and `suppress_at_most` is a share of the people.

    With `recoding="microaggregate"`, for columns of numbers, people are grouped with those nearest to them, as many as
    the goals ask for, and get the means of their group; nobody is suppressed, and no hierarchy is needed. One column is
    grouped at the least squared error; several by halving, or by `grouping="mdav"`, which loses less and takes longer.

    >>> from PETWorks import KAnonymity
    >>> years = [("1977", "197*"), ("1983", "198*"), ("1988", "198*")]
    >>> people = {"year": ["1977", "1977", "1983", "1988"]}
    >>> made = anonymize(people, quasi_identifiers=["year"], hierarchies={"year": years}, goals=KAnonymity(2))
    >>> made.levels, made.suppressed, made.proven
    ({'year': 1}, 0, True)
    """
    passed = dict(locals())
    asked = join_search(goals, Search.pick(passed), Writing.pick(passed))
    beside = find_sidecar(table)
    given = combine_roles(None, quasi_identifiers, sensitive, identifiers, insensitive)
    if beside and not given:
        given = list(beside.roles)
    person = person.strip() if isinstance(person, str) else person
    if person is not None and person not in {name.strip() for name, _ in given}:
        given = [*given, (person, Role.IDENTIFIER)]
    reading = Reading.pick(passed)
    preparing = Preparing.pick(passed)
    opened = OpenedTable(table, open_original(table, reading, preparing, person))
    named = {name.strip() for name, _ in given}
    treat = remove_sources(asked.treat, preparing.derive, named)
    unpublished = [name for name, one in treat.items() if is_unpublished(one) and name in opened.source.columns]
    given += [(name, Role.IDENTIFIER) for name in unpublished if name not in named]
    asked = replace(asked, treat=treat)
    if person is not None:
        opened.source.require([person], "the persons", opened.source.columns)
    original = Release(
        opened,
        original=opened,
        population=population,
        weight=weight,
        person=person,
        known=known,
        unknown_person=unknown_person,
        **by_role(opened.source, given, the_rest),
        hierarchies=beside.hierarchies if hierarchies is None and beside else hierarchies,
        pairing="position",
        suppressed=suppressed,
        unknown_values=unknown_values,
        delimiter=delimiter,
        encoding=encoding,
        sheet=sheet,
        value_labels=value_labels,
        prepare=preparing.prepare,  # type: ignore[arg-type]  # as it was read
        derive=preparing.derive,
        sidecar=False,
        memory_limit=memory_limit,
        temporary=temporary,
    )
    return make(original, asked, listener, list_unnamed(opened.source, given))


def make(
    original: Release, asked: SearchSettings, listener: Listener | None = None, rest: Sequence[str] = ()
) -> AnonymizedTable:
    """Make a release by a plan; the original is given as a release of itself, with roles and hierarchies.

    `rest` are the columns that were not named, for the record.
    """
    treated = treat_original(original, asked.treat, asked.recoding)
    table = build_table(treated.facts, asked)
    found = load_recoding(asked.recoding).search(table, asked, listener)
    return AnonymizedTable(treated, asked, found, tuple(rest))


def list_unnamed(source: TableSource, given: Sequence[tuple[str, object]]) -> list[str]:
    """Return the columns to which no role is given by name."""
    known = {str(name).strip() for name, _ in given}
    return [name for name in source.columns if name not in known]


def by_role(source: TableSource, given: Sequence[tuple[str, object]], the_rest: str | None) -> dict[str, Any]:
    """Return the columns of each role, as `Release` takes them; raise an error for a column without a role.

    A forgotten column would be released as it is.
    """
    roles = [(str(name).strip(), read_role(role)) for name, role in given]
    if rest := list_unnamed(source, given):
        if the_rest is None:
            names = ", ".join(f"{parameter}=" for parameter in PARAMETERS.values())
            hint = f'name them in one of {names}, or pass the_rest="insensitive"'
            raise RoleError(f"no role is given to {describe_columns(source, rest)}", where=source.name, hint=hint)
        roles += [(name, read_role(REST.get(the_rest, the_rest))) for name in rest]
    return {parameter: [name for name, own in roles if own is role] for role, parameter in PARAMETERS.items()}


def population_recoding(population: RawTable, levels: LevelsOf, sample: RecodedFacts) -> RecodingMap:
    """Generalise a population to the levels of a sample's release, and suppress everybody in a class suppressed there.

    If the whole sample is suppressed, so is the population: the levels then have no meaning.
    """
    ladders = population.ladders
    labels = population.look_up_labels([levels[ladder.name] for ladder in ladders])  # type: ignore[misc]  # one level each
    cells = {ladder.name: Coded(codes, ladder.labels) for ladder, codes in zip(ladders, labels, strict=True)}
    gone = np.flatnonzero(sample.combination_labels.suppressed)
    classes: dict[Key, Coded] = {name: sample.combination_labels.labels[name].take(gone) for name in cells}
    found = Lookup(Tally(classes, sample.combination_labels.table.counts[gone])).find([*cells.values()])
    facts = population.build_facts_from_cells(cells, (found >= 0) | sample.combination_labels.suppressed.all())
    return RecodingMap(population.combinations, facts.cells_by_combination, facts.combination_labels.suppressed)


def require_part(part: TableSource, whole: TableSource, name: str) -> None:
    """Raise an error unless each row of a table occurs in another one at least as often, over their common columns."""
    columns = [column for column in whole.columns if column in part.columns]
    rows, all_rows = part.tally(columns), whole.tally(columns)
    found = Lookup(all_rows).find([rows.columns[column] for column in columns])
    there = np.where(found < 0, 0, all_rows.counts[found])
    if lacking := int(np.maximum(rows.counts - there, 0).sum()):
        problem = "{lacking} of the {rows} of {name} do not occur in {whole}, or not as often"
        counts = {"lacking": Quantity(lacking), "rows": Quantity(rows.rows, "rows", "rows")}
        hint, figures = "take {name} from the rows of {whole}", {**counts, "name": name, "whole": whole.name}
        raise PopulationError(problem, where=part.name, hint=hint, figures=figures)
