"""Find names of people in Chinese texts: with a title, after a word for a person, alone, or in a whole column of names.

A listed surname begins a name, unless an everyday word begins with it.

>>> [kind for kind in NAMES if NAMES[kind].search("病患蕭明哲於5月26日來電，陳小姐接")]
['titled_name', 'named_person', 'bare_name']
>>> [kind for kind in NAMES if NAMES[kind].search("連絡先生來院，家屬表示同意")]
[]
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from PETWorks.premises.words import HAN, build_alternatives, build_surname, list_given_signs, read_words

SURNAME = build_surname()
GIVEN = list_given_signs()
NAMES = {
    "titled_name": re.compile(f"{SURNAME}[{HAN}]{{0,2}}?(?:{build_alternatives('titles')})"),
    "named_person": re.compile(
        rf"(?:{build_alternatives('words_for_people')})[\s:()是為叫]{{0,2}}{SURNAME}(?!{build_alternatives('not_given')})"
        rf"(?:[{GIVEN}]{{2}}|[{HAN}]{{2}}(?=於|表示|來電|之|[\W\d_]|$))"
    ),
    "bare_name": re.compile(f"{SURNAME}[{GIVEN}]{{2}}"),
}
NAME_HINT = f"[{''.join(read_words()['surnames'])}{''.join(word[0] for word in read_words()['surnames_of_two'])}]"
WHOLE_NAME = re.compile(f"{SURNAME}[{HAN}]{{1,2}}(?<![{''.join(read_words()['not_last'])}])")
GIVEN_NAME = re.compile(f"{SURNAME}[{GIVEN}]{{1,2}}")
LEAST_NAMES = 5  # distinct cells with a bare name, or of a column of names
BARE_SHARE = 100  # bare names count if more than one in so many of the distinct cells has one


def has_enough_bare_names(cells: int, distinct: int) -> bool:
    """Return True if enough distinct cells of a column hold nothing but a name to count them as names."""
    return cells >= LEAST_NAMES and BARE_SHARE * cells > distinct


def find_whole_names(texts: Sequence[str], distinct: int) -> list[int]:
    """Return the indices of the names in a column of names; empty for another column.

    A column of names has at least five values; four fifths of them are names, half of these with characters of given
    names.
    """
    found = [place for place, text in enumerate(texts) if WHOLE_NAME.fullmatch(text)]
    given = sum(GIVEN_NAME.fullmatch(texts[place]) is not None for place in found)
    enough = distinct >= LEAST_NAMES and 5 * len(found) >= 4 * distinct and 2 * given >= len(found)
    return found if enough else []
