"""Opens earlier releases of the same people, and finds out what says who the rows of each are of.

An earlier release is a mapping with the settings of `EarlierEdition`, a `Release`, or a table whose other settings are
those of the new release.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from PETWorks.errors import NotAskableError, ParameterError, PETWorksError, RoleError
from PETWorks.facts.editions import Edition
from PETWorks.facts.facts import Facts
from PETWorks.facts.people import People
from PETWorks.facts.roles import Role, Roles
from PETWorks.facts.tallies import InputTables, count_raw_values, find_tables
from PETWorks.hierarchies.files import LazyHierarchies, find_hierarchies
from PETWorks.settings.sections import EarlierEdition, Reading
from PETWorks.tables.numbered import NumberedSource
from PETWorks.tables.opening import open_source
from PETWorks.tables.source import TableSource

ROW = "row of the original"  # the key of two cuts of one original


def open_editions(
    earlier: Sequence[Any],
    key_file: Any,  # noqa: ANN401
    newest: Facts,
    hierarchies: Mapping[str, Any],
) -> tuple[Edition, ...]:
    """Return all editions, oldest first, the new release last; raise an error if rows cannot be assigned to people."""
    tables = find_tables(newest)
    if not earlier:
        if key_file is not None:
            problem = "key_file says who the rows are of for earlier releases, and there are none"
            raise ParameterError(problem, hint="pass earlier=, or omit key_file")
        return ()
    if tables.synthetic or tables.unpaired:
        problem = "the rows of this release are nobody's, or in no known order, so they are not those of earlier people"
        raise ParameterError(problem, hint='omit earlier=, or synthetic= and pairing="none"')
    opened = [_open(one, newest, hierarchies) for one in earlier]
    keys = {given.key for _, given in opened if given and given.key}
    said = {given.pairing for _, given in opened if given and given.pairing and not given.key}
    several = tables.people.column is not None
    key = tables.people.column or (keys.pop() if len(keys) == 1 else None)
    roles = newest.roles
    if key_file is not None:
        own = _with_key_file(tables, key_file)
        new = Edition(own, roles, newest.hierarchies, several=False)
    elif said and key is None:
        new = Edition(_with_positions(tables), roles, newest.hierarchies, by_position=True)
    elif key is not None:
        new = Edition(_with_key(tables, key), roles, newest.hierarchies, several=several)
    else:
        raise ParameterError(
            "nothing says who the rows of this release are of, beside earlier ones",
            hint='name a column of the originals: key = "person" in each earlier release; or person=, or key_file=',
        )
    published = any(given is not None and given.pseudonym for _, given in opened)
    editions = [one if given is None else _name_people(one, given, tables, key) for one, given in opened]
    unknown = next((given.unknown_person for _, given in opened if given and given.unknown_person), None)
    return (*editions, replace(new, pseudonym=published, unknown=unknown))


def _open(one: Any, newest: Facts, hierarchies: Mapping[str, Any]) -> tuple[Edition, EarlierEdition | None]:  # noqa: ANN401
    """Return an earlier release, whose people are not known yet; None beside it if it is a `Release`."""
    facts = getattr(one, "facts", None)
    if isinstance(facts, Facts):
        tables = find_tables(facts)
        if tables.people.column is None:
            problem = "an earlier Release has no person=, so nothing says who its rows are of"
            raise ParameterError(problem, hint='pass {"released": …, "original": …, "key": "person"} in its place')
        return Edition(tables, facts.roles, facts.hierarchies, several=True), None
    if isinstance(one, str | os.PathLike) or not isinstance(one, Mapping):
        one = {"released": one}
    given = EarlierEdition.of(one)
    if given.released is None:
        raise ParameterError("an earlier release names no table", hint='write released = "last-year.csv"')
    now = find_tables(newest)
    reading = Reading.pick(given.values())
    release = open_source(given.released, "earlier release", *reading)
    original = None if given.original is None else open_source(given.original, "earlier original", *reading)
    marker = now.marker if given.suppressed is None else given.suppressed.strip()
    tables = InputTables(
        release=release,
        original=original,
        marker=marker,
        reading=reading,
        workspace=now.workspace,
        vouched=given.pairing is not None,
        given=(given.released, given.original),
    )
    roles = _find_roles(given, newest.roles, release)
    places = dict(hierarchies) if given.hierarchies is None else find_hierarchies(given.hierarchies)
    used = {name: places[name] for name in (*roles.quasi_identifiers, *roles.sensitive) if name in places}
    trees = LazyHierarchies(used, partial(count_raw_values, tables, roles))
    return Edition(tables, roles, trees, unknown=given.unknown_person, disjoint=given.disjoint), given


def _find_roles(given: EarlierEdition, newest: Roles, release: TableSource) -> Roles:
    """Return the roles of an earlier release: its own, else those of the new release that it has."""
    keys = given.quasi_identifiers or newest.quasi_identifiers
    sensitive = given.sensitive or tuple(name for name in newest.sensitive if name in release.columns)
    if lacking := [name for name in keys if name not in release.columns]:
        problem = 'there is no column "{column}", which the new release has as a quasi-identifier'
        hint = "name the quasi-identifiers of this release: quasi_identifiers = [...]"
        if given.quasi_identifiers:
            problem, hint = 'there is no column "{column}"', "name columns of this release"
        raise RoleError(problem, where=release.name, hint=hint, figures={"column": lacking[0]})
    said = [
        *((name, Role.QUASI_IDENTIFIER) for name in keys),
        *((name, Role.SENSITIVE_ATTRIBUTE) for name in sensitive),
    ]
    return Roles.of(release.columns, said, release.name, release)


def _name_people(one: Edition, given: EarlierEdition, newest: InputTables, key: str | None) -> Edition:
    """Return an earlier release with what says who its rows are of."""
    if given.key_file is not None:
        return replace(one, tables=_with_key_file(one.tables, given.key_file))
    if given.pairing is not None and given.key is None:
        return replace(one, tables=_with_positions(one.tables), by_position=True)
    named = given.key or key
    if named is None:
        hint = 'write key = "person", a column of the originals, or key_file, or pairing = "position"'
        raise ParameterError("nothing says who the rows are of", where=one.name, hint=hint)
    several = newest.people.column is not None
    tables = _with_key(one.tables, named)
    if several:
        tables = replace(tables, people=People(named, newest.people.known))
    return replace(one, tables=tables, several=several, pseudonym=given.pseudonym)


def _with_key(tables: InputTables, key: str) -> InputTables:
    """Return tables whose people are named by a column of the original, or of the release."""
    sources = [one for one in (tables.original, tables.release) if one is not None]
    if not any(key in one.columns for one in sources):
        where = sources[0]
        try:
            where.require([key], "the key of the people", where.columns)
        except PETWorksError as error:
            raise NotAskableError(error.problem, where=error.where, hint=error.hint) from None
    return replace(tables, people=People(key, tables.people.known))


def _with_key_file(tables: InputTables, key_file: Any) -> InputTables:  # noqa: ANN401
    """Return tables whose people are named by a file that has a key for each released row, in its order."""
    keys = open_source(key_file, "key file")
    if len(keys.columns) != 1:
        problem = "a key file has one column, with a key for each released row"
        raise ParameterError(problem, where=keys.name, hint="leave the other columns out")
    (name,) = keys.columns
    return InputTables(
        release=tables.release,
        original=keys,
        marker=tables.marker,
        people=People(name),
        reading=tables.reading,
        workspace=tables.workspace,
        vouched=True,
        given=(tables.given[0], key_file),
    )


def _with_positions(tables: InputTables) -> InputTables:
    """Return tables whose people are the rows of the original, with which the released rows pair by position."""
    original = NumberedSource(tables.require_original(()), ROW)
    return replace(tables, people=People(ROW), original=original, key=None)
