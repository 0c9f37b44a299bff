"""If a worker dies during a job, the job takes longer, but its result is the same."""

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import PETWorks as pw

pytestmark = [
    pytest.mark.skipif(not Path("/proc").is_dir(), reason="how processes are found here needs /proc"),
]

ROWS, PARTS, NAP = 60, 20, 100  # NAP: milliseconds that a worker sleeps for each row
SLOWLY = f"reflect('java.lang.Thread', 'sleep', {NAP}L)"  # its value is the text "null"
PATIENCE = 120  # seconds


def workers(application: str) -> set[int]:
    """Return the worker processes of an application."""
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:  # gone in the meantime
            continue
        if b"org.apache.spark.executor.CoarseGrainedExecutorBackend" in words and application.encode() in words:
            found.add(int(folder.name))
    return found


def alive(pid: int) -> bool:
    try:
        return (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def until(ready):
    """Wait until a condition is true."""
    end = time.monotonic() + PATIENCE
    while not (found := ready()):
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.02)
    return found


def test_a_worker_is_killed(spark):
    context = spark.sparkContext
    tracker, application = context.statusTracker(), context.applicationId
    until(lambda: len(workers(application)) == 2)
    age = f"concat('a', id % 7, if({SLOWLY} = 'null', '', 'x'))"
    table = spark.range(0, ROWS, 1, PARTS).selectExpr(f"{age} AS age", "concat('s', id % 3) AS ill", "id")
    known = {"age": [f"a{row % 7}" for row in range(ROWS)], "ill": [f"s{row % 3}" for row in range(ROWS)]}
    original = spark.range(ROWS).selectExpr("concat('a', id % 7) AS age", "id")
    roles = {"quasi_identifiers": ["age"], "sensitive": ["ill"]}
    measures = [pw.KAnonymity(k=5), pw.TCloseness(t="0.2"), pw.Precision(at_least=1)]

    def working():
        """Return a stage of which some tasks, but not all, are done."""
        infos = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        return [one for one in infos if one and one.numTasks >= PARTS and 2 <= one.numCompletedTasks < PARTS - 4]

    with ThreadPoolExecutor(1) as pool:
        job = pool.submit(lambda: pw.Release(table, original=original, key="id", **roles).evaluate(*measures))
        stage = until(working)[0].stageId
        victim = min(workers(application))
        os.kill(victim, signal.SIGKILL)
        until(lambda: not alive(victim))
        assert not job.done()
        assert stage in tracker.getActiveStageIds()
        answers = job.result(PATIENCE)
    failed = tracker.getStageInfo(stage).numFailedTasks
    assert (failed > 0, victim in workers(application)) == (True, False)
    expected = pw.Release(known, original={"age": known["age"]}, **roles).evaluate(*measures)
    assert [one.to_dict() for one in answers] == [one.to_dict() for one in expected]
    until(lambda: len(workers(application)) == 2)  # a new worker replaces it
