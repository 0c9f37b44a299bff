"""``--engine spark``: a Spark session for one command. It prints nothing and stops when the command ends."""

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
from PETWorks.tables.spark.errors import NO_JAVA, translate_errors
from PETWorks.tables.spark.files import SparkPath

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SUBMITTED = ("PYSPARK_GATEWAY_PORT", "SPARK_REMOTE", "MASTER")  # environment variables that tell Spark its master
CONNECT = "sc://"
PORTS = {"spark": 7077, "sc": 15002}  # default ports, by scheme
CONNECT_SECONDS = 10  # seconds to wait for the cluster to answer
READING = {
    "spark.sql.caseSensitive": "true",  # a file may have both a column n and a column N
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",  # keep year=007 as text, not as 7
}
QUIET = {"spark.ui.showConsoleProgress": "false", "spark.log.level": "OFF"}
SETTINGS = "check the settings of Spark: --master, spark-defaults.conf, PYSPARK_SUBMIT_ARGS"
LEAD = re.compile(r'^\S+: line \d+: |^Exception in thread "\w+" [\w.$]+: ')  # prefixes of shell and Java errors
CHATTER = re.compile(r"^WARNING|^Picked up|^Using |^Setting |^To adjust|^\d\d/\d\d/\d\d .* (?:WARN|INFO)|^:|^\s|^$")


def locate(path: str, options: argparse.Namespace) -> str:
    """Return the path for the engine that reads it: a `SparkPath` if that is Spark."""
    return SparkPath(path, options.spark) if options.spark else path


@contextmanager
def cluster(options: argparse.Namespace) -> Iterator[None]:
    """Set `options.spark` to a Spark session while a command runs."""
    if options.engine != "spark":
        hint = "add --engine spark, or leave --master out"
        raise ParameterError("--master names a Spark cluster, but the engine is not Spark", hint=hint)
    if getattr(options, "failing_rows", None):
        problem = "--failing-rows does not work with --engine spark: rows on a cluster have no row numbers"
        raise ParameterError(problem, hint="leave --failing-rows out, or use --engine embedded")
    try:
        import pyspark
    except ImportError as error:
        raise SourceError("Spark is not installed", hint='pip install "petworks[spark]"', figures={}) from error
    master = options.master or os.environ.get("SPARK_MASTER")
    if not master and not _is_configured(Path(pyspark.__file__).parent):
        hint = "pass --master spark://host:7077, yarn, k8s://… or sc://host; or local[2] to try it on this machine"
        raise ParameterError("--engine spark needs the address of a Spark cluster, and none is set", hint=hint)
    if master and not _is_reachable(master):
        hint = "check that the cluster is running, and that the address is right"
        raise SourceError("the cluster does not answer", where=master, hint=hint, figures={})
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module=r"pyspark\b")  # they are about packages that are not used here
        logging.disable(logging.CRITICAL)  # hides messages about interrupted jobs
        with _stop_at_interrupt(options) as begin:
            begin(_start_session(master))
            yield


@contextmanager
def _stop_at_interrupt(options: argparse.Namespace) -> Iterator[Callable[[SparkSession], None]]:
    """Stop Spark at the end, and at once at Ctrl-C; a Ctrl-C before Spark has started takes effect when it has."""
    noted: list[bool] = []

    def interrupt(*_: object) -> None:
        noted.append(True)
        if options.spark:
            if java := _find_java(options.spark):
                java.terminate()
            raise KeyboardInterrupt

    def begin(session: SparkSession) -> None:
        options.spark = session
        signal.signal(signal.SIGINT, interrupt)  # replaces Spark's own handler, which waits for its jobs
        if noted:
            interrupt()

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield begin
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        if noted and (java := _find_java(options.spark)):
            java.wait()
        elif options.spark:
            with suppress(SourceError), translate_errors("Spark"):  # the session may have ended already
                options.spark.stop()
        signal.signal(signal.SIGINT, before)
        if noted:
            raise KeyboardInterrupt


def _find_java(session: Any) -> Popen[bytes] | None:  # noqa: ANN401 (a session of Spark Connect has no such parts)
    """Return the Java process of a session; None if it was not started here."""
    return getattr(getattr(getattr(session, "_sc", None), "_gateway", None), "proc", None)


def _is_configured(home: Path) -> bool:
    """Return True if spark-submit, the environment or Spark's own settings name a cluster."""
    submitted = any(os.environ.get(name) for name in SUBMITTED)
    arguments = os.environ.get("PYSPARK_SUBMIT_ARGS", "")
    folder = os.environ.get("SPARK_CONF_DIR") or Path(os.environ.get("SPARK_HOME") or home) / "conf"
    try:
        defaults = (Path(folder) / "spark-defaults.conf").read_text(encoding="utf-8", errors="replace")
    except OSError:
        defaults = ""
    by_file = re.search(r"^\s*spark\.(?:master|remote)\b", defaults, re.MULTILINE)
    return submitted or "master" in arguments or by_file is not None


def _is_reachable(master: str) -> bool:
    """Return True if the address of a cluster accepts a connection, because Spark itself would retry for minutes."""
    kind, _, rest = master.partition("://")
    for address in re.split("[/;]", rest)[0].split(",") if kind in PORTS else ():
        host, _, port = address.rpartition(":") if re.search(r":\d+$", address) else (address, "", PORTS[kind])
        with suppress(OSError):
            socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()
            return True
    return kind not in PORTS


def _start_session(master: str | None) -> SparkSession:
    from pyspark.sql import SparkSession

    builder: Any = SparkSession.builder.appName("petworks")
    if master and master.startswith(CONNECT):
        settings, builder = READING, builder.remote(master)
    else:
        settings, builder = READING | QUIET, builder.master(master) if master else builder
    for name, value in settings.items():
        builder = builder.config(name, value)
    with _mute_output() as printed:
        try:
            with translate_errors(master or "Spark"):
                session: SparkSession = builder.getOrCreate()
                _ = session.version  # forces Spark Connect to connect now
        except SourceError as error:
            if error.problem == NO_JAVA and (reason := _find_reason(printed)):
                hint = error.hint if "java" in reason.casefold() else SETTINGS
                raise SourceError(f"Spark could not be started: {reason}", hint=hint) from error
            raise
    return session


@contextmanager
def _mute_output() -> Iterator[IO[bytes]]:
    """Redirect standard output and error to a temporary file, also for processes that are started meanwhile."""
    with tempfile.TemporaryFile() as printed:
        kept = {}
        for stream in (1, 2):
            with suppress(OSError):  # the stream may be closed, if there is no console
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


def _find_reason(printed: IO[bytes]) -> str:
    """Return the first line that is an error rather than a routine message of Spark."""
    printed.seek(0)
    lines = printed.read().decode(errors="replace").splitlines()
    reason = next((line.strip() for line in lines if not CHATTER.search(line)), "")
    return LEAD.sub("", reason)[:300]
