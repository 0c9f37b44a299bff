"""Kinds of settings: how a value is read, and converted to a plain value.

A kind converts what a caller passes to the value that the library uses (`read`), and that to a plain value for JSON and
TOML (`plain`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any, ClassVar, Protocol

from PETWorks.errors import ParameterError, did_you_mean, show_value
from PETWorks.exact.limit import Limit

LOSS = "loss"  # the utility that is no measure: the losses of all columns, multiplied
TAB = "tab"  # the word for a delimiter that cannot be seen
UNITS = {"": 1, "s": 1, "min": 60, "h": 3600}
TIME = re.compile(r"(\d+(?:\.\d+)?) ?(s|min|h|)", re.ASCII)


class SettingKind(Protocol):
    """The values that a setting may have."""

    @property
    def annotation(self) -> str:
        """The type of the keyword in Python."""

    @property
    def metavar(self) -> str:
        """The placeholder of the value in the help of the command line; empty for a flag."""

    @property
    def expected(self) -> str:
        """The allowed values of the key in a policy, for the reference."""

    def read(self, given: Any, name: str) -> Any:  # noqa: ANN401
        """Return the value; raise a ParameterError that names the setting if it is not allowed."""

    def plain(self, value: Any) -> Any:  # noqa: ANN401
        """Return a plain value that `read` converts to an equal value."""


@dataclass(frozen=True)
class Word:
    """One of several words."""

    words: tuple[str, ...]
    metavar: ClassVar[str] = "WORD"

    @property
    def annotation(self) -> str:
        """The type of the keyword in Python."""
        return f"Literal[{', '.join(map(repr, self.words))}]".replace("'", '"')

    @property
    def expected(self) -> str:
        """The words."""
        return ", ".join(f'`"{word}"`' for word in self.words)

    def read(self, given: Any, name: str) -> str:  # noqa: ANN401
        """Return the word; raise an error for an unknown one."""
        if given not in self.words:
            raise ParameterError(f"{name} cannot be {show_value(given)}", hint=did_you_mean(str(given), self.words))
        return str(given)

    def plain(self, value: str) -> str:
        """Return the word."""
        return value


@dataclass(frozen=True)
class Flag:
    """True or False."""

    annotation: ClassVar[str] = "bool"
    metavar: ClassVar[str] = ""
    expected: ClassVar[str] = "true or false"

    def read(self, given: Any, name: str) -> bool:  # noqa: ANN401
        """Return the value; raise an error unless it is True or False."""
        if not isinstance(given, bool):
            raise ParameterError(f"{name} must be True or False, not {show_value(given)}")
        return given

    def plain(self, value: bool) -> bool:  # noqa: FBT001
        """Return the value."""
        return value


@dataclass(frozen=True)
class EditionList:
    """Earlier releases: each a mapping of settings, or what stands for one. They are read where they are opened."""

    annotation: ClassVar[str] = "Sequence[Any]"
    metavar: ClassVar[str] = "FILE"
    expected: ClassVar[str] = "a list of tables"

    def read(self, given: Any, name: str) -> tuple[Any, ...]:  # noqa: ANN401
        """Return the editions; raise an error for what is no list."""
        if isinstance(given, str | Mapping) or not isinstance(given, Sequence):
            hint = "pass a list, even of one: the oldest first"
            raise ParameterError(f"{name} must be a list of earlier releases, not {show_value(given)}", hint=hint)
        return tuple(given)

    def plain(self, value: tuple[Any, ...]) -> Any:  # noqa: ANN401
        """Return the editions, as they were given."""
        return list(value)


@dataclass(frozen=True)
class Whole:
    """A whole number from 0."""

    annotation: ClassVar[str] = "int"
    metavar: ClassVar[str] = "NUMBER"
    expected: ClassVar[str] = "a whole number"

    def read(self, given: Any, name: str) -> int:  # noqa: ANN401
        """Return the number; raise an error for another value."""
        if type(given) is not int or given < 0:
            raise ParameterError(f"{name} must be a whole number from 0, not {show_value(given)}")
        return given

    def plain(self, value: int) -> int:
        """Return the number."""
        return value


@dataclass(frozen=True)
class Share:
    """An exact share of rows: 0.05, "1/20" or "5%"."""

    annotation: ClassVar[str] = "Number"
    metavar: ClassVar[str] = "SHARE"
    expected: ClassVar[str] = 'a share, as in 0.05 or "5%"'

    def read(self, given: Any, name: str) -> Limit:  # noqa: ANN401
        """Return the share as an exact number from 0 to 1."""
        if isinstance(given, str) and given.strip().endswith("%"):
            rate = Limit(Limit.of(given.strip().removesuffix("%"), name).exact / 100)
        else:
            rate = Limit.of(given, name)
        if not 0 <= rate.exact <= 1:
            problem = f"{name} must be a share of the rows, from 0 to 1, not {show_value(given)}"
            raise ParameterError(problem, hint='pass for example "5%" or "1/20"')
        return rate

    def plain(self, value: Limit) -> int | float | str:
        """Return the share as the caller's float, or as a whole number or fraction."""
        return value.written if value.written is not None else plain_fraction(value.exact)


@dataclass(frozen=True)
class Text:
    """Text, such as a path or the name of a column."""

    metavar: str = "TEXT"
    annotation: str = "str"
    expected: ClassVar[str] = "text"

    def read(self, given: Any, name: str) -> str:  # noqa: ANN401
        """Return the text; raise an error for another value."""
        if not isinstance(given, str):
            raise ParameterError(f"{name} must be text, not {show_value(given)}")
        return given

    def plain(self, value: str) -> str:
        """Return the text."""
        return value


@dataclass(frozen=True)
class DayText(Text):
    """A day of the Western calendar, as ISO 8601 writes it."""

    metavar: str = "DATE"
    expected: ClassVar[str] = 'a date, as in "2026-12-01"'

    def read(self, given: Any, name: str) -> str:  # noqa: ANN401
        """Return a date as ISO text, from a date object or such a text; raise an error for anything else."""
        text = given.isoformat() if type(given) is date else super().read(given, name)
        try:
            found = date.fromisoformat(text).isoformat()
        except ValueError:
            found = ""
        if found != text:
            raise ParameterError(f"{name} is no date: {show_value(text)}", hint='write it as in "2026-12-01"')
        return text


@dataclass(frozen=True)
class Delimiter(Text):
    """The delimiter of cells; a tab may be written as a word."""

    def read(self, given: Any, name: str) -> str:  # noqa: ANN401
        """Return the delimiter."""
        text = super().read(given, name)
        return "\t" if text in (TAB, r"\t") else text

    def plain(self, value: str) -> str:
        """Return the delimiter; the word for a tab."""
        return TAB if value == "\t" else value


@dataclass(frozen=True)
class Marker(Text):
    """The text of suppressed cells."""

    def read(self, given: Any, name: str) -> str:  # noqa: ANN401
        """Return the text; raise an error if it is empty."""
        if not isinstance(given, str) or not given.strip():
            problem = f"{name} must be the text of suppressed cells, not {show_value(given)}"
            raise ParameterError(problem, hint=f'pass {name}="*"')
        return given


@dataclass(frozen=True)
class Anything(Text):
    """A table, a path or hierarchies in Python; a path elsewhere."""

    def read(self, given: Any, name: str) -> Any:  # noqa: ANN401, ARG002
        """Return the value unchanged: the table is opened later."""
        return given


@dataclass(frozen=True)
class Names:
    """Names of columns."""

    annotation: ClassVar[str] = "Names"
    metavar: ClassVar[str] = "COLUMN"
    expected: ClassVar[str] = 'a list of names, as in ["age", "sex"]'

    def read(self, given: Any, name: str) -> tuple[str, ...]:  # noqa: ANN401
        """Return the names; raise an error for another value."""
        names = None if isinstance(given, str | Mapping) else tuple(given)
        if names is None or not all(isinstance(one, str) for one in names):
            raise ParameterError(f"{name} must be a list of names, not {show_value(given)}")
        return tuple(one.strip() for one in names)

    def plain(self, value: Sequence[str]) -> list[str]:
        """Return the names as a list."""
        return [*value]


@dataclass(frozen=True)
class Duration:
    """A time in seconds: 60, "60 s" or "2 min"."""

    annotation: ClassVar[str] = "str | float"
    metavar: ClassVar[str] = "TIME"
    expected: ClassVar[str] = 'a time, as in "60 s" or "2 min"'

    def read(self, given: Any, name: str) -> float:  # noqa: ANN401
        """Return the seconds."""
        found = TIME.fullmatch(given.strip()) if isinstance(given, str) else None
        seconds = float(found[1]) * UNITS[found[2]] if found else given
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds < float("inf"):
            raise ParameterError(f"{name} cannot be {show_value(given)}", hint='pass for example "60 s" or "2 min"')
        return float(seconds)

    def plain(self, value: float) -> float:
        """Return the seconds."""
        return value


@dataclass(frozen=True)
class Size:
    """An amount of memory: a number of bytes, or "2 GB"."""

    annotation: ClassVar[str] = "str | int"
    metavar: ClassVar[str] = "SIZE"
    expected: ClassVar[str] = "text"

    def read(self, given: Any, name: str) -> Any:  # noqa: ANN401, ARG002
        """Return the value unchanged: the workspace parses it."""
        return given

    def plain(self, value: str | int) -> str | int:
        """Return the value."""
        return value


@dataclass(frozen=True)
class MeasureName:
    """A measure, or its name."""

    annotation: ClassVar[str] = "Utility | str"
    metavar: ClassVar[str] = "MEASURE"
    expected: ClassVar[str] = "text"

    def read(self, given: Any, name: str) -> Any:  # noqa: ANN401, ARG002
        """Return the measure or its name unchanged: the search looks it up."""
        return given

    def plain(self, value: Any) -> Any:  # noqa: ANN401
        """Return the name, or a table with the name and the parameters of the measure."""
        return value if isinstance(value, str) else {"measure": value.name, "parameters": value.parameters()}


@dataclass(frozen=True)
class PerColumn:
    """A level for each of some columns."""

    annotation: ClassVar[str] = "Mapping[str, int]"
    metavar: ClassVar[str] = "COLUMN=NUMBER"
    expected: ClassVar[str] = "a table of levels, as in age = 2"
    example: ClassVar[Any] = 2

    def read(self, given: Any, name: str) -> dict[str, Any]:  # noqa: ANN401
        """Return the numbers by column; an error names the column."""
        if not isinstance(given, Mapping):
            hint = f'pass {name}={{"age": {self.example!r}}}'
            raise ParameterError(f"{name} must map columns to numbers, not {show_value(given)}", hint=hint)
        return {column: self.read_one(number, name, column) for column, number in given.items()}

    def read_one(self, given: Any, name: str, column: str) -> Any:  # noqa: ANN401
        """Return the level of a column."""
        if isinstance(given, bool) or not isinstance(given, int):
            raise ParameterError(f'{name}: the level of "{column}" must be a whole number, not {show_value(given)}')
        return given

    def plain(self, value: Mapping[str, Any]) -> dict[str, Any]:
        """Return the numbers by column; fractions as text."""
        return {column: plain_fraction(number) for column, number in value.items()}


@dataclass(frozen=True)
class WeightPerColumn(PerColumn):
    """An exact weight from 0 to 1 for each of some columns."""

    annotation: ClassVar[str] = "Mapping[str, Number]"
    expected: ClassVar[str] = "a table of numbers from 0 to 1"
    example: ClassVar[Any] = "1/2"

    def read_one(self, given: Any, name: str, column: str) -> Fraction:  # noqa: ANN401, ARG002
        """Return the weight of a column."""
        weight = Limit.of(given, f'the weight of "{column}"').exact
        if not 0 <= weight <= 1:
            raise ParameterError(f'the weight of "{column}" must be from 0 to 1, not {show_value(given)}')
        return weight


def plain_fraction(number: int | Fraction) -> int | str:
    """Return a whole number as it is, and a fraction as text."""
    return int(number) if number.denominator == 1 else str(number)
