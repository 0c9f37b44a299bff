"""Words and figures as HTML. The page has both languages; the style sheet shows one of them.

Text of a table may be hostile. It is escaped, also characters that do not print; it is shortened if it is long, and
isolated so that it cannot change the direction of the text around it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from markupsafe import Markup, escape

from PETWorks.facts.notes import Note
from PETWorks.measure.base import Measure
from PETWorks.measure.steps import Cell, Name
from PETWorks.render.fill import MAX_CELL_LENGTH, TAGS, Medium, ShownFigure, fill, is_printable
from PETWorks.render.text import note_text, select_warnings_beside, warning_text
from PETWorks.render.words import LANGUAGES, words

PICTURES = {"\n": "␊", "\r": "␍", "\t": "␉", "\0": "␀"}


class PageMedium(Medium):
    """HTML: text is escaped, names are code, cells are isolated."""

    undefined = "–"

    def text(self, text: str) -> str:
        """Escape text of PETWorks itself."""
        return str(escape(text))

    def name(self, text: str) -> str:
        """Write a name as code."""
        return f"<code><bdi>{escape(_visible(text))}</bdi></code>"

    def cell(self, text: str) -> str:
        """Write a value, isolated from the text around it."""
        return f"<bdi>{escape(_visible(text))}</bdi>"

    def strong(self, text: str) -> str:
        """Write a number in bold."""
        return f"<b>{escape(text)}</b>"


class BilingualText(dict[str, str]):
    """A figure whose text depends on the language."""


PAGE = PageMedium()


def find_title(measure: Measure) -> BilingualText:
    """Return the title of a measure."""
    return BilingualText({language: measure.words[language].title for language in LANGUAGES})


def find_heading(measure: Measure | type[Measure]) -> BilingualText:
    """Return the title of a measure as a heading: a word begins with a capital letter, a symbol stays (k-anonymity)."""
    titles = {language: measure.words[language].title for language in LANGUAGES}
    return BilingualText(
        {one: title[0].upper() + title[1:] if title[:2].isalpha() else title for one, title in titles.items()}
    )


def write_reason(note: Note, measure: Measure | type[Measure]) -> BilingualMarkup:
    """Write a note, such as the reason why a measure was not evaluated, for readers who do not write programs."""
    if (key := f"note_{note.kind}") not in words("en").page:
        return combine_languages({one: PAGE.text(note_text(note, one, measure=measure)) for one in LANGUAGES})
    meanings = {one: [measure.words[one].parameters[name] for name in measure.list_required()] for one in LANGUAGES}
    listed = {one: words(one).page["semicolon"].join(texts) for one, texts in meanings.items()}
    return say(key, **note.figures, parameters=BilingualText(listed))


def find_term(measure: Measure | type[Measure], term: str) -> BilingualText:
    """Return a term of a measure, such as ``ordered``."""
    return BilingualText({language: measure.words[language].terms.get(term, term) for language in LANGUAGES})


def say(key: str, **figures: ShownFigure | BilingualText) -> BilingualMarkup:
    """Write a sentence of the page in both languages."""
    return fill_both({language: words(language).page[key] for language in LANGUAGES}, figures)


def fill_both(templates: dict[str, str], figures: dict[str, Any]) -> BilingualMarkup:
    """Fill the template of each language, and combine the texts."""
    texts = {}
    for language, template in templates.items():
        own = {name: one[language] if isinstance(one, BilingualText) else one for name, one in figures.items()}
        texts[language] = fill(template, own, words(language), PAGE)
    return combine_languages(texts)


class BilingualMarkup(Markup):
    """HTML that also keeps its text in each language."""

    texts: dict[str, str]


def join_sentences(sentences: Iterable[BilingualMarkup]) -> Markup:
    """Join sentences: with spaces between them in English, without in Chinese."""
    found = [sentence.texts for sentence in sentences]
    return combine_languages({one: words(one).gap.join(texts[one] for texts in found) for one in LANGUAGES})


def join_texts(*texts: BilingualMarkup) -> BilingualMarkup:
    """Join pieces of one sentence."""
    return combine_languages({one: "".join(each.texts[one] for each in texts) for one in LANGUAGES})


def join_entries(entries: Iterable[BilingualMarkup]) -> Markup:
    """Join the entries of a list, with the separator of each language."""
    found = [entry.texts for entry in entries]
    return combine_languages({one: words(one).separator.join(texts[one] for texts in found) for one in LANGUAGES})


def combine_languages(texts: dict[str, str]) -> BilingualMarkup:
    """Combine the HTML of all languages; if they are equal, write it once."""
    spans = (f'<span lang="{TAGS[language]}">{text}</span>' for language, text in texts.items())
    markup = BilingualMarkup(
        texts["en"] if len(set(texts.values())) == 1 else "".join(spans)
    )  # all parts are escaped already
    markup.texts = texts
    return markup


def write_warnings(notes: Iterable[Note], *, brief: bool = False) -> list[BilingualMarkup]:
    """Write the warnings on values; in brief, to stand beside a value.

    In full, without the warnings that come before the answer.
    """
    found = select_warnings_beside(notes) if brief else [note for note in notes if note.warning and not note.leading]
    return _write_found(found, brief=brief)


def write_openings(notes: Iterable[Note]) -> list[BilingualMarkup]:
    """Write the warnings that a verdict means nothing; they come before the answer."""
    return _write_found([note for note in notes if note.leading])


def write_notes(notes: Iterable[Note]) -> list[BilingualMarkup]:
    """Write notes in both languages."""
    return [combine_languages({one: note_text(note, one, PAGE) for one in LANGUAGES}) for note in notes]


def _write_found(found: Iterable[Note], *, brief: bool = False) -> list[BilingualMarkup]:
    return [combine_languages({one: warning_text(note, one, PAGE, brief=brief) for one in LANGUAGES}) for note in found]


def write_figure(value: Any) -> BilingualMarkup:  # noqa: ANN401
    """Write one figure: a number, a name, a cell, a term."""
    return fill_both(dict.fromkeys(LANGUAGES, "{value}"), {"value": value})


def write_name(text: str) -> Markup:
    """Write a name that the user gave."""
    return write_figure(Name(text))


def write_cell(value: str | None) -> Markup:
    """Write a value of a table."""
    if value is None:
        return combine_languages({language: PAGE.text(words(language).missing) for language in LANGUAGES})
    return write_figure(Cell(value))


def _visible(text: str) -> str:
    """Escape characters that do not print, and shorten a long text."""
    return (
        show_unprintable(text)
        if len(text) <= MAX_CELL_LENGTH
        else f"{show_unprintable(text[:MAX_CELL_LENGTH])}… ({len(text):,})"
    )


def show_unprintable(text: str) -> str:
    """Escape characters that do not print."""
    return "".join(one if is_printable(one) else PICTURES.get(one, f"⟨U+{ord(one):04X}⟩") for one in text)
