"""Work that threads do ahead of its turn: results come in order, and only a few wait.

NumPy and Arrow let go of the interpreter while they work, so threads keep all cores busy.

>>> with Ahead(len, ["a", "bb", "ccc"]) as work:
...     print([result for item, result in work])
[1, 2, 3]
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from types import TracebackType
from typing import Generic, Self, TypeVar

MOST = 4  # results that wait, besides one: they take up memory
Item = TypeVar("Item")
Made = TypeVar("Made")


@cache
def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(cores(), "petworks")


if hasattr(os, "register_at_fork"):  # threads do not live on in a child
    os.register_at_fork(after_in_child=_pool.cache_clear)


class Ahead(Generic[Item, Made]):
    """Items, each with what was made of it. An error is raised when its turn has come."""

    def __init__(self, work: Callable[[Item], Made], items: Iterable[Item]) -> None:
        self._work = work
        self._items = iter(items)
        self._waiting: deque[tuple[Item, Future[Made]]] = deque()
        self._failed: Exception | None = None
        self._fill()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for _, future in self._waiting:
            future.cancel()

    def __iter__(self) -> Iterator[tuple[Item, Made]]:
        """Give the items and what was made of them, in order."""
        while self._fill():
            item, future = self._waiting.popleft()
            yield item, future.result()
        if self._failed:
            raise self._failed

    def rest(self) -> Iterator[Item]:
        """Give the items whose turn has not come, for whoever wants to go on in another way."""
        for item, future in self._waiting:
            future.cancel()
            yield item
        yield from self._items
        if self._failed:
            raise self._failed

    def _fill(self) -> bool:
        while len(self._waiting) <= min(cores(), MOST) and not self._failed:
            try:
                item = next(self._items)
            except StopIteration:
                break
            except Exception as error:  # noqa: BLE001 (what came before it has its turn first)
                self._failed = error
                break
            self._waiting.append((item, self._begun(item)))
        return bool(self._waiting)

    def _begun(self, item: Item) -> Future[Made]:
        try:
            return _pool().submit(self._work, item)
        except RuntimeError:  # the interpreter is shutting down, and starts no threads
            done: Future[Made] = Future()
            try:
                done.set_result(self._work(item))
            except Exception as error:  # noqa: BLE001 (it has its turn)
                done.set_exception(error)
            return done
