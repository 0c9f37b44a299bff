"""``petworks completion``: print a script that completes commands, options, measures and columns in a shell.

The columns are those of the table on the line that is being typed: the script calls ``petworks completion SHELL
--columns WORD …`` with the words of that line.
"""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from PETWorks.cli import HOLDS
from PETWorks.cli.evaluate import collect_settings
from PETWorks.cli.output import print_answer
from PETWorks.cli.parser import parse, parser
from PETWorks.errors import PETWorksError
from PETWorks.measure.base import Measure
from PETWorks.measure.registry import measures
from PETWorks.render.fill import is_printable
from PETWorks.settings.section import declared
from PETWorks.settings.sections import Reading
from PETWorks.tables.opening import open_source

FILES = ("FILE", "TABLE", "POLICY", "POLICY|TABLE", "REPORT")
COLUMNS = {
    "bash": "_petworks_columns",
    "zsh": "_petworks_columns",
    "fish": "(_petworks_columns)",
    "preamble": {
        "bash": """
_petworks_columns() {
  local column
  petworks completion bash --columns "${COMP_WORDS[@]:1}" 2>/dev/null | while IFS= read -r column; do
    column=$(printf '%q' "$column")
    if [[ "$column" == "$1"* ]]; then printf '%s\\n' "$column"; fi
  done
}
""",
        "zsh": """
_petworks_columns() {
  local -a columns
  columns=("${(@f)$(petworks completion zsh --columns "${(@Q)words}" 2>/dev/null)}")
  compadd -a columns
}
""",
        "fish": """
function _petworks_columns
  set -l typed (commandline -opc) ''
  petworks completion fish --columns $typed[2..-1] 2>/dev/null
end
""",
    },
}


def run(options: argparse.Namespace) -> int:
    """Print the script, or the columns of the table on a line."""
    if options.columns is None:
        print_answer(_write_script(options.shell))
        return HOLDS
    quoted = options.shell == "bash"
    if columns := columns_on_line([_unquote(word) if quoted else word for word in options.columns]):
        print_answer("\n".join(columns))
    return HOLDS


def _write_script(shell: str) -> str:
    import shtab

    root = parser()
    for command in root.commands.values():
        command.complete()
        for action in command._actions:  # noqa: SLF001 (argparse tells them nowhere else)
            if action.metavar in FILES:
                action.complete = shtab.FILE  # type: ignore[attr-defined]
            elif action.metavar == "FOLDER":
                action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
            elif action.metavar == "COLUMN":
                action.complete = COLUMNS  # type: ignore[attr-defined]
            elif action.metavar == "MEASURE":
                action.choices = list(measure_names(measures().values()))
            elif action.metavar == "LANGUAGE":
                action.choices = ["en", "zh_TW"]
    return str(shtab.complete(root, shell))


def measure_names(kinds: Iterable[type[Measure]]) -> Iterable[str]:
    """Yield for each measure a name that needs no quotes and can be typed on any keyboard, and that of its class."""
    for kind in kinds:
        name = kind.name.replace(" ", "-")
        if not re.fullmatch(r"[\w-]+", name, re.ASCII):  # δ-presence becomes delta-presence
            name = re.sub(r"(?<!^)(?=[A-Z])", "-", kind.__name__).lower()
        yield name
        yield kind.__name__


def columns_on_line(words: Sequence[str]) -> Sequence[str]:
    """Return the columns of the table that an incomplete line names; none if there is no such table."""
    if words[:1] not in (["evaluate"], ["explain"]) or not {"-h", "--help"}.isdisjoint(words):
        return ()
    with suppress(PETWorksError, OSError):
        options = parse([word or "…" for word in words])  # the word that is completed may still be empty
        given = collect_settings(options)
        table = vars(options).get("table") or options.source
        columns = open_source(table, table, *(given.get(name) for name in declared(Reading))).columns
        return [
            column for column in columns if all(map(is_printable, column))
        ]  # no control characters, which a terminal would execute
    return ()


def _unquote(word: str) -> str:
    """Return a word as the shell passes it to a command: without quotes, and with the home folder."""
    with suppress(ValueError):  # a quote that is still open
        word = "".join(shlex.split(word))
    return str(Path(word).expanduser()) if word.startswith("~") else word
