"""What a template leaves to its user: values that are still "fill in", each with its line and what is meant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from PETWorks.errors import ParameterError

FILL_IN = "fill in"
VALUE = r"""(?P<value>(?:[^#"']|"[^"]*"|'[^']*')*)"""
LINE = re.compile(rf"""^\s*(?P<key>(?:[^#="'\[\]{{}}]+|"[^"]*")=)?{VALUE}(?:#\s*(?P<meant>.*))?$""")
BLANK = re.compile(r"""(?:(?P<inner>[\w.-]+)\s*=\s*)?(?P<quote>["'])fill in(?P=quote)""")


class Blank(NamedTuple):
    """A value that is to be filled in: its line, its key, and what is meant, from the comment beside it."""

    line: int
    key: str
    meant: str


def blanks(text: str) -> Iterator[Blank]:
    """Yield the values of a policy that are still to be filled in.

    >>> list(blanks('k = "fill in"  # the smallest class'))
    [Blank(line=1, key='k', meant='the smallest class')]
    """
    key = ""
    for number, line in enumerate(text.splitlines(), 1):
        if found := LINE.match(line):
            key = (found["key"] or "").rstrip("= \t") or key  # a list may go on for several lines
            for blank in BLANK.finditer(found["value"]):
                inner = f".{blank['inner']}" if blank["inner"] else ""
                yield Blank(number, key + inner, (found["meant"] or "").strip())


def unfilled(content: Any, text: str, file: str) -> list[ParameterError]:  # noqa: ANN401
    """Return an error for each value that is still to be filled in; `content` is what the text was read as."""
    if not _is_blank(content):
        return []
    return [
        ParameterError(f'{key} is still "{FILL_IN}"', where=f"{file}, line {line}", hint=meant)
        for line, key, meant in blanks(text)
    ]


def _is_blank(content: Any) -> bool:  # noqa: ANN401
    """Return True if a value, or one within it, is still to be filled in."""
    if isinstance(content, dict):
        return any(map(_is_blank, content.values()))
    return any(map(_is_blank, content)) if isinstance(content, list) else content == FILL_IN
