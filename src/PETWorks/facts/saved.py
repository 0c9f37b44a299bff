"""Facts as JSON values, from which equal facts are loaded: tallies, but no rows.

Everything is measured from tallies, so loaded facts give the same results, explanations and reports. They have all
combinations of values of the release, of its original and of the population. Persons are numbers: their names are not
saved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from PETWorks import errors
from PETWorks.errors import CellText, NotAskableError, PETWorksError, Quantity, TooLargeError
from PETWorks.facts.facts import Facts
from PETWorks.facts.notes import Cell, Name, Note, Reason
from PETWorks.facts.people import NAMED, PSEUDONYM, People, find_joining_column
from PETWorks.facts.roles import Roles
from PETWorks.facts.tallies import InputTables, find_tables
from PETWorks.hierarchies.hierarchy import Hierarchy
from PETWorks.settings.sections import Reading
from PETWorks.tables.counting.count import Batch
from PETWorks.tables.counting.persons import PersonCounts, split_persons
from PETWorks.tables.counting.size_histogram import Grouping, SizeSummary
from PETWorks.tables.counting.tally import Before, Coded, Key, Tally, Value, narrow
from PETWorks.tables.counting.workspace import Workspace
from PETWorks.tables.opening import TableSource

Plain = Any  # a JSON value

# types of texts that are saved with a tag
TAGS = {"name": Name, "cell": Cell, "reason": Reason, "fraction": Fraction, "content": CellText}


def dump_figure(figure: Any) -> Plain:  # noqa: ANN401
    """Convert the figure of a note to JSON; `load_figure` reverses it.

    >>> load_figure(dump_figure({"file": Name("a.csv"), "share": Fraction(1, 3), "sizes": [1, 2]}))
    {'file': 'a.csv', 'share': Fraction(1, 3), 'sizes': [1, 2]}
    """
    if isinstance(figure, Mapping):
        return {"figures": {str(name): dump_figure(one) for name, one in figure.items()}}
    if isinstance(figure, list | tuple):
        return [dump_figure(one) for one in figure]
    if isinstance(figure, Quantity):
        return {"quantity": [figure.number, figure.noun, figure.nouns]}
    if isinstance(figure, CellText):
        return {"content": figure.text}
    tag = next((tag for tag, kind in TAGS.items() if isinstance(figure, kind)), None)
    return {tag: str(figure)} if tag else figure


def load_figure(plain: Plain) -> Any:  # noqa: ANN401
    """Build a figure from what `dump_figure` returned."""
    if isinstance(plain, list):
        return [load_figure(one) for one in plain]
    if not isinstance(plain, dict):
        return plain
    ((tag, content),) = plain.items()
    if tag == "figures":
        return {name: load_figure(one) for name, one in content.items()}
    if tag == "quantity":
        return Quantity(*content)
    return TAGS[tag](content)


def dump_note(note: Note) -> Plain:
    """Convert a note to JSON."""
    others = {name: one and dump_note(one) for name, one in (("instead", note.instead), ("public", note.public))}
    return {**vars(note), "figures": dump_figure(note.figures), **others}


def load_note(plain: Plain) -> Note:
    """Build a note from what `dump_note` returned."""
    others = {name: plain.get(name) and load_note(plain[name]) for name in ("instead", "public")}
    return Note(**{**plain, "figures": load_figure(plain["figures"]), **others})


def dump_error(error: PETWorksError) -> Plain:
    """Convert an error to JSON, with all its attributes."""
    known = {name: one for name, one in vars(error).items() if name != "summary"}
    outline = getattr(error, "summary", None)
    return {"kind": type(error).__name__, "known": dump_figure(known), "outline": outline and _dump_outline(outline)}


def load_error(plain: Plain) -> PETWorksError:
    """Build an error from what `dump_error` returned; its class must be one of PETWorks."""
    kind: type[PETWorksError] = getattr(errors, plain["kind"])
    if not issubclass(kind, PETWorksError):
        raise TypeError(plain["kind"])
    known = load_figure(plain["known"])
    error = kind(known.pop("template"), where=known.pop("where"), hint=known.pop("hint_template"))
    vars(error).update(known)
    if isinstance(error, TooLargeError):
        error.summary = plain["outline"] and _load_outline(plain["outline"])
    return error


def _dump_outline(outline: SizeSummary) -> Plain:
    missing = [[_dump_key(key), cells] for key, cells in outline.missing.items()]
    crowds = [[*sizes, many] for sizes, many in outline.crowds.items()]
    sizes = list(map(list, outline.histogram.items()))
    person = None if outline.person is None else _dump_key(outline.person)
    people = {name: list(map(list, getattr(outline, name).items())) for name in ("smallest", "holders")}
    return vars(outline) | {"histogram": sizes, "missing": missing, "crowds": crowds, "person": person} | people


def _load_outline(plain: Plain) -> SizeSummary:
    outline = SizeSummary(**plain)
    missing = {_load_key(key): many for key, many in plain["missing"]}
    crowds = {(people, rows): many for people, rows, many in plain["crowds"]}
    person = None if plain.get("person") is None else _load_key(plain["person"])
    smallest, holders = dict(plain["smallest"]), dict(plain["holders"])
    sizes = replace(outline, histogram=dict(plain["histogram"]), smallest=smallest, holders=holders)
    return replace(sizes, missing=missing, crowds=crowds, person=person)


def dump_tally(tally: Tally) -> Plain:
    """Convert a tally to JSON: for each column its values, and for each combination the index of its value."""
    columns = [
        {"column": _dump_key(key), "values": list(column.values), "codes": column.codes.tolist()}
        for key, column in tally.columns.items()
    ]
    return {"columns": columns, "counts": tally.counts.tolist()}


def load_tally(plain: Plain) -> Tally:
    """Build a tally; raise a ValueError if its columns differ in length, or have values that do not exist."""
    counts = np.array(plain["counts"], dtype=np.int64)
    columns: dict[Key, Coded] = {}
    for one in plain["columns"]:
        codes = np.array(one["codes"], dtype=np.int64)
        if len(codes) != len(counts) or not _are_valid(codes, one["values"]) or (counts < 1).any():
            raise ValueError(one["column"])
        columns[_load_key(one["column"])] = Coded(narrow(codes, len(one["values"])), one["values"])
    return Tally(columns, counts)


def _are_valid(codes: np.ndarray, values: Sequence[object]) -> bool:
    return bool(((codes >= 0) & (codes < len(values))).all()) and all(isinstance(one, str | None) for one in values)


def _dump_key(key: Key) -> str:
    """Write the name of a column; one of the original after ``original:``, any other after ``:``."""
    return f"original:{key.name}" if isinstance(key, Before) else f":{key}"


def _load_key(plain: str) -> Key:
    table, _, name = plain.partition(":")
    return Before(name) if table else name


NUMBER = Before("")  # the column of their numbers; "" cannot clash with a column name


def dump_people(facts: Facts) -> Plain:
    """Convert the persons of the rows to JSON; None if every row is one person."""
    people, names = find_tables(facts).people, facts.roles.quasi_identifiers
    if people.column is None:
        return None
    if facts.all_persons is None:  # only the sizes of classes are known: they are in the saved error
        return {**people.to_dict(), "named": False, "joined": None, "held": None, "population": None}
    held = PersonCounts(facts.released, facts.all_persons, ())
    with suppress(PETWorksError):
        if facts.rows_pair and (pairs := facts.tallies.paired_persons) is not None:
            held = PersonCounts(facts.paired, pairs, ())
    population = None
    with suppress(PETWorksError):
        population = find_tables(facts).count_population_with_persons(names) if facts.has_population else None
    joined = find_joining_column(facts) if facts.persons is not None and facts.known == "one" else None
    return {
        **people.to_dict(),
        "named": facts.named_persons[0] is not None,
        "joined": joined,
        "held": _dump_person_counts(held),
        "population": population and _dump_person_counts(population),
    }


class SavedPeople:
    """The persons of the rows, built from what `dump_people` returned."""

    def __init__(self, plain: Plain) -> None:
        self.people = People(plain["person"], plain["known"], plain["unknown_person"])
        self.named = bool(plain["named"])
        self.joined = None if plain["joined"] is None else Name(plain["joined"])
        self.held = _load_person_counts(plain["held"]) if plain["held"] else None
        self.population = plain["population"] and _load_person_counts(plain["population"])


def _dump_person_counts(held: PersonCounts) -> Plain:
    persons = held.persons
    columns: dict[Key, Coded] = {key: column.take(persons.of_entry) for key, column in held.tally.columns.items()}
    numbers = Coded(persons.of_person, [str(number) for number in range(persons.people)])
    return dump_tally(Tally({**columns, NUMBER: numbers}, persons.rows))


def _load_person_counts(plain: Plain) -> PersonCounts:
    return split_persons(load_tally(plain), NUMBER)


Counted = Tally | PETWorksError  # a tally, or why there is none
TABLES = ("release", "original", "population", "holdout")


def dump_facts(facts: Facts, further: Sequence[str] | None = None) -> Plain:
    """Convert facts to JSON; counts tallies that were not counted yet.

    `further` are columns that measures of rows that do not pair look at, beside all that release and original share;
    None: no such measure was evaluated.
    """
    tables, known = find_tables(facts), facts.roles.quasi_identifiers
    counted = {"pairs": _dump_counted(lambda: facts.paired)} if facts.rows_pair else {}
    people = dump_people(facts)
    if "counts" not in counted.get("pairs", ()):  # the pairs include the release and the original
        counted["release"] = _dump_counted(lambda: facts.released)
        counted |= {"original": _dump_counted(lambda: facts.before)} if facts.has_original else {}
    if further is not None:
        counted |= _dump_wide(facts, further)
    if facts.has_population:
        counted["population"] = _dump_counted(lambda: tables.count_population(known, rows=0))
    return {
        "tables": {role: _dump_source(one) for role in TABLES if (one := getattr(tables, role)) is not None},
        "counted": counted,
        "roles": vars(facts.roles),
        "hierarchies": {name: _dump_hierarchy(one) for name, one in facts.hierarchies.items()},
        "unknown_values": "generalised" if facts.forgiving else "error",
        "remarks": [dump_note(note) for note in facts.remarks],
        "identifiers": tables.identifiers,
        "key": tables.key,
        "vouched": tables.vouched,
        "unpaired": tables.unpaired,
        "synthetic": tables.synthetic,
        "weight": tables.weight,
        **({} if people is None else {"people": people}),
        "suppressed": tables.marker,
        "reading": tables.reading.values(),
        "memory": tables.workspace.memory,
    }


def _dump_wide(facts: Facts, further: Sequence[str]) -> dict[str, Plain]:
    """Convert the tallies of all columns that measures of rows that do not pair look at."""
    tables = find_tables(facts)
    shared = facts.comparable if facts.has_original else ()
    names = dict.fromkeys([*facts.roles.quasi_identifiers, *facts.roles.sensitive, *shared, *further])
    found = {}
    for role in ("release", "original", "holdout"):
        if (source := getattr(tables, role)) is not None:
            found[role] = dump_tally(source.tally([one for one in names if one in source.columns], tables.workspace))
    return found


def load_facts(plain: Plain) -> Facts:
    """Build facts from what `dump_facts` returned."""
    counted = {what: _load_counted(one) for what, one in plain["counted"].items()}
    pairs = counted.pop("pairs", None)
    people = SavedPeople(plain["people"]) if plain.get("people") else None
    sources = {role: SavedSource(one, counted.get(role)) for role, one in plain["tables"].items()}
    facts = Facts(
        SavedTables(
            release=sources["release"],
            original=sources.get("original"),
            population=sources.get("population"),
            holdout=sources.get("holdout"),
            pairs=pairs,
            _tallies=[pairs] if isinstance(pairs, Tally) else [],
            identifiers=tuple(plain.get("identifiers", ())),
            key=plain["key"],
            vouched=plain["vouched"],
            unpaired=plain.get("unpaired", False),
            synthetic=plain.get("synthetic", False),
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
        remarks=tuple(map(load_note, plain["remarks"])),
    )
    if people is not None and people.held is not None:
        facts.cache(NAMED, lambda: people.joined is not None)
        facts.cache(PSEUDONYM, lambda: people.joined)
    return facts


def _dump_source(source: TableSource) -> Plain:
    told = {"name": source.name, "columns": source.columns, "form": source.form, "encoding": source.encoding}
    return {**told, "digest": source.digest()}


def _dump_hierarchy(hierarchy: Hierarchy) -> Plain:
    return {"where": hierarchy.where, "digest": hierarchy.digest, "rows": [*map(list, hierarchy.rows())]}


def _dump_counted(count: Callable[[], Tally]) -> Plain:
    try:
        return dump_tally(count())
    except PETWorksError as error:
        return {"error": dump_error(error)}


def _load_counted(plain: Plain) -> Counted:
    return load_error(plain["error"]) if "error" in plain else load_tally(plain)


class SavedSource(TableSource):
    """A table whose tally was saved, or the error that counting it raised; its rows are not available."""

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
        tally = counted.select([keys[name] for name in columns])
        return Tally({str(name): tally.columns[keys[name]] for name in columns}, tally.counts)

    def locate(self, column: str, values: Iterable[Value]) -> dict[Value, int]:  # noqa: ARG002
        """Return an empty dict: rows are not saved."""
        return {}


@dataclass(frozen=True, eq=False)
class SavedTables(InputTables):
    """Tables whose tallies were saved."""

    has_rows: ClassVar[bool] = False

    pairs: Counted | None = None
    saved: SavedPeople | None = None

    def count_with_persons(self, before: Sequence[str], after: Sequence[str], grouping: Grouping) -> PersonCounts:  # noqa: ARG002
        """Return the persons of the saved combinations."""
        keys: list[Key] = [*map(Before, before), *after]
        assert self.saved is not None  # noqa: S101
        if (held := self.saved.held) is None:
            self.release.tally(after)  # raises the saved error: only the sizes of classes are known
        if held is None or not all(key in held.tally.columns for key in keys):
            raise NotAskableError("the persons of the rows were not saved", hint="measure the table again")
        return held.select(keys)._replace(from_original=not self.saved.named)

    def count_population_with_persons(self, names: Sequence[str]) -> PersonCounts | None:
        """Return the persons of the saved combinations of the population; None if it has no person column."""
        return self.saved.population.select(names) if self.saved and self.saved.population else None

    def count_paired(self, before: Sequence[str], after: Sequence[str]) -> Tally:
        """Return the tally of original and release, or raise the error that counting it raised."""
        if isinstance(self.pairs, PETWorksError):
            raise self.pairs
        return super().count_paired(before, after)

    def read_side_by_side(self, before: Sequence[str], after: Sequence[str]) -> Iterator[Batch]:  # noqa: ARG002
        """Yield no rows: if their order was wrong, the errors of the measures that noticed it were saved."""
        return iter(())
