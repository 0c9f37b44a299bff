"""The changes of step 3: how the forms of the screen change the policy.

`GroupTree` holds groups made by hand, as a table. A value or group has at most one parent.

>>> tree = GroupTree({"MA": "graduate", "PhD": "graduate"}, {"MA": 9, "PhD": 7, "BA": 8, "none": 2})
>>> [(one.value, one.path) for one in tree.list_lines()]
[('BA', ()), ('MA', ('graduate',)), ('PhD', ('graduate',))]
>>> tree.put(["BA", "graduate"], "university")
{'MA': 'graduate', 'PhD': 'graduate', 'BA': 'university', 'graduate': 'university'}
>>> tree.take_out(["MA", "PhD"])
{}

`BUILDERS` has the fields of each builder. They show the settings of a rule, and are read back as settings.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count, pairwise
from typing import Any, Literal, NamedTuple

import numpy as np

from PETWorks.app.forms import BadRequestError, Form
from PETWorks.app.project.draft import Change, Draft
from PETWorks.app.screens.hierarchies.column_hierarchies import FILE, HAND, HierarchyOutcome, find_folder_files
from PETWorks.app.session import Session
from PETWorks.errors import PETWorksError
from PETWorks.hierarchies.dates import CALENDARS
from PETWorks.hierarchies.dates import LEVELS as PERIODS
from PETWorks.hierarchies.hierarchy import TOP
from PETWorks.hierarchies.places import LEVELS as AREAS
from PETWorks.hierarchies.value_rules import Parents
from PETWorks.hierarchies.values import Counts, count_people
from PETWorks.shown import THRESHOLD

VALUES_PER_PAGE = 80  # values on one page


class ValueLine(NamedTuple):
    """A value of the table, its number of people, and the groups above it, nearest first."""

    number: int  # stands for the value in forms
    value: str
    people: int
    path: tuple[str, ...]


class GroupBox(NamedTuple):
    """A table cell that names a group beside all of its values; `again` is True if a lower level has the same group."""

    group: str
    number: int
    span: int
    again: bool
    values: int
    people: int


@dataclass(frozen=True)
class GroupTree:
    """The groups made by hand, and the values of the table; values of fewer than `least` people are not named."""

    mapping: Mapping[str, str]
    counts: Counts
    least: int = THRESHOLD

    @cached_property
    def values(self) -> list[str]:
        """The values that need a place in a hierarchy, in the order of the counts."""
        return [value for value in self.counts if value is not None and value != TOP]

    @cached_property
    def groups(self) -> list[str]:
        """The groups, in the order they were made."""
        return [*dict.fromkeys(self.mapping.values())]

    @property
    def height(self) -> int:
        """The number of levels of groups."""
        return Parents("x", self.mapping).height - 1 if self.mapping else 0

    def list_lines(self) -> list[ValueLine]:
        """Return the values that may be named: values without a group first, then group by group."""
        levels = self._levels
        place = dict(zip(self.groups, count()))
        found = [
            ValueLine(number, value, people, tuple(above[value] for above in levels) if value in self._known else ())
            for number, value in enumerate(self.values)
            if (people := self.counts[value]) >= self.least
        ]

        def order(one: ValueLine) -> tuple[object, ...]:
            if not one.path:
                return (0, -one.people, one.value)
            return (1, tuple(place.get(group, -1) for group in reversed(one.path)), one.number)

        return sorted(found, key=order)

    @cached_property
    def _known(self) -> set[str]:
        return {*self.mapping, *self.mapping.values()}

    @cached_property
    def _levels(self) -> list[Mapping[str, str]]:
        """The group of each value, for each level of groups, as the library builds it."""
        if not self.mapping:
            return []
        covered, levels = Parents("x", self.mapping).levels(self.values, np.zeros(0, dtype=np.int64))
        names = [self.values[place] for place in covered]
        return [dict(zip(names, [str(one.values[code]) for code in one.codes.tolist()], strict=True)) for one in levels]

    def find_group(self, line: ValueLine) -> int | None:
        """Return the number of the nearest group of a value; None if it has none."""
        return next((self.groups.index(group) for group in line.path if group in self.groups), None)

    def list_boxes(self, rows: Sequence[ValueLine]) -> list[list[GroupBox | None]]:
        """Return the cells of groups that begin at each line; None where a cell from above continues."""
        table: list[list[GroupBox | None]] = [[] for _ in rows]
        for level in range(self.height):
            start = 0
            while start < len(rows):
                path = rows[start].path
                end = start + 1
                while path and end < len(rows) and rows[end].path[level:] == path[level:]:
                    end += 1
                if path:
                    table[start].append(self._make_box(path, level, end - start))
                    for place in range(start + 1, end):
                        table[place].append(None)
                start = end
        return table

    def _make_box(self, path: tuple[str, ...], level: int, span: int) -> GroupBox:
        group, above = path[level], self._levels[level]
        members = [value for value, other in above.items() if other == group]
        again = group in path[:level] or group not in self.groups
        number = self.groups.index(group) if group in self.groups else -1
        return GroupBox(group, number, span, again, len(members), count_people(self.counts, members))

    def put(self, nodes: Iterable[str], group: str) -> dict[str, str]:
        """Return the mapping with values and groups moved to another group."""
        return self._prune({**self.mapping, **{node: group for node in nodes if node != group}})

    def take_out(self, nodes: Iterable[str]) -> dict[str, str]:
        """Return the mapping with values and groups removed from their group."""
        gone = {*nodes}
        return self._prune({node: group for node, group in self.mapping.items() if node not in gone})

    def rename(self, names: Mapping[str, str]) -> dict[str, str]:
        """Return the mapping with groups renamed."""
        return {
            node if node in self.counts else names.get(node, node): names.get(group, group)
            for node, group in self.mapping.items()
        }

    def _prune(self, mapping: dict[str, str]) -> dict[str, str]:
        """Remove empty groups."""
        kept = {node: group for node, group in mapping.items() if node in self.counts or node in mapping.values()}
        return kept if len(kept) == len(mapping) else self._prune(kept)


RuleSettings = dict[str, Any]


class MissingFieldError(Exception):
    """A form lacks a field; the text is the key of the words for it."""


def with_hierarchy(session: Session, name: str, settings: RuleSettings | None) -> Draft:
    """Return a draft with these settings for the hierarchy of a column; None removes the hierarchy.

    If the policy names a folder of hierarchies with a file for this column, the folder is replaced by its other files,
    one by one, because a column has only one hierarchy.
    """
    draft, files = session.draft, find_folder_files(session)
    if name in files:
        for other, path in files.items():
            if other != name and other in session.columns:
                file = os.path.relpath(path, session.folder.resolve()).replace(os.sep, "/")
                draft = draft.with_rule(other, {FILE: file})
        draft = draft.with_data(hierarchies=None)
    key = next((one for one in draft.rules if one.strip() == name), name)
    return draft.with_rule(key, settings)


def apply_fix(session: Session, view: HierarchyOutcome, fix: str) -> tuple[Change, Draft]:
    """Return the change and draft of a button that gives a place to the missing values that may be named."""
    present, least = view.present, view.least
    at, name, settings = f"/hierarchies/{present.number}", present.name, {**present.settings}
    lacking = present.coverage.lacking if present.coverage else {}
    values = [str(value) for value, people in lacking.items() if people >= least]
    if fix in ("star", "error"):
        value = "generalised" if fix == "star" else None
        return Change(f"hierarchies_{fix}", at=at), session.draft.with_data(unknown_values=value)
    if fix == "end" and present.kind == "ordered":
        several = settings["sizes"] if isinstance(settings["sizes"], list) else [settings["sizes"]]
        sizes = [[*one, len(values)] if isinstance(one, list) else one for one in several]
        settings |= {"ordered": [*settings["ordered"], *values], "sizes": sizes}
    elif fix == "rest" and present.kind == HAND:
        settings[HAND] = {**settings[HAND], **dict.fromkeys(values, str(view.say("hierarchies_other")))}
    elif fix == "copy" and present.hierarchy and (links := _list_links(view)):
        settings = {HAND: links}
    else:
        raise BadRequestError("there is nothing to fix in this way")
    kind = HAND if HAND in settings else present.kind
    return Change("hierarchies_rule", at=at, column=name, hierarchies_made=kind), with_hierarchy(
        session, name, settings
    )


def _list_links(view: HierarchyOutcome) -> dict[str, str]:
    """Return the groups of the present hierarchy as parents, for editing by hand; without values of few people."""
    links: dict[str, str] = {}
    for leaf, *groups in view.present.hierarchy.rows() if view.present.hierarchy else ():
        if leaf is not None and view.present.counts.get(leaf, 0) >= view.least:
            path = [leaf, *(view.withhold_ends(group or "") for group in groups[:-1])]
            links |= {low: high for low, high in pairwise(path) if low and high and low != high}
    return links


def read_groups(tree: GroupTree, form: Form) -> dict[str, str]:
    """Return the groups after a form: groups are renamed, and the selected values and groups are moved."""
    names = {group: form.get(f"group-{number}").strip() or group for number, group in enumerate(tree.groups)}
    renamed = {old: new for old, new in names.items() if new != old}
    if any(new in tree.counts for new in renamed.values()):
        raise MissingFieldError("hierarchies_name_is_value")
    after = GroupTree(tree.rename(renamed), tree.counts, tree.least) if renamed else tree
    nodes = [
        *_read_choice(form, "value", tree.values),
        *(names[one] for one in _read_choice(form, "node", tree.groups)),
    ]
    action = form.get("action")
    if action == "enter":  # the key: in the field of a new group, or in that of a name
        action = "new" if form.get("new").strip() else "rename"
    if action in ("", "rename"):
        return dict(after.mapping)
    if not nodes:
        raise MissingFieldError("hierarchies_nothing_selected")
    if action == "out":
        return after.take_out(nodes)
    if action not in ("put", "new"):
        raise BadRequestError("nothing is done in this way")
    group = form.get("new").strip() if action == "new" else next(iter(_read_choice(form, "to", [*names.values()])), "")
    if not group:
        raise MissingFieldError("hierarchies_no_name")
    if group in tree.counts and group not in (*nodes, *tree.groups):  # the value would join the group
        raise MissingFieldError("hierarchies_name_is_value")
    return after.put(nodes, group)


def _read_choice(form: Form, field: str, known: list[str]) -> list[str]:
    """Return the chosen values or names; forms send their numbers."""
    places = [int(one) for one in form.all(field) if one.isascii() and one.isdecimal() and len(one) < 9]  # noqa: PLR2004
    return [known[place] for place in places if place < len(known)]


BuilderSettings = Mapping[str, Any]
WHOLE = re.compile(r"[+-]?\d{1,18}", re.ASCII)
MAX_ENTRIES = 12  # of a list, one for each level


class BuilderField(NamedTuple):
    """A field: its key in the policy, and its form on the screen."""

    name: str
    form: Literal["list", "text", "boxes", "choice", "lines"]
    choices: Sequence[str] = ()
    words: Sequence[str] = ()  # by which an error message names this field
    default: str = ""  # the choice that a policy omits; "" adds a blank choice


BUILDERS: Mapping[str, Sequence[BuilderField]] = {
    "intervals": (
        BuilderField("intervals", "list"),
        BuilderField("bottom", "text", words=("bottom is", "bottom must", "bottom cannot")),
        BuilderField("top", "text", words=("top must", "top is", "top cannot")),
        BuilderField("origin", "text", words=("origin",)),
    ),
    "ordered": (
        BuilderField("ordered", "lines"),
        BuilderField("sizes", "list", words=("sizes", "groups of", "missing key")),
    ),
    "prefixes": (
        BuilderField("prefixes", "list"),
        BuilderField("keep_from", "choice", ("left", "right"), words=("keep_from",), default="left"),
        BuilderField("mask", "text", words=("mask",)),
    ),
    "dates": (
        BuilderField("dates", "boxes", PERIODS),
        BuilderField("read", "choice", CALENDARS, words=("short",)),
        BuilderField("write", "choice", CALENDARS, words=("both calendars",)),
    ),
    "places": (BuilderField("places", "boxes", AREAS),),
    "rare_last": (BuilderField("rare_last", "list"), BuilderField("label", "text", words=("label",))),
    "quantiles": (BuilderField("quantiles", "list"),),
}
FIRST_SETTINGS: Mapping[str, BuilderSettings] = {  # where nothing is suggested
    "intervals": {"intervals": [10, 20]},
    "prefixes": {"prefixes": [3, 1]},
    "dates": {"dates": ["month", "year", "decade"]},
    "places": {"places": [*AREAS]},
    "rare_last": {"rare_last": ["1%", "5%"]},
    "quantiles": {"quantiles": [8, 4, 2]},
}


def suggest_settings(kind: str, counts: Counts, suggested: BuilderSettings | None) -> BuilderSettings:
    """Return the initial settings of a builder: the suggested ones, else an example."""
    if suggested and kind in suggested:
        if kind == "ordered":  # without values of few people
            return {**suggested, kind: [value for value in suggested[kind] if counts.get(value, 0) >= THRESHOLD]}
        return suggested
    if kind == "ordered":
        return {kind: [value for value, people in counts.items() if value and people >= THRESHOLD][:500], "sizes": [2]}
    return FIRST_SETTINGS.get(kind, {})


def format_setting(field: BuilderField, settings: BuilderSettings, hidden: Sequence[str] = ()) -> Any:  # noqa: ANN401
    """Return the text or texts of a field. Values that are `hidden` are shown as numbers in brackets."""
    given = settings.get(field.name)
    if field.form == "list":
        several = given if isinstance(given, list) else [] if given is None else [given]
        texts = [", ".join(map(str, one)) if isinstance(one, list) else str(one) for one in several]
        return [*texts, ""][:MAX_ENTRIES]
    if field.form == "boxes":
        return [given] if isinstance(given, str) else given or []
    if field.form == "lines":
        marks = {value: f"‹{number}›" for number, value in enumerate(hidden, 1)}
        return "\n".join(marks.get(str(one), str(one)) for one in given or ())
    return field.default if given is None else str(given)


def read_settings(kind: str, form: Form, hidden: Sequence[str] = ()) -> dict[str, Any]:
    """Return the settings of a form; the library validates them."""
    marks = {f"‹{number}›": value for number, value in enumerate(hidden, 1)}
    settings: dict[str, Any] = {}
    for field in BUILDERS[kind]:
        texts = [text.strip() for text in form.all(field.name)]
        if field.form == "boxes":
            settings[field.name] = [one for one in field.choices if one in texts]
        elif field.form == "lines":
            lines = [line.strip() for text in texts for line in text.split("\n")]
            settings[field.name] = [marks.get(line, line) for line in lines if line]
        elif field.form == "list":
            settings[field.name] = [_parse_numbers(text) for text in texts if text]
        elif texts and texts[-1] not in ("", field.default):
            settings[field.name] = _parse_number(texts[-1]) if field.name in ("bottom", "top", "origin") else texts[-1]
    return settings


def find_field(kind: str, error: PETWorksError) -> str:
    """Return the field that an error is about; the first one if the message names none."""
    fields = BUILDERS.get(kind, ())
    named = (field.name for field in fields for words in field.words if words in error.problem)
    return next(named, fields[0].name if fields else kind)


def _parse_numbers(text: str) -> Any:  # noqa: ANN401
    """Parse a number, or several that are separated by commas."""
    several = [part.strip() for part in text.split(",") if part.strip()]
    return _parse_number(text) if len(several) < 2 else [_parse_number(part) for part in several]  # noqa: PLR2004


def _parse_number(text: str) -> int | str:
    """Parse a whole number; other numbers stay text, so that the library reads them exactly."""
    return int(text) if WHOLE.fullmatch(text) else text
