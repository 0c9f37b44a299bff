"""Finding columns: by a part of their name, by why a role is suggested, and by role; shown in parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from PETWorks.facts.roles import Role
from PETWorks.inspection.inspection import InspectedColumn

PART = 40  # columns on one page: with thousands of columns, it must still arrive quickly
OPEN = "open"  # asked for in place of a role


def reason_of(column: InspectedColumn) -> str:
    """Return the kind of the first reason, with the form or topic that it names: what columns can be found by."""
    first = column.reasons[0]
    if "form" in first.figures:
        return f"looks.{first.figures['form']}"
    return f"name.{first.figures['topic']}" if "topic" in first.figures else first.kind


@dataclass(frozen=True)
class Asked:
    """What is asked for; nothing: all columns. Parts are numbered from 1."""

    name: str = ""
    reason: str = ""
    role: str = ""
    part: int = 1

    @classmethod
    def of(cls, fields: Mapping[str, str]) -> Asked:
        """Read it from an address or a form; what cannot be is taken as nothing."""
        role, part = fields.get("role_asked", ""), fields.get("part", "1")
        known = role if role in (OPEN, *Role) else ""
        number = int(part) if part.isascii() and part.isdecimal() and len(part) < 6 else 1  # noqa: PLR2004
        return cls(fields.get("name", "").strip(), fields.get("reason", ""), known, max(number, 1))

    def __bool__(self) -> bool:
        """Return True if not all columns are asked for."""
        return bool(self.name or self.reason or self.role)

    def fits(self, column: InspectedColumn, role: Role | None) -> bool:
        """Return True if a column, with the role that is decided, is asked for."""
        return (
            self.name.casefold() in column.name.casefold()
            and self.reason in ("", reason_of(column))
            and (not self.role or (role is None if self.role == OPEN else role == self.role))
        )

    def address(self, part: int | None = None) -> str:
        """Return the address of the page, or of another part of it."""
        fields = {"name": self.name, "reason": self.reason, "role_asked": self.role}
        fields["part"] = str(part or self.part) if (part or self.part) > 1 else ""
        query = urlencode({key: value for key, value in fields.items() if value})
        return f"/columns?{query}" if query else "/columns"


@dataclass(frozen=True)
class Found:
    """The columns that are asked for, with their numbers: those to be decided about first, then as in the table."""

    asked: Asked
    columns: Sequence[tuple[int, InspectedColumn]]

    @classmethod
    def of(cls, columns: Sequence[InspectedColumn], roles: Mapping[str, Role], asked: Asked) -> Found:
        """Find columns."""
        numbered = enumerate(columns, 1)
        fitting = [(number, one) for number, one in numbered if asked.fits(one, roles.get(one.name))]
        return cls(asked, sorted(fitting, key=lambda entry: entry[1].name in roles))

    @property
    def parts(self) -> int:
        """How many parts there are."""
        return max((len(self.columns) + PART - 1) // PART, 1)

    @property
    def first(self) -> int:
        """The place of the first column that is shown, from 1."""
        return (min(self.asked.part, self.parts) - 1) * PART + 1

    @property
    def shown(self) -> Sequence[tuple[int, InspectedColumn]]:
        """The columns of this part."""
        return self.columns[self.first - 1 : self.first - 1 + PART]

    def together(self, roles: Mapping[str, Role]) -> Mapping[Role, list[str]]:
        """Return the open columns that may be confirmed together, by suggested role: only those of one reason."""
        found: dict[Role, list[str]] = {}
        for _, one in self.columns if self.asked.reason else ():
            if one.role and one.name not in roles:
                found.setdefault(one.role, []).append(one.name)
        return found


def reasons(columns: Sequence[InspectedColumn]) -> Mapping[str, int]:
    """Return the reasons that occur, the most frequent first, with how many columns have each."""
    return dict(Counter(map(reason_of, columns)).most_common())
