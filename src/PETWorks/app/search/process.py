"""The process that searches: it reads what to do from its standard input, tells on its standard output, ends with it.

When nothing is asked, it weighs all level vectors, or, of very many, some that are drawn at random.
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

from PETWorks.anonymization.exploring import Exploration, Recoded, Sought, keeping_all, seek
from PETWorks.anonymization.front import front_of
from PETWorks.anonymization.made import Made
from PETWorks.anonymization.make import make
from PETWorks.anonymization.people import table_of
from PETWorks.anonymization.plan import Plan
from PETWorks.anonymization.search import Polishing, Progress
from PETWorks.anonymization.vectors import Levels
from PETWorks.app.search.helper import Ask, Best, Ceiling, Ended, Idle, Local, Polished, Start, Stop, Surveyed, Told
from PETWorks.errors import PETWorksError
from PETWorks.policy.policy import original_of

ALL = 5000  # level vectors that are all weighed; of more, so many are drawn
ROUNDS = 5  # of polishing, if the plan does not say: they bring most of what there is to gain
FRONT = 20.0  # seconds within which the library's front is found, where there are more vectors than are weighed
QUOTED = 100_000  # combinations of a table for which the price of local recoding is told unasked
PAUSE = 0.3  # seconds between two reports of what was weighed


def run() -> None:
    """Work until the standard input ends."""
    told = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    sys.stdout = sys.stderr  # what others print is no message
    reading = sys.stdin.buffer
    start: Start = pickle.load(reading)  # noqa: S301 (from the application, which started this process)
    try:
        process = Process(start, told)
    except PETWorksError as error:
        pickle.dump(Ended(None, error.guarded()), told)
        told.flush()
        return
    Thread(target=process.listen, args=(reading,), daemon=True).start()
    process.work()


class Process:
    """Answers what is asked, one thing at a time."""

    def __init__(self, start: Start, told: BinaryIO) -> None:
        self._told = told
        self._original = original_of(start.policy, start.folder, start.memory)
        self._exploration = Exploration(table_of(self._original._facts, start.plan), start.plan)  # noqa: SLF001 (of our own)
        self._asked: SimpleQueue[Ask] = SimpleQueue()
        self._stop = Event()
        self._made: Made | None = None  # local recoding, of which the ceiling is to be told
        self._quoted: Plan | None = None  # the plan for which the price of local recoding is to be told

    def listen(self, reading: BinaryIO) -> None:
        """Take what is asked, while other work goes on; end the process if nobody can ask any more."""
        with suppress(EOFError, pickle.UnpicklingError, OSError):
            while True:
                message: Any = pickle.load(reading)  # noqa: S301
                if isinstance(message, Stop):
                    self._stop.set()
                else:
                    self._asked.put(message)
        os._exit(0)

    def work(self) -> None:
        """Do what is asked; when nothing is, go on weighing."""
        vectors: Iterator[Levels] | None = self._vectors()
        while True:
            if idle := vectors is None and self._quoted is None:
                self._tell(Idle())
            try:
                self._do(self._asked.get(block=idle))
            except Empty:
                if vectors is not None:
                    vectors = self._weigh(vectors)
                else:
                    self._quote()

    def _tell(self, message: Told) -> None:
        pickle.dump(message, self._told, protocol=pickle.HIGHEST_PROTOCOL)
        self._told.flush()

    def _vectors(self) -> Iterator[Levels]:
        if self._exploration.vectors <= ALL:
            return self._exploration.every()
        chance, heights = Random(ALL), self._exploration.heights  # noqa: S311 (the same ones each time)
        drawn = {tuple(chance.randint(0, height) for height in heights): None for _ in range(2 * ALL)}
        return islice(iter(drawn), ALL)

    def _weigh(self, vectors: Iterator[Levels]) -> Iterator[Levels] | None:
        """Weigh vectors for a while; return those that are left, or None."""
        end, found = time.monotonic() + PAUSE, []
        for levels in vectors:
            found.append(self._exploration.weigh(levels))
            if time.monotonic() > end or not self._asked.empty():
                self._tell(Surveyed(tuple(found), ended=False))
                return vectors
        self._tell(Surveyed(tuple(found), ended=True))
        return None

    def _do(self, ask: Ask) -> None:
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
            problem = error.guarded()
        self._tell(Ended(ask.task, problem))
        if self._made is not None:
            self._tell_ceiling(self._made)
            self._made = None
        if ask.task == "best" and not problem:
            self._quoted = ask.plan
            if self._exploration.vectors > ALL:
                self._tell_front(ask.plan)

    def _seek(self, plan: Plan) -> None:
        """Search for the best and, if it gives a column up, for the best that does not."""
        found = self._sought(plan, keeping=False)
        heights = self._exploration.heights
        if found.best and any(level == top for level, top in zip(found.best.levels, heights, strict=True) if top):
            self._sought(keeping_all(plan, self._exploration.table.ladders), keeping=True)

    def _tell_front(self, plan: Plan) -> None:
        """Weigh the vectors that are the best at other limits: among very many, hardly one of them would be drawn."""

        def tell(*_: int) -> None:
            if not self._asked.empty():
                raise KeyboardInterrupt

        with suppress(PETWorksError, KeyboardInterrupt):
            points, _ = front_of(make(self._original, replace(plan, seconds=FRONT)), FRONT, tell)
            vectors: list[Any] = [tuple(one.levels.values()) for one in points]
            self._tell(Surveyed(tuple(map(self._exploration.weigh, vectors)), ended=False))

    def _tell_ceiling(self, made: Made) -> None:
        """Work out what no local recoding exceeds, which takes a while."""
        with suppress(PETWorksError):
            if made.bound is not None:
                self._tell(Ceiling(made.bound))

    def _quote(self) -> None:
        """See what local recoding would give; nobody asked, so it must not take long."""
        plan, self._quoted = self._quoted, None
        if plan is not None and len(self._exploration.table.counts) <= QUOTED:
            with suppress(PETWorksError, KeyboardInterrupt):
                self._recode(replace(plan, polish_rounds=0), polished=False)

    def _sought(self, plan: Plan, *, keeping: bool) -> Sought:
        def tell(sought: Sought) -> None:
            self._tell(Best(sought, keeping))
            self._end_if_asked()

        found = seek(self._exploration, plan, tell)
        self._tell(Best(found, keeping))
        return found

    def _recode(self, plan: Plan, *, polished: bool) -> None:
        def listener(progress: Progress | Polishing) -> None:
            if isinstance(progress, Polishing):
                self._tell(Polished(progress.rounds, progress.worth))
            self._end_if_asked()

        rounds = ROUNDS if plan.polish_rounds is None else plan.polish_rounds
        asked = replace(plan, recoding="local", levels={}, polish_rounds=rounds)
        made = make(self._original, asked, listener)
        self._tell(Local(Recoded.of(made), polished))
        self._made = made if polished else None

    def _end_if_asked(self) -> None:
        if self._stop.is_set():
            raise KeyboardInterrupt


if __name__ == "__main__":
    run()
