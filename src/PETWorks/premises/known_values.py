"""Search cells for values of the columns that identify people.

The words of a cell are looked up in one set of all values, so a million values take no longer than one. A Han name of
two characters must stand alone, before a title or after a word for a person; a number or code must be a whole token; a
Latin name needs two words, because one word such as "brown" is also a colour.

>>> known = KnownValues.of([["王小明", "01000037", "Ann Brown", "高明", "不詳"]])
>>> [known.occurs_in(text) for text in ("昨日王小明來電", "併入病歷01000037", "brown, ann called", "brown sputum")]
[True, True, True, False]
>>> [known.occurs_in(text) for text in ("高明度影像檢查", "由高明女士陪同", "101000037")]
[False, True, False]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from PETWorks.inspection.values import DATES
from PETWorks.premises.words import HAN, build_alternatives, normalise

HAN_RUN = re.compile(f"[{HAN}]+")
TOKEN = re.compile(r"[0-9A-Za-zÀ-ɏ]+(?:[-_./@][0-9A-Za-zÀ-ɏ]+)*")
PLAIN_TOKEN = re.compile("[0-9A-Za-zÀ-ɏ]+")
WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
LATIN_NAME = re.compile(r"[A-Za-zÀ-ɏ.,'’ -]+")
DATE = re.compile("|".join(f"(?:{form})" for form in DATES.values()))
MIN_TOKEN = 6  # fewest characters of a number or code
HAN_LENGTHS = range(3, 7)  # of names that are looked for anywhere
SHORT_HAN = 2
MAX_WORDS = 6  # most words of a Latin name
PLAIN_NUMBER = re.compile(r"[1-9][0-9]*(?:\.[0-9]+)?")  # amounts meet record numbers by chance


@cache
def _build_neighbours() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the regular expressions of what may stand before and after a name of two characters."""
    before = re.compile(rf"(?:{build_alternatives('words_for_people')})[\s:()是為叫]{{0,2}}([{HAN}]{{2}})")
    after = re.compile(rf"(?=([{HAN}]{{2}})(?:{build_alternatives('titles')}))")
    return before, after


@dataclass(frozen=True)
class KnownValues:
    """The values that identify people, grouped by the way in which they are looked up."""

    han: frozenset[str]
    han_lengths: tuple[int, ...]
    short: frozenset[str]
    tokens: frozenset[str]
    names: frozenset[str]  # of two words or more
    words: tuple[int, ...]  # how many
    whole: frozenset[str]  # values with a digit that are no single token

    @classmethod
    def of(cls, columns: Iterable[Sequence[str]]) -> KnownValues:
        """Group the values of identifier columns by how they are looked up; dates are left out."""
        han, short, tokens, names, whole = set[str](), set[str](), set[str](), set[str](), set[str]()
        for value in (normalise(text).strip() for texts in columns for text in texts):
            if DATE.match(value):
                continue
            if HAN_RUN.fullmatch(value):
                (short if len(value) == SHORT_HAN else han).add(value)
            elif any(map(str.isdigit, value)):
                if len(value) >= MIN_TOKEN:
                    (tokens if TOKEN.fullmatch(value) else whole).add(value.casefold())
            elif LATIN_NAME.fullmatch(value):
                words = [word.casefold() for word in WORD.findall(value)]
                if 1 < len(words) <= MAX_WORDS:
                    names |= {" ".join(words), " ".join([words[-1], *words[:-1]]), " ".join([*words[1:], words[0]])}
        han = {one for one in han if len(one) in HAN_LENGTHS}
        lengths, many = sorted({*map(len, han)}), sorted({name.count(" ") + 1 for name in names})
        return cls(
            frozenset(han),
            tuple(lengths),
            frozenset(short),
            frozenset(tokens),
            frozenset(names),
            tuple(many),
            frozenset(whole),
        )

    def __bool__(self) -> bool:
        """Return True if there are any values."""
        return bool(self.han or self.short or self.tokens or self.names or self.whole)

    def occurs_in(self, text: str) -> bool:
        """Return True if one of the values occurs in a normalised text."""
        return (
            (bool(self.tokens) and self._has_token(text))
            or (bool(self.han or self.short) and not text.isascii() and self._has_han(text))
            or (bool(self.names) and self._has_name(text))
            or (bool(self.whole) and text.strip().casefold() in self.whole)
        )

    def _has_token(self, text: str) -> bool:
        folded = text.casefold()
        return any(one in self.tokens for one in _yield_tokens(folded))

    def _has_han(self, text: str) -> bool:
        for run in HAN_RUN.findall(text):
            if run in self.short:
                return True
            for length in self.han_lengths:
                if any(run[start : start + length] in self.han for start in range(len(run) - length + 1)):
                    return True
        if not self.short:
            return False
        return any(one[1] in self.short for form in _build_neighbours() for one in form.finditer(text))

    def _has_name(self, text: str) -> bool:
        words = [word.casefold() for word in WORD.findall(text)]
        return any(
            " ".join(words[start : start + length]) in self.names
            for length in self.words
            for start in range(len(words) - length + 1)
        )


def _yield_tokens(text: str) -> Iterator[str]:
    for one in TOKEN.findall(text):
        if len(one) >= MIN_TOKEN:
            yield one
            if not one.isalnum():
                yield from PLAIN_TOKEN.findall(one)
