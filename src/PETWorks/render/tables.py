"""Results, evaluations and explanations as tables: in a terminal (rich) and in a notebook (HTML)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from PETWorks.inspection.inspection import Inspection
from PETWorks.render.blocks import Block, Headline, Steps, Subject, TextTable, VerdictBlock, build_blocks
from PETWorks.render.fill import HTML, PLAIN, TAGS
from PETWorks.render.inspection import inspection_blocks
from PETWorks.render.lines import NOTHING, WITHHELD

if TYPE_CHECKING:
    from rich.console import RenderableType

GREY = "#7b8591"
COLORS = {
    "fails": "#d55e00",
    "holds": "#2474b5",
    "unasked": GREY,
    WITHHELD: GREY,
    NOTHING: GREY,
}
CELL = "padding:.2em .8em;vertical-align:top"


def as_rich(subject: Subject, language: str = "en") -> RenderableType:
    """Return a result, an evaluation or an explanation for a terminal. Text is never read as rich markup."""
    from rich.console import Group

    return Group(*(_draw_block(block) for block in build_blocks(subject, language, PLAIN)))


def as_html(subject: Subject | Inspection, language: str = "en") -> str:
    """Return HTML for a notebook, which uses the notebook's colours: no script, no style sheet."""
    shown = inspection_blocks if isinstance(subject, Inspection) else build_blocks
    written = "".join(_write_block(block) for block in shown(subject, language, HTML))  # type: ignore[arg-type]
    return f'<div lang="{TAGS[language]}" style="line-height:1.5">{written}</div>'


def _draw_block(block: Block) -> RenderableType:
    from rich import box, table
    from rich.text import Text

    match block:
        case Headline(text):
            return Text(text, style="bold")
        case TextTable(head, rows, right):
            drawn = table.Table(box=box.SIMPLE_HEAD, pad_edge=False)
            for number, title in enumerate(head):
                drawn.add_column(Text(title), justify="right" if number in right else "left", overflow="fold")
            for row in rows:
                drawn.add_row(*(_cell(cell) for cell in row))
            return drawn
        case Steps(steps):
            grid = table.Table.grid(padding=(0, 1))
            grid.add_column(justify="right")
            grid.add_column(overflow="fold")
            for number, (text, lines) in enumerate(steps, 1):
                grid.add_row(f"{number}.", Text("\n  ".join([text, *lines])))
            return grid
    return Text(str(block))


def _cell(cell: str | VerdictBlock) -> RenderableType:
    from rich.text import Text

    return Text(cell.text, style=f"bold {COLORS[cell.kind]}") if isinstance(cell, VerdictBlock) else Text(cell)


def _write_block(block: Block) -> str:
    match block:
        case Headline(text):
            return f"<p><strong>{text}</strong></p>"
        case TextTable():
            return f'<table style="text-align:left">{"".join(_rows(block))}</table>'
        case Steps(steps):
            return f"<ol>{''.join(f'<li>{text}{_list(lines)}</li>' for text, lines in steps)}</ol>"
    return f"<p>{block}</p>"


def _rows(table: TextTable) -> Iterator[str]:
    columns = range(len(table.head))
    sides = ["right" if number in table.right else "left" for number in columns]
    wraps = ["nowrap" if number in table.short else "normal" for number in columns]
    styles = [f"text-align:{side};white-space:{wrap};{CELL}" for side, wrap in zip(sides, wraps, strict=True)]
    heads = (f'<th scope="col" style="{style}">{head}</th>' for style, head in zip(styles, table.head, strict=True))
    yield f"<thead><tr>{''.join(heads)}</tr></thead><tbody>"
    for row in table.rows:
        yield f"<tr>{''.join(_write_data_cell(cell, style) for cell, style in zip(row, styles, strict=True))}</tr>"
    yield "</tbody>"


def _write_data_cell(cell: str | VerdictBlock, style: str) -> str:
    if isinstance(cell, VerdictBlock):
        return f'<td style="{style};border-left:4px solid {COLORS[cell.kind]}"><strong>{cell.text}</strong></td>'
    return f'<td style="{style}">{cell}</td>'


def _list(lines: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{line}</li>' for line in lines)}</ul>" if lines else ""
