"""Process items ahead of time in threads. Results come in the order of the items, and only a few are kept waiting.

NumPy and Arrow release Python's global lock while they work, so threads can use all cores.

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

MOST = 4  # at most MOST + 1 results wait at a time, since they take up memory
Item = TypeVar("Item")
Made = TypeVar("Made")


@cache
def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(cores(), "petworks")


if hasattr(os, "register_at_fork"):  # a child process does not inherit threads, so it needs a new pool
    os.register_at_fork(after_in_child=_pool.cache_clear)


class Ahead(Generic[Item, Made]):
    """Iterate over items and the result of `work` for each. An error is raised when its item's turn comes."""

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
        """Yield each item with its result, in order."""
        while self._fill():
            item, future = self._waiting.popleft()
            yield item, future.result()
        if self._failed:
            raise self._failed

    def rest(self) -> Iterator[Item]:
        """Yield the items that were not yielded yet, without results: the caller processes them in another way."""
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
            except Exception as error:  # noqa: BLE001 (raised after the items before it were yielded)
                self._failed = error
                break
            self._waiting.append((item, self._begun(item)))
        return bool(self._waiting)

    def _begun(self, item: Item) -> Future[Made]:
        try:
            return _pool().submit(self._work, item)
        except RuntimeError:  # the interpreter is shutting down and starts no threads: work here instead
            done: Future[Made] = Future()
            try:
                done.set_result(self._work(item))
            except Exception as error:  # noqa: BLE001 (raised when the item's turn comes)
                done.set_exception(error)
            return done
