"""Output formats: how an evaluation is written.

Each module in this folder declares its format as ``FORMAT``; the name of the module is the name of the format. Modules
are found automatically, and imported only when they are used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, NamedTuple

from PETWorks.presentation import AudienceName, Language

if TYPE_CHECKING:
    from PETWorks.disclosure import Audience
    from PETWorks.evaluation.evaluation import Evaluation

FIRST = ("text", "json", "html", "markdown", "junit")  # the order in which help lists them; others follow


class OutputSettings(NamedTuple):
    """The settings of the caller for an output."""

    language: Language
    show_small_classes: bool = False
    original_digest: bool = True  # False: leave out the digest of the original
    command: str = ""  # how to repeat it
    write_text: Callable[[Evaluation], str] = str  # writes an evaluation in the layout of the command
    is_printed: bool = False  # True: to the standard output rather than to a file


class OutputFormat(NamedTuple):
    """A format of evaluations.

    `write` gets an evaluation without figures on small classes, unless these are to be shown, or the format withholds
    them itself.
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


def choose_audience(form: str, audience: AudienceName | None, *, small: bool) -> Audience:
    """Return the audience of an output: the one of the caller, else the default of the format.

    The default of Markdown and JUnit is the public, unless small classes are shown.
    """
    from PETWorks.disclosure import Audience

    if small and audience != "public":
        return Audience.ANALYST
    usual: AudienceName = "public" if load_format(form).is_for_public else "internal"
    return Audience(audience or usual)


def write_for_audience(
    evaluation: Evaluation, form: str, settings: OutputSettings, audience: AudienceName | None = None
) -> str:
    """Return an evaluation in a format, with what the audience may see; see `choose_audience`."""
    from PETWorks.disclosure import Audience
    from PETWorks.disclosure.evaluation import disclose

    chosen, readers = load_format(form), choose_audience(form, audience, small=settings.show_small_classes)
    if readers is Audience.PUBLIC or not chosen.withholds:
        evaluation = disclose(evaluation, readers, recorded=chosen.has_record)
    return chosen.write(evaluation, settings)


def list_endings() -> Iterator[tuple[str, str]]:
    """Yield each ending of a file with the name of its format; text comes last."""
    for name in sorted(list_format_names(), key="text".__eq__):
        yield from ((ending, name) for ending in load_format(name).endings)
