"""Numbers for readers, with commas and four significant digits, and text wrapped for a terminal.

>>> format_number(30162), format_number(0.73098), format_number(Fraction(1, 3)), format_number(None)
('30,162', '0.7310', '0.3333', '-')
>>> format_number(0.30000002), format_number(0.30000002, Limit.of("0.3"))
('0.3000', '0.30000002')
>>> format_exact(Fraction(3, 8)), format_percent(0.000123), format_percent(1)
('3/8 (0.375)', '< 0.1%', '100%')

A Han character takes two columns of a terminal.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from unicodedata import combining, east_asian_width

from PETWorks.exact.limit import Limit
from PETWorks.shown import DIGITS, Rounded

MOST_DIGITS = 17  # enough to distinguish any two floats
LARGEST_DENOMINATOR = 1000  # fractions with larger denominators are shown as decimals


def format_number(value: float | Fraction | Limit | None, limit: Limit | None = None) -> str:
    """Write a number with four significant digits, or with as many as distinguish it from its limit.

    Whole numbers are written in full, rounded numbers with the digits they were rounded to.
    """
    if value is None:
        return "-"
    if isinstance(value, Limit):
        return str(value)
    if value == int(value):
        return f"{int(value):,}"
    large = abs(float(value)) >= LARGEST_DENOMINATOR
    for digits in range(DIGITS if isinstance(value, Rounded) else 4, MOST_DIGITS + 1):
        text = f"{float(value):,.{digits - 3}f}" if large else f"{float(value):#.{digits}g}"
        if limit is None or limit.compare(Fraction(text.replace(",", ""))) == limit.compare(Fraction(value)):
            break
    return text


def format_exact(
    value: Fraction | None, otherwise: float | None = None, brackets: str = " ({})", limit: Limit | None = None
) -> str:
    """Write a fraction with its decimal value, as in 3/8 (0.375); only the decimal if the denominator is large."""
    if value is None:
        return format_number(otherwise, limit)
    return f"{value}{brackets.format(f'{float(value):.4g}')}" if is_small(value) else format_number(value, limit)


def format_brief(value: Fraction | None, otherwise: float | None = None, limit: Limit | None = None) -> str:
    """Write a number within a sentence: as a fraction if its denominator is small, else as a decimal."""
    if value is not None and is_small(value):
        return str(value)
    return format_number(otherwise if value is None else value, limit)


def is_small(value: Fraction) -> bool:
    """Return True if a fraction is easier to read as a fraction than as a decimal."""
    return 1 < value.denominator <= LARGEST_DENOMINATOR and abs(value.numerator) <= LARGEST_DENOMINATOR


def format_percent(share: float | Fraction) -> str:
    """Write a share as a percentage with one decimal; 0% and 100% only if they are exact."""
    if share in (0, 1):
        return f"{int(share)}00%" if share else "0%"
    text = f"{float(share) * 100:.1f}%"
    return {"0.0%": "< 0.1%", "100.0%": "> 99.9%"}.get(text, text)


WIDTH = 80
OPENING, CLOSING = "（「『《", "，。、；：？！）」』》"


def display_width(text: str) -> int:
    """Return the columns that a text takes on a terminal: two for a Han character, none for a combining mark."""
    return len(text) if text.isascii() else sum(map(_count_columns, text))


def pad(text: str, width: int) -> str:
    """Pad a text with spaces to a display width."""
    return text + " " * (width - display_width(text))


def wrap_indented(text: str, by: int) -> list[str]:
    """Wrap a text, and indent each line."""
    return [" " * by + line for line in wrap(text, WIDTH - by)]


def wrap(text: str, width: int) -> list[str]:
    """Wrap a text to a display width: at spaces, beside Han characters, or within a word that is too long."""
    lines, line, room = [], "", width
    for piece in _split_pieces(text):
        if line and display_width(piece.rstrip()) > room:
            lines.append(line.rstrip())
            line, room = "", width
        added = piece if line else piece.lstrip()
        line, room = line + added, room - display_width(added)
        while room < 0 and display_width(line.rstrip()) > width:
            fits = next(end for end in range(len(line), 0, -1) if end == 1 or display_width(line[:end]) <= width)
            lines.append(line[:fits])
            line = line[fits:]
            room = width - display_width(line)
    return [*lines, line.rstrip()]


def _split_pieces(text: str) -> Sequence[str]:
    """Split a text where a line may end: after spaces, and beside wide characters if punctuation allows it."""
    pieces = [""]
    for character in text:
        before = pieces[-1][-1:]
        beside_wide = (_is_wide(character) or _is_wide(before)) and before not in OPENING and character not in CLOSING
        if before == " " or (before and beside_wide):
            pieces.append("")
        pieces[-1] += character
    return pieces


@cache
def _count_columns(character: str) -> int:
    return 2 if _is_wide(character) else int(not combining(character))


@cache
def _is_wide(character: str) -> bool:
    return bool(character) and east_asian_width(character) in "WF"
