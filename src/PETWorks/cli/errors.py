"""Errors as the command line prints them: where, what, and what to do. In English, since people search for them.

Hints use the words of the command line: arguments and calls of Python become options, or keys of a policy.

>>> reword_hint('pass key=, or pairing="position"', policy=False), reword_hint("or omit seed=", policy=True)
('pass --key, or --pairing position', 'or omit seed')
>>> reword_hint('as in Hierarchy.intervals("age", widths=[5, 10, 20], bottom=15)', policy=False)
'as in --widths 5,10,20 --bottom 15'
"""

from __future__ import annotations

import ast
import os
import re
import shlex
import sys
import traceback
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, cast

from PETWorks.cli.output import is_answer_public
from PETWorks.cli.parser import parse, parser
from PETWorks.errors import GoalError, MissingFileError, PETWorksError, PolicyError, plural
from PETWorks.evaluation.requirement import Requirement
from PETWorks.policy.toml import write_value
from PETWorks.render.fill import escape_unprintable
from PETWorks.render.typography import WIDTH, display_width
from PETWorks.settings.kinds import PerColumn
from PETWorks.settings.section import declared
from PETWorks.settings.sections import SECTIONS
from PETWorks.shown import write_public_figure

WAYS = {  # the option of `petworks hierarchy` for each way to build one
    "intervals": "widths",
    "quantiles": "parts",
    "prefixes": "keep",
    "dates": "dates",
    "ordered": "order",
    "rare_last": "share",
    "places": "places",
}
SETTINGS = {name: one for name, one in declared(*SECTIONS).items() if not isinstance(one.kind, PerColumn)}
OTHERS = (  # of measures and hierarchies
    *("population_size", "sampling_fraction", "fraction", "variant", "risk", "order", "c", "highest", "at_most"),
    *("max_share", "max_excess", "target", "keys", "bins", "levels", "model", "formula", "counts"),
    *("read", "write", "mask", "label"),
    *("columns", "of", "why"),  # of what a person accepts
)
LIST = r'\["[^"]*"(?:, "[^"]*")*\]'
ARGUMENT = re.compile(rf'\b({"|".join((*SETTINGS, *OTHERS))})=(?:"([^"]*)"|({LIST}))?')
CALL = re.compile(r"(\A)?(Hierarchy\.(\w+)\([^()]*\))")
LEFT_OUT = ("omit ", "leave ", "leave out ")


def reword_hint(text: str, *, policy: bool) -> str:
    """Return a hint with options in place of arguments, or with keys of a policy."""
    text = CALL.sub(lambda found: _write_rule(found, policy=policy), text)
    return ARGUMENT.sub(lambda found: _write_argument(found, policy=policy), text)


def find_option(name: str) -> str:
    """Return the option for an argument of Python."""
    setting = SETTINGS.get(name)
    return setting.option_name if setting and setting.option_name else f"--{name}".replace("_", "-")


def _write_argument(found: re.Match[str], *, policy: bool) -> str:
    name, value, values = found[1], found[2], found[3]
    if not policy or (name in SETTINGS and not SETTINGS[name].policy):
        return _write_option(name, value, values)
    if found.string[: found.start()].endswith(LEFT_OUT) and value is None:
        return name
    return f"{name} = {values}" if values else f'{name} = "{value or "…"}"'


def _write_option(name: str, value: str | None, values: str | None) -> str:
    """Write an argument as an option; a list as an option that is repeated."""
    if values:
        short = SETTINGS[name].short
        repeated = " ".join(f"{short} {shlex.quote(one)}" for one in ast.literal_eval(values))
        return f"{repeated} (repeat {short} for each column)"
    return find_option(name) + (f" {shlex.quote(value)}" if value else "")


def _write_rule(found: re.Match[str], *, policy: bool) -> str:
    """Write an example of a rule as options of `petworks hierarchy`, or as keys of [hierarchies.<column>]."""
    lead, kind = "" if found[1] is None else "as in ", found[3]
    call = cast("ast.Call", ast.parse(found[2], mode="eval").body)
    given = [("", one) for one in call.args[1:]] + [(one.arg, one.value) for one in call.keywords]
    (_, main), *others = [(name, ast.literal_eval(one)) for name, one in given]
    if policy or kind not in WAYS:
        return lead + ", ".join(f"{name} = {write_value(value)}" for name, value in [(kind, main), *others])
    return lead + " ".join(f"--{name} {_quote_value(value)}" for name, value in [(WAYS[kind], main), *others])


def _quote_value(value: Any) -> str:  # noqa: ANN401
    return shlex.quote(",".join(map(str, value)) if isinstance(value, list) else str(value))


SHOW = "--show-small-classes"
WITHHELD = f"{SHOW} shows these values"
NOT_PUBLIC = "the reason may tell of people in the table, so it is not public"
SHOW_REASON = "--audience internal tells it to those who may see the table"
HELD = "five people or more hold: {}"
COMMON = f"{HELD} ({SHOW} shows others, and rows)"


class SeveralProblemsError(Exception):
    """Several errors that are reported together."""

    def __init__(self, problems: Sequence[PETWorksError]) -> None:
        super().__init__(problems)
        self.problems = problems


def print_error(error: Exception, arguments: Sequence[str] = ()) -> None:
    """Print an error to standard error; show values of tables only with --show-small-classes."""
    if os.environ.get("PETWORKS_DEBUG"):
        traceback.print_exception(error)
    with suppress(BrokenPipeError):
        for line in _lines(error, arguments):
            print(line, file=sys.stderr)


def print_unevaluated(requirements: Iterable[Requirement], *, public: bool) -> None:
    """Print hints on the requirements that could not be evaluated to standard error."""
    for one in requirements:
        problem = one.problem and one.problem.public if public else one.problem
        figures = problem.figures if problem else {}
        common = COMMON.format(figures["common"]) if figures.get("common") else ""
        for hint in filter(None, (common, _remove_known_names(figures.get("hint", "")))):
            with suppress(BrokenPipeError):
                print("\n".join(_wrap_hint(f"note: {one.measure.name}: {hint}", "", policy=True)), file=sys.stderr)


def _lines(error: Exception, arguments: Sequence[str]) -> Iterator[str]:
    policy = any(one == "check" or one.endswith(".toml") for one in arguments)
    show = SHOW in arguments if _can_show(arguments) else None
    if _is_public(arguments):
        error = _hide_contents(error)
    match error:
        case PolicyError(problems=problems) | SeveralProblemsError(problems=problems) if len(problems) > 1:
            nothing = "made" if arguments[0] == "anonymize" else "judged" if policy else "measured"
            yield f"error: {plural(len(problems), 'problem')}, nothing was {nothing}"
            for problem in problems:
                yield from _write_problem(problem, "  ", show=show, policy=policy)
        case GoalError():  # an answer, as that of a check that fails
            yield from _write_problem(error, "", "not made: ", show=show, policy=policy)
        case SeveralProblemsError(problems=[problem]) | (PETWorksError() as problem):
            yield from _write_problem(problem, "", "error: ", show=show, policy=policy)
        case MemoryError():
            yield "error: there is not enough memory"
        case OSError():
            where = error.filename or "the answer cannot be written"
            yield f"error: {escape_unprintable(str(where))}: {error.strerror or error}"
        case _:
            yield f"error: PETWorks failed ({type(error).__name__}): this is a bug in PETWorks, not your mistake"
            yield "  please report it: the command, and what it prints with PETWORKS_DEBUG=1"


def _is_public(arguments: Sequence[str]) -> bool:
    """Return True if the output of the command is public: its errors then are, too, as in a pipeline's log."""
    try:
        return is_answer_public(parse(arguments))
    except (PETWorksError, SystemExit):  # without options no table is read
        return False


def _hide_contents(error: Exception) -> Exception:
    """Return an error with only what the public may read."""
    match error:
        case PolicyError(problems=problems) | SeveralProblemsError(problems=problems) if len(problems) > 1:
            return SeveralProblemsError([_hide(problem) for problem in problems])
        case SeveralProblemsError(problems=[problem]) | (PETWorksError() as problem):
            return _hide(problem)
    return error


def _hide(error: PETWorksError) -> PETWorksError:
    problem, hint = error.render_public(write_public_figure)
    if not problem:
        problem, hint = NOT_PUBLIC, "\n".join(filter(None, (hint, SHOW_REASON)))
    return type(error)(problem, where=error.where, hint=hint)


def _write_problem(
    error: PETWorksError, indent: str, lead: str = "", *, show: bool | None, policy: bool
) -> Iterator[str]:
    yield indent + lead + escape_unprintable(error.summarise())
    below = [_write_values(error, show=show)] if error.listed else []
    hint = (
        error.hint.partition("Known: ")[0] if isinstance(error, MissingFileError) else _remove_known_names(error.hint)
    )
    for paragraph in [*below, *hint.split("\n")]:
        yield from _wrap_hint(paragraph, indent + "  ", policy=policy)


def _can_show(arguments: Sequence[str]) -> bool:
    """Return True if the command has the option to show values."""
    if not (command := parser().commands.get(arguments[0]) if arguments else None):
        return False
    command.complete()
    return SHOW in command._option_string_actions  # noqa: SLF001 (argparse tells it nowhere else)


def _write_values(error: PETWorksError, *, show: bool | None) -> str:
    """Return the values of an error: all, or those that at least five people have, with the option that shows all."""
    if show:
        return error.listed
    if show is None:
        return HELD.format(error.common) if error.common else ""
    return COMMON.format(error.common) if error.common else WITHHELD


def _wrap_hint(text: str, indent: str, *, policy: bool) -> list[str]:
    """Break a hint into lines, in the words of the command line or of a policy."""
    text = reword_hint(escape_unprintable(text.strip()), policy=policy)
    lines = [""]
    for word in text.split(" "):  # words stay whole: names and commands are copied
        if lines[-1] and display_width(f"{lines[-1]} {word}") > WIDTH - len(indent or "  "):
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".lstrip(" ")
    return [f"{indent if number == 0 else indent or '  '}{line}" for number, line in enumerate(lines) if line]


def _remove_known_names(hint: str) -> str:
    """Remove the list of known names from a hint that suggests the nearest name."""
    return re.sub(r'(did you mean ".*"\?) Known: .*', r"\1", hint)
