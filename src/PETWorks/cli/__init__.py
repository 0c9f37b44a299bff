"""The command line: ``petworks``, or ``python -m PETWorks``.

Only the answer goes to standard output. Notes, progress and errors go to standard error.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path

HOLDS, FAILS, NOT_ASKED, INTERRUPTED = 0, 1, 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return 0 if all holds or was measured, 1 if something does not hold, 2 if evaluation failed."""
    _prepare_streams()
    arguments, code = sys.argv[1:] if arguments is None else arguments, NOT_ASKED
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, such as head, closed the pipe early
        pass
    except KeyboardInterrupt:
        code = INTERRUPTED
    except Exception as error:  # noqa: BLE001 (whatever it is, nobody should see a traceback)
        from PETWorks.cli.errors import tell

        tell(error, arguments)
        code = NOT_ASKED
    _let_go()
    return code


def _prepare_streams() -> None:
    """Escape characters that the console cannot show, and discard output if there is no console."""
    for name in ("stdout", "stderr"):
        if (stream := getattr(sys, name)) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 (to the end)
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _let_go() -> None:
    """Discard output that cannot be written, to avoid a second BrokenPipeError at exit."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _run(arguments: Sequence[str]) -> int:
    from PETWorks.cli.parser import parse

    try:
        options = parse(arguments)
    except SystemExit:  # the help or the version was printed
        return HOLDS
    run: Callable[[argparse.Namespace], int] = import_module(f"PETWorks.cli.{options.module}").run
    if vars(options).get("master") or vars(options).get("engine") == "spark":
        from PETWorks.cli.cluster import cluster

        with cluster(options):
            return run(options)
    return run(options)
