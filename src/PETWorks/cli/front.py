"""``petworks anonymize --front``: releases that could be had instead, as a page and as a table."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from PETWorks.answer.making import Front, Making
from PETWorks.cli import absorbed
from PETWorks.cli.output import note, say, waiting, write
from PETWorks.explain.step import Name
from PETWorks.making.made import Made
from PETWorks.measure.result import DESCRIBABLE
from PETWorks.render.fill import fill, visible
from PETWorks.render.lines import Scribe
from PETWorks.render.numbers import brief, percent
from PETWorks.render.page import front_page
from PETWorks.render.page.front import marked, score_title
from PETWorks.render.wrapping import WIDTH, display_width, indented, padded


def show_front(made: Made, options: argparse.Namespace, *, small: bool) -> None:
    """Look for what else could be had, print it as a table, and write its page."""
    scribe, least = Scribe(options.lang), 1 if small else DESCRIBABLE
    with waiting(options.lang) as show:
        found = made.alternatives(
            tell=lambda done, all_: show(scribe.say("made_front", done=done, all=all_), done / all_)
        )
    if absorbed():
        note(scribe.say("made_front_interrupted"))
    making = made.making.guarded(least)
    front = found.guarded(making.gone, least)
    say("\n".join(["", *_lines(front, making, least, scribe)]))
    original = made.facts.name
    write(options.front, front_page(front, making, original, least=least, language=options.lang), options)


def _lines(front: Front, making: Making, least: int, scribe: Scribe) -> Iterator[str]:
    """Yield a line for each release; the one that was made is marked."""
    word = scribe.word.page
    title = word["front_lost"] if making.plan["utility"] == "loss" else score_title(making)[scribe.language]
    heads = ["", word["front_limit"], word["front_rate"], word["front_suppressed"], word["front_risk"], title]
    rows = [
        [
            f"{letter}*" if one.chosen else letter,
            ", ".join(visible(f"{name} {value}") for name, value in one.limits.items()),
            percent(one.rate),
            f"{one.suppressed:,}",
            brief(one.risk),
            f"{one.score:.3f}",
            " ".join(map(str, one.levels.values())),
        ]
        for letter, one in marked(front)
    ]
    table = [[*heads, word["front_levels"]], *rows]
    widths = [max(display_width(row[place]) for row in table) for place in range(len(heads))]
    apart = "  " if sum(widths) + 2 * len(widths) + display_width(table[-1][-1]) <= WIDTH else "\n    "
    for row in table if rows else ():
        yield apart.join(["  ".join(map(padded, row, widths)), row[-1]]).rstrip()
    remarks = [] if rows else [word["front_none"]]
    if rows:
        columns = [Name(column) for column in making.levels]
        remarks += [f"* {word['front_this']}", fill(word["front_order"], {"columns": columns}, scribe.word)]
    if not front.complete:
        remarks.append(scribe.say("made_front_cut"))
    if front.left_out:
        remarks.append(fill(word["front_left_out"], {"number": front.left_out, "least": least}, scribe.word))
    for remark in remarks:
        yield from indented(remark, 0)
