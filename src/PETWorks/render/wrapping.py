"""Wrap text to the columns of a terminal, of which a Han character takes two."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from unicodedata import combining, east_asian_width

WIDTH = 80
OPENING, CLOSING = "（「『《", "，。、；：？！）」』》"


def display_width(text: str) -> int:
    """Return the columns that a text takes on a terminal: two for a Han character, none for a combining mark."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def padded(text: str, width: int) -> str:
    """Pad a text with spaces to a display width."""
    return text + " " * (width - display_width(text))


def indented(text: str, by: int) -> list[str]:
    """Wrap a text, and indent each line."""
    return [" " * by + line for line in folded(text, WIDTH - by)]


def folded(text: str, width: int) -> list[str]:
    """Wrap a text to a display width: at spaces, beside Han characters, or within a word that is too long."""
    lines, line, room = [], "", width
    for piece in _pieces(text):
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


def _pieces(text: str) -> Sequence[str]:
    """Split a text where a line may end: after spaces, and beside wide characters if punctuation allows it."""
    pieces = [""]
    for character in text:
        before = pieces[-1][-1:]
        beside_wide = (_wide(character) or _wide(before)) and before not in OPENING and character not in CLOSING
        if before == " " or (before and beside_wide):
            pieces.append("")
        pieces[-1] += character
    return pieces


@cache
def _columns(character: str) -> int:
    return 2 if _wide(character) else int(not combining(character))


@cache
def _wide(character: str) -> bool:
    return bool(character) and east_asian_width(character) in "WF"
