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
    └── OutputError          (OSError)     a file cannot be written

Each also inherits from the builtin in brackets, so that for example ``except ValueError`` catches it.
A message says where the problem is, what was found, and what to do about it.
"""

from __future__ import annotations

import difflib
import errno
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from PETWorks.tables.counting.size_histogram import SizeSummary

MAX_LISTED_NAMES = 40  # most names that a hint lists
MAX_INTEGER_BITS = (
    10_000  # bits of a whole number that is not written out; Python refuses to write more than 4,300 digits
)
THIS_MEASURE = "this measure"
THRESHOLD = 5  # the fewest people whom an output may describe: a class, or those who have a value


class PETWorksError(Exception):
    """A problem (`problem`, with the values `listed`), its place (file, line, column), and what to do (`hint`)."""

    common = ""  # the `listed` values that enough people have, so that output may name them

    def __init__(self, problem: str, *, where: str = "", hint: str = "", listed: str = "") -> None:
        super().__init__(problem, where, hint, listed)
        self.problem = problem
        self.where = where
        self.hint = hint
        self.listed = listed  # values of tables; left out of output that others may read

    def __reduce__(self) -> tuple[Any, ...]:
        """Support pickle, with the attributes of the kind of error, so that it can be sent between processes."""
        return _rebuild, (type(self), self.problem, self.where, self.hint, self.listed), vars(self)

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


class MissingFileError(SourceError, FileNotFoundError):
    """A file does not exist."""

    def __init__(self, problem: str, *, where: str = "", hint: str = "", listed: str = "") -> None:
        super().__init__(problem, where=where, hint=hint, listed=listed)
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


class UnknownValueError(HierarchyError):
    """A value of a table does not occur in the hierarchy of its column."""

    def __init__(self, problem: str, *, where: str = "", hint: str = "", listed: str = "", common: str = "") -> None:
        super().__init__(problem, where=where, hint=hint, listed=listed)
        self.common = common


class PairingError(PETWorksError, ValueError):
    """The rows of the original and of the release cannot be paired, or do not seem to belong together."""


class PersonError(PETWorksError, ValueError):
    """A row has no person, or the rows of a person contradict each other."""


class PopulationError(PETWorksError, ValueError):
    """A population lacks people of the release, from which the release must be a sample."""


class ParameterError(PETWorksError, ValueError):
    """A parameter of a measure is not a number, or is out of its range."""


class FunctionError(PETWorksError, ValueError):
    """A function that the caller passed raised an error, or did not return a finite number."""


class NotAskableError(PETWorksError, ValueError):
    """A measure needs something (an original, a sensitive attribute) that the caller did not pass."""

    def name_measure(self, measure: str) -> Self:
        """Return the error with a measure's name for "this measure"; facts do not know which measure asks."""
        if THIS_MEASURE not in self.problem:
            return self
        named = copy(self)
        named.problem = self.problem.replace(THIS_MEASURE, measure)
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
    """The combinations of a table's values do not fit in memory; `outline` has at least the sizes of its classes."""

    summary: SizeSummary | None = None
    figures: Mapping[str, Any] = {}


class GoalError(PETWorksError, ValueError):
    """No release meets the goals."""


class UnknownNameError(PETWorksError, LookupError):
    """A name (of a measure, an argument, a format) that does not exist."""


class PolicyError(PETWorksError, ValueError):
    """A policy file cannot be applied; `problems` lists all problems that were found."""

    def __init__(
        self, problem: str, *, where: str = "", hint: str = "", listed: str = "", problems: Iterable[PETWorksError] = ()
    ) -> None:
        super().__init__(problem, where=where, hint=hint, listed=listed)
        self.problems = tuple(problems)


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
    """Return a value as Python writes it, shortened to `most` characters.

    >>> show_value("9" * 99, 9), show_value(10**5000)
    ("'9999999…", 'a whole number of 16,610 bits')
    """
    if isinstance(value, int) and value.bit_length() > MAX_INTEGER_BITS:
        return f"a whole number of {value.bit_length():,} bits"
    text = repr(value)
    return text if len(text) <= most else f"{text[: most - 1]}…"


def plural(number: int, noun: str, nouns: str = "") -> str:
    """Return a number with its noun: 1 row, 2 rows. Public outputs hide small numbers that stand beside a noun."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {nouns or noun + 's'}"
