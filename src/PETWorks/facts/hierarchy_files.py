"""Hierarchies from a folder of ``<anything>_hierarchy_<attribute>.csv``, or as the caller passes them."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from PETWorks.counting.tally import Value
from PETWorks.errors import EncodingError, HierarchyError, SourceError, did_you_mean
from PETWorks.facts.hierarchy import Hierarchy
from PETWorks.sources.decoding import TextFile
from PETWorks.sources.records import find_delimiter, records
from PETWorks.sources.source import ReadAgainError
from PETWorks.sources.text_form import text_form

MARK = "_hierarchy_"


class Hierarchies(Mapping[str, Hierarchy]):
    """Hierarchies by attribute, each read when a measure first asks for it."""

    def __init__(self, places: Mapping[str, Any]) -> None:
        self._places = places
        self._read: dict[str, Hierarchy] = {}

    def __getitem__(self, name: str) -> Hierarchy:
        """Read a hierarchy, once."""
        if name not in self._read:
            self._read[name] = read_hierarchy(name, self._places[name])
        return self._read[name]

    def __contains__(self, name: object) -> bool:
        """Whether there is one, without reading it."""
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        """Name the attributes that have one."""
        return iter(self._places)

    def __len__(self) -> int:
        """How many there are."""
        return len(self._places)


def find_hierarchies(given: Any) -> dict[str, Any]:  # noqa: ANN401 (checked here)
    """Say for each attribute where its hierarchy is: a file, or rows. Nothing is read yet."""
    if given is None:
        return {}
    if isinstance(given, Mapping):
        return {str(name).strip(): one for name, one in given.items()}
    if not isinstance(given, str | os.PathLike):
        problem = f"hierarchies must be a folder or a dict, not {given!r:.60}"
        raise HierarchyError(problem, hint='hierarchies={"age": [["34", "30-39", "*"]]}')
    folder = Path(given)
    if not folder.is_dir():
        near = [other.name for other in folder.parent.iterdir() if other.is_dir()] if folder.parent.is_dir() else []
        raise HierarchyError(
            "there is no such folder of hierarchies", where=str(folder), hint=did_you_mean(folder.name, near)
        )
    found: dict[str, Path] = {}
    for path in sorted(folder.absolute().glob(f"*{MARK}*.csv")):  # they are read later, perhaps from elsewhere
        attribute = path.name.removesuffix(".csv").rpartition(MARK)[2].strip()
        if attribute in found:
            problem = f'two files for the attribute "{attribute}": {found[attribute].name}, {path.name}'
            raise HierarchyError(problem, where=str(folder.name), hint="keep one of them")
        found[attribute] = path
    if not found:
        hint = "name the files <anything>_hierarchy_<attribute>.csv"
        raise HierarchyError("the folder holds no hierarchy", where=str(folder), hint=hint)
    return found


def read_hierarchy(attribute: str, given: Any) -> Hierarchy:  # noqa: ANN401 (a path, rows, or a hierarchy)
    """Make a hierarchy of a CSV file without header, or of rows."""
    if isinstance(given, Hierarchy):
        return given
    if isinstance(given, str | os.PathLike):
        path = Path(given)
        if not path.is_file():
            raise HierarchyError(f'there is no file for the hierarchy of "{attribute}"', where=str(path))
        return Hierarchy(attribute, _rows(path), path.name)
    where = f'hierarchy of "{attribute}"'
    if isinstance(given, Iterator):
        given = list(given)
    if isinstance(given, Mapping) or not _is_list(given) or not all(map(_is_list, given)):
        hint = 'pass rows as lists of cells, for example [["1977", "197*", "*"]], or the path of a file'
        raise HierarchyError(f"{given!r:.60} is no list of rows", where=where, hint=hint)
    try:
        rows = [[text_form(cell) for cell in row] for row in given]
    except SourceError as error:
        raise HierarchyError(error.problem, where=where, hint="each row is a list of plain values") from error
    if not rows:
        raise HierarchyError("the hierarchy is empty", where=where, hint="give a row for every value")
    return Hierarchy(attribute, rows, where)


def _is_list(given: object) -> bool:
    return isinstance(given, Iterable) and not isinstance(given, str | bytes)


def _rows(path: Path) -> Iterator[list[Value]]:
    content = _content(TextFile(path))
    if not content.strip():
        raise HierarchyError("the hierarchy is empty", where=path.name, hint="write a line for every value")
    delimiter = find_delimiter(content.partition("\n")[0])
    for _, cells in records(io.StringIO(content, newline="\n"), delimiter, path.name):
        if cells:
            yield [text_form(cell) for cell in cells]


def _content(file: TextFile) -> str:
    while True:
        try:
            return b"".join(file.blocks()).decode()
        except ReadAgainError:
            continue
        except EncodingError as error:
            raise HierarchyError(error.problem, where=error.where, hint="save it as UTF-8, or as Big5") from error
