"""The command line: ``petworks``, or ``python -m PETWorks``.

The answer goes to standard output and nothing else does; notes, progress and errors go to standard error.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module

HOLDS, FAILS, NOT_ASKED, INTERRUPTED = 0, 1, 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command: 0 if all holds or was measured, 1 if something does not hold, 2 if it could not be asked."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a console may lack a character
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        code = _run(arguments)
        with suppress(BrokenPipeError):  # whoever reads has seen enough
            sys.stdout.flush()
            return code
    except BrokenPipeError:
        code = NOT_ASKED
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 (whatever it is, nobody should see a traceback)
        from PETWorks.cli.telling import tell

        tell(error, arguments)
        return NOT_ASKED
    with suppress(OSError, ValueError):  # not even the end of the process writes to a pipe that is closed
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code


def _run(arguments: Sequence[str]) -> int:
    from PETWorks.cli.parser import parse

    try:
        options = parse(arguments)
    except SystemExit:  # the help or the version was asked for, and printed
        return HOLDS
    run = import_module(f"PETWorks.cli.{options.module}").run
    code: int = run(options)
    return code
