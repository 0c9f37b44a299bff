"""How a raw table is prepared before anything is measured, and which columns are derived from others.

>>> one = read_preparation({"header_row": 3, "sex": {"spellings": {"M": ["1", "male"]}}})
>>> one.rows.header_row, one.columns["sex"].spellings
(3, {'1': 'M', 'male': 'M'})
>>> read_derivation({"part": {"of": "visit", "keep": "year"}}, "year")
Derivation(kind='part', of='visit', to='year')
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, ClassVar, Literal, get_args

from PETWorks.errors import ParameterError, UnknownNameError, did_you_mean, show_value

ShortYears = Literal["roc", "western"]
DateOrder = Literal["ymd", "dmy", "mdy"]
DateForm = Literal["iso", "roc", "slashes", "dots", "digits"]
Part = Literal["weekday", "month", "year", "hour"]
DATE_FORMS: tuple[DateForm, ...] = get_args(DateForm)
CODES = ("ICD-10",)
CHECKS = ("tw-id", "tw-business-number", "iban", "card")  # forms of numbers that have a check digit


@dataclass(frozen=True)
class RowsOfFile:
    """The rows of a file that are the table."""

    header_row: int = 1  # the row that names the columns, from 1; rows above are left out
    names: tuple[str, ...] = ()  # the names of the columns, of a file without a header
    skip_last: int = 0  # rows at the end that are no data
    drop_duplicates: bool = False  # rows that are the same as one before are left out


@dataclass(frozen=True)
class ColumnPreparation:
    """The steps that prepare the cells of a raw column, in the order of the fields."""

    trim: bool = False  # blanks within a cell become one
    width: bool = False  # full-width letters, digits and signs become half-width
    missing: Collection[str] = ()  # texts that stand for a missing value
    spellings: Mapping[str, str] = field(default_factory=dict)  # a text, and what it should have been
    variants: bool = False  # names of places in Taiwan are written with 臺
    code: str = ""
    date: tuple[DateForm, ...] = ()
    short_years: ShortYears | None = None
    order: DateOrder | None = None
    number: bool = False
    fill_from_person: bool = False  # a missing cell takes the value of all other rows of the person
    otherwise: Literal["error", "missing"] = "error"
    check: str = ""  # cells that are no such numbers, or have a wrong check digit, are counted; none is changed
    not_after: str = ""  # dates later than in this column are counted; none is changed

    @property
    def changes(self) -> ColumnPreparation:
        """What is done to the cells by themselves."""
        return replace(self, fill_from_person=False, check="", not_after="")


@dataclass(frozen=True)
class Preparation:
    """The preparation of a raw table."""

    rows: RowsOfFile = RowsOfFile()
    columns: Mapping[str, ColumnPreparation] = field(default_factory=dict)
    trim: bool = False  # of all columns
    given: Mapping[str, Any] = field(default_factory=dict, compare=False)  # as it was passed

    def __bool__(self) -> bool:
        """Return True if any step is set."""
        return bool(self.columns) or self.trim or self.rows != RowsOfFile()


@dataclass(frozen=True)
class Derivation:
    """A column that is computed from others: `of` is its source, `to` the second operand."""

    kind: Literal["years", "days", "place", "part"]
    of: str
    to: str  # a column, a date, "first" or a part

    @property
    def sources(self) -> tuple[str, ...]:
        """The columns that may be sources; one of them may be a keyword instead."""
        return (self.of,) if self.kind == "part" else (self.of, self.to)

    @property
    def fixed_date(self) -> str | None:
        """The date in `to`; None if it is a column or a keyword."""
        return self.to if self.kind in ("years", "days") and _is_date(self.to) else None

    def plain(self) -> dict[str, Any]:
        """Return the derivation as a table of a policy."""
        names = FIELDS[self.kind]
        return {self.kind: dict(zip(names, (self.of, self.to), strict=True))}


FIELDS = {
    "years": ("from", "at"),
    "days": ("from", "since"),
    "place": ("county", "township"),
    "part": ("of", "keep"),
}
OF_ROWS = ("header_row", "names", "skip_last", "duplicates")
OF_ALL = ("trim", "short_years")
OF_COLUMN = (
    *("trim", "width", "missing", "spellings", "variants", "code", "date", "short_years", "order", "number"),
    *("fill_from_person", "otherwise", "check", "not_after"),
)


def read_preparation(given: Any) -> Preparation:  # noqa: ANN401
    """Return the preparation from the table [prepare] of a policy."""
    if isinstance(given, Preparation):
        return given
    if not isinstance(given, Mapping):
        hint = 'pass prepare={"header_row": 3, "fee": {"number": True}}'
        raise ParameterError(f"prepare must be a table, not {show_value(given)}", hint=hint)
    tables = {name: one for name, one in given.items() if isinstance(one, Mapping)}
    others = {name: one for name, one in given.items() if name not in tables}
    if unknown := [name for name in others if name not in (*OF_ROWS, *OF_ALL)]:
        hint = f"{did_you_mean(unknown[0], (*OF_ROWS, *OF_ALL))}; what is done to a column stands in [prepare.<column>]"
        raise UnknownNameError(f'unknown key "{unknown[0]}"', where="[prepare]", hint=hint)
    trim, short_years = _read_flag(others, "trim"), _read_word(others, "short_years", get_args(ShortYears))
    columns = {}
    for name, one in tables.items():
        try:
            columns[name.strip()] = _read_column(one, trim=trim, short_years=short_years)
        except (ParameterError, UnknownNameError) as error:
            error.where = f"[prepare.{name}]"
            raise
    return Preparation(_read_rows(others), columns, trim, dict(given))


def _read_rows(given: Mapping[str, Any]) -> RowsOfFile:
    header_row, skip_last = given.get("header_row", 1), given.get("skip_last", 0)
    for name, one, least in (("header_row", header_row, 1), ("skip_last", skip_last, 0)):
        if type(one) is not int or one < least:
            problem = f"{name} must be a whole number from {least}, not {show_value(one)}"
            raise ParameterError(problem, where="[prepare]")
    names = given.get("names", ())
    if not isinstance(names, list | tuple) or not all(isinstance(one, str) and one.strip() for one in names):
        raise ParameterError(f"names must be a list of names, not {show_value(names)}", where="[prepare]")
    if names and "header_row" in given:
        hint = "leave out names, or header_row"
        raise ParameterError("names and header_row exclude each other", where="[prepare]", hint=hint)
    _read_word(given, "duplicates", ("remove",))
    return RowsOfFile(header_row, tuple(one.strip() for one in names), skip_last, "duplicates" in given)


def _read_column(given: Mapping[str, Any], *, trim: bool, short_years: Any) -> ColumnPreparation:  # noqa: ANN401
    if unknown := [name for name in given if name not in OF_COLUMN]:
        raise UnknownNameError(f'unknown key "{unknown[0]}"', hint=did_you_mean(unknown[0], OF_COLUMN))
    date_forms = _read_dates(given.get("date", ()))
    if not date_forms and (lone := [name for name in ("short_years", "order") if name in given]):
        raise ParameterError(f"{lone[0]} is for dates", hint='write date = "any" beside it')
    if date_forms and _read_flag(given, "number"):
        raise ParameterError("a column has dates or numbers, not both", hint="leave out date or number")
    if given.get("otherwise") and not date_forms and not given.get("number"):
        raise ParameterError("otherwise has an effect only beside date or number", hint="leave it out")
    return ColumnPreparation(
        trim=trim or _read_flag(given, "trim"),
        width=_read_word(given, "width", ("half",)) is not None,
        missing=tuple(_read_texts(given.get("missing", ()), "missing")),
        spellings=_read_spellings(given.get("spellings", {})),
        variants=_read_word(given, "variants", ("tw",)) is not None,
        code=_read_word(given, "code", CODES) or "",
        date=date_forms,
        short_years=_read_word(given, "short_years", get_args(ShortYears)) or (short_years if date_forms else None),
        order=_read_word(given, "order", get_args(DateOrder)),
        number=_read_flag(given, "number"),
        fill_from_person=_read_flag(given, "fill_from_person"),
        otherwise=_read_word(given, "otherwise", ("error", "missing")) or "error",
        check=_read_word(given, "check", CHECKS) or "",
        not_after=_read_name(given, "not_after"),
    )


def _read_name(given: Mapping[str, Any], name: str) -> str:
    one = given.get(name, "")
    if not isinstance(one, str) or (name in given and not one.strip()):
        raise ParameterError(f"{name} must be the name of a column, not {show_value(one)}")
    return one.strip()


def _read_flag(given: Mapping[str, Any], name: str) -> bool:
    if not isinstance(one := given.get(name, False), bool):
        raise ParameterError(f"{name} must be true or false, not {show_value(one)}")
    return one


def _read_word(given: Mapping[str, Any], name: str, words: Collection[str]) -> Any:  # noqa: ANN401 (one of the words)
    if name not in given:
        return None
    if (one := given[name]) not in words:
        raise ParameterError(f"{name} cannot be {show_value(one)}", hint=did_you_mean(str(one), words))
    return one


def _read_texts(given: Any, name: str) -> list[str]:  # noqa: ANN401
    if not isinstance(given, list | tuple) or not all(isinstance(one, str) for one in given):
        raise ParameterError(f"{name} must be a list of texts, not {show_value(given)}", hint=f'write {name} = ["-"]')
    return [one.strip() for one in given]


def _read_spellings(given: Any) -> dict[str, str]:  # noqa: ANN401
    if not isinstance(given, Mapping):
        hint = 'write spellings = { "男" = ["M", "1"], "女" = ["F", "2"] }'
        raise ParameterError(f"spellings must be a table, not {show_value(given)}", hint=hint)
    found: dict[str, str] = {}
    for name, texts in given.items():
        for text in _read_texts(texts, f"spellings of {name}"):
            if found.get(text, name) != name or (text != name and text in given):
                hint = "keep it in one list only, and let no list have the name of another"
                raise ParameterError(f'spellings names "{text}" twice', hint=hint)
            found[text] = name.strip()
    return found


def _read_dates(given: Any) -> tuple[DateForm, ...]:  # noqa: ANN401
    if given == "any":
        return DATE_FORMS
    listed = [given] if isinstance(given, str) else given
    if not isinstance(listed, list | tuple) or not all(one in DATE_FORMS for one in listed):
        hint = f'write date = "any", or a list of {", ".join(DATE_FORMS)}'
        raise ParameterError(f"date cannot be {show_value(given)}", hint=hint)
    return tuple(listed)


def read_derivation(given: Any, column: str) -> Derivation:  # noqa: ANN401
    """Return the derivation of a column from the table [derive.<column>] of a policy."""
    if isinstance(given, Derivation):
        return given
    where = f"[derive.{column}]"
    if not isinstance(given, Mapping) or len(given) != 1 or next(iter(given)) not in FIELDS:
        problem = f"a derived column needs exactly one of: {', '.join(FIELDS)}"
        raise ParameterError(problem, where=where, hint='write for example years = { from = "birth", at = "visit" }')
    ((kind, settings),) = given.items()
    names = FIELDS[kind]
    if not isinstance(settings, Mapping) or {*settings} != {*names}:
        hint = f"write {kind} = {{ {names[0]} = …, {names[1]} = … }}"
        raise ParameterError(f"{kind} needs {names[0]} and {names[1]}, and nothing else", where=where, hint=hint)
    of, to = (settings[name].isoformat() if isinstance(settings[name], date) else settings[name] for name in names)
    if not all(isinstance(one, str) and one.strip() for one in (of, to)):
        raise ParameterError(f"{names[0]} and {names[1]} must be texts", where=where)
    if kind == "part" and to not in get_args(Part):
        raise ParameterError(f"keep cannot be {show_value(to)}", where=where, hint=did_you_mean(to, get_args(Part)))
    return Derivation(kind, of.strip(), to.strip())


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


@dataclass(frozen=True)
class PreparationTable:
    """The preparation of a raw table."""

    annotation: ClassVar[str] = "Mapping[str, Any]"
    metavar: ClassVar[str] = ""
    expected: ClassVar[str] = "a table: `[prepare]`"

    def read(self, given: Any, name: str) -> Preparation:  # noqa: ANN401, ARG002
        """Return the preparation of a raw table."""
        return read_preparation(given)

    def plain(self, value: Preparation) -> dict[str, Any]:
        """Return the preparation as a table of a policy."""
        return dict(value.given)


@dataclass(frozen=True)
class DerivationPerColumn:
    """A derivation for each of some columns."""

    annotation: ClassVar[str] = "Mapping[str, Any]"
    metavar: ClassVar[str] = ""
    expected: ClassVar[str] = "a table of columns: `[derive.<column>]`"

    def read(self, given: Any, name: str) -> dict[str, Derivation]:  # noqa: ANN401
        """Return the derivations by column."""
        if not isinstance(given, Mapping):
            hint = f'pass {name}={{"age": {{"years": {{"from": "birth", "at": "visit"}}}}}}'
            raise ParameterError(f"{name} must map columns to tables, not {show_value(given)}", hint=hint)
        return {column.strip(): read_derivation(one, column.strip()) for column, one in given.items()}

    def plain(self, value: Mapping[str, Derivation]) -> dict[str, Any]:
        """Return the derivations as tables of a policy, by column."""
        return {column: one.plain() for column, one in value.items()}
