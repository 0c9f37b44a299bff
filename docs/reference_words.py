"""The words of the reference in one language, and how they are written as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).parent
SPECIAL = re.compile(r"([\\*_\[\]<>|#])")


class Words:
    """The texts that the code does not have in a language. A missing entry and an unused entry are errors."""

    def __init__(self, locale: str) -> None:
        self.locale = locale
        self.language = locale.replace("-", "_")
        self.path = HERE / f"reference.{locale}.yaml"
        self._content: dict[str, Any] = yaml.safe_load(self.path.read_text(encoding="utf-8"))
        self._asked: set[tuple[str, str]] = set()

    def __getitem__(self, heading: str) -> str:
        """Return a heading or a sentence of the pages."""
        return str(self.of("headings", heading))

    def of(self, section: str, key: str, otherwise: str | None = None) -> Any:  # noqa: ANN401
        """Return an entry; in English, `otherwise` (from the code) is used if there is none."""
        self._asked.add((section, key))
        found = (self._content.get(section) or {}).get(key)
        if found is None and self.locale == "en":
            found = otherwise
        if found is None:
            raise KeyError(f"{self.path.name}, {section}: there is no entry for {key!r}; add one")
        return found

    def has(self, section: str, key: str) -> bool:
        """Return True if there is an entry."""
        return key in (self._content.get(section) or {})

    def done(self) -> None:
        """Raise an error if an entry was not used."""
        for section, entries in self._content.items():
            for key in entries or ():
                if (section, key) not in self._asked:
                    raise KeyError(f"{self.path.name}, {section}: the entry {key!r} is not used; remove or rename it")


def escaped(text: str) -> str:
    """Escape text for Markdown, except what is between backticks."""
    pieces = re.split(r"(``.+?``|`.+?`)", text)
    return "".join(piece if number % 2 else SPECIAL.sub(r"\\\1", piece) for number, piece in enumerate(pieces))


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a table; cells are Markdown, in which bars outside of code are escaped."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines)


def _cell(text: str) -> str:
    pieces = re.split(r"(`[^`]+`)", text)
    return "".join(one if number % 2 else re.sub(r"(?<!\\)\|", r"\|", one) for number, one in enumerate(pieces))


def fence(kind: str, text: str) -> str:
    """Write a code block."""
    return f"```{kind}\n{text.strip(chr(10))}\n```"


def code(text: str) -> str:
    """Write a name as code."""
    return f"`{text}`"


def joined(parts: Iterable[str]) -> str:
    """Join the parts of a page."""
    return "\n\n".join(part for part in parts if part) + "\n"


def listed(given: str | Sequence[str]) -> list[str]:
    """Return one or several texts as a list."""
    return [given] if isinstance(given, str) else list(given)


def filled(text: str, values: Mapping[str, object]) -> str:
    """Replace names in braces by their values."""
    for name, value in values.items():
        text = text.replace("{" + name + "}", str(value))
    return text
