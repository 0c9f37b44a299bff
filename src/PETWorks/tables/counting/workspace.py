"""The memory limit, temporary files and threads that counting uses.

>>> Workspace.of("500 MB").memory
500000000
>>> Workspace.of("1.5 GiB").memory
1610612736

Combinations that do not fit in memory are written to disk in parts (`Spill`). All combinations of a class are in one
part, so each part is counted by itself. The temporary file has no name in the file system: the system deletes it when
the process ends, even after a crash.

`Prefetch` processes items ahead of time in threads, since NumPy and Arrow release Python's global lock while they work.
Results come in the order of the items, and only a few wait at a time.

>>> with Prefetch(len, ["a", "bb", "ccc"]) as work:
...     print([result for item, result in work])
[1, 2, 3]
"""

from __future__ import annotations

import os
import pickle
import re
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import Generic, Self, TypeVar

import numpy as np

from PETWorks.errors import ParameterError, SourceError, show_value
from PETWorks.tables.counting.tally import Coded, IntArray, Key, Tally, narrow
from PETWorks.tables.counting.texts import Texts

UNITS = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
UNITS |= {"kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40}
LEAST_MEMORY = 100 * 10**6  # smallest limit, in bytes, that a caller may set
DEFAULT_SHARE = 0.6  # share of the machine's memory that is used if the caller sets no limit
AMPLE_MEMORY = 2 * 2**30  # bytes; with less memory, less is read at a time
UNKNOWN_MACHINE = 4 * 2**30  # bytes that are assumed if the system does not report its memory
CONTROL_GROUP = Path("/sys/fs/cgroup/memory.max")  # the memory limit of a Linux container


def find_machine_memory() -> int:
    """Return the bytes of memory that this machine has, or that this container may use."""
    try:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # Windows has no sysconf
        return UNKNOWN_MACHINE
    try:
        return min(memory, int(CONTROL_GROUP.read_text()))
    except (OSError, ValueError):  # the file does not exist, or holds "max": there is no limit
        return memory


@dataclass(frozen=True)
class Workspace:
    """Bytes of memory for tallies and the work on them, and a folder for temporary files."""

    memory: int = field(default_factory=lambda: int(DEFAULT_SHARE * find_machine_memory()))
    folder: str | None = None  # None: the system's own folder for temporary files

    @classmethod
    def of(cls, memory_limit: str | int | None = None, folder: str | os.PathLike[str] | None = None) -> Workspace:
        """Build a workspace from the caller's memory limit, such as "2 GB", and folder; None means the default."""
        if folder is not None and not (isinstance(folder, str | os.PathLike) and Path(folder).is_dir()):
            hint = "name a folder that exists"
            raise ParameterError(f"the folder for temporary files does not exist: {str(folder)!r:.200}", hint=hint)
        place = None if folder is None else os.fspath(folder)
        return cls(folder=place) if memory_limit is None else cls(_parse_memory(memory_limit), place)


def _parse_memory(written: str | int) -> int:
    """Read an amount of memory: a number of bytes, or text with a unit."""
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*([a-z]*)", str(written).strip().lower().replace(",", ""))
    if not found or found[2] not in UNITS:
        problem = f"the memory limit is not an amount of memory: {show_value(written)}"
        raise ParameterError(problem, hint='write "500 MB" or "2 GB"')
    if (memory := int(Decimal(found[1]) * UNITS[found[2]])) < LEAST_MEMORY:
        raise ParameterError(
            f"the memory limit is too small: {show_value(written)}", hint=f"allow at least {LEAST_MEMORY // 10**6} MB"
        )
    return min(memory, sys.maxsize)


def scale_batch(size: int, memory: int) -> int:
    """Return how many rows or bytes to read at a time: `size` if memory is ample, else in proportion to the memory.

    A few batches wait for their turn, each as bytes, as Arrow columns and as coded columns; with a limit of 100 MB, all
    of that must take a small part of it.

    >>> scale_batch(1000, AMPLE_MEMORY), scale_batch(1000, AMPLE_MEMORY // 2)
    (1000, 500)
    """
    return max(1, size * min(memory, AMPLE_MEMORY) // AMPLE_MEMORY)


def write_memory(memory: float) -> str:
    """Write an amount of memory in MB or GB.

    >>> write_memory(1_234_000_000), write_memory(500_000_000)
    ('1.2 GB', '500 MB')
    """
    return f"{memory / 10**9:.1f} GB" if memory >= 10**9 else f"{memory / 10**6:.0f} MB"


PARTS = 256  # number of parts that combinations are divided into
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # for Fibonacci hashing: 2^64 divided by the golden ratio


class Spill:
    """A temporary file of combinations with their counts; the values of the columns `by` decide the part of each."""

    def __init__(self, folder: str | None, by: Sequence[Key]) -> None:
        self._by = by
        self._folder = folder or tempfile.gettempdir()
        with translate_write_errors(self._folder):
            self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 (it is closed on leaving)
        self._pieces: list[list[tuple[int, int]]] = [[] for _ in range(PARTS)]  # offset and length of each

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):  # closing flushes; if the disk is full, that error was already raised by `put`
            self._file.close()

    def put(self, tally: Tally) -> None:
        """Write combinations to their parts."""
        parts = self._assign_parts(tally)
        order = np.argsort(parts, kind="stable")
        bounds = np.searchsorted(parts[order], np.arange(PARTS + 1)).tolist()
        for pieces, (start, end) in zip(self._pieces, pairwise(bounds), strict=True):
            if start < end:
                written = _serialise(tally, order[start:end])
                with translate_write_errors(self._folder):
                    pieces.append((self._file.tell(), self._file.write(written)))

    def read_parts(self) -> Iterator[tuple[int, Iterator[tuple[list[Coded], IntArray]]]]:
        """Return, for each part that is not empty, its size in bytes and an iterator over its combinations."""
        with translate_write_errors(self._folder):
            self._file.flush()
        return ((sum(length for _, length in pieces), self._read(pieces)) for pieces in self._pieces if pieces)

    def _read(self, pieces: Sequence[tuple[int, int]]) -> Iterator[tuple[list[Coded], IntArray]]:
        for start, _ in pieces:
            self._file.seek(start)
            columns, counts = pickle.load(self._file)  # noqa: S301 (nobody else can write to this file)
            yield [Coded(codes, values) for codes, values in columns], counts

    def _assign_parts(self, tally: Tally) -> IntArray:
        """Return the part of each combination. It depends on the values only, not on the codes of this tally."""
        mixed = np.zeros(len(tally.counts), dtype=np.uint64)
        for key in self._by:
            column = tally.columns[key]
            hashes = np.array([hash(value) for value in column.values], dtype=np.int64).view(np.uint64)
            mixed = (mixed ^ hashes[column.codes]) * MULTIPLIER
            mixed ^= mixed >> np.uint64(32)
        return (mixed % np.uint64(PARTS)).astype(np.int64)


@contextmanager
def translate_write_errors(folder: str) -> Iterator[None]:
    """Turn an error of the operating system about a temporary file into a SourceError."""
    try:
        yield
    except OSError as error:
        problem = f"temporary files cannot be written: {error.strerror or error}"
        hint = "free space on that disk, or name another folder: temporary="
        raise SourceError(problem, where=folder, hint=hint) from error


def _serialise(tally: Tally, rows: IntArray) -> bytes:
    """Write some combinations as bytes; values that do not occur in them are left out if there are many."""
    columns = []
    for column in tally.columns.values():
        codes, values = column.codes[rows], column.values
        if len(values) > len(rows):
            used, codes = np.unique(codes, return_inverse=True)
            codes = narrow(codes, len(used))
            values = values.take(used) if isinstance(values, Texts) else [values[code] for code in used.tolist()]
        columns.append((codes, values))
    return pickle.dumps((columns, tally.counts[rows]))


MAX_WAITING = 4  # at most MAX_WAITING + 1 results wait at a time, since they take up memory
Item = TypeVar("Item")
Output = TypeVar("Output")


@cache
def count_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(count_cores(), "petworks")


if hasattr(os, "register_at_fork"):  # a child process does not inherit threads, so it needs a new pool
    os.register_at_fork(after_in_child=_pool.cache_clear)


class Prefetch(Generic[Item, Output]):
    """Iterate over items with the result of `work` for each; an error is raised at its item's turn."""

    def __init__(self, work: Callable[[Item], Output], items: Iterable[Item]) -> None:
        self._work = work
        self._items = iter(items)
        self._waiting: deque[tuple[Item, Future[Output]]] = deque()
        self._failed: Exception | None = None
        self._fill()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for _, future in self._waiting:
            future.cancel()

    def __iter__(self) -> Iterator[tuple[Item, Output]]:
        """Yield each item with its result, in order."""
        while self._fill():
            item, future = self._waiting.popleft()
            yield item, future.result()
        if self._failed:
            raise self._failed

    def take_rest(self) -> Iterator[Item]:
        """Yield the remaining items without results: the caller processes them in another way."""
        for item, future in self._waiting:
            future.cancel()
            yield item
        yield from self._items
        if self._failed:
            raise self._failed

    def _fill(self) -> bool:
        while len(self._waiting) <= min(count_cores(), MAX_WAITING) and not self._failed:
            try:
                item = next(self._items)
            except StopIteration:
                break
            except Exception as error:  # noqa: BLE001 (raised after the items before it were yielded)
                self._failed = error
                break
            self._waiting.append((item, self._submit(item)))
        return bool(self._waiting)

    def _submit(self, item: Item) -> Future[Output]:
        try:
            return _pool().submit(self._work, item)
        except RuntimeError:  # the interpreter is shutting down and starts no threads: work here instead
            done: Future[Output] = Future()
            try:
                done.set_result(self._work(item))
            except Exception as error:  # noqa: BLE001 (raised when the item's turn comes)
                done.set_exception(error)
            return done
