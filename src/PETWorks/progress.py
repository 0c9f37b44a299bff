"""How far reading has come, for work that lasts: sources tell it, whoever listens shows it.

>>> seen = []
>>> with listening(lambda rows, share: seen.append((rows, share))):
...     advanced(3)
...     reached(0.5)
>>> advanced(4)  # nobody listens
>>> seen
[(3, None), (0, 0.5)]
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

Listener = Callable[[int, float | None], None]  # how many more rows were counted, or which share of a table is read
PATIENCE = 1.0  # seconds of work before anything is shown

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


def advanced(rows: int) -> None:
    """Tell that more rows were counted."""
    if listener := _listener.get():
        listener(rows, None)


def reached(share: float) -> None:
    """Tell which share of the present table, from 0 to 1, was read."""
    if listener := _listener.get():
        listener(0, share)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Have what is told within."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def showing_progress(describe: Callable[[int], str]) -> Iterator[None]:
    """Show on a terminal, on standard error, how far reading has come, once that takes longer than a moment."""
    if not sys.stderr.isatty():
        yield
        return
    display = _Display(describe)
    timer = Timer(PATIENCE, display.start)
    timer.daemon = True
    timer.start()
    try:
        with listening(display.tell):
            yield
    finally:
        timer.cancel()
        display.stop()


class _Display:
    """A line at the bottom of the terminal, which is gone when the work is done."""

    def __init__(self, describe: Callable[[int], str]) -> None:
        self._describe = describe
        self._rows = 0
        self._share: float | None = None  # of the present table
        self._lock = Lock()  # it is started by a timer, and may have to stop at that moment
        self._bar: Progress | None = None
        self._over = False

    def tell(self, rows: int, share: float | None) -> None:
        self._rows += rows
        again = share is not None and share < (self._share or 0)  # another table is read
        self._share = self._share if share is None else share
        if self._bar:
            task = self._bar.task_ids[0]
            if again:
                self._bar.reset(task)
            whole = None if self._share is None else 1.0
            self._bar.update(task, description=self._describe(self._rows), total=whole, completed=self._share)

    def start(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

        text = TextColumn("{task.description}", markup=False)
        columns = text, BarColumn(20), TaskProgressColumn(), TextColumn("~"), TimeRemainingColumn()
        bar = Progress(*columns, console=Console(stderr=True), transient=True)
        with self._lock:
            if not self._over:
                bar.add_task(self._describe(self._rows), total=None if self._share is None else 1.0)
                bar.start()
                self._bar = bar

    def stop(self) -> None:
        with self._lock:
            self._over = True
            if self._bar:
                self._bar.stop()
