"""The word lists of `words.toml`, and character sets that several searches share.

>>> normalise("ＡＢ１２"), HAN_SIGN.fullmatch("陳") is not None, starts_like_word("連絡陳小姐")
('AB12', True, True)
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from functools import cache
from pathlib import Path

HAN = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0002ffff"  # the signs, for a class of a regular expression
HAN_SIGN = re.compile(f"[{HAN}]")


@cache
def read_words() -> dict[str, tuple[str, ...]]:
    """Return the lists by name; a list of single characters is one text."""
    texts = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))
    return {name: tuple(text.split()) for name, text in texts.items()}


@cache
def build_alternatives(name: str) -> str:
    """Return a regular expression that matches any word of a list, the longest first."""
    return "|".join(map(re.escape, sorted(read_words()[name], key=lambda word: (-len(word), word))))


@cache
def list_given_signs() -> str:
    """Return the characters of given names, for a character class of a regular expression."""
    return "".join(read_words()["given"])


def build_surname() -> str:
    """Return the regular expression of a surname with which no everyday word begins."""
    signs = "".join(read_words()["surnames"])
    return f"(?!{build_alternatives('not_surnames')})(?:{build_alternatives('surnames_of_two')}|[{signs}])"


@cache
def _build_words() -> re.Pattern[str]:
    return re.compile(build_alternatives("not_surnames"))


def starts_like_word(text: str) -> bool:
    """Return True if a text begins with an everyday word whose first character is also a surname."""
    return _build_words().match(text) is not None


def normalise(text: str) -> str:
    """Return a text in the form that is searched: full-width letters and digits become half-width."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)
