"""``petworks completion``: print a script that completes commands, options and names of measures in a shell."""

from __future__ import annotations

import argparse

from PETWorks.cli import HOLDS
from PETWorks.cli.output import say
from PETWorks.cli.parser import parser
from PETWorks.measure.registry import measures

FILES = ("FILE", "TABLE", "POLICY", "POLICY|TABLE")


def run(options: argparse.Namespace) -> int:
    """Print the script."""
    import shtab

    root = parser()
    for command in root.commands.values():
        command.complete()
        for action in command._actions:  # noqa: SLF001 (argparse tells them nowhere else)
            if action.metavar in FILES:
                action.complete = shtab.FILE  # type: ignore[attr-defined]
            elif action.metavar == "FOLDER":
                action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
            elif action.metavar == "MEASURE":
                action.choices = [kind.__name__ for kind in measures().values()]  # class names need no quotes
            elif action.metavar == "LANGUAGE":
                action.choices = ["en", "zh_TW"]
    say(shtab.complete(root, options.shell))
    return HOLDS
