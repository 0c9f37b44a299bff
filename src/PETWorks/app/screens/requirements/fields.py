"""The fields of a requirement: one for each parameter that its measure declares, whatever measure it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup, escape

from PETWorks.app.answering import Say
from PETWorks.errors import PETWorksError
from PETWorks.explain.step import Name
from PETWorks.measure.base import Measure
from PETWorks.measure.parameter import Parameter, declared, limits
from PETWorks.measure.typed import as_typed
from PETWorks.policy.fill_in import FILL_IN
from PETWorks.render.words import words

PREFIX = "p_"  # of the names of fields, before that of the parameter
MOST = 200  # columns that can be chosen from a list
OWN_WORDS = ("t", "k")  # parameters whose mistakes have a sentence of their own


@dataclass(frozen=True)
class Typed:
    """What was typed for a requirement and not accepted: texts by parameter, what is wrong, and the reason given."""

    number: int
    texts: Mapping[str, str]
    wrong: Mapping[str, PETWorksError]
    reason_needed: bool = False
    others: Mapping[str, str] = field(default_factory=dict)  # why, source, clause, reason


@dataclass(frozen=True)
class Choice:
    """An entry of a list to choose from."""

    value: str
    text: str
    chosen: bool


@dataclass(frozen=True)
class Entry:
    """A name with a number, of a parameter that is a table."""

    name: str
    number: str
    about: str


@dataclass(frozen=True)
class Field:
    """A parameter as a field of a form."""

    name: str
    kind: str
    label: Markup
    value: str
    about: str  # what it means
    is_open: bool  # True: it must be filled in, and nobody has
    is_limit: bool
    whole: bool
    error: Markup | None
    problem: str  # the same error as the command line tells it
    choices: tuple[Choice, ...] = ()
    entries: tuple[Entry, ...] = ()

    @property
    def key(self) -> str:
        """The name of the field in the form."""
        return PREFIX + self.name


@dataclass(frozen=True)
class Fields:
    """What is known when the fields of a requirement are built."""

    language: str
    say: Say
    sensitive: Sequence[str]
    columns: Sequence[str]

    def of(
        self, kind: type[Measure], given: Mapping[str, Any], meant: Mapping[str, str], typed: Typed | None = None
    ) -> tuple[Field, ...]:
        """Return the fields of a measure: `given` is what the policy has, `typed` what was typed and not accepted.

        `meant` is what a template means by its blanks.
        """
        known = {name: one for name, one in declared(kind).items() if one.kind != "function"}
        return tuple(self._field(kind, name, given.get(name), meant, typed) for name in known)

    def _field(
        self,
        kind: type[Measure],
        name: str,
        given: Any,  # noqa: ANN401
        meant: Mapping[str, str],
        typed: Typed | None,
    ) -> Field:
        parameter, wrong = declared(kind)[name], typed.wrong.get(name) if typed else None
        text = typed.texts[name] if typed else _text(given if given is not None else _default(parameter))
        entered = given if not typed else text or None
        return Field(
            name=name,
            kind=parameter.kind,
            label=self._label(kind, name),
            value=text,
            about=self._meant(meant.get(name, "")) or self._about(kind, name),
            is_open=given == FILL_IN or (parameter.required and given is None),
            is_limit=parameter.side is not None,
            whole=parameter.whole,
            error=None if wrong is None else self.wrong(self._called(kind, name), parameter, entered),
            problem="" if wrong is None else wrong.problem,
            choices=tuple(self._choices(kind, name, parameter, text)),
            entries=tuple(self._entries(given, text if typed else None, meant)) if parameter.kind == "table" else (),
        )

    def _label(self, kind: type[Measure], name: str) -> Markup:
        """Write the name of a parameter; of a limit, also its side. A part that has this name has words for it."""
        own, side = kind.words[self.language], limits(kind).get(name)
        if side is None:
            return Markup("").join(_coded(own.parameters.get(name, name)))
        told = words(self.language).sides[side].format("").strip()
        if name == side.replace(" ", "_"):  # the parameter is called like its side
            return self.say("requirements_limit_alone", name=told)
        return self.say("requirements_limit", name=self._called(kind, name), side=told)

    def _called(self, kind: type[Measure], name: str) -> str:
        """Return what people call a parameter: as the measure calls the part of this name, or as we do."""
        ours = words(self.language).app.get(f"requirements_name_{name}", name)
        return kind.words[self.language].parts.get(name, ours)

    def _about(self, kind: type[Measure], name: str) -> str:
        """Return what a limit means, if that is not in its label."""
        return kind.words[self.language].parameters.get(name, "") if name in limits(kind) else ""

    def _meant(self, comment: str) -> str:
        """Return what a template means, in the language of the reader: it has both, separated by a slash."""
        english, _, chinese = comment.partition(" / ")
        return english if self.language == "en" or not chinese else chinese

    def _choices(self, kind: type[Measure], name: str, parameter: Parameter, value: str) -> Sequence[Choice]:
        terms = {one: self._word(kind, one) for one in parameter.words}
        match parameter.kind:
            case "word":
                first = [Choice("", "…", not value)] if parameter.required and not value else []
                return [*first, *(Choice(one, terms.get(one, one), one == value) for one in parameter.words)]
            case "text":
                named, none = (self.sensitive, "requirements_each") if name == "sensitive" else (self.columns, "")
                if len(named) > MOST:
                    return ()  # its name is typed
                blank = Choice("", str(self.say(none or "requirements_no_column")), not value)
                return [blank, *(Choice(one, one, one == value) for one in named)]
        return ()

    def _word(self, kind: type[Measure], word: str) -> str:
        """Return a word to choose, as the measure calls it, or as the application does."""
        shared = words(self.language).app.get(f"requirements_word_{word}", word)
        return kind.words[self.language].terms.get(word, shared)

    def _entries(self, given: Any, typed: str | None, meant: Mapping[str, str]) -> Sequence[Entry]:  # noqa: ANN401
        """Return the entries of a table, and two more to be filled in."""
        certain = {given: "1"} if isinstance(given, str) and given != FILL_IN else given  # a word that stands alone
        lines = (typed if typed is not None else _text(certain)).splitlines()
        pairs = [tuple(map(str.strip, line.partition("=")[::2])) for line in lines]
        about = {key.partition(".")[2]: self._meant(text) for key, text in meant.items() if "." in key}
        known = [Entry(name, number, about.get(name, "")) for name, number in pairs if name and name != FILL_IN]
        return [*known, Entry("", "", ""), Entry("", "", "")]

    def wrong(self, name: str, parameter: Parameter, given: Any) -> Markup:  # noqa: ANN401
        """Say what is expected of a parameter, in the language of the reader."""
        known = {key: getattr(parameter, key) for key in ("least", "above", "most")}
        told = {"name": name, "words": list(parameter.words), "column": Name(str(given)), **known}
        if given is None:
            kind = "needed"
        elif parameter.kind in ("word", "table", "text"):
            kind = "column" if parameter.kind == "text" else parameter.kind
        else:
            kind = name if name in OWN_WORDS else _range(parameter)
        return self.say(f"requirements_wrong_{kind}", **told)


def _range(parameter: Parameter) -> str:
    """Return the kind of range that a number must be in."""
    least, above, most = parameter.least is not None, parameter.above is not None, parameter.most is not None
    if parameter.whole and least:
        return "whole"
    if most:
        return "between" if least else "between_above"
    return "least" if least else "above" if above else "number"


def _coded(text: str) -> Iterator[Markup]:
    """Yield a text in which words between backticks are code."""
    for number, piece in enumerate(text.split("`")):
        yield Markup("<code>{}</code>").format(piece) if number % 2 else escape(piece)


def _default(parameter: Parameter) -> Any:  # noqa: ANN401
    return None if parameter.required else parameter.default


def _text(given: Any) -> str:  # noqa: ANN401
    """Write what a policy has as it is typed; what is still to be filled in is empty."""
    return as_typed(given).replace(f"= {FILL_IN}", "=") if given != FILL_IN else ""
