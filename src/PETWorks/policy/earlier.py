"""Earlier releases of the same people in a policy, under [[earlier]]; and those that a command names.

A command names a table, a table with its original (``released.csv=original.csv``), or the policy of that release.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from PETWorks.errors import MissingFileError, SourceError
from PETWorks.evaluation.requirement import Requirement
from PETWorks.measure.base import Measure
from PETWorks.policy.ledger import list_editions, read_ledger
from PETWorks.policy.toml import Problems, TomlSection, read_toml
from PETWorks.settings.sections import EarlierEdition, LedgerFile

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


def read_ledger_section(file: TomlSection, folder: Path, problems: Problems) -> tuple[LedgerFile, Path] | None:
    """Return what [ledger] says, and the path of the ledger; None if the policy names none."""
    section = file.table("ledger")
    given = section.read_sections(LedgerFile)
    section.report_unread()
    if "ledger" not in file:
        return None
    for name, example in (("file", "releases.jsonl"), ("dataset", "visits")):
        if not given[name]:
            section.refuse(f'missing key "{name}"', hint=f'add {name} = "{example}"')
    read: list[LedgerFile] = []
    with problems.gathering(section.where):
        read.append(LedgerFile(**given))
    return (read[0], folder / (given["file"] or "releases.jsonl")) if read else None


def list_entered(ledger: tuple[LedgerFile, Path] | None, problems: Problems) -> list[dict[str, Any]]:
    """Return every release of the ledger as an earlier one; what is wrong with it is a problem."""
    entered: list[dict[str, Any]] = []
    if ledger is not None and ledger[0].dataset:
        with problems.gathering():
            if not ledger[1].is_file():
                hint = "for the first release of the dataset, make it as an empty file; otherwise put it back"
                raise MissingFileError("there is no such ledger", where=str(ledger[1]), hint=hint)
            entered += list_editions(read_ledger(ledger[1]), ledger[0].dataset)
    return entered


class Earlier(NamedTuple):
    """What a policy says of earlier releases: its ledger, what is entered there, and what it names itself."""

    ledger: tuple[LedgerFile, Path] | None
    entered: list[dict[str, Any]]
    named: list[dict[str, Any]]
    key_file: Path | None  # of the release itself

    @property
    def releases(self) -> list[dict[str, Any]]:
        """All of them, oldest first."""
        return [*self.entered, *self.named]


def read_all(
    file: TomlSection, folder: Path, found: Callable[[str], Path], purpose: str, problems: Problems
) -> Earlier:
    """Return what a policy says of earlier releases; the ledger is not read for a release that is yet to be made."""
    ledger = read_ledger_section(file, folder, problems)
    entered = list_entered(ledger, problems) if purpose == "check" else []
    keys = file.table("data").text("key_file")
    return Earlier(ledger, entered, read_earlier(file, found, problems), folder / keys if keys else None)


def _require_joined(requirements: Sequence[Requirement], entered: Sequence[object], file: TomlSection) -> None:
    """Add a problem if there are releases in the ledger, and no requirement judges this one beside them."""
    if entered and not any(one.measure.for_editions for one in requirements):
        hint = 'add [[require]] measure = "joint anonymity" with k, for example'
        file.refuse(f"the ledger has earlier releases ({len(entered)}), and nothing is required beside them", hint=hint)


def list_required(requirements: Iterable[Requirement], earlier: Earlier) -> tuple[Requirement, ...]:
    """Return what is required of this release: of the first one in a ledger, nothing beside earlier ones."""
    path = earlier.ledger[1] if earlier.ledger and not earlier.releases else None
    is_first = path is not None and path.is_file() and not path.stat().st_size
    return tuple(one for one in requirements if not (is_first and one.measure.for_editions))


def list_goals(requirements: Sequence[Requirement], purpose: str, earlier: Earlier, file: TomlSection) -> list[Measure]:
    """Return the measures that a search can keep to; those of several releases are judged when a release is written.

    It is a problem if nothing is required beside the releases of the ledger.
    """
    _require_joined(requirements, earlier.entered, file)
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
