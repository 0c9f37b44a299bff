"""The hierarchy that each quasi-identifier has now: built by the library, and kept until what it needs changes.

The answer of the screen of hierarchies: which are complete, and whether the next step is open.

What a hierarchy makes of the values of the table: which it lacks, its levels, and the drawing of it.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

from markupsafe import Markup

from PETWorks.app.answering import Say, speaker
from PETWorks.app.desk import Desk
from PETWorks.app.project.draft import Draft
from PETWorks.app.screens.requirements.asking import lifted
from PETWorks.errors import MANY, PETWorksError
from PETWorks.facts.notes import Band
from PETWorks.facts.roles import Role
from PETWorks.hierarchies.files import KINDS, find_hierarchies, read_hierarchy, rule_of
from PETWorks.hierarchies.hierarchy import TOP, Coverage, Hierarchy
from PETWorks.hierarchies.spans import Span, spans
from PETWorks.hierarchies.suggestion import Suggestion, suggest
from PETWorks.hierarchies.values import Counts, together
from PETWorks.inspection.survey import Survey
from PETWorks.inspection.uniqueness import small_by_level
from PETWorks.measure.registry import find
from PETWorks.measure.steps import Cell, Name
from PETWorks.render.typography import display_width
from PETWorks.tables.counting.tally import Value, cell_text
from PETWorks.tables.source import signature

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


HAND = "parents"
TILES = ("intervals", "ordered", "prefixes", "dates", "places", HAND, "rare_last", "quantiles", FILE, NONE)


class Entry(NamedTuple):
    """A quasi-identifier in the list of all."""

    number: int
    name: Name
    state: str  # the icon: "holds", "note", "fails" or "waits"
    words: Markup


@dataclass(frozen=True)
class Answer:
    """All quasi-identifiers, and the one that is looked at."""

    all: Hierarchies
    present: Present
    language: str
    small: bool = False  # True: values of few people may be shown

    @cached_property
    def say(self) -> Say:
        """What fills the words of the application."""
        return speaker(self.language, rows=self.all.survey.person is not None)

    @property
    def least(self) -> int:
        """How many people a value must have to be named."""
        return 1 if self.small else MANY

    @cached_property
    def _bad(self) -> list[Present]:
        return [one for one in self.all if not self.all.is_good(one)]

    @cached_property
    def _waiting(self) -> list[Present]:
        return [one for one in self.all if one.waits]

    @property
    def state(self) -> str:
        """Whether the next step is open."""
        return "fails" if self._bad else "waits" if self._waiting else "holds"

    @property
    def title(self) -> Markup:
        """The answer."""
        every, done = len(self.all), len(self.all) - len(self._bad)
        if self._bad:
            first = next((one for one in self._bad if one.name == self.present.name), self._bad[0])
            found = "hierarchies_leaves_out" if first.hierarchy else "hierarchies_broken"
            key = "hierarchies_absent" if first.absent else found
            return self.say(key, done=done, all=every, column=Name(first.name), values=first.lacking)
        if self._waiting:
            return self.say("hierarchies_waiting", waiting=len(self._waiting), all=every)
        return self.say("hierarchies_done" if every > 1 else "hierarchies_done_one", all=every)

    @property
    def lead(self) -> Markup:
        """What the answer means."""
        first = next((one for one in self._bad if one.name == self.present.name), (*self._bad, None)[0])
        if first is None:
            key = "hierarchies_lead_waiting" if self._waiting else "hierarchies_lead_done"
            return self.say(key, combinations=self.all.combinations)
        if first.absent:
            return self.say("hierarchies_lead_absent", column=Name(first.name), measure=self._measure(first))
        if first.coverage is None:
            return self.say("hierarchies_lead_broken", column=Name(first.name))
        people, rows = first.coverage.lacking_people, together(first.counts)
        return self.say("hierarchies_lead", column=Name(first.name), people=people, rows=rows, share=people / rows)

    @property
    def shut(self) -> Markup:
        """Why the next step is shut; nothing if it is open."""
        names = [Name(one.name) for one in self._bad if not one.absent]  # which another requirement may settle
        return self.say("hierarchies_door", columns=names) if names else Markup()

    @property
    def entries(self) -> list[Entry]:
        """The quasi-identifiers."""
        return [Entry(one.number, Name(one.name), self._state(one), self._told(one)) for one in self.all]

    def _measure(self, one: Present) -> str:
        """Return the name of the measure that asks for a hierarchy."""
        return find(one.needed_by).words[self.language].title

    def _state(self, one: Present) -> str:
        if one.hierarchy is None or one.absent:
            return "fails"
        return "waits" if one.waits else "holds" if self.all.is_good(one) else "note"

    def _told(self, one: Present) -> Markup:
        if one.absent:
            return self.say("hierarchies_entry_absent", measure=self._measure(one))
        if one.hierarchy is None:
            return self.say("hierarchies_entry_broken")
        if one.waits and one.suggestion.rule:
            return self.say("hierarchies_entry_suggested", builder=self.builder_name(one.suggestion.rule.kind))
        levels = one.hierarchy.height
        if one.lacking:
            return self.say("hierarchies_entry_lacks", levels=levels, values=one.lacking)
        return self.say("hierarchies_entry", levels=levels, builder=self.builder_name(one.kind))

    def builder_name(self, kind: str) -> Markup:
        """Write the name of a builder within a sentence."""
        return self.say(f"hierarchies_made_{kind}" if kind in TILES else "hierarchies_made_unknown")


BETWEEN, HIDDEN = " - ", "…"
WHOLE = re.compile(r"\d+")
LISTED = 12  # values without a place that are named


class Level(NamedTuple):
    """A line of the table of levels."""

    level: int
    groups: int
    smallest: Any  # a number, or a band
    largest: Sequence[Cell]
    small: int | None  # people in small classes; None: not known
    length: float  # of the bar, percent


@dataclass(frozen=True)
class Outcome(Answer):
    """What the hierarchy of one quasi-identifier gives."""

    @property
    def looked(self) -> Present:
        """The hierarchy that is looked at."""
        return self.present

    @property
    def named(self) -> list[tuple[Cell, int, float]]:
        """The values without a place that may be named, with their people and the length of a bar."""
        lacking = self.looked.coverage.lacking if self.looked.coverage else {}
        common = {value: people for value, people in lacking.items() if people >= self.least}
        most = max(common.values(), default=1)
        return [(_cell(value), people, 100 * people / most) for value, people in [*common.items()][:LISTED]]

    @property
    def unnamed(self) -> tuple[int, int]:
        """How many values without a place are not named, and how many people have one of them."""
        coverage = self.looked.coverage
        if coverage is None:
            return 0, 0
        others = [*coverage.lacking][len(self.named) :]  # most people first, as those that are named
        return len(others), together(self.looked.counts, others)

    @property
    def fixes(self) -> list[tuple[str, Markup]]:
        """What would give every value a place: the names of buttons, and what they say."""
        coverage = self.looked.coverage
        if coverage is None or not coverage.lacking:
            return []
        common = sum(people >= self.least for people in coverage.lacking.values())
        ways = {"ordered": "end", HAND: "rest"}.get(self.looked.kind)
        found = [(ways, self.say(f"hierarchies_fix_{ways}", values=common))] if ways and common else []
        return found if self.all.forgiving else [*found, ("star", self.say("hierarchies_fix_star"))]

    @property
    def spans(self) -> list[list[Span]]:
        """The drawing: each level, from the top."""
        return self.all.spans(self.looked, self.least)[::-1]

    def label(self, one: Span) -> str:
        """Return the name of a group if there is room for it."""
        text = self.told(one.value) if one.value else ""
        width = 0.6 + 0.9 * display_width(text)  # percent, at the width that most screens have
        return text if 100 * one.people / self.people > width else ""

    def told(self, label: str) -> str:
        """Return the label of a group; values of few people that are ends of it are left out."""
        if self.looked.kind == "ordered":
            return BETWEEN.join(HIDDEN if self._is_few(end) else end for end in label.split(BETWEEN))
        if self.looked.kind == "quantiles":
            ends = [int(one) for one in WHOLE.findall(label)]
            return HIDDEN if any(self._is_few(str(end)) or self._is_few(str(end + 1)) for end in ends) else label
        return label

    def _is_few(self, value: str) -> bool:
        return 0 < self.looked.counts.get(value, 0) < self.least

    @property
    def people(self) -> int:
        """The width of the drawing: all people; who has several values, once for each."""
        return sum(self.looked.counts.values())

    @property
    def left_out(self) -> int:
        """The width of what has no place."""
        return sum(self.looked.coverage.lacking.values()) if self.looked.coverage else 0

    @property
    def counting(self) -> bool:
        """True if the rows are being counted again, so that small classes are not known yet."""
        return not self.all.survey.is_quick(self.all.quasi)

    @property
    def levels(self) -> list[Level]:
        """The table of levels, from the top."""
        coverage, small = self.looked.coverage, self.all.small(self.looked)
        if coverage is None:
            return []
        most = max(small or [0], default=0) or 1
        return [
            Level(
                one.level,
                one.groups,
                one.smallest if one.smallest >= self.least else Band(0, MANY - 1),
                [Cell(self.told(cell_text(value))) for value, people in one.largest.items() if people >= self.least],
                small[one.level] if small else None,
                100 * small[one.level] / most if small else 0,
            )
            for one in reversed(coverage.levels)
        ]


def _cell(value: Value) -> Cell:
    return Cell(cell_text(value))
