"""Earlier releases of the same people in a policy, under [[earlier]]; and those that a command names.

A command names a table, a table with its original (``released.csv=original.csv``), or the policy of that release.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from PETWorks.errors import SourceError
from PETWorks.evaluation.requirement import Requirement
from PETWorks.measure.base import Measure
from PETWorks.policy.toml import Problems, TomlSection, read_toml
from PETWorks.settings.sections import EarlierEdition

PATHS = ("released", "original", "key_file", "hierarchies")
TAKEN = {  # what is taken from the policy of an earlier release, by table
    "data": ("released", "original", "hierarchies", "suppressed", "delimiter", "encoding", "sheet", "key_file"),
    "roles": ("quasi_identifiers", "sensitive"),
}


def read_earlier(file: TomlSection, found: Callable[[str], Path], problems: Problems) -> list[dict[str, Any]]:
    """Return what is under [[earlier]], with paths as `found` finds them; add what is wrong to `problems`."""
    earlier = []
    for one in file.tables("earlier"):
        given = {name: value for name, value in one.read_sections(EarlierEdition).items() if name in one}
        one.report_unread()
        if "released" not in one:
            one.refuse('missing key "released"', hint='add released = "last-year.csv"')
        for name in PATHS:
            path = given.get(name)
            if isinstance(path, str):
                given[name] = found(path)
                if not given[name].exists():
                    one.refuse(f'there is no file "{path}" ({name})', hint="an earlier release is never left out")
        with problems.gathering(one.where):
            EarlierEdition.of(given)
            earlier.append(given)
    return earlier


def list_goals(requirements: Sequence[Requirement], purpose: str, file: TomlSection) -> list[Measure]:
    """Return the measures that a search can keep to; those of several releases are judged when a release is written."""
    joined = [one.measure for one in requirements if one.measure.for_editions]
    if joined and purpose == "anonymize":
        problem = f"{joined[0].name} compares files that are written, so no search can keep to it"
        hint = (
            "make the release with a policy without it, at the levels of the earlier one; then check it with this one"
        )
        file.refuse(problem, hint=hint)
    return [one.measure for one in requirements if not one.measure.for_editions]


def read_named(given: str, spell: Callable[[str], Any] = str) -> Mapping[str, Any]:
    """Return the earlier release that a command names; `spell` makes of a path what opens the table."""
    if given.casefold().endswith(".toml"):
        return _take_policy(Path(given))
    released, _, original = given.partition("=") if not Path(given).exists() else (given, "", "")
    return {"released": spell(released), **({"original": spell(original)} if original else {})}


def _take_policy(path: Path) -> Mapping[str, Any]:
    """Return the earlier release that a policy describes."""
    content, _ = read_toml(path)
    taken: dict[str, Any] = {}
    for table, names in TAKEN.items():
        section = content.get(table, {})
        taken |= {name: section[name] for name in names if isinstance(section, Mapping) and name in section}
    if "released" not in taken:
        hint = "name the released file under [data], or the file itself in place of its policy"
        raise SourceError("this policy names no released table", where=path.name, hint=hint)
    data = content.get("data", {})
    if isinstance(data, Mapping) and "person" in data:
        taken["key"] = data["person"]
    return taken | {name: path.parent / str(taken[name]) for name in PATHS if name in taken}
