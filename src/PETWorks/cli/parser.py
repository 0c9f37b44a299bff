"""The parser of the command line. The options of a command are added when it is first used, which keeps others fast.

Its errors are those of PETWorks. The examples in the help of a command work as printed once `petworks demo` has run.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import Any, NoReturn

from PETWorks.errors import ParameterError, UnknownNameError, did_you_mean

INTRODUCTION = """\
examples:
  petworks demo
  petworks check petworks-demo/policy.toml
  petworks explain petworks-demo/policy.toml k-anonymity
  petworks anonymize petworks-demo/policy.toml

exit codes:
  0 all requirements hold, or nothing was required; 1 something does not hold;
  2 something could not be evaluated (file, role, policy); 130 interrupted
"""

EVALUATE = """\
examples (the files come from: petworks demo):
  petworks evaluate petworks-demo/adult_released.csv
  petworks evaluate petworks-demo/adult_released.csv -q age -q sex -s occupation
  petworks evaluate petworks-demo/adult_released.csv -m k-anonymity --k 3
  petworks evaluate petworks-demo/adult_released.csv -q age -s occupation \\
    --original petworks-demo/adult.csv -m t-closeness -m Precision --t 2/5 \\
    --hierarchies petworks-demo/adult_hierarchy -o report.html

Parameters go to every measure that has them; with a limit, a measure judges.
"""

INIT = """\
It looks at the table as petworks inspect does, asks about every column, and
writes policy.toml: suggested roles with their reasons, suggested hierarchies,
and what is left to decide. Nothing is written if it is interrupted.

examples (the files come from: petworks demo):
  petworks init petworks-demo/adult.csv -o adult-2026 --yes
  petworks init petworks-demo/adult.csv -o adult-k5 --yes \\
    --insensitive workclass -m k-anonymity --k 5
  petworks init petworks-demo/adult.csv -o adult-cms --yes --template cms-11
  petworks init petworks-demo/adult.csv -o adult-synthetic --yes \\
    --synthetic petworks-demo/adult_released.csv
"""

INSPECT = """\
Values that fewer than five people have are not shown, nor are identifiers.

examples (the files come from: petworks demo):
  petworks inspect petworks-demo/adult.csv
  petworks inspect petworks-demo/adult.csv --lang zh_TW
  petworks inspect petworks-demo/adult.csv -o inspection.json
"""

VERIFY = """\
examples (after: petworks demo):
  petworks check petworks-demo/policy.toml -o petworks-demo/report.json
  petworks verify petworks-demo/report.json

The files are found by their names, in the folder of the report and the folders
in it, or in those of --folder. Values are computed again, and compared.

exit codes:
  0 all is the same; 1 a file, a value or a verdict is not;
  2 it cannot be verified (a file is lacking, or was a table in memory)
"""

CHECK = """\
A policy file names the data, the role of each column, and the limits to keep:

  version = 1
  [data]
  released = "adult_released.csv"
  [roles]
  quasi_identifiers = ["age", "sex"]
  sensitive = ["occupation"]
  the_rest = "insensitive"
  [[require]]
  measure = "k-anonymity"
  k = 5
  [report]
  html = "report.html"

petworks demo writes one with more. The files of [report] are written on every
check. Exit code 0: all holds; 1: something does not; 2: could not be evaluated.

examples (the files come from: petworks demo):
  petworks check petworks-demo/policy.toml
  petworks check petworks-demo/policy.toml --lang zh_TW
  petworks check petworks-demo/policy.toml --format markdown
  petworks check petworks-demo/policy.toml -o petworks.xml --format junit
"""

ANONYMIZE = """\
The same policy file as of petworks check: its requirements are the goals. The
section [anonymize], which may be left out, says what may be done to meet them:

  [anonymize]
  suppress_at_most = "5%"
  [anonymize.coarsest]
  sex = 0

The release is measured again before its file takes its name. Ctrl-C stops the
search, with the best that was found so far.

examples (the files come from: petworks demo):
  petworks anonymize petworks-demo/policy.toml --dry-run
  petworks anonymize petworks-demo/policy.toml -o petworks-demo/made.parquet
  petworks anonymize petworks-demo/policy.toml     # the file that [data] names
  petworks check petworks-demo/policy.toml         # now all requirements hold

exit codes:
  0 the release was made; 1 the goals cannot be met; 2 bad input
"""

EXPLAIN = """\
examples (the files come from: petworks demo):
  petworks explain petworks-demo/policy.toml
  petworks explain petworks-demo/policy.toml t-closeness --lang zh_TW
  petworks explain petworks-demo/adult_released.csv k-anonymity -q age --k 3

exit codes:
  0 it was explained, whether or not it holds; 2 something could not be
  evaluated (file, role, policy)
"""

HIERARCHY = """\
It prints how many groups each level has, how many people the smallest has, and
which values are not covered. Values of fewer than five people are not shown.

A file that was written has a line for each value: the value; its group on level
1; on level 2; and so on. Edit it to group values by hand, and look again with
--file. A policy names it under [hierarchies.<column>], or holds the rule.

examples (the files come from: petworks demo):
  petworks hierarchy petworks-demo/adult.csv age
  petworks hierarchy petworks-demo/adult.csv age --widths 5,10,20 -o age.csv
  petworks hierarchy petworks-demo/adult.csv age --file age.csv
  petworks hierarchy petworks-demo/adult.csv native-country --share 1%,5%

exit codes:
  0 every value is covered; 1 some values are not; 2 bad input
"""

MEASURES = """\
examples:
  petworks measures
  petworks measures t-closeness
  petworks measures l-diversity --lang zh_TW
"""

TEMPLATES = """\
A template is a policy with its sources, never a claim of conformity. A key that
you must decide is "fill in"; check reports an error until you replace it.

examples:
  petworks templates
  petworks templates tw-research
  petworks templates ipc-ontario-2025 > policy.toml
"""

DEMO = """\
It writes a release of census data, its original, hierarchies and a policy to a
folder, judges the release by the policy, and writes the report. Run again, it
restores these files.

examples:
  petworks demo
  petworks demo another-folder --lang zh_TW
"""

KEY = """\
A key is 32 random bytes in a file of your settings folder, outside every
project, that only you can read. Policies name it; records and reports have its
fingerprint. A secret key makes pseudonyms. A key that signs has a public key,
which you hand to those who verify. No key is replaced, and a lost one cannot be
made again: keep a copy where only you can read it.

examples:
  petworks key new study-2026
  petworks key new office --signing     # needs: pip install "petworks[signing]"
  petworks key list
"""

SIGN = """\
A certificate is the part of a record that may be handed over: the digests of
the release and of reports, commitments to all other files, and the verdicts,
signed (Ed25519). Whoever has the release and your public key can check it,
without the original and without a network. The record stays beside the
original.

examples (after: petworks check petworks-demo/policy.toml
                   -o petworks-demo/report.json
                 petworks key new unit --signing):
  petworks sign petworks-demo/report.json --key unit
  petworks verify petworks-demo/certificate.json --signer unit.pub
"""

RELEASE = """\
The ledger has a line for every release of a dataset, chained by digests: what
was out stays counted, and what was changed, cut off or moved is told. The check
is repeated first, beside all releases that are in it. Keep the head that is
printed, and pass it to petworks verify with --head: only who knows it sees
that the end was cut off. The policy names the ledger under [ledger].

examples:
  petworks release visits.toml --to public --approved-by "A. Lin"
  petworks verify releases.jsonl
"""

COMPLETION = """\
examples:
  petworks completion bash > petworks.bash     # then: source petworks.bash
  petworks completion zsh > _petworks          # in a folder of $fpath
  petworks completion fish > petworks.fish     # in ~/.config/fish/completions
"""

APP = """\
It opens your browser, and stops an hour after you last used it, or with Ctrl-C.
Every change is in the project's folder before it is on the screen. The address
works once. The project of a table is a folder beside it.

examples (the files come from: petworks demo):
  petworks app
  petworks app petworks-demo/adult.csv
  petworks app petworks-demo --lang zh_TW
  petworks app --root petworks-demo --no-browser
"""

COMPARE = """\
examples (the files come from: petworks demo):
  petworks compare petworks-demo/adult_released.csv petworks-demo/adult.csv \\
    --policy petworks-demo/policy.toml --name released --name original
  petworks compare petworks-demo/adult_released.csv petworks-demo/adult.csv \\
    --policy petworks-demo/policy.toml -o compare.html

exit codes:
  0 a release holds all requirements; 1 none does; 2 they cannot be compared
"""

ATTACK = """\
Found are people whom fewer than five fit. Tried are who knows the
quasi-identifiers, or one other column, who reads the cells, who has the
population, and those under [[adversary]] in the policy.

examples (the files come from: petworks demo):
  petworks attack petworks-demo/policy.toml
  petworks attack petworks-demo/adult_released.csv -q sex -q age -s occupation
  petworks attack petworks-demo/adult.csv --policy petworks-demo/policy.toml

exit codes:
  0 it was tried; 1 one whom the policy judges finds too many; 2 it failed
"""

EXAMPLES = {
    "": INTRODUCTION,
    "init": INIT,
    "inspect": INSPECT,
    "evaluate": EVALUATE,
    "check": CHECK,
    "anonymize": ANONYMIZE,
    "app": APP,
    "compare": COMPARE,
    "attack": ATTACK,
    "explain": EXPLAIN,
    "verify": VERIFY,
    "hierarchy": HIERARCHY,
    "measures": MEASURES,
    "templates": TEMPLATES,
    "key": KEY,
    "sign": SIGN,
    "release": RELEASE,
    "demo": DEMO,
    "completion": COMPLETION,
}


INVALID = r"argument (\S+): invalid choice: '(.*?)'(?:, maybe .*)? \(choose from (.*)\)"


class Once(argparse._StoreAction):  # noqa: SLF001 (the default action of argparse)
    """An option that may be given once, with a value: a second value would silently replace the first."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:  # noqa: ANN401
        """Store the value; raise an error if there is one already, or if it is empty."""
        _require_first(self, namespace, option_string)
        _require_text(self, values, option_string)
        super().__call__(parser, namespace, values, option_string)


class OnceFlag(argparse.BooleanOptionalAction):
    """A flag that may be given once, as --flag or as --no-flag."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:  # noqa: ANN401
        """Store the flag; raise an error if it was given before."""
        _require_first(self, namespace, option_string)
        super().__call__(parser, namespace, values, option_string)


class Repeatable(argparse._AppendAction):  # noqa: SLF001 (argparse has no other name for it)
    """An option that may be given several times. Its text must not be empty, unless it is a value of the table."""

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
        raise _describe_unknown(unknown[0], root.commands.get(options.command, root))
    if options.version:
        print(f"petworks {import_module('PETWorks').__version__}")
        raise SystemExit
    if options.command is None:
        root.print_help()
        raise SystemExit
    options.arguments = list(arguments)
    return options


def _describe_unknown(argument: str, chosen: Parser) -> UnknownNameError:
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
    "attack": "tell whom somebody would find in a released table, and what would stop it",
    "explain": "explain step by step how results were computed",
    "verify": "measure, or make, again what a report or a record tells, and compare",
    "init": "look at a raw table, and write a policy to start from",
    "inspect": "look at a raw table, and suggest a role for each column",
    "app": "work in the browser: from a raw table to a release that holds",
    "hierarchy": "build the hierarchy of a column, and tell what it does not cover",
    "measures": "list all measures, or describe one",
    "templates": "list the policies to start from, or print one",
    "key": "make a key that makes pseudonyms or signs, or list all keys",
    "sign": "sign the part of a record that may be handed over",
    "release": "enter a release that holds into the ledger of its dataset",
    "demo": "write a release of census data and a policy to try things with, and judge it",
    "completion": "print a script that completes commands in a shell",
}
