"""A parser of arguments whose errors are those of PETWorks."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from typing import Any, NoReturn

from PETWorks.errors import ParameterError, UnknownNameError, did_you_mean

INVALID = r"argument (\S+): invalid choice: '(.*?)'(?:, maybe .*)? \(choose from (.*)\)"


class Parser(argparse.ArgumentParser):
    """A parser that raises PETWorks errors, and adds some of its options (`more`) when it is first used."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401
        super().__init__(
            formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False, add_help=False, **options
        )
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
