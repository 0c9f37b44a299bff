"""Errors as the command line prints them: where, what, and what to do. In English, since people search for them."""

from __future__ import annotations

import os
import re
import sys
import traceback
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from PETWorks.answer.requirement import Requirement
from PETWorks.cli.parser import parser
from PETWorks.cli.wording import worded
from PETWorks.errors import GoalError, MissingFileError, PETWorksError, PolicyError, plural
from PETWorks.render.fill import visible
from PETWorks.render.wrapping import display_width

WIDTH = 80
SHOW = "--show-small-classes"
WITHHELD = f"{SHOW} shows these values"
HELD = "five people or more hold: {}"
COMMON = f"{HELD} ({SHOW} shows others, and rows)"


class Refused(Exception):  # noqa: N818 (it holds errors)
    """Several errors that are reported together."""

    def __init__(self, problems: Sequence[PETWorksError]) -> None:
        super().__init__(problems)
        self.problems = problems


def tell(error: Exception, arguments: Sequence[str] = ()) -> None:
    """Print an error to standard error; show values of tables only with --show-small-classes."""
    if os.environ.get("PETWORKS_DEBUG"):
        traceback.print_exception(error)
    with suppress(BrokenPipeError):
        for line in _lines(error, arguments):
            print(line, file=sys.stderr)


def tell_unasked(requirements: Iterable[Requirement]) -> None:
    """Print to standard error what to do about requirements that could not be evaluated."""
    for one in requirements:
        figures = one.problem.figures if one.problem else {}
        common = COMMON.format(figures["common"]) if figures.get("common") else ""
        for told in filter(None, (common, _brief(figures.get("hint", "")))):
            with suppress(BrokenPipeError):
                print("\n".join(_wrapped(f"note: {one.measure.name}: {told}", "", policy=True)), file=sys.stderr)


def _lines(error: Exception, arguments: Sequence[str]) -> Iterator[str]:
    policy = any(one == "check" or one.endswith(".toml") for one in arguments)
    show = SHOW in arguments if _can_show(arguments) else None
    match error:
        case PolicyError(problems=problems) | Refused(problems=problems) if len(problems) > 1:
            nothing = "made" if arguments[0] == "anonymize" else "judged" if policy else "measured"
            yield f"error: {plural(len(problems), 'problem')}, nothing was {nothing}"
            for problem in problems:
                yield from _problem(problem, "  ", show=show, policy=policy)
        case GoalError():  # an answer, as that of a check that fails
            yield from _problem(error, "", "not made: ", show=show, policy=policy)
        case Refused(problems=[problem]) | (PETWorksError() as problem):
            yield from _problem(problem, "", "error: ", show=show, policy=policy)
        case MemoryError():
            yield "error: there is not enough memory"
        case OSError():
            where = error.filename or "the answer cannot be written"
            yield f"error: {visible(str(where))}: {error.strerror or error}"
        case _:
            yield f"error: PETWorks failed ({type(error).__name__}): this is a bug in PETWorks, not your mistake"
            yield "  please report it: the command, and what it prints with PETWORKS_DEBUG=1"


def _problem(error: PETWorksError, indent: str, lead: str = "", *, show: bool | None, policy: bool) -> Iterator[str]:
    yield indent + lead + visible(error.guarded())
    below = [_values(error, show=show)] if error.listed else []
    hint = error.hint.partition("Known: ")[0] if isinstance(error, MissingFileError) else _brief(error.hint)
    for paragraph in [*below, *hint.split("\n")]:
        yield from _wrapped(paragraph, indent + "  ", policy=policy)


def _can_show(arguments: Sequence[str]) -> bool:
    """Return True if the command has the option to show values."""
    command = parser().commands.get(arguments[0]) if arguments else None
    return command is not None and SHOW in command._option_string_actions  # noqa: SLF001 (argparse tells it nowhere else)


def _values(error: PETWorksError, *, show: bool | None) -> str:
    """Tell the values of an error, or those that many people hold and, unless show is None, the option."""
    if show:
        return error.listed
    if show is None:
        return HELD.format(error.common) if error.common else ""
    return COMMON.format(error.common) if error.common else WITHHELD


def _wrapped(text: str, indent: str, *, policy: bool) -> list[str]:
    """Break a hint into lines, in the words of the command line or of a policy."""
    text = worded(visible(text.strip()), policy=policy)
    lines = [""]
    for word in text.split(" "):  # words stay whole: names and commands are copied
        if lines[-1] and display_width(f"{lines[-1]} {word}") > WIDTH - len(indent or "  "):
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".lstrip(" ")
    return [f"{indent if number == 0 else indent or '  '}{line}" for number, line in enumerate(lines) if line]


def _brief(hint: str) -> str:
    """Remove the list of known names from a hint that suggests the nearest name."""
    return re.sub(r'(did you mean ".*"\?) Known: .*', r"\1", hint)
