"""A comparison as text for a terminal, and as a table in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from PETWorks.comparison.view import ComparisonView
from PETWorks.render.comparison.lines import Compared, Comparer, Entry
from PETWorks.render.fill import visible
from PETWorks.render.markdown import Markdown
from PETWorks.render.wrapping import display_width, folded, padded

WIDTH = 80
GAP = "  "
LABELS = 26  # columns of the terminal for what is compared, at most
LEAST = 12  # columns for a release, at least


def comparison_text(view: ComparisonView, language: str = "en") -> str:
    """Write the answer, and all values side by side."""
    comparer = Comparer(view, language)
    lines = [comparer.headline()[1], *_paragraph(_lead(comparer))]
    for note in comparer.notes():
        lines += ["", *_paragraph(note)]
    lines.append("")
    letters = [f"{one.letter} {visible(one.name)}" for one in view.candidates]
    groups = list(comparer.groups())
    if view.columns:
        groups.append((comparer.page("cmp_levels"), [comparer.level_line(row) for row in view.columns]))
    labels = [line.label for _, some in groups for line in some]
    width = min(LABELS, max(map(display_width, labels), default=0))
    each = max(LEAST, (WIDTH - width) // len(letters) - len(GAP))
    lines += _row(["", *letters], width, each)
    for heading, some in groups:
        lines += ["", heading]
        for line in some:
            lines += _row([line.label, *(_told(one, comparer) for one in line.entries)], width, each)
    if told := comparer.told():
        lines += ["", *_paragraph(told)]
    return "\n".join(lines).rstrip() + "\n"


def _lead(comparer: Comparer) -> str:
    return comparer.word.gap.join([*comparer.lead(), *comparer.counted()])


def _told(entry: Entry, comparer: Comparer) -> str:
    verdict = "" if entry.verdict in ("", "na") else comparer.say(entry.verdict)
    best = comparer.page("cmp_best") if entry.best else ""
    return comparer.word.comma.join(filter(None, [entry.text, verdict, best]))


def _paragraph(text: str) -> list[str]:
    return folded(text, WIDTH) if text else []


def _row(cells: Sequence[str], width: int, each: int) -> Iterator[str]:
    pieces = [folded(cells[0], width), *(folded(cell, each) for cell in cells[1:])]
    for some in zip_longest(*pieces, fillvalue=""):
        yield GAP.join([padded(some[0], width), *(padded(one, each) for one in some[1:])]).rstrip()


def comparison_markdown(view: ComparisonView, language: str = "en") -> str:
    """Write the answer, and a table."""
    comparer = Comparer(view, language, Markdown())
    heads = ["", *(f"{one.letter} {comparer.medium.name(one.name)}" for one in view.candidates)]
    table = [_cells(heads), _cells(["---"] * len(heads))]
    for heading, some in comparer.groups():
        table.append(_cells([f"**{heading}**", *[""] * len(view.candidates)]))
        table += [_line(line, comparer) for line in some]
    blocks = [f"**{comparer.headline()[1]}**", _lead(comparer), *comparer.notes(), "\n".join(table)]
    return "\n\n".join(filter(None, blocks)) + "\n"


def _line(line: Compared, comparer: Comparer) -> str:
    remark = f"<br>{line.remark}" if line.remark else ""
    entries = []
    for one in line.entries:
        told = _told(one, comparer)
        entries.append(f"**{told}**" if one.best else told)
    return _cells([line.label + remark, *entries])


def _cells(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"
