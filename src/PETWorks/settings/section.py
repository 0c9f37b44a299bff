"""Sections of settings: frozen dataclasses whose fields are declared by the functions below.

A section checks its values when it is built. `declared` returns its settings, from which the command line, policies,
forms and Python's signatures are built; `meaning` returns what a setting means, in each language.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from keyword import iskeyword
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self, TypeVar, dataclass_transform, get_args

from PETWorks.errors import UnknownNameError, did_you_mean
from PETWorks.exact.limit import Limit
from PETWorks.settings.kinds import (
    Anything,
    DayText,
    Delimiter,
    Duration,
    EditionList,
    Flag,
    Marker,
    MeasureName,
    Names,
    PerColumn,
    SettingKind,
    Share,
    Size,
    Text,
    WeightPerColumn,
    Whole,
    Word,
)
from PETWorks.settings.preparing import DerivationPerColumn, PreparationTable
from PETWorks.settings.treatments import TreatmentPerColumn

Given = TypeVar("Given", contravariant=True)  # noqa: PLC0105 (as a reader of an annotation sees it)
Value = TypeVar("Value", covariant=True)  # noqa: PLC0105


class Converted(Protocol[Given, Value]):
    """The descriptor of a field that accepts more types than it stores."""

    def __get__(self, section: object, kind: type | None = None, /) -> Value:
        """Return the value."""

    def __set__(self, section: object, given: Given, /) -> None:
        """Convert and store the value."""


@dataclass(frozen=True)
class Setting:
    """One setting: its name, its kind, its default, and where it applies."""

    name: str
    kind: SettingKind
    default: Any  # as a plain value; None, () and {}: not set
    option: str | None = None  # of the command line; None: --its-name; "": none
    short: str = ""  # its short option
    policy: bool = True  # True: a key of a policy file
    required: bool = False  # True: a policy file must have it
    form: bool = True  # True: the application lists it as a field; False: a screen has a control of its own for it

    @property
    def optional(self) -> bool:
        """True if None may be passed."""
        return self.default is None or self.default in ((), {})

    @property
    def option_name(self) -> str:
        """The option of the command line; empty if there is none."""
        return f"--{self.name.replace('_', '-')}" if self.option is None else self.option

    @property
    def annotation(self) -> str:
        """The type of the keyword in Python."""
        kind = self.kind.annotation
        return f"{kind} | None" if self.optional and kind != "Any" else kind


def _declare(kind: SettingKind, default: Any, positional: bool, where: Mapping[str, Any]) -> Any:  # noqa: ANN401, FBT001
    metadata = {"setting": Setting("", kind, default, **where)}
    options: dict[str, Any] = {"metadata": metadata, "kw_only": not positional}
    if isinstance(default, dict):
        return field(default_factory=dict, **options)
    return field(default=Limit.of(default) if isinstance(kind, Share) else default, **options)


def declare_word(choices: Any, *, default: str | None, **where: Any) -> Any:  # noqa: ANN401
    """Declare a choice among words, or among those of a `Literal`."""
    return _declare(
        Word(choices if isinstance(choices, tuple) else get_args(choices)), default, positional=False, where=where
    )


def declare_flag(*, default: bool, **where: Any) -> Any:  # noqa: ANN401
    """Declare a flag."""
    return _declare(Flag(), default, positional=False, where=where)


def declare_whole(*, default: None, **where: Any) -> Any:  # noqa: ANN401
    """Declare a whole number from 0."""
    return _declare(Whole(), default, positional=False, where=where)


def declare_share(*, default: int, **where: Any) -> Any:  # noqa: ANN401
    """Declare a share of the rows."""
    return _declare(Share(), default, positional=False, where=where)


def declare_text(*, default: str | None, metavar: str = "TEXT", kw_only: bool = True, **where: Any) -> Any:  # noqa: ANN401
    """Declare text, such as the name of a column."""
    return _declare(Text(metavar), default, positional=not kw_only, where=where)


def declare_day(*, default: None, **where: Any) -> Any:  # noqa: ANN401
    """Declare a day."""
    return _declare(DayText(), default, positional=False, where=where)


def declare_marker(*, default: str, **where: Any) -> Any:  # noqa: ANN401
    """Declare the text of suppressed cells."""
    return _declare(Marker(), default, positional=False, where=where)


def declare_delimiter(*, default: None, **where: Any) -> Any:  # noqa: ANN401
    """Declare a delimiter of cells."""
    return _declare(Delimiter(), default, positional=False, where=where)


def declare_path(*, default: None, metavar: str = "FILE", annotation: str = "Any", **where: Any) -> Any:  # noqa: ANN401
    """Declare a path; Python also accepts other values, such as a table."""
    return _declare(Anything(metavar, annotation), default, positional=False, where=where)


def declare_editions(*, default: tuple[()], **where: Any) -> Any:  # noqa: ANN401
    """Declare earlier releases of the same people."""
    return _declare(EditionList(), default, positional=False, where=where)


def declare_size(*, default: None, **where: Any) -> Any:  # noqa: ANN401
    """Declare an amount of memory."""
    return _declare(Size(), default, positional=False, where=where)


def declare_names(*, default: tuple[()], **where: Any) -> Any:  # noqa: ANN401
    """Declare names of columns."""
    return _declare(Names(), default, positional=False, where=where)


def declare_duration(*, default: None, **where: Any) -> Any:  # noqa: ANN401
    """Declare a time."""
    return _declare(Duration(), default, positional=False, where=where)


def declare_measure(*, default: None, **where: Any) -> Any:  # noqa: ANN401
    """Declare a measure."""
    return _declare(MeasureName(), default, positional=False, where=where)


def declare_levels(*, default: dict[str, Any], **where: Any) -> Any:  # noqa: ANN401
    """Declare a level for each of some columns."""
    return _declare(PerColumn(), default, positional=False, where=where)


def declare_weights(*, default: dict[str, Any], **where: Any) -> Any:  # noqa: ANN401
    """Declare a weight for each of some columns."""
    return _declare(WeightPerColumn(), default, positional=False, where=where)


def declare_treatments(*, default: dict[str, Any], **where: Any) -> Any:  # noqa: ANN401
    """Declare a treatment for each of some columns."""
    return _declare(TreatmentPerColumn(), default, positional=False, where=where)


def declare_preparation(*, default: dict[str, Any], **where: Any) -> Any:  # noqa: ANN401
    """Declare how a raw table is prepared."""
    return _declare(PreparationTable(), default, positional=False, where=where)


def declare_derivations(*, default: dict[str, Any], **where: Any) -> Any:  # noqa: ANN401
    """Declare how each of some columns is derived."""
    return _declare(DerivationPerColumn(), default, positional=False, where=where)


@dataclass_transform(
    frozen_default=True,
    kw_only_default=True,
    field_specifiers=(
        declare_word,
        declare_flag,
        declare_whole,
        declare_share,
        declare_text,
        declare_day,
        declare_marker,
        declare_delimiter,
        declare_path,
        declare_editions,
        declare_size,
        declare_names,
        declare_duration,
        declare_measure,
        declare_levels,
        declare_weights,
        declare_treatments,
        declare_preparation,
        declare_derivations,
    ),
)
class Section:
    """A group of settings. Each subclass becomes a frozen dataclass."""

    table: ClassVar[str]  # the table of a policy file that has them; empty: none

    def __init_subclass__(cls, **options: Any) -> None:  # noqa: ANN401
        super().__init_subclass__(**options)
        dataclass(frozen=True, kw_only=True)(cls)
        for name, setting in declared(cls).items():
            cls.__init__.__annotations__[name_field(name)] = setting.annotation  # what `help` shows

    def __post_init__(self) -> None:
        """Convert every value, then check the section as a whole."""
        for name, setting in declared(type(self)).items():
            field, given = name_field(name), getattr(self, name_field(name))
            if given is not None or not setting.optional:
                object.__setattr__(self, field, setting.kind.read(given, name))
            elif setting.default is not None:
                object.__setattr__(self, field, setting.kind.read(type(setting.default)(), name))
        self.check()

    def check(self) -> None:
        """Raise an error for settings that contradict each other."""

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """Build the section from values by name; an unknown name is an error."""
        if unknown := [name for name in given if name not in declared(cls)]:
            hint = did_you_mean(unknown[0], declared(cls))
            raise UnknownNameError(f'unknown key "{unknown[0]}"', where=f"[{cls.table}]", hint=hint)
        return cls(**{name_field(name): one for name, one in given.items()})

    @classmethod
    def pick(cls, values: Mapping[str, Any]) -> Self:
        """Build the section from a dict that may also have the settings of other sections."""
        return cls(**{name_field(name): values[name] for name in declared(cls) if name in values})

    def values(self) -> dict[str, Any]:
        """Return the values by name, as keyword arguments."""
        return {name: getattr(self, name_field(name)) for name in declared(type(self))}

    def plain(self, *, defaults: bool = True) -> dict[str, Any]:
        """Return the settings as plain values; without `defaults`, only those that differ from their default."""
        found = {}
        for name, setting in declared(type(self)).items():
            value = getattr(self, name_field(name))
            one = None if value is None else setting.kind.plain(value)
            unset = one is None or one in ([], {}) or (type(one) is type(setting.default) and one == setting.default)
            if defaults or not unset:
                found[name] = one
        return found

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the values, in the order of their declarations."""
        return iter(self.values().values())


def declared(*sections: type[Section]) -> dict[str, Setting]:
    """Return the settings of some sections by name."""
    found: dict[str, Setting] = {}
    for section in sections:
        for one in fields(section):  # type: ignore[arg-type]  # a dataclass since its definition
            if setting := one.metadata.get("setting"):
                name = one.name.rstrip("_")
                found[name] = _name_settings(setting, name)
    return found


def name_field(name: str) -> str:
    """Return the field of a setting: its name; with "_" at its end if Python keeps the name for itself (from)."""
    return f"{name}_" if iskeyword(name) else name


def write_parameters(*sections: type[Section], without: Sequence[str] = ()) -> Iterator[str]:
    """Yield the settings of some sections as keyword parameters of Python."""
    for name, one in declared(*sections).items():
        if name not in without:
            default = "None" if one.optional else repr(one.default).replace("'", '"')
            yield f"{name}: {one.annotation} = {default},"


def _name_settings(setting: Setting, name: str) -> Setting:
    if not setting.name:
        object.__setattr__(setting, "name", name)  # a field does not know its name when it is declared
    return setting


@cache
def read_words(language: str) -> Mapping[str, Mapping[str, str]]:
    """Return the meanings in a language, by table and setting."""
    import tomllib

    return tomllib.loads(Path(__file__).with_name(f"words.{language}.toml").read_text(encoding="utf-8"))


def meaning(section: type[Section], name: str, language: str = "en") -> str:
    """Return what a setting means."""
    return read_words(language)[section.table or "engine"][name]


def meanings(*sections: type[Section], language: str = "en") -> dict[str, str]:
    """Return the meaning of each setting of some sections."""
    return {name: meaning(section, name, language) for section in sections for name in declared(section)}
