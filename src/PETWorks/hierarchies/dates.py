"""Dates: a day becomes its month, quarter, half-year, year, five years or decade.

>>> birth = Dates("birth", ["month", "year", "decade"])
>>> [birth.build(["1990-05-21"]).lift("1990-05-21", level) for level in range(5)]
['1990-05-21', '1990-05', '1990', '1990-1999', '*']
>>> [birth.build(["民國79年5月21日"]).lift("民國79年5月21日", level) for level in range(1, 4)]
['民國79年5月', '民國79年', '民國70-79年']
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from itertools import pairwise
from typing import ClassVar, NamedTuple

import numpy as np

from PETWorks.errors import HierarchyError, ParameterError
from PETWorks.hierarchies.rule import Rule, generalise, read_levels, require_word
from PETWorks.tables.counting.tally import Coded, IntArray

LEVELS = ("day", "month", "quarter", "half-year", "year", "five years", "decade")  # from fine to coarse
CALENDARS = ("iso", "roc")  # the Western calendar, and that of Taiwan (民國)
BEFORE_ROC = 1911  # year 1 of 民國 is 1912

_WRITTEN = re.compile(
    r"(?P<era>(?:中華)?民國[ ]?)? (?P<year>\d{1,4})"
    r"(?: (?P<mark>[-/.年])[ ]? (?P<month>\d{1,2}) (?: [-/.月][ ]? (?P<day>\d{1,2}) 日? | 月 )? | 年 )?",
    re.ASCII | re.VERBOSE,
)
_PACKED = re.compile(r"(?P<year>\d{3,4})(?P<month>\d\d)(?P<day>\d\d)", re.ASCII)
_TIME = re.compile(r"[T ]+\d{1,2}:\d\d\S*$", re.ASCII)


class Day(NamedTuple):
    """A date in the Western calendar; month or day are 0 if they are unknown."""

    year: int
    month: int
    day: int
    roc: bool  # True: written in the calendar of Taiwan
    sure: bool  # False: a short year without a sign of its calendar


def read_date(text: str) -> Day | None:
    """Read a date, a month or a year; None if the text is none of them. A time of day is ignored.

    >>> read_date("2026-11-16T08:30:00"), read_date("民國79/5")
    (Day(year=2026, month=11, day=16, roc=False, sure=True), Day(year=1990, month=5, day=0, roc=True, sure=True))
    >>> read_date("0790521"), read_date("2026-02-30")
    (Day(year=1990, month=5, day=21, roc=True, sure=True), None)
    """
    text = _TIME.sub("", text)
    found = _WRITTEN.fullmatch(text)
    packed = None if found else _PACKED.fullmatch(text)
    if not (match := found or packed):
        return None
    digits, era = match["year"], bool(found and found["era"])
    roc = era or len(digits) < 4  # noqa: PLR2004
    sign = era or (found and "年" in text) or len(digits) > 2  # noqa: PLR2004
    if (
        found
        and not era
        and ((roc and not found["mark"] and "年" not in text) or (found["mark"] == "." and not found["day"]))
    ):
        return None  # a short number alone is no year, and a decimal is no month
    year, month, day = int(digits) + BEFORE_ROC * roc, int(match["month"] or 0), int(match["day"] or 0)
    if (roc and year == BEFORE_ROC) or (match["month"] and not month) or (match["day"] and not day):
        return None
    try:
        date(year, month or 1, day or 1)
    except ValueError:
        return None
    return Day(year, month, day, roc, bool(sign))


@dataclass(frozen=True)
class Dates(Rule):
    """Dates, coarser from level to level. Labels keep the calendar of the column, unless `write` names another.

    `read` is the calendar of short years: "79-05-21" is a date of "roc" only if `read` is "roc", or if other dates of
    the column are surely of that calendar.
    """

    kind: ClassVar[str] = "dates"
    main: ClassVar[str] = "periods"
    expects: ClassVar[str] = "a date"

    periods: tuple[str, ...]
    read: str | None = None
    write: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "periods", read_levels(self.name, self.periods, "levels", self.example()))
        for period in self.periods:
            require_word("a level of dates", period, LEVELS)
        for fine, coarse in pairwise(self.periods):
            if LEVELS.index(coarse) <= LEVELS.index(fine):
                raise ParameterError(f'"{coarse}" is not coarser than "{fine}"', hint=self.example())
        for name in ("read", "write"):
            if getattr(self, name) is not None:
                require_word(name, getattr(self, name), CALENDARS)

    @classmethod
    def example(cls) -> str:
        """Return a hint that shows how the rule is written."""
        return 'Hierarchy.dates("birth", levels=["month", "year", "decade"])'

    @property
    def height(self) -> int:
        """The number of levels below the top of the built hierarchy."""
        return len(self.periods) + 1

    def levels(self, values: Sequence[str], counts: IntArray) -> tuple[Sequence[int], Sequence[Coded]]:  # noqa: ARG002
        """Return the places of the dates, and the period of each on each level."""
        cut = [value[:10] if len(value) > 10 and value[10] in "T " else value for value in values]  # noqa: PLR2004
        texts = Coded.of(cut)  # without the time of day: there are far fewer days
        read = [read_date(text or "") for text in texts.values]
        roc = self.read == "roc" or any(day and day.roc and day.sure for day in read)
        if self.read is None and not roc and any(read) and not any(day and day.sure for day in read):
            problem = "years are short, as in 79-05-21, and their calendar is not known"
            raise HierarchyError(problem, where=self.where, hint='say read="roc" if it is 民國', figures={})
        read = [day if day and (day.sure or roc) and not (day.roc and self.read == "iso") else None for day in read]
        calendars = {day.roc for day in read if day}
        if len(calendars) > 1 and self.write is None:
            problem, hint = "the column has dates of both calendars", 'say write="iso" or write="roc"'
            raise HierarchyError(problem, where=self.where, hint=hint, figures={})
        as_roc = self.write == "roc" if self.write else True in calendars
        known = np.array([day is not None and not (as_roc and day.year <= BEFORE_ROC) for day in read], dtype=bool)
        days = texts.take(covered := np.flatnonzero(known[texts.codes])).trim()
        by_text = {text or "": day for text, day in zip(texts.values, read, strict=True) if day}
        return covered.tolist(), [
            generalise(days, partial(_write_period, by_text, period=period, roc=as_roc)) for period in self.periods
        ]


def _write_period(days: Mapping[str, Day], text: str, *, period: str, roc: bool) -> str:
    return write_period(days[text], period, roc=roc)


def write_period(day: Day, period: str, *, roc: bool) -> str:
    """Write the period of a date; if its month or day is unknown, the part that is known."""
    if period == "day" and not day.day:
        period = "month"
    if LEVELS.index(period) < LEVELS.index("year") and not day.month:
        period = "year"
    year = day.year - BEFORE_ROC * roc
    quarter, half = (day.month + 2) // 3, (day.month + 5) // 6
    if period in ("five years", "decade"):
        years = 5 if period == "five years" else 10
        first = year // years * years
        last = first + years - 1
        return f"民國{max(first, 1)}-{last}年" if roc else f"{first:04}-{last:04}"
    if roc:
        rest = {
            "day": f"{day.month}月{day.day}日",
            "month": f"{day.month}月",
            "quarter": f"第{quarter}季",
            "half-year": "上半年" if half == 1 else "下半年",
        }
        return f"民國{year}年{rest.get(period, '')}"
    rest = {
        "day": f"-{day.month:02}-{day.day:02}",
        "month": f"-{day.month:02}",
        "quarter": f"-Q{quarter}",
        "half-year": f"-H{half}",
    }
    return f"{year:04}{rest.get(period, '')}"
