"""The hierarchy that each quasi-identifier has now: built by the library, and kept until what it needs changes."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from pathlib import Path
from typing import Any

from PETWorks.app.desk import Desk
from PETWorks.app.project.draft import Draft
from PETWorks.app.screens.requirements.asking import lifted
from PETWorks.counting.tally import Value
from PETWorks.errors import PETWorksError
from PETWorks.facts.roles import Role
from PETWorks.hierarchies.counts import Counts
from PETWorks.hierarchies.coverage import Coverage
from PETWorks.hierarchies.files import find_hierarchies, read_hierarchy
from PETWorks.hierarchies.hierarchy import TOP, Hierarchy
from PETWorks.hierarchies.kinds import KINDS, rule_of
from PETWorks.hierarchies.spans import Span, spans
from PETWorks.hierarchies.suggestion import Suggestion, suggest
from PETWorks.inspection.survey import Survey
from PETWorks.inspection.uniqueness import small_by_level
from PETWorks.sources.file_state import signature

FILE, NONE = "file", "none"  # ways without a rule


@dataclass(frozen=True, eq=False)
class Present:
    """A quasi-identifier: how its hierarchy is made, what that gives, and what is wrong with it."""

    name: str
    number: int  # in addresses
    kind: str  # of a rule, or FILE, or NONE: values are kept or suppressed
    settings: Mapping[str, Any]
    counts: Counts  # people by value
    suggestion: Suggestion
    key: Hashable  # what all this depends on
    hierarchy: Hierarchy | None = None  # None: it cannot be built
    problem: PETWorksError | None = None
    needed_by: str = ""  # the measure that asks for it, of a sensitive attribute; "": none does

    @cached_property
    def coverage(self) -> Coverage | None:
        """Which values of the table have no place in it."""
        return self.hierarchy.coverage(self.counts) if self.hierarchy else None

    @property
    def lacking(self) -> int:
        """How many values have no place."""
        return len(self.coverage.lacking) if self.coverage else 0

    @property
    def absent(self) -> bool:
        """True if a requirement needs a hierarchy, and there is none yet."""
        return bool(self.needed_by) and self.kind == NONE

    @property
    def waits(self) -> bool:
        """True if a rule is suggested, and there is none yet."""
        return not self.needed_by and self.kind == NONE and self.suggestion.rule is not None


@dataclass
class Cabinet:
    """What was worked out for the columns of a table; of what depends on settings, the last by column."""

    counts: dict[str, Counts] = field(default_factory=dict)
    people: dict[str, Counts] = field(default_factory=dict)
    suggestions: dict[str, Suggestion] = field(default_factory=dict)
    present: dict[str, Present] = field(default_factory=dict)
    small: dict[str, tuple[Hashable, list[int]]] = field(default_factory=dict)
    spans: dict[str, tuple[Hashable, list[list[Span]]]] = field(default_factory=dict)


class Hierarchies:
    """The quasi-identifiers of a project, in the order of the table, each with the hierarchy that it has now.

    Behind them stand the sensitive attributes for which a requirement needs a hierarchy, or the policy has one.
    """

    def __init__(self, desk: Desk, survey: Survey) -> None:
        self.desk, self.survey = desk, survey
        roles = desk.draft.roles_of(desk.columns)
        self.quasi = [name for name in desk.columns if roles.get(name) is Role.QUASI_IDENTIFIER]
        self.needed = needed_for(desk.draft, [name for name, role in roles.items() if role is Role.SENSITIVE_ATTRIBUTE])
        places = {name: number for number, name in enumerate(desk.columns, 1)}
        self.numbers = {name: places[name] for name in (*self.quasi, *self.needed)}
        self.forgiving = desk.draft.data.get("unknown_values") == "generalised"
        self._cabinet = desk.kept(("hierarchies", desk.table_key, desk.draft.data.get("person")), Cabinet)
        self._files = folder_files(desk)

    def __iter__(self) -> Iterator[Present]:
        """Iterate over the quasi-identifiers."""
        return (self[name] for name in self.numbers)

    def __len__(self) -> int:
        """Return how many quasi-identifiers there are."""
        return len(self.numbers)

    def __getitem__(self, name: str) -> Present:
        """Return the hierarchy that a quasi-identifier has."""
        kind, settings, path = self._place(name)
        key = (name, kind, repr(settings), (str(path), signature(path)) if path else None, self.needed.get(name))
        found = self._cabinet.present.get(name)
        if found is None or found.key != key:
            found = self._cabinet.present[name] = self._built(key, name, kind, settings, path)
        return found

    def counts(self, name: str) -> Counts:
        """Return the values of a column, with their rows: hierarchies are built on these."""
        if name not in self._cabinet.counts:
            self._cabinet.counts[name] = self.survey.counts(name)
        return self._cabinet.counts[name]

    def people(self, name: str) -> Counts:
        """Return the values of a column, with their people: those of fewer than five are not shown."""
        if name not in self._cabinet.people:
            self._cabinet.people[name] = self.survey.people(name)
        return self._cabinet.people[name]

    def suggestion(self, name: str) -> Suggestion:
        """Return what is suggested for a column."""
        if name not in self._cabinet.suggestions:
            self._cabinet.suggestions[name] = suggest(name, self.counts(name))
        return self._cabinet.suggestions[name]

    def is_good(self, present: Present) -> bool:
        """Return True if every value has a place, or counts as fully generalised."""
        if present.hierarchy is None or present.absent:
            return False
        return not present.lacking or self.forgiving

    @property
    def combinations(self) -> int:
        """How many combinations of levels there are."""
        return prod(one.hierarchy.height + 1 for one in map(self.__getitem__, self.quasi) if one.hierarchy)

    def small(self, present: Present) -> list[int] | None:
        """Return, for each level, how many people are in small classes, other columns as they are; None: not known."""
        names, hierarchy = self.quasi, present.hierarchy
        if (
            hierarchy is None
            or present.name not in names
            or not self.survey.is_quick(names)
            or (tally := self.survey.tally(names)) is None
        ):
            return None
        key, found = (tuple(names), present.key), self._cabinet.small.get(present.name)
        if found is None or found[0] != key:
            found = self._cabinet.small[present.name] = (key, small_by_level(tally, hierarchy, names))
        return found[1]

    def spans(self, present: Present, least: int) -> list[list[Span]]:
        """Return the drawing of a hierarchy, in which groups of `least` people or more are named."""
        if present.hierarchy is None:
            return []
        key, found = (least, present.key), self._cabinet.spans.get(present.name)
        if found is None or found[0] != key:
            order = present.settings.get("ordered")
            drawn = spans(present.hierarchy, present.counts, order, least)
            found = self._cabinet.spans[present.name] = (key, drawn)
        return found[1]

    def _place(self, name: str) -> tuple[str, Mapping[str, Any], Path | None]:
        """Return how the hierarchy of a column is made: its kind, its settings, and its file."""
        draft = self.desk.draft
        settings = {key.strip(): one for key, one in draft.rules.items()}.get(name)
        if settings is not None:
            if isinstance(file := settings.get(FILE), str):
                return FILE, settings, self.desk.folder / file
            return next((key for key in settings if key in KINDS), "unknown"), settings, None
        if path := self._files.get(name):
            return FILE, {}, path
        return NONE, {}, None

    def _built(self, key: Hashable, name: str, kind: str, settings: Mapping[str, Any], path: Path | None) -> Present:
        told = Present(name, self.numbers[name], kind, settings, self.people(name), self.suggestion(name), key)
        told = replace(told, needed_by=self.needed.get(name, ""))
        try:
            return replace(told, hierarchy=self.build(name, kind, settings, path))
        except PETWorksError as error:
            return replace(told, problem=error)

    def build(self, name: str, kind: str, settings: Mapping[str, Any], path: Path | None = None) -> Hierarchy:
        """Build a hierarchy on the values of the table; raise an error that says what is wrong."""
        counts = self.counts(name)
        if kind == NONE:
            return Hierarchy.flat(name, _known(counts))
        if kind == FILE:
            return read_hierarchy(name, self.desk.within(path or self.desk.folder / str(settings[FILE])))
        return rule_of(name, settings).build(counts)


def needed_for(draft: Draft, sensitive: Sequence[str]) -> Mapping[str, str]:
    """Return the sensitive attributes that need a hierarchy, each with the measure that asks for it.

    Those that have a rule of their own, which nothing asks for any more, stand there too, so that it can be removed.
    """
    found = {key.strip(): "" for key in draft.rules if key.strip() in sensitive}
    for one in draft.requirements:
        found |= {name: found.get(name) or str(one["measure"]) for name in lifted(one, sensitive)}
    return {name: found[name] for name in sensitive if name in found}


def folder_files(desk: Desk) -> Mapping[str, Path]:
    """Return the files of the policy's folder of hierarchies, by column; none if there is no such folder."""
    folder = desk.draft.data.get("hierarchies")
    try:
        return find_hierarchies(desk.within(desk.folder / folder)) if folder else {}
    except PETWorksError:
        return {}


def _known(counts: Counts) -> list[Value]:
    return [value for value in counts if value != TOP]
