"""The YAML file beside a table, which supplies roles and hierarchies if the caller passes none.

DATASET:
  ATTRIBUTE_TYPE:
    QUASI_IDENTIFIER: [zip, age]
    SENSITIVE_ATTRIBUTE: [disease]
  HIERARCHY: hierarchies      # a folder, relative to this file

A hierarchy that fits no column causes a note: its name may be misspelt.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from reprlib import repr as repr_of
from typing import Any

from PETWorks.errors import HierarchyError, RoleError, SidecarError, did_you_mean, find_nearest, list_quoted
from PETWorks.facts.notes import Name, Note
from PETWorks.facts.roles import Role, read_role

PLAIN = "write only plain mappings, lists and text"


@dataclass(frozen=True)
class Sidecar:
    """The content of the YAML file beside a table, and its path."""

    path: Path
    roles: list[tuple[str, Role]]
    hierarchies: Path | None


def find_sidecar(*tables: object) -> Sidecar | None:
    """Read the YAML file beside the first of the tables that has one."""
    for table in tables:
        if isinstance(table, str | os.PathLike):
            path = Path(table) if Path(table).name else Path(table).absolute()
            beside = path.with_name(Path(path.name.removesuffix(".gz")).stem + ".yaml")
            if beside.is_file():
                return read_sidecar(beside)
    return None


def read_sidecar(path: Path) -> Sidecar:
    """Read and check the YAML file beside a table."""
    content = _load(path)
    dataset = _check_mapping(content, ["DATASET"], path, "").get("DATASET")
    settings = _check_mapping(dataset, ["ATTRIBUTE_TYPE", "HIERARCHY"], path, "DATASET")
    types = _check_mapping(settings.get("ATTRIBUTE_TYPE") or {}, None, path, "ATTRIBUTE_TYPE")
    folder = settings.get("HIERARCHY") or None
    if folder is not None and not isinstance(folder, str):
        hint = "write HIERARCHY: folder, relative to this file"
        raise SidecarError(f"HIERARCHY must name a folder, not {repr_of(folder)}", where=path.name, hint=hint)
    return Sidecar(path, list(_read_roles(types, path)), path.parent / folder if folder else None)


def _load(path: Path) -> object:
    """Load plain YAML: every scalar is read as text, and a tag that would build an object is an error."""
    import yaml

    class Plain(yaml.SafeLoader):
        yaml_implicit_resolvers = {}  # noqa: RUF012
        yaml_constructors = {  # noqa: RUF012
            tag: make
            for tag, make in yaml.SafeLoader.yaml_constructors.items()
            if tag is None or tag.endswith((":str", ":seq", ":map"))
        }

        def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002
            if isinstance(node, yaml.MappingNode):  # the tag !!map may stand before something else
                keys = [key for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
                seen = set[str]()
                for key in keys:
                    if key.value in seen:
                        problem = f'the key "{key.value}" occurs twice'
                        raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
                    seen.add(key.value)
            return super().construct_mapping(node, deep)

    try:
        return yaml.load(path.read_bytes(), Plain)  # noqa: S506 (a safe loader)
    except yaml.MarkedYAMLError as error:
        line = f", line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise SidecarError(f"not readable: {error.problem}", where=f"{path.name}{line}", hint=PLAIN) from error
    except OSError as error:
        hint = "check that it is a file and that you have permission to read it"
        raise SidecarError(f"not readable: {error.strerror or error}", where=str(path), hint=hint) from error
    except (yaml.YAMLError, RecursionError) as error:
        raise SidecarError(f"not readable: {' '.join(str(error).split())}", where=path.name, hint=PLAIN) from error


def _read_roles(types: dict[str, Any], path: Path) -> list[tuple[str, Role]]:
    roles = []
    for spelling, columns in types.items():
        try:
            role = read_role(spelling)
        except RoleError as error:
            raise error.convert(SidecarError, where=f"{path.name}, ATTRIBUTE_TYPE") from error
        if not isinstance(columns, list) or not all(isinstance(column, str) for column in columns):
            problem = f"{spelling} must list column names, not {repr_of(columns)}"
            raise SidecarError(problem, where=path.name, hint=f"write {spelling}: [zip, age]")
        roles += [(column.strip(), role) for column in columns]
    return roles


def _check_mapping(content: object, keys: list[str] | None, path: Path, where: str) -> dict[str, Any]:
    """Return the content if it is a mapping with no other keys than these; raise an error otherwise."""
    place = f"{path.name}, {where}" if where else path.name
    if not isinstance(content, dict):
        raise SidecarError(
            f"a mapping is expected here, not {repr_of(content)}", where=place, hint=__doc__.split("\n\n")[1]
        )
    for key in content:
        if keys is not None and key not in keys:
            raise SidecarError(f'unknown key "{key}"', where=place, hint=did_you_mean(str(key), keys))
    return content


def find_unused_hierarchies(given: Mapping[str, Any], columns: Sequence[str], used: Sequence[str]) -> Iterator[Note]:
    """Yield notes on hierarchies that are not used: of files that fit no column, and of columns that need none.

    A folder may have files for columns that are not used, but a hierarchy passed by the name of a column should be
    used.
    """
    lacking = [column for column in columns if column not in given]
    strays = []
    for attribute in [name for name in given if name not in columns]:
        place = given[attribute]
        name = Name(place.name if isinstance(place, Path) else attribute)
        if column := find_nearest(attribute, lacking):
            yield Note("misspelt_hierarchy", {"name": name, "column": Name(column)})
        else:
            strays.append(name)
    if strays:
        yield Note("stray_hierarchies", {"names": strays})
    if idle := [Name(one) for one in given if one in columns and one not in used and not isinstance(given[one], Path)]:
        yield Note("idle_hierarchies", {"names": idle})


def require_columns_of_hierarchies(given: Mapping[str, Any], columns: Sequence[str], where: str) -> None:
    """Raise an error if a hierarchy is passed by a name that no column has; files of a folder may fit no column."""
    if strays := [name for name, one in given.items() if name not in columns and not isinstance(one, Path)]:
        problem = f"hierarchies: no column is called {list_quoted(strays)}"
        raise HierarchyError(problem, where=where, hint=did_you_mean(strays, columns))
