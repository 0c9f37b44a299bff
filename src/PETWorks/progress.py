"""Report the progress of reading tables. Sources report it, and a listener, if there is one, shows it.

>>> seen = []
>>> with listen(lambda rows, share: seen.append((rows, share))):
...     report_rows(3)
...     report_share(0.5)
>>> report_rows(4)  # ignored, since there is no listener
>>> seen
[(3, None), (0, 0.5)]
>>> with listen(lambda rows, share: seen.append((rows, share))), report_part(4, 1):
...     report_share(0.5)
>>> seen[-1]
(0, 0.375)
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

Listener = Callable[[int, float | None], None]  # called with the number of newly counted rows, or the share read so far
SECONDS_BEFORE_SHOWING = 1.0  # seconds of work before anything is shown

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


def report_rows(rows: int) -> None:
    """Report that more rows were counted."""
    if listener := _listener.get():
        listener(rows, None)


def report_share(share: float) -> None:
    """Report the share, from 0 to 1, of the present table that was read."""
    if listener := _listener.get():
        listener(0, share)


@contextmanager
def listen(listener: Listener) -> Iterator[None]:
    """Call a listener for all progress that is reported inside the `with` block."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def report_part(parts: int, number: int) -> Iterator[None]:
    """Report the reading inside the `with` block as one of several equal parts of the work, numbered from 0.

    The share is that of all parts together. Only the first part counts rows: the others read them again.
    """
    listener = _listener.get()
    if listener is None:
        yield
        return

    def report(rows: int, share: float | None) -> None:
        listener(0 if number else rows, None if share is None else (number + share) / parts)

    with listen(report):
        yield


@contextmanager
def show_progress(describe: Callable[[int], str]) -> Iterator[Callable[[str, float | None], None]]:
    """Show the progress of reading on standard error if that is a terminal, once it takes longer than a second.

    The `with` statement returns a function that shows other work: a text, and its share that is done, if known.
    """
    if not sys.stderr.isatty():
        yield lambda text, share: None  # noqa: ARG005
        return
    display = _Display(describe)
    timer = Timer(SECONDS_BEFORE_SHOWING, display.start)
    timer.daemon = True
    timer.start()
    try:
        with listen(display.update):
            yield display.show
    finally:
        timer.cancel()
        display.stop()


class _Display:
    """A progress bar at the bottom of the terminal, which disappears when the work is done."""

    def __init__(self, describe: Callable[[int], str]) -> None:
        self._describe = describe
        self._other_text = ""  # about other work than reading
        self._rows = 0
        self._share: float | None = None  # share of the present table that was read
        self._lock = Lock()  # the timer's thread calls `start`, perhaps while the main thread calls `stop`
        self._bar: Progress | None = None
        self._over = False

    def show(self, text: str, share: float | None) -> None:
        self._other_text = text
        self.update(0, share)

    @property
    def _text(self) -> str:
        return self._other_text or self._describe(self._rows)

    def update(self, rows: int, share: float | None) -> None:
        self._rows += rows
        again = share is not None and share < (self._share or 0)  # a smaller share: the next table is being read
        self._share = self._share if share is None else share
        if self._bar:
            task = self._bar.task_ids[0]
            if again:
                self._bar.reset(task)
            whole = None if self._share is None else 1.0
            self._bar.update(task, description=self._text, total=whole, completed=self._share)

    def start(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

        text = TextColumn("{task.description}", markup=False)
        columns = text, BarColumn(20), TaskProgressColumn(), TextColumn("~"), TimeRemainingColumn()
        bar = Progress(*columns, console=Console(stderr=True), transient=True)
        with self._lock:
            if not self._over:
                bar.add_task(self._text, total=None if self._share is None else 1.0)
                bar.start()
                self._bar = bar

    def stop(self) -> None:
        with self._lock:
            self._over = True
            if self._bar:
                self._bar.stop()
