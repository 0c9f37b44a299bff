"""Recognise values by their form: numbers of people and companies, addresses, codes of illnesses.

Check digits are computed for many numbers at once. Each function takes a matrix of characters, one row per number.

>>> check_numbers(check_national_id, ["A123456789", "A123456788"]).tolist()
[True, False]
>>> check_numbers(check_luhn, ["4111 1111-11111111", "378282246310005"]).tolist()
[True, True]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from PETWorks.facts.roles import Role
from PETWorks.inspection.values import ColumnValues
from PETWorks.tables.counting.tally import IntArray, Mask

if TYPE_CHECKING:
    import pyarrow as pa

Check = Callable[[IntArray], Mask]
LETTERS = "ABCDEFGHJKLMNPQRSTUVXYWZIO"  # of Taiwan's ID numbers, in the order of their codes, which start with 10
CODES = np.array([LETTERS.index(letter) + 10 for letter in sorted(LETTERS)])
DIGIT_WEIGHTS = np.array([8, 7, 6, 5, 4, 3, 2, 1, 1])  # weights of the nine digits
BUSINESS_WEIGHTS = np.array([1, 2, 1, 2, 1, 2, 4, 1])  # weights of the eight digits of a business number
ZERO, NINE, UPPER_A = ord("0"), ord("9"), ord("A")


def check_numbers(check: Check, numbers: Sequence[str] | pa.Array) -> Mask:
    """Apply a check to numbers, which must have the form that it expects; blanks and hyphens are left out."""
    import pyarrow as pa
    from pyarrow import compute

    if not len(numbers):
        return np.zeros(0, dtype=bool)
    digits = compute.replace_substring_regex(pa.array(numbers, pa.large_string()), "[ -]", "")
    if check is check_iban:
        digits = compute.replace_substring_regex(digits, "^(.{4})(.*)$", r"\2\1")
    width = compute.max(compute.utf8_length(digits)).as_py()
    padded = compute.utf8_lpad(digits, width, "0")  # zeros in front change no sum
    characters = np.frombuffer(padded.buffers()[2], dtype=np.uint8)[: width * len(numbers)]
    return check(characters.reshape(len(numbers), width).astype(np.int64))


def check_national_id(characters: IntArray) -> Mask:
    """Check Taiwan's ID numbers: of nationals, and of residents since 2021. A letter and nine digits."""
    return _check_weighted_sum(characters[:, 0], characters[:, 1:] - ZERO)


def check_resident_id(characters: IntArray) -> Mask:
    """Check ID numbers of residents as they were until 2020: two letters, of which the second counts as a digit."""
    second = CODES[characters[:, 1] - UPPER_A] % 10
    return _check_weighted_sum(characters[:, 0], np.column_stack([second, characters[:, 2:] - ZERO]))


def _check_weighted_sum(letters: IntArray, digits: IntArray) -> Mask:
    codes = CODES[letters - UPPER_A]
    right: Mask = (codes // 10 + codes % 10 * 9 + digits @ DIGIT_WEIGHTS) % 10 == 0
    return right


def check_business_number(characters: IntArray) -> Mask:
    """Check Taiwan's business numbers (統一編號): the sum must be divisible by 5, since 2023; before, by 10.

    If the seventh digit is 7, its product 28 has the digit sum 10, which counts as 1 or as 0.
    """
    products = (characters - ZERO) * BUSINESS_WEIGHTS
    sums = (products // 10 + products % 10).sum(axis=1)
    seven = characters[:, 6] == ZERO + 7
    return np.where(seven, np.isin(sums % 5, (0, 4)), sums % 5 == 0)


def check_luhn(characters: IntArray) -> Mask:
    """Check numbers of payment cards: every second digit from the right counts twice."""
    digits = (characters - ZERO)[:, ::-1]
    doubled = digits[:, 1::2] * 2
    right: Mask = (digits[:, ::2].sum(axis=1) + (doubled // 10 + doubled % 10).sum(axis=1)) % 10 == 0
    return right


def check_iban(characters: IntArray) -> Mask:
    """Check account numbers, with their first four characters moved to the end: 1 modulo 97, letters from A = 10."""
    rest = np.zeros(len(characters), dtype=np.int64)
    for column in characters.T:
        is_digit = column <= NINE
        rest = np.where(is_digit, rest * 10 + column - ZERO, rest * 100 + column - UPPER_A + 10) % 97
    right: Mask = rest == 1
    return right


MIN_MATCH_SHARE = 0.8  # the share of people whose values must have the form
MIN_VALID_SHARE = 0.5  # the share of these whose check digit must be right
BYTE = r"(?:25[0-5]|2[0-4]\d|1\d{2}|[1-9]?\d)"
GROUP = r"[0-9A-Fa-f]{1,4}"
TWO_WITH_LETTER = (
    r"(?:[A-Z][A-Z0-9]|\d[A-Z])"  # letters and digits of a plate: it always has a letter, 2024-01 is a month
)
THREE_WITH_LETTER = r"(?:[A-Z][A-Z0-9]{2}|\d[A-Z][A-Z0-9]|\d{2}[A-Z])"


class Finder(NamedTuple):
    """A form, the meaning of values that have it, and the role that they suggest."""

    name: str
    form: str  # a regular expression
    role: Role = Role.IDENTIFIER
    check: Check | None = None
    telling: bool = True  # False: other things have this form, too, so that it is not enough by itself
    distinctive: bool = False  # True: nothing else has this form, even if check digits are wrong
    why: str = "names_person"  # the sentence that says why this role


class Match(NamedTuple):
    """The share of people whose values have a form, and the share of these with the right check digit."""

    finder: Finder
    share: float
    right: float | None = None


FINDERS = (
    Finder("national_id", r"^[A-Z][12]\d{8}$", check=check_national_id, distinctive=True),
    Finder("resident_id", r"^[A-Z][89]\d{8}$", check=check_national_id, distinctive=True),
    Finder("old_resident_id", r"^[A-Z][A-D]\d{8}$", check=check_resident_id, distinctive=True),
    Finder("id", r"^[A-Z][1289]\d{8}$", check=check_national_id, distinctive=True),
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
    Finder("iban", r"^[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}$", check=check_iban),
    Finder("card", r"^[2-6]\d{3}(?:[ -]?\d){9,15}$", check=check_luhn),
    Finder("business_number", r"^\d{8}$", check=check_business_number, telling=False),
    Finder(
        "plate",
        rf"^(?:[A-Z]{{3}}-\d{{3,4}}|\d{{3,4}}-[A-Z]{{2,3}}|{TWO_WITH_LETTER}-\d{{4}}|\d{{4}}-{TWO_WITH_LETTER}|{THREE_WITH_LETTER}-\d{{3}}|\d{{3}}-{THREE_WITH_LETTER})$",
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


def find_matches(values: ColumnValues) -> Iterator[Match]:
    """Yield the forms that most values of a column have; with wrong check digits only if the form is distinctive."""
    for finder in FINDERS:
        chosen = values.find_matching(finder.form)
        if (share := values.sum_share(chosen)) < MIN_MATCH_SHARE:
            continue
        if finder.check is None:
            yield Match(finder, share)
            continue
        passed = check_numbers(finder.check, values.array.take(np.flatnonzero(chosen)))
        right = float(values.counts[chosen][passed].sum() / values.counts[chosen].sum())
        if finder.distinctive or right >= MIN_VALID_SHARE:
            yield Match(finder, share, right)
