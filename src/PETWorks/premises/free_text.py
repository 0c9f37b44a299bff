"""Decide whether a column is free text, from its characters and words; codes, times and closed lists are not.

>>> count_units(["病情說明如下", "Not in universe", "2023-01-02T00:00", "同前"]).tolist()
[6, 3, 0, 2]
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from PETWorks.inspection.values import convert_to_numpy
from PETWorks.premises.people_of_rows import are_many
from PETWorks.tables.counting.tally import IntArray, Mask, Value
from PETWorks.tables.counting.texts import Texts

SIGNS = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]"
WITH_DIGIT = r"[\p{L}\p{M}]*\p{N}[\p{L}\p{M}\p{N}]*"
WORDS = r"\p{L}[\p{L}\p{M}]+"
MIN_UNITS = 5


def count_units(texts: Sequence[Value]) -> IntArray:
    """Return the number of characters and of words in each text."""
    from pyarrow import compute

    array = compute.utf8_normalize(Texts.of(texts).array, form="NFKC")
    signs = compute.count_substring_regex(array, pattern=SIGNS)
    plain = compute.replace_substring_regex(array, SIGNS, " ")
    words = compute.count_substring_regex(compute.replace_substring_regex(plain, WITH_DIGIT, " "), pattern=WORDS)
    return convert_to_numpy(signs) + convert_to_numpy(words)


def find_lone_texts(texts: Sequence[Value], people: IntArray, cells: int) -> Mask | None:
    """Return a mask of the texts that a single person has, if these make the column free text; else None.

    `people` is the number of people who have each distinct text, `cells` the number of cells.
    """
    lone = people == 1
    if not are_many(int(lone.sum()), cells):  # spares counting the units
        return None
    long = count_units(texts) >= MIN_UNITS
    lone &= long
    own = int(lone.sum())
    return lone if are_many(own, cells) and 2 * own > int(np.count_nonzero(long)) else None
