"""Findings: what should be prepared in a raw table, each with the settings that would do so.

Nothing is changed by a finding. `settings` is what `prepare=` takes, or the table [prepare] of a policy.

>>> from PETWorks.tables.counting.margins import Margin
>>> import numpy as np
>>> fees = Margin(["1,200", "447元", "90"], np.array([3, 5, 8]))
>>> for one in find_findings({"fee": fees}):
...     print(one.kind, one.settings, one.cells, one.before, one.after)
numbers {'fee': {'number': True}} 8 3 3
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PETWorks.exact.limit import parse_number
from PETWorks.settings.preparing import DATE_FORMS, DateForm, RowsOfFile, read_preparation
from PETWorks.tables.counting.margins import Margin
from PETWorks.tables.counting.tally import Value, is_missing
from PETWorks.tables.mapped import UnreadableError
from PETWorks.tables.prepare import BLANK, ICD_10, PrepareMap, read_date, read_number, write_code, write_place

MOSTLY = 0.9  # the share of cells that must be dates, numbers or codes
MISSING_TEXTS = ("NA", "N/A", "n/a", "NULL", "null", "-", "--", ".", "?", "不詳", "未知", "無資料", "缺")
SEXES = {"男": ("男", "男性", "M", "m", "Male", "male", "1"), "女": ("女", "女性", "F", "f", "Female", "female", "2")}


@dataclass(frozen=True)
class PrepareFinding:
    """Something to prepare: the settings that accepting it writes, and their effect."""

    kind: str
    settings: Mapping[str, Any]  # of `prepare=`
    column: str | None = None  # None: it concerns rows
    cells: int = 0  # that would change
    before: int = 0  # different values
    after: int = 0
    doubtful: int = 0  # cells that could not be read, so that the step would be an error
    changes_meaning: bool = False  # True: it is to be decided by somebody who knows the table

    def to_dict(self) -> dict[str, Any]:
        """Return the finding as plain values for JSON."""
        return dict(vars(self))


def find_findings(margins: Mapping[str, Margin], rows: RowsOfFile | None = None) -> Iterator[PrepareFinding]:
    """Yield the findings on rows, then those on each column, in the order in which they would be applied."""
    if rows and rows.header_row > 1:
        yield PrepareFinding("header_row", {"header_row": rows.header_row}, cells=rows.header_row - 1)
    if rows and rows.skip_last:
        yield PrepareFinding("skip_last", {"skip_last": rows.skip_last}, cells=rows.skip_last)
    for name, margin in margins.items():
        if not margin.complete:
            continue
        counts = dict(zip(margin.values, margin.counts.tolist(), strict=True))
        yield from _find_in_column(name, {text: many for text, many in counts.items() if text and not is_missing(text)})


def _find_in_column(name: str, counts: Mapping[str, int]) -> Iterator[PrepareFinding]:
    texts = list(counts)
    if not texts:
        return
    missing = [text for text in MISSING_TEXTS if text in counts]
    if missing and len(texts) > len(missing):
        yield _measure(name, "missing", {"missing": missing}, counts, changes_meaning=True)
    known = {text: many for text, many in counts.items() if text not in missing}
    if any(unicodedata.east_asian_width(c) == "F" for text in texts for c in text if c not in "，。；：！？（）、"):
        yield _measure(name, "width", {"width": "half"}, counts)
    if any(BLANK.sub(" ", text) != text for text in texts):
        yield _measure(name, "trim", {"trim": True}, counts)
    if spellings := _find_spellings(known):
        yield _measure(name, "spellings", {"spellings": spellings}, counts, changes_meaning=True)
    if len({*map(write_place, texts)}) < len(texts):
        yield _measure(name, "variants", {"variants": "tw"}, counts)
    yield from _find_forms(name, counts, known, missing)


def _find_forms(
    name: str, counts: Mapping[str, int], known: Mapping[str, int], missing: Sequence[str]
) -> Iterator[PrepareFinding]:
    """Yield findings on columns whose codes, numbers or dates have several forms."""
    whole = sum(known.values())
    if whole and _share(known, _is_code) >= MOSTLY * whole and len({text[0].upper() for text in known}) > 1:
        if any(write_code(text) != text for text in known):
            yield _measure(name, "code", {"code": "ICD-10"}, counts)
    elif _share(known, lambda text: parse_number(text) is not None) == whole:
        dates = _find_dates(known, whole)
        if dates:
            yield _measure(name, "dates", dates, counts, missing)
    elif _share(known, lambda text: read_number(text) is not None) >= MOSTLY * whole:
        yield _measure(name, "numbers", {"number": True}, counts, missing)
    elif dates := _find_dates(known, whole):
        yield _measure(name, "dates", dates, counts, missing)


def _is_code(text: str) -> bool:
    return ICD_10.fullmatch(write_code(text).replace(".", "")) is not None


def _share(counts: Mapping[str, int], fits: Callable[[str], bool]) -> int:
    return sum(many for text, many in counts.items() if fits(text))


def _find_spellings(counts: Mapping[str, int]) -> dict[str, list[str]]:
    """Return the spellings of the sexes, if a column has nothing else and a sex has several spellings."""
    of = {text: name for name, texts in SEXES.items() for text in texts}
    if not all(text in of for text in counts) or len(counts) <= len({of[text] for text in counts}):
        return {}
    return {name: [text for text in texts if text in counts and text != name] for name, texts in SEXES.items()}


def _find_dates(counts: Mapping[str, int], total: int) -> dict[str, Any]:
    """Return how the dates of a column are read, if most of its cells are dates and some are not in ISO 8601."""
    iso: tuple[DateForm, ...] = ("iso",)
    if all(read_date(text, iso, None, None) == text for text in counts):
        return {}
    for years in (None, "roc"):
        read = _share(counts, lambda text, years=years: read_date(text, DATE_FORMS, years, None) is not None)  # type: ignore[misc]
        if read >= MOSTLY * total > 0:
            if all(text.isdecimal() for text in counts) and not _are_days(counts):
                return {}
            return {"date": "any", **({"short_years": years} if years else {})}
    return {}


def _are_days(counts: Mapping[str, int]) -> bool:
    """Return True if eight-digit numbers are plausible dates of a lifetime."""
    years = [int((read_date(text, DATE_FORMS, "roc", None) or "0")[:4]) for text in counts]
    return len(years) > 1 and all(1900 <= year <= 2100 for year in years)  # noqa: PLR2004


def _measure(
    name: str,
    kind: str,
    settings: Mapping[str, Any],
    counts: Mapping[str, int],
    missing: Sequence[str] = (),
    *,
    changes_meaning: bool = False,
) -> PrepareFinding:
    """Return a finding with its effect on the values of the column."""
    given = {name: {**settings, **({"missing": list(missing)} if missing else {})}}
    step, cells, doubtful = PrepareMap(name, read_preparation(given).columns[name]), 0, 0
    after: set[Value] = set()
    for text, many in counts.items():
        try:
            found = step.convert((text,))
        except UnreadableError:
            found = text
            doubtful += many
        cells += many if found != text else 0
        after |= {found} - {None}
    changes_meaning |= doubtful > 0 or bool(missing)  # which texts are missing values is for somebody to say
    return PrepareFinding(kind, given, name, cells, len(counts), len(after), doubtful, changes_meaning)


def join_settings(findings: Sequence[PrepareFinding]) -> dict[str, Any]:
    """Return the settings of several findings as one table."""
    joined: dict[str, Any] = {}
    for one in findings:
        for key, value in one.settings.items():
            joined[key] = {**joined[key], **value} if isinstance(value, Mapping) and key in joined else value
    return joined
