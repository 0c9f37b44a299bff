"""The role of each column: known to an adversary, to be kept secret, or irrelevant to privacy.

>>> roles = Roles.of(["name", "zip", "age", "disease"], {"zip": "quasi_identifier", "disease": "SENSITIVE_ATTRIBUTE"})
>>> roles.quasi_identifiers, roles.sensitive
(('zip',), ('disease',))
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from PETWorks.errors import ParameterError, RoleError, did_you_mean, list_names, show_value
from PETWorks.tables.source import NO_HEADER_HINT, find_showable_names, suggest_columns

if TYPE_CHECKING:
    from PETWorks.tables.source import TableSource

Names = Iterable[str]


class Role(StrEnum):
    """The meaning of a column for privacy."""

    IDENTIFIER = "identifier"
    QUASI_IDENTIFIER = "quasi_identifier"
    SENSITIVE_ATTRIBUTE = "sensitive_attribute"
    INSENSITIVE_ATTRIBUTE = "insensitive_attribute"


PARAMETERS = {  # of `Release`, by role
    Role.QUASI_IDENTIFIER: "quasi_identifiers",
    Role.SENSITIVE_ATTRIBUTE: "sensitive",
    Role.IDENTIFIER: "identifiers",
    Role.INSENSITIVE_ATTRIBUTE: "insensitive",
}

_ARX_SPELLINGS = {
    "identifying_attribute": Role.IDENTIFIER,
    "quasi_identifying_attribute": Role.QUASI_IDENTIFIER,
}


def read_role(spelling: object) -> Role:
    """Return the role of this name, in our spelling or that of ARX; ignores case."""
    text = str(spelling).casefold().removeprefix("attributetype.")
    if text in _ARX_SPELLINGS:
        return _ARX_SPELLINGS[text]
    try:
        return Role(text)
    except ValueError:
        raise RoleError(f'"{spelling}" is not a role', hint=did_you_mean(text, Role)) from None


def suggest_splitting(name: str, parameter: str, columns: Sequence[str]) -> str:
    """Return a hint if an unknown name is a list of columns separated by commas; otherwise an empty string."""
    parts = [part.strip() for part in name.split(",")]
    if len(parts) == 1 or not any(part in columns for part in parts):
        return ""
    names = ", ".join(f'"{part}"' for part in parts if part)
    return f"write {parameter}=[{names}]"


@dataclass(frozen=True)
class Roles:
    """The columns of a table by role, in table order; sensitive attributes in the order in which they were passed."""

    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    insensitive: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        columns: Sequence[str],
        given: Mapping[str, object] | Sequence[tuple[str, object]],
        where: str = "",
        source: TableSource | None = None,
    ) -> Roles:
        """Group columns by role; raise a single error that lists all problems.

        Without roles, every column is a quasi-identifier; otherwise columns without a role are insensitive. `source` is
        the table: names that may be its cells are not quoted.
        """
        pairs = list(given.items() if isinstance(given, Mapping) else given)
        problems, hints, lacking, known = [], [], [], set(columns)
        roles: dict[str, Role] = {}
        for name, spelling in pairs:
            column = str(name).strip()
            try:
                role = read_role(spelling)
            except RoleError as error:
                problems.append(f'"{column}": {error.problem}')
                hints.append(error.hint)
                continue
            if column not in known:
                problems.append(f'there is no column "{column}" ({role.replace("_", " ")})')
                if listed := suggest_splitting(column, PARAMETERS[role], columns):
                    hints.append(listed)
                else:
                    lacking.append(column)
            elif roles.setdefault(column, role) is not role:
                problems.append(f'"{column}" is given two roles: {roles[column]} and {role}')
                hints.append("name it once")
        rest = Role.INSENSITIVE_ATTRIBUTE if pairs else Role.QUASI_IDENTIFIER
        found = cls(*(tuple(c for c in columns if roles.get(c, rest) is role) for role in PARAMETERS))
        found = replace(found, sensitive=tuple(c for c in roles if roles[c] is Role.SENSITIVE_ATTRIBUTE))
        if not problems and not found.quasi_identifiers:
            problems.append("no column is a quasi-identifier")
            names = columns if source is None else find_showable_names(source)
            hints.append(f"name at least one of: {list_names(names)}" if names else NO_HEADER_HINT)
        if lacking:
            hints.append(did_you_mean(lacking, columns) if source is None else suggest_columns(source, lacking))
        if problems:
            raise RoleError("; ".join(problems), where=where, hint="\n  ".join(hints))
        return found


def combine_roles(roles: Mapping[str, object] | None, *by_role: Names | None) -> list[tuple[str, object]]:
    """Return the roles that the caller passed, as pairs of column and role."""
    if roles is not None and not isinstance(roles, Mapping):
        raise ParameterError(
            f"roles must map columns to roles, not {show_value(roles)}", hint='pass roles={"age": "quasi_identifier"}'
        )
    given = list(roles.items()) if roles else []
    for (role, parameter), names in zip(PARAMETERS.items(), by_role, strict=True):
        if isinstance(names, str) or not isinstance(names, Iterable | None):
            problem = f"{parameter} must be a list of column names, not {show_value(names)}"
            raise ParameterError(problem, hint=f"write {parameter}={_suggest_list(names)}")
        given += [(name, role) for name in names or ()]
    return given


def _suggest_list(names: object) -> str:
    """Return the list that the caller may have meant with names in one text.

    >>> _suggest_list("age, sex")
    "['age', 'sex']"
    """
    return str([name.strip() for name in re.split("[,;，、]", names)]) if isinstance(names, str) else '["age", "sex"]'
