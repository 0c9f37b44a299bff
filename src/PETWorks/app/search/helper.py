"""What the application sees of the process that searches: what it found so far, and whether it is at work.

What the application and the process that searches tell one another: pickled, between processes of ours.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock, Thread, current_thread
from typing import Any, Literal

from PETWorks.anonymization.exploring import Exploration, NodeFigures, Recoded, ReleasePreview, SearchState
from PETWorks.anonymization.plan import Plan

Task = Literal["best", "local"]


@dataclass(frozen=True)
class SearchRequest:
    """What the process works on: the content of a policy, and the folder that its paths are relative to."""

    policy: Mapping[str, Any]
    folder: Path
    memory: Mapping[str, Any]
    plan: Plan


@dataclass(frozen=True)
class TaskRequest:
    """Something to be done; the plan may have another limit, or other bounds, than that at the start."""

    task: Task
    plan: Plan


@dataclass(frozen=True)
class StopRequest:
    """What is being searched for is to end; the best so far is kept."""


@dataclass(frozen=True)
class WeighedVectors:
    """Some more level vectors that were weighed."""

    weighed: tuple[NodeFigures, ...]
    ended: bool


@dataclass(frozen=True)
class BestSoFar:
    """How far the search is. `keeping`: of those that keep every column."""

    sought: SearchState
    keeping: bool = False


@dataclass(frozen=True)
class RecodingProgress:
    """How far local recoding is."""

    rounds: int
    score: float


@dataclass(frozen=True)
class LocalResult:
    """A local recoding that was found; without polishing it tells the price."""

    recoded: Recoded
    polished: bool


@dataclass(frozen=True)
class ScoreCeiling:
    """The score that no local recoding exceeds, or is below if it is the loss."""

    score: float


@dataclass(frozen=True)
class TaskEnded:
    """A task has ended; `problem` says why, if it could not be done."""

    task: Task | None
    problem: str = ""


@dataclass(frozen=True)
class ProcessIdle:
    """There is nothing to be done, and nothing more to come."""


Message = WeighedVectors | BestSoFar | RecodingProgress | LocalResult | ScoreCeiling | TaskEnded | ProcessIdle


MODULE = "PETWorks.app.search.process"
EXIT_SECONDS = 1.0  # seconds after which a process that does not end by itself is ended


class SearchHelper:
    """A process that searches, and a thread that takes what it tells."""

    def __init__(
        self, start: SearchRequest, exploration: Exploration, on_result: Callable[[SearchHelper], None]
    ) -> None:
        self.surveyed = False  # True: all vectors were weighed, or as many as are drawn
        self.task: Task | None = None  # what it is doing
        self.idle = False  # True: there is nothing more to come
        self.asked: Plan | None = None  # the plan of the search that `best` and `keeping` are of
        self.best: SearchState | None = None
        self.keeping: SearchState | None = None  # of the search for the best that keeps every column
        self.quote: Recoded | None = None  # local recoding without polishing, which tells its price
        self.local: Recoded | None = None
        self.ceiling: float | None = None  # what no local recoding exceeds
        self.looked: tuple[Recoded, ReleasePreview] | None = None  # local recoding, as it was looked at
        self.polished: RecodingProgress | None = None  # how far local recoding is
        self.problem = ""
        self.finished: Task | None = None  # what it did last
        self.levels_before: object = None  # the levels of the draft when the search began
        self._exploration, self._on_result, self._lock = exploration, on_result, Lock()
        command = [sys.executable, "-P", "-m", MODULE]  # -P: modules are not looked for in the present folder
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self._process = subprocess.Popen(command, start_new_session=True, **pipes)  # noqa: S603 (Ctrl-C is not for it)
        self._send(start)
        self._listening = Thread(target=self._listen, daemon=True)
        self._listening.start()

    @property
    def alive(self) -> bool:
        """True if the process can be asked for something."""
        return self._process.poll() is None

    def ask(self, task: Task, plan: Plan, levels: object = None) -> None:
        """Begin something; what was found before is of another plan, and dropped. `levels` are those of the draft."""
        with self._lock:
            if self.task or not self.alive:
                return
            self.task, self.problem, self.polished, self.levels_before = task, "", None, levels
            self.idle = False
            if task == "best":
                self.asked, self.best, self.keeping = plan, None, None
        self._send(TaskRequest(task, plan))

    def stop(self) -> None:
        """End what it is doing; the best so far is kept."""
        if self.task:
            self._send(StopRequest())

    def close(self) -> None:
        """End the process: it notices that nobody can ask it any more."""
        with suppress(OSError):
            self._process.stdin.close()  # type: ignore[union-attr]
        try:
            self._process.wait(EXIT_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
        if current_thread() is not self._listening:
            self._listening.join(EXIT_SECONDS)

    def _send(self, message: Any) -> None:  # noqa: ANN401
        with suppress(OSError, ValueError):  # it has ended, which `alive` tells
            pickle.dump(message, self._process.stdin)  # type: ignore[arg-type]
            self._process.stdin.flush()  # type: ignore[union-attr]

    def _listen(self) -> None:
        with suppress(EOFError, pickle.UnpicklingError, OSError, ValueError):
            while True:
                self._receive(pickle.load(self._process.stdout))  # type: ignore[arg-type]  # noqa: S301 (our own process)
        self.task, self.idle = None, True
        self._process.wait()
        with suppress(OSError):
            self._process.stdin.close()  # type: ignore[union-attr]
        self._process.stdout.close()  # type: ignore[union-attr]

    def _receive(self, message: Any) -> None:  # noqa: ANN401, C901 (one for each kind of message)
        match message:
            case WeighedVectors(weighed, ended):
                self._exploration.learn(weighed)
                self.surveyed = self.surveyed or ended
            case BestSoFar(sought, keeping):
                if keeping:
                    self.keeping = sought
                else:
                    self.best = sought
            case RecodingProgress():
                self.polished = message
            case ScoreCeiling(score):
                self.ceiling = score
            case LocalResult(recoded, polished):
                if polished:
                    self.local, self.ceiling = recoded, None
                self.quote = recoded
            case ProcessIdle():
                self.idle = self.task is None
            case TaskEnded(task, problem):
                self.problem, self.finished = problem, task
                if task and not problem:
                    self._on_result(self)  # before it is seen that it has ended
                self.task = None
