"""Read hierarchies by column: from a folder of ``<anything>_hierarchy_<attribute>.csv``, or from the caller's objects.

`build_rule` builds a rule from the section [hierarchies.<column>] of a policy.
"""

from __future__ import annotations

import io
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, fields
from functools import cache
from pathlib import Path
from typing import Any

from PETWorks.errors import (
    EncodingError,
    HierarchyError,
    ParameterError,
    SourceError,
    UnknownNameError,
    did_you_mean,
    list_quoted,
    show_value,
)
from PETWorks.hierarchies.hierarchy import Hierarchy
from PETWorks.hierarchies.rule import Rule
from PETWorks.hierarchies.values import Counts
from PETWorks.tables.counting.tally import Value
from PETWorks.tables.decoding import TextFile
from PETWorks.tables.records import find_delimiter, read_records
from PETWorks.tables.source import ReadAgainError
from PETWorks.tables.text_form import text_form

SUGGESTION_HINT = (
    "a suggestion is yours to confirm: pass its rule, or hierarchies=found.rules for all that are no question"
)
FILE_MARK = "_hierarchy_"


class LazyHierarchies(Mapping[str, Hierarchy]):
    """Hierarchies by attribute, each read or built when it is first needed.

    `values` returns the values of an attribute with their counts, on which rules are built.
    """

    def __init__(self, places: Mapping[str, Any], values: Callable[[str], Counts]) -> None:
        self._places, self._values = places, values
        self._read: dict[str, Hierarchy] = {}

    def __getitem__(self, name: str) -> Hierarchy:
        """Return a hierarchy; read or build it on first use."""
        if name not in self._read:
            place = self._places[name]
            built = isinstance(place, Rule)
            self._read[name] = place.build(self._values(name)) if built else read_hierarchy(name, place)
        return self._read[name]

    def build_with(self, name: str, further: Iterable[Value]) -> Hierarchy:
        """Return a hierarchy; one by a rule is built on further values, too."""
        if isinstance(place := self._places[name], Rule):
            return place.build({**dict.fromkeys(further, 0), **self._values(name)})
        return self[name]

    def __contains__(self, name: object) -> bool:
        """Return True if the attribute has a hierarchy, without reading it."""
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        """Iterate over the attributes that have a hierarchy."""
        return iter(self._places)

    def __len__(self) -> int:
        """Return the number of hierarchies."""
        return len(self._places)


class HierarchiesWithMissing(Mapping[str, Hierarchy]):
    """Hierarchies with a row for missing values where their file lacks one: these stay missing below the top.

    `missing` returns the missing values of an attribute.
    """

    def __init__(self, hierarchies: Mapping[str, Hierarchy], missing: Callable[[str], Iterable[Value]]) -> None:
        self._hierarchies, self._missing = hierarchies, missing
        self._completed: dict[str, Hierarchy] = {}

    def __getitem__(self, name: str) -> Hierarchy:
        """Return a hierarchy, complete."""
        if name not in self._completed:
            self._completed[name] = self._hierarchies[name].complete(self._missing(name))
        return self._completed[name]

    def __contains__(self, name: object) -> bool:
        """Return True if the attribute has a hierarchy, without reading it."""
        return name in self._hierarchies

    def __iter__(self) -> Iterator[str]:
        """Iterate over the attributes that have a hierarchy."""
        return iter(self._hierarchies)

    def __len__(self) -> int:
        """Return the number of hierarchies."""
        return len(self._hierarchies)


def find_hierarchies(given: Any) -> dict[str, Any]:  # noqa: ANN401 (checked here)
    """Return, for each attribute, the file, the rows or the rule of its hierarchy. No file is read yet."""
    if given is None:
        return {}
    if isinstance(given, Mapping):
        return {str(name).strip(): one for name, one in given.items()}
    if isinstance(given, list | tuple) and all(isinstance(one, Hierarchy | Rule) for one in given):
        if twice := [name for name, times in Counter(one.name for one in given).items() if times > 1]:
            raise HierarchyError(f"two hierarchies for {list_quoted(twice)}", hint="pass one for each column")
        return {one.name: one for one in given}
    if not isinstance(given, str | os.PathLike):
        problem = f"hierarchies must be a folder, a dict or a list of hierarchies and rules, not {show_value(given)}"
        raise HierarchyError(problem, hint='pass for example hierarchies={"age": [["34", "30-39", "*"]]}')
    folder = Path(given)
    if not folder.is_dir():
        near = [other.name for other in folder.parent.iterdir() if other.is_dir()] if folder.parent.is_dir() else []
        raise HierarchyError(
            "there is no such folder of hierarchies", where=str(folder), hint=did_you_mean(folder.name, near)
        )
    found: dict[str, Path] = {}
    # Absolute paths: the files are read later, and the working directory may change before.
    for path in sorted(folder.absolute().glob(f"*{FILE_MARK}*.csv")):
        attribute = path.name.removesuffix(".csv").rpartition(FILE_MARK)[2].strip()
        if attribute in found:
            problem = f'two files for the attribute "{attribute}": {found[attribute].name}, {path.name}'
            raise HierarchyError(problem, where=str(folder.name), hint="keep one of them")
        found[attribute] = path
    if not found:
        hint = "name the files <anything>_hierarchy_<attribute>.csv"
        raise HierarchyError("the folder holds no hierarchy", where=str(folder), hint=hint, figures={})
    return found


def read_hierarchy(attribute: str, given: Any) -> Hierarchy:  # noqa: ANN401 (a path, rows, or a hierarchy)
    """Build a hierarchy from a CSV file without header, or from rows."""
    if isinstance(given, Hierarchy):
        return given
    if isinstance(given, str | os.PathLike):
        path = Path(given)
        if not path.is_file():
            problem = f'the file with the hierarchy of "{attribute}" does not exist'
            raise HierarchyError(problem, where=str(path), hint="name a file that exists")
        file = TextFile(path, hashed=True)
        return Hierarchy(attribute, list(_read_rows(file)), path.name, file.digest)
    where = f'hierarchy of "{attribute}"'
    if isinstance(given, Iterator):
        given = list(given)
    if isinstance(given, Mapping) or not _is_list(given) or not all(map(_is_list, given)):
        hint = 'pass rows as lists of cells, for example [["1977", "197*", "*"]], or the path of a file'
        hint = SUGGESTION_HINT if hasattr(given, "rule") else hint
        raise HierarchyError(f"{show_value(given)} is not a list of rows", where=where, hint=hint)
    try:
        rows = [[text_form(cell) for cell in row] for row in given]
    except SourceError as error:
        hint = "write each row as a list of text, numbers, dates or booleans"
        raise HierarchyError(error.template, where=where, hint=hint, figures=error.figures) from error
    if not rows:
        raise HierarchyError("the hierarchy is empty", where=where, hint="write a row for every value", figures={})
    return Hierarchy(attribute, rows, where)


def _is_list(given: object) -> bool:
    return isinstance(given, Iterable) and not isinstance(given, str | bytes)


def _read_rows(file: TextFile) -> Iterator[list[Value]]:
    content = _read_text(file)
    if not content.strip():
        raise HierarchyError("the hierarchy is empty", where=file.name, hint="write a line for every value", figures={})
    delimiter = find_delimiter(content.partition("\n")[0])
    for record in read_records(io.StringIO(content, newline="\n"), delimiter, file.name):
        if record.cells:
            yield [text_form(cell) for cell in record.cells]


def _read_text(file: TextFile) -> str:
    while True:
        try:
            return b"".join(file.blocks()).decode()
        except ReadAgainError:
            continue
        except EncodingError as error:
            hint = "save it as UTF-8, or as Big5"
            raise HierarchyError(error.template, where=error.where, hint=hint, figures=error.figures) from error


@cache
def find_rule_kinds() -> Mapping[str, type[Rule]]:
    """Return the kinds of rules, by the keys of a policy that name them."""
    from PETWorks.hierarchies.dates import Dates
    from PETWorks.hierarchies.number_rules import Intervals, Quantiles
    from PETWorks.hierarchies.places import Places
    from PETWorks.hierarchies.value_rules import Ordered, Parents, Prefixes, RareLast

    return {one.kind: one for one in (Intervals, Quantiles, Prefixes, Dates, Ordered, RareLast, Parents, Places)}


def build_rule(name: str, settings: Mapping[str, Any]) -> Rule:
    """Build a rule from the settings that `Rule.settings` returns.

    >>> build_rule("age", {"intervals": [5, 10], "bottom": 15}).settings()
    {'intervals': [5, 10], 'bottom': 15}
    """
    rule_kinds = find_rule_kinds()
    kinds = [key for key in settings if key in rule_kinds]
    if len(kinds) != 1:
        found = " and ".join(kinds) if kinds else "no way to build it"
        hint = "name one of " + ", ".join(rule_kinds) if kinds else did_you_mean([*settings], rule_kinds)
        raise ParameterError(f'the hierarchy of "{name}" has {found}', hint=hint)
    kind = rule_kinds[kinds[0]]
    others = {key: value for key, value in settings.items() if key != kind.kind}
    known = {one.name: one for one in fields(kind) if one.name not in ("name", kind.main)}
    if unknown := [key for key in others if key not in known]:
        hint = did_you_mean(unknown, known) if known else f"{kind.kind} stands alone"
        raise UnknownNameError(f'unknown key "{unknown[0]}" beside {kind.kind}', hint=hint)
    lacking = [key for key, one in known.items() if one.default is MISSING and key not in others]
    if lacking:
        raise ParameterError(f'missing key "{lacking[0]}" beside {kind.kind}', hint=kind.example())
    return kind(name, **{kind.main: settings[kind.kind]}, **others)
