"""Output formats: how an evaluation is written.

Each module in this folder declares its format as ``FORMAT``; the name of the module is the name of the format. No list
is kept, and a format is imported only when it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, NamedTuple

from PETWorks.presentation import Audience, Language

if TYPE_CHECKING:
    from PETWorks.evaluation.evaluation import Evaluation


FIRST = ("text", "json", "html", "markdown", "junit")  # the order in which help lists them; others follow


class OutputSettings(NamedTuple):
    """What the caller asks of an output."""

    language: Language
    show_small_classes: bool = False
    original_digest: bool = True  # False: leave out the digest of the original
    command: str = ""  # how to repeat it
    write_text: Callable[[Evaluation], str] = str  # writes an evaluation in the layout of the command
    is_printed: bool = False  # True: to the standard output rather than to a file


class OutputFormat(NamedTuple):
    """A format of evaluations.

    `write` receives an evaluation without what describes small classes, unless these are to be shown, or the format
    withholds it itself.
    """

    endings: tuple[str, ...]  # of the files that are written in it
    write: Callable[[Evaluation, OutputSettings], str]
    is_for_public: bool = False  # True: the default audience is the public
    withholds: bool = False  # True: it withholds what describes small classes itself
    has_record: bool = False  # True: it has the digests of the files


def list_format_names() -> tuple[str, ...]:
    """Return the names of all formats."""
    names = {module.name for module in iter_modules(__path__)}
    return (*(name for name in FIRST if name in names), *sorted(names.difference(FIRST)))


def load_format(name: str) -> OutputFormat:
    """Return the format with this name."""
    found: OutputFormat = import_module(f"{__name__}.{name}").FORMAT
    return found


def write_for_audience(
    evaluation: Evaluation, form: str, settings: OutputSettings, audience: Audience | None = None
) -> str:
    """Write an evaluation in a format for an audience, without what describes small classes unless settings show it.

    Without an audience, Markdown and JUnit are for the public, unless they show small classes.
    """
    from PETWorks.evaluation.guard import withhold_from_evaluation

    chosen = load_format(form)
    if audience == "public" or (audience is None and chosen.is_for_public and not settings.show_small_classes):
        evaluation = evaluation.public()
        settings = settings._replace(show_small_classes=True)  # a public evaluation shows none
    if not (settings.show_small_classes or chosen.withholds):
        evaluation = withhold_from_evaluation(evaluation)
    return chosen.write(evaluation, settings)


def list_endings() -> Iterator[tuple[str, str]]:
    """Yield each ending of a file with the name of its format; text comes last."""
    for name in sorted(list_format_names(), key="text".__eq__):
        yield from ((ending, name) for ending in load_format(name).endings)
