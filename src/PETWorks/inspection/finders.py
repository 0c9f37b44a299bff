"""Forms of values that tell what they are: numbers of people and companies, addresses, codes of illnesses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from PETWorks.facts.roles import Role
from PETWorks.inspection.check_digits import Check, business_number, iban, luhn, national_id, resident_id, valid
from PETWorks.inspection.values import Values

MOST = 0.8  # the share of people whose values must have the form
RIGHT = 0.5  # the share of these whose check digit must be right
BYTE = r"(?:25[0-5]|2[0-4]\d|1\d{2}|[1-9]?\d)"
GROUP = r"[0-9A-Fa-f]{1,4}"
TWO = r"(?:[A-Z][A-Z0-9]|\d[A-Z])"  # letters and digits of a plate: it always has a letter, 2024-01 is a month
THREE = r"(?:[A-Z][A-Z0-9]{2}|\d[A-Z][A-Z0-9]|\d{2}[A-Z])"


class Finder(NamedTuple):
    """A form, what the values that have it are, and which role they suggest."""

    name: str
    form: str  # a regular expression
    role: Role = Role.IDENTIFIER
    check: Check | None = None
    telling: bool = True  # False: other things have this form, too, so that it is not enough by itself
    distinctive: bool = False  # True: nothing else has this form, even if check digits are wrong
    why: str = "names_person"  # the sentence that says why this role


class Match(NamedTuple):
    """How many people's values have a form, and in how many of these the check digit is right."""

    finder: Finder
    share: float
    right: float | None = None


FINDERS = (
    Finder("national_id", r"^[A-Z][12]\d{8}$", check=national_id, distinctive=True),
    Finder("resident_id", r"^[A-Z][89]\d{8}$", check=national_id, distinctive=True),
    Finder("old_resident_id", r"^[A-Z][A-D]\d{8}$", check=resident_id, distinctive=True),
    Finder("id", r"^[A-Z][1289]\d{8}$", check=national_id, distinctive=True),
    Finder("mobile", r"^(?:\+?886[ -]?|0)9\d{2}[ -]?\d{3}[ -]?\d{3}$"),
    Finder(
        "landline",
        r"^(?:\(0[2-8]\d{0,2}\) ?|0[2-8]\d{0,2}[ -]|0[2-8]|\+886[ -]?[2-8]\d{0,2}[ -]?)\d{3,4}[ -]?\d{4}(?:#\d+)?$",
    ),
    Finder("email", r"^[^@\s]+@[^@\s.]+(?:\.[^@\s.]+)+$"),
    Finder("address", r"^(?:\d{3,6} ?)?\p{Han}{2}[縣市]\p{Han}{1,3}[鄉鎮市區].*(?:路|街|道|巷|村|里|段).*\d+號"),
    Finder("url", r"^(?:https?|ftp)://\S+$"),
    Finder("ip_v4", rf"^(?:{BYTE}\.){{3}}{BYTE}$"),
    Finder("ip_v6", rf"^(?:{GROUP}:){{7}}{GROUP}$|^(?:{GROUP}(?::{GROUP}){{0,6}})?::(?:{GROUP}(?::{GROUP}){{0,6}})?$"),
    Finder("mac", r"^(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}$"),
    Finder("uuid", r"^[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}$"),
    Finder("iban", r"^[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}$", check=iban),
    Finder("card", r"^[2-6]\d{3}(?:[ -]?\d){9,15}$", check=luhn),
    Finder("business_number", r"^\d{8}$", check=business_number, telling=False),
    Finder(
        "plate",
        rf"^(?:[A-Z]{{3}}-\d{{3,4}}|\d{{3,4}}-[A-Z]{{2,3}}|{TWO}-\d{{4}}|\d{{4}}-{TWO}|{THREE}-\d{{3}}|\d{{3}}-{THREE})$",
        telling=False,
    ),
    Finder("atc", r"^[A-DGHJLMNPRSV]\d{2}[A-Z]{2}\d{2}$", Role.SENSITIVE_ATTRIBUTE, why="law_both"),
    Finder("icd", r"^[A-TV-Z]\d[0-9AB]\.[0-9A-Z]{1,4}$", Role.SENSITIVE_ATTRIBUTE, why="law_both"),
    Finder(
        "sex",
        r"(?i)^(?:male|female|m|f|男|女|男性|女性|男生|女生)$",
        Role.QUASI_IDENTIFIER,
        why="everybody_knows",
    ),
)

NUMBERS_OF_PEOPLE = frozenset(finder.name for finder in FINDERS if finder.distinctive)


def matches(values: Values) -> Iterator[Match]:
    """Yield the forms that most values of a column have; those with wrong check digits only if they are distinctive."""
    for finder in FINDERS:
        chosen = values.matching(finder.form)
        if (share := values.share(chosen)) < MOST:
            continue
        if finder.check is None:
            yield Match(finder, share)
            continue
        passed = valid(finder.check, values.array.take(np.flatnonzero(chosen)))
        right = float(values.counts[chosen][passed].sum() / values.counts[chosen].sum())
        if finder.distinctive or right >= RIGHT:
            yield Match(finder, share, right)
