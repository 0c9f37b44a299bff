"""Templates filled with figures, in a language and for a medium.

A template is text with figures in braces. What follows a colon says how a figure is written:

    {value}                 a small fraction as such, else four significant digits; whole numbers with commas
    {value:exact}           3/8 (0.375)
    {share:%}               1.3%
    {rows:row|rows}         1 row, 1,224 rows
    {rows:b}  {share:b%}    bold, if the medium has bold text

>>> from PETWorks.render.words import words
>>> fill("{rows:row|rows} of {column}: {share:%}", {"rows": 1, "column": Name("age"), "share": 0.5}, words("en"))
'1 row of age: 50.0%'
>>> costs = Terms([Fraction(3, 40), Fraction(3, 20)], common=True)
>>> fill("{costs} = {sum}", {"costs": costs, "sum": Fraction(9, 40)}, words("en"))
'3/40 + 6/40 = 9/40'

Where people have several rows, templates that count rows are reworded, because the same figures count people.

>>> reword_for_people("On average: {classes:class|classes} ÷ {rows:row|rows} = {score}.")
'On average: {classes:class|classes} ÷ {rows:person|people} = {score}.'
>>> reword_for_people("平均：{rows} 筆資料列 ÷ {classes} 個等價類")
'平均：{rows} 人 ÷ {classes} 個等價類'

`HTML` writes small pieces for a notebook, or within Markdown. Text of the user is escaped and isolated.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from html import escape
from math import lcm
from string import Formatter
from typing import Any
from unicodedata import category

from PETWorks.exact.limit import Limit
from PETWorks.facts.notes import Reason
from PETWorks.facts.what_if import Generalisation
from PETWorks.measure.steps import Amounts, Cell, Name, Terms
from PETWorks.render.typography import LARGEST_DENOMINATOR, format_brief, format_exact, format_number, format_percent
from PETWorks.render.words import Vocabulary
from PETWorks.shown import CountBand, Exact, Percent, Rounded, show_exactly
from PETWorks.tables.counting.tally import cell_text

ShownFigure = (  # what words are filled with: no raw number
    str
    | Exact
    | CountBand
    | Rounded
    | Percent
    | Limit
    | Reason
    | Generalisation
    | Terms
    | Amounts
    | Sequence[Any]
    | Mapping[str, Any]
    | None
)
MAX_CELL_LENGTH = 80  # maximum number of characters shown of a cell
MAX_LISTED_ENTRIES = 50  # maximum number of entries shown of a list


class Medium:
    """Plain text; subclasses define the markup of texts, names and cells for other media."""

    undefined = "-"  # shown for undefined values

    def text(self, text: str) -> str:
        """Write text of PETWorks itself."""
        return text

    def name(self, text: str) -> str:
        """Write a name that the user gave."""
        return self.text(cut(escape_unprintable(text)))

    def cell(self, text: str) -> str:
        """Write a value of a table."""
        return self.name(text)

    def figure(self, text: str) -> str:
        """Write a number."""
        return self.text(text)

    def message(self, text: str) -> str:
        """Write a message that may contain text of the user."""
        return self.text(escape_unprintable(text))

    def strong(self, text: str) -> str:
        """Write an important number."""
        return self.figure(text)


PLAIN = Medium()


class MarkedText(str):
    """Text that already has the markup of its medium: a template does not escape it."""

    __slots__ = ()


def list_figure_names(template: str) -> set[str]:
    """Return the names of the figures that a template has."""
    return {name for _, name, _, _ in Formatter().parse(template) if name}


def fill(
    template: str,
    figures: Mapping[str, ShownFigure],
    word: Vocabulary,
    medium: Medium = PLAIN,
    *,
    decimals: bool = False,
) -> str:
    """Put figures into a template; with `decimals`, fractions are written as decimals.

    A value beside its limit has as many digits as distinguish the two.
    """
    figures, limit = dict[str, Any](figures), figures.get("limit")
    if isinstance(limit, Limit) and isinstance(value := figures.get("value"), float | Fraction):
        exact = value if isinstance(value, Fraction) else None
        figures["value"] = format_brief(exact, float(value), limit)
    return _Filler(word, medium, decimals=decimals).vformat(template, (), figures)


class _Filler(Formatter):
    def __init__(self, word: Vocabulary, medium: Medium, *, decimals: bool) -> None:
        self.word, self.medium, self.decimals = word, medium, decimals

    def parse(self, template: str) -> Iterable[tuple[str, str | None, str | None, str | None]]:
        for literal, name, spec, conversion in super().parse(template):
            yield self.medium.text(literal), name, spec, conversion

    def format_field(self, value: Any, spec: str) -> str:  # noqa: ANN401
        if spec == "%":
            return self.medium.figure("-" if value is None else format_percent(value))
        if spec == "b":
            return self.medium.strong(_number(value))
        if spec == "b%":
            return self.medium.strong(format_percent(value))
        if spec == "exact":
            fraction = Fraction(value) if isinstance(value, int | Fraction) else None
            return self.medium.figure(format_exact(fraction, value, self.word.brackets))
        if "|" in spec:
            one, more = spec.split("|")
            return f"{self._write(value)} {self.medium.text(one if value == 1 else more)}"
        return self._write(value)

    def _write(self, value: Any) -> str:  # noqa: ANN401, C901, PLR0911, PLR0912 (one for each kind of figure)
        match value:
            case None:
                return self.medium.text(self.medium.undefined)
            case MarkedText():
                return str(value)
            case Percent():
                return self.medium.figure(str(value))
            case Name():
                return self.medium.name(value)
            case Reason():
                return self.medium.message(value)
            case CountBand():
                return self.medium.figure(self._band(value))
            case Cell():
                return self._cell(None if value == cell_text(None) else value)
            case Generalisation(column, level):
                template = self.word.complete_lift if level is None else self.word.lift
                return fill(
                    template,
                    {"column": Name(column), **show_exactly({"level": level})},
                    self.word,
                    self.medium,
                )
            case str():
                return self.medium.text(self.word.terms.get(value, value))
            case Mapping():
                return self._join([f"{self._write(Name(name))}={self._cell(one)}" for name, one in value.items()])
            case Terms(values, common):
                return " + ".join(
                    map(self.medium.figure, write_over_common_denominator(values) if common else map(_number, values))
                )
            case Amounts(values):
                return self._join([self.medium.figure(text) for text in write_over_common_denominator(values)])
            case list() | tuple():
                return self._join(
                    [self._write(one) for one in value[:MAX_LISTED_ENTRIES]], more=len(value) - MAX_LISTED_ENTRIES
                )
        return self.medium.figure(format_number(value) if self.decimals else _number(value))

    def _band(self, band: CountBand) -> str:
        low, high = format_number(band.low), format_number(band.high)
        return (
            self.word.band.format(low, high) if band.low else self.word.band_below.format(format_number(band.high + 1))
        )

    def _cell(self, value: str | None) -> str:
        return self.medium.text(self.word.missing) if value is None else self.medium.cell(value)

    def _join(self, texts: Sequence[str], more: int = 0) -> str:
        listed = self.medium.text(self.word.separator).join(texts)
        return listed + self.medium.text(f" {self.word.more.format(f'{more:,}')}") if more > 0 else listed


def _number(value: Any) -> str:  # noqa: ANN401
    return format_brief(value) if isinstance(value, Fraction) else format_number(value)


def write_over_common_denominator(values: Sequence[Fraction | float]) -> list[str]:
    """Write fractions over their common denominator, or as decimals where that is large."""
    fractions = [value for value in values if isinstance(value, Fraction)]
    below = lcm(*(value.denominator for value in fractions))
    if len(fractions) < len(values) or below > LARGEST_DENOMINATOR or below == 1:
        return [format_number(value) for value in values]
    return [f"{value * below}/{below}" if value else "0" for value in fractions]


def is_printable(character: str) -> bool:
    """Return True if a character is visible or a space, such as the wide space in Chinese names."""
    return character.isprintable() or category(character) == "Zs"


def escape_unprintable(text: str) -> str:
    r"""Escape characters that do not print: line ends, control characters, marks that change the direction of text.

    >>> print(escape_unprintable("a\nb\u202ec"))
    a\nb\u202ec
    """
    return "".join(one if is_printable(one) else one.encode("unicode_escape").decode() for one in text)


def cut(text: str) -> str:
    """Shorten a long text, and add its length."""
    return text if len(text) <= MAX_CELL_LENGTH else f"{text[:MAX_CELL_LENGTH]}… ({len(text):,})"


COUNTED = "rows|all_rows|unique|pairs|size|people"  # figures that then count people; others still count rows
FORMS = re.compile(rf"\{{({COUNTED}):([^{{}}|]*)\|([^{{}}]*)\}}")
CHINESE = re.compile(rf"\{{({COUNTED})\}} (?:筆發布的資料列|筆資料列|筆|列)")
BY_ROWS = ("grouped", "further_suppressed")  # kinds of steps that still count rows


def reword_for_people(template: str) -> str:
    """Replace the word for rows beside a figure that counts people."""

    def count_people(found: re.Match[str]) -> str:
        one, many = (re.sub(r"\b(?:published |unique |sampled )?rows?\b", "{}", form) for form in found.groups()[1:])
        return "{" + f"{found[1]}:{one.replace('{}', 'person')}|{many.replace('{}', 'people')}" + "}"

    return CHINESE.sub(r"{\1} 人", FORMS.sub(count_people, template)).replace("of all rows", "of all people")


def reword_label_for_people(label: str) -> str:
    """Replace the word for rows in the name of a part.

    >>> reword_label_for_people("rows at the highest"), reword_label_for_people("最高風險的資料列數")
    ('people at the highest', '最高風險的人數')
    """
    return re.sub(r"\brows\b", "people", label).replace("資料列數", "人數").replace("資料列", "人的")


def step_template(kind: str, template: str, *, people: bool) -> str:
    """Return the template of a step; it counts people if they have several rows."""
    return reword_for_people(template) if people and not kind.startswith(BY_ROWS) else template


TAGS = {"en": "en", "zh_TW": "zh-Hant-TW"}  # language tags for the lang attribute


class Html(Medium):
    """HTML: text is escaped; names and cells are code, which cannot change the direction of the text around it."""

    def text(self, text: str) -> str:
        """Escape text of PETWorks itself."""
        return escape(text)

    def name(self, text: str) -> str:
        """Write a name as code."""
        return self.message(cut(escape_unprintable(text)))

    def message(self, text: str) -> str:
        """Write a message as code."""
        return f'<code style="overflow-wrap:anywhere"><bdi>{escape(escape_unprintable(text))}</bdi></code>'


HTML = Html()
