"""``petworks measures``: list all measures, or describe one."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from itertools import groupby, zip_longest

from PETWorks.cli import HOLDS
from PETWorks.cli.languages import choose_language
from PETWorks.cli.output import print_answer
from PETWorks.cli.parameters import METAVARS, write_bounds, write_option
from PETWorks.measure.base import Measure, Need, Page
from PETWorks.measure.parameter import find_limits, find_parameters
from PETWorks.measure.registry import find, measures
from PETWorks.measure.steps import Name
from PETWorks.render.blocks import find_reference
from PETWorks.render.fill import fill
from PETWorks.render.typography import WIDTH, display_width, pad, wrap, wrap_indented
from PETWorks.render.words import Vocabulary, words
from PETWorks.shown import Exact

LONGEST_NAME, MEASURED, GAP = 24, 21, 2  # widths in terminal columns
NO_BREAK_SPACE = "\u00a0"  # a no-break space
WRAPPED = 100  # a docstring line shorter than this ends a paragraph
# characters that some consoles cannot show
PLAIN = str.maketrans({"≤": "<=", "≥": ">=", "²": "^2", "−": "-", "½": "1/2", "ä": "a", "ć": "c", "é": "e"})


def run(options: argparse.Namespace) -> int:
    """Print the list of measures, or the description of one."""
    language = choose_language(options)
    lines = _write_page(find(options.measure), language) if options.measure else _list(language)
    print_answer("\n".join(lines))
    return HOLDS


def _list(language: str) -> Iterator[str]:
    """Write a line for each measure: family, name, what is measured, limits and other options."""
    word = words(language)
    families = {family: word.command[f"cli_{family}"] for family in ("privacy", "risk", "utility")}
    family = max(map(display_width, families.values()))
    name = min(max(map(display_width, measures())), LONGEST_NAME)  # longer names are wrapped
    widths = [family, name, MEASURED, WIDTH - family - name - MEASURED - 3 * GAP]
    for kind in measures().values():
        cells = [families[kind.family], kind.name, _write_measured(kind, language), _list_options(kind, language)]
        yield from _write_row(cells, widths)
    yield ""
    yield from wrap_indented(fill(word.command["cli_listed"], {"measures": Exact(len(measures()))}, word), 0)


def _write_row(cells: Iterable[str], widths: Iterable[int]) -> Iterator[str]:
    """Write cells side by side, each wrapped to the width of its column."""
    columns = [(wrap(cell, width), width) for cell, width in zip(cells, widths, strict=True)]
    for pieces in zip_longest(*(lines for lines, _ in columns), fillvalue=""):
        placed = [pad(piece, width) for piece, (_, width) in zip(pieces, columns, strict=True)]
        yield (" " * GAP).join(placed).rstrip().replace(NO_BREAK_SPACE, " ")


def _write_measured(kind: type[Measure], language: str) -> str:
    """Write what a measure measures, after its title if that differs from its name."""
    own = kind.words[language]
    texts = [own.measured] if own.title == kind.name else [own.title, own.measured]
    return words(language).colon.join(dict.fromkeys(filter(None, texts)))


def _list_options(kind: type[Measure], language: str) -> str:
    """List the limits with their sides, then the other options."""
    sides: dict[str, list[str]] = {}
    for name, side in find_limits(kind).items():
        sides.setdefault("" if name == side.replace(" ", "_") else side, []).append(write_option(name))
    options = []
    for where, (first, *others) in sides.items():
        options += [words(language).sides.get(where, "{}").format(first).replace(" ", NO_BREAK_SPACE), *others]
    return " ".join(
        [*options, *(write_option(name) for name in find_parameters(kind) if name not in find_limits(kind))]
    )


def _write_page(kind: type[Measure], language: str) -> Iterator[str]:
    """Write a measure's page: the docstring of its file, then its parameters."""
    word, title = words(language), kind.words[language].title
    if title != kind.name:
        yield f"{title}{word.brackets.format(kind.name)}"
        yield ""
    page = sys.modules[kind.__module__].__doc__ or ""
    if own := kind.words[language].page:
        yield from _write_translated(own, page, word)
        yield from (
            "",
            word.command["cli_page_reference"],
            *wrap_indented(find_reference(kind, language).translate(PLAIN), 4),
        )
    else:
        yield from _reflow(page)
    yield ""
    if find_parameters(kind):
        yield word.command["cli_parameters"]
    for name in find_parameters(kind):
        yield from _write_parameter(kind, name, language)
    yield from [""] * bool(find_parameters(kind))
    yield from [word.command[f"needs_{need}"] for need in Need if need in kind.needs]
    names = {"name": Name(kind.name), "python": Name(kind.__name__)}
    yield from wrap_indented(fill(word.command["cli_called"], names, word), 0)


def _write_parameter(kind: type[Measure], name: str, language: str) -> Iterator[str]:
    parameter, word = find_parameters(kind)[name], words(language)
    texts = [*write_bounds(parameter), *parameter.words]
    if side := find_limits(kind).get(name):
        texts.insert(0, word.command["cli_limit"].format(word.sides[side].format("").strip()))
    if parameter.required:
        texts.append(word.command["cli_required"])
    elif parameter.default is not None:
        texts.append(word.command["cli_default"].format(parameter.default))
    yield f"    {write_option(name)} {METAVARS.get(parameter.kind, '')}".rstrip()
    meaning = kind.words[language].parameters.get(name, "")
    for text in filter(None, (meaning, word.separator.join(texts))):
        yield from wrap_indented(text, 8)


def _write_translated(own: Page, page: str, word: Vocabulary) -> Iterator[str]:
    """Write a page in another language; the example comes from the English page."""
    yield from wrap_indented(own.summary.translate(PLAIN), 0)
    for section, texts in own._asdict().items():
        if section == "summary":
            continue
        yield from ("", word.command[f"cli_page_{section}"])
        for text in texts.splitlines():
            yield from wrap_indented(text.translate(PLAIN), 4)
        if section == "example":
            yield from ("", *_code(page))


def _code(page: str) -> Iterator[str]:
    """Yield the lines of the example in a docstring."""
    example = page.partition("\nExample\n")[2].partition("\nReading\n")[0].translate(PLAIN)
    yield from example[example.index("    >>>") :].rstrip().splitlines()


def _reflow(page: str) -> Iterator[str]:
    """Wrap a docstring to the width of a terminal, except its examples."""
    for _, block in groupby(page.strip().translate(PLAIN).splitlines(), key=bool):
        lines = list(block)
        yield from lines if any(">>>" in line for line in lines) else _split_paragraphs(lines)


def _split_paragraphs(lines: Iterable[str]) -> Iterator[str]:
    joined, before = list[str](), ""
    for line in lines:
        if len(before) >= WRAPPED and _indent(line) == _indent(before):
            joined[-1] += f" {line.strip()}"
        else:
            joined.append(line)
        before = line
    for line in joined:
        yield from wrap_indented(line.strip(), _indent(line))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
