"""Check digits, for many numbers at once. Each function takes a matrix of characters, one row for each number.

>>> valid(national_id, ["A123456789", "A123456788"]).tolist()
[True, False]
>>> valid(luhn, ["4111 1111-11111111", "378282246310005"]).tolist()
[True, True]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from PETWorks.counting.tally import IntArray, Mask

if TYPE_CHECKING:
    import pyarrow as pa

Check = Callable[[IntArray], Mask]
LETTERS = "ABCDEFGHJKLMNPQRSTUVXYWZIO"  # of Taiwan's ID numbers, in the order of their codes, which start with 10
CODES = np.array([LETTERS.index(letter) + 10 for letter in sorted(LETTERS)])
PLACES = np.array([8, 7, 6, 5, 4, 3, 2, 1, 1])  # weights of the nine digits
BUSINESS = np.array([1, 2, 1, 2, 1, 2, 4, 1])  # weights of the eight digits of a business number
ZERO, NINE, UPPER_A = ord("0"), ord("9"), ord("A")


def valid(check: Check, numbers: Sequence[str] | pa.Array) -> Mask:
    """Apply a check to numbers, which must have the shape that it expects; blanks and hyphens are left out."""
    import pyarrow as pa
    from pyarrow import compute

    if not len(numbers):
        return np.zeros(0, dtype=bool)
    digits = compute.replace_substring_regex(pa.array(numbers, pa.large_string()), "[ -]", "")
    if check is iban:
        digits = compute.replace_substring_regex(digits, "^(.{4})(.*)$", r"\2\1")
    width = compute.max(compute.utf8_length(digits)).as_py()
    padded = compute.utf8_lpad(digits, width, "0")  # zeros in front change no sum
    characters = np.frombuffer(padded.buffers()[2], dtype=np.uint8)[: width * len(numbers)]
    return check(characters.reshape(len(numbers), width).astype(np.int64))


def national_id(characters: IntArray) -> Mask:
    """Check Taiwan's ID numbers: of nationals, and of residents since 2021. A letter and nine digits."""
    return _weighted(characters[:, 0], characters[:, 1:] - ZERO)


def resident_id(characters: IntArray) -> Mask:
    """Check ID numbers of residents as they were until 2020: two letters, of which the second counts as a digit."""
    second = CODES[characters[:, 1] - UPPER_A] % 10
    return _weighted(characters[:, 0], np.column_stack([second, characters[:, 2:] - ZERO]))


def _weighted(letters: IntArray, digits: IntArray) -> Mask:
    codes = CODES[letters - UPPER_A]
    right: Mask = (codes // 10 + codes % 10 * 9 + digits @ PLACES) % 10 == 0
    return right


def business_number(characters: IntArray) -> Mask:
    """Check Taiwan's business numbers (統一編號): the sum must be divisible by 5, since 2023; before, by 10.

    If the seventh digit is 7, its product 28 has the digit sum 10, which counts as 1 or as 0.
    """
    products = (characters - ZERO) * BUSINESS
    sums = (products // 10 + products % 10).sum(axis=1)
    seven = characters[:, 6] == ZERO + 7
    return np.where(seven, np.isin(sums % 5, (0, 4)), sums % 5 == 0)


def luhn(characters: IntArray) -> Mask:
    """Check numbers of payment cards: every second digit from the right counts twice."""
    digits = (characters - ZERO)[:, ::-1]
    doubled = digits[:, 1::2] * 2
    right: Mask = (digits[:, ::2].sum(axis=1) + (doubled // 10 + doubled % 10).sum(axis=1)) % 10 == 0
    return right


def iban(characters: IntArray) -> Mask:
    """Check account numbers, with their first four characters moved to the end: 1 modulo 97, letters from A = 10."""
    rest = np.zeros(len(characters), dtype=np.int64)
    for column in characters.T:
        is_digit = column <= NINE
        rest = np.where(is_digit, rest * 10 + column - ZERO, rest * 100 + column - UPPER_A + 10) % 97
    right: Mask = rest == 1
    return right
