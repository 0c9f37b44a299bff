r"""Column maps of treatments: pseudonyms, shifted dates, rounded numbers and masked cells, all deterministic.

>>> import hmac
>>> key = bytes(range(32))
>>> make_pseudonym(key, "clinic", "A123456789")
'2ponhezdj4tme7wh'
>>> from base64 import b32encode
>>> digest = hmac.digest(key, "clinic\x1fA123456789".encode(), "sha256")
>>> b32encode(digest).decode().lower()[:16] == make_pseudonym(key, "clinic", "A123456789")
True
>>> find_offset(key, "", "Ann", 180) == (
...     int.from_bytes(hmac.digest(key, "\x1fshift\x1fAnn".encode(), "sha256"), "big") % 361 - 180
... )
True
"""

from __future__ import annotations

import hmac
import re
from base64 import b32encode
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from fractions import Fraction
from functools import cached_property

import numpy as np

from PETWorks.errors import PETWorksError, Quantity, SourceError
from PETWorks.exact.limit import format_decimal, parse_number
from PETWorks.tables.counting.tally import Coded, IntArray, Value, is_missing
from PETWorks.tables.mapped import ColumnMap, Unreadable, UnreadableError, merge_equal
from PETWorks.user.keys import Key, read_key

SEPARATOR = "\x1f"
PSEUDONYM_CHARACTERS = 16
ISO_DATE = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})((?:[T ].*)?)", re.DOTALL)
AT_LEAST, AT_MOST = "≥ ", "≤ "  # what the labels of values beyond a bound begin with


def make_pseudonym(key: bytes, scope: str, value: str) -> str:
    """Return the pseudonym of a value."""
    digest = hmac.digest(key, f"{scope}{SEPARATOR}{value}".encode(), "sha256")
    return b32encode(digest[:PSEUDONYM_CHARACTERS]).decode().lower()[:PSEUDONYM_CHARACTERS]


def find_offset(key: bytes, scope: str, person: str, days: int) -> int:
    """Return the number of days by which the dates of a person are shifted, from -days to days."""
    digest = hmac.digest(key, f"{scope}{SEPARATOR}shift{SEPARATOR}{person}".encode(), "sha256")
    return int.from_bytes(digest, "big") % (2 * days + 1) - days


class SecretMap(ColumnMap):
    """A map that needs a secret key. A pickle of it names the key, which is then read again."""

    def __init__(self, key: Key, scope: str, *reads: str) -> None:
        super().__init__(*reads)
        self._name, self._secret, self._scope = key.name, key.content, scope

    def __getstate__(self) -> dict[str, object]:
        """Return the state without the key and without values that were computed with it."""
        return {**vars(self), "_secret": b"", "_held": {}}

    @property
    def secret(self) -> bytes:
        """The bytes of the key."""
        if not self._secret:
            self._secret = read_key(self._name).content
        return self._secret


class PseudonymMap(SecretMap):
    """Replaces each value by its pseudonym; missing cells stay missing."""

    def __init__(self, key: Key, scope: str, column: str) -> None:
        super().__init__(key, scope, column)
        self._value_of: dict[str, str] = {}

    def convert(self, cells: tuple[Value, ...]) -> Value:
        """Return the pseudonym of a value; two values with the same one are an error."""
        (value,) = cells
        if value is None or is_missing(value):
            return value
        made = make_pseudonym(self.secret, self._scope, value)
        if self._value_of.setdefault(made, value) != value:
            problem = "two values have the same pseudonym, so that two people would be taken for one"
            raise SourceError(problem, where=self.reads[0], hint="take another scope or another key", figures={})
        return made


class ShiftMap(SecretMap):
    """Shifts all dates of a person by the same number of days; reads the date column and the person column."""

    expected = "dates in the form 2026-03-14 with a person, or leave the calendar when they are shifted"
    hint = 'prepare the column with date = "any", or write otherwise = "missing" beside shift'

    def __init__(self, key: Key, scope: str, days: int, column: str, person: str, *, forgiving: bool = False) -> None:
        super().__init__(key, scope, column, person)
        self._days, self.forgiving = days, forgiving
        self._offsets: dict[Value, int] = {}

    def find_offset(self, person: Value) -> int:
        """Return the number of days by which the dates of a person are shifted."""
        if (found := self._offsets.get(person)) is None and person is not None:
            found = self._offsets[person] = find_offset(self.secret, self._scope, person, self._days)
        return found or 0

    def apply(self, columns: Sequence[Coded], unreadable: Unreadable, start: int) -> Coded:
        """Return the shifted dates of some rows; each distinct date is parsed and written once."""
        dates, people = (column.trim() for column in columns)
        read = [_read_date(value) for value in dates.values]
        days = np.array([one[0] for one in read] or [0], dtype=np.int64)
        rests: dict[str, int] = {}
        rest_of = np.array([rests.setdefault(one[1], len(rests)) for one in read] or [0], dtype=np.int64)
        offsets = np.array([self.find_offset(person) for person in people.values] or [0], dtype=np.int64)
        unknown = np.array([is_missing(person) for person in people.values] or [True])
        shifted = days[dates.codes] + offsets[people.codes]
        none = np.array([is_missing(value) for value in dates.values] or [True])[dates.codes]
        wrong = ~none & (
            (days[dates.codes] == 0) | unknown[people.codes] | (shifted < 1) | (shifted > date.max.toordinal())
        )
        if wrong.any() and not self.forgiving:
            unreadable.add(start + np.flatnonzero(wrong))
        # what is missing keeps its text, and what cannot be read becomes the missing value
        gone = [*dict.fromkeys([None, *(value for value in dates.values if is_missing(value))])]
        place_of_gone = {value: place for place, value in enumerate(gone)}
        own = np.array([place_of_gone.get(value, 0) for value in dates.values] or [0], dtype=np.int64)[dates.codes]
        key = np.where(none | wrong, own, len(gone) + shifted * len(rests) + rest_of[dates.codes])
        keys, codes = np.unique(key, return_inverse=True)
        texts = [*rests]
        values = [gone[one] if one < len(gone) else _write_date(one - len(gone), texts) for one in keys.tolist()]
        return merge_equal(Coded(codes, values))


def _read_date(value: Value) -> tuple[int, str]:
    """Return the day of a date and the rest of the text; day 0 if the text is no date."""
    found = ISO_DATE.fullmatch(value) if value is not None else None
    try:
        return (date.fromisoformat(found[1]).toordinal(), found[2]) if found else (0, "")
    except ValueError:
        return 0, ""


def _write_date(key: int, rests: Sequence[str]) -> str:
    day, rest = divmod(key, len(rests))
    return date.fromordinal(day).isoformat() + rests[rest]


class NumberMap(ColumnMap):
    """Rounds numbers to a multiple, half to even; those at or beyond a bound become its label."""

    expected = "plain numbers"
    hint = 'prepare the column with number = true, or write otherwise = "missing" beside it'

    def __init__(
        self,
        column: str,
        step: Decimal | None,
        top: Decimal | None,
        bottom: Decimal | None,
        *,
        forgiving: bool = False,
    ) -> None:
        super().__init__(column)
        self.step, self.top, self.bottom, self.forgiving = step, top, bottom, forgiving

    @cached_property
    def labels(self) -> tuple[str, str]:
        """The labels of values at or above the top, and at or below the bottom; empty without such a bound."""
        return (
            "" if self.top is None else AT_LEAST + write_number(Fraction(self.top)),
            "" if self.bottom is None else AT_MOST + write_number(Fraction(self.bottom)),
        )

    def convert(self, cells: tuple[Value, ...]) -> Value:
        """Return the treated number."""
        (value,) = cells
        if is_missing(value):
            return value
        if (number := parse_number(value)) is None:
            raise UnreadableError
        if self.step is None and not self._is_beyond(number):
            return value
        rounded = round_number(number, self.step)
        if self.top is not None and rounded >= self.top:
            return self.labels[0]
        if self.bottom is not None and rounded <= self.bottom:
            return self.labels[1]
        return write_number(rounded)

    def _is_beyond(self, number: Decimal) -> bool:
        return (self.top is not None and number >= self.top) or (self.bottom is not None and number <= self.bottom)


def round_number(number: Decimal, step: Decimal | None) -> Fraction:
    """Return the nearest multiple of a step (half to even); the number itself without a step.

    >>> [str(round_number(Decimal(one), Decimal("0.5"))) for one in ("0.25", "0.75", "-0.25", "1.3")]
    ['0', '1', '0', '3/2']
    """
    return Fraction(number) if step is None else round(Fraction(number) / Fraction(step)) * Fraction(step)


def write_number(number: Fraction) -> str:
    """Return a number with a finite decimal form, without an exponent and without trailing zeros.

    >>> write_number(Fraction(3, 2)), write_number(Fraction(1000)), write_number(Fraction(0))
    ('1.5', '1000', '0')
    """
    places = max((number.denominator & -number.denominator).bit_length() - 1, _count_fives(number.denominator))
    return format_decimal(int(number * 10**places), places)


def _count_fives(number: int) -> int:
    found = 0
    while number % 5 == 0:
        number, found = number // 5, found + 1
    return found


class MaskMap(ColumnMap):
    """Keeps the first characters of a cell, followed by the marker; missing cells stay missing."""

    def __init__(self, column: str, keep: int, marker: str) -> None:
        super().__init__(column)
        self.keep, self.marker = keep, marker

    def convert(self, cells: tuple[Value, ...]) -> Value:
        """Return the masked cell."""
        (value,) = cells
        return value if value is None or is_missing(value) else f"{value[: self.keep]}{self.marker}"


def find_bound(
    share: Fraction, numbers: Sequence[Fraction], people: IntArray, least: int, *, bottom: bool = False
) -> Fraction | None:
    """Return the smallest number with a share of the people at or below it; None if there are too few people.

    `people` are counted by the largest of the sorted `numbers` that each has, for a bottom by the smallest. The bound
    moves until at least `least` people are at or beyond it.

    >>> ten = [Fraction(number) for number in range(1, 11)]
    >>> find_bound(Fraction(9, 10), ten, np.ones(10, dtype=np.int64), least=1)
    Fraction(9, 1)
    >>> find_bound(Fraction(9, 10), ten, np.ones(10, dtype=np.int64), least=5)
    Fraction(6, 1)
    >>> find_bound(Fraction(1, 10), ten, np.ones(10, dtype=np.int64), least=5, bottom=True)
    Fraction(5, 1)
    """
    below = np.cumsum(people)
    if not len(below) or below[-1] < least:
        return None
    place = next(place for place, many in enumerate(below.tolist()) if many >= share * int(below[-1]))
    beyond = below if bottom else int(below[-1]) - below + people
    while beyond[place] < least:
        place += 1 if bottom else -1
    return numbers[place]


def build_few_error(table: str, column: str, people: int) -> PETWorksError:
    """Build the error for a bound by share in a column where too few people have a number."""
    problem = "{people_have} a number in this column: no bound has five people beyond it"
    figures = {"people_have": Quantity(people, "person has", "people have")}
    return SourceError(problem, where=f"{table}, {column}", hint="remove the column, or state a bound", figures=figures)
