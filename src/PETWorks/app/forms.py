"""The fields of a form that was sent. The gate has read its body, within limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from urllib.parse import parse_qsl

from starlette.requests import Request

URLENCODED = "application/x-www-form-urlencoded"
FIELDS = 20_000  # most fields of a form
BODY = "petworks.body"  # where the gate puts the body


class BadRequestError(Exception):
    """A request that no page of ours sends."""


class Form(Mapping[str, str]):
    """Fields by name; of a name that occurs several times, the last value. A field that is missing is a bad request."""

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
        """Return all values of a field that may occur several times, such as boxes that are ticked."""
        return [value for key, value in self._pairs if key == name]

    def number(self, name: str) -> int:
        """Return a whole number that a page of ours wrote, such as that of a column."""
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
