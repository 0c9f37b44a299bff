"""``petworks templates``: list the policies to start from, or print one."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from PETWorks.cli import HOLDS
from PETWorks.cli.languages import choose_language
from PETWorks.cli.output import print_answer
from PETWorks.policy.templates import template, templates
from PETWorks.render.typography import WIDTH, pad, wrap, wrap_indented
from PETWorks.render.words import words

GAP = 2


def run(options: argparse.Namespace) -> int:
    """Print the list of templates, or one of them."""
    language = choose_language(options)
    print_answer(template(options.template).text.rstrip() if options.template else "\n".join(_list(language)))
    return HOLDS


def _list(language: str) -> Iterator[str]:
    """Write the name, purpose and sources of each template."""
    word = words(language)
    width = max(map(len, templates())) + GAP
    for name, one in templates().items():
        first, *more = wrap(word.templates[name], WIDTH - width)
        yield pad(name, width) + first
        yield from (" " * width + line for line in more)
        for source in one.sources:
            yield from (" " * width + line for line in wrap(source, WIDTH - width))
        yield ""
    yield from wrap_indented(word.command["cli_templates"], 0)
