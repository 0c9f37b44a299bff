"""How far reading has come, for work that lasts: sources tell it, whoever listens shows it.

>>> seen = []
>>> with listening(seen.append):
...     advanced(3)
>>> advanced(4)  # nobody listens
>>> seen
[3]
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock, Timer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

PATIENCE = 1.0  # seconds of work before anything is shown

_listener: ContextVar[Callable[[int], None] | None] = ContextVar("listener", default=None)


def advanced(rows: int) -> None:
    """Tell that more rows were read."""
    if listener := _listener.get():
        listener(rows)


@contextmanager
def listening(listener: Callable[[int], None]) -> Iterator[None]:
    """Have the numbers of rows that are read within."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def shown(describe: Callable[[int], str]) -> Iterator[None]:
    """Show on a terminal, on standard error, how many rows were read, once that takes longer than a moment."""
    if not sys.stderr.isatty():
        yield
        return
    display = _Display(describe)
    timer = Timer(PATIENCE, display.start)
    timer.daemon = True
    timer.start()
    try:
        with listening(display.add):
            yield
    finally:
        timer.cancel()
        display.stop()


class _Display:
    """A line at the bottom of the terminal, which is gone when the work is done."""

    def __init__(self, describe: Callable[[int], str]) -> None:
        self._describe = describe
        self._rows = 0
        self._lock = Lock()  # it is started by a timer, and may have to stop at that moment
        self._bar: Progress | None = None
        self._over = False

    def add(self, rows: int) -> None:
        self._rows += rows
        if self._bar:
            self._bar.update(self._bar.task_ids[0], description=self._describe(self._rows))

    def start(self) -> None:
        from rich.console import Console
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        columns = SpinnerColumn("line"), TextColumn("{task.description}", markup=False), TimeElapsedColumn()
        bar = Progress(*columns, console=Console(stderr=True), transient=True)
        with self._lock:
            if not self._over:
                bar.add_task(self._describe(self._rows), total=None)
                bar.start()
                self._bar = bar

    def stop(self) -> None:
        with self._lock:
            self._over = True
            if self._bar:
                self._bar.stop()
