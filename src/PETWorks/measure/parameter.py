"""How the fields of a measure become its parameters: checked when the measure is made, and known to every door."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, dataclass, field, fields
from importlib import import_module
from operator import attrgetter
from typing import Any

from PETWorks.errors import ParameterError, did_you_mean
from PETWorks.exact.limit import Limit


@dataclass(frozen=True)
class Parameter:
    """What a parameter may be: a number within a range, one of some words, yes or no, or a list of values."""

    kind: str
    least: int | None = None
    above: int | None = None
    most: int | None = None
    words: tuple[str, ...] = ()
    required: bool = False

    def read(self, given: Any, name: str) -> Any:  # noqa: ANN401
        """Check what the caller gave; a ParameterError says what is expected."""
        match self.kind:
            case "number":
                return None if given is None and not self.required else self._number(given, name)
            case "word" if given not in self.words:
                raise ParameterError(f"{name} cannot be {given!r}", hint=did_you_mean(str(given), self.words))
            case "flag" if not isinstance(given, bool):
                raise ParameterError(f"{name} must be True or False, not {given!r}")
            case "function":
                return _function(given, name)
            case "values" if given is not None:
                if isinstance(given, str) or not isinstance(given, Sequence):
                    raise ParameterError(f"{name} must be a list of values, not {given!r}")
                return tuple(given)
        return given

    def _number(self, given: Any, name: str) -> Limit:  # noqa: ANN401
        limit = Limit.of(given, name)
        range_of = {
            f"at least {self.least}": self.least is None or limit.exact >= self.least,
            f"more than {self.above}": self.above is None or limit.exact > self.above,
            f"at most {self.most}": self.most is None or limit.exact <= self.most,
        }
        if not all(range_of.values()):
            expected = " and ".join(text for text in range_of if not text.endswith("None"))
            raise ParameterError(f"{name} must be {expected}, not {given!r}")
        return limit


def declared(kind: type) -> dict[str, Parameter]:
    """Give the parameters of a measure by name."""
    return {one.name: one.metadata["parameter"] for one in fields(kind) if "parameter" in one.metadata}


def _function(given: Any, name: str) -> Any:  # noqa: ANN401
    """Pass a function on, or find the one that ``"module:name"`` means."""
    if isinstance(given, str):
        module, _, path = given.partition(":")
        try:
            given = attrgetter(path)(import_module(module))
        except (ImportError, AttributeError, ValueError) as error:
            raise ParameterError(f'{name}: there is no function "{given}"', hint='write "module:name"') from error
    if not callable(given):
        raise ParameterError(f"{name} must be a function, not {given!r}")
    return given


def number(
    *,
    least: int | None = None,
    above: int | None = None,
    most: int | None = None,
    default: Any = None,  # noqa: ANN401
) -> Any:  # noqa: ANN401
    """Declare a number, read exactly; None means that no limit is set."""
    return field(default=default, metadata={"parameter": Parameter("number", least, above, most)})


def amount() -> Any:  # noqa: ANN401
    """Declare an amount of money, which must be given."""
    return field(default=MISSING, metadata={"parameter": Parameter("number", 0, required=True)})


def word(*words: str) -> Any:  # noqa: ANN401
    """Declare a choice among words; the first is the default."""
    return field(default=words[0], metadata={"parameter": Parameter("word", words=words)})


def flag(*, default: bool) -> Any:  # noqa: ANN401
    """Declare a yes or no."""
    return field(default=default, metadata={"parameter": Parameter("flag")})


def text() -> Any:  # noqa: ANN401
    """Declare an optional name."""
    return field(default=None, metadata={"parameter": Parameter("text")})


def function() -> Any:  # noqa: ANN401
    """Declare a function, which must be given: itself, or as ``"module:name"``."""
    return field(default=MISSING, metadata={"parameter": Parameter("function")})


def values() -> Any:  # noqa: ANN401
    """Declare an optional list of values."""
    return field(default=None, metadata={"parameter": Parameter("values")})
