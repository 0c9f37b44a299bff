"""Parameters of measures: checked when a measure is built, and offered by Python, command line and policy files.

A measure declares its fields with the functions below. Each states which values are allowed and, for a limit, on which
side of it scores must be. A field without a `default` must be passed. With ``kw_only=False`` the field may be passed
by position; use it for the main parameter only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, dataclass, field, fields
from importlib import import_module
from operator import attrgetter
from typing import Any, get_args

from PETWorks.errors import ParameterError, did_you_mean, shown
from PETWorks.exact.limit import Limit, Side


@dataclass(frozen=True)
class Parameter:
    """The allowed values of a parameter: a number in a range, a word of a list, True or False, or a list of values."""

    kind: str
    least: int | None = None
    above: int | None = None
    most: int | None = None
    words: tuple[str, ...] = ()
    default: Any = field(default_factory=lambda: MISSING)  # MISSING: a value must be passed
    whole: bool = False  # True: the number must be a whole one
    side: Side | None = None  # the side of this limit on which scores must be; None: not a limit

    @property
    def required(self) -> bool:
        """True if a value must be passed."""
        return self.default is MISSING

    def read(self, given: Any, name: str) -> Any:  # noqa: ANN401
        """Check and convert the value that was passed; raise a ParameterError that says what is expected."""
        match self.kind:
            case "number":
                return None if given is None and not self.required else self._number(given, name)
            case "word" if given not in self.words:
                raise ParameterError(f"{name} cannot be {shown(given)}", hint=did_you_mean(str(given), self.words))
            case "flag" if not isinstance(given, bool):
                raise ParameterError(f"{name} must be True or False, not {shown(given)}")
            case "function":
                return _function(given, name)
            case "values" if given is not None:
                if isinstance(given, str) or not isinstance(given, Sequence):
                    raise ParameterError(f"{name} must be a list of values, not {shown(given)}")
                return tuple(given)
        return given

    def _number(self, given: Any, name: str) -> Limit:  # noqa: ANN401
        limit = Limit.of(given, name, whole=self.whole)
        range_of = {
            f"at least {self.least}": self.least is None or limit.exact >= self.least,
            f"more than {self.above}": self.above is None or limit.exact > self.above,
            f"at most {self.most}": self.most is None or limit.exact <= self.most,
        }
        if not all(range_of.values()):
            expected = " and ".join(text for text in range_of if not text.endswith("None"))
            raise ParameterError(f"{name} must be {expected}, not {shown(given)}")
        return limit


def declared(kind: type) -> dict[str, Parameter]:
    """Return the parameters of a measure by name."""
    return {one.name: one.metadata["parameter"] for one in fields(kind) if "parameter" in one.metadata}


def limits(kind: type) -> dict[str, Side]:
    """Return the parameters of a measure that are limits, each with its side."""
    return {name: one.side for name, one in declared(kind).items() if one.side}


def _function(given: Any, name: str) -> Any:  # noqa: ANN401
    """Return the function that was passed, or import the one that ``"module:name"`` names."""
    if isinstance(given, str):
        module, _, path = given.partition(":")
        try:
            given = attrgetter(path)(import_module(module))
        except (ImportError, AttributeError, ValueError) as error:
            raise ParameterError(f'{name}: there is no function "{given}"', hint='write "module:name"') from error
    if not callable(given):
        raise ParameterError(f"{name} must be a function, not {shown(given)}")
    return given


def number(
    *,
    default: Any = MISSING,  # noqa: ANN401
    limit: Side | None = None,
    least: int | None = None,
    above: int | None = None,
    most: int | None = None,
    whole: bool = False,
    kw_only: bool = True,
) -> Any:  # noqa: ANN401
    """Declare a number, read exactly. `limit` is the side where scores must be; ``default=None``: no limit is set."""
    parameter = Parameter("number", least, above, most, default=default, whole=whole, side=limit)
    return field(default=default, kw_only=kw_only, metadata={"parameter": parameter})


def word(choices: Any, *, default: str) -> Any:  # noqa: ANN401
    """Declare a choice among words; `choices` is the `Literal` type that lists them."""
    return field(default=default, metadata={"parameter": Parameter("word", words=get_args(choices), default=default)})


def flag(*, default: bool) -> Any:  # noqa: ANN401
    """Declare a parameter that is True or False."""
    return field(default=default, metadata={"parameter": Parameter("flag", default=default)})


def column(*, default: None) -> Any:  # noqa: ANN401
    """Declare a column name, which is optional."""
    return field(default=default, metadata={"parameter": Parameter("text", default=default)})


def function(*, kw_only: bool = True) -> Any:  # noqa: ANN401
    """Declare a required function, passed as an object or as ``"module:name"``."""
    return field(kw_only=kw_only, metadata={"parameter": Parameter("function")})


def values(*, default: None) -> Any:  # noqa: ANN401
    """Declare a list of values, which is optional."""
    return field(default=default, metadata={"parameter": Parameter("values", default=default)})
