"""The fields of each builder: what a form shows for the settings of a rule, and the settings that a form says."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from PETWorks.app.forms import Form
from PETWorks.errors import MANY, PETWorksError
from PETWorks.hierarchies.counts import Counts
from PETWorks.hierarchies.dates import CALENDARS
from PETWorks.hierarchies.dates import LEVELS as PERIODS
from PETWorks.hierarchies.places import LEVELS as AREAS

Settings = Mapping[str, Any]
WHOLE = re.compile(r"[+-]?\d{1,18}", re.ASCII)
MOST = 12  # levels, and therefore fields, of a list


class Field(NamedTuple):
    """A field: the key that it has in the policy, and how it is shown."""

    name: str
    form: Literal["list", "text", "boxes", "choice", "lines"]
    choices: Sequence[str] = ()
    words: Sequence[str] = ()  # in a message about this field
    default: str = ""  # the choice that a policy leaves out; "": there is one more, to leave it open


BUILDERS: Mapping[str, Sequence[Field]] = {
    "intervals": (
        Field("intervals", "list"),
        Field("bottom", "text", words=("bottom is", "bottom must", "bottom cannot")),
        Field("top", "text", words=("top must", "top is", "top cannot")),
        Field("origin", "text", words=("origin",)),
    ),
    "ordered": (Field("ordered", "lines"), Field("sizes", "list", words=("sizes", "groups of", "missing key"))),
    "prefixes": (
        Field("prefixes", "list"),
        Field("keep_from", "choice", ("left", "right"), words=("keep_from",), default="left"),
        Field("mask", "text", words=("mask",)),
    ),
    "dates": (
        Field("dates", "boxes", PERIODS),
        Field("read", "choice", CALENDARS, words=("short",)),
        Field("write", "choice", CALENDARS, words=("both calendars",)),
    ),
    "places": (Field("places", "boxes", AREAS),),
    "rare_last": (Field("rare_last", "list"), Field("label", "text", words=("label",))),
    "quantiles": (Field("quantiles", "list"),),
}
STARTS: Mapping[str, Settings] = {  # where nothing is suggested
    "intervals": {"intervals": [10, 20]},
    "prefixes": {"prefixes": [3, 1]},
    "dates": {"dates": ["month", "year", "decade"]},
    "places": {"places": [*AREAS]},
    "rare_last": {"rare_last": ["1%", "5%"]},
    "quantiles": {"quantiles": [8, 4, 2]},
}


def start(kind: str, counts: Counts, suggested: Settings | None) -> Settings:
    """Return what the fields of a builder hold at first: what is suggested, or else something to begin with."""
    if suggested and kind in suggested:
        if kind == "ordered":  # without values that few people have
            return {**suggested, kind: [value for value in suggested[kind] if counts.get(value, 0) >= MANY]}
        return suggested
    if kind == "ordered":
        return {kind: [value for value, people in counts.items() if value and people >= MANY][:500], "sizes": [2]}
    return STARTS.get(kind, {})


def shown(field: Field, settings: Settings, hidden: Sequence[str] = ()) -> Any:  # noqa: ANN401
    """Return what a field shows: a text, or several. Values that are `hidden` are shown as numbers in brackets."""
    given = settings.get(field.name)
    if field.form == "list":
        several = given if isinstance(given, list) else [] if given is None else [given]
        texts = [", ".join(map(str, one)) if isinstance(one, list) else str(one) for one in several]
        return [*texts, ""][:MOST]
    if field.form == "boxes":
        return [given] if isinstance(given, str) else given or []
    if field.form == "lines":
        marks = {value: f"‹{number}›" for number, value in enumerate(hidden, 1)}
        return "\n".join(marks.get(str(one), str(one)) for one in given or ())
    return field.default if given is None else str(given)


def said(kind: str, form: Form, hidden: Sequence[str] = ()) -> dict[str, Any]:
    """Return the settings that a form says; what they mean is judged by the library."""
    marks = {f"‹{number}›": value for number, value in enumerate(hidden, 1)}
    settings: dict[str, Any] = {}
    for field in BUILDERS[kind]:
        texts = [text.strip() for text in form.all(field.name)]
        if field.form == "boxes":
            settings[field.name] = [one for one in field.choices if one in texts]
        elif field.form == "lines":
            lines = [line.strip() for text in texts for line in text.split("\n")]
            settings[field.name] = [marks.get(line, line) for line in lines if line]
        elif field.form == "list":
            settings[field.name] = [_figures(text) for text in texts if text]
        elif texts and texts[-1] not in ("", field.default):
            settings[field.name] = _figure(texts[-1]) if field.name in ("bottom", "top", "origin") else texts[-1]
    return settings


def field_of(kind: str, error: PETWorksError) -> str:
    """Return the field that an error is about: the main one if no other is named."""
    fields = BUILDERS.get(kind, ())
    named = (field.name for field in fields for words in field.words if words in error.problem)
    return next(named, fields[0].name if fields else kind)


def _figures(text: str) -> Any:  # noqa: ANN401
    """Read a number, or several with commas between them."""
    several = [part.strip() for part in text.split(",") if part.strip()]
    return _figure(text) if len(several) < 2 else [_figure(part) for part in several]  # noqa: PLR2004


def _figure(text: str) -> int | str:
    """Read a whole number; other numbers stay text, so that they are read exactly."""
    return int(text) if WHOLE.fullmatch(text) else text
