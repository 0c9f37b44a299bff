"""Every error that PETWorks raises.

    PETWorksError                          catch this to catch them all
    ├── SourceError          (ValueError)  a table cannot be read
    │   ├── MissingFileError (FileNotFoundError)
    │   ├── EncodingError                  the bytes do not fit the encoding
    │   └── MalformedError                 ragged line, bad header, no rows, …
    ├── SidecarError         (ValueError)  the YAML file beside a table is malformed
    ├── RoleError            (ValueError)  a role names an unknown column, or there is no quasi-identifier
    ├── HierarchyError       (ValueError)  a hierarchy is missing, ragged, contradictory
    │   └── UnknownValueError              a cell's value is not in its hierarchy
    ├── PairingError         (ValueError)  rows of original and release do not pair
    ├── PersonError          (ValueError)  a row has no person, or a person has several weights
    ├── PopulationError      (ValueError)  a population lacks people of the release
    ├── ParameterError       (ValueError)  a measure's parameter is out of range
    ├── FunctionError        (ValueError)  the caller's function raised an error, or did not return a number
    ├── NotAskableError      (ValueError)  a measure needs something that was not given
    │   ├── UnknownLevelsError             no original, and columns without a hierarchy
    │   └── TooLargeError                  the combinations of values do not fit in memory
    ├── GoalError            (ValueError)  no release meets the goals
    ├── UnknownNameError     (LookupError) a measure, argument, format, … does not exist
    ├── PolicyError          (ValueError)  a policy file has problems; the error lists all of them
    ├── SettingsError        (ValueError)  a key, or another file of the user's settings folder, cannot be used
    ├── SignatureError       (ValueError)  a document is not signed, or not as it is to be written
    └── OutputError          (OSError)     a file cannot be written

Each also inherits from the builtin in brackets, so that for example ``except ValueError`` catches it.
A message says where the problem is, what was found, and what to do about it.

A message about a table is a template with named figures. A `Quantity` counts people or what tells of them, and
`CellText` is text from a table; each output decides what it shows of these. Every other figure is shown to everybody.

>>> error = PairingError("{rows} without a partner in {table}", figures={"rows": Quantity(3, "row"), "table": "a.csv"})
>>> print(error)
3 rows without a partner in a.csv
>>> error.render_problem(lambda figure: "some rows")
'some rows without a partner in a.csv'
"""

from __future__ import annotations

import difflib
import errno
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from datetime import date, time
from numbers import Number
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

if TYPE_CHECKING:
    from PETWorks.tables.counting.size_histogram import SizeSummary

MAX_LISTED_NAMES = 40  # most names that a hint lists
MAX_INTEGER_BITS = (
    10_000  # bits of a whole number that is not written out; Python refuses to write more than 4,300 digits
)
THIS_MEASURE = "this measure"


@dataclass(frozen=True)
class Quantity:
    """A count of people, rows, classes, cells or values in an error, with its noun, and a verb if that depends on it.

    >>> str(Quantity(1, "row has", "rows have")), str(Quantity(2000, "row")), str(Quantity(3))
    ('1 row has', '2,000 rows', '3')
    """

    number: int
    noun: str = ""
    nouns: str = ""  # of all numbers but 1; "": the noun with an s

    def __str__(self) -> str:
        """Write the number and the noun."""
        return plural(self.number, self.noun, self.nouns) if self.noun else f"{self.number:,}"

    def write_as(self, number: object) -> str:
        """Return the noun with something else in place of the number, such as a band."""
        return f"{number} {self.nouns or self.noun + 's'}" if self.noun else str(number)


@dataclass(frozen=True)
class CellText:
    """Text in an error that is, or may quote, the content of cells."""

    text: str

    def __str__(self) -> str:
        """Return the text."""
        return self.text


Decision = Callable[[Quantity | CellText], str]  # writes the figure of an error for its readers
ErrorKind = TypeVar("ErrorKind", bound="PETWorksError")


class PETWorksError(Exception):
    """A problem (`problem`, with the values `listed`), its place (file, line, column), and what to do (`hint`).

    With `figures`, problem and hint are templates; ``figures={}`` says that nothing in them comes from a table.
    Without, they are plain texts, which are not public if they are about a table (`render_public`).
    """

    about_tables: bool = False  # True: plain texts of this kind may tell of the people of a table
    common = ""  # the `listed` values that enough people have, so that output may name them

    def __init__(
        self,
        problem: str,
        *,
        where: str = "",
        hint: str = "",
        listed: str = "",
        figures: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(problem, where, hint, listed)
        self.template = problem
        self.where = where
        self.hint_template = hint
        self.listed = listed  # values of tables; left out of output that others may read
        self.figures = figures

    @property
    def problem(self) -> str:
        """What is wrong."""
        return self.render_problem()

    @property
    def hint(self) -> str:
        """What to do."""
        return self.render_hint()

    def render_problem(self, decide: Decision = str) -> str:
        """Return the problem; `decide` writes each count and each text of cells."""
        return self._fill(self.template, decide)

    def render_hint(self, decide: Decision = str) -> str:
        """Return the hint; `decide` writes each count and each text of cells."""
        return self._fill(self.hint_template, decide)

    def render_public(self, decide: Decision) -> tuple[str, str]:
        """Return the problem and the hint for the public; both are empty if they may disclose something of people.

        That is so for plain text about a table: it may hold a count, or quote a cell. With `figures`, even empty, a
        text says what comes from a table.
        """
        if self.figures is None and self.about_tables:
            return "", ""
        return self.render_problem(decide), self.render_hint(decide)

    def _fill(self, template: str, decide: Decision) -> str:
        if self.figures is None:
            return template
        shown = {
            name: decide(figure) if isinstance(figure, Quantity | CellText) else figure
            for name, figure in self.figures.items()
        }
        return template.format_map(shown)

    def convert(self, kind: type[ErrorKind], *, where: str = "") -> ErrorKind:
        """Return the error as one of another class; `where` replaces its place."""
        place = where or self.where
        error = kind(self.template, where=place, hint=self.hint_template, listed=self.listed, figures=self.figures)
        error.about_tables = self.about_tables or kind.about_tables
        return error

    def __reduce__(self) -> tuple[Any, ...]:
        """Support pickle, with the attributes of the kind of error, so that it can be sent between processes."""
        return _rebuild, (type(self), self.template, self.where, self.hint_template, self.listed), vars(self)

    def summarise(self) -> str:
        """Return the place and the problem in one line, without values of tables."""
        return f"{self.where}: {self.problem}" if self.where else self.problem

    def __str__(self) -> str:
        """Return one line with the place and the problem, and one with the hint."""
        line = self.summarise() + (f": {self.listed}" if self.listed else "")
        return f"{line}\n  {self.hint}" if self.hint else line


def _rebuild(kind: type[PETWorksError], problem: str, where: str, hint: str, listed: str) -> PETWorksError:
    return kind(problem, where=where, hint=hint, listed=listed)


class SourceError(PETWorksError, ValueError):
    """A table cannot be read."""

    about_tables = True


class MissingFileError(SourceError, FileNotFoundError):
    """A file does not exist."""

    about_tables = False

    def __init__(
        self,
        problem: str,
        *,
        where: str = "",
        hint: str = "",
        listed: str = "",
        figures: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(problem, where=where, hint=hint, listed=listed, figures=figures)
        self.errno, self.filename = errno.ENOENT, where


class EncodingError(SourceError):
    """The bytes of a file do not fit any of the encodings that were tried."""


class MalformedError(SourceError):
    """A file holds something other than one header and rows of the same length."""


class SidecarError(PETWorksError, ValueError):
    """The YAML file beside a table is malformed."""


class RoleError(PETWorksError, ValueError):
    """A role names a column that does not exist, a column has two roles, or there is no quasi-identifier."""


class HierarchyError(PETWorksError, ValueError):
    """A hierarchy is missing, ragged or contradicts itself."""

    about_tables = True


class UnknownValueError(HierarchyError):
    """A value of a table does not occur in the hierarchy of its column."""

    def __init__(
        self,
        problem: str,
        *,
        where: str = "",
        hint: str = "",
        listed: str = "",
        figures: Mapping[str, object] | None = None,
        common: str = "",
    ) -> None:
        super().__init__(problem, where=where, hint=hint, listed=listed, figures=figures)
        self.common = common


class PairingError(PETWorksError, ValueError):
    """The rows of the original and of the release cannot be paired, or do not seem to belong together."""

    about_tables = True


class PersonError(PETWorksError, ValueError):
    """A row has no person, or the rows of a person contradict each other."""

    about_tables = True


class PopulationError(PETWorksError, ValueError):
    """A population lacks people of the release, from which the release must be a sample."""

    about_tables = True


class ParameterError(PETWorksError, ValueError):
    """A parameter of a measure is not a number, or is out of its range."""


class FunctionError(PETWorksError, ValueError):
    """A function that the caller passed raised an error, or did not return a finite number."""

    about_tables = True


class NotAskableError(PETWorksError, ValueError):
    """A measure needs something (an original, a sensitive attribute) that the caller did not pass."""

    def name_measure(self, measure: str) -> Self:
        """Return the error with a measure's name for "this measure"; facts do not know which measure asks."""
        if THIS_MEASURE not in self.template:
            return self
        named = copy(self)
        named.template = self.template.replace(THIS_MEASURE, measure)
        return named


class UnknownLevelsError(NotAskableError):
    """Without an original, the levels of columns without a hierarchy are unknown; `columns` names these columns."""

    columns: tuple[str, ...] = ()

    @classmethod
    def of(cls, columns: Iterable[str]) -> UnknownLevelsError:
        """Build the error for some columns."""
        columns = tuple(columns)
        named = list_quoted(columns, MAX_LISTED_NAMES)
        problem = f"without an original or a hierarchy, nobody knows how far values were generalised: {named}"
        error = cls(problem, hint="pass original=, or a hierarchy for each of these columns in hierarchies=")
        error.columns = columns
        return error


class TooLargeError(NotAskableError):
    """The combinations of a table's values do not fit in memory; `summary` has at least the sizes of its classes."""

    summary: SizeSummary | None = None


class GoalError(PETWorksError, ValueError):
    """No release meets the goals."""

    about_tables = True


class UnknownNameError(PETWorksError, LookupError):
    """A name (of a measure, an argument, a format) that does not exist."""


class PolicyError(PETWorksError, ValueError):
    """A policy file cannot be applied; `problems` lists all problems that were found."""

    def __init__(
        self,
        problem: str,
        *,
        where: str = "",
        hint: str = "",
        listed: str = "",
        figures: Mapping[str, object] | None = None,
        problems: Iterable[PETWorksError] = (),
    ) -> None:
        super().__init__(problem, where=where, hint=hint, listed=listed, figures=figures)
        self.problems = tuple(problems)


class SettingsError(PETWorksError, ValueError):
    """A file in the user's settings folder, such as a key, cannot be used."""


class SignatureError(PETWorksError, ValueError):
    """A document that is, or should be, signed is not canonical JSON, or its signature is not right."""


class OutputError(PETWorksError, OSError):
    """A file cannot be written."""


def find_nearest(name: object, known: Iterable[str]) -> str | None:
    """Return the most similar known name, ignoring case; None if none is similar."""
    folded = {option.casefold(): option for option in known}
    found = difflib.get_close_matches(str(name).casefold(), folded, n=1)
    return folded[found[0]] if found else None


def did_you_mean(names: object, known: Iterable[str]) -> str:
    """Return a hint that suggests the most similar known name for each unknown one, and lists the known names.

    >>> did_you_mean("t-closness", ["AECS", "t-closeness"])
    'did you mean "t-closeness"? Known: AECS, t-closeness'
    """
    known = sorted(map(str, known), key=str.casefold)
    near = [find_nearest(name, known) for name in (names if isinstance(names, list) else [names])]
    questions = "".join(f'did you mean "{found}"? ' for found in near if found)
    return f"{questions}Known: {list_names(known) or '(none)'}"


def list_names(names: Sequence[str]) -> str:
    """Return names to choose from, as many as a hint lists, and the number of the others."""
    return ", ".join(names[:MAX_LISTED_NAMES]) + (
        f", and {len(names) - MAX_LISTED_NAMES:,} more" if len(names) > MAX_LISTED_NAMES else ""
    )


def list_quoted(values: Iterable[object], most: int = 10) -> str:
    """Return up to `most` values in quotes, and the number of the others."""
    shown = [f'"{value}"' for value in values]
    rest = len(shown) - most
    return ", ".join(shown[:most]) + (f" and {rest} more" if rest > 0 else "")


def show_value(value: object, most: int = 60) -> str:
    """Return a value as Python writes it, shortened to `most` characters; of what may hold rows, only its type.

    >>> show_value("9" * 99, 9), show_value(10**5000), show_value({"name": ["Ann"]})
    ("'9999999…", 'a whole number of 16,610 bits', 'a dict')
    """
    if isinstance(value, int) and value.bit_length() > MAX_INTEGER_BITS:
        return f"a whole number of {value.bit_length():,} bits"
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if not (
        value is None
        or isinstance(value, str | Number | Path | date | time)
        or type(value).__module__.startswith("PETWorks.")
    ):
        name = type(value).__name__
        return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"
    text = repr(value)
    return text if len(text) <= most else f"{text[: most - 1]}…"


def plural(number: int, noun: str, nouns: str = "") -> str:
    """Return a number with its noun: 1 row, 2 rows. For counts that tell of people, errors have a `Quantity`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {nouns or noun + 's'}"
