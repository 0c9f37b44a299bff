"""Treatments: what is done to the cells of a column, besides generalising. Each is written as a table of a policy.

>>> fee = read_treatment({"round": 500, "top": "99%"}, "fee")
>>> fee.step, fee.top, fee.plain()
(Decimal('500'), Percentile(fraction=Fraction(99, 100)), {'round': '500', 'top': '99%'})
>>> read_treatment({"shift": {"key": "study", "within": "180 days"}}, "visit").days
180
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar, Literal, NamedTuple

from PETWorks.errors import ParameterError, UnknownNameError, did_you_mean, show_value
from PETWorks.exact.limit import parse_number

Otherwise = Literal["error", "missing"]
LEAST_DAYS, MOST_DAYS = 7, 36_500  # within which dates may be shifted
DAYS = re.compile(r"([0-9]{1,9}) ?(?:days?)?", re.ASCII)
PERCENT = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,9})?%", re.ASCII)


@dataclass(frozen=True)
class Treatment:
    """What is done to the cells of a column."""

    word: ClassVar[str]

    def plain(self) -> dict[str, Any]:
        """Return the treatment as a table of a policy, from which an equal one is read."""
        return {self.word: True}


@dataclass(frozen=True)
class Remove(Treatment):
    """The column is not written."""

    word: ClassVar[str] = "remove"


@dataclass(frozen=True)
class Generalise(Treatment):
    """The column is generalised by its hierarchy: the default for quasi-identifiers."""

    word: ClassVar[str] = "generalise"


@dataclass(frozen=True)
class Mask(Treatment):
    """Every cell is the marker; with `keep`, its first characters stay before the marker."""

    word: ClassVar[str] = "mask"
    keep: int | None = None

    def plain(self) -> dict[str, Any]:
        """Return the treatment as a table of a policy."""
        return {"mask": True if self.keep is None else {"keep": self.keep}}


@dataclass(frozen=True)
class Pseudonym(Treatment):
    """Each value becomes a code that is made with a secret key; the same value, key and scope give the same code."""

    word: ClassVar[str] = "pseudonym"
    key: str  # the name of the secret key
    scope: str = ""
    kept_by: str | None = None  # who keeps the key
    until: str | None = None  # the date until which it is kept

    def plain(self) -> dict[str, Any]:
        """Return the treatment as a table of a policy."""
        return {"pseudonym": _without_defaults(self)}


@dataclass(frozen=True)
class Shift(Treatment):
    """All dates of a person move by one secret number of days, at most `days` either way."""

    word: ClassVar[str] = "shift"
    key: str  # the name of the secret key
    days: int
    scope: str = ""
    kept_by: str | None = None
    until: str | None = None
    otherwise: Otherwise = "error"

    def plain(self) -> dict[str, Any]:
        """Return the treatment as a table of a policy."""
        others = _without_defaults(self)
        others |= {"within": f"{others.pop('days')} days"}
        return {"shift": others, **_plain_otherwise(others.pop("otherwise", "error"))}


class Percentile(NamedTuple):
    """A bound that is set by the share of the people whose values are at or below it."""

    fraction: Fraction

    def __str__(self) -> str:
        """Return the share in per cent."""
        return f"{_write(Decimal(self.fraction.numerator * 100) / Decimal(self.fraction.denominator))}%"


Bound = Decimal | Percentile


@dataclass(frozen=True)
class Numbers(Treatment):
    """Numbers are rounded to a multiple of `step`; all numbers beyond `top` or `bottom` become one label."""

    word: ClassVar[str] = "round"
    step: Decimal | None = None
    top: Bound | None = None
    bottom: Bound | None = None
    otherwise: Otherwise = "error"

    def plain(self) -> dict[str, Any]:
        """Return the treatment as a table of a policy."""
        given = {"round": self.step, "top": self.top, "bottom": self.bottom}
        written = {
            name: str(one) if isinstance(one, Percentile) else _write(one)
            for name, one in given.items()
            if one is not None
        }
        return {**written, **_plain_otherwise(self.otherwise)}


@dataclass(frozen=True)
class AsItIs(Treatment):
    """The cells stay as they are, for a reason."""

    word: ClassVar[str] = "as_it_is"
    reason: str = ""

    def plain(self) -> dict[str, Any]:
        """Return the treatment as a table of a policy."""
        return {"as_it_is": self.reason}


def _without_defaults(one: Pseudonym | Shift) -> dict[str, Any]:
    return {name: value for name, value in vars(one).items() if value not in (None, "", "error")}


def _plain_otherwise(otherwise: str) -> dict[str, str]:
    return {} if otherwise == "error" else {"otherwise": otherwise}


def _write(number: Decimal) -> str:
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


NUMBER_WORDS = ("round", "top", "bottom")
WORDS = ("generalise", "remove", "mask", "pseudonym", "shift", *NUMBER_WORDS, "as_it_is")
HAVE_OTHERWISE = ("shift", *NUMBER_WORDS)
FIELDS = {"mask": ("keep",), "pseudonym": ("key", "scope", "kept_by", "until")}
FIELDS["shift"] = ("key", "within", *FIELDS["pseudonym"][1:])


def read_treatment(given: Any, column: str) -> Treatment:  # noqa: ANN401
    """Return the treatment of a column from a table of a policy; errors name the column."""
    where = f"[treat.{_quote(column)}]"
    if isinstance(given, Treatment):
        return given
    try:
        return _read_treatment(given)
    except (ParameterError, UnknownNameError) as error:
        error.where = error.where or where
        raise


def _read_treatment(given: Any) -> Treatment:  # noqa: ANN401
    if not isinstance(given, Mapping):
        hint = "write for example remove = true in this table, or in Python {'remove': True}"
        raise ParameterError(f"a treatment must be a table, not {show_value(given)}", hint=hint)
    if unknown := [word for word in given if word not in (*WORDS, "otherwise")]:
        hint = did_you_mean(unknown[0], WORDS)
        raise UnknownNameError(f'there is no treatment "{unknown[0]}"', hint=hint)
    named = [word for word in WORDS if word in given]
    if not named:
        raise ParameterError("no treatment is named", hint=f"name one of {', '.join(WORDS)}")
    if len(named) > 1 and not set(named) <= {*NUMBER_WORDS, "generalise"}:
        hint = "keep one of them; only round, top and bottom may stand together"
        raise ParameterError(f"a column has one treatment, not {' and '.join(named)}", hint=hint)
    if "generalise" in given:
        _require_true(given["generalise"], "generalise")
        named = named[1:] or named
    otherwise = _read_otherwise(given, named)
    if named[0] in NUMBER_WORDS:
        return _read_numbers(given, otherwise)
    return _read_word(named[0], given[named[0]], otherwise)


def _read_word(word: str, given: Any, otherwise: Otherwise) -> Treatment:  # noqa: ANN401
    match word:
        case "mask":
            return _read_mask(given)
        case "pseudonym":
            return _read_pseudonym(given)
        case "shift":
            return _read_shift(given, otherwise)
        case "as_it_is":
            return _read_as_it_is(given)
    _require_true(given, word)
    return Remove() if word == "remove" else Generalise()


def _quote(column: str) -> str:
    return column if re.fullmatch(r"[A-Za-z0-9_-]+", column) else f'"{column}"'


def _read_otherwise(given: Mapping[str, Any], named: list[str]) -> Otherwise:
    if "otherwise" not in given:
        return "error"
    if named[0] not in HAVE_OTHERWISE:
        hint = f"leave it out: it is for {', '.join(HAVE_OTHERWISE)}"
        raise ParameterError(f"{named[0]} works on every cell, so otherwise has no effect", hint=hint)
    if (word := given["otherwise"]) not in ("error", "missing"):
        raise ParameterError(f"otherwise cannot be {show_value(word)}", hint='write otherwise = "missing"')
    return "missing" if word == "missing" else "error"


def _require_true(given: Any, word: str) -> None:  # noqa: ANN401
    if given is not True:
        raise ParameterError(f"{word} must be true, not {show_value(given)}", hint="or leave the treatment out")


def _read_table(given: Any, word: str, example: str) -> Mapping[str, Any]:  # noqa: ANN401
    if not isinstance(given, Mapping):
        raise ParameterError(f"{word} must be a table, not {show_value(given)}", hint=f"write {example}")
    if unknown := [name for name in given if name not in FIELDS[word]]:
        raise UnknownNameError(f'{word} has no "{unknown[0]}"', hint=did_you_mean(unknown[0], FIELDS[word]))
    return given


def _read_mask(given: Any) -> Mask:  # noqa: ANN401
    if given is True:
        return Mask()
    keep = _read_table(given, "mask", "mask = true, or mask = { keep = 3 }").get("keep")
    if type(keep) is not int or keep < 1:
        hint = "write mask = { keep = 3 }, or mask = true to keep nothing"
        raise ParameterError(f"keep must be a whole number from 1, not {show_value(keep)}", hint=hint)
    return Mask(keep)


def _read_pseudonym(given: Any) -> Pseudonym:  # noqa: ANN401
    example = 'pseudonym = { key = "study-2026", scope = "clinic" }'
    table = _read_table(given, "pseudonym", example)
    return Pseudonym(_read_key(table, example), **_read_custody(table))


def _read_shift(given: Any, otherwise: Otherwise) -> Shift:  # noqa: ANN401
    example = 'shift = { key = "study-2026", within = "180 days" }'
    table = _read_table(given, "shift", example)
    key, within = _read_key(table, example), table.get("within")
    found = DAYS.fullmatch(within.strip()) if isinstance(within, str) else None
    days = int(found[1]) if found else within
    if type(days) is not int or not LEAST_DAYS <= days <= MOST_DAYS:
        problem = f"within must be {LEAST_DAYS} to {MOST_DAYS:,} days, not {show_value(within)}"
        raise ParameterError(problem, hint=f"write {example}")
    return Shift(key, days, **_read_custody(table), otherwise=otherwise)


def _read_key(table: Mapping[str, Any], example: str) -> str:
    if not isinstance(key := table.get("key"), str) or not key:
        problem = f"key must be the name of a key, not {show_value(key)}" if "key" in table else 'missing "key"'
        raise ParameterError(problem, hint=f"petworks key new NAME makes one; write {example}")
    return key


def _read_custody(table: Mapping[str, Any]) -> dict[str, Any]:
    found = {}
    for name in ("scope", "kept_by", "until"):
        if (one := table.get(name)) is None:
            continue
        if isinstance(one, date):
            one = one.isoformat()
        if not isinstance(one, str) or not one.strip() or "\x1f" in one:
            raise ParameterError(f"{name} must be text, not {show_value(one)}", hint="or leave it out")
        if name == "until" and not _is_date(one):
            raise ParameterError(f"until must be a date, not {show_value(one)}", hint='write until = "2028-11-30"')
        found[name] = one
    return found


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _read_numbers(given: Mapping[str, Any], otherwise: Otherwise) -> Numbers:
    step = _read_number(given["round"], "round") if "round" in given else None
    if step is not None and step <= 0:
        raise ParameterError(f"round must be above 0, not {show_value(given['round'])}", hint="write round = 500")
    top, bottom = (_read_bound(given[name], name) if name in given else None for name in ("top", "bottom"))
    if isinstance(top, Decimal) and isinstance(bottom, Decimal) and bottom >= top:
        raise ParameterError(f"bottom {_write(bottom)} must be below top {_write(top)}")
    return Numbers(step, top, bottom, otherwise)


def _read_number(given: Any, name: str) -> Decimal:  # noqa: ANN401
    text = repr(given) if isinstance(given, float) else str(given)
    found = (
        None if isinstance(given, bool) or not isinstance(given, int | float | str | Decimal) else parse_number(text)
    )
    if found is None:
        hint = f'write {name} = 500, or {name} = "99%"' if name != "round" else "write round = 500"
        raise ParameterError(f"{name} must be a number, not {show_value(given)}", hint=hint)
    return found


def _read_bound(given: Any, name: str) -> Bound:  # noqa: ANN401
    if isinstance(given, str) and PERCENT.fullmatch(given.strip()):
        share = Fraction(given.strip().removesuffix("%")) / 100
        if not 0 < share < 1:
            raise ParameterError(f"{name} must be above 0% and below 100%, not {show_value(given)}")
        return Percentile(share)
    return _read_number(given, name)


def _read_as_it_is(given: Any) -> AsItIs:  # noqa: ANN401
    if not isinstance(given, str) or not given.strip():
        hint = 'write as_it_is = "why the values may be published", for whoever approves the release'
        raise ParameterError(f"as_it_is needs a reason, not {show_value(given)}", hint=hint)
    return AsItIs(given.strip())


@dataclass(frozen=True)
class TreatmentPerColumn:
    """A treatment for each of some columns."""

    annotation: ClassVar[str] = "Mapping[str, Any]"
    metavar: ClassVar[str] = ""
    expected: ClassVar[str] = "a table of treatments: `[treat.<column>]`"

    def read(self, given: Any, name: str) -> dict[str, Treatment]:  # noqa: ANN401
        """Return the treatments by column."""
        if not isinstance(given, Mapping):
            hint = f'pass {name}={{"fee": {{"round": 500}}}}'
            raise ParameterError(f"{name} must map columns to treatments, not {show_value(given)}", hint=hint)
        found: dict[str, Treatment] = {}
        for column, one in given.items():
            if (short := column.strip()) in found:
                raise ParameterError(f'{name}: "{short}" has two treatments', hint="keep one")
            found[short] = read_treatment(one, short)
        return found

    def plain(self, value: Mapping[str, Treatment]) -> dict[str, Any]:
        """Return the treatments as tables of a policy, by column."""
        return {column: one.plain() for column, one in value.items()}
