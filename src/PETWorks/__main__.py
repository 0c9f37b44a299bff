"""The command ``petworks``, also ``python -m PETWorks``.

Loading what a command needs takes a moment. Ctrl-C then ends the process at once, without a traceback, so this module
imports nothing else before it is prepared for it.
"""

from __future__ import annotations

import os
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import NoReturn

INTERRUPTED = 128 + signal.SIGINT  # the exit code that shells expect


def _end(number: int, frame: FrameType | None) -> NoReturn:  # noqa: ARG001 (as signal handlers are called)
    os._exit(INTERRUPTED)


def command() -> int:
    """Run the command line of this process; return its exit code."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not so in the background of a shell
        signal.signal(signal.SIGINT, _end)
    from PETWorks.cli import main

    return main()


if __name__ == "__main__":
    sys.exit(command())
