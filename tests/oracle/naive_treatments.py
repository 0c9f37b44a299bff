"""Treatments by their definitions, cell by cell, in plain Python."""

from __future__ import annotations

import hmac
from base64 import b32encode
from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction

Cell = str | None


def pseudonym(key: bytes, scope: str, cell: Cell) -> Cell:
    """Return the first 16 characters of lower-case base32 of HMAC-SHA-256(key, scope, 0x1F, cell)."""
    if cell is None:
        return None
    mac = hmac.new(key, scope.encode() + b"\x1f" + cell.encode("utf-8"), "sha256")
    return b32encode(mac.digest()).decode().lower()[:16]


def offset(key: bytes, scope: str, person: str, within: int) -> int:
    """Return by how many days the dates of a person move."""
    message = scope.encode() + b"\x1f" + b"shift" + b"\x1f" + person.encode("utf-8")
    number = int(hmac.new(key, message, "sha256").hexdigest(), 16)
    return number % (2 * within + 1) - within


def shifted(cell: Cell, days: int) -> Cell:
    """Return a date some days later."""
    return None if cell is None else str(date.fromisoformat(cell) + timedelta(days=days))


def rounded(number: Fraction, step: Fraction) -> Fraction:
    """Return the nearest multiple, of two the even one."""
    below = number // step
    rest = number / step - below
    up = rest > Fraction(1, 2) or (rest == Fraction(1, 2) and below % 2 == 1)
    return (below + up) * step


def text(number: Fraction) -> str:
    """Return a decimal number as text without zeros at its end."""
    whole = f"{Decimal(number.numerator) / Decimal(number.denominator):f}"
    return whole.rstrip("0").rstrip(".") if "." in whole else whole


def bound(numbers: Sequence[Fraction | None], people: Sequence[object], share: Fraction, *, bottom: bool) -> Fraction:
    """Return the smallest number at or below which a share of the people is, moved until five are at or beyond it."""
    of_person: dict[object, list[Fraction]] = {}
    for number, person in zip(numbers, people, strict=True):
        if number is not None:
            of_person.setdefault(person, []).append(number)
    own = sorted(min(one) if bottom else max(one) for one in of_person.values())
    found = next(number for number in own if sum(one <= number for one in own) >= share * len(own))
    others = sorted(set(own), reverse=not bottom)
    for number in others[others.index(found) :]:
        if sum(one <= number if bottom else one >= number for one in own) >= 5:
            return number
    raise AssertionError("fewer than five people")


def treated(cell: Cell, step: Fraction | None, top: Fraction | None, bottom: Fraction | None) -> Cell:
    """Return a number rounded, or the label of the bound that it is at or beyond."""
    if cell is None:
        return None
    number = Fraction(cell)
    number = number if step is None else rounded(number, step)
    if top is not None and number >= top:
        return f"≥ {text(top)}"
    if bottom is not None and number <= bottom:
        return f"≤ {text(bottom)}"
    return cell if step is None else text(number)
