"""Prepare a raw table: correct its cells, distinct value by distinct value, and derive columns from others.

>>> from PETWorks.settings.preparing import DATE_FORMS
>>> texts = ("0800405", "80/4/5", "民國80年4月5日", "1991.4.5", "1991-04-05T08:30", "1991/13/05")
>>> [read_date(text, DATE_FORMS, "roc", None) for text in texts]
['1991-04-05', '1991-04-05', '1991-04-05', '1991-04-05', '1991-04-05T08:30', None]
>>> read_date("01/02/2020", DATE_FORMS, None, None), read_date("01/02/2020", DATE_FORMS, None, "dmy")
(None, '2020-02-01')
>>> [read_number(text) for text in ("1,200", "447元", "NT$ 500", "1,20", "3k", "-5.50")]
[('1200', ''), ('447', '元'), ('500', 'NT$'), None, None, ('-5.50', '')]
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from hashlib import blake2b
from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np

from PETWorks.errors import ParameterError, SourceError, list_quoted
from PETWorks.exact.limit import NUMBER
from PETWorks.settings.preparing import ColumnPreparation, DateForm, DateOrder, Derivation, Preparation, ShortYears
from PETWorks.tables.counting.count import Batch
from PETWorks.tables.counting.tally import IntArray, Mask, Value, is_missing
from PETWorks.tables.counting.texts import integer_array
from PETWorks.tables.mapped import ColumnMap, MappedSource, UnreadableError, find_distinct_cells
from PETWorks.tables.source import TableSource

if TYPE_CHECKING:
    import pyarrow as pa

    from PETWorks.tables.formats.delimited import DelimitedSource, Runs, SplitRows

T = TypeVar("T")
BLANK = re.compile(r"\s+")
WIDE = "F"  # the width of full-width letters, digits and signs
TAI = re.compile("台(?=北|中|南|東|灣|西)")
OLDER = {"臺北縣": "新北市", "臺中縣": "臺中市", "臺南縣": "臺南市", "高雄縣": "高雄市", "桃園縣": "桃園市"}
ICD_10 = re.compile(r"[A-Z][0-9][0-9A-Z](?:[0-9A-Z]{1,4})?")
DATE_PARTS = re.compile(
    r"(?P<roc>民國)?(?P<a>[0-9]{1,4})(?P<mark>[-/.年])(?P<b>[0-9]{1,2})(?P<mark2>[-/.月])(?P<c>[0-9]{1,4})日?"
    r"(?P<rest>[T ][0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?)?"
)
DIGITS = re.compile(r"(?P<y>[0-9]{2,4})(?P<m>[0-9]{2})(?P<d>[0-9]{2})")
FORM_OF: Mapping[str, DateForm] = {"-": "iso", "/": "slashes", ".": "dots", "年": "roc"}
ROC_BEGINS = 1911  # the year before the first of the Republic of China
LONGEST_SHORT = 3  # digits of a year of the Republic of China
PIVOT = 69  # western years of two digits from this one on are of the 20th century, as in POSIX
UNIT_BEFORE = ("NT$", "NTD", "TWD", "US$", "USD", "EUR", "JPY", "$", "€", "£", "¥")
UNIT_AFTER = ("元整", "元", "圓", "塊", "歲", "人", "次", "天", "日", "公斤", "公分", "kg", "cm")
GROUPED = re.compile(r"([+-]?)([0-9]{1,3}(?:,[0-9]{3})+)(\.[0-9]+)?")


def prepare_source(
    source: TableSource, prepare: Preparation, derive: Mapping[str, Derivation], person: str | None
) -> TableSource:
    """Return the table as it is measured: prepared cells, and derived columns."""
    if prepare.rows.drop_duplicates:
        source = DistinctRows(source)
    columns = {name: prepare.columns.get(name, ColumnPreparation(trim=prepare.trim)) for name in source.columns}
    source.require([*prepare.columns], "prepare", source.columns)
    for name, one in prepare.columns.items():
        source.require([one.not_after] if one.not_after else [], f"prepare {name}", source.columns)
    maps: dict[str, ColumnMap | str] = {
        name: PrepareMap(name, one) if one.changes != ColumnPreparation() else name for name, one in columns.items()
    }
    if any(one != name for name, one in maps.items()):
        source = MappedSource(source, maps)
    if filled := [name for name, one in columns.items() if one.fill_from_person]:
        if person is None:
            problem = "a cell is filled from other rows of its person, but no column names the persons"
            raise ParameterError(problem, where=f"[prepare.{filled[0]}]", hint="name it in person=")
        source.require([person], "the persons", source.columns)
        fills: dict[str, ColumnMap | str] = {name: name for name in source.columns}
        fills |= {name: FillMap(source, name, person) for name in filled if name != person}
        source = MappedSource(source, fills)
    return MappedSource(source, dict(_derive(source, derive, person))) if derive else source


class DistinctRows(MappedSource):
    """The rows of another source without duplicates: rows that equal an earlier one in every column."""

    def __init__(self, base: TableSource) -> None:
        super().__init__(base, {name: name for name in base.columns})
        self._first: Mask | None = None  # True for rows that are the first of their kind

    @property
    def first(self) -> Mask:
        """True for each row that is the first of its kind; found in a pass over the rows."""
        if self._first is None:
            keys = [_digest_rows(batch) for batch in self.base.batches(self.base.columns)]
            whole = np.concatenate(keys) if keys else np.zeros(0, dtype=DIGEST)
            self._first = np.zeros(len(whole), dtype=bool)
            self._first[np.unique(whole, return_index=True)[1]] = True
        return self._first

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Return the retained rows."""
        for (batch, _), rows in self._select((batch, None) for batch in self.base.batches(columns)):
            yield [column.take(rows) for column in batch]

    def read_typed(self, coded: Sequence[str], kept: Sequence[str]) -> Iterator[tuple[Batch, list[pa.Array]]]:
        """Return the retained rows."""
        for (batch, cells), rows in self._select(self.base.read_typed(coded, kept)):
            yield [column.take(rows) for column in batch], [column.take(integer_array(rows)) for column in cells]

    def read_split_rows(self, columns: Sequence[str], runs: Runs) -> Iterator[tuple[Batch, SplitRows | None]]:
        """Return the retained rows, with runs of columns as written."""
        base = cast("DelimitedSource | MappedSource", self.base)
        for (batch, cut), rows in self._select(base.read_split_rows(columns, runs)):
            yield [column.take(rows) for column in batch], cut and cut._replace(places=cut.places[rows])

    def _select(self, batches: Iterable[tuple[Batch, T]]) -> Iterator[tuple[tuple[Batch, T], IntArray]]:
        """Yield each batch with the indices of the retained rows."""
        first, start = self.first, 0
        for batch, others in batches:
            rows = np.flatnonzero(first[start : start + batch[0].size])
            start += batch[0].size
            yield (batch, others), rows


def count_repeated_rows(source: TableSource) -> int:
    """Return the number of duplicate rows that are left out."""
    while isinstance(source, MappedSource):
        if isinstance(source, DistinctRows):
            return int((~source.first).sum())
        source = source.base
    return 0


DIGEST = np.dtype("V16")


def _digest_rows(batch: Batch) -> np.ndarray:
    """Return a 128-bit digest of each row, equal for equal rows, and practically never for different ones."""
    halves = np.zeros((batch[0].size, 2), dtype=np.uint64)
    for column in batch:
        texts = [b"\0" if value is None else b"\1" + value.encode() for value in column.values]
        digests = b"".join(blake2b(text, digest_size=16).digest() for text in texts)
        own = np.frombuffer(digests, dtype=np.uint64).reshape(-1, 2)[column.codes]
        halves = (halves * np.uint64(0x9E3779B97F4A7C15)) ^ (halves >> np.uint64(29)) ^ own
    return np.ascontiguousarray(halves).view(DIGEST).ravel()


class PrepareMap(ColumnMap):
    """The cells of one column, prepared step by step."""

    def __init__(self, column: str, settings: ColumnPreparation) -> None:
        super().__init__(column)
        self._settings = settings
        self.forgiving = settings.otherwise == "missing"
        self._units: set[str] = set()
        self.expected = "numbers" if settings.number else "dates that can be read in one way only"
        self.hint = (
            'correct them in the file, or write otherwise = "missing"'
            if settings.number
            else 'state short_years or order, or write otherwise = "missing"'
        )

    def convert(self, cells: tuple[Value, ...]) -> Value:
        """Return the prepared cell."""
        (text,) = cells
        if text is None or is_missing(text):
            return text
        settings = self._settings
        text = clean_text(text, settings)
        if not text or text in settings.missing:
            return None
        text = settings.spellings.get(text, text)
        if settings.variants:
            text = write_place(text)
        if settings.code:
            text = write_code(text)
        if settings.date:
            if (read := read_date(text, settings.date, settings.short_years, settings.order)) is None:
                raise UnreadableError
            return read
        if settings.number:
            if (number := read_number(text)) is None:
                raise UnreadableError
            self._units |= {number[1]} - {""}
            return number[0]
        return text

    def finish(self) -> None:
        """Raise an error if numbers have several units: they cannot be compared."""
        if len(kinds := {UNIFIED.get(unit, unit) for unit in self._units}) > 1:
            problem = f"numbers with different units cannot be compared: {list_quoted(sorted(kinds))}"
            raise SourceError(problem, where=self.reads[0], hint="convert them to one unit in the file")


UNIFIED = dict.fromkeys(("NT$", "NTD", "TWD", "元整", "元", "圓", "塊", "$"), "NT$")


def clean_text(text: str, settings: ColumnPreparation) -> str:
    """Return a cell with single blanks and half-width characters, if the settings ask for it."""
    if settings.width:
        text = "".join(unicodedata.normalize("NFKC", c) if unicodedata.east_asian_width(c) == WIDE else c for c in text)
    return BLANK.sub(" ", text).strip() if settings.trim else text.strip()


def write_place(text: str) -> str:
    """Return the name of a place with 臺, and a county under its present name.

    >>> write_place("台北市大安區"), write_place("台東縣"), write_place("高雄縣鳳山市"), write_place("舞台區")
    ('臺北市大安區', '臺東縣', '高雄市鳳山市', '舞台區')
    """
    text = TAI.sub("臺", text)
    return next((new + text.removeprefix(old) for old, new in OLDER.items() if text.startswith(old)), text)


def write_code(text: str) -> str:
    """Return an ICD-10 code in upper case with its dot; other text unchanged.

    >>> write_code("e119"), write_code("E 11.9"), write_code("i10"), write_code("unknown")
    ('E11.9', 'E11.9', 'I10', 'unknown')
    """
    plain = BLANK.sub("", text).upper().replace(".", "")
    if not ICD_10.fullmatch(plain):
        return text
    return plain if len(plain) == 3 else f"{plain[:3]}.{plain[3:]}"  # noqa: PLR2004 (the category)


def read_number(text: str) -> tuple[str, str] | None:
    """Return a number without thousands separators, and its unit; None if the text is no number."""
    text = unicodedata.normalize("NFKC", text).strip()
    unit = next((one for one in UNIT_BEFORE if text.upper().startswith(one)), "")
    text = text[len(unit) :].strip()
    if not unit and (unit := next((one for one in UNIT_AFTER if text.casefold().endswith(one.casefold())), "")):
        text = text[: -len(unit)].strip()
    if grouped := GROUPED.fullmatch(text):
        text = f"{grouped[1]}{grouped[2].replace(',', '')}{grouped[3] or ''}"
    return (text, unit) if NUMBER.fullmatch(text) else None


def read_date(
    text: str, forms: Collection[DateForm], short_years: ShortYears | None, order: DateOrder | None
) -> str | None:
    """Return a date in ISO 8601; None if the text is no date, or can be read in two ways."""
    text = unicodedata.normalize("NFKC", text).strip()
    if found := DIGITS.fullmatch(text):
        if "digits" not in forms or order not in (None, "ymd"):
            return None
        own = short_years or ("roc" if len(found["y"]) == LONGEST_SHORT else None)
        return _write_date(_read_year(found["y"], own), found["m"], found["d"])
    if (found := DATE_PARTS.fullmatch(BLANK.sub(" ", text))) is None or FORM_OF[found["mark"]] not in forms:
        return None
    a, b, c, rest = found.group("a", "b", "c", "rest")
    if found["mark2"] != ("月" if found["mark"] == "年" else found["mark"]):
        return None
    if found["roc"] or found["mark"] == "年" or len(a) > 2:  # noqa: PLR2004 (the year stands first)
        read = {_write_date(_read_year(a, "roc" if found["roc"] else short_years), b, c)}
    else:
        readings = {"ymd": (a, b, c), "dmy": (c, b, a), "mdy": (c, a, b)}
        orders = [order] if order else [one for one in readings if one != "ymd" or len(c) <= 2]  # noqa: PLR2004
        read = {_write_date(_read_year(readings[one][0], short_years), *readings[one][1:]) for one in orders}
    read.discard(None)
    if len(read) != 1:
        return None
    rest = f"T{rest[1:].zfill(len('00:00'))}" if rest else ""
    return f"{read.pop()}{rest}"


def _read_year(digits: str, short_years: ShortYears | None) -> int | None:
    """Return a year; None for a short year of an unknown calendar."""
    year = int(digits)
    if short_years == "roc" and len(digits) <= LONGEST_SHORT:
        return ROC_BEGINS + year if year else None
    if len(digits) == 4:  # noqa: PLR2004
        return year
    if short_years == "western" and len(digits) == 2:  # noqa: PLR2004
        return year + (1900 if year >= PIVOT else 2000)
    return None


def _write_date(year: int | None, month: str, day: str) -> str | None:
    try:
        return None if year is None or max(len(month), len(day)) > 2 else date(year, int(month), int(day)).isoformat()  # noqa: PLR2004
    except ValueError:
        return None


class FillMap(ColumnMap):
    """Replaces a missing cell by the value that all other rows of its person have; rows without a person stay."""

    def __init__(self, source: TableSource, column: str, person: str) -> None:
        super().__init__(column, person)
        self._source = source
        self._known: dict[Value, Value] | None = None

    def convert(self, cells: tuple[Value, ...]) -> Value:
        """Return the cell; if it is missing, the value of its person."""
        value, person = cells
        if value is not None or person is None:
            return value
        if self._known is None:
            self._known = self._find_values()
        return self._known.get(person)

    def _find_values(self) -> dict[Value, Value]:
        """Return the value of each person whose rows have exactly one; None for others."""
        known: dict[Value, Value] = {}
        for batch in self._source.batches(self.reads):
            for value, person in find_distinct_cells(batch)[1]:
                if value is not None:
                    known[person] = value if known.get(person, value) == value else None
        return self._keep_single(known)

    def _keep_single(self, known: dict[Value, Value]) -> dict[Value, Value]:
        several = {person for person, value in known.items() if value is None}
        return {person: value for person, value in known.items() if person not in several}


def _derive(
    source: TableSource, derive: Mapping[str, Derivation], person: str | None
) -> Iterator[tuple[str, ColumnMap | str]]:
    """Yield the columns of a table, then the derived columns."""
    yield from ((name, name) for name in source.columns)
    for name, one in derive.items():
        where = f"[derive.{name}]"
        if name in source.columns:
            raise ParameterError(f'there is a column "{name}" already', where=where, hint="choose another name")
        columns = [column for column in one.sources if column != one.fixed_date]
        if one.kind == "days" and one.to == "first":
            if person is None:
                problem = "days since the first date of a person need a column that names the persons"
                raise ParameterError(problem, where=where, hint="name it in person=, or state a date in since")
            columns = [one.of, person]
        source.require(columns, f"derive {name}", source.columns)
        yield name, _build_derivation(source, one, columns)


def _build_derivation(source: TableSource, one: Derivation, columns: Sequence[str]) -> ColumnMap:
    if one.kind == "place":
        return DerivedMap(join_place, "", *columns)
    if one.kind == "part":
        return DerivedMap(PARTS[one.to], f"dates with {'a time' if one.to == 'hour' else 'a day'}", *columns)
    if one.kind == "days" and one.to == "first":
        return FirstDayMap(source, *columns)
    count = count_years if one.kind == "years" else count_days
    expected = "dates in the form 2026-03-14" + (", the second not before the first" if one.kind == "years" else "")
    return DerivedMap(count, expected, *columns, fixed=one.fixed_date)


class DerivedMap(ColumnMap):
    """A column computed by a function from cells; the result is missing if one of them is."""

    hint = 'prepare its sources, for example with date = "any"'

    def __init__(
        self, compute: Callable[..., str | None], expected: str, *reads: str, fixed: str | None = None
    ) -> None:
        super().__init__(*reads)
        self._compute, self.expected, self._fixed = compute, f"computed from {expected}", fixed

    def convert(self, cells: tuple[Value, ...]) -> Value:
        """Return the derived cell; missing if one of its sources is missing."""
        if any(is_missing(cell) for cell in cells):
            return None
        try:
            found = self._compute(*cells, *([self._fixed] if self._fixed else []))
        except ValueError as error:
            raise UnreadableError from error
        if found is None:
            raise UnreadableError
        return found


def read_day(text: str) -> date:
    """Return the day of a date in ISO 8601, with or without a time; raise a ValueError for another text."""
    return date.fromisoformat(text[:10]) if text[10:11] in ("", "T", " ") else date.fromisoformat(text)


def count_years(born: str, at: str) -> str | None:
    """Return the completed years between two dates; None if the second is before the first.

    >>> count_years("2000-02-29", "2021-02-28"), count_years("2000-02-29", "2021-03-01")
    ('20', '21')
    """
    first, last = read_day(born), read_day(at)
    if last < first:
        return None
    return str(last.year - first.year - ((last.month, last.day) < (first.month, first.day)))


def count_days(at: str, since: str) -> str:
    """Return the days from the second date to the first.

    >>> count_days("2026-03-01", "2026-02-27"), count_days("2026-02-27", "2026-03-01")
    ('2', '-2')
    """
    return str((read_day(at) - read_day(since)).days)


def join_place(county: str, township: str) -> str:
    """Return county and township as one place: several counties may have a township of this name."""
    return township if township.startswith(county) else county + township


def _read_hour(text: str) -> str | None:
    return str(datetime.fromisoformat(text).hour) if read_day(text) and len(text) > len("2026-03-14") else None


PARTS: Mapping[str, Callable[[str], str | None]] = {
    "weekday": lambda text: str(read_day(text).isoweekday()),
    "month": lambda text: str(read_day(text).month),
    "year": lambda text: str(read_day(text).year),
    "hour": _read_hour,
}


class FirstDayMap(DerivedMap):
    """The number of days since the first date of the person."""

    def __init__(self, source: TableSource, column: str, person: str) -> None:
        super().__init__(count_days, "dates in the form 2026-03-14, of a person", column, person)
        self._source = source
        self._first: dict[Value, str] | None = None

    def convert(self, cells: tuple[Value, ...]) -> Value:
        """Return the number of days since the person's first date."""
        value, person = cells
        if is_missing(value) or value is None:
            return None
        if is_missing(person):
            raise UnreadableError
        try:
            if self._first is None:
                self._first = self._find_first()
            return count_days(value, self._first[person])
        except (ValueError, KeyError) as error:
            raise UnreadableError from error

    def _find_first(self) -> dict[Value, str]:
        first: dict[Value, str] = {}
        for batch in self._source.batches(self.reads):
            for value, person in find_distinct_cells(batch)[1]:
                try:
                    day = read_day(value or "").isoformat()
                except ValueError:
                    continue
                first[person] = min(day, first.get(person, day))
        return first
