"""What a draft may look like: sections are tables, lists are lists; what they say is judged by the policy's reader."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Any

from PETWorks.errors import PolicyError, plural
from PETWorks.policy.starting import LISTS
from PETWorks.policy.toml import Problems, Settings
from PETWorks.policy.writing import Figure, toml_text

ORDER = ("version", "title", "data", "roles", "hierarchies", "require", "removed", "not_shown", "anonymize", "report")
SECTIONS = ("data", "roles", "hierarchies", "anonymize", "report")
TEXTS = ("original", "released", "hierarchies", "delimiter", "encoding", "sheet", "value_labels", "person")
PLACE = re.compile(r" \(at line (\d+), column (\d+)\)$")


def checked(text: str, name: str) -> dict[str, Any]:
    """Read the text of a policy; raise an error that lists all parts that are not of their kind."""
    try:
        content = tomllib.loads(text, parse_float=Figure)
    except (tomllib.TOMLDecodeError, ValueError, RecursionError) as error:
        found = PLACE.search(str(error))
        where = f"{name}, line {found[1]}, column {found[2]}" if found else name
        raise PolicyError(f"not valid TOML: {PLACE.sub('', str(error))}", where=where) from error
    problems = Problems()
    file = Settings(content, name, problems)
    tables = {key: file.table(key) for key in SECTIONS}
    file.tables("require")
    file.tables("removed")
    file.text("title")
    file.done(*ORDER)
    for key in TEXTS:
        tables["data"].text(key)
    for key in LISTS:
        tables["roles"].names(key)
    for column in tables["hierarchies"].rest():
        tables["hierarchies"].table(column)
    for pin in tables["anonymize"].tables("pinned"):
        pin.text("name")
        pin.table("levels")
    for key in ("coarsest", "finest", "levels", "weights"):
        tables["anonymize"].table(key)
    if problems:
        raise _all_of(problems, name)
    try:
        toml_text(in_order(content))
    except TypeError as error:  # dates and times
        raise PolicyError(str(error), where=name, hint="write it in quotes") from error
    return content


def in_order(value: Any) -> Any:  # noqa: ANN401
    """Return a value with plain entries before tables, as TOML wants it; short tables of plain entries stay inline."""
    if isinstance(value, Mapping):
        entries = {key: in_order(one) for key, one in value.items()}
        return dict(sorted(entries.items(), key=lambda entry: _is_table(entry[1])))
    return [*map(in_order, value)] if isinstance(value, list | tuple) else value


def _is_table(value: Any) -> bool:  # noqa: ANN401
    several = isinstance(value, list) and bool(value) and all(isinstance(one, Mapping) for one in value)
    return isinstance(value, Mapping) or several


def _all_of(problems: Problems, name: str) -> PolicyError:
    if len(problems) == 1:
        return PolicyError(problems[0].problem, where=problems[0].where, hint=problems[0].hint, problems=problems)
    listed = "\n  ".join(line for problem in problems for line in str(problem).splitlines())
    return PolicyError(plural(len(problems), "problem"), where=name, hint=listed, problems=problems)
