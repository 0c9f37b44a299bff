"""The YAML file beside a table, which supplies roles and hierarchies where the caller gives none.

DATASET:
  ATTRIBUTE_TYPE:
    QUASI_IDENTIFIER: [zip, age]
    SENSITIVE_ATTRIBUTE: [disease]
  HIERARCHY: hierarchies      # a folder, relative to this file
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PETWorks.errors import RoleError, SidecarError, did_you_mean
from PETWorks.roles import Role, role_of


@dataclass(frozen=True)
class Sidecar:
    """What such a file says, and where it is."""

    path: Path
    roles: list[tuple[str, Role]]
    hierarchies: Path | None


def find_sidecar(*tables: object) -> Sidecar | None:
    """Read the YAML beside the first of the tables that has one."""
    for table in tables:
        if isinstance(table, str | os.PathLike):
            path = Path(table)
            beside = path.with_name(Path(path.name.removesuffix(".gz")).stem + ".yaml")
            if beside.is_file():
                return read_sidecar(beside)
    return None


def read_sidecar(path: Path) -> Sidecar:
    """Read and check such a file."""
    import yaml

    try:
        content = yaml.safe_load(path.read_bytes())
    except yaml.MarkedYAMLError as error:
        line = f", line {error.problem_mark.line + 1}" if error.problem_mark else ""
        hint = "only plain mappings, lists and text are read"
        raise SidecarError(f"not readable: {error.problem}", where=f"{path.name}{line}", hint=hint) from error
    except yaml.YAMLError as error:
        raise SidecarError(f"not readable: {error}", where=path.name) from error
    dataset = _mapping(content, ["DATASET"], path, "").get("DATASET")
    settings = _mapping(dataset, ["ATTRIBUTE_TYPE", "HIERARCHY"], path, "DATASET")
    types = _mapping(settings.get("ATTRIBUTE_TYPE") or {}, None, path, "ATTRIBUTE_TYPE")
    folder = settings.get("HIERARCHY")
    if folder is not None and not isinstance(folder, str):
        raise SidecarError(f"HIERARCHY must name a folder, not {folder!r}", where=path.name)
    return Sidecar(path, list(_roles(types, path)), path.parent / folder if folder else None)


def _roles(types: dict[str, Any], path: Path) -> list[tuple[str, Role]]:
    roles = []
    for spelling, columns in types.items():
        try:
            role = role_of(spelling)
        except RoleError as error:
            raise SidecarError(error.problem, where=f"{path.name}, ATTRIBUTE_TYPE", hint=error.hint) from error
        if not isinstance(columns, list) or not all(isinstance(column, str | int | float) for column in columns):
            raise SidecarError(f"{spelling} must list column names, not {columns!r}", where=path.name)
        roles += [(str(column).strip(), role) for column in columns]
    return roles


def _mapping(content: object, keys: list[str] | None, path: Path, where: str) -> dict[str, Any]:
    """Pass a mapping on if it is one and has no other keys."""
    place = f"{path.name}, {where}" if where else path.name
    if not isinstance(content, dict):
        raise SidecarError(
            f"a mapping is expected here, not {content!r:.60}", where=place, hint=__doc__.split("\n\n")[1]
        )
    for key in content:
        if keys is not None and key not in keys:
            raise SidecarError(f'unknown key "{key}"', where=place, hint=did_you_mean(str(key), keys))
    return content
