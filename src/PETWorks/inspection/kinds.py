"""The kind of a column: what its values look like, whatever they mean."""

from __future__ import annotations

from enum import StrEnum

from PETWorks.inspection.values import Values

MOST = 0.95  # the share of people whose values must have a form
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
PADDED = r"^0\d{2,}$"  # a number would not be written like this, but an age, perhaps, like 05
CODE = r"^[A-Za-z]*[-./_:#]?[0-9][A-Za-z0-9]*(?:[-./_:#][A-Za-z0-9]+)*$|^[0-9A-Fa-f-]{16,}$"
BOTH = 2
PAIRS = ("yes no", "y n", "true false", "t f", "是 否", "有 無", "有 沒有", "0 1")


class Kind(StrEnum):
    """What the values of a column look like."""

    NUMBER = "number"
    DATE = "date"
    CODE = "code"
    TEXT = "text"
    YES_NO = "yes/no"


def kind_of(values: Values) -> Kind:
    """Return the kind that nearly all values of a column have."""
    if values.distinct == BOTH and any({*map(str.casefold, values.texts)} == {*pair.split()} for pair in PAIRS):
        return Kind.YES_NO
    if date_form(values):
        return Kind.DATE
    if values.have(NUMBER) >= MOST:
        return Kind.CODE if values.matching(PADDED).any() else Kind.NUMBER
    return Kind.CODE if values.have(CODE) >= MOST else Kind.TEXT


def date_form(values: Values, *, compact: bool = False) -> tuple[str, float] | None:
    """Return the form in which dates are written, and the share of people who have one; None if they are no dates.

    With `compact`, eight digits are a date, too; or six or seven, of a year of the Republic of China.
    """
    forms = [*DATES.items(), *(COMPACT.items() if compact else ())]
    return next(((name, share) for name, form in forms if (share := values.have(form)) >= MOST), None)
