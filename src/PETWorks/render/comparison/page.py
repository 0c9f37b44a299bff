"""A comparison as one self-contained page in both languages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from typing import Any

from markupsafe import Markup

from PETWorks.disclosure.comparison import ColumnRow, ComparisonView
from PETWorks.render.comparison.lines import ComparisonEntry, ComparisonLine, ComparisonWriter
from PETWorks.render.page import fill_page
from PETWorks.render.page.answer import write_counting
from PETWorks.render.page.markup import PAGE, BilingualMarkup, combine_languages, say, show_unprintable, write_name
from PETWorks.render.page.svg import draw_bar, draw_strip
from PETWorks.render.page.utility import build_values_table, list_level_shares
from PETWorks.render.words import LANGUAGES, words

FIRST = 4  # maximum number of columns of values that are not folded
SHAPES = (
    '<circle r="10"/>',
    '<rect x="-9" y="-9" width="18" height="18" rx="1"/>',
    '<path d="M0-12L12 0L0 12L-12 0z"/>',
    '<path d="M-6-11H6L12 0L6 11H-6L-12 0z"/>',
)


def comparison_page(view: ComparisonView, language: str = "en", command: str = "") -> str:
    """Write the page of a comparison, with `language` shown first."""
    words(language)  # raises an error for an unknown language
    comparers = [ComparisonWriter(view, one, PAGE) for one in LANGUAGES]
    candidates = view.candidates
    values = [_values(column, view) for column in view.values]
    return fill_page(
        "compare.html",
        language,
        "comparison",
        title=show_unprintable(view.title or ", ".join(one.name for one in view.candidates)),
        policy=show_unprintable(view.title),
        status=comparers[0].write_headline()[0],
        headline=_combine(comparers, lambda one: one.write_headline()[1]),
        lead=_combine(comparers, lambda one: one.word.gap.join(one.write_lead())),
        notes=[
            combine_languages(dict(zip(LANGUAGES, some, strict=True)))
            for some in zip(*(one.write_notes() for one in comparers), strict=True)
        ],
        candidates=[
            {"mark": draw_mark(one.letter, 28), "name": show_unprintable(one.name), "scope": one.scope}
            for one in candidates
        ],
        counted=write_counting(view.known),
        groups=list(_groups(comparers)),
        columns=[_column(row, comparers) for row in view.columns],
        labels=[draw_mark(one.letter, 20) for one in candidates],
        values=values[:FIRST],
        folded=values[FIRST:],
        sentences=_sentences(comparers, values),
        public=view.public,
        command=command,
        version=version("petworks"),
    )


def _sentences(comparers: Sequence[ComparisonWriter], values: Sequence[dict[str, Any]]) -> list[BilingualMarkup]:
    """Write what the tables of values show, and what is withheld."""
    sentences = [say("cmp_values_sub")] if values else []
    if any(table["shares"] for column in values for table in column["tables"]):
        sentences.append(say("cmp_kept"))
    return (
        [*sentences, _combine(comparers, lambda one: one.write_withheld())]
        if comparers[0].write_withheld()
        else sentences
    )


def draw_mark(letter: str, size: int) -> Markup:
    """Draw the mark of a release: a shape with its letter."""
    shape = SHAPES[(ord(letter) - ord("A")) % len(SHAPES)]
    return Markup(  # noqa: S704 (numbers and letters of ours only)
        f'<svg class="sign" width="{size}" height="{size}" viewBox="-13 -13 26 26" role="img" aria-label="{letter}">'
        f'{shape}<text y="4.5" text-anchor="middle">{letter}</text></svg>'
    )


def _combine(comparers: Sequence[ComparisonWriter], write: Callable[[ComparisonWriter], str]) -> BilingualMarkup:
    return combine_languages({one.language: write(one) for one in comparers})


def _groups(comparers: Sequence[ComparisonWriter]) -> Iterator[dict[str, Any]]:
    for groups in zip(*(one.group_lines() for one in comparers), strict=True):
        heading = combine_languages({one.language: group[0] for one, group in zip(comparers, groups, strict=True)})
        lines = [_line(lines, comparers) for lines in zip(*(group[1] for group in groups), strict=True)]
        yield {"heading": heading, "lines": lines}


def _line(lines: Sequence[ComparisonLine], comparers: Sequence[ComparisonWriter]) -> dict[str, Any]:
    languages = [one.language for one in comparers]

    def both(texts: Sequence[str]) -> BilingualMarkup:
        return combine_languages(dict(zip(languages, texts, strict=True)))

    entries = zip(*(line.entries for line in lines), strict=True)
    return {
        "label": both([line.label for line in lines]),
        "remark": both([line.remark for line in lines]),
        "differs": lines[0].differs,
        "entries": [
            {
                "text": both([one.text for one in some]),
                "verdict": some[0].verdict,
                "best": some[0].best,
                "bar": _bar(some[0]),
            }
            for some in entries
        ],
    }


def _bar(entry: ComparisonEntry) -> Markup:
    return Markup("") if entry.share is None else draw_bar(entry.share, height=10)


def _column(row: ColumnRow, comparers: Sequence[ComparisonWriter]) -> dict[str, Any]:
    line = _line([one.write_levels(row) for one in comparers], comparers)
    for entry, levels in zip(line["entries"], row.levels, strict=True):
        entry["strip"] = Markup("") if levels is None else draw_strip(list_level_shares(levels), 14)
    return line


def _values(column: Sequence[Any], view: ComparisonView) -> dict[str, Any]:
    tables = []
    for one, candidate, may in zip(column, view.candidates, view.may.by_release, strict=True):
        scope = candidate.scope
        kept = (scope.rows - scope.suppressed) / scope.rows if scope.rows else 0
        table = build_values_table(one, kept)
        shown = may[one.column]
        shares = shown.shows_counts and any(row["before"] is not None for row in table["rows"])
        tables.append({**table, "mark": draw_mark(candidate.letter, 20), "shares": shares, "exact": shown.shows_counts})
    return {"name": write_name(column[0].column), "tables": tables}
