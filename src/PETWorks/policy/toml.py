"""Settings from a TOML file, read key by key. All problems are collected, to be reported at once.

Also writes policies as TOML with comments; reading them gives the same values.

>>> print(toml_text({"version": 1, Comment("The table"): None, "data": {"original": "a.csv"}}), end="")
version = 1
<BLANKLINE>
# The table
[data]
original = "a.csv"
>>> print(toml_text({"names": [Noted("age", "In years"), "sex"]}), end="")
names = [
    # In years
    "age",
    "sex",
]
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from PETWorks.errors import (
    CellText,
    ParameterError,
    PETWorksError,
    PolicyError,
    UnknownNameError,
    did_you_mean,
    plural,
    show_value,
)
from PETWorks.render.fill import escape_unprintable
from PETWorks.render.typography import wrap
from PETWorks.settings.kinds import DayText, Flag, Names, Text, Word
from PETWorks.settings.section import Section, Setting, declared
from PETWorks.tables.decoding import build_missing_file_error, build_unreadable_error

BARE = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)  # a key that needs no quotes
PLACE = re.compile(r" \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)$")
LISTED = "write [[require]], with two brackets on each side, above each requirement"
DIGITS = re.compile(r"[0-9_]{4301,}")  # more digits than Python reads as one whole number


class Problems(list[PETWorksError]):
    """A list of errors without duplicates."""

    @contextmanager
    def gathering(self, where: str = "") -> Iterator[None]:
        """Catch and add an error raised inside the `with` block; `where` is used if the error has no place."""
        try:
            yield
        except PETWorksError as error:
            error.where = error.where or where
            self.add(error)

    def add(self, error: PETWorksError) -> None:
        """Add an error, unless it is already in the list."""
        if str(error) not in map(str, self):
            self.append(error)


def join_problems(problems: Sequence[PETWorksError], name: str) -> PolicyError:
    """Return one error that lists all problems of a policy."""
    first, *others = problems
    if not others:
        joined = first.convert(PolicyError)
        joined.problems = (first,)
        return joined
    listed = "\n  ".join(line for problem in problems for line in str(problem).splitlines())
    figures = {"problems": plural(len(problems), "problem"), "each": CellText(listed)}
    return PolicyError("{problems}", where=name, hint="{each}", figures=figures, problems=problems)


class TomlSection:
    """A TOML table that remembers which keys were read; `report_unread` reports the others as unknown."""

    def __init__(self, content: dict[str, Any], file: str, problems: Problems, place: str = "") -> None:
        self.where = f"{file}, {place}" if place else file
        self._content = content
        self._file = file
        self._problems = problems
        self._place = place
        self._known: list[str] = []

    def read_sections(self, *sections: type[Section]) -> dict[str, Any]:
        """Return the values of all settings of some sections as in the file; None for missing or invalid ones."""
        return {name: self.read_setting(one) for name, one in declared(*sections).items()}

    def read_setting(self, setting: Setting) -> Any:  # noqa: ANN401
        """Return the value of a setting as it stands in the file; None if it is missing or invalid."""
        match setting.kind:
            case Word(words=words):
                return self.word(setting.name, *words)
            case Flag():
                return self.flag(setting.name)
            case Names():
                return self.names(setting.name)
            case DayText():
                return self.day(setting.name)
            case Text():
                return self.text(setting.name)
        return self._read_key(setting.name, setting.kind.expected, lambda _: True)

    def __contains__(self, key: object) -> bool:
        """Return True if the key is present, even if its value is invalid."""
        return key in self._content

    def text(self, key: str) -> str | None:
        """Return a text; None if it is missing or invalid."""
        given = self._content.get(key)
        if isinstance(given, str) and not given.strip():
            self._known.append(key)
            self.refuse(f"{key} is empty", hint="leave it out, or say what it is")
            return None
        what = "text without NUL characters" if isinstance(given, str) and "\0" in given else "text"
        text: str | None = self._read_key(key, what, _is_text)
        return text

    def day(self, key: str) -> str | None:
        """Return a date as text, whichever of the two the file has; None if it is missing or no text."""
        if type(given := self._content.get(key)) is date:
            self._known.append(key)
            return given.isoformat()
        return self.text(key)

    def word(self, key: str, *words: str) -> str | None:
        """Return a text that is one of `words`; None if it is missing or invalid."""
        if (word := self.text(key)) is None or word in words:
            return word
        self.refuse(f'{key} cannot be "{word}"', hint=did_you_mean(word, words))
        return None

    def flag(self, key: str) -> bool:
        """Return True or False; False if the key is missing or invalid."""
        return bool(self._read_key(key, "true or false", lambda given: isinstance(given, bool)))

    def names(self, key: str) -> Sequence[str]:
        """Return a list of names; an empty one if the key is missing or invalid."""
        return self._read_key(key, 'a list of names, as in ["age", "sex"]', _is_list_of(str)) or ()

    def table(self, key: str) -> TomlSection:
        """Return a nested table; an empty one if the key is missing or invalid."""
        found = self._read_key(key, f"a table, {self._inside(key)}", lambda given: isinstance(given, dict))
        return TomlSection(found or {}, self._file, self._problems, self._inside(key))

    def read_texts(self, key: str, languages: Sequence[str]) -> dict[str, str]:
        """Return a text by language, from a table of texts, or from one text for all languages."""
        if not isinstance(self._content.get(key), dict):
            return dict.fromkeys(languages, self.text(key) or "")
        table = self.table(key)
        for language in languages:
            if language not in table:
                table.refuse(f'missing key "{language}"', hint=f"write {key} as one text, or in {', '.join(languages)}")
        texts = {language: table.text(language) or "" for language in languages}
        table.report_unread()
        return texts

    def tables(self, key: str) -> list[TomlSection]:
        """Return the tables of an array of tables; none if the key is missing or invalid."""
        inside = self._inside(key)
        place = f"[{inside}]" if inside.endswith("]") else inside  # within an entry of another list
        found = self._read_key(key, f"a list of tables, each under {place}", _is_list_of(dict)) or ()
        places = [f"{place} {number}" for number in range(1, len(found) + 1)]
        return [TomlSection(one, self._file, self._problems, place) for one, place in zip(found, places, strict=True)]

    def _inside(self, key: str) -> str:
        """Return the place of a table in this one."""
        if not self._place:
            return f"[{key}]"
        return f"{self._place[:-1]}.{key}]" if self._place.endswith("]") else f"{self._place}, {key}"

    def whole_number(self, key: str) -> int | None:
        """Return a whole number; None if it is missing or invalid."""
        number: int | None = self._read_key(key, "a whole number", lambda given: type(given) is int)
        return number

    def value(self, key: str, what: str) -> Any:  # noqa: ANN401
        """Return a value of any type, which the caller checks; None if it is missing.

        `what` describes what is expected.
        """
        return self._read_key(key, what, lambda _: True)

    def rest(self) -> dict[str, Any]:
        """Return the keys that were not read yet, with their values."""
        return {key: value for key, value in self._content.items() if key not in self._known}

    def report_unread(self, *known: str) -> None:
        """Add a problem for each key that was not read, except those in `known`."""
        for key in self.rest():
            if key not in known:
                hint = did_you_mean(key, {*self._known, *known})
                self._problems.add(UnknownNameError(f'unknown key "{key}"', where=self.where, hint=hint))

    def refuse(self, problem: str, hint: str = "") -> None:
        """Add a problem about the settings of this table."""
        self._problems.add(ParameterError(problem, where=self.where, hint=hint))

    def _read_key(self, key: str, what: str, fits: Callable[[Any], bool]) -> Any:  # noqa: ANN401
        self._known.append(key)
        if (given := self._content.get(key)) is None or fits(given):
            return given
        self.refuse(f"{key} must be {what}, not {show_value(given)}")
        return None


def _is_text(given: object) -> bool:
    """Return True for text without NUL characters: no path may have one."""
    return isinstance(given, str) and "\0" not in given


def _is_list_of(kind: type) -> Callable[[Any], bool]:
    return lambda given: isinstance(given, list) and all(isinstance(one, kind) for one in given)


def read_toml(path: Path) -> tuple[dict[str, Any], str]:
    """Read a TOML file, and return its text too; decimal numbers stay text, so that they can be read exactly."""
    text = _content(path)
    require_short_keys(text, path.name)
    try:
        return tomllib.loads(text, parse_float=str), text
    except tomllib.TOMLDecodeError as error:
        problem, place = PLACE.sub("", str(error)), PLACE.search(str(error))
        if place and place["line"]:
            number, column = int(place["line"]), int(place["column"])
            line = text.split("\n")[number - 1]
            where, found = f"{path.name}, line {number}, column {column}", line[column - 1 : column]
        else:
            where, line, found, problem = path.name, "", "", f"{problem}{', at the end of the file' if place else ''}"
        hint = LISTED if line.lstrip(" [").startswith("require") else ""
        hint = hint if found.isascii() else 'text that is not ASCII must be in straight quotes: write "性別"'
        hint = hint if path.suffix.casefold() == ".toml" else "name a policy; a table is measured by petworks evaluate"
        raise PolicyError(f"not valid TOML: {problem}", where=where, hint=hint) from error
    except ValueError as error:
        number = text.count("\n", 0, digits.start()) + 1 if (digits := DIGITS.search(text)) else 1
        raise PolicyError("a number has too many digits", where=f"{path.name}, line {number}") from error
    except RecursionError as error:
        raise PolicyError("lists or tables are nested too deeply", where=path.name) from error


def write_value(value: Any, *, key: bool = False) -> str:  # noqa: ANN401
    """Write a value, or a key, as TOML.

    >>> write_value(["5%", 10]), write_value({"MA": "graduate"}), write_value("native country", key=True)
    ('["5%", 10]', '{ MA = "graduate" }', '"native country"')
    """
    if key and BARE.fullmatch(value):
        return str(value)
    if isinstance(value, dict):
        return (
            "{ "
            + ", ".join(f"{write_value(name, key=True)} = {write_value(one)}" for name, one in value.items())
            + " }"
        )
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(write_value, value))}]"
    if isinstance(value, str | bool | int):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return json.dumps(str(value))


MAX_BYTES = 2**24  # of a policy
MAX_DOTS = 32  # of a key such as a.b.c: the time and memory of the parser grow with their square
KEY_PART = re.compile(r"""[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[ \t]*\.[ \t]*|.""")


def require_short_keys(text: str, name: str) -> None:
    """Raise an error if a key of a TOML file has so many parts that reading it would take all memory."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") <= MAX_DOTS:
            continue
        dots = 0
        for part in KEY_PART.finditer(line):
            is_dot = part[0].strip() == "."
            dots += is_dot
            if dots > MAX_DOTS:
                problem = f"a key has more than {MAX_DOTS} parts"
                raise PolicyError(problem, where=f"{name}, line {number}", hint="write text in quotes")
            if not is_dot and not part[0][0].isalnum() and part[0][0] not in "_-\"'":
                dots = 0


def _content(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        text = content.decode("utf-8-sig") if len(content) <= MAX_BYTES else None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        hint = "save it as UTF-8"
        raise PolicyError("the file is not UTF-8", where=f"{path.name}, line {line}", hint=hint) from error
    except (FileNotFoundError, ValueError) as error:  # ValueError: the path contains a NUL character
        raise build_missing_file_error(path, str(path), path.suffix) from error
    except OSError as error:
        raise build_unreadable_error(error, str(path)) from error
    if text is None:
        hint = "name a policy; a table is measured by petworks evaluate"
        raise PolicyError(f"the file has more than {MAX_BYTES:,} bytes", where=path.name, hint=hint)
    return text


WIDTH = 100  # columns of comments
WRITING_BARE = re.compile(r"[A-Za-z0-9_-]+")  # a key that needs no quotes
INDENT = "    "


class Comment(NamedTuple):
    """A key that stands for a comment before the next entry; its value is ignored."""

    text: str  # lines are wrapped
    apart: bool = False  # True: it is a paragraph of its own


class DecimalLiteral(str):
    """A decimal number with the digits of the file, written without quotes."""

    __slots__ = ()


class Noted(NamedTuple):
    """A value with a comment above it."""

    value: Any
    note: str


Content = Mapping[str | Comment, Any]  # text, whole numbers, true or false, lists and tables, with comments


def toml_text(content: Content) -> str:
    """Write tables as TOML. In every table, plain values must come before tables."""
    text = "\n".join(_write_lines(content, ())).lstrip("\n") + "\n"
    return re.sub(r"\n{3,}", "\n\n", text)


def without_comments(content: Any) -> Any:  # noqa: ANN401
    """Return the values without the comments."""
    if isinstance(content, Noted):
        return without_comments(content.value)
    if isinstance(content, Mapping):
        return {key: without_comments(value) for key, value in content.items() if not isinstance(key, Comment)}
    return [*map(without_comments, content)] if isinstance(content, list | tuple) else content


def put_tables_last(value: Any) -> Any:  # noqa: ANN401
    """Return a value with plain entries before tables, as TOML requires."""
    if isinstance(value, Mapping):
        entries = {key: put_tables_last(one) for key, one in value.items()}
        return dict(sorted(entries.items(), key=lambda entry: _is_table(entry[1])))
    return [*map(put_tables_last, value)] if isinstance(value, list | tuple) else value


def _is_table(value: Any) -> bool:  # noqa: ANN401
    several = isinstance(value, list) and bool(value) and all(isinstance(one, Mapping) for one in value)
    return isinstance(value, Mapping) or several


def _write_lines(content: Content, path: tuple[str, ...]) -> Iterator[str]:
    remarks, nested = list[str](), False
    for key, value in content.items():
        if isinstance(key, Comment):
            yield from ("", *_write_comment(key.text)) if key.apart else ()
            remarks += [] if key.apart else _write_comment(key.text)
            continue
        name, inner = ".".join(map(_write_key, (*path, key))), value.value if isinstance(value, Noted) else value
        above = [*remarks, *(_write_comment(value.note) if isinstance(value, Noted) else ())]
        remarks = []
        if isinstance(inner, Mapping):
            nested = True
            yield from ("", *above, *_write_head(name, inner), *_write_lines(inner, (*path, key)))
        elif isinstance(inner, list | tuple) and inner and all(isinstance(one, Mapping) for one in inner):
            nested = True
            for table in inner:
                yield from ("", *above, f"[[{name}]]", *_write_lines(table, (*path, key)))
                above = []
        elif nested:
            raise ValueError(f"{name} must come before the tables")
        else:
            yield from (*above, f"{_write_key(key)} = {_value(inner)}")
    yield from ("", *remarks) if remarks and nested else remarks


def _write_head(name: str, content: Content) -> list[str]:
    """Return the header line of a table; empty if it has only nested tables."""
    values = without_comments(content).values()
    return [] if values and all(isinstance(value, Mapping) for value in values) else [f"[{name}]"]


def _write_key(name: str) -> str:
    return name if WRITING_BARE.fullmatch(name) else _value(name)


def _value(value: Any) -> str:  # noqa: ANN401
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case DecimalLiteral():
            return value
        case str():
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")  # as TOML escapes, but for one
        case Mapping():
            return (
                f"{{ {', '.join(f'{_write_key(key)} = {_value(one)}' for key, one in value.items())} }}"
                if value
                else "{}"
            )
        case list() | tuple():
            return _list(value)
    raise TypeError(f"a policy cannot have a value of type {type(value).__name__}")


def _list(values: list[Any] | tuple[Any, ...]) -> str:
    if not any(isinstance(value, Noted) for value in values):
        return f"[{', '.join(map(_value, values))}]"
    lines = []
    for value in values:
        note, plain = (value.note, value.value) if isinstance(value, Noted) else ("", value)
        lines += [INDENT + line for line in (_write_comment(note) if note else [])] + [f"{INDENT}{_value(plain)},"]
    return "\n".join(["[", *lines, "]"])


def _write_comment(text: str) -> list[str]:
    """Wrap a comment; characters that could end it are escaped."""
    lines = [piece for line in text.split("\n") for piece in wrap(escape_unprintable(line), WIDTH)]
    return [f"# {line}".rstrip() for line in lines]
