"""Apply treatments to an original: the table that is searched and written has treated cells in place of its own.

Utility measures compare the release with the untreated table. The treated numbers of a quasi-identifier are the first
level of its hierarchy, so that the search and all measures use them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import cache

import numpy as np

from PETWorks.anonymization.plan import SearchSettings
from PETWorks.anonymization.recodings import load_recoding
from PETWorks.errors import ParameterError
from PETWorks.evaluation.provenance import ColumnTreatment
from PETWorks.evaluation.release import Release
from PETWorks.exact.limit import parse_number
from PETWorks.facts.facts import Facts
from PETWorks.facts.memo import Memo
from PETWorks.facts.roles import PARAMETERS, Role, Roles
from PETWorks.facts.tallies import InputTables, count_raw_values, find_tables
from PETWorks.hierarchies.files import LazyHierarchies
from PETWorks.hierarchies.hierarchy import TOP, Hierarchy
from PETWorks.settings.preparing import Derivation
from PETWorks.settings.treatments import (
    AsItIs,
    Bound,
    Generalise,
    Mask,
    Numbers,
    Percentile,
    Pseudonym,
    Remove,
    Shift,
    Treatment,
)
from PETWorks.shown import THRESHOLD
from PETWorks.tables.counting.margins import Margin
from PETWorks.tables.counting.tally import Value, is_missing
from PETWorks.tables.mapped import ColumnMap, MappedSource, UnreadableError, find_distinct_cells
from PETWorks.tables.opening import TableSource
from PETWorks.tables.treat import (
    MaskMap,
    NumberMap,
    PseudonymMap,
    ShiftMap,
    build_few_error,
    find_bound,
    round_number,
    write_number,
)
from PETWorks.user.keys import Key, read_key


class TreatedSource(MappedSource):
    """The rows of a table with treated cells, as they are counted; `base` is the table without treatments.

    Persons are counted under their original names, and have pseudonyms in `written` only: both distinguish them, and
    only the pass that writes needs pseudonyms.
    """

    written: MappedSource


def find_written(source: TableSource) -> TableSource:
    """Return the table whose cells are written to the release."""
    return source.written if isinstance(source, TreatedSource) else source


def find_untreated(source: TableSource) -> TableSource:
    """Return the table before its treatments."""
    return source.base if isinstance(source, TreatedSource) else source


def treat_original(original: Release, treat: Mapping[str, Treatment], recoding: str = "global") -> Release:
    """Return the original, a release of itself, with treatments by column; raise an error if one does not fit."""
    if not treat:
        return original
    plan = SearchSettings(treat=treat, recoding=recoding)  # type: ignore[arg-type]  # a word, already checked
    tables = find_tables(original.facts)
    check_treatments(plan, tables, original.roles)
    source = tables.release
    roles = drop_from_roles(original.roles, plan.treat)
    maps = dict(_build_maps(plan, tables, roles))
    made: dict[str, ColumnMap | str] = {name: maps.get(name, name) for name in source.columns}
    treated = TreatedSource(source, {name: name if name == tables.people.column else one for name, one in made.items()})
    treated.written = MappedSource(source, made)
    fresh = replace(tables, release=treated, original=treated, _memo=Memo(), _tallies=[], _held={})
    release = original.with_tables(fresh, roles)
    return release.with_facts(replace(release.facts, hierarchies=treat_hierarchies(release.facts, plan)))


def remove_sources(
    treat: Mapping[str, Treatment], derive: Mapping[str, Derivation], known: Collection[str]
) -> dict[str, Treatment]:
    """Return the treatments with the source columns of derived ones removed, unless these have a role."""
    sources = [name for one in derive.values() for name in one.sources if name != one.fixed_date]
    derived = {*derive, "first"} | {one.to for one in derive.values() if one.kind == "part"}
    gone = [name for name in sources if name not in derived and name not in known and name not in treat]
    return {**treat, **dict.fromkeys(gone, Remove())}


def drop_from_roles(roles: Roles, treat: Mapping[str, Treatment]) -> Roles:
    """Return the roles in the release: columns of which nothing is published become identifiers."""
    gone = [name for names in vars(roles).values() for name in names if is_unpublished(treat.get(name))]
    kept = {role: tuple(name for name in names if name not in gone) for role, names in vars(roles).items()}
    own = [name for name in roles.identifiers if name in gone]
    kept["identifiers"] = (*roles.identifiers, *(name for name in gone if name not in own))
    return Roles(**kept)


def is_unpublished(treatment: Treatment | None) -> bool:
    """Return True if a treatment leaves nothing of the cells: the column is removed, or every cell is the marker."""
    return isinstance(treatment, Remove) or treatment == Mask()


def split_identifiers(plan: SearchSettings, roles: Roles) -> tuple[frozenset[str], frozenset[str]]:
    """Return the identifiers whose cells all become the marker, and those that are not written."""
    removed = {name for name, one in plan.treat.items() if isinstance(one, Remove)}
    masked = {name for name, one in plan.treat.items() if one == Mask()}
    others = {name for name in roles.identifiers if name not in plan.treat}
    marked = masked if plan.drop_identifiers else masked | others
    return frozenset(marked), frozenset(removed | others if plan.drop_identifiers else removed)


def check_treatments(plan: SearchSettings, tables: InputTables, roles: Roles) -> None:
    """Raise an error for treatments of unknown columns, or that do not suit the role of their column."""
    tables.release.require([*plan.treat], "treat", tables.release.columns)
    for name, one in plan.treat.items():
        if problem := _find_misfit(name, one, plan, tables, roles):
            raise ParameterError(problem[0], where=f"[treat.{name}]", hint=problem[1])


def _find_misfit(  # noqa: PLR0911 (a line for each reason)
    name: str, one: Treatment, plan: SearchSettings, tables: InputTables, roles: Roles
) -> tuple[str, str] | None:
    """Return why a treatment does not suit its column, and what to do instead; None if it does."""
    role, person = _find_role(roles, name), tables.people.column
    if name == tables.weight:
        return "the sampling weights are measured with, so they are not treated", "leave the treatment out"
    if isinstance(one, Shift) and person is None:
        return "shift moves all dates of a person alike, but no column names the persons", "name it in person="
    if isinstance(one, AsItIs) and role is Role.IDENTIFIER:
        return "an identifier cannot be published as it is", "remove it, mask it, or make pseudonyms"
    if name == person and not isinstance(one, Remove | Pseudonym) and one != Mask():
        return "this column names the persons", "remove it, mask it, or make pseudonyms"
    if role is Role.QUASI_IDENTIFIER and isinstance(one, Pseudonym | Shift | Mask) and not is_unpublished(one):
        hint = "an adversary knows a quasi-identifier: generalise, round or remove it, or give the column another role"
        return f"{one.word} is not for quasi-identifiers: no measure would know the treated values", hint
    if isinstance(one, Generalise) and role is not Role.QUASI_IDENTIFIER:
        return "only quasi-identifiers are generalised", "give the column this role, or round it"
    if role is Role.QUASI_IDENTIFIER and isinstance(one, Numbers | AsItIs):
        if not load_recoding(plan.recoding).generalises:
            return f"quasi-identifiers are not treated with recoding={plan.recoding}", "leave the treatment out"
        if isinstance(one, Numbers) and one.otherwise != "error":
            return "a quasi-identifier keeps every value that is no number", 'leave out otherwise = "missing"'
    return None


def _find_role(roles: Roles, name: str) -> Role | None:
    """Return the role of a column."""
    return next((role for role, parameter in PARAMETERS.items() if name in getattr(roles, parameter)), None)


def _build_maps(plan: SearchSettings, tables: InputTables, roles: Roles) -> Iterator[tuple[str, ColumnMap]]:
    """Yield the map of each column whose cells are computed."""
    find_key = cache(read_key)
    for name, one in plan.treat.items():
        match one:
            case Pseudonym():
                yield name, PseudonymMap(find_key(one.key), one.scope, name)
            case Shift():
                key, person = find_key(one.key), str(tables.people.column)
                yield name, ShiftMap(key, one.scope, one.days, name, person, forgiving=one.otherwise == "missing")
            case Mask(keep=int(keep)):
                yield name, MaskMap(name, keep, tables.marker)
            case Numbers() if name not in roles.quasi_identifiers:
                yield name, build_number_map(name, one, tables)


def find_keys(treat: Mapping[str, Treatment]) -> dict[str, Key]:
    """Return the keys of treatments, by column."""
    return {name: read_key(one.key) for name, one in treat.items() if isinstance(one, Pseudonym | Shift)}


def build_number_map(name: str, one: Numbers, tables: InputTables) -> NumberMap:
    """Build the map of a column of numbers; bounds that are shares of the people are found in the table."""
    top = _find_bound(name, one, one.top, tables, bottom=False)
    bottom = _find_bound(name, one, one.bottom, tables, bottom=True)
    if top is not None and bottom is not None and bottom >= top:
        problem, hint = "the bounds meet: every number would be beyond one of them", "state bounds, or leave one out"
        raise ParameterError(problem, where=f"[treat.{name}]", hint=hint)
    return NumberMap(name, one.step, top, bottom, forgiving=one.otherwise == "missing")


def _find_bound(name: str, one: Numbers, bound: Bound | None, tables: InputTables, *, bottom: bool) -> Decimal | None:
    """Return a bound as a number."""
    if not isinstance(bound, Percentile):
        return bound
    extremes = _count_extremes(name, one, tables, smallest=bottom)
    numbers = sorted(extremes)
    people = np.array([extremes[number] for number in numbers], dtype=np.int64)
    if (found := find_bound(bound.fraction, numbers, people, THRESHOLD, bottom=bottom)) is None:
        raise build_few_error(tables.release.name, name, int(people.sum()))
    return Decimal(write_number(found))


def _count_extremes(name: str, one: Numbers, tables: InputTables, *, smallest: bool) -> dict[Fraction, int]:
    """Count the people by their largest rounded number, or by their smallest."""
    person, apart = tables.people.column, tables.people.unknown == "each"
    better = min if smallest else max
    extremes: dict[str | None, Fraction] = {}
    counts: Counter[Fraction] = Counter()
    for batch in tables.release.batches([name] if person is None else [name, person]):
        codes, distinct = find_distinct_cells(batch)
        many_of = np.bincount(codes, minlength=len(distinct)).tolist()
        rounded = {
            cell: round_number(number, one.step)
            for cell in batch[0].values
            if (number := parse_number(cell)) is not None
        }
        for (cell, *owner), many in zip(distinct, many_of, strict=True):
            if (own := rounded.get(cell)) is None:
                continue
            if not owner or (owner[0] is None and apart):
                counts[own] += many
            else:
                extremes[owner[0]] = better(own, extremes.get(owner[0], own))
    return counts + Counter(extremes.values())


class TreatedHierarchies(Mapping[str, Hierarchy]):
    """Hierarchies whose first level has the treated numbers of columns that are rounded or have bounds."""

    def __init__(self, facts: Facts, treat: Mapping[str, Numbers]) -> None:
        self._facts, self._treat = facts, treat
        self._built: dict[str, Hierarchy] = {}

    def __getitem__(self, name: str) -> Hierarchy:
        """Return a hierarchy, treated on first use."""
        if name not in self._treat:
            return self._facts.hierarchies[name]
        if name not in self._built:
            self._built[name] = _treat_hierarchy(name, self._treat[name], self._facts)
        return self._built[name]

    def __contains__(self, name: object) -> bool:
        """Return True if the attribute has a hierarchy, without reading it."""
        return name in self._treat or name in self._facts.hierarchies

    def __iter__(self) -> Iterator[str]:
        """Iterate over the attributes that have a hierarchy."""
        return iter(dict.fromkeys([*self._facts.hierarchies, *self._treat]))

    def __len__(self) -> int:
        """Return the number of hierarchies."""
        return len({*self._facts.hierarchies, *self._treat})


def treat_hierarchies(facts: Facts, plan: SearchSettings) -> Mapping[str, Hierarchy]:
    """Return the hierarchies of a release, with a further first level for treated numbers."""
    treated = {name: one for name, one in plan.treat.items() if isinstance(one, Numbers)}
    treated = {name: one for name, one in treated.items() if name in facts.roles.quasi_identifiers}
    return TreatedHierarchies(facts, treated) if treated else facts.hierarchies


def find_further_level(plan: SearchSettings, name: str) -> int:
    """Return how many levels a treatment adds to the hierarchy of a quasi-identifier: 0 or 1."""
    return int(isinstance(plan.treat.get(name), Numbers))


def _treat_hierarchy(name: str, one: Numbers, facts: Facts) -> Hierarchy:
    """Return a hierarchy with treated numbers: each value, its treated number, and the ancestors of that.

    The label of a bound stays below the first level on which all its numbers have the same ancestor.
    """
    tables = find_tables(facts)
    original = replace(tables, release=find_untreated(tables.original or tables.release))
    found = build_number_map(name, one, original)
    values = count_raw_values(tables, facts.roles, name)
    given = facts.hierarchies
    base = given.build_with(name, ()) if name in given and isinstance(given, LazyHierarchies) else given.get(name)
    leaves = list(dict.fromkeys([*values, *(base.leaves if base else ())]))
    numbers = {leaf: parse_number(leaf) for leaf in leaves if not is_missing(leaf)}
    if wrong := [leaf for leaf in values if not is_missing(leaf) and numbers[leaf] is None]:
        hint = "give the column another role, or prepare it with number = true"
        raise tables.release.build_unknown_error(
            name, {leaf: values[leaf] for leaf in wrong}, "not plain numbers", hint
        )
    rounded = {
        leaf: write_number(round_number(number, one.step)) if one.step else leaf
        for leaf, number in numbers.items()
        if number is not None
    }
    if base is not None and isinstance(given, LazyHierarchies):
        base = given.build_with(name, rounded.values())
    treated = {leaf: found.convert((leaf,)) if leaf in rounded else leaf for leaf in leaves}
    if base is None:
        return Hierarchy(name, [(leaf, treated[leaf], TOP) for leaf in leaves if not is_missing(leaf)])
    holders = {leaf: values.get(leaf, 0) for leaf, near in rounded.items() if leaf in values and near not in base}
    if holders:
        what, hint = (
            "rounded to one that the hierarchy lacks",
            "add rows for the rounded numbers, or build it by a rule",
        )
        raise tables.release.build_unknown_error(name, holders, what, hint)
    groups: dict[Value, set[Value]] = {}
    for leaf in leaves:
        if rounded.get(leaf, leaf) in base:
            groups.setdefault(treated[leaf], set()).add(rounded.get(leaf, leaf))
    rows = [
        (leaf, treated[leaf], *_lift_group(base, treated[leaf], groups[treated[leaf]]))
        for leaf in leaves
        if rounded.get(leaf, leaf) in base
    ]
    return Hierarchy(name, rows, base.where, base.digest)


def _lift_group(base: Hierarchy, label: Value, members: set[Value]) -> Iterator[Value]:
    """Yield the ancestors of a treated number from level 1 on."""
    for level in range(1, base.height + 1):
        above = {base.lift(member, level) for member in members}
        yield above.pop() if len(above) == 1 else label


def describe_treatments(
    original: Release, plan: SearchSettings, facts: Facts, *, examples: bool = True
) -> Iterator[ColumnTreatment]:
    """Yield what the treatments of a plan did to each column of a treated original."""
    if not plan.treat:
        return
    tables, keys = find_tables(original.facts), find_keys(plan.treat)
    maps = _find_number_maps(tables, plan, facts)
    shown = (
        [] if not examples else [name for name, one in plan.treat.items() if name in maps or isinstance(one, AsItIs)]
    )
    person, source = tables.people.column, find_untreated(tables.release)
    columns = shown if person is None else [*shown, person]
    margins = source.count_margins(columns, tables.workspace, person) if shown else {}
    for name, one in plan.treat.items():
        found, labels = maps.get(name), ("", "")
        counted = name in shown and (person is None or margins[name].holders is not None)
        example = _find_example(margins[name], found) if counted else None
        if found is not None:
            labels = found.labels
        key = keys[name].fingerprint if name in keys else None
        yield ColumnTreatment(name, one.plain(), key, labels[0] or None, labels[1] or None, example)


def _find_number_maps(tables: InputTables, plan: SearchSettings, facts: Facts) -> dict[str, NumberMap]:
    """Return the maps of treated numbers, by column."""
    source = tables.release
    maps = dict(source.made) if isinstance(source, TreatedSource) else {}
    found = {name: one for name, one in maps.items() if isinstance(one, NumberMap)}
    untreated = replace(tables, release=find_untreated(source))
    for name in facts.roles.quasi_identifiers:
        if isinstance(one := plan.treat.get(name), Numbers):
            found[name] = build_number_map(name, one, untreated)
    return found


def _find_example(margin: Margin, found: NumberMap | None) -> tuple[str, str] | None:
    """Return an example: a value that enough people have, preferably one that is changed, and its treated form."""
    many_of = margin.counts if margin.holders is None else margin.holders
    pairs = []
    for value, many in zip(margin.values, many_of.tolist(), strict=True):
        if value is None or is_missing(value) or many < THRESHOLD:
            continue
        with suppress(UnreadableError):
            after = value if found is None else found.convert((value,)) or ""
            pairs.append((value == after, -many, value, after))
    return min(pairs)[2:] if pairs else None
