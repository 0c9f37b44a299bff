"""Work that takes a while: it runs in a thread of its own, tells how far it is, and can be stopped."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Event, Thread
from typing import Generic, Literal, TypeVar

from PETWorks.errors import PETWorksError
from PETWorks.progress import listening

T = TypeVar("T")
State = Literal["running", "done", "failed", "stopped"]
Told = Callable[[float | None], None]  # is called with the share that is done, if it is known


class StoppedError(Exception):
    """Raised inside work that was told to stop."""


class Work(Generic[T]):
    """A function that runs in the background. What it returned, or raised, is kept."""

    def __init__(self, function: Callable[[Work[T]], T]) -> None:
        self.state: State = "running"
        self.share: float | None = None  # of the work that is done
        self.rows = 0  # that were counted so far
        self.error: BaseException | None = None
        self.began = time.monotonic()
        self._function = function
        self._value: T | None = None
        self._ended, self._told_to_stop = Event(), Event()
        Thread(target=self._run, daemon=True).start()

    @property
    def value(self) -> T:
        """What was returned; the error that was raised is raised again."""
        if self.error:
            raise self.error
        assert self.state == "done", self.state  # noqa: S101 (asked for too early)
        return self._value  # type: ignore[return-value]

    @property
    def problem(self) -> PETWorksError | None:
        """The error of ours that ended the work, to be shown to the user; any other is raised."""
        if self.error and not isinstance(self.error, PETWorksError | StoppedError):
            raise self.error
        return self.error if isinstance(self.error, PETWorksError) else None

    def wait(self, seconds: float) -> bool:
        """Wait so long for the end; return True if it came."""
        return self._ended.wait(seconds)

    def stop(self) -> None:
        """Ask the work to stop; it does so when it next tells its progress."""
        self._told_to_stop.set()

    @property
    def stopping(self) -> bool:
        """True if the work was asked to stop; it may still run until it next tells its progress."""
        return self._told_to_stop.is_set()

    def tell(self, rows: int = 0, share: float | None = None) -> None:
        """Take note of progress, which never goes back; raise an error inside the work if it is to stop."""
        if self._told_to_stop.is_set():
            raise StoppedError
        self.rows += rows
        self.share = self.share if share is None else max(share, self.share or 0.0)

    def _run(self) -> None:
        try:
            with listening(self.tell):
                self._value = self._function(self)
            self.state = "done"
        except StoppedError as error:
            self.error, self.state = error, "stopped"
        except BaseException as error:  # noqa: BLE001 (told to whoever asks for the value)
            self.error, self.state = error, "failed"
        finally:
            self._ended.set()
