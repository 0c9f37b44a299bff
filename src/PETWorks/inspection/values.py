"""The values of one column with their counts, the share of people whose value has a form, and the kind of values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from PETWorks.errors import THRESHOLD
from PETWorks.tables.counting.margins import Margin
from PETWorks.tables.counting.size_histogram import SizeSummary
from PETWorks.tables.counting.tally import IntArray, Mask

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
        gone = margin.values.index(None) if None in margin.values else None
        texts = [value for value in margin.values if value is not None]
        counts = margin.counts if gone is None else np.delete(margin.counts, gone)
        rows, missing = int(margin.counts.sum()), 0 if gone is None else int(margin.counts[gone])
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
        import pyarrow as pa

        return pa.array(self.texts, pa.large_string())

    @cached_property
    def _sampled(self) -> IntArray:
        """The places of values from everywhere in the table, and of the most frequent ones."""
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
        """Return the share of people whose value has a form."""
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
    """Return those of some texts that match a regular expression."""
    import pyarrow as pa
    from pyarrow import compute

    array = pa.array(texts, pa.large_string())
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
