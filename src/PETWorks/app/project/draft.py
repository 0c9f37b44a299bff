"""The incomplete policy of a project as an immutable document. A change returns another draft; validation is elsewhere.

>>> draft = Draft.of_table("people.csv").with_role("age", Role.QUASI_IDENTIFIER)
>>> print(draft.with_making("suppress_at_most", "5%").text(), end="")
version = 1
title = "people"
<BLANKLINE>
[data]
original = "people.csv"
released = "released.csv"
<BLANKLINE>
[roles]
quasi_identifiers = ["age"]
<BLANKLINE>
[anonymize]
suppress_at_most = "5%"
<BLANKLINE>
[report]
html = "report.html"

`Change` describes what was done: a kind, its figures, and the screen that shows it.

What a draft may look like: sections are tables, lists are lists; what they say is judged by the policy's reader.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any, get_args

from PETWorks.errors import PolicyError
from PETWorks.facts.roles import Role
from PETWorks.policy.data import PER_COLUMN
from PETWorks.policy.policy import list_report_formats
from PETWorks.policy.starting import LISTS
from PETWorks.policy.toml import (
    Comment,
    DecimalLiteral,
    Noted,
    Problems,
    TomlSection,
    join_problems,
    put_tables_last,
    require_short_keys,
    toml_text,
)
from PETWorks.settings.kinds import Text, Word
from PETWorks.settings.section import declared
from PETWorks.settings.sections import DATA, Preparing, Reading, ValueLabels

ORDER = (
    *("version", "title", "data", "prepare", "derive", "roles", "hierarchies", "treat", "require", "removed"),
    *("not_shown", "accept", "adversary", "earlier", "anonymize", "report", "signoff", "ledger"),
)
SECTIONS = ("data", "prepare", "derive", "roles", "hierarchies", "treat", "anonymize", "report", "signoff")
LISTED = ("require", "removed", "accept", "adversary")  # each is a list of tables
BY_COLUMN = ("derive", "hierarchies", "treat")  # each has a table for each of some columns
TEXTS = [name for name, one in declared(*DATA).items() if isinstance(one.kind, Text | Word)]
SCREENS = (  # the steps, from 1 on
    *("open", "prepare", "columns", "hierarchies", "requirements", "explore", "find", "compare", "release"),
)
SCREEN = re.compile(rf"/(({'|'.join(SCREENS[1:])}|text|files)(/[0-9]{{1,9}})?)?", re.ASCII)
LEFT = re.compile(r"# left: ([a-z_]+(?: \".+\")?)")  # a finding that somebody left
PLACE = re.compile(r" \(at line (\d+), column (\d+)\)$")


def find_step(screen: str) -> int:
    """Return the number of a screen among the steps, from 1."""
    return SCREENS.index(screen) + 1


def read_content(text: str, name: str) -> dict[str, Any]:
    """Parse the text of a policy; raise an error that lists all values of a wrong type."""
    require_short_keys(text, name)
    try:
        content = tomllib.loads(text, parse_float=DecimalLiteral)
    except (tomllib.TOMLDecodeError, ValueError, RecursionError) as error:
        found = PLACE.search(str(error))
        where = f"{name}, line {found[1]}, column {found[2]}" if found else name
        raise PolicyError(f"not valid TOML: {PLACE.sub('', str(error))}", where=where) from error
    problems = Problems()
    file = TomlSection(content, name, problems)
    tables = {key: file.table(key) for key in SECTIONS}
    for key in LISTED:
        file.tables(key)
    file.text("title")
    file.report_unread(*ORDER)
    _check_sections(tables)
    if problems:
        raise join_problems(problems, name)
    try:
        toml_text(put_tables_last(content))
    except TypeError as error:  # dates and times
        raise PolicyError(str(error), where=name, hint="write it in quotes") from error
    return content


def _check_sections(tables: Mapping[str, TomlSection]) -> None:
    """Check the types of the values in each section; wrong types become problems."""
    for key in TEXTS:
        tables["data"].text(key)
    for key in LISTS:
        tables["roles"].names(key)
    for section in (tables[key] for key in BY_COLUMN):
        for column in section.rest():
            section.table(column)
    for pin in tables["anonymize"].tables("pinned"):
        pin.text("name")
        pin.table("levels")
    for key in PER_COLUMN:
        tables["anonymize"].table(key)


KEYS = {role: key for key, role in LISTS.items()}  # under [roles]
SOURCES = ("from", "at", "since", "county", "township", "of")  # what a derived column is computed from
REST = {
    "insensitive": Role.INSENSITIVE_ATTRIBUTE,
    "quasi_identifier": Role.QUASI_IDENTIFIER,
    "identifier": Role.IDENTIFIER,
}
Table = Mapping[str, Any]


@dataclass(frozen=True)
class Draft:
    """The content of a policy file, as TOML reads it; decimal numbers are text."""

    content: Table
    left: tuple[str, ...] = ()  # findings on the raw table that somebody saw and left

    @classmethod
    def read(cls, text: str, name: str = "policy.toml") -> Draft:
        """Read the text of a policy file; a `PolicyError` lists everything that a draft cannot hold."""
        found = [LEFT.fullmatch(line) for line in text.splitlines()]
        return cls(read_content(text, name), tuple(dict.fromkeys(one[1] for one in found if one)))

    @classmethod
    def of_table(cls, original: str, **reading: str) -> Draft:
        """Return the draft of a new project, whose table has this path relative to the project's folder."""
        data = {"original": original, **reading, "released": "released.csv"}
        return cls({"version": 1, "title": PurePath(original).stem, "data": data, "report": {"html": "report.html"}})

    def text(self, reasons: Mapping[str, str] | None = None) -> str:
        """Write the policy file, with the reasons of roles, where known, as comments."""
        content: dict[str | Comment, Any] = {}
        for key in sorted(self.content, key=_place):
            if self.left and _place(key) >= ORDER.index("prepare") and not any(isinstance(k, Comment) for k in content):
                content[Comment("\n".join(f"left: {one}" for one in self.left), apart=True)] = None
            content[key] = put_tables_last(self.content[key])
        if reasons and self.roles:
            for key, names in self.section("roles").items():
                if key in LISTS:
                    noted = [Noted(name, reasons[name]) if name in reasons else name for name in names]
                    content["roles"] = {**content["roles"], key: noted}
        return toml_text(content)

    def section(self, name: str) -> Table:
        """Return a table of the policy; an empty one if it is absent."""
        found: Table = self.content.get(name, {})
        return found

    @property
    def data(self) -> Table:
        """The tables, and how they are read."""
        return self.section("data")

    @property
    def original(self) -> str | None:
        """The path of the table, relative to the project's folder."""
        path: str | None = self.data.get("original")
        return path

    @property
    def reading(self) -> Reading:
        """The settings for reading the table, as far as the policy has them."""
        labels = self.data.get("value_labels")
        return Reading.pick({**self.data, "value_labels": labels if labels in get_args(ValueLabels) else None})

    @property
    def preparing(self) -> Preparing:
        """How the table is prepared, and which columns are derived; raises an error for invalid settings."""
        return Preparing(**{name: given for name in declared(Preparing) if (given := self.section(name))})

    @property
    def paths(self) -> Sequence[str]:
        """All files and folders that the policy names."""
        named = [self.data.get(name) for name in ("original", "released", "population", "holdout", "hierarchies")]
        named += [rule.get("file") for rule in self.rules.values()]
        named += [value for key, value in self.section("report").items() if key in (*list_report_formats(), "record")]
        return [one for one in named if isinstance(one, str)]

    @property
    def roles(self) -> Mapping[str, Role]:
        """The decided roles, by column; `roles_of` also knows the role of the other columns."""
        roles = self.section("roles")
        return {name.strip(): role for key, role in LISTS.items() for name in roles.get(key, ())}

    def roles_of(self, columns: Iterable[str]) -> Mapping[str, Role]:
        """Return the decided roles of these columns, including those that `the_rest` decides.

        Columns of which nothing is published are identifiers, whatever their role was; so is the person column.
        """
        decided = {**self.roles, **dict.fromkeys(self.unpublished, Role.IDENTIFIER)}
        if isinstance(person := self.data.get("person"), str):
            decided.setdefault(person.strip(), Role.IDENTIFIER)
        rest = REST.get(self.section("roles").get("the_rest", ""))
        return {name: role for name in columns if (role := decided.get(name, rest))}

    @property
    def unpublished(self) -> Sequence[str]:
        """The columns of which nothing is published: removed, masked, or only sources of derived columns."""
        gone = [name.strip() for name, one in self.treatments.items() if True in (one.get("remove"), one.get("mask"))]
        given = [one for kinds in self.section("derive").values() for one in kinds.values() if isinstance(one, Mapping)]
        sources = [str(one[key]).strip() for one in given for key in SOURCES if key in one]
        known = {*self.roles, *self.treatments, *self.section("derive"), str(self.data.get("person")).strip()}
        return [*gone, *(name for name in sources if name not in known)]

    @property
    def rules(self) -> Mapping[str, Table]:
        """The sections of hierarchies, by column."""
        return self.section("hierarchies")

    @property
    def treatments(self) -> Mapping[str, Table]:
        """The treatments, by column."""
        return self.section("treat")

    @property
    def requirements(self) -> Sequence[Table]:
        """The requirements."""
        found: Sequence[Table] = self.content.get("require", ())
        return found

    @property
    def making(self) -> Table:
        """The settings of the section [anonymize]."""
        return self.section("anonymize")

    @property
    def pins(self) -> Sequence[Table]:
        """The candidates that are pinned."""
        found: Sequence[Table] = self.making.get("pinned", ())
        return found

    def with_section(self, name: str, content: Any) -> Draft:  # noqa: ANN401
        """Return a draft in which a section of the policy is replaced; an empty section is left out."""
        rest = {key: value for key, value in self.content.items() if key != name}
        return replace(self, content={**rest, name: content} if content else rest)

    def with_data(self, **changes: str | None) -> Draft:
        """Return a draft with other entries under [data]; None removes one."""
        return self.with_section("data", _changed(self.data, changes))

    def with_role(self, column: str, role: Role) -> Draft:
        """Return a draft in which a column has this role only."""
        roles = self.without_role(column).section("roles")
        return self.with_section("roles", {**roles, KEYS[role]: [*roles.get(KEYS[role], ()), column]})

    def without_role(self, column: str) -> Draft:
        """Return a draft in which the role of a column is undecided."""
        roles = self.section("roles")
        kept = {key: [name for name in names if name.strip() != column] for key, names in roles.items() if key in LISTS}
        others = {key: value for key, value in roles.items() if key not in LISTS}
        return self.with_section("roles", {**{key: names for key, names in kept.items() if names}, **others})

    def with_rule(self, column: str, settings: Table | None) -> Draft:
        """Return a draft in which a column has this hierarchy; None removes it."""
        return self.with_section("hierarchies", _changed(self.rules, {column: settings}))

    def with_treatment(self, column: str, settings: Table | None) -> Draft:
        """Return a draft in which a column is treated so; None: as is usual for its role.

        Rounding is a level of its own, so that levels which were chosen without it mean others, and are dropped.
        """
        draft = self.with_section("treat", _changed(self.treatments, {column: settings}))
        if _adds_level(settings or {}) == _adds_level(self.treatments.get(column, {})):
            return draft
        for key in ("levels", "coarsest", "finest"):
            table = draft.making.get(key, {})
            draft = draft.with_making(key, {name: one for name, one in table.items() if name != column})
        return draft.with_making("pinned", [one for one in draft.pins if column not in one.get("levels", {})])

    def with_requirements(self, requirements: Iterable[Table]) -> Draft:
        """Return a draft with these requirements."""
        return self.with_section("require", [dict(one) for one in requirements])

    def with_requirement(self, requirement: Table, place: int | None = None) -> Draft:
        """Return a draft with this requirement at the end, or in place of the one at index `place`."""
        listed = [*self.requirements]
        listed[len(listed) if place is None else place : len(listed) if place is None else place + 1] = [requirement]
        return self.with_requirements(listed)

    def without_requirement(self, place: int) -> Draft:
        """Return a draft without the requirement at an index, from 0."""
        return self.with_requirements(one for number, one in enumerate(self.requirements) if number != place)

    def with_making(self, key: str, value: Any) -> Draft:  # noqa: ANN401
        """Return a draft with another entry under [anonymize]; None, or an empty table, removes it."""
        return self.with_section("anonymize", _changed(self.making, {key: value or None if value != 0 else value}))

    def with_pin(self, pin: Table) -> Draft:
        """Return a draft with one more candidate pinned; one of the same name is replaced."""
        others = [one for one in self.pins if one.get("name") != pin["name"]]
        return self.with_making("pinned", [*others, dict(pin)])

    def without_pin(self, name: str) -> Draft:
        """Return a draft without a candidate."""
        return self.with_making("pinned", [one for one in self.pins if one.get("name") != name])


def _adds_level(settings: Table) -> bool:
    return any(word in settings for word in ("round", "top", "bottom"))


def _place(key: str) -> int:
    return ORDER.index(key) if key in ORDER else len(ORDER)


def _changed(table: Table, changes: Table) -> Table:
    """Return a copy of a table with some entries changed in place; None removes an entry."""
    return {key: value for key, value in {**table, **changes}.items() if value is not None}


Plain = str | int | float | bool | None | list[str]  # what a line of the journal can hold


class Change:
    """A change of the policy, or another event in the journal. It names columns, never a cell of the table.

    It is shown on the screen `at`, by default the screen with which its kind begins. A journal may come from somebody
    else, so any other address in it is ignored. The words of "columns_role" have the key "columns_did_role".
    """

    def __init__(self, kind: str, /, at: str = "", **figures: Plain) -> None:
        self.kind = kind
        self.figures = figures
        own = kind.partition("_")[0]
        self.at = at if SCREEN.fullmatch(at) else f"/{own}" if own in SCREENS and own != "open" else "/"

    @property
    def key(self) -> str:
        """The key of the words that describe it."""
        screen, _, what = self.kind.partition("_")
        return f"{screen}_did_{what}"

    def to_dict(self) -> dict[str, Any]:
        """Return the change as plain values."""
        return {"kind": self.kind, "at": self.at, "figures": self.figures}

    @classmethod
    def of(cls, plain: dict[str, Any]) -> Change:
        """Build a change from plain values."""
        return cls(str(plain["kind"]), at=str(plain["at"]), **plain["figures"])
