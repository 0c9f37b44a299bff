"""What the name of a column says, in English or Chinese; the words are in `topics.toml`.

>>> [one.name if (one := topic_of(name)) else None for name in ("dateOfBirth", "出生年月日", "ZIP code", "wage", "x1")]
['birth', 'birth', 'postal_code', 'money', None]
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple

from PETWorks.facts.roles import Role

BOUNDARY = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[\W_]+|(?<=\d)(?=[A-Za-z])")
WHOLE = "="  # before a word that must be the whole name


class Topic(NamedTuple):
    """What a column is about, the role that this suggests, and the sentences that say why."""

    name: str
    role: Role
    why: str
    law: str = ""  # the sentence about the law that names it


@cache
def _topics() -> list[tuple[Topic, list[str], list[str]]]:
    """Read the topics, each with its English phrases and its parts of Chinese names."""
    read = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return [
        (Topic(name, Role(one["role"]), one["why"], one.get("law", "")), one["english"], one["chinese"])
        for name, one in read.items()
    ]


def topic_of(column: str) -> Topic | None:
    """Return what a name says: the topic with the longest English phrase, else the first that fits; None if none does.

    A name is read word by word: the word "age" is not in "language".
    """
    words = " ".join(BOUNDARY.sub(" ", column).split()).casefold()
    found, longest = None, 0
    for topic, english, chinese in _topics():
        lengths = [len(phrase.split()) for phrase in english if _says(words, phrase)]
        length = max([*lengths, *(1 for part in chinese if _has(column, part))], default=0)
        if length > longest:
            found, longest = topic, length
    return found


def _says(words: str, phrase: str) -> bool:
    return words == phrase[1:] if phrase.startswith(WHOLE) else f" {phrase} " in f" {words} "


def _has(column: str, part: str) -> bool:
    return column == part[1:] if part.startswith(WHOLE) else part in column
