"""The application's side of the search process: it starts the process, sends requests, and holds the results.

The classes above `SearchHelper` are the messages between the two processes. They are pickled.
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

from PETWorks.anonymization.exploration import Exploration, LocalLabels, NodeFigures, ReleasePreview, SearchState
from PETWorks.anonymization.plan import SearchSettings

Task = Literal["best", "local"]


@dataclass(frozen=True)
class SearchRequest:
    """The input of the process: the content of a policy, and the folder that its paths are relative to."""

    policy: Mapping[str, Any]
    folder: Path
    memory: Mapping[str, Any]
    plan: SearchSettings


@dataclass(frozen=True)
class TaskRequest:
    """A task; its plan may have another limit, or other bounds, than the first one."""

    task: Task
    plan: SearchSettings


@dataclass(frozen=True)
class StopRequest:
    """End the current task; the best result so far is kept."""


@dataclass(frozen=True)
class EvaluatedVectors:
    """Further evaluated level vectors; `ended` is True for the last ones."""

    weighed: tuple[NodeFigures, ...]
    ended: bool


@dataclass(frozen=True)
class BestSoFar:
    """The state of the search; with `keeping`, of the search for the best that keeps every column."""

    sought: SearchState
    keeping: bool = False


@dataclass(frozen=True)
class RecodingProgress:
    """The progress of local recoding."""

    rounds: int
    score: float


@dataclass(frozen=True)
class LocalResult:
    """A local recoding that was found; one without polishing is an estimate."""

    recoded: LocalLabels
    polished: bool


@dataclass(frozen=True)
class ScoreCeiling:
    """The bound on the score of all local recodings: an upper one, or a lower one for a loss."""

    score: float


@dataclass(frozen=True)
class TaskEnded:
    """The end of a task; `problem` is the reason if it failed."""

    task: Task | None
    problem: str = ""


@dataclass(frozen=True)
class ProcessIdle:
    """The process is idle, and sends no further message until it gets a request."""


Message = EvaluatedVectors | BestSoFar | RecodingProgress | LocalResult | ScoreCeiling | TaskEnded | ProcessIdle


MODULE = "PETWorks.app.search.process"
EXIT_SECONDS = 1.0  # seconds after which a process that does not end by itself is ended


class SearchHelper:
    """The search process, and a thread that receives its messages."""

    def __init__(
        self, start: SearchRequest, exploration: Exploration, on_result: Callable[[SearchHelper], None]
    ) -> None:
        self.surveyed = False  # True: all vectors were evaluated, or the drawn sample of them
        self.task: Task | None = None  # the current task
        self.idle = False  # True: no further message comes
        self.search_plan: SearchSettings | None = None  # the plan of the search that `best` and `keeping` are of
        self.best: SearchState | None = None
        self.keeping: SearchState | None = None  # of the search for the best that keeps every column
        self.quote: LocalLabels | None = None  # local recoding without polishing, as an estimate
        self.local: LocalLabels | None = None
        self.ceiling: float | None = None  # bound on the score of local recodings
        self.local_preview: tuple[LocalLabels, ReleasePreview] | None = None  # the local recoding, with its preview
        self.polished: RecodingProgress | None = None  # progress of local recoding
        self.problem = ""
        self.finished: Task | None = None  # the last task that ended
        self.levels_before: object = None  # the levels of the draft when the search began
        self._exploration, self._on_result, self._lock = exploration, on_result, Lock()
        command = [sys.executable, "-P", "-m", MODULE]  # -P: modules are not looked for in the present folder
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self._process = subprocess.Popen(command, start_new_session=True, **pipes)  # noqa: S603 (it must not receive Ctrl-C)
        self._send(start)
        self._listening = Thread(target=self._listen, daemon=True)
        self._listening.start()

    @property
    def alive(self) -> bool:
        """True if the process is running."""
        return self._process.poll() is None

    def ask(self, task: Task, plan: SearchSettings, levels: object = None) -> None:
        """Start a task; results of an earlier plan are dropped. `levels` are those of the draft."""
        with self._lock:
            if self.task or not self.alive:
                return
            self.task, self.problem, self.polished, self.levels_before = task, "", None, levels
            self.idle = False
            if task == "best":
                self.search_plan, self.best, self.keeping = plan, None, None
        self._send(TaskRequest(task, plan))

    def stop(self) -> None:
        """End the current task; the best result so far is kept."""
        if self.task:
            self._send(StopRequest())

    def close(self) -> None:
        """End the process by closing its input; kill it if it does not end."""
        with suppress(OSError):
            self._process.stdin.close()  # type: ignore[union-attr]
        try:
            self._process.wait(EXIT_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
        if current_thread() is not self._listening:
            self._listening.join(EXIT_SECONDS)

    def _send(self, message: Any) -> None:  # noqa: ANN401
        with suppress(OSError, ValueError):  # the process has ended; `alive` is False
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

    def _receive(self, message: Any) -> None:  # noqa: ANN401, C901, PLR0912 (one for each kind of message)
        match message:
            case EvaluatedVectors(weighed, ended):
                self._exploration.add_figures(weighed)
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
                    self._on_result(self)  # before `task` shows that it has ended
                self.task = None
