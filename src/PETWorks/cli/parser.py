"""The parser of the command line. The options of a command are added when it is first used, which keeps others fast.

A parser of arguments whose errors are those of PETWorks.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import Any, NoReturn

from PETWorks.cli.examples import EXAMPLES
from PETWorks.errors import ParameterError, UnknownNameError, did_you_mean

INVALID = r"argument (\S+): invalid choice: '(.*?)'(?:, maybe .*)? \(choose from (.*)\)"


class Once(argparse._StoreAction):  # noqa: SLF001 (the default action of argparse)
    """An argument that is given once, and is not empty: a second one would silently replace the first."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:  # noqa: ANN401
        """Keep the value; raise an error if there is one already, or if it is empty."""
        _require_first(self, namespace, option_string)
        _require_text(self, values, option_string)
        super().__call__(parser, namespace, values, option_string)


class OnceFlag(argparse.BooleanOptionalAction):
    """A flag that is given once: as --flag or as --no-flag."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:  # noqa: ANN401
        """Keep the flag; raise an error if it was given before."""
        _require_first(self, namespace, option_string)
        super().__call__(parser, namespace, values, option_string)


class Repeatable(argparse._AppendAction):  # noqa: SLF001 (argparse has no other name for it)
    """An option that may be repeated, and is not empty; values of a table may be."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:  # noqa: ANN401
        """Append the value; raise an error if it is empty."""
        if self.metavar != "VALUE":
            _require_text(self, values, option_string)
        super().__call__(parser, namespace, values, option_string)


def _require_first(action: argparse.Action, namespace: argparse.Namespace, option: str | None) -> None:
    given = vars(namespace).setdefault("given_once", set())
    if option and action.dest in given:
        raise ParameterError(f"{' or '.join(action.option_strings)} is given twice", hint="give it once")
    given.add(action.dest)


def _require_text(action: argparse.Action, values: object, option: str | None) -> None:
    if "" in (values if isinstance(values, list) and action.nargs == "*" else [values]):
        raise ParameterError(f"{option or action.metavar} is empty", hint="leave it out, or say what it is")


class Parser(argparse.ArgumentParser):
    """A parser that raises PETWorks errors, and adds some of its options (`more`) when it is first used."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401
        super().__init__(
            formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False, add_help=False, **options
        )
        for name, action in {None: Once, "store": Once, "append": Repeatable}.items():
            self.register("action", name, action)
        self.add_argument("-h", "--help", action="help", help="print this help and stop")
        self.more: Callable[[Parser], None] | None = None
        self.commands: dict[str, Parser] = {}

    def complete(self) -> None:
        """Add the options that were postponed."""
        while self.more:
            more, self.more = self.more, None
            more(self)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:  # noqa: ANN401
        """Parse the known arguments, after adding the postponed options."""
        self.complete()
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """Raise an error for an invalid command line."""
        if found := re.fullmatch(INVALID, message, re.DOTALL):
            known = re.findall(r"[^\s,']+", found[3])
            problem = "there is no command" if found[1] == "COMMAND" else f"{found[1]} cannot be"
            raise UnknownNameError(f'{problem} "{found[2]}"', hint=did_you_mean(found[2], known))
        raise ParameterError(message, hint=f"see {self.prog} --help")


SHELLS = ("bash", "zsh", "fish", "tcsh", "powershell")


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse a command line; an error suggests the nearest known name."""
    if any("\0" in argument for argument in arguments):
        raise ParameterError("an argument contains a NUL character", hint="leave it out")
    root = parser()
    options: argparse.Namespace
    options, unknown = root.parse_known_args(arguments)
    if unknown:
        raise _unknown(unknown[0], root.commands.get(options.command, root))
    if options.version:
        print(f"petworks {import_module('PETWorks').__version__}")
        raise SystemExit
    if options.command is None:
        root.print_help()
        raise SystemExit
    options.arguments = list(arguments)
    return options


def _unknown(argument: str, chosen: Parser) -> UnknownNameError:
    """Build the error for an option that does not exist, or for an argument too many."""
    if argument.startswith("-"):
        hint = did_you_mean(argument, [*chosen._option_string_actions])  # noqa: SLF001 (argparse tells it nowhere else)
        return UnknownNameError(f'unknown argument {argument!r} of "{chosen.prog}"', hint=hint)
    named = [one for one in chosen._actions if not one.option_strings]  # noqa: SLF001
    usage = " ".join([chosen.prog, *(f"[{one.metavar}]" if one.nargs == "?" else str(one.metavar) for one in named)])
    hint = f"write {usage} [OPTION ...]; a name with blanks needs quotes"
    return UnknownNameError(f'{argument!r} is one argument too many for "{chosen.prog}"', hint=hint)


def _add_options(name: str, one: Parser) -> None:
    """Add the options of a command."""
    import_module("PETWorks.cli.commands").ADD_OPTIONS[name](one)


def parser() -> Parser:
    """Build the parser of all commands."""
    root = Parser(
        prog="petworks",
        description="How well are these people hidden, and how much is the data still worth?",
        epilog=EXAMPLES[""],
    )
    root.add_argument("--version", action="store_true", help="print the version and stop")
    commands = root.add_subparsers(dest="command", metavar="COMMAND", title="commands", parser_class=Parser)
    for name, about in COMMANDS.items():
        one = commands.add_parser(
            name, help=about, description=f"{about[0].upper()}{about[1:]}.", epilog=EXAMPLES[name]
        )
        one.set_defaults(module=name)
        one.more = partial(_add_options, name)
        root.commands[name] = one
    return root


COMMANDS = {
    "evaluate": "measure a released table",
    "check": "judge a release by a policy file",
    "anonymize": "make the release that a policy file requires, with the least loss",
    "compare": "judge several releases of one original, side by side",
    "explain": "explain step by step how results were computed",
    "verify": "measure, or make, again what a report or a record tells, and compare",
    "init": "look at a raw table, and write a policy to start from",
    "inspect": "look at a raw table, and suggest a role for each column",
    "app": "work in the browser: from a raw table to a release that holds",
    "hierarchy": "build the hierarchy of a column, and tell what it does not cover",
    "measures": "list all measures, or describe one",
    "templates": "list the policies to start from, or print one",
    "demo": "write a release of census data and a policy to try things with, and judge it",
    "completion": "print a script that completes commands in a shell",
}
