"""What a person accepts: a premise that does not hold may stay, for a reason.

>>> accepted = Accept("contents", ["note"], of=["titled_name"], at_most=12, why="surnames of staff, read by two people")
>>> accepted.columns, accepted.covers("note", "titled_name", 12), accepted.covers("note", "titled_name", 13)
(('note',), True, False)
>>> accepted.covers("note", "mobile", 1)
False
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PETWorks.errors import ParameterError, did_you_mean, list_quoted

PREMISES = (
    "requirement",
    "identifiers",
    "columns",
    "contents",
    "free_text",
    "people",
    "covered",
    "fingerprint",
    "rest",
    "adversaries",
    "changed",
)
KINDS = (  # of direct identifiers in cells, in the order in which they are told
    "national_id",
    "old_resident_id",
    "mobile",
    "landline",
    "email",
    "url",
    "ip",
    "address",
    "card",
    "iban",
    "plate",
    "titled_name",
    "named_person",
    "bare_name",
    "name_column",
    "identifier",
)
WITHOUT_COLUMNS = ("requirement", "changed", "people")  # premises on the whole table
UNCOUNTED = ("requirement", "columns")  # premises that find no number of rows or people
UNFINISHED = "fill in"


@dataclass(frozen=True)
class Accept:
    """The acceptance of a premise that does not hold, for some columns, with the reason.

    `of` names the kinds of `contents` that are accepted: any other kind still fails. `at_most` is the largest accepted
    count. For the premise `adversaries`, `columns` holds the names of adversaries.
    """

    premise: str
    columns: Sequence[str] = ()
    of: Sequence[str] = ()
    at_most: int | None = None
    why: str = ""

    def __post_init__(self) -> None:
        """Check every field that can be checked without a table."""
        for name in ("columns", "of"):
            object.__setattr__(self, name, _read_names(name, getattr(self, name)))
        object.__setattr__(self, "premise", str(self.premise).strip())
        if self.premise not in PREMISES:
            raise ParameterError(f'there is no premise "{self.premise}"', hint=did_you_mean(self.premise, PREMISES))
        self._check_columns()
        self._check_kinds()
        self._check_count()
        if not isinstance(self.why, str) or not self.why.strip() or self.why.strip().casefold() == UNFINISHED:
            problem = f"{self} gives no reason"
            raise ParameterError(problem, hint='say in why= who decided it, and on what grounds: why="…"')

    def _check_columns(self) -> None:
        if not self.columns and self.premise not in WITHOUT_COLUMNS:
            raise ParameterError(f"{self} names no column", hint='name the columns that it is about: columns=["…"]')
        if self.columns and self.premise in ("requirement", "changed"):
            raise ParameterError(f"{self} names columns, but is about the whole table", hint="leave out columns=")
        for name, names in (("column", self.columns), ("kind", self.of)):
            if twice := [one for one, times in Counter(names).items() if times > 1]:
                raise ParameterError(f"{self} names the {name} {list_quoted(twice)} twice", hint="name it once")

    def _check_kinds(self) -> None:
        if self.premise == "contents":
            if not self.of:
                hint = f"name the kinds that may stay, such as of=[{list_quoted(KINDS[:1])}]; known: {', '.join(KINDS)}"
                raise ParameterError(f"{self} names no kind", hint=hint)
            if unknown := [one for one in self.of if one not in KINDS]:
                raise ParameterError(f"there is no kind {list_quoted(unknown)}", hint=did_you_mean(unknown, KINDS))
        elif self.of:
            raise ParameterError(f"{self} names kinds, but only contents has kinds", hint="leave out of=")

    def _check_count(self) -> None:
        if self.at_most is None:
            return
        if self.premise in UNCOUNTED:
            raise ParameterError(f"{self} has a count, but there is nothing to count", hint="leave out at_most=")
        if isinstance(self.at_most, bool) or not isinstance(self.at_most, int) or self.at_most < 0:
            problem = f"at_most of {self} must be a whole number from 0 on"
            raise ParameterError(problem, hint="give the count that may stay, such as at_most=12")

    def __str__(self) -> str:
        """Return a description of the acceptance for messages."""
        return f'the acceptance of "{self.premise}"'

    def covers(self, column: str, kind: str = "", count: int = 0) -> bool:
        """Return True if the acceptance covers this count of this kind of content in a column."""
        named = not self.columns or column in self.columns
        return named and (not self.of or kind in self.of) and (self.at_most is None or count <= self.at_most)

    def to_dict(self) -> dict[str, Any]:
        """Return the acceptance as plain values for JSON."""
        return {**vars(self), "columns": list(self.columns), "of": list(self.of)}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Accept:
        """Build an acceptance from what `to_dict` returned."""
        return cls(**plain)


def check_acceptances(accept: Iterable[object], columns: Iterable[str], adversaries: Iterable[str] = ()) -> None:
    """Raise an error for an acceptance of an unknown column, or for two acceptances of the same column.

    `columns` are those of the release and of its original.
    """
    seen, known, names = set[tuple[str, str, str]](), list(columns), list(adversaries)
    for one in accept:
        if not isinstance(one, Accept):
            hint = 'pass accept=[pw.Accept("free_text", ["note"], why="…")]'
            raise ParameterError(f"an acceptance is expected, not {type(one).__name__}", hint=hint)
        there, what = (names, "adversary") if one.premise == "adversaries" else (known, "column")
        if unknown := [name for name in one.columns if name not in there]:
            hint = did_you_mean(unknown, there)
            raise ParameterError(f"{one} names the {what} {list_quoted(unknown)}, which is not there", hint=hint)
        for key in [(one.premise, name, kind) for name in one.columns or [""] for kind in one.of or [""]]:
            if key in seen:
                about = f' for the column "{key[1]}"' if key[1] else ""
                raise ParameterError(f'"{key[0]}" is accepted twice{about}', hint="accept it once, with one reason")
            seen.add(key)


def compute_acceptance_digest(accept: Iterable[Accept]) -> str | None:
    """Return the SHA-256 of the acceptances in canonical order; None if there are none."""
    plain = sorted(json.dumps(one.to_dict(), sort_keys=True, ensure_ascii=False) for one in accept)
    return hashlib.sha256("\n".join(plain).encode()).hexdigest() if plain else None


def _read_names(what: str, given: object) -> tuple[str, ...]:
    if isinstance(given, str) or not isinstance(given, Iterable):
        problem = f"{what} must be a list of names, not {type(given).__name__}"
        raise ParameterError(problem, hint=f'write {what}=["…"]')
    return tuple(str(name).strip() for name in given)
