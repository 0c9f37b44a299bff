"""Parameters of measures: checked when a measure is built, and offered by Python, command line and policy files.

A measure declares its fields with the functions below. Each states which values are allowed and, for a limit, on which
side of it scores must be. A field without a `default` must be passed. With ``kw_only=False`` the field may be passed by
position; use it for the main parameter only.

Text that a person types into a field is parsed to the plain value that a policy has, and back. Numbers stay text, so
that 2/5 and 0.4 are read exactly; whole ones become whole numbers. Only the form of a table is checked there:
`Parameter.read` checks the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from fractions import Fraction
from importlib import import_module
from operator import attrgetter
from typing import Any, get_args
from unicodedata import normalize

from PETWorks.errors import ParameterError, did_you_mean, show_value
from PETWorks.exact.limit import Limit, Side, write_exact


@dataclass(frozen=True)
class Parameter:
    """The allowed values of a parameter: a number in a range, a word, True or False, a list or a table of values."""

    kind: str
    least: int | None = None
    above: int | None = None
    most: int | None = None
    words: tuple[str, ...] = ()
    default: Any = field(default_factory=lambda: MISSING)  # MISSING: a value must be passed
    whole: bool = False  # True: the number must be a whole one
    side: Side | None = None  # the side of this limit on which scores must be; None: not a limit
    percent: bool = False  # True: the number may be written as "1%"
    names: bool = False  # True: a list of columns, of which one may be passed as text
    inner: Mapping[str, Parameter] = field(default_factory=dict)  # the keys of a table that replaces a number
    of_values: bool = False  # True: the names of a table are values of a column, so case matters
    nested: bool = False  # True: each name has a table of its own

    @property
    def required(self) -> bool:
        """True if a value must be passed."""
        return self.default is MISSING

    def never_fails(self, limit: Limit) -> bool:
        """Return True if a limit is the end of the score range, so that no score is on its wrong side."""
        if self.side is Side.AT_LEAST:
            return self.least is not None and limit.exact <= self.least
        return self.side is Side.AT_MOST and self.most is not None and limit.exact >= self.most

    def read(self, given: Any, name: str) -> Any:  # noqa: ANN401
        """Check and convert the value that was passed; raise a ParameterError that states what is expected."""
        if given is None and not self.required and self.kind not in ("word", "flag"):
            return None
        match self.kind:
            case "number":
                return self._read_number(given, name)
            case "word" if given not in self.words:
                raise ParameterError(f"{name} cannot be {show_value(given)}", hint=did_you_mean(str(given), self.words))
            case "flag" if not isinstance(given, bool):
                raise ParameterError(f"{name} must be True or False, not {show_value(given)}")
            case "text" if given is not None and not isinstance(given, str):
                raise ParameterError(f"{name} must be the name of a column, not {show_value(given)}")
            case "function" | "model":
                given = _read_function(given, name)
            case "formula":
                given = _read_formula(given, name)
            case "table":
                return self._read_table(given, name)
            case "values" if given is not None:
                return _read_names(given, name) if self.names else _read_values(given, name)
        return given

    def _read_number(self, given: Any, name: str) -> Limit:  # noqa: ANN401
        if self.percent and isinstance(given, str) and given.strip().endswith("%"):
            given = Limit.of(given.strip().removesuffix("%"), name).exact / 100
        limit = Limit.of(given, name, whole=self.whole)
        range_of = {
            f"at least {self.least}": self.least is None or limit.exact >= self.least,
            f"more than {self.above}": self.above is None or limit.exact > self.above,
            f"at most {self.most}": self.most is None or limit.exact <= self.most,
        }
        if not all(range_of.values()):
            expected = " and ".join(text for text in range_of if not text.endswith("None"))
            raise ParameterError(f"{name} must be {expected}, not {show_value(given)}")
        return limit

    def _read_table(self, given: Any, name: str) -> NumberTable:  # noqa: ANN401
        """Read names with numbers; a word that may stand alone is certain, so its number is 1."""
        if given in self.words:
            given = {given: 1}
        if not isinstance(given, Mapping) or not given:
            alone = "".join(f', or "{word}"' for word in self.words)
            raise ParameterError(f"{name} must be names with numbers{alone}, not {show_value(given)}")
        found: dict[str, Any] = {}
        for key, value in given.items():
            if not isinstance(key, str) or not key.strip():
                raise ParameterError(f"{name}: a name must be text, not {show_value(key)}")
            if not self.of_values and key.strip().casefold() in map(str.casefold, found):
                raise ParameterError(f'{name} has the name "{key.strip()}" twice', hint="state it once")
            found[key.strip()] = self._read_entry(value, f"{name}.{key.strip()}")
        for word in self.words:
            if word in found and getattr(found[word], "exact", None) != 1:
                raise ParameterError(f"{name}.{word} is certain, so it must be 1, not {show_value(given[word])}")
        return NumberTable(found)

    def _read_entry(self, given: Any, name: str) -> Any:  # noqa: ANN401
        if self.nested:
            return replace(self, nested=False).read(given, name)
        nested = isinstance(given, Mapping) and self.inner
        return self._read_nested(given, name) if nested else self._read_number(given, name)

    def _read_nested(self, given: Mapping[str, Any], name: str) -> NumberTable:
        for key in given:
            if key not in self.inner:
                raise ParameterError(f'{name} has no key "{key}"', hint=did_you_mean(str(key), self.inner))
        if lacking := [key for key in self.inner if key not in given]:
            raise ParameterError(f"{name} also needs {', '.join(lacking)}")
        return NumberTable({key: one.read(given[key], f"{name}.{key}") for key, one in self.inner.items()})


class NumberTable(Mapping[str, Any]):
    """Names with numbers, or with tables of numbers; equal tables have equal hashes."""

    def __init__(self, content: Mapping[str, Any]) -> None:
        self._content = dict(content)

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401
        """Return the number or table of a name."""
        return self._content[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names, in the order in which they were given."""
        return iter(self._content)

    def __len__(self) -> int:
        """Return the number of names."""
        return len(self._content)

    def __hash__(self) -> int:
        """Hash the names with their numbers or tables, in any order."""
        return hash(frozenset(self._content.items()))

    def __repr__(self) -> str:
        """Return the table as a dictionary, from which an equal table is read."""
        return repr(self._content)


def find_parameters(kind: type) -> dict[str, Parameter]:
    """Return the parameters of a measure by name."""
    return {one.name: one.metadata["parameter"] for one in fields(kind) if "parameter" in one.metadata}


def find_limits(kind: type) -> dict[str, Side]:
    """Return the parameters of a measure that are limits, each with its side."""
    return {name: one.side for name, one in find_parameters(kind).items() if one.side}


def list_value_parameters(kind: type) -> list[str]:
    """Return the parameters of a measure that name values of a table, which the public does not get."""
    known = find_parameters(kind).items()
    return [name for name, one in known if one.of_values or one.kind == "values"]


def _read_values(given: Any, name: str) -> tuple[Any, ...]:  # noqa: ANN401
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise ParameterError(f"{name} must be a list of values, not {show_value(given)}")
    return tuple(given)


def _read_names(given: Any, name: str) -> tuple[str, ...]:  # noqa: ANN401
    """Return the names of columns; raise an error if there are none, or if one is repeated."""
    listed = [given] if isinstance(given, str) else given
    if isinstance(given, Sequence) and not given:
        raise ParameterError(f"{name} names no column", hint="name one, or leave it out")
    if not isinstance(listed, Sequence) or not listed or not all(isinstance(one, str) for one in listed):
        raise ParameterError(f"{name} must be a column or a list of columns, not {show_value(given)}")
    found = tuple(one.strip() for one in listed)
    if twice := [one for one in found if found.count(one) > 1]:
        raise ParameterError(f'{name} has "{twice[0]}" twice', hint="name it once")
    return found


def _read_formula(given: Any, name: str) -> str:  # noqa: ANN401
    if not isinstance(given, str) or not parse_formula(given):
        hint = 'write "income ~ age + hours", with names of columns, each once'
        raise ParameterError(f"{name} must be a formula, not {show_value(given)}", hint=hint)
    return given


def _read_function(given: Any, name: str) -> Any:  # noqa: ANN401
    """Return the function that was passed, or import the one that ``"module:name"`` names."""
    if isinstance(given, str):
        module, _, path = given.partition(":")
        try:
            given = attrgetter(path)(import_module(module))
        except (ImportError, AttributeError, ValueError) as error:
            raise ParameterError(f'{name}: there is no function "{given}"', hint='write "module:name"') from error
    if not callable(given):
        raise ParameterError(f"{name} must be a function, not {show_value(given)}")
    return given


def number(
    *,
    default: Any = MISSING,  # noqa: ANN401
    limit: Side | None = None,
    least: int | None = None,
    above: int | None = None,
    most: int | None = None,
    whole: bool = False,
    percent: bool = False,
    kw_only: bool = True,
) -> Any:  # noqa: ANN401
    """Declare a number, read exactly. `limit` is the side where scores must be; ``default=None``: no limit is set."""
    parameter = Parameter("number", least, above, most, default=default, whole=whole, percent=percent, side=limit)
    return field(default=default, kw_only=kw_only, metadata={"parameter": parameter})


def word(choices: Any, *, default: Any = MISSING) -> Any:  # noqa: ANN401
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


def model(*, default: None) -> Any:  # noqa: ANN401
    """Declare an optional function that builds a model, passed as an object or as ``"module:name"``."""
    return field(default=default, metadata={"parameter": Parameter("model", default=default)})


def formula() -> Any:  # noqa: ANN401
    """Declare a required formula such as ``"income ~ age + hours"``."""
    return field(kw_only=False, metadata={"parameter": Parameter("formula")})


def parse_formula(text: str) -> tuple[str, ...]:
    """Return the columns of a formula, first the one that is explained; () if it is none, or names a column twice.

    A 1 stands for no column: only the constant is estimated.

    >>> parse_formula("income ~ age + hours"), parse_formula("income ~ 1"), parse_formula("income")
    (('income', 'age', 'hours'), ('income',), ())
    """
    left, _, right = text.partition("~")
    names = tuple(name.strip() for name in (left, *([] if right.strip() == "1" else right.split("+"))))
    return names if all(names) and len(set(names)) == len(names) and "+" not in left and "~" not in right else ()


def columns(*, default: Any = MISSING) -> Any:  # noqa: ANN401
    """Declare one column or a list of columns."""
    return field(default=default, metadata={"parameter": Parameter("values", names=True, default=default)})


def values(*, default: None) -> Any:  # noqa: ANN401
    """Declare a list of values, which is optional."""
    return field(default=default, metadata={"parameter": Parameter("values", default=default)})


def table(
    *,
    least: int | None = None,
    most: int | None = None,
    alone: Sequence[str] = (),
    inner: Mapping[str, Any] | None = None,
    whole: bool = False,
    of_values: bool = False,
    nested: bool = False,
    default: Any = MISSING,  # noqa: ANN401
) -> Any:  # noqa: ANN401
    """Declare names with numbers in a range.

    A word in `alone` may be passed instead of a table: its number is 1. With `inner`, declared like fields, a name may
    have a table of just these in place of its number. Names that are values of a column (`of_values`) may differ
    in case alone. With `nested`, each name has a table of its own.
    """
    parameter = Parameter(
        "table",
        least,
        most=most,
        words=tuple(alone),
        default=default,
        whole=whole,
        inner={name: one.metadata["parameter"] for name, one in (inner or {}).items()},
        of_values=of_values,
        nested=nested,
    )
    return field(default=default, metadata={"parameter": parameter})


PERCENT = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*%")
WHOLE = re.compile(r"[+-]?[0-9]{1,18}", re.ASCII)


def parse_field(parameter: Parameter, text: str, name: str) -> Any:  # noqa: ANN401
    """Return the value that a policy has for the typed text; None if it is empty.

    Full-width digits are read as usual, and a percentage as its share.

    >>> [parse_field(Parameter("number"), text, "t") for text in (" 5 ", "2/5", "", "９%", "0.5 %")]
    [5, '2/5', None, '0.09', '0.005']
    """
    given = text.strip()
    if parameter.kind == "number":
        given = normalize("NFKC", given)
        if percent := PERCENT.fullmatch(given):
            given = write_exact(Fraction(percent[1]) / 100)
    if parameter.kind == "flag":
        return given == "true"
    if not given:
        return None
    match parameter.kind:
        case "number" if WHOLE.fullmatch(given):
            return int(given)
        case "values":
            return [line.strip() for line in given.splitlines() if line.strip()]
        case "table":
            found = parse_entries(parameter, [line for line in map(str.strip, given.splitlines()) if line], name)
            return next(iter(found)) if len(found) == 1 and next(iter(found)) in parameter.words else found
    return given


def parse_entries(parameter: Parameter, lines: Sequence[str], name: str) -> dict[str, Any]:
    """Return a table that was typed entry by entry: NAME=NUMBER, NAME.KEY=NUMBER, or a word that may stand alone.

    >>> known = Parameter("table", words=("public",))
    >>> lines = ["public", "insider = 0.05", "friend.prevalence=0.01", "friend.acquaintances=150"]
    >>> parse_entries(known, lines, "attempts")
    {'public': 1, 'insider': '0.05', 'friend': {'prevalence': '0.01', 'acquaintances': '150'}}
    """
    found: dict[str, Any] = {}
    for entry in lines:
        key, given, number = (part.strip() for part in entry.rpartition("="))
        if not given and entry not in parameter.words:
            raise ParameterError(f'{name} must be NAME=NUMBER, not "{entry}"', hint=f"write {name} insider=0.05")
        if "=" in key:
            parts = " ".join(f"{name} {part.strip()}" for part in entry.split(","))
            raise ParameterError(f'{name} must be NAME=NUMBER, not "{entry}"', hint=f"write {parts}")
        outer, _, inner = (key or entry).partition(".")
        place, last = (found.setdefault(outer, {}), inner) if inner else (found, outer)
        if not isinstance(place, dict) or last in place:
            raise ParameterError(f'{name} has the name "{outer}" twice', hint="state it once")
        place[last] = number if given else 1
    return found


def format_field(value: Any) -> str:  # noqa: ANN401
    """Return the text by which a user would enter a value of the policy in a field.

    >>> format_field({"insider": "0.05", "friend": {"prevalence": "0.01"}}).splitlines(), format_field(None)
    (['insider = 0.05', 'friend.prevalence = 0.01'], '')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        lines = []
        for name, one in value.items():
            inner = (
                {f"{name}.{key}": number for key, number in one.items()} if isinstance(one, Mapping) else {name: one}
            )
            lines += [f"{key} = {number}" for key, number in inner.items()]
        return "\n".join(lines)
    return "\n".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
