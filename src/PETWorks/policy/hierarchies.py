"""The hierarchies of a policy: a folder of files, and for some columns a rule or a file of its own.

[hierarchies.age]
intervals = [5, 10, 20]
bottom = 15
top = 95
[hierarchies.zip]
file = "zip.csv"
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PETWorks.hierarchies.files import find_hierarchies
from PETWorks.hierarchies.kinds import KINDS, rule_of
from PETWorks.policy.toml import Problems, Settings
from PETWorks.sources import Source
from PETWorks.sources.first_line import suggestion


def read_hierarchies(
    folder: str | None,
    section: Settings,
    source: Source | None,
    problems: Problems,
    found: Callable[[str], Path],
) -> dict[str, Any] | None:
    """Return the files and rules by column; None if the policy names none. Paths are as `found` finds them.

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
            one.refuse(f'there is no column "{column}"', hint=suggestion(source, [column]))
        if column in hierarchies:
            hint = "keep one: delete this section, or the file"
            one.refuse(f"the folder of hierarchies has a file for the same column: {hierarchies[column].name}", hint)
        with problems.gathering(one.where):
            hierarchies[column] = _file(one, found) if "file" in one else rule_of(column, one.rest())
    section.done()
    return hierarchies or None


def _file(one: Settings, found: Callable[[str], Path]) -> Path | None:
    file = one.text("file")
    if rest := [key for key in one.rest() if key in KINDS]:
        one.refuse(f"a file and {rest[0]} build the same hierarchy", hint="keep one of them")
    one.done(*KINDS)
    if file and not found(file).is_file():
        one.refuse(f'there is no file "{file}"', hint="name a file that exists: petworks hierarchy writes one")
    return found(file) if file else None
