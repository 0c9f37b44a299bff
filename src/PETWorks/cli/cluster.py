"""``--engine spark``: a session of Spark for one command, which prints nothing and ends with it."""

from __future__ import annotations

import argparse
import logging
import os
import re
import signal
import socket
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from subprocess import Popen
from typing import IO, TYPE_CHECKING, Any

from PETWorks.errors import ParameterError, SourceError
from PETWorks.sources import SparkPath
from PETWorks.sources.spark.errors import NO_JAVA, answered

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SUBMITTED = ("PYSPARK_GATEWAY_PORT", "SPARK_REMOTE", "MASTER")  # variables with which Spark knows its master
CONNECT = "sc://"
PORTS = {"spark": 7077, "sc": 15002}  # unless the address has one
PATIENCE = 10  # seconds
READING = {
    "spark.sql.caseSensitive": "true",  # a file may have a column n and a column N
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",  # year=007 is not 7
}
QUIET = {"spark.ui.showConsoleProgress": "false", "spark.log.level": "OFF"}
SETTINGS = "look at its settings: --master, spark-defaults.conf, PYSPARK_SUBMIT_ARGS"
LEAD = re.compile(r'^\S+: line \d+: |^Exception in thread "\w+" [\w.$]+: ')  # of a shell script, of Java
CHATTER = re.compile(r"^WARNING|^Picked up|^Using |^Setting |^To adjust|^\d\d/\d\d/\d\d .* (?:WARN|INFO)|^:|^\s|^$")


def located(path: str, options: argparse.Namespace) -> str:
    """Give a path to whatever is to read it."""
    return SparkPath(path, options.spark) if options.spark else path


@contextmanager
def cluster(options: argparse.Namespace) -> Iterator[None]:
    """Let `options.spark` be a session as long as a command runs."""
    if options.engine != "spark":
        raise ParameterError("--master names a Spark cluster, but another engine is to count", hint="--engine spark")
    if getattr(options, "failing_rows", None):
        raise ParameterError("--failing-rows cannot be told with --engine spark: rows on a cluster have no numbers")
    try:
        import pyspark
    except ImportError as error:
        raise SourceError("Spark is not installed", hint='pip install "petworks[spark]"') from error
    master = options.master or os.environ.get("SPARK_MASTER")
    if not master and not _configured(Path(pyspark.__file__).parent):
        hint = "pass --master spark://host:7077, yarn, k8s://… or sc://host; or local[2] to try it on this machine"
        raise ParameterError("no master is said: where is the Spark cluster?", hint=hint)
    if master and not _answers(master):
        raise SourceError("the cluster does not answer", where=master, hint="is it up, and is its address right?")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module=r"pyspark\b")  # about versions of packages that are not used here
        logging.disable(logging.CRITICAL)  # what is said of interrupted jobs
        with _interruptible(options) as begin:
            begin(_session(master))
            yield


@contextmanager
def _interruptible(options: argparse.Namespace) -> Iterator[Callable[[SparkSession], None]]:
    """End Spark when its work is done, and at once at Ctrl-C; but a Java that is starting would be left behind."""
    noted: list[bool] = []

    def interrupt(*_: object) -> None:
        noted.append(True)
        if options.spark:
            if java := _java(options.spark):
                java.terminate()
            raise KeyboardInterrupt

    def begin(session: SparkSession) -> None:
        options.spark = session
        signal.signal(signal.SIGINT, interrupt)  # in the place of Spark's own, which waits for its jobs
        if noted:
            interrupt()

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield begin
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        if noted and (java := _java(options.spark)):
            java.wait()
        elif options.spark:
            with suppress(SourceError), answered("Spark"):  # it may be gone already
                options.spark.stop()
        signal.signal(signal.SIGINT, before)
        if noted:
            raise KeyboardInterrupt


def _java(session: Any) -> Popen[bytes] | None:  # noqa: ANN401 (a session of Spark Connect has no such parts)
    """Give the process of a session, if it was started here."""
    return getattr(getattr(getattr(session, "_sc", None), "_gateway", None), "proc", None)


def _configured(home: Path) -> bool:
    """Whether Spark knows where its cluster is, from spark-submit, the environment or its own settings."""
    submitted = any(os.environ.get(name) for name in SUBMITTED)
    arguments = os.environ.get("PYSPARK_SUBMIT_ARGS", "")
    folder = os.environ.get("SPARK_CONF_DIR") or Path(os.environ.get("SPARK_HOME") or home) / "conf"
    try:
        defaults = (Path(folder) / "spark-defaults.conf").read_text(encoding="utf-8", errors="replace")
    except OSError:
        defaults = ""
    by_file = re.search(r"^\s*spark\.(?:master|remote)\b", defaults, re.MULTILINE)
    return submitted or "master" in arguments or by_file is not None


def _answers(master: str) -> bool:
    """Whether somebody is at the address of a cluster: Spark itself would try again for minutes."""
    kind, _, rest = master.partition("://")
    for address in re.split("[/;]", rest)[0].split(",") if kind in PORTS else ():
        host, _, port = address.rpartition(":") if re.search(r":\d+$", address) else (address, "", PORTS[kind])
        with suppress(OSError):
            socket.create_connection((host.strip("[]"), int(port)), PATIENCE).close()
            return True
    return kind not in PORTS


def _session(master: str | None) -> SparkSession:
    from pyspark.sql import SparkSession

    builder: Any = SparkSession.builder.appName("petworks")
    if master and master.startswith(CONNECT):
        settings, builder = READING, builder.remote(master)
    else:
        settings, builder = READING | QUIET, builder.master(master) if master else builder
    for name, value in settings.items():
        builder = builder.config(name, value)
    with _muted() as printed:
        try:
            with answered(master or "Spark"):
                session: SparkSession = builder.getOrCreate()
                _ = session.version  # Spark Connect goes there only when it must
        except SourceError as error:
            if error.problem == NO_JAVA and (reason := _reason(printed)):
                hint = error.hint if "java" in reason.casefold() else SETTINGS
                raise SourceError(f"Spark could not be started: {reason}", hint=hint) from error
            raise
    return session


@contextmanager
def _muted() -> Iterator[IO[bytes]]:
    """Have what is printed within, by processes that are started within as long as they live, in a nameless file."""
    with tempfile.TemporaryFile() as printed:
        kept = {}
        for stream in (1, 2):
            with suppress(OSError):  # there may be no console
                kept[stream] = os.dup(stream)
        for console in (sys.stdout, sys.stderr):
            console.flush()
        try:
            for stream in kept:
                os.dup2(printed.fileno(), stream)
            yield printed
        finally:
            for stream, before in kept.items():
                os.dup2(before, stream)
                os.close(before)


def _reason(printed: IO[bytes]) -> str:
    """Find the first line that is no chatter."""
    printed.seek(0)
    lines = printed.read().decode(errors="replace").splitlines()
    reason = next((line.strip() for line in lines if not CHATTER.search(line)), "")
    return LEAD.sub("", reason)[:300]
