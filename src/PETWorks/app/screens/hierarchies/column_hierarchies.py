"""The hierarchies of a project: for each quasi-identifier, the present hierarchy, cached by its inputs.

`HierarchiesAnswer` is the answer of the screen. `HierarchyOutcome` is the effect of one hierarchy on the values of the
table: missing values, levels and a drawing.
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

from PETWorks.app.project.draft import Draft
from PETWorks.app.responses import Say, make_say
from PETWorks.app.screens.requirements.requirement_form import list_generalised
from PETWorks.app.session import Session
from PETWorks.disclosure import choose_threshold
from PETWorks.errors import PETWorksError
from PETWorks.facts.roles import Role
from PETWorks.hierarchies.files import build_rule, find_hierarchies, find_rule_kinds, read_hierarchy
from PETWorks.hierarchies.hierarchy import TOP, Coverage, Hierarchy
from PETWorks.hierarchies.spans import Span, arrange_spans
from PETWorks.hierarchies.suggestion import Suggestion, suggest_rule
from PETWorks.hierarchies.values import Counts, count_people
from PETWorks.inspection.survey import Survey
from PETWorks.inspection.uniqueness import count_small_by_level
from PETWorks.measure.registry import find
from PETWorks.measure.steps import Cell, Name
from PETWorks.render.typography import display_width
from PETWorks.shown import disclose_count
from PETWorks.tables.counting.tally import Value, cell_text
from PETWorks.tables.source import read_signature

FILE, NONE = "file", "none"  # ways without a rule


@dataclass(frozen=True, eq=False)
class ColumnHierarchy:
    """A quasi-identifier with its hierarchy: the settings, the result, or the problem if it cannot be built."""

    name: str
    number: int  # in addresses
    kind: str  # of a rule, or FILE, or NONE (values are retained or suppressed)
    settings: Mapping[str, Any]
    counts: Counts  # people by value
    suggestion: Suggestion
    key: Hashable  # the cache key: all inputs
    hierarchy: Hierarchy | None = None  # None: it cannot be built
    problem: PETWorksError | None = None
    needed_by: str = ""  # the measure that needs it, for a sensitive attribute; "" if none does

    @cached_property
    def coverage(self) -> Coverage | None:
        """The coverage of the values of the table; None without a hierarchy."""
        return self.hierarchy.coverage(self.counts) if self.hierarchy else None

    @property
    def lacking(self) -> int:
        """The number of values without a place."""
        return len(self.coverage.lacking) if self.coverage else 0

    @property
    def absent(self) -> bool:
        """True if a requirement needs a hierarchy and none is set."""
        return bool(self.needed_by) and self.kind == NONE

    @property
    def waits(self) -> bool:
        """True if a rule is suggested and no hierarchy is set."""
        return not self.needed_by and self.kind == NONE and self.suggestion.rule is not None


@dataclass
class HierarchyCache:
    """Cached results by column; for those that depend on settings, only the latest."""

    counts: dict[str, Counts] = field(default_factory=dict)
    people: dict[str, Counts] = field(default_factory=dict)
    suggestions: dict[str, Suggestion] = field(default_factory=dict)
    present: dict[str, ColumnHierarchy] = field(default_factory=dict)
    small: dict[str, tuple[Hashable, list[int]]] = field(default_factory=dict)
    spans: dict[str, tuple[Hashable, list[list[Span]]]] = field(default_factory=dict)


class ProjectHierarchies:
    """The quasi-identifiers of a project, in the order of the table, each with its present hierarchy.

    After them come the sensitive attributes that need a hierarchy, or that have one in the policy.
    """

    def __init__(self, session: Session, survey: Survey) -> None:
        self.session, self.survey = session, survey
        roles = session.draft.roles_of(session.columns)
        self.quasi = [name for name in session.columns if roles.get(name) is Role.QUASI_IDENTIFIER]
        self.needed = find_needed(
            session.draft, [name for name, role in roles.items() if role is Role.SENSITIVE_ATTRIBUTE]
        )
        places = {name: number for number, name in enumerate(session.columns, 1)}
        self.numbers = {name: places[name] for name in (*self.quasi, *self.needed)}
        self.generalises_unknown = session.draft.data.get("unknown_values") == "generalised"
        self._cache = session.cache(
            ("hierarchies", session.table_key, session.draft.data.get("person")), HierarchyCache
        )
        self._files = find_folder_files(session)

    def __iter__(self) -> Iterator[ColumnHierarchy]:
        """Iterate over the columns with their hierarchies."""
        return (self[name] for name in self.numbers)

    def __len__(self) -> int:
        """Return the number of columns."""
        return len(self.numbers)

    def __getitem__(self, name: str) -> ColumnHierarchy:
        """Return a column with its present hierarchy."""
        kind, settings, path = self._find_rule(name)
        key = (name, kind, repr(settings), (str(path), read_signature(path)) if path else None, self.needed.get(name))
        found = self._cache.present.get(name)
        if found is None or found.key != key:
            found = self._cache.present[name] = self._build_column(key, name, kind, settings, path)
        return found

    def count_rows(self, name: str) -> Counts:
        """Return the number of rows of each value of a column. Hierarchies are built on these."""
        if name not in self._cache.counts:
            self._cache.counts[name] = self.survey.count_rows(name)
        return self._cache.counts[name]

    def count_people(self, name: str) -> Counts:
        """Return the number of people of each value of a column. Values of fewer than five are not shown."""
        if name not in self._cache.people:
            self._cache.people[name] = self.survey.count_people(name)
        return self._cache.people[name]

    def suggest(self, name: str) -> Suggestion:
        """Return the suggestion for a column."""
        if name not in self._cache.suggestions:
            self._cache.suggestions[name] = suggest_rule(name, self.count_rows(name))
        return self._cache.suggestions[name]

    def is_complete(self, present: ColumnHierarchy) -> bool:
        """Return True if every value has a place, or counts as completely generalised."""
        if present.hierarchy is None or present.absent:
            return False
        return not present.lacking or self.generalises_unknown

    @property
    def combinations(self) -> int:
        """The number of level vectors."""
        return prod(one.hierarchy.height + 1 for one in map(self.__getitem__, self.quasi) if one.hierarchy)

    def count_small(self, present: ColumnHierarchy) -> list[int] | None:
        """Return the people in small classes by level, with other columns ungeneralised; None if not known."""
        names, hierarchy = self.quasi, present.hierarchy
        if (
            hierarchy is None
            or present.name not in names
            or not self.survey.is_quick(names)
            or (tally := self.survey.tally(names)) is None
        ):
            return None
        key, found = (tuple(names), present.key), self._cache.small.get(present.name)
        if found is None or found[0] != key:
            found = self._cache.small[present.name] = (key, count_small_by_level(tally, hierarchy, names))
        return found[1]

    def draw_spans(self, present: ColumnHierarchy, least: int) -> list[list[Span]]:
        """Return the drawing of a hierarchy; only groups of at least `least` people are named."""
        if present.hierarchy is None:
            return []
        key, found = (least, present.key), self._cache.spans.get(present.name)
        if found is None or found[0] != key:
            order = present.settings.get("ordered")
            drawn = arrange_spans(present.hierarchy, present.counts, order, least)
            found = self._cache.spans[present.name] = (key, drawn)
        return found[1]

    def _find_rule(self, name: str) -> tuple[str, Mapping[str, Any], Path | None]:
        """Return how the hierarchy of a column is made: the kind of rule, the settings, and the file."""
        draft = self.session.draft
        settings = {key.strip(): one for key, one in draft.rules.items()}.get(name)
        if settings is not None:
            if isinstance(file := settings.get(FILE), str):
                return FILE, settings, self.session.folder / file
            return next((key for key in settings if key in find_rule_kinds()), "unknown"), settings, None
        if path := self._files.get(name):
            return FILE, {}, path
        return NONE, {}, None

    def _build_column(
        self, key: Hashable, name: str, kind: str, settings: Mapping[str, Any], path: Path | None
    ) -> ColumnHierarchy:
        column = ColumnHierarchy(
            name, self.numbers[name], kind, settings, self.count_people(name), self.suggest(name), key
        )
        column = replace(column, needed_by=self.needed.get(name, ""))
        try:
            return replace(column, hierarchy=self.build(name, kind, settings, path))
        except PETWorksError as error:
            return replace(column, problem=error)

    def build(self, name: str, kind: str, settings: Mapping[str, Any], path: Path | None = None) -> Hierarchy:
        """Build a hierarchy on the values of the table; raise an error if that is not possible."""
        counts = self.count_rows(name)
        if kind == NONE:
            return Hierarchy.flat(name, _without_top(counts))
        if kind == FILE:
            return read_hierarchy(name, self.session.resolve_allowed(path or self.session.folder / str(settings[FILE])))
        return build_rule(name, settings).build(counts)


def find_needed(draft: Draft, sensitive: Sequence[str]) -> Mapping[str, str]:
    """Return the sensitive attributes that need a hierarchy, each with the measure that needs it.

    A sensitive attribute with a rule that is no longer needed is included with "", so that the rule can be removed.
    """
    found = {key.strip(): "" for key in draft.rules if key.strip() in sensitive}
    for one in draft.requirements:
        found |= {name: found.get(name) or str(one["measure"]) for name in list_generalised(one, sensitive)}
    return {name: found[name] for name in sensitive if name in found}


def find_folder_files(session: Session) -> Mapping[str, Path]:
    """Return the files of the policy's folder of hierarchies, by column; empty if there is no such folder."""
    folder = session.draft.data.get("hierarchies")
    try:
        return find_hierarchies(session.resolve_allowed(session.folder / folder)) if folder else {}
    except PETWorksError:
        return {}


def _without_top(counts: Counts) -> list[Value]:
    return [value for value in counts if value != TOP]


HAND = "parents"
TILES = ("intervals", "ordered", "prefixes", "dates", "places", HAND, "rare_last", "quantiles", FILE, NONE)


class HierarchyEntry(NamedTuple):
    """A column in the list of all."""

    number: int
    name: Name
    state: str  # the icon: "holds", "note", "fails" or "waits"
    words: Markup


@dataclass(frozen=True)
class HierarchiesAnswer:
    """The answer of the screen: all columns, and the one that is shown."""

    all: ProjectHierarchies
    present: ColumnHierarchy
    language: str
    small: bool = False  # True: values of few people may be shown

    @cached_property
    def say(self) -> Say:
        """The function that fills the words of the application."""
        return make_say(self.language, rows=self.all.survey.person is not None)

    @property
    def least(self) -> int:
        """The minimum number of people of a value that is named."""
        return choose_threshold(small=self.small)

    @cached_property
    def _bad(self) -> list[ColumnHierarchy]:
        return [one for one in self.all if not self.all.is_complete(one)]

    @cached_property
    def _waiting(self) -> list[ColumnHierarchy]:
        return [one for one in self.all if one.waits]

    @property
    def state(self) -> str:
        """The icon of the answer: "fails", "waits" or "holds"."""
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
        """The meaning of the answer."""
        first = next((one for one in self._bad if one.name == self.present.name), (*self._bad, None)[0])
        if first is None:
            key = "hierarchies_lead_waiting" if self._waiting else "hierarchies_lead_done"
            return self.say(key, combinations=self.all.combinations)
        if first.absent:
            return self.say("hierarchies_lead_absent", column=Name(first.name), measure=self._find_title(first))
        if first.coverage is None:
            return self.say("hierarchies_lead_broken", column=Name(first.name))
        people, rows = first.coverage.lacking_people, count_people(first.counts)
        return self.say("hierarchies_lead", column=Name(first.name), people=people, rows=rows, share=people / rows)

    @property
    def closed_reason(self) -> Markup:
        """The reason why the next step is closed; "" if it is open."""
        names = [
            Name(one.name) for one in self._bad if not one.absent
        ]  # an absent one may be solved by another requirement
        return self.say("hierarchies_door", columns=names) if names else Markup()

    @property
    def entries(self) -> list[HierarchyEntry]:
        """The list of columns."""
        return [
            HierarchyEntry(one.number, Name(one.name), self._choose_icon(one), self._describe(one)) for one in self.all
        ]

    def _find_title(self, one: ColumnHierarchy) -> str:
        """Return the title of the measure that needs a hierarchy."""
        return find(one.needed_by).words[self.language].title

    def _choose_icon(self, one: ColumnHierarchy) -> str:
        if one.hierarchy is None or one.absent:
            return "fails"
        return "waits" if one.waits else "holds" if self.all.is_complete(one) else "note"

    def _describe(self, one: ColumnHierarchy) -> Markup:
        if one.absent:
            return self.say("hierarchies_entry_absent", measure=self._find_title(one))
        if one.hierarchy is None:
            return self.say("hierarchies_entry_broken")
        if one.waits and one.suggestion.rule:
            return self.say("hierarchies_entry_suggested", builder=self.render_builder(one.suggestion.rule.kind))
        levels = one.hierarchy.height
        if one.lacking:
            return self.say("hierarchies_entry_lacks", levels=levels, values=one.lacking)
        return self.say("hierarchies_entry", levels=levels, builder=self.render_builder(one.kind))

    def render_builder(self, kind: str) -> Markup:
        """Return the name of a builder within a sentence."""
        return self.say(f"hierarchies_made_{kind}" if kind in TILES else "hierarchies_made_unknown")


RANGE_SEPARATOR, HIDDEN_MARK = " - ", "…"
WHOLE = re.compile(r"\d+")
MAX_LISTED = 12  # values without a place that are named


class LevelRow(NamedTuple):
    """A line of the table of levels."""

    level: int
    groups: int
    smallest: Any  # a number, or a range
    largest: Sequence[Cell]
    small: int | None  # people in small classes; None: unknown
    length: float  # of the bar, percent


@dataclass(frozen=True)
class HierarchyOutcome(HierarchiesAnswer):
    """The effect of the hierarchy of one column on the values of the table."""

    @property
    def viewed(self) -> ColumnHierarchy:
        """The hierarchy that is shown."""
        return self.present

    @property
    def named(self) -> list[tuple[Cell, int, float]]:
        """The values without a place that may be named, with their number of people and the length of a bar."""
        lacking = self.viewed.coverage.lacking if self.viewed.coverage else {}
        common = {value: people for value, people in lacking.items() if people >= self.least}
        most = max(common.values(), default=1)
        return [(_make_cell(value), people, 100 * people / most) for value, people in [*common.items()][:MAX_LISTED]]

    @property
    def unnamed(self) -> tuple[int, int]:
        """The numbers of values without a place that are not named, and of people who have one of them."""
        coverage = self.viewed.coverage
        if coverage is None:
            return 0, 0
        others = [*coverage.lacking][len(self.named) :]  # most people first, as those that are named
        return len(others), count_people(self.viewed.counts, others)

    @property
    def fixes(self) -> list[tuple[str, Markup]]:
        """The ways to give every value a place: names and texts of buttons."""
        coverage = self.viewed.coverage
        if coverage is None or not coverage.lacking:
            return []
        common = sum(people >= self.least for people in coverage.lacking.values())
        ways = {"ordered": "end", HAND: "rest"}.get(self.viewed.kind)
        found = [(ways, self.say(f"hierarchies_fix_{ways}", values=common))] if ways and common else []
        return found if self.all.generalises_unknown else [*found, ("star", self.say("hierarchies_fix_star"))]

    @property
    def spans(self) -> list[list[Span]]:
        """The levels of the drawing, from the top."""
        return self.all.draw_spans(self.viewed, self.least)[::-1]

    def fit_label(self, one: Span) -> str:
        """Return the label of a group if it fits its width; else ""."""
        text = self.withhold_ends(one.value) if one.value else ""
        width = 0.6 + 0.9 * display_width(text)  # percent, at the width that most screens have
        return text if 100 * one.people / self.people > width else ""

    def withhold_ends(self, label: str) -> str:
        """Return the label of a group; ends that are values of few people are replaced by an ellipsis."""
        if self.viewed.kind == "ordered":
            return RANGE_SEPARATOR.join(
                HIDDEN_MARK if self._is_few(end) else end for end in label.split(RANGE_SEPARATOR)
            )
        if self.viewed.kind == "quantiles":
            ends = [int(one) for one in WHOLE.findall(label)]
            return HIDDEN_MARK if any(self._is_few(str(end)) or self._is_few(str(end + 1)) for end in ends) else label
        return label

    def _is_few(self, value: str) -> bool:
        return 0 < self.viewed.counts.get(value, 0) < self.least

    @property
    def people(self) -> int:
        """The width of the drawing: all people, once for each value they have."""
        return sum(self.viewed.counts.values())

    @property
    def left_out(self) -> int:
        """The width of the values without a place."""
        return sum(self.viewed.coverage.lacking.values()) if self.viewed.coverage else 0

    @property
    def counting(self) -> bool:
        """True while the rows are counted again, so that small classes are not known yet."""
        return not self.all.survey.is_quick(self.all.quasi)

    @property
    def levels(self) -> list[LevelRow]:
        """The table of levels, from the top."""
        coverage, small = self.viewed.coverage, self.all.count_small(self.viewed)
        if coverage is None:
            return []
        most = max(small or [0], default=0) or 1
        return [
            LevelRow(
                one.level,
                one.groups,
                one.smallest if one.smallest >= self.least else disclose_count(one.smallest),
                [
                    Cell(self.withhold_ends(cell_text(value)))
                    for value, people in one.largest.items()
                    if people >= self.least
                ],
                small[one.level] if small else None,
                100 * small[one.level] / most if small else 0,
            )
            for one in reversed(coverage.levels)
        ]


def _make_cell(value: Value) -> Cell:
    return Cell(cell_text(value))
