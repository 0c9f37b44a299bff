"""Check that each row is one person: find columns whose repeated values show that people have several rows.

A column shows this in three cases. 1. It is a number of people, by its name or the form of its values, and values
repeat. 2. Another identifier repeats together with the date of birth, or with all quasi-identifiers. 3. Neighbouring
rows with the same value agree in other columns far more often than chance explains.

>>> chance = Fraction(1, 2)
>>> measure_agreement(9, 10, chance), measure_agreement(5, 10, chance)
(Fraction(4, 5), Fraction(0, 1))
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from PETWorks.inspection.suggestion import find_topic
from PETWorks.inspection.values import ColumnValues, convert_to_numpy, find_date_form
from PETWorks.tables.counting.margins import Margin
from PETWorks.tables.counting.tally import Coded, IntArray, Mask
from PETWorks.tables.counting.texts import Texts, find_cells, take_values
from PETWorks.tables.row_codes import number_rows

NUMBER, BIRTH, KNOWN, ACTS = "number", "with birth", "with quasi-identifiers", "acts"
NUMBER_TOPICS = ("national_id", "record_number")
PERSON_WORDS = (  # in the name of a serial number that is a person's
    *(
        "patient",
        "person",
        "subject",
        "member",
        "customer",
        "client",
        "employee",
        "staff",
        "student",
        "user",
        "citizen",
    ),
    *("病患", "病人", "個案", "個人", "學生", "學號", "員工", "會員", "客戶", "住民", "使用者"),
)
ID_FORM = r"^[A-Z][1289A-D]\d{8}$"
MOST_ROWS = 50  # a value that more rows have, on average, is not a person's
MIN_VALUES = 20  # of a column that acts like a number of people
LEAST_ROWS = Fraction(105, 100)  # rows for each of its values
MIN_PAIRS = 20  # of neighbouring rows
MAX_CHANCE = Fraction(4, 5)  # columns that agree more often by chance say nothing
LEAST_AGREEMENT, HIGH_AGREEMENT = Fraction(3, 5), Fraction(4, 5)


def find_likely_person(
    columns: Mapping[str, Coded], rows: int, identifiers: Sequence[str], quasi_identifiers: Sequence[str]
) -> str | None:
    """Return the column of a raw table that most likely names the person of each row; None if rows seem to be people.

    Of several, that of the most rows, and then the one with the fewest values.

    >>> numbers, sexes = [str(row // 3) for row in range(30)], ["f", "m"] * 15
    >>> table = {"patient no": Coded.of(numbers), "sex": Coded.of(sexes)}
    >>> find_likely_person(table, 30, [], ["sex"]), find_likely_person({"sex": table["sex"]}, 30, [], [])
    ('patient no', None)
    """
    found = RepeatFinder(columns, rows, "", identifiers, quasi_identifiers, ()).find()
    likely = {name: one for name, one in found.items() if one.by in (NUMBER, ACTS)}
    order = {name: (one.by != NUMBER, -one.rows, one.values) for name, one in likely.items()}
    return min(order, key=order.__getitem__, default=None)


class Repeats(NamedTuple):
    """A column that shows that several rows belong to one person."""

    by: str
    rows: int  # rows with a value
    values: int  # distinct values


@dataclass(frozen=True, eq=False)
class RepeatFinder:
    """The columns of a table with their roles, searched for people with several rows."""

    columns: Mapping[str, Coded]
    rows: int
    marker: str
    identifiers: Sequence[str]
    quasi_identifiers: Sequence[str]
    untouched: Sequence[str]  # columns that take no part: the weight, and the person
    person: IntArray | None = None  # which person each row belongs to, if somebody has said so

    def find(self) -> dict[str, Repeats]:
        """Return the columns that show that several rows belong to one person."""
        found = dict[str, Repeats]()
        for name in [name for name in self.columns if name not in (*self.untouched, *self.quasi_identifiers)]:
            repeats = self._judge(name)
            if repeats is not None:
                found[name] = repeats
        return found

    def _judge(self, name: str) -> Repeats | None:
        column = self.columns[name]
        cells = find_cells(column.values, self.marker)
        filled, distinct = int(cells[column.codes].sum()), int(cells.sum())
        if not distinct:
            return None
        if is_number_of_people(name, column, cells):
            excess = filled - distinct if self.person is None else self._count_shared(column, cells)
            many = _counts(excess, filled) and filled <= MOST_ROWS * distinct
            return Repeats(NUMBER, filled, distinct) if many else None
        if self.person is not None:
            return None
        if name in self.identifiers:
            by, companions = self._find_companions(name)
            excess = self._count_agreeing(column, cells, companions, must_be_filled=by == BIRTH)
            return Repeats(by, filled, distinct) if _counts(excess, filled) else None
        plausible = distinct >= MIN_VALUES and LEAST_ROWS * distinct <= filled <= MOST_ROWS * distinct
        if plausible and _counts(filled - distinct, filled) and self._acts_like_number(name, column, cells):
            return Repeats(ACTS, filled, distinct)
        return None

    def _count_shared(self, column: Coded, cells: Mask) -> int:
        """Return the number of distinct pairs of value and person, minus the number of distinct values."""
        assert self.person is not None  # noqa: S101
        filled = cells[column.codes]
        _, many = number_rows([column.take(filled), self._persons.take(filled)])
        return many - int(cells.sum())

    @property
    def _persons(self) -> Coded:
        assert self.person is not None  # noqa: S101
        return Coded(self.person, range(int(self.person.max(initial=-1)) + 1))  # type: ignore[arg-type]

    def _find_companions(self, name: str) -> tuple[str, list[str]]:
        births = [other for other, column in self.columns.items() if other != name and is_birth_date(other, column)]
        return (BIRTH, births) if births else (KNOWN, [one for one in self.quasi_identifiers if one in self.columns])

    def _count_agreeing(self, column: Coded, cells: Mask, companions: Sequence[str], *, must_be_filled: bool) -> int:
        """Return how many rows agree with an earlier row in a column and its companions."""
        filled = cells[column.codes]
        for name in companions if must_be_filled else ():
            other = self.columns[name]
            filled = filled & find_cells(other.values, self.marker)[other.codes]
        chosen = [column, *(self.columns[name] for name in companions)]
        _, many = number_rows([one.take(filled) for one in chosen], int(filled.sum()))
        return int(filled.sum()) - many

    def _acts_like_number(self, name: str, column: Coded, cells: Mask) -> bool:
        order = np.argsort(column.codes, kind="stable")
        order = order[cells[column.codes[order]]]
        same = column.codes[order[1:]] == column.codes[order[:-1]]
        first, second = order[:-1][same], order[1:][same]
        if len(first) < MIN_PAIRS:
            return False
        others = (one for other, one in self.columns.items() if other != name and other not in self.untouched)
        return hold_together(others, first, second, self.rows)


def hold_together(others: Iterable[Coded], first: IntArray, second: IntArray, rows: int) -> bool:
    """Return True if pairs of rows agree in two columns far beyond chance, and nearly always in one of them."""
    found = list[Fraction]()
    for one in others:
        sizes = np.bincount(one.codes).astype(object if rows > 2**31 else np.int64)
        chance = Fraction(int((sizes * sizes).sum()), rows * rows)
        if chance <= MAX_CHANCE:
            agree = int(np.count_nonzero(one.codes[first] == one.codes[second]))
            found.append(measure_agreement(agree, len(first), chance))
            best = sorted(found)[-2:]
            if len(best) == 2 and best[0] >= LEAST_AGREEMENT and best[1] >= HIGH_AGREEMENT:  # noqa: PLR2004
                return True
    return False


def measure_agreement(agree: int, pairs: int, chance: Fraction) -> Fraction:
    """Return Cohen's κ: agreement beyond chance as a share of the largest possible one."""
    return (Fraction(agree, pairs) - chance) / (1 - chance)


def _counts(excess: int, filled: int) -> bool:
    return excess >= 5 or 100 * excess > filled  # noqa: PLR2004


def is_number_of_people(name: str, column: Coded, cells: Mask) -> bool:
    """Return True if a column holds ID numbers of people, by its name or by the form of four fifths of its values."""
    from pyarrow import compute

    topic = find_topic(name)
    if topic and (topic.name in NUMBER_TOPICS or (topic.name in ("serial_number", "account") and _names_person(name))):
        return True
    texts = Texts.of(take_values(column.values, np.flatnonzero(cells)))
    found = convert_to_numpy(compute.match_substring_regex(texts.array, ID_FORM))
    return 5 * int(found.sum()) >= 4 * len(texts)


def _names_person(name: str) -> bool:
    return any(word in name.casefold() for word in PERSON_WORDS)


def is_birth_date(name: str, column: Coded) -> bool:
    """Return True if a column holds dates of birth."""
    if not (topic := find_topic(name)) or topic.name != "birth":
        return False
    cells = np.fromiter((value is not None for value in column.values), bool, len(column.values))
    return find_date_form(_list_texts(column, cells), compact=True) is not None


def _list_texts(column: Coded, cells: Mask) -> ColumnValues:
    texts = [str(column.values[code]) for code in np.flatnonzero(cells).tolist()]
    return ColumnValues.of(Margin(texts, np.ones(len(texts), dtype=np.int64)))
