"""Facts as plain values that JSON can hold, from which equal facts are built again: what was counted, but no rows.

Everything is measured from tallies, so facts that are built again give the same results, explanations and reports. They
hold all combinations of values of the release, of its original and of the population.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PETWorks.counting.count import Batch
from PETWorks.counting.memory import Workspace
from PETWorks.counting.persons import Held
from PETWorks.counting.size_histogram import Grouping
from PETWorks.counting.tally import Before, Key, Tally, Value
from PETWorks.errors import NotAskableError, PETWorksError
from PETWorks.facts.facts import Facts
from PETWorks.facts.people import People
from PETWorks.facts.pseudonyms import NAMED, PSEUDONYM
from PETWorks.facts.roles import Roles
from PETWorks.facts.saved_people import SavedPeople, plain_people
from PETWorks.facts.saved_values import (
    Plain,
    error_of,
    note_of,
    plain_error,
    plain_note,
    plain_tally,
    tally_of,
)
from PETWorks.facts.tallies import Tables
from PETWorks.hierarchies.hierarchy import Hierarchy
from PETWorks.sources import Reading, Source

Counted = Tally | PETWorksError  # what was counted, or why it could not be
TABLES = ("release", "original", "population")


def plain_facts(facts: Facts) -> Plain:
    """Convert facts; what was not counted yet is counted now."""
    tables, known = facts._tables, facts.roles.quasi_identifiers  # noqa: SLF001 (of this room)
    counted = {"pairs": _plain_counted(lambda: facts.paired)} if facts.has_original else {}
    people = plain_people(facts)
    if "counts" not in counted.get("pairs", ()):  # the pairs have what is known of release and original
        counted["release"] = _plain_counted(lambda: facts.released)
        counted |= {"original": _plain_counted(lambda: facts.before)} if facts.has_original else {}
    if facts.has_population:
        counted["population"] = _plain_counted(lambda: tables.population_tally(known, rows=0))
    return {
        "tables": {role: _plain_source(one) for role in TABLES if (one := getattr(tables, role)) is not None},
        "counted": counted,
        "roles": vars(facts.roles),
        "hierarchies": {name: _plain_hierarchy(one) for name, one in facts.hierarchies.items()},
        "unknown_values": "generalised" if facts.forgiving else "error",
        "remarks": [plain_note(note) for note in facts.remarks],
        "key": tables.key,
        "vouched": tables.vouched,
        "weight": tables.weight,
        **({} if people is None else {"people": people}),
        "suppressed": tables.marker,
        "reading": tables.reading._asdict(),
        "memory": tables.workspace.memory,
    }


def facts_of(plain: Plain) -> Facts:
    """Build facts from what `plain_facts` returned."""
    counted = {what: _counted_of(one) for what, one in plain["counted"].items()}
    pairs = counted.pop("pairs", None)
    people = SavedPeople(plain["people"]) if plain.get("people") else None
    sources = {role: SavedSource(one, counted.get(role)) for role, one in plain["tables"].items()}
    facts = Facts(
        SavedTables(
            release=sources["release"],
            original=sources.get("original"),
            population=sources.get("population"),
            pairs=pairs,
            _tallies=[pairs] if isinstance(pairs, Tally) else [],
            key=plain["key"],
            vouched=plain["vouched"],
            weight=plain["weight"],
            people=People() if people is None else people.people,
            saved=people,
            marker=plain["suppressed"],
            reading=Reading(**plain["reading"]),
            workspace=Workspace(plain["memory"]),
            given=("released", "original"),
        ),
        roles=Roles(**{role: tuple(names) for role, names in plain["roles"].items()}),
        hierarchies={
            name: Hierarchy(name, map(tuple, one["rows"]), one["where"], one["digest"])
            for name, one in plain["hierarchies"].items()
        },
        forgiving=plain["unknown_values"] == "generalised",
        remarks=tuple(map(note_of, plain["remarks"])),
    )
    if people is not None and people.held is not None:
        facts.once(NAMED, lambda: people.joined is not None)
        facts.once(PSEUDONYM, lambda: people.joined)
    return facts


def _plain_source(source: Source) -> Plain:
    told = {"name": source.name, "columns": source.columns, "form": source.form, "encoding": source.encoding}
    return {**told, "digest": source.digest()}


def _plain_hierarchy(hierarchy: Hierarchy) -> Plain:
    return {"where": hierarchy.where, "digest": hierarchy.digest, "rows": [*map(list, hierarchy.rows())]}


def _plain_counted(count: Callable[[], Tally]) -> Plain:
    try:
        return plain_tally(count())
    except PETWorksError as error:
        return {"error": plain_error(error)}


def _counted_of(plain: Plain) -> Counted:
    return error_of(plain["error"]) if "error" in plain else tally_of(plain)


class SavedSource(Source):
    """A table of which a tally was saved, or the error that came up when it was counted; its rows are not known."""

    def __init__(self, told: Mapping[str, Any], counted: Counted | None) -> None:
        self.name, self.columns = told["name"], tuple(told["columns"])
        self._told, self._counted = told, counted

    @property
    def encoding(self) -> str | None:
        """The encoding of the file."""
        encoding: str | None = self._told["encoding"]
        return encoding

    @property
    def form(self) -> tuple[str, ...]:
        """The kind of table and its format."""
        return tuple(self._told["form"])

    def digest(self) -> str | None:
        """Return the SHA-256 of the file."""
        digest: str | None = self._told["digest"]
        return digest

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:  # noqa: ARG002
        """Raise an error: rows are not saved."""
        raise NotAskableError("the rows were not saved", where=self.name, hint="measure the table again")

    def tally(
        self,
        columns: Sequence[str],
        workspace: Workspace | None = None,  # noqa: ARG002
        grouping: Grouping | None = None,  # noqa: ARG002
    ) -> Tally:
        """Return the tally of some of the saved columns."""
        if (counted := self._counted) is None or isinstance(counted, PETWorksError):
            raise counted or LookupError(columns)  # only if the file was changed
        keys = {getattr(key, "name", key): key for key in counted.columns}
        tally = counted.of([keys[name] for name in columns])
        return Tally({str(name): tally.columns[keys[name]] for name in columns}, tally.counts)

    def locate(self, column: str, values: Iterable[Value]) -> dict[Value, int]:  # noqa: ARG002
        """Return an empty dict: rows are not saved."""
        return {}


@dataclass(frozen=True, eq=False)
class SavedTables(Tables):
    """Tables of which the tallies were saved."""

    pairs: Counted | None = None
    saved: SavedPeople | None = None

    def held(self, before: Sequence[str], after: Sequence[str], grouping: Grouping) -> Held:  # noqa: ARG002
        """Return whose rows the saved combinations are."""
        keys: list[Key] = [*map(Before, before), *after]
        assert self.saved is not None  # noqa: S101
        if (held := self.saved.held) is None:
            self.release.tally(after)  # raises the error that was saved: only the sizes of classes are known
        if held is None or not all(key in held.tally.columns for key in keys):
            raise NotAskableError("whose rows they are was not saved", hint="measure the table again")
        return held.of(keys)._replace(from_original=not self.saved.named)

    def population_held(self, names: Sequence[str]) -> Held | None:
        """Return whose rows the saved combinations of the population are; None if it does not say so."""
        return self.saved.population.of(names) if self.saved and self.saved.population else None

    def paired(self, before: Sequence[str], after: Sequence[str]) -> Tally:
        """Return the tally of original and release, or raise the error that came up when it was counted."""
        if isinstance(self.pairs, PETWorksError):
            raise self.pairs
        return super().paired(before, after)

    def side_by_side(self, before: Sequence[str], after: Sequence[str]) -> Iterator[Batch]:  # noqa: ARG002
        """Yield no rows: if their order was wrong, the errors of the measures that found out were saved."""
        return iter(())
