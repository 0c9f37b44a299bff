"""The fields of a form that was sent, and fields for settings. The request guard has read the body, within limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from starlette.requests import Request

from PETWorks.errors import ParameterError
from PETWorks.settings.kinds import Flag, PerColumn, SettingKind, Whole, Word
from PETWorks.settings.section import Section, Setting, declared, meaning

URLENCODED = "application/x-www-form-urlencoded"
FIELDS = 20_000  # most fields of a form
BODY = "petworks.body"  # where the gate puts the body


class BadRequestError(Exception):
    """A request that no page of the application sends."""


class Form(Mapping[str, str]):
    """Form fields by name; the last value of a repeated name. A missing field is a bad request."""

    def __init__(self, pairs: list[tuple[str, str]]) -> None:
        self._pairs = pairs
        self._last = dict(pairs)

    def __getitem__(self, name: str) -> str:
        """Return the value of a field."""
        try:
            return self._last[name]
        except KeyError:
            raise BadRequestError(f"the form has no field {name!r}") from None

    def __contains__(self, name: object) -> bool:
        """Return True if there is such a field."""
        return name in self._last

    def get(self, name: str, default: str = "") -> str:  # type: ignore[override]
        """Return the value of a field; the default if there is none."""
        return self._last.get(name, default)

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return iter(self._last)

    def __len__(self) -> int:
        """Return the number of names."""
        return len(self._last)

    def all(self, name: str) -> list[str]:
        """Return all values of a field that may occur several times, such as checkboxes."""
        return [value for key, value in self._pairs if key == name]

    def number(self, name: str) -> int:
        """Return an integer that a page of the application wrote, such as the number of a column."""
        text = self[name]
        if not (text.isascii() and text.isdecimal() and len(text) < 10):  # noqa: PLR2004
            raise BadRequestError(f"the field {name!r} is no number")
        return int(text)


def form_of(request: Request) -> Form:
    """Return the fields of the form that a request sends."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().casefold()
    body: bytes = request.scope.get(BODY, b"")
    if body and kind != URLENCODED:
        raise BadRequestError("forms are sent as " + URLENCODED)
    try:
        pairs = parse_qsl(
            body.decode("ascii"),
            keep_blank_values=True,
            strict_parsing=bool(body),
            errors="strict",
            max_num_fields=FIELDS,
        )
    except ValueError as error:
        raise BadRequestError("the form cannot be read") from error
    return Form([(name, value.replace("\r\n", "\n")) for name, value in pairs])


FLAGS = {"true": True, "false": False}


@dataclass(frozen=True)
class SettingField:
    """The field of a setting: a choice among `words`, or one line of text if there are none."""

    setting: Setting
    meaning: str
    text: str  # what the policy says, or what was sent; "" for the default
    wrong: str = ""  # why it was refused

    @property
    def name(self) -> str:
        """The name of the field, which no other field of a page has."""
        return f"setting-{self.setting.name}"

    @property
    def words(self) -> tuple[str, ...]:
        """The words to choose from."""
        kind = self.setting.kind
        return kind.words if isinstance(kind, Word) else tuple(FLAGS) if isinstance(kind, Flag) else ()

    def with_form(self, form: Form) -> SettingField:
        """Return the field as it was sent, with the reason if its value is not allowed."""
        text = form.get(self.name, self.text).strip()
        try:
            if text:
                self.setting.kind.read(_read_text(self.setting.kind, text), self.setting.name)
        except ParameterError as error:
            return SettingField(self.setting, self.meaning, text, str(error))
        return SettingField(self.setting, self.meaning, text)

    @property
    def plain(self) -> Any:  # noqa: ANN401 (what a policy holds)
        """The value in the policy; None for the default."""
        return _read_text(self.setting.kind, self.text) if self.text else None


def list_setting_fields(policy: Mapping[str, Any], language: str, *sections: type[Section]) -> tuple[SettingField, ...]:
    """Return a field for each setting that no screen shows in its own way, and that is one line of text."""
    return tuple(
        SettingField(one, meaning(section, name, language), _write_text(policy.get(name)))
        for section in sections
        for name, one in declared(section).items()
        if one.form and one.policy and not isinstance(one.kind, PerColumn)
        if not isinstance(policy.get(name), Mapping | list)
    )


def _read_text(kind: SettingKind, text: str) -> Any:  # noqa: ANN401
    if isinstance(kind, Flag):
        return FLAGS.get(text, text)
    return int(text) if isinstance(kind, Whole) and text.isascii() and text.isdecimal() else text


def _write_text(value: Any) -> str:  # noqa: ANN401
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
