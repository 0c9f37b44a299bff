"""The command line: ``petworks``, or ``python -m PETWorks``.

Only the answer goes to standard output. Notes, progress and errors go to standard error.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from types import FrameType

HOLDS, FAILS, NOT_EVALUATED = 0, 1, 2
SIGNALLED = 128  # shells expect this plus the number of the signal
BURST = 1.0  # seconds in which a second signal is ignored, so that it does not interrupt the removal of files
SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")  # Windows has no SIGHUP


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return 0 if all holds or was measured, 1 if something does not hold, 2 if evaluation failed."""
    _prepare_streams()
    arguments, code = sys.argv[1:] if arguments is None else arguments, NOT_EVALUATED
    try:
        with _handle_signals():
            code = _run(arguments)
            sys.stdout.flush()
    except BrokenPipeError:  # the reader, such as head, closed the pipe early
        pass
    except (KeyboardInterrupt, SignalledError) as error:
        code = SIGNALLED + (error.number if isinstance(error, SignalledError) else signal.SIGINT)
    except Exception as error:  # noqa: BLE001 (users never see a traceback)
        _print_error(error, arguments)
        code = NOT_EVALUATED
    _discard_output()
    return code


_received: list[tuple[int, float]] = []  # signals, with their times


def pop_interruption() -> bool:
    """Return True if Ctrl-C was pressed while work continued, and forget it: the next Ctrl-C counts as the first."""
    pressed = bool(_received)
    _received.clear()
    return pressed


class SignalledError(BaseException):
    """Raised when a signal tells the process to end, so that incomplete files are removed as after Ctrl-C."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@contextmanager
def _handle_signals() -> Iterator[None]:
    """Raise an exception for signals that would end the process at once; leave signals that are ignored alone."""
    received = _received
    received.clear()

    def end(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 (as signal handlers are called)
        received.append((number, time.monotonic()))
        if len(received) == 1 or received[-1][1] - received[-2][1] > BURST:
            raise KeyboardInterrupt if number == signal.SIGINT else SignalledError(number)

    if threading.current_thread() is not threading.main_thread():  # only the main thread may receive signals
        yield
        return
    known = [getattr(signal, name) for name in SIGNALS if hasattr(signal, name)]
    before = {one: signal.getsignal(one) for one in known if signal.getsignal(one) not in (signal.SIG_IGN, None)}
    try:
        for one in before:
            signal.signal(one, end)
        yield
    except Exception as error:
        if received:  # an extension module that was being imported turned the signal into an error of its own
            raise SignalledError(received[0][0]) from error
        raise
    finally:
        for one, handler in before.items():
            # a second one, as `timeout` sends it, must neither change the exit code nor print a traceback
            signal.signal(one, signal.SIG_IGN if received else handler)


def _print_error(error: Exception, arguments: Sequence[str]) -> None:
    try:
        from PETWorks.cli.errors import print_error

        print_error(error, arguments)
    except Exception as other:  # noqa: BLE001 (the installation is incomplete, or there is no memory left)
        with suppress(OSError):
            print(f"error: PETWorks cannot start: {type(other).__name__}: {other}", file=sys.stderr)
            print("  install it again, with the packages it needs", file=sys.stderr)


def _prepare_streams() -> None:
    """Escape characters that the console cannot show, and discard output if there is no console."""
    for name in ("stdout", "stderr"):
        if (stream := getattr(sys, name)) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 (to the end)
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _discard_output() -> None:
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
