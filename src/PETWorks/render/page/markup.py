"""Words and figures as HTML. Both languages stand side by side; the style sheet shows one of them.

Whatever comes from a table is hostile until escaped: it is shown in full view, cut when long, and set apart so that it
cannot turn the direction of the text around it.
"""

from __future__ import annotations

from typing import Any

from markupsafe import Markup, escape

from PETWorks.measure import Measure
from PETWorks.render.fill import LONGEST, Medium, fill
from PETWorks.render.words import LANGUAGES, words
from PETWorks.step import Cell, Name

TAGS = {"en": "en", "zh_TW": "zh-Hant-TW"}
PICTURES = {"\n": "␊", "\r": "␍", "\t": "␉", "\0": "␀"}


class Page(Medium):
    """HTML: text is escaped, names are code, cells are kept apart."""

    def text(self, text: str) -> str:
        """Escape words of ours."""
        return str(escape(text))

    def name(self, text: str) -> str:
        """Write a name as code."""
        return f"<code><bdi>{escape(_visible(text))}</bdi></code>"

    def cell(self, text: str) -> str:
        """Write a value, kept apart from the text around it."""
        return f"<bdi>{escape(_visible(text))}</bdi>"


class Strong(Page):
    """HTML with the numbers standing out."""

    def figure(self, text: str) -> str:
        """Write a number in bold."""
        return f"<b>{escape(text)}</b>"


class Both(dict[str, str]):
    """A figure that is another text in each language."""


PAGE, STRONG = Page(), Strong()


def title_of(measure: Measure) -> Both:
    """Give the title of a measure."""
    return Both({language: measure.words[language].title for language in LANGUAGES})


def say(key: str, *, strong: bool = False, room: str = "page", **figures: Any) -> Markup:  # noqa: ANN401
    """Write a sentence of the page's words in both languages; `room` may be another part of the vocabulary."""
    return both({language: getattr(words(language), room)[key] for language in LANGUAGES}, figures, strong=strong)


def both(templates: dict[str, str], figures: dict[str, Any] | None = None, *, strong: bool = False) -> Markup:
    """Fill templates, one for each language, and put the texts side by side."""
    medium = STRONG if strong else PAGE
    texts = {}
    for language, template in templates.items():
        own = {name: one[language] if isinstance(one, Both) else one for name, one in (figures or {}).items()}
        texts[language] = fill(template, own, words(language), medium)
    return side_by_side(texts)


def side_by_side(texts: dict[str, str]) -> Markup:
    """Put HTML in each language side by side; once only where it is the same."""
    if len(set(texts.values())) == 1:
        return Markup(texts["en"])  # noqa: S704 (made of escaped pieces)
    spans = (f'<span lang="{TAGS[language]}">{text}</span>' for language, text in texts.items())
    return Markup("".join(spans))  # noqa: S704


def markup_of(value: Any) -> Markup:  # noqa: ANN401
    """Write one figure: a number, a name, a cell, a term."""
    return both(dict.fromkeys(LANGUAGES, "{value}"), {"value": value})


def name(text: str) -> Markup:
    """Write a name that the user gave."""
    return markup_of(Name(text))


def cell(value: str | None) -> Markup:
    """Write a value out of a table."""
    if value is None:
        return side_by_side({language: PAGE.text(words(language).missing) for language in LANGUAGES})
    return markup_of(Cell(value))


def _visible(text: str) -> str:
    """Show what does not print, and cut what is long."""
    shown = "".join(one if one.isprintable() else PICTURES.get(one, f"⟨U+{ord(one):04X}⟩") for one in text[:LONGEST])
    return shown if len(text) <= LONGEST else f"{shown}… ({len(text):,})"
