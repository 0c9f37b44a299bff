"""Work that is done ahead of time: in order, a few items at a time, and errors when their turn comes."""

from __future__ import annotations

import os
import signal
import threading
from concurrent.futures import Future

import pytest

from PETWorks.tables.counting import workspace as prefetch
from PETWorks.tables.counting.workspace import Prefetch, count_cores


class Closed:
    """A pool that starts no threads, as when the interpreter shuts down."""

    def submit(self, *_):
        raise RuntimeError("cannot schedule new futures after interpreter shutdown")


@pytest.fixture(params=["threads", "no threads"])
def pool(request, monkeypatch):
    if request.param == "no threads":
        monkeypatch.setattr(prefetch, "_pool", Closed)


def reciprocal(number: int) -> float:
    return 1 / number


def until(last: int, error: Exception):
    """Yield numbers, then fail."""
    yield from range(1, last + 1)
    raise error


@pytest.mark.usefixtures("pool")
def test_in_order():
    with Prefetch(reciprocal, range(1, 30)) as work:
        assert list(work) == [(number, 1 / number) for number in range(1, 30)]


@pytest.mark.usefixtures("pool")
def test_an_error_is_raised_when_its_turn_comes():
    with Prefetch(reciprocal, [2, 1, 0, 4]) as work:
        results = iter(work)
        assert [next(results), next(results)] == [(2, 0.5), (1, 1.0)]
        with pytest.raises(ZeroDivisionError):
            next(results)


@pytest.mark.parametrize("last", [0, 1, 9])
def test_an_error_of_the_items_is_raised_after_those_before_it(last):
    found = []
    with Prefetch(reciprocal, until(last, OSError("unreadable"))) as work, pytest.raises(OSError, match="unreadable"):
        found.extend(item for item, _ in work)
    assert found == list(range(1, last + 1))


def test_nothing_is_taken_after_an_error():
    class Broken:
        asked = 0

        def __iter__(self):
            return self

        def __next__(self):
            self.asked += 1
            raise OSError("unreadable")

    items = Broken()
    with Prefetch(reciprocal, items) as work, pytest.raises(OSError, match="unreadable"):
        list(work)
    assert items.asked == 1


@pytest.mark.parametrize("taken", [0, 1, 9])
def test_the_rest_without_results(taken):
    with Prefetch(reciprocal, until(9, OSError("unreadable"))) as work:
        results = iter(work)
        first = [next(results)[0] for _ in range(taken)]
        rest = work.take_rest()
        assert first + [next(rest) for _ in range(9 - taken)] == list(range(1, 10))
        with pytest.raises(OSError, match="unreadable"):
            next(rest)


@pytest.mark.parametrize(("processors", "most"), [(1, 2), (2, 3), (4, 5), (64, 5)])
def test_only_a_few_items_are_taken_ahead(monkeypatch, processors, most):
    """One for each core and one more, and never more than five, since they take up memory."""
    monkeypatch.setattr(prefetch, "count_cores", lambda: processors)
    taken = []
    with Prefetch(reciprocal, (taken.append(number) or number for number in range(1, 99))) as work:
        assert len(taken) == most
        results = iter(work)
        for more in range(3):
            next(results)
            assert len(taken) == most + more


def test_what_nobody_waits_for_is_cancelled(monkeypatch):
    futures = []

    class Waiting(Closed):
        def submit(self, *_):
            futures.append(Future())
            return futures[-1]

    monkeypatch.setattr(prefetch, "_pool", Waiting)
    with Prefetch(reciprocal, range(1, 9)):
        assert not any(future.cancelled() for future in futures)
    assert futures
    assert all(future.cancelled() for future in futures)
    del futures[:]
    with Prefetch(reciprocal, range(1, 9)) as work:
        assert list(work.take_rest()) == list(range(1, 9))
        assert all(future.cancelled() for future in futures)


def test_work_is_done_in_threads_of_ours():
    prefetch._pool.cache_clear()
    with Prefetch(lambda _: threading.current_thread().name, range(3)) as work:
        assert all(name.startswith("petworks") for _, name in work)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_fork_has_threads_of_its_own():
    """It does not inherit those of the process, and would wait for them for ever."""
    assert list(Prefetch(reciprocal, [1, 2])) == [(1, 1.0), (2, 0.5)]
    if not (process := os.fork()):
        signal.alarm(20)
        os._exit(list(Prefetch(reciprocal, [2, 4])) != [(2, 0.5), (4, 0.25)])
    assert os.waitpid(process, 0)[1] == 0


def test_as_many_cores_as_this_process_may_use(monkeypatch):
    count_cores.cache_clear()
    monkeypatch.setattr(os, "sched_getaffinity", {0: {1, 3, 5}}.__getitem__, raising=False)
    assert count_cores() == 3
    for known, expected in ((7, 7), (None, 1)):  # systems without affinities, and one that does not say
        count_cores.cache_clear()
        monkeypatch.delattr(os, "sched_getaffinity", raising=False)
        monkeypatch.setattr(os, "cpu_count", lambda known=known: known)
        assert count_cores() == expected
    count_cores.cache_clear()
