"""What the name of a column says, in English or Chinese; the words are in `topics.toml`.

>>> [one.name if (one := topic_of(name)) else None for name in ("dateOfBirth", "出生年月日", "ZIP code", "wage", "x1")]
['birth', 'birth', 'postal_code', 'money', None]
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

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
def _topics() -> list[Topic]:
    return [Topic(name, Role(one["role"]), one["why"], one.get("law", "")) for name, one in _read().items()]


@cache
def _read() -> dict[str, dict[str, Any]]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


@cache
def _ranks(language: str) -> dict[str, tuple[int, int]]:
    """Return the rank of each phrase of a language: the more words the lower, then the place of the first topic."""
    found = [(phrase, place) for place, one in enumerate(_read().values()) for phrase in one[language]]
    return {_spoken(phrase): (-len(phrase.split()), place) for phrase, place in reversed(found)}


def _spoken(phrase: str) -> str:
    """Return a phrase as it is found in names, word by word: HbA1c is "hba1 c"."""
    return WHOLE * phrase.startswith(WHOLE) + " ".join(_words(phrase))


def _words(name: str) -> list[str]:
    return BOUNDARY.sub(" ", name).casefold().split()


@cache
def _longest() -> int:
    return max(len(phrase.split()) for phrase in _ranks("english"))


def topic_of(column: str) -> Topic | None:
    """Return what a name says: the topic with the longest English phrase, else the first that fits; None if none does.

    A name is read word by word: the word "age" is not in "language".
    """
    words = _words(column)
    ends = [(start, end) for start in range(len(words)) for end in range(start + 1, start + 1 + _longest())]
    phrases = {" ".join(words[start:end]) for start, end in ends} | {WHOLE + " ".join(words)}
    found = [_ranks("english")[phrase] for phrase in phrases if phrase in _ranks("english")]
    if not column.isascii():
        found += [rank for part, rank in _ranks("chinese").items() if part in column or part == WHOLE + column]
    return _topics()[min(found)[1]] if found else None
