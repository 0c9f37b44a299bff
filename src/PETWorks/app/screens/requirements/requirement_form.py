"""The forms of requirements: a field for each parameter that a measure declares, and the reading of a sent form.

The library validates the values of a form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup, escape

from PETWorks.app.forms import Form
from PETWorks.app.project.draft import Draft
from PETWorks.app.responses import Say
from PETWorks.app.session import Session
from PETWorks.errors import PETWorksError, UnknownNameError
from PETWorks.facts.notes import Reason
from PETWorks.facts.roles import Role
from PETWorks.measure.base import Measure
from PETWorks.measure.parameter import Parameter, find_limits, find_parameters, format_field, parse_field
from PETWorks.measure.registry import find
from PETWorks.measure.steps import Name
from PETWorks.policy.requirements import FILL_IN, faults
from PETWorks.policy.toml import DecimalLiteral
from PETWorks.render.words import words

PREFIX = "p_"  # of field names; the name of the parameter follows
MAX_CHOICES = 200  # columns in a list; if there are more, the name is typed
OWN_WORDS = ("t", "k")  # parameters with their own error text


@dataclass(frozen=True)
class RejectedForm:
    """A rejected form: texts and errors by parameter, and the other fields."""

    number: int
    texts: Mapping[str, str]
    wrong: Mapping[str, PETWorksError]
    reason_needed: bool = False
    others: Mapping[str, str] = field(default_factory=dict)  # why, source, clause, reason


@dataclass(frozen=True)
class Choice:
    """An option of a list."""

    value: str
    text: str
    chosen: bool


@dataclass(frozen=True)
class TableEntry:
    """A name and a number, as an entry of a parameter that is a table."""

    name: str
    number: str
    about: str


@dataclass(frozen=True)
class ParameterField:
    """A parameter as a field of a form."""

    name: str
    kind: str
    label: Markup
    value: str
    about: str  # its meaning
    is_open: bool  # True: it must be filled in and is not
    is_limit: bool
    whole: bool
    error: Markup | None
    problem: str  # the same error, as on the command line
    choices: tuple[Choice, ...] = ()
    entries: tuple[TableEntry, ...] = ()

    @property
    def key(self) -> str:
        """The name of the field in the form."""
        return PREFIX + self.name


@dataclass(frozen=True)
class FieldBuilder:
    """Builds the fields of requirements."""

    language: str
    say: Say
    sensitive: Sequence[str]
    columns: Sequence[str]

    def build_fields(
        self, kind: type[Measure], given: Mapping[str, Any], meant: Mapping[str, str], typed: RejectedForm | None = None
    ) -> tuple[ParameterField, ...]:
        """Return the fields of a measure: `given` has the values of the policy, `typed` a rejected form.

        `meant` has the explanations of a template's blanks.
        """
        known = {name: one for name, one in find_parameters(kind).items() if one.kind not in ("function", "model")}
        return tuple(self._build_field(kind, name, given.get(name), meant, typed) for name in known)

    def _build_field(
        self,
        kind: type[Measure],
        name: str,
        given: Any,  # noqa: ANN401
        meant: Mapping[str, str],
        typed: RejectedForm | None,
    ) -> ParameterField:
        parameter, wrong = find_parameters(kind)[name], typed.wrong.get(name) if typed else None
        text = typed.texts[name] if typed else _format_typed(given if given is not None else _find_default(parameter))
        entered = given if not typed else text or None
        return ParameterField(
            name=name,
            kind=parameter.kind,
            label=self._render_label(kind, name),
            value=text,
            about=self._translate(meant.get(name, "")) or self._describe_limit(kind, name),
            is_open=given == FILL_IN or (parameter.required and given is None),
            is_limit=parameter.side is not None,
            whole=parameter.whole,
            error=None
            if wrong is None
            else self.describe_problem(self._name_parameter(kind, name), parameter, entered),
            problem="" if wrong is None else wrong.problem,
            choices=tuple(self._list_choices(kind, name, parameter, text)),
            entries=tuple(self._list_entries(given, text if typed else None, meant))
            if parameter.kind == "table"
            else (),
        )

    def _render_label(self, kind: type[Measure], name: str) -> Markup:
        """Return the label of a parameter; for a limit, with its side."""
        own, side = kind.words[self.language], find_limits(kind).get(name)
        if side is None:
            return Markup("").join(_mark_code(own.parameters.get(name, name)))
        side_text = words(self.language).sides[side].format("").strip()
        if name == side.replace(" ", "_"):  # the parameter is named like its side
            return self.say("requirements_limit_alone", name=side_text)
        return self.say("requirements_limit", name=self._name_parameter(kind, name), side=side_text)

    def _name_parameter(self, kind: type[Measure], name: str) -> str:
        """Return the name of a parameter in words: the measure's name of the part, else that of the application."""
        ours = words(self.language).app.get(f"requirements_name_{name}", name)
        return kind.words[self.language].parts.get(name, ours)

    def _describe_limit(self, kind: type[Measure], name: str) -> str:
        """Return the meaning of a limit, if its label does not say it."""
        return kind.words[self.language].parameters.get(name, "") if name in find_limits(kind) else ""

    def _translate(self, comment: str) -> str:
        """Return a template's comment in the reader's language; it has both languages, separated by a slash."""
        english, _, chinese = comment.partition(" / ")
        return english if self.language == "en" or not chinese else chinese

    def _list_choices(self, kind: type[Measure], name: str, parameter: Parameter, value: str) -> Sequence[Choice]:
        terms = {one: self._render_word(kind, one) for one in parameter.words}
        match parameter.kind:
            case "word":
                first = [Choice("", "…", not value)] if parameter.required and not value else []
                return [*first, *(Choice(one, terms.get(one, one), one == value) for one in parameter.words)]
            case "text":
                named, none = (self.sensitive, "requirements_each") if name == "sensitive" else (self.columns, "")
                if len(named) > MAX_CHOICES:
                    return ()  # its name is typed
                blank = Choice("", str(self.say(none or "requirements_no_column")), not value)
                return [blank, *(Choice(one, one, one == value) for one in named)]
        return ()

    def _render_word(self, kind: type[Measure], word: str) -> str:
        """Return an option in words: those of the measure, else of the application."""
        shared = words(self.language).app.get(f"requirements_word_{word}", word)
        return kind.words[self.language].terms.get(word, shared)

    def _list_entries(self, given: Any, typed: str | None, meant: Mapping[str, str]) -> Sequence[TableEntry]:  # noqa: ANN401
        """Return the entries of a table, and two blank ones."""
        certain = {given: "1"} if isinstance(given, str) and given != FILL_IN else given  # a single word
        lines = (typed if typed is not None else _format_typed(certain)).splitlines()
        pairs = [tuple(map(str.strip, line.partition("=")[::2])) for line in lines]
        about = {key.partition(".")[2]: self._translate(text) for key, text in meant.items() if "." in key}
        known = [TableEntry(name, number, about.get(name, "")) for name, number in pairs if name and name != FILL_IN]
        return [*known, TableEntry("", "", ""), TableEntry("", "", "")]

    def describe_problem(self, name: str, parameter: Parameter, given: Any) -> Markup:  # noqa: ANN401
        """Return what is expected of a parameter, in the reader's language."""
        known = {key: getattr(parameter, key) for key in ("least", "above", "most")}
        figures = {"name": name, "words": list(parameter.words), "column": Name(str(given)), **known}
        if given is None:
            kind = "needed"
        elif parameter.kind in ("word", "table", "text", "formula"):
            kind = _classify_text(parameter)
        else:
            kind = name if name in OWN_WORDS else _classify_range(parameter)
        return self.say(f"requirements_wrong_{kind}", **figures)


def _classify_text(parameter: Parameter) -> str:
    """Return the key of what is expected where no single number is."""
    if parameter.kind == "table":
        return "matrix" if parameter.nested else "table" if parameter.most is not None else "table_least"
    return "column" if parameter.kind == "text" else parameter.kind


def _classify_range(parameter: Parameter) -> str:
    """Return the key of the range that a number must be in."""
    least, above, most = parameter.least is not None, parameter.above is not None, parameter.most is not None
    if parameter.whole and least:
        return "whole"
    if most:
        return "between" if least else "between_above"
    return "least" if least else "above" if above else "number"


def _mark_code(text: str) -> Iterator[Markup]:
    """Yield the pieces of a text; those between backticks are code."""
    for number, piece in enumerate(text.split("`")):
        yield Markup("<code>{}</code>").format(piece) if number % 2 else escape(piece)


def _find_default(parameter: Parameter) -> Any:  # noqa: ANN401
    return None if parameter.required else parameter.default


def _format_typed(given: Any) -> str:  # noqa: ANN401
    """Format a value of the policy for its field; a blank to be filled in becomes empty."""
    return format_field(given).replace(f"= {FILL_IN}", "=") if given != FILL_IN else ""


DECIMAL = re.compile(r"[+-]?(0|[1-9][0-9]*)\.[0-9]+", re.ASCII)  # a decimal number in TOML
TEXTS = ("why", "source", "clause")
MAX_TEXT = 2000  # characters of a text
Content = Mapping[str, Any]


def find_measure_class(content: Content) -> type[Measure] | None:
    """Return the class of a requirement's measure; None if it is not installed."""
    try:
        return find(str(content.get("measure", "")))
    except UnknownNameError:
        return None


def read_parameters(kind: type[Measure], content: Content) -> dict[str, Any]:
    """Return the parameters that a requirement sets; a limit with its side becomes a number."""
    return {name: _unwrap_limit(content[name], one) for name, one in find_parameters(kind).items() if name in content}


def build_measure(content: Content) -> Measure | None:
    """Return the measure with its limits; None if something is open or invalid."""
    kind = find_measure_class(content)
    if kind is None or is_open(content):
        return None
    try:
        measure = kind(**read_parameters(kind, content))
    except PETWorksError:
        return None
    return measure if measure.judges else None


def is_open(content: Content) -> bool:
    """Return True if something must still be filled in: a blank of a template, or the first limit."""
    kind = find_measure_class(content)
    if kind is None:
        return True
    given = read_parameters(kind, content).values()
    if any(one == FILL_IN or (isinstance(one, Mapping) and FILL_IN in one.values()) for one in given):
        return True
    limited = kind.always_judges or any(content.get(name) is not None for name in find_limits(kind))
    return not limited or any(content.get(name) is None for name in kind.list_required())


def list_sensitive(session: Session) -> list[str]:
    """Return the sensitive attributes."""
    return [name for name, role in session.draft.roles.items() if role is Role.SENSITIVE_ATTRIBUTE]


def list_generalised(content: Content, sensitive: Sequence[str]) -> list[str]:
    """Return the sensitive attributes whose hierarchy a requirement needs."""
    if (kind := find_measure_class(content)) is None:
        return []
    given = read_parameters(kind, content)
    if not any(given.get(name) == word for name, word in kind.by_hierarchy.items()):
        return []
    return [name for name in sensitive if given.get("sensitive") in (None, name)]


def has_explored(session: Session) -> bool:
    """Return True if the cost of the limits was seen: levels or candidates were chosen or searched."""
    making = session.draft.making
    seen = (entry.change.kind.startswith("explore_") for entry in session.project.journal.entries)
    return bool(making.get("levels") or making.get("pinned")) or any(seen)


def make_requirement(kind: type[Measure]) -> dict[str, Any]:
    """Return a requirement of a measure with open required parameters."""
    return {"measure": kind.name, **dict.fromkeys(kind.list_required(), FILL_IN)}


@dataclass(frozen=True)
class RequirementForm:
    """A form that was sent: the requirement, the typed texts, and the errors."""

    content: Mapping[str, Any]
    texts: Mapping[str, str]
    others: Mapping[str, str]
    wrong: Mapping[str, PETWorksError]
    changed: Mapping[str, Any]  # former values of parameters that changed


def read_form(form: Form, before: Content, kind: type[Measure], sensitive: Sequence[str]) -> RequirementForm:
    """Read a form; `before` is the requirement before it."""
    before = {**before, **read_parameters(kind, before)}
    given, texts, wrong = dict[str, Any](), dict[str, str](), dict[str, PETWorksError]()
    for name, parameter in find_parameters(kind).items():
        texts[name] = text = _read_text(form, name, parameter)
        try:
            value = _make_literal(parse_field(parameter, text, name))
        except PETWorksError as error:
            wrong[name], value = error, text
        if value is None and before.get(name) == FILL_IN:
            value = FILL_IN
        if value is not None and (parameter.required or value != parameter.default):
            given[name] = value
    wrong = {**faults(kind, given, sensitive), **wrong}
    others = {key: " ".join(form.get(key).split())[:MAX_TEXT] for key in (*TEXTS, "reason")}
    texts_given = {key: others[key] for key in TEXTS if others[key]}
    kept = {"changed": before["changed"]} if "changed" in before else {}
    content = {"measure": before["measure"], **given, **texts_given, **kept}
    return RequirementForm(content, texts, others, wrong, _find_changes(kind, before, content))


def _find_changes(kind: type[Measure], before: Content, after: Content) -> dict[str, Any]:
    """Return the former values of changed parameters; "" for one that was not set.

    Not only a limit can weaken a requirement, but also its sensitive attribute, or the variant of its measure.
    """
    was = {name: before.get(name) for name in find_parameters(kind) if before.get(name) != FILL_IN}
    return {name: "" if value is None else value for name, value in was.items() if str(value) != str(after.get(name))}


def with_reason(answer: RequirementForm) -> dict[str, Any]:
    """Return the requirement with the former limits, and the reason for the change."""
    change = {**answer.changed, "why": answer.others["reason"]}
    return {**answer.content, "changed": [*answer.content.get("changed", []), change]}


def find_given_up(before: Sequence[Content], after: Sequence[Content]) -> list[Content]:
    """Return the removed requirements, except incomplete ones, which had no effect."""
    kept = [_without_reasons(one) for one in after]
    return [one for one in before if not is_open(one) and _without_reasons(one) not in kept]


def with_removed(draft: Draft, gone: Sequence[Content], reason: str) -> Draft:
    """Return a draft that records removed requirements with the reason, for every report."""
    removed = [{**_without_reasons(one), "why": reason} for one in gone]
    return draft.with_section("removed", [*draft.content.get("removed", ()), *removed])


def list_removed(draft: Draft) -> list[tuple[Name, Reason]]:
    """Return the removed requirements, with their limits, and the reasons."""
    found = []
    for one in draft.content.get("removed", ()):
        was = ", ".join(f"{name} {value}" for name, value in one.items() if name not in ("measure", *TEXTS))
        found.append(
            (Name(f"{one.get('measure', '')} ({was})" if was else one.get("measure", "")), Reason(one.get("why", "")))
        )
    return found


def _without_reasons(content: Content) -> dict[str, Any]:
    """Return a requirement without its reasons."""
    return {name: value for name, value in content.items() if name not in (*TEXTS, "changed")}


def _read_text(form: Form, name: str, parameter: Parameter) -> str:
    if parameter.kind != "table":
        return form.get(PREFIX + name)
    pairs = zip(form.all(f"{PREFIX}{name}_name"), form.all(f"{PREFIX}{name}_number"), strict=False)
    lines = [(key.strip(), number.strip()) for key, number in pairs if key.strip() or number.strip()]
    return "\n".join(
        key if key in parameter.words and number in ("", "1") else f"{key} = {number}" for key, number in lines
    )


def _make_literal(value: Any) -> Any:  # noqa: ANN401
    """Return a decimal number as a literal, which a policy writes without quotes."""
    if isinstance(value, Mapping):
        return {name: _make_literal(one) if one != "" else FILL_IN for name, one in value.items()}
    return DecimalLiteral(value) if isinstance(value, str) and DECIMAL.fullmatch(value) else value


def _unwrap_limit(value: Any, parameter: Parameter) -> Any:  # noqa: ANN401
    """Return the number of a limit that has its side: average = { at_most = 0.05 }."""
    return next(iter(value.values()), None) if parameter.side and isinstance(value, Mapping) else value
