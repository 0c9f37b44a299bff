"""The values of one column with their counts, the share of people whose value has a form, and the kind of values.

Numbers of people and companies, addresses and codes of illnesses are recognised by their form. Check digits are
computed for many numbers at once. Each check takes a matrix of characters, one row per number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from PETWorks.facts.roles import Role
from PETWorks.tables.counting.tally import IntArray, Mask, is_missing
from PETWorks.tables.counting.texts import text_array

if TYPE_CHECKING:
    import pyarrow as pa
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from PETWorks.shown import THRESHOLD
from PETWorks.tables.counting.margins import Margin
from PETWorks.tables.counting.size_histogram import SizeSummary

if TYPE_CHECKING:
    import pyarrow as pa


SAMPLE_SIZE = 1000  # values that are tried first
MAX_PATTERN_LENGTH = 40  # most characters of a pattern
FEW_TEXTS = 40  # a column of at most so many values uses the cache of forms: many columns have the same values


@dataclass(frozen=True, eq=False)
class ColumnValues:
    """The distinct values of a column, and how many people have each; missing values are counted apart."""

    texts: list[str]
    counts: IntArray
    rows: int
    missing: int
    distinct: int  # how many different values there are
    unique: int  # how many of them only one person has
    few: int  # how many people have a value that fewer than five have

    @classmethod
    def of(cls, margin: Margin, outline: SizeSummary | None = None) -> ColumnValues:
        """Build the values of a column; `summary` has the numbers of a column whose values are not complete."""
        gone = [place for place, value in enumerate(margin.values) if is_missing(value)]
        texts = [value for value in margin.values if value is not None and not is_missing(value)]
        counts = np.delete(margin.counts, gone)
        rows, missing = int(margin.counts.sum()), int(margin.counts[gone].sum())
        sizes, times = counts, np.ones(len(counts), dtype=np.int64)
        if outline:
            rows, missing = outline.rows, sum(outline.missing.values())
            sizes, times = (np.array([*one]) for one in (outline.histogram, outline.histogram.values()))
            times[sizes == missing] -= 1  # the class of those who have no value
        few = sizes < THRESHOLD
        return cls(
            texts,
            counts,
            rows,
            missing,
            distinct=int(times.sum()),
            unique=int(times[sizes == 1].sum()),
            few=int((sizes * times)[few].sum()),
        )

    @property
    def people(self) -> int:
        """The number of people who have a value."""
        return self.rows - self.missing

    @cached_property
    def _people_counted(self) -> int:
        return int(self.counts.sum())

    @cached_property
    def array(self) -> pa.Array:
        """The values as an Arrow array."""
        return text_array(self.texts)

    @cached_property
    def _sampled(self) -> IntArray:
        """The indices of a sample: values spread over the table, and the most frequent ones."""
        spaced = np.linspace(0, len(self.texts) - 1, SAMPLE_SIZE).astype(np.int64)
        frequent = (
            np.argpartition(-self.counts, SAMPLE_SIZE)[:SAMPLE_SIZE] if len(self.counts) > SAMPLE_SIZE else spaced[:0]
        )
        return np.unique(np.concatenate([spaced, frequent]))

    @cached_property
    def _sample(self) -> pa.Array:
        return self.array.take(self._sampled)

    def find_matching(self, form: str) -> Mask:
        """Return a mask of the values that match a regular expression; none if no value of a sample does."""
        from pyarrow import compute

        if len(self.texts) <= FEW_TEXTS:
            found = _find_having(form, frozenset(self.texts))
            return np.fromiter((text in found for text in self.texts), bool, len(self.texts))
        if not compute.any(compute.match_substring_regex(self._sample, form)).as_py():
            return np.zeros(len(self.texts), dtype=bool)
        matched: Mask = convert_to_numpy(compute.match_substring_regex(self.array, form)) > 0
        return matched

    def sum_share(self, chosen: Mask) -> float:
        """Return the share of people who have one of the chosen values."""
        return float(self.counts[chosen].sum()) / self._people_counted if self._people_counted else 0.0

    @property
    def common_share(self) -> float:
        """The share of people who have the most frequent value."""
        return float(self.counts.max(initial=0)) / self._people_counted if self._people_counted else 0.0

    def count_share(self, form: str) -> float:
        """Return the share of people whose value has a certain form."""
        return self.sum_share(self.find_matching(form))

    @cached_property
    def pattern(self) -> str | None:
        """The most frequent pattern in a sample: A for a letter, # for a digit; None if few people share it."""
        from pyarrow import compute

        if not self.texts:
            return None
        shapes = compute.replace_substring_regex(self._sample, r"[\p{L}\p{M}]", "A")
        shapes = compute.replace_substring_regex(shapes, r"\p{N}", "#").dictionary_encode()
        people = np.bincount(convert_to_numpy(shapes.indices), weights=self.counts[self._sampled])
        if people.max(initial=0) < THRESHOLD:
            return None
        most = np.flatnonzero(people == people.max()).tolist()
        return min(str(shapes.dictionary[place])[:MAX_PATTERN_LENGTH] for place in most)

    def find_common(self, most: int) -> tuple[tuple[str, int], ...]:
        """Return the values that most people have, if at least five do, and how many people have each."""
        least = np.sort(self.counts)[-most:][:1]  # fewer people have none of the most frequent ones
        places = np.flatnonzero(self.counts >= np.maximum(least, THRESHOLD)).tolist()
        return tuple(sorted(((self.texts[one], int(self.counts[one])) for one in places), key=_rank_value)[:most])

    @cached_property
    def length(self) -> float:
        """The mean length of a value, over all people; a Han character counts twice."""
        from pyarrow import compute

        lengths = compute.utf8_length(compute.replace_substring_regex(self.array, r"\p{Han}", "漢漢"))
        return float(convert_to_numpy(lengths) @ self.counts) / self._people_counted if self._people_counted else 0.0


@lru_cache(maxsize=2**13)
def _find_having(form: str, texts: frozenset[str]) -> frozenset[str]:
    """Return the texts that match a regular expression."""
    from pyarrow import compute

    array = text_array([*texts])
    return frozenset(array.filter(compute.match_substring_regex(array, form)).to_pylist())


def clear_cache() -> None:
    """Clear the cache of texts that match a form: they are values of an inspected table."""
    _find_having.cache_clear()


def _rank_value(value: tuple[str, int]) -> tuple[int, str]:
    return -value[1], value[0]


def convert_to_numpy(array: pa.Array) -> IntArray:
    """Convert an Arrow array of numbers, or of true and false, to NumPy; `to_numpy` would import pandas."""
    import pyarrow as pa

    numbers: IntArray = np.from_dlpack(array.cast(pa.int64()))
    return numbers


MIN_FORM_SHARE = 0.95  # the share of people whose values must have a form
DAY, MONTH = r"(?:0?[1-9]|[12]\d|3[01])", r"(?:0?[1-9]|1[0-2])"
TIME = r"(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?"
DATES = {  # by the name of their form
    "iso_date": rf"^\d{{4}}([-/.]){MONTH}[-/.]{DAY}{TIME}$|^\d{{4}}年{MONTH}月{DAY}日$",
    "day_first": rf"^(?:{DAY}[-/.]{MONTH}|{MONTH}[-/.]{DAY})[-/.]\d{{4}}{TIME}$",
    "minguo_date": rf"^(?:中華)?(?:民國)?\s*(?:前)?\d{{1,3}}\s*年\s*{MONTH}\s*月\s*{DAY}\s*日$"
    rf"|^(?:民國)?(?:0?\d{{2}}|1\d{{2}})[-/.]{MONTH}[-/.]{DAY}$",
    "iso_month": rf"^(?:18|19|20)\d{{2}}(?:[-/]{MONTH}|年{MONTH}月)$",
    "minguo_month": rf"^(?:中華)?(?:民國)?\s*\d{{1,3}}\s*年\s*{MONTH}\s*月$|^民國\s*\d{{1,3}}[-/]{MONTH}$",
}
COMPACT = {  # digits only: dates if the name of the column says so
    "iso_date": r"^(?:18|19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$",
    "minguo_date": r"^(?:0?\d{2}|1\d{2})(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$",
}
NUMBER = r"^[+-]?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?(?:[eE][+-]?\d+)?$"
WHOLE = r"^[+-]?(?:\d+|\d{1,3}(?:,\d{3})+)$"
PADDED = r"^0\d{2,}$"  # numbers are not padded like this, but an age may be, as in 05
CODE = r"^[A-Za-z]*[-./_:#]?[0-9][A-Za-z0-9]*(?:[-./_:#][A-Za-z0-9]+)*$|^[0-9A-Fa-f-]{16,}$"
TWO_VALUES = 2
YES_NO_PAIRS = ("yes no", "y n", "true false", "t f", "是 否", "有 無", "有 沒有", "0 1")


class Kind(StrEnum):
    """The kind of the values of a column."""

    NUMBER = "number"
    DATE = "date"
    CODE = "code"
    TEXT = "text"
    YES_NO = "yes/no"


def classify_values(values: ColumnValues) -> Kind:
    """Return the kind of nearly all values of a column."""
    if values.distinct == TWO_VALUES and any(
        {*map(str.casefold, values.texts)} == {*pair.split()} for pair in YES_NO_PAIRS
    ):
        return Kind.YES_NO
    if find_date_form(values):
        return Kind.DATE
    if values.count_share(NUMBER) >= MIN_FORM_SHARE:
        return Kind.CODE if values.find_matching(PADDED).any() else Kind.NUMBER
    return Kind.CODE if values.count_share(CODE) >= MIN_FORM_SHARE else Kind.TEXT


def find_date_form(values: ColumnValues, *, compact: bool = False) -> tuple[str, float] | None:
    """Return the form of the dates, and the share of people whose value has it; None if they are not dates.

    With `compact`, eight digits are a date, too; or six or seven, of a year of the Republic of China.
    """
    forms = [*DATES.items(), *(COMPACT.items() if compact else ())]
    return next(((name, share) for name, form in forms if (share := values.count_share(form)) >= MIN_FORM_SHARE), None)


Check = Callable[[IntArray], Mask]
LETTERS = "ABCDEFGHJKLMNPQRSTUVXYWZIO"  # of Taiwan's ID numbers, in the order of their codes, which start with 10
CODES = np.array([LETTERS.index(letter) + 10 for letter in sorted(LETTERS)])
DIGIT_WEIGHTS = np.array([8, 7, 6, 5, 4, 3, 2, 1, 1])  # weights of the nine digits
BUSINESS_WEIGHTS = np.array([1, 2, 1, 2, 1, 2, 4, 1])  # weights of the eight digits of a business number
ZERO, NINE, UPPER_A = ord("0"), ord("9"), ord("A")


def check_numbers(check: Check, numbers: Sequence[str] | pa.Array) -> Mask:
    """Apply a check to numbers, which must have the form that it expects; blanks and hyphens are left out.

    >>> check_numbers(check_national_id, ["A123456789", "A123456788"]).tolist()
    [True, False]
    >>> check_numbers(check_luhn, ["4111 1111-11111111", "378282246310005"]).tolist()
    [True, True]
    """
    import pyarrow as pa
    from pyarrow import compute

    if not len(numbers):
        return np.zeros(0, dtype=bool)
    texts = numbers.cast(pa.large_string()) if isinstance(numbers, pa.Array) else text_array(numbers)
    digits = compute.replace_substring_regex(texts, "[ -]", "")
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
    """A form of values, its meaning, and the role that it suggests."""

    name: str
    form: str  # a regular expression
    role: Role = Role.IDENTIFIER
    check: Check | None = None
    telling: bool = True  # False: other things have this form, too, so that it is not enough by itself
    distinctive: bool = False  # True: nothing else has this form, even if check digits are wrong
    why: str = "names_person"  # the sentence that says why this role


class Match(NamedTuple):
    """The share of people whose value has a form, and the share of these with the right check digit."""

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


CHECKED = {  # the forms of each check of a column
    "tw-id": ("national_id", "resident_id", "old_resident_id"),
    "tw-business-number": ("business_number",),
    "iban": ("iban",),
    "card": ("card",),
}


def find_wrong_numbers(check: str, texts: Sequence[str]) -> Mask:
    """Return a mask of the texts that are no such numbers, or have a wrong check digit.

    >>> find_wrong_numbers("tw-id", ["A123456789", "A123456788", "unknown"]).tolist()
    [False, True, True]
    """
    wrong = np.ones(len(texts), dtype=bool)
    for finder in FINDERS:
        if finder.name in CHECKED[check] and finder.check:
            places = [place for place, text in enumerate(texts) if re.match(finder.form, text)]
            right = check_numbers(finder.check, [texts[place] for place in places])
            wrong[[place for place, passed in zip(places, right.tolist(), strict=True) if passed]] = False
    return wrong


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
