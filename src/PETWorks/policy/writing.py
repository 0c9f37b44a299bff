"""Write a policy file: TOML with comments. What is written is read back as it was.

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
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from PETWorks.render.fill import visible
from PETWorks.render.wrapping import folded

WIDTH = 100  # columns of comments
BARE = re.compile(r"[A-Za-z0-9_-]+")  # a key that needs no quotes
INDENT = "    "


class Comment(NamedTuple):
    """A key of a table, whose value does not matter, that becomes a comment before what follows."""

    text: str  # lines are wrapped
    apart: bool = False  # True: it is a paragraph of its own


class Figure(str):
    """A decimal number as a file has it: exact, and written without quotes."""

    __slots__ = ()


class Noted(NamedTuple):
    """A value with a comment above it."""

    value: Any
    note: str


Content = Mapping[str | Comment, Any]  # text, whole numbers, true or false, lists and tables, with comments


def toml_text(content: Content) -> str:
    """Write tables as TOML. In every table, plain values must come before tables."""
    text = "\n".join(_lines(content, ())).lstrip("\n") + "\n"
    return re.sub(r"\n{3,}", "\n\n", text)


def without_comments(content: Any) -> Any:  # noqa: ANN401
    """Return what will be read from the file."""
    if isinstance(content, Noted):
        return without_comments(content.value)
    if isinstance(content, Mapping):
        return {key: without_comments(value) for key, value in content.items() if not isinstance(key, Comment)}
    return [*map(without_comments, content)] if isinstance(content, list | tuple) else content


def _lines(content: Content, path: tuple[str, ...]) -> Iterator[str]:
    remarks, nested = list[str](), False
    for key, value in content.items():
        if isinstance(key, Comment):
            yield from ("", *_comment(key.text)) if key.apart else ()
            remarks += [] if key.apart else _comment(key.text)
            continue
        name, inner = ".".join(map(_key, (*path, key))), value.value if isinstance(value, Noted) else value
        above = [*remarks, *(_comment(value.note) if isinstance(value, Noted) else ())]
        remarks = []
        if isinstance(inner, Mapping):
            nested = True
            yield from ("", *above, *_head(name, inner), *_lines(inner, (*path, key)))
        elif isinstance(inner, list | tuple) and inner and all(isinstance(one, Mapping) for one in inner):
            nested = True
            for table in inner:
                yield from ("", *above, f"[[{name}]]", *_lines(table, (*path, key)))
                above = []
        elif nested:
            raise ValueError(f"{name} must come before the tables")
        else:
            yield from (*above, f"{_key(key)} = {_value(inner)}")
    yield from ("", *remarks) if remarks and nested else remarks


def _head(name: str, content: Content) -> list[str]:
    """Return the line that opens a table; none if those within it are enough."""
    values = without_comments(content).values()
    return [] if values and all(isinstance(value, Mapping) for value in values) else [f"[{name}]"]


def _key(name: str) -> str:
    return name if BARE.fullmatch(name) else _value(name)


def _value(value: Any) -> str:  # noqa: ANN401
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case Figure():
            return value
        case str():
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")  # as TOML escapes, but for one
        case Mapping():
            return f"{{ {', '.join(f'{_key(key)} = {_value(one)}' for key, one in value.items())} }}" if value else "{}"
        case list() | tuple():
            return _list(value)
    raise TypeError(f"a policy cannot have a value of type {type(value).__name__}")


def _list(values: list[Any] | tuple[Any, ...]) -> str:
    if not any(isinstance(value, Noted) for value in values):
        return f"[{', '.join(map(_value, values))}]"
    lines = []
    for value in values:
        note, plain = (value.note, value.value) if isinstance(value, Noted) else ("", value)
        lines += [INDENT + line for line in (_comment(note) if note else [])] + [f"{INDENT}{_value(plain)},"]
    return "\n".join(["[", *lines, "]"])


def _comment(text: str) -> list[str]:
    """Wrap a comment; characters that could end it are escaped."""
    lines = [piece for line in text.split("\n") for piece in folded(visible(line), WIDTH)]
    return [f"# {line}".rstrip() for line in lines]
