"""Every error that PETWorks raises.

    PETWorksError                          catch this to catch them all
    ├── SourceError          (ValueError)  a table cannot be read
    │   ├── MissingFileError (FileNotFoundError)
    │   ├── EncodingError                  bytes in no encoding that was tried
    │   └── MalformedError                 ragged line, bad header, no rows, …
    ├── SidecarError         (ValueError)  the YAML beside a table is not ours
    ├── RoleError            (ValueError)  a role names no column, or none is left
    ├── HierarchyError       (ValueError)  a hierarchy is missing, ragged, contradictory
    │   └── UnknownValueError              a cell's value is not in its hierarchy
    ├── PairingError         (ValueError)  rows of original and release do not pair
    ├── PopulationError      (ValueError)  a population does not hold the release
    ├── ParameterError       (ValueError)  a measure's parameter is out of range
    ├── FunctionError        (ValueError)  a caller's function raised, or returned no number
    ├── NotAskableError      (ValueError)  a measure needs something that was not given
    │   └── TooLargeError                  the combinations of values do not fit in memory
    ├── UnknownNameError     (LookupError) no such measure, argument, format, …
    ├── PolicyError          (ValueError)  a policy file has problems, all of which it lists
    └── OutputError          (OSError)     a file cannot be written

Each also inherits the builtin named in brackets, so that ``except ValueError`` works as one expects.
A message says where the problem is, what was found, and what to do about it.
"""

from __future__ import annotations

import difflib
import errno
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from PETWorks.counting.size_histogram import Outline

LISTED = 40  # names that a hint lists


class PETWorksError(Exception):
    """What was found (`problem`, with the values `listed`), where (file, line, column), and what to do (`hint`)."""

    def __init__(self, problem: str, *, where: str = "", hint: str = "", listed: str = "") -> None:
        super().__init__(problem, where, hint, listed)
        self.problem = problem
        self.where = where
        self.hint = hint
        self.listed = listed  # values of tables, which are not told where anybody may read it

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel between processes."""
        return _made, (type(self), self.problem, self.where, self.hint, self.listed)

    def guarded(self) -> str:
        """Give the place and the problem in one line, without values of tables."""
        return f"{self.where}: {self.problem}" if self.where else self.problem

    def __str__(self) -> str:
        """Give one line with the place and the problem, and one with the way out."""
        line = self.guarded() + (f": {self.listed}" if self.listed else "")
        return f"{line}\n  {self.hint}" if self.hint else line


def _made(kind: type[PETWorksError], problem: str, where: str, hint: str, listed: str) -> PETWorksError:
    return kind(problem, where=where, hint=hint, listed=listed)


class SourceError(PETWorksError, ValueError):
    """A table cannot be read."""


class MissingFileError(SourceError, FileNotFoundError):
    """There is no file of that name."""

    def __init__(self, problem: str, *, where: str = "", hint: str = "", listed: str = "") -> None:
        super().__init__(problem, where=where, hint=hint, listed=listed)
        self.errno, self.filename = errno.ENOENT, where


class EncodingError(SourceError):
    """The bytes of a file are in no encoding that was tried."""


class MalformedError(SourceError):
    """A file holds something other than one header and rows of the same length."""


class SidecarError(PETWorksError, ValueError):
    """The YAML file beside a table is not what it should be."""


class RoleError(PETWorksError, ValueError):
    """A role names no column, a column has two roles, or no quasi-identifier is left."""


class HierarchyError(PETWorksError, ValueError):
    """A hierarchy is missing, ragged or contradicts itself."""


class UnknownValueError(HierarchyError):
    """A value of a table does not occur in the hierarchy of its column."""


class PairingError(PETWorksError, ValueError):
    """The rows of the original and of the release cannot be paired."""


class PopulationError(PETWorksError, ValueError):
    """A population does not hold the released sample."""


class ParameterError(PETWorksError, ValueError):
    """A parameter of a measure is no number, or out of its range."""


class FunctionError(PETWorksError, ValueError):
    """A function that the caller passed raised an error, or returned no finite number."""


class NotAskableError(PETWorksError, ValueError):
    """A measure needs something (an original, a sensitive attribute) that was not given."""


class TooLargeError(NotAskableError):
    """The combinations of a table's values do not fit in memory; what is known of it all the same is its `outline`."""

    outline: Outline | None = None
    figures: Mapping[str, Any] = {}


class UnknownNameError(PETWorksError, LookupError):
    """A name (of a measure, an argument, a format) that does not exist."""


class PolicyError(PETWorksError, ValueError):
    """A policy file cannot be followed; `problems` are all that were found."""

    def __init__(
        self, problem: str, *, where: str = "", hint: str = "", listed: str = "", problems: Iterable[PETWorksError] = ()
    ) -> None:
        super().__init__(problem, where=where, hint=hint, listed=listed)
        self.problems = tuple(problems)

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel between processes with all problems."""
        return *super().__reduce__(), {"problems": self.problems}


class OutputError(PETWorksError, OSError):
    """A file cannot be written."""


def did_you_mean(names: object, known: Iterable[str]) -> str:
    """Suggest, for a name or for each of a list of names, the nearest of the known ones, and list these.

    >>> did_you_mean("t-closness", ["AECS", "t-closeness"])
    'did you mean "t-closeness"? Known: AECS, t-closeness'
    """
    known = sorted(map(str, known), key=str.casefold)
    folded = {option.casefold(): option for option in known}
    asked = names if isinstance(names, list) else [names]
    near = [difflib.get_close_matches(str(name).casefold(), folded, n=1) for name in asked]
    questions = "".join(f'did you mean "{folded[found[0]]}"? ' for found in near if found)
    more = f", and {len(known) - LISTED} more" if len(known) > LISTED else ""
    return f"{questions}Known: {', '.join(known[:LISTED]) or '(none)'}{more}"


def listing(values: Iterable[object], most: int = 10) -> str:
    """Quote up to `most` values, and say how many more there are."""
    shown = [f'"{value}"' for value in values]
    rest = len(shown) - most
    return ", ".join(shown[:most]) + (f" and {rest} more" if rest > 0 else "")


def plural(number: int, noun: str, nouns: str = "") -> str:
    """Count something: 1 row, 2 rows."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {nouns or noun + 's'}"
