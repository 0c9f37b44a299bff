"""A parser of arguments whose errors are those of PETWorks."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from typing import Any, NoReturn

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
        more, self.more = self.more, None
        if more:
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
