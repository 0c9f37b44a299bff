"""The data that a policy file names: tables, hierarchies, and the role of each column.

The hierarchies of a policy: a folder of files, and for some columns a rule or a file of its own.

[hierarchies.age]
intervals = [5, 10, 20]
bottom = 15
top = 95
[hierarchies.zip]
file = "zip.csv"

How a policy file wants its release to be made: the section [anonymize], with the parameters of `pw.anonymize`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PETWorks.anonymization.plan import PARAMETERS, SearchSettings, read_search
from PETWorks.anonymization.treatments import is_unpublished, remove_sources
from PETWorks.errors import ParameterError, PETWorksError, SourceError, list_names
from PETWorks.evaluation.release import Release
from PETWorks.facts.roles import suggest_splitting
from PETWorks.hierarchies.files import build_rule, find_hierarchies, find_rule_kinds
from PETWorks.measure.base import Measure
from PETWorks.measure.privacy.k_anonymity import KAnonymity
from PETWorks.policy.toml import Problems, TomlSection
from PETWorks.settings.kinds import PerColumn
from PETWorks.settings.section import declared
from PETWorks.settings.sections import (
    DATA,
    MAKING,
    OriginalQuery,
    OtherColumns,
    Preparing,
    Reading,
    RoleLists,
    list_recodings,
)
from PETWorks.settings.treatments import Treatment, read_treatment
from PETWorks.tables.opening import OpenedTable, TableSource, open_original, open_source
from PETWorks.tables.query import Query
from PETWorks.tables.source import NO_HEADER_HINT, describe_columns, find_showable_names, suggest_columns

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def read_hierarchies(
    folder: str | None,
    section: TomlSection,
    source: TableSource | None,
    problems: Problems,
    found: Callable[[str], Path],
) -> dict[str, Any] | None:
    """Return the files and rules by column; None if the policy names none.

    `found` maps a path of the policy to the file.

    `source` is the table; None if it cannot be read.
    """
    hierarchies: dict[str, Any] = {}
    if folder:
        with problems.gathering():
            hierarchies = find_hierarchies(found(folder))
    for name, content in section.rest().items():
        one, column = section.table(name), name.strip()
        if not isinstance(content, dict):
            continue
        if source is not None and column not in source.columns:
            one.refuse(f'there is no column "{column}"', hint=suggest_columns(source, [column]))
        if column in hierarchies:
            hint = "keep one: delete this section, or the file"
            one.refuse(f"the folder of hierarchies has a file for the same column: {hierarchies[column].name}", hint)
        with problems.gathering(one.where):
            hierarchies[column] = _find_file(one, found) if "file" in one else build_rule(column, one.rest())
    section.report_unread()
    return hierarchies or None


def _find_file(one: TomlSection, found: Callable[[str], Path]) -> Path | None:
    file = one.text("file")
    if rest := [key for key in one.rest() if key in find_rule_kinds()]:
        one.refuse(f"a file and {rest[0]} build the same hierarchy", hint="keep one of them")
    one.report_unread(*find_rule_kinds())
    if file and not found(file).is_file():
        one.refuse(f'there is no file "{file}"', hint="name a file that exists: petworks hierarchy writes one")
    return found(file) if file else None


def read_columns(file: TomlSection, known: set[str], problems: Problems) -> tuple[Preparing, dict[str, Treatment]]:
    """Return the preparation of the original and its treatments; a source of derived columns is removed.

    Columns in `known` have a role, so they stay.
    """
    preparing = read_preparing(file, problems)
    person = file.table("data").rest().get("person")
    treat = read_treatments(file.table("treat"), problems)
    return preparing, remove_sources(treat, preparing.derive, {*known, str(person).strip()})


def read_preparing(file: TomlSection, problems: Problems) -> Preparing:
    """Return the preparation and the derived columns, from the tables [prepare] and [derive]."""
    found: dict[str, Any] = {}
    for name in declared(Preparing):
        section = file.table(name)
        if given := section.rest():
            with problems.gathering(section.where):
                found[name] = getattr(Preparing(**{name: given}), name)
    return Preparing(**found)


def read_treatments(section: TomlSection, problems: Problems) -> dict[str, Treatment]:
    """Return the treatments by column, from the tables [treat.<column>]."""
    found: dict[str, Treatment] = {}
    for name, given in section.rest().items():
        column = name.strip()
        one = section.table(name) if isinstance(given, dict) else section
        with problems.gathering(one.where):
            if column in found:
                raise ParameterError(f'"{column}" has two treatments', hint="keep one")
            try:
                found[column] = read_treatment(given, column)
            except PETWorksError as error:
                error.where = one.where
                raise
    return found


TABLES = ("released", "original", "population", "holdout")
LISTED = ("identifiers", "quasi_identifiers", "sensitive", "insensitive")  # in the order of their problems
REST = {"insensitive": "insensitive", "quasi_identifier": "quasi_identifiers", "identifier": "identifiers"}
DIGEST = re.compile(r"[0-9a-f]{64}", re.IGNORECASE)


def read_release(
    folder: Path,
    data: TomlSection,
    roles: TomlSection,
    hierarchies: TomlSection,
    problems: Problems,
    *,
    main: str,
    memory: Mapping[str, Any],
    spark: SparkSession | None = None,
    located: Callable[[str], Path] | None = None,
    read_outside: bool = False,
    treat: Mapping[str, Treatment] | None = None,
    preparing: Preparing | None = None,
    earlier: Sequence[Mapping[str, Any]] = (),
) -> Release | None:
    """Build the release. Paths are relative to `folder`, or looked up in `located`.

    The `main` table is "released" or, for a release that is yet to be made, "original": it is then a release of itself.
    Return None after adding the reasons to `problems`.
    """
    before = len(problems)
    found = located or folder.joinpath
    given = data.read_sections(*DATA)
    named = {name: given.pop(name) for name in TABLES}
    read = [name for name in TABLES[TABLES.index(main) :] if named[name]]
    paths: dict[str, Any] = {name: found(named[name]) for name in read}
    if spark:
        from PETWorks.tables.spark.files import SparkPath

        paths = {name: SparkPath.from_folder(folder, named[name], spark) for name in paths}
    query = data.read_sections(OriginalQuery)["query"]
    if query and _is_usable(data, paths, spark):
        paths["original"] = Query(query, folder, read_outside, memory)
    reading = Reading(**{name: given.pop(name) for name in declared(Reading)})
    given |= {"earlier": list(earlier), "key_file": given["key_file"] and found(given["key_file"])}
    if main not in paths:
        data.refuse(f'missing key "{main}"', hint=f'add {main} = "table.csv"')
    prepared = partial(open_original, reading=reading, preparing=preparing or Preparing(), person=given["person"])
    sources = _open_tables(paths, reading, prepared, problems, data.where)
    trees = read_hierarchies(given.pop("hierarchies"), hierarchies, sources.get(main), problems, found)
    _check_digests(data.table("sha256"), sources, problems)
    _check_names(data, given, sources)
    data.report_unread()
    unpublished = [name for name, one in (treat or {}).items() if is_unpublished(one)]
    by_role = _read_roles(roles, sources.get(main), sources.get("original"), given["person"], unpublished)
    if len(problems) > before:
        return None
    opened = {name: OpenedTable(path, sources[name]) for name, path in paths.items()}
    table = opened.pop("released", None) or opened["original"]
    if main == "original":
        given |= {"key": None, "pairing": "position", "synthetic": False, "earlier": [], "key_file": None}
        opened.pop("holdout", None)
        used = {name for source in sources.values() for name in source.read_with}
        reading = Reading.pick({name: value for name, value in reading.values().items() if name in used})
        # the others may be about the released file
    given |= {"hierarchies": trees, **reading.values(), **opened, **by_role, **memory}
    given |= preparing.values() if preparing and "original" in sources else {}
    try:
        return Release(table, sidecar=False, **{name: value for name, value in given.items() if value is not None})
    except PETWorksError as error:
        problems.add(error)
        return None


def _is_usable(data: TomlSection, paths: Mapping[str, Any], spark: SparkSession | None) -> bool:
    """Return True if a query can be the original; add a problem if not."""
    if "original" in paths:
        data.refuse("original and query both say what the original is", hint="leave out one of them")
    elif spark:
        data.refuse("a query is computed by the embedded engine", hint="leave out --engine spark")
    return "original" not in paths and spark is None


def _open_tables(
    paths: Mapping[str, Any],
    reading: Reading,
    open_prepared: Callable[[Any], TableSource],
    problems: Problems,
    where: str,
) -> dict[str, TableSource]:
    """Return the sources of the tables that can be opened; add a problem for each other one."""
    sources: dict[str, TableSource] = {}
    for name, path in paths.items():
        with problems.gathering(where):
            sources[name] = open_prepared(path) if name == "original" else open_source(path, name, *reading)
    return sources


def _check_digests(digests: TomlSection, sources: dict[str, TableSource], problems: Problems) -> None:
    """Add a problem for each table whose SHA-256 is not the one in the policy."""
    for name in TABLES:
        if (expected := digests.text(name)) is None:
            continue
        if not DIGEST.fullmatch(expected):
            digests.refuse(f"{name} must be a SHA-256, 64 hexadecimal digits, not {expected!r:.80}")
        elif name in sources and (found := sources[name].digest()) != expected.casefold():
            found = found or "unavailable: the file is remote"
            problem = f"this is not the {name} table that the policy names: its SHA-256 is {found}"
            problems.add(SourceError(problem, where=sources[name].name, hint=f"the policy expects {expected}"))
    digests.report_unread()


def _check_names(data: TomlSection, given: Mapping[str, Any], sources: dict[str, TableSource]) -> None:
    """Add a problem if a table lacks the key, or none has the column of the persons."""
    _check_key(data, given["key"], sources)
    _check_person(data, given["person"], sources)


def _check_key(data: TomlSection, key: str | None, sources: dict[str, TableSource]) -> None:
    for source in [sources[name] for name in ("released", "original") if key and name in sources]:
        if key and key not in source.columns:
            data.refuse(f'{source.name} has no column "{key}" (key)', hint=suggest_columns(source, [key]))


def _check_person(data: TomlSection, person: str | None, sources: dict[str, TableSource]) -> None:
    """Add a problem if neither the release nor its original has the person column."""
    tables = [sources[name] for name in ("released", "original") if name in sources]
    if person and tables and not any(person in source.columns for source in tables):
        hint = suggest_columns(tables[0], [person])
        data.refuse(f'{tables[0].name} has no column "{person}" (person)', hint=hint)


def _split_left_out(
    identifiers: list[str], main: TableSource, original: TableSource | None
) -> tuple[list[str], list[str]]:
    """Return the identifiers that the table should have, and those that only its original has.

    Without an original, identifiers that the table lacks are ignored.
    """
    before = identifiers if original is None else original.columns
    gone = {name for name in identifiers if name in before and name not in main.columns}
    left_out = list(dict.fromkeys(name for name in identifiers if name in gone))
    return [name for name in identifiers if name not in gone], [] if original is None else left_out


def _read_roles(
    roles: TomlSection,
    main: TableSource | None,
    original: TableSource | None,
    person: str | None = None,
    unpublished: Collection[str] = (),
) -> dict[str, list[str]]:
    """Return the columns by role; columns that are not named get the role in `the_rest`.

    A release may lack identifiers of its original, which are often left out: the person column, and columns that are
    removed.
    """
    listed = roles.read_sections(RoleLists)
    by_role = {role: [name.strip() for name in listed[role]] for role in LISTED}
    gone = [name for role in LISTED[1:] for name in by_role[role] if name in unpublished]
    by_role = {role: [name for name in names if name not in gone] for role, names in by_role.items()}
    by_role["identifiers"] += dict.fromkeys(gone)
    the_rest = roles.read_sections(OtherColumns)["the_rest"] or "error"
    roles.report_unread()
    if main is None:
        return {}
    by_role["identifiers"], left_out = _split_left_out(by_role["identifiers"], main, original)
    given: dict[str, str] = {}
    for role, names in by_role.items():
        for name in names:
            if name not in main.columns:
                hint = suggest_splitting(name, role, main.columns) or suggest_columns(main, [name])
                roles.refuse(f'{main.name} has no column "{name}" ({role})', hint)
            elif given.setdefault(name, role) != role:
                roles.refuse(f'"{name}" is given two roles: {given[name]} and {role}', "name it once")
    by_role["identifiers"] += [name for name in unpublished if name not in given and name in main.columns]
    if rest := [name for name in main.columns if name not in (*given, person, *unpublished)]:
        if the_rest == "error":
            hint = 'list them under a role, or add the_rest = "insensitive"'
            roles.refuse(f"no role is given to {describe_columns(main, rest)}", hint=hint)
        else:
            by_role[REST[the_rest]] += rest
    by_role["identifiers"] += left_out
    if not by_role["quasi_identifiers"]:
        hint = f"name at least one of: {list_names(known)}" if (known := find_showable_names(main)) else NO_HEADER_HINT
        roles.refuse("no column is a quasi-identifier", hint=hint)
    return by_role


PER_COLUMN = [name for name, one in declared(*MAKING).items() if isinstance(one.kind, PerColumn)]
ANY_GOAL = KAnonymity(1)  # each key is checked by itself, whatever the requirements are


@dataclass(frozen=True)
class PinnedLevels:
    """Named levels to remember; the search does not use them."""

    name: str
    levels: Mapping[str, int]
    given: Mapping[str, Any] = field(default_factory=dict)  # "recoding" and "suppress_at_most", if they are its own

    def apply_to(self, asked: SearchSettings) -> SearchSettings:
        """Return the settings that make the pinned release, based on those of the section.

        Pinned levels imply global recoding.

        Bounds of the search are dropped, since the levels are fixed.
        """
        own = read_search(ANY_GOAL, **self.given)
        recoding = own.recoding if self.levels or "recoding" in self.given else asked.recoding
        rate = own.suppress_at_most if "suppress_at_most" in self.given else asked.suppress_at_most
        bounds: dict[str, Any] = {"coarsest": {}, "finest": {}} if self.levels else {}
        return replace(asked, levels=self.levels, recoding=recoding, suppress_at_most=rate, **bounds)


class MakingReader:
    """Reads the section [anonymize], and adds its errors to `problems`.

    `check` raises an error if settings name columns that are no quasi-identifiers, or levels that do not exist.
    """

    def __init__(self, section: TomlSection, problems: Problems, check: Callable[[SearchSettings], object]) -> None:
        self._section, self._problems, self._check = section, problems, check

    def read(
        self, goals: Sequence[Measure], further: Mapping[str, Any]
    ) -> tuple[SearchSettings | None, tuple[PinnedLevels, ...]]:
        """Return the settings of the search (None after an error), and the pinned levels.

        `further` are settings that replace those of the section.
        """
        section, problems = self._section, self._problems
        before, accepted = len(problems), dict[str, Any]()
        tables = {name: section.table(name) for name in PER_COLUMN}
        pinned = tuple(map(self._read_pinned, section.tables("pinned")))
        names = [one.name for one in pinned if one.name]
        for name in sorted({name for name in names if names.count(name) > 1}):
            section.refuse(f'two candidates are pinned as "{name}"', hint="give each a name of its own")
        if "treat" in section:
            section.refuse("treat is a table of its own", hint="write [treat.<column>], without anonymize")
        given = {**section.rest(), **further}
        section.report_unread(*PARAMETERS)
        for name in (name for name in PARAMETERS if name in given):
            with problems.gathering(section.where):
                read_search(ANY_GOAL, **accepted, **{name: given[name]})
                accepted[name] = given[name]
        for name, table in tables.items():
            for column, number in table.rest().items():
                with problems.gathering(table.where):
                    alone: dict[str, Any] = {name: {column: number}}
                    self._check(read_search(ANY_GOAL, **alone))
        with problems.gathering(section.where):
            if goals and len(problems) == before:
                accepted |= {name: table.rest() for name, table in tables.items()}
                found = read_search(goals, **accepted)
                self._check(found)
                return found, pinned
        return None, pinned

    def _read_pinned(self, one: TomlSection) -> PinnedLevels:
        name, table = one.text("name"), one.table("levels")
        if "name" not in one:
            one.refuse('missing key "name"', hint='add name = "A", for example')
        recoding = one.word("recoding", *list_recodings())
        given = {key: value for key, value in one.rest().items() if key == "suppress_at_most"}
        one.report_unread("suppress_at_most")
        with self._problems.gathering(one.where):
            read_search(ANY_GOAL, **given)
        given |= {"recoding": recoding} if recoding else {}
        levels = {column: level for column in table.rest() if (level := table.whole_number(column)) is not None}
        for column, level in levels.items():
            with self._problems.gathering(one.where):
                self._check(SearchSettings(levels={column: level}))
        return PinnedLevels(name or "", levels, given)
