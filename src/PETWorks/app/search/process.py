"""The search process: it reads requests from standard input, writes messages to its output, and ends with its input.

Without a request, it evaluates all level vectors, or a random sample if there are many.
"""

from __future__ import annotations

import os
import pickle
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from queue import Empty, SimpleQueue
from random import Random
from threading import Event, Thread
from typing import Any, BinaryIO

from PETWorks.anonymization.anonymized_table import AnonymizedTable
from PETWorks.anonymization.exploration import Exploration, LocalLabels, SearchState, exclude_tops, run_search
from PETWorks.anonymization.front import search_front
from PETWorks.anonymization.make import make
from PETWorks.anonymization.people import build_table
from PETWorks.anonymization.plan import SearchSettings
from PETWorks.anonymization.search import PolishProgress, SearchProgress
from PETWorks.anonymization.treatments import treat_original
from PETWorks.anonymization.vectors import Levels
from PETWorks.app.search.helper import (
    BestSoFar,
    EvaluatedVectors,
    LocalResult,
    Message,
    ProcessIdle,
    RecodingProgress,
    ScoreCeiling,
    SearchRequest,
    StopRequest,
    TaskEnded,
    TaskRequest,
)
from PETWorks.errors import PETWorksError
from PETWorks.policy.policy import read_original

MAX_EVALUATED = 5000  # level vectors that are evaluated; if there are more, a sample of this size
POLISH_ROUNDS = 5  # of polishing if the plan has no number; more rounds gain little
FRONT_SECONDS = 20.0  # for the library's front, if only a sample of the vectors is evaluated
MAX_FRONT_NODES = 100_000  # vectors that are evaluated for it, at most
MAX_QUOTED = 100_000  # combinations up to which local recoding is estimated without a request
REPORT_SECONDS = 0.3  # between two messages with evaluated vectors


def run() -> None:
    """Work until the standard input ends."""
    output = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    sys.stdout = sys.stderr  # so that a print is not taken for a message
    reading = sys.stdin.buffer
    start: SearchRequest = pickle.load(reading)  # noqa: S301 (from the application, which started this process)
    try:
        process = SearchWorker(start, output)
    except PETWorksError as error:
        pickle.dump(TaskEnded(None, error.summarise()), output)
        output.flush()
        return
    Thread(target=process.listen, args=(reading,), daemon=True).start()
    process.work()


class SearchWorker:
    """Runs the requested tasks one at a time."""

    def __init__(self, start: SearchRequest, output: BinaryIO) -> None:
        self._output = output
        self._original, treat = read_original(start.policy, start.folder, start.memory)
        treated = treat_original(self._original, treat)
        self._exploration = Exploration(build_table(treated.facts, start.plan), start.plan)
        self._requests: SimpleQueue[TaskRequest] = SimpleQueue()
        self._stop = Event()
        self._made: AnonymizedTable | None = None  # local recoding whose bound is still to be sent
        self._quote_for: SearchSettings | None = None  # plan whose local recoding is still to be estimated

    def listen(self, reading: BinaryIO) -> None:
        """Receive requests while tasks run; end the process when its input ends."""
        with suppress(EOFError, pickle.UnpicklingError, OSError):
            while True:
                message: Any = pickle.load(reading)  # noqa: S301
                if isinstance(message, StopRequest):
                    self._stop.set()
                else:
                    self._requests.put(message)
        os._exit(0)

    def work(self) -> None:
        """Run the requests; between them, evaluate further vectors."""
        vectors: Iterator[Levels] | None = self._choose_vectors()
        while True:
            if idle := vectors is None and self._quote_for is None:
                self._send(ProcessIdle())
            try:
                self._run_task(self._requests.get(block=idle))
            except Empty:
                if vectors is not None:
                    vectors = self._evaluate_some(vectors)
                else:
                    self._quote()

    def _send(self, message: Message) -> None:
        pickle.dump(message, self._output, protocol=pickle.HIGHEST_PROTOCOL)
        self._output.flush()

    def _choose_vectors(self) -> Iterator[Levels]:
        if self._exploration.vectors <= MAX_EVALUATED:
            return self._exploration.iterate_levels()
        chance, heights = Random(MAX_EVALUATED), self._exploration.heights  # noqa: S311 (the same ones each time)
        drawn = {tuple(chance.randint(0, height) for height in heights): None for _ in range(2 * MAX_EVALUATED)}
        return islice(iter(drawn), MAX_EVALUATED)

    def _evaluate_some(self, vectors: Iterator[Levels]) -> Iterator[Levels] | None:
        """Evaluate vectors for a while; return the remaining ones, or None."""
        end, found = time.monotonic() + REPORT_SECONDS, []
        for levels in vectors:
            found.append(self._exploration.evaluate(levels))
            if time.monotonic() > end or not self._requests.empty():
                self._send(EvaluatedVectors(tuple(found), ended=False))
                return vectors
        self._send(EvaluatedVectors(tuple(found), ended=True))
        return None

    def _run_task(self, ask: TaskRequest) -> None:
        self._stop.clear()
        problem = ""
        try:
            if ask.task == "best":
                self._seek(ask.plan)
            else:
                self._recode(ask.plan, polished=True)
        except KeyboardInterrupt:
            pass
        except PETWorksError as error:
            problem = error.summarise()
        self._send(TaskEnded(ask.task, problem))
        if self._made is not None:
            self._send_ceiling(self._made)
            self._made = None
        if ask.task == "best" and not problem:
            self._quote_for = ask.plan
            if self._exploration.vectors > MAX_EVALUATED:
                self._send_front(ask.plan)

    def _seek(self, plan: SearchSettings) -> None:
        """Search for the best vector; if it generalises a column completely, also for the best that does not."""
        found = self._search(plan, keeping=False)
        heights = self._exploration.heights
        if found.best and any(level == top for level, top in zip(found.best.levels, heights, strict=True) if top):
            self._search(exclude_tops(plan, self._exploration.table.ladders), keeping=True)

    def _send_front(self, plan: SearchSettings) -> None:
        """Evaluate the vectors that are best at other limits: a random sample would hardly contain them."""

        def report(*_: int) -> None:
            if not self._requests.empty():
                raise KeyboardInterrupt

        with suppress(PETWorksError, KeyboardInterrupt):
            points = search_front(
                make(self._original, replace(plan, time_limit=FRONT_SECONDS)), MAX_FRONT_NODES, report
            )
            vectors: list[Any] = [tuple(one.levels.values()) for one in points]
            self._send(EvaluatedVectors(tuple(map(self._exploration.evaluate, vectors)), ended=False))

    def _send_ceiling(self, made: AnonymizedTable) -> None:
        """Send the bound on the score of local recodings, which takes a while to compute."""
        with suppress(PETWorksError):
            if made.bound is not None:
                self._send(ScoreCeiling(made.bound))

    def _quote(self) -> None:
        """Estimate local recoding; nobody requested it, so it must be quick."""
        plan, self._quote_for = self._quote_for, None
        if plan is not None and len(self._exploration.table.counts) <= MAX_QUOTED:
            with suppress(PETWorksError, KeyboardInterrupt):
                self._recode(replace(plan, polish_rounds=0), polished=False)

    def _search(self, plan: SearchSettings, *, keeping: bool) -> SearchState:
        def report(sought: SearchState) -> None:
            self._send(BestSoFar(sought, keeping))
            self._end_if_asked()

        found = run_search(self._exploration, plan, report)
        self._send(BestSoFar(found, keeping))
        return found

    def _recode(self, plan: SearchSettings, *, polished: bool) -> None:
        def listener(progress: SearchProgress | PolishProgress) -> None:
            if isinstance(progress, PolishProgress):
                self._send(RecodingProgress(progress.rounds, progress.worth))
            self._end_if_asked()

        rounds = POLISH_ROUNDS if plan.polish_rounds is None else plan.polish_rounds
        asked = replace(plan, recoding="local", levels={}, polish_rounds=rounds)
        made = make(self._original, asked, listener)
        self._send(LocalResult(LocalLabels.of(made), polished))
        self._made = made if polished else None

    def _end_if_asked(self) -> None:
        if self._stop.is_set():
            raise KeyboardInterrupt


if __name__ == "__main__":
    run()
