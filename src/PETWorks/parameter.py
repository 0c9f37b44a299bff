"""How the fields of a measure become its parameters: checked when the measure is made, and known to every door."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, dataclass, field
from fractions import Fraction
from typing import Any

from PETWorks.errors import ParameterError, did_you_mean
from PETWorks.limit import Limit


@dataclass(frozen=True)
class Parameter:
    """What a parameter may be: a number within a range, one of some words, yes or no, or a list of values."""

    kind: str
    least: Fraction | int | None = None
    most: Fraction | int | None = None
    words: tuple[str, ...] = ()

    def read(self, given: Any, name: str) -> Any:  # noqa: ANN401
        """Check what the caller gave; a ParameterError says what is expected."""
        match self.kind:
            case "number":
                return None if given is None else self._number(given, name)
            case "word" if given not in self.words:
                raise ParameterError(f"{name} cannot be {given!r}", hint=did_you_mean(str(given), self.words))
            case "flag" if not isinstance(given, bool):
                raise ParameterError(f"{name} must be True or False, not {given!r}")
            case "values" if given is not None:
                if isinstance(given, str) or not isinstance(given, Sequence):
                    raise ParameterError(f"{name} must be a list of values, not {given!r}")
                return tuple(given)
        return given

    def _number(self, given: Any, name: str) -> Limit:  # noqa: ANN401
        limit = Limit.of(given, name)
        below = self.least is not None and limit.exact < self.least
        above = self.most is not None and limit.exact > self.most
        if below or above:
            expected = f"at least {self.least}" + (f" and at most {self.most}" if self.most is not None else "")
            raise ParameterError(f"{name} must be {expected}, not {given!r}")
        return limit


def number(*, least: int | None = None, most: int | None = None, default: Any = None) -> Any:  # noqa: ANN401
    """Declare a number, read exactly; None means that no limit is set."""
    return field(default=default, metadata={"parameter": Parameter("number", least, most)})


def amount() -> Any:  # noqa: ANN401
    """Declare an amount of money, which must be given."""
    return field(default=MISSING, metadata={"parameter": Parameter("number", 0)})


def word(*words: str) -> Any:  # noqa: ANN401
    """Declare a choice among words; the first is the default."""
    return field(default=words[0], metadata={"parameter": Parameter("word", words=words)})


def flag(*, default: bool) -> Any:  # noqa: ANN401
    """Declare a yes or no."""
    return field(default=default, metadata={"parameter": Parameter("flag")})


def text() -> Any:  # noqa: ANN401
    """Declare an optional name."""
    return field(default=None, metadata={"parameter": Parameter("text")})


def values() -> Any:  # noqa: ANN401
    """Declare an optional list of values."""
    return field(default=None, metadata={"parameter": Parameter("values")})
