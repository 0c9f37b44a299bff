"""A premise: its verdict, the findings by column, and why they are accepted.

`columns` has the findings in each column that violates the premise: counts by name. Three premises differ: for
`columns` the figures say what a column lacks; `requirement` and `changed` have one count under "".

>>> premises = Premises((Premise("free_text", PremiseVerdict.DOES_NOT_HOLD, {"note": {"rows": 8, "of": 12}}),))
>>> premises.holds, premises["free_text"].columns["note"]["rows"], premises["free_text"].open
(False, 8, ('note',))
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, overload

from PETWorks.errors import NotAskableError, UnknownNameError, did_you_mean
from PETWorks.facts.notes import Note, to_plain_values
from PETWorks.premises.accept import PREMISES, Accept, compute_acceptance_digest
from PETWorks.premises.adversary import Adversary
from PETWorks.premises.attack_result import Attack
from PETWorks.tables.counting.tally import IntArray

RowFinder = Callable[[str], Mapping[str, IntArray]]  # by premise: the rows of each column


COUNTS: Mapping[str, Callable[[Any], int]] = {  # by premise: what is accepted of the figures of a column
    "identifiers": lambda found: found["rows"],
    "free_text": lambda found: found["rows"],
    "people": lambda found: found["rows"] - found["values"],
    "covered": lambda found: found["values"],
    "fingerprint": lambda found: found["alone"],
    "adversaries": lambda found: found["found"],
    "changed": lambda found: found,
}


def count_accepted(premise: str, found: Any) -> int:  # noqa: ANN401 (figures of a column)
    """Return the count that `at_most` of an acceptance bounds, from the figures of a column; 0 if there is none."""
    return COUNTS[premise](found) if premise in COUNTS else 0


class PremiseVerdict(StrEnum):
    """The possible verdicts on a premise."""

    HOLDS = "holds"
    ACCEPTED = "accepted"
    DOES_NOT_HOLD = "does not hold"
    NOT_CHECKED = "not checked"


@dataclass(frozen=True)
class Premise:
    """One premise, its verdict, and its findings."""

    name: str
    verdict: PremiseVerdict
    columns: Mapping[str, Any] = field(default_factory=dict)  # what was found, by column
    counts: Mapping[str, Any] = field(default_factory=dict)  # figures of the whole table
    why: str = ""  # the reasons of what was accepted
    unchecked: str = ""  # why it was not checked: "original", "cluster", "memory", "rows"
    accepted: tuple[Accept, ...] = ()  # the acceptances that apply
    open: tuple[str, ...] = ()  # the columns that nobody accepted, in the order of `columns`
    finder: RowFinder | None = field(default=None, repr=False, compare=False)  # not pickled

    def __post_init__(self) -> None:
        """Without acceptances, mark every column as open."""
        if self.verdict is PremiseVerdict.DOES_NOT_HOLD and not self.open and not self.accepted:
            object.__setattr__(self, "open", tuple(self.columns))

    @property
    def holds(self) -> bool | None:
        """False if it fails the verdict, None if it was not checked, else True."""
        return None if self.verdict is PremiseVerdict.NOT_CHECKED else self.verdict is not PremiseVerdict.DOES_NOT_HOLD

    @property
    def rows(self) -> Mapping[str, IntArray]:
        """The numbers (from 1) of the released rows that violate the premise, by column; without disclosure control."""
        if self.finder is None:
            hint = "ask for it on the evaluation that Release.evaluate, Release.check or Policy.check returned"
            raise NotAskableError("the rows are not known: this premise is guarded, or was loaded", hint=hint)
        return self.finder(self.name)

    def count(self, column: str) -> int:
        """Return the count of a column that `at_most` of an acceptance bounds."""
        return count_accepted(self.name, self.columns[column])

    def __getstate__(self) -> dict[str, Any]:
        """Return the state to pickle, without access to the rows."""
        return {**vars(self), "finder": None}

    def to_dict(self) -> dict[str, Any]:
        """Return the premise as plain values for JSON."""
        return {
            "premise": self.name,
            "verdict": str(self.verdict),
            "columns": to_plain_values(self.columns),
            "counts": to_plain_values(self.counts),
            "why": self.why,
            "unchecked": self.unchecked,
            "open": list(self.open),
            "accepted": [one.to_dict() for one in self.accepted],
        }

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Premise:
        """Build a premise from what `to_dict` returned."""
        given = {key: value for key, value in plain.items() if key not in ("premise", "verdict", "accepted", "open")}
        verdict, accepted = PremiseVerdict(plain["verdict"]), tuple(map(Accept.from_dict, plain["accepted"]))
        return cls(plain["premise"], verdict, accepted=accepted, open=tuple(plain["open"]), **given)


@dataclass(frozen=True)
class Premises(Sequence[Premise]):
    """All premises of a release, by position or by name. Empty if none was checked."""

    all: tuple[Premise, ...] = ()
    unused: tuple[Accept, ...] = ()  # acceptances that nothing needs
    adversaries: tuple[Adversary, ...] = ()  # who was judged
    tried: Attack | None = None  # whom adversaries find; None: not tried, since the rows cannot be had
    formulas: Note | None = None  # the warning of cells that a spreadsheet program runs; None: there are none

    @property
    def given(self) -> tuple[Accept, ...]:
        """All acceptances, used or not, without duplicates."""
        return tuple(dict.fromkeys([*(one for premise in self.all for one in premise.accepted), *self.unused]))

    @property
    def failing(self) -> tuple[Premise, ...]:
        """The premises that fail the verdict."""
        return tuple(one for one in self.all if one.holds is False)

    @property
    def holds(self) -> bool:
        """True if no premise fails the verdict."""
        return not self.failing

    @property
    def accepted(self) -> tuple[Premise, ...]:
        """The premises that hold only because somebody accepted the findings."""
        return tuple(one for one in self.all if one.verdict is PremiseVerdict.ACCEPTED)

    @property
    def unchecked(self) -> tuple[Premise, ...]:
        """The premises that could not be checked."""
        return tuple(one for one in self.all if one.verdict is PremiseVerdict.NOT_CHECKED)

    @property
    def digest(self) -> str | None:
        """The SHA-256 of all acceptances, used or not; None if there are none."""
        return compute_acceptance_digest(self.given)

    def to_dict(self) -> dict[str, Any]:
        """Return the premises, acceptances and adversaries as plain values for JSON."""
        return {
            "premises": [one.to_dict() for one in self],
            "accept": [one.to_dict() for one in self.given],
            "adversaries": [one.to_dict() for one in self.adversaries],
            "attack": self.tried and to_plain_values(self.tried.to_dict()),
        }

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Premises:
        """Build the premises from what `to_dict` returned."""
        found = tuple(map(Premise.from_dict, plain["premises"]))
        given, used = [*map(Accept.from_dict, plain["accept"])], [one for premise in found for one in premise.accepted]
        unused = tuple(one for one in given if one not in used)
        tried = plain.get("attack")
        adversaries = tuple(Adversary(**one) for one in plain["adversaries"])
        return cls(found, unused, adversaries, tried and Attack.from_dict(tried))

    def without_rows(self) -> Premises:
        """Return the premises without access to rows."""
        return replace(self, all=tuple(replace(one, finder=None) for one in self.all))

    @overload
    def __getitem__(self, key: int | str) -> Premise: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[Premise]: ...
    def __getitem__(self, key: int | str | slice) -> Premise | Sequence[Premise]:
        """Return a premise by its position or name."""
        if not isinstance(key, str):
            return self.all[key]
        for one in self.all:
            if one.name == key:
                return one
        raise UnknownNameError(f'there is no premise "{key}" here', hint=did_you_mean(key, PREMISES))

    def __len__(self) -> int:
        """Return the number of premises."""
        return len(self.all)

    def __iter__(self) -> Iterator[Premise]:
        """Iterate over the premises, in a fixed order."""
        return iter(self.all)
