"""The parser of the command line. Measures are imported only for commands that have their parameters as options.

A parser of arguments whose errors are those of PETWorks.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NoReturn

from PETWorks.cli.examples import EXAMPLES
from PETWorks.cli.options import (
    NO_DIGEST,
    add_engine,
    add_failing_rows,
    add_format,
    add_language,
    add_memory,
    add_output,
    add_reading,
    add_roles,
    add_serving,
    add_table,
    add_ways,
)
from PETWorks.errors import ParameterError, UnknownNameError, did_you_mean
from PETWorks.render.output_format import list_format_names

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


def parser() -> Parser:
    """Build the parser of all commands."""
    root = Parser(
        prog="petworks",
        description="How well are these people hidden, and how much is the data still worth?",
        epilog=EXAMPLES[""],
    )
    root.add_argument("--version", action="store_true", help="print the version and stop")
    commands = root.add_subparsers(dest="command", metavar="COMMAND", title="commands", parser_class=Parser)
    for name, (add, about) in COMMANDS.items():
        one = commands.add_parser(
            name, help=about, description=f"{about[0].upper()}{about[1:]}.", epilog=EXAMPLES[name]
        )
        one.set_defaults(module=name)
        add(one)
        root.commands[name] = one
    return root


def _add_table_of(one: Parser, kind: str) -> None:
    one.add_argument("table", metavar="TABLE", help=f"the {kind} table: {TABLE}")


def _add_policy(one: Parser) -> None:
    one.add_argument("policy", metavar="POLICY", help="the policy file (TOML)")


def _evaluate(one: Parser) -> None:
    _add_table_of(one, "released")
    one.add_argument("-m", "--measure", dest="measures", metavar="MEASURE", action="append", default=[], help=MEASURE)
    add_table(one)
    add_output(one, list_format_names())
    add_failing_rows(one)
    one.usage, one.more = "petworks evaluate TABLE [-m MEASURE ...] [OPTION ...]", _add_parameters


def _inspect(one: Parser) -> None:
    _add_table_of(one, "raw")
    add_reading(one)
    add_memory(one)
    add_format(one, ("text", "json"))
    add_language(one)


def _init(one: Parser) -> None:
    _add_table_of(one, "raw")
    about = "take suggestions as they are, and leave open what is a question; otherwise every column is asked about"
    one.add_argument("--yes", action="store_true", help=about)
    about = "write policy.toml into this folder (default: the current one)"
    one.add_argument("-o", "--output", metavar="FOLDER", default=".", help=about)
    one.add_argument("--overwrite", action="store_true", help="replace a policy.toml that exists")
    about = "take the requirements of this template (petworks templates lists them)"
    one.add_argument("--template", metavar="NAME", help=about)
    about = "require this measure, with its parameters as limits; may be repeated"
    one.add_argument("-m", "--measure", dest="measures", metavar="MEASURE", action="append", default=[], help=about)
    add_roles(one.add_argument_group("roles", "What is not named here is suggested, or asked about."))
    add_reading(one)
    add_memory(one)
    add_language(one)
    one.usage, one.more = "petworks init TABLE [--yes] [OPTION ...]", _add_parameters


def _check(one: Parser) -> None:
    _add_policy(one)
    add_engine(one)
    add_memory(one)
    add_output(one, list_format_names())
    add_failing_rows(one)


def _anonymize(one: Parser) -> None:
    _add_policy(one)
    about = "write the release: *.csv, *.csv.gz, *.parquet, *.jsonl or *.feather (default: released of the policy)"
    one.add_argument("-o", "--output", metavar="FILE", help=about)
    one.add_argument("--dry-run", action="store_true", help="make the release, but write nothing")
    about = "also write the record, a JSON file: digests, plan, proof, what was measured; petworks verify repeats it"
    one.add_argument("--record", metavar="FILE", help=about)
    one.add_argument("--report", metavar="FILE", help="also write the report, an HTML page (default: as in the policy)")
    about = "also write the front of risk and utility, an HTML page: what else could be had; also with --dry-run"
    one.add_argument("--front", metavar="FILE", help=about)
    one.add_argument("--no-original-digest", action="store_true", help=NO_DIGEST)
    about = 'stop after this time, as in "60 s", with the best that was found (default: that of the policy)'
    one.add_argument("--time-limit", metavar="TIME", help=about)
    about = "also show, in errors and reports, what describes fewer than five people"
    one.add_argument("--show-small-classes", action="store_true", help=about)
    add_memory(one)
    add_language(one)


def _compare(one: Parser) -> None:
    about = "two or more released tables of one original (default: the candidates that the policy has pinned)"
    one.add_argument("tables", metavar="TABLE", nargs="*", help=about)
    about = "the policy file (TOML) by which each is judged; the table that it names as released is not read"
    one.add_argument("--policy", metavar="POLICY", required=True, help=about)
    about = "what a table is called; give one for each, in their order (default: the names of the files)"
    one.add_argument("--name", dest="names", metavar="NAME", action="append", help=about)
    add_memory(one)
    add_output(one, ("text", "json", "html", "markdown"))


def _explain(one: Parser) -> None:
    one.add_argument("source", metavar="POLICY|TABLE", help="a policy file (*.toml), or a released table")
    one.add_argument("measure", metavar="MEASURE", nargs="?", help="the measure to explain (default: all of them)")
    add_table(one)
    add_output(one, ("text", "json"))
    one.usage, one.more = "petworks explain POLICY|TABLE [MEASURE] [OPTION ...]", _add_parameters


def _verify(one: Parser) -> None:
    one.add_argument("report", metavar="REPORT", help="a report in JSON, or the record of a release that was made")
    about = "where the files are that the report names; may be repeated (default: the folder of the report)"
    one.add_argument("--folder", dest="folders", metavar="FOLDER", action="append", help=about)
    add_memory(one)
    add_language(one)


def _hierarchy(one: Parser) -> None:
    _add_table_of(one, "original")
    one.add_argument("column", metavar="COLUMN", help="the column whose values become more general")
    add_ways(one)
    about = "write the hierarchy to this file, or to a file in this folder; it can be edited, and is not overwritten"
    one.add_argument("-o", "--output", metavar="FILE", help=about)
    add_reading(one)
    add_language(one)
    one.usage = "petworks hierarchy TABLE COLUMN [OPTION ...]"


def _measures(one: Parser) -> None:
    one.add_argument("measure", metavar="MEASURE", nargs="?", help="the measure to describe")
    add_language(one)


def _templates(one: Parser) -> None:
    one.add_argument("template", metavar="TEMPLATE", nargs="?", help="the template to print")
    add_language(one)


def _demo(one: Parser) -> None:
    one.add_argument("folder", metavar="FOLDER", nargs="?", default="petworks-demo", help="default: petworks-demo")
    add_language(one)


def _completion(one: Parser) -> None:
    one.add_argument("shell", metavar="SHELL", choices=SHELLS, help=", ".join(SHELLS))
    one.add_argument("--columns", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)  # used by the script


COMMANDS: dict[str, tuple[Callable[[Parser], None], str]] = {
    "evaluate": (_evaluate, "measure a released table"),
    "check": (_check, "judge a release by a policy file"),
    "anonymize": (_anonymize, "make the release that a policy file requires, with the least loss"),
    "compare": (_compare, "judge several releases of one original, side by side"),
    "explain": (_explain, "explain step by step how results were computed"),
    "verify": (_verify, "measure, or make, again what a report or a record tells, and compare"),
    "init": (_init, "look at a raw table, and write a policy to start from"),
    "inspect": (_inspect, "look at a raw table, and suggest a role for each column"),
    "app": (add_serving, "work in the browser: from a raw table to a release that holds"),
    "hierarchy": (_hierarchy, "build the hierarchy of a column, and tell what it does not cover"),
    "measures": (_measures, "list all measures, or describe one"),
    "templates": (_templates, "list the policies to start from, or print one"),
    "demo": (_demo, "write a release of census data and a policy to try things with, and judge it"),
    "completion": (_completion, "print a script that completes commands in a shell"),
}
TABLE = "CSV, Parquet, Excel, SPSS, Stata, SAS, JSON or Arrow, or a folder of Parquet files"
MEASURE = "what to measure; may be repeated (default: everything that can be evaluated)"


def _add_parameters(one: Parser) -> None:
    """Add the parameters of all measures."""
    from PETWorks.cli.parameters import add_options

    add_options(one)
