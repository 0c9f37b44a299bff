"""The application in processes of its own that start at once: forked from one that has loaded everything."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.running import Process
from support.process import PLAIN

PARENT = """
import importlib, json, os, pkgutil, signal, sys
import PETWorks.app.screens, PETWorks.app.serve, PETWorks.app.open_project, pyarrow.csv
from PETWorks.cli import main
for screen in pkgutil.iter_modules(PETWorks.app.screens.__path__, "PETWorks.app.screens."):
    importlib.import_module(screen.name)
signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # children that ended are gone at once
for line in sys.stdin:
    arguments, printed = json.loads(line)
    if child := os.fork():
        print(child, flush=True)
        continue
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.dup2(os.open(printed, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), sys.stdout.fileno())
    sys.exit(main(arguments))
"""


class Parent:
    """A process that starts others."""

    def __init__(self, cwd: Path) -> None:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "encoding": "utf-8"}
        environment = PLAIN | {"PETWORKS_LANG": "en"}
        self.process = subprocess.Popen([sys.executable, "-c", PARENT], cwd=cwd, env=environment, **pipes)
        self.printed = cwd / "printed"

    def fork(self, *arguments: str) -> int:
        """Start `petworks` with these arguments; return the number of the process."""
        self.printed.unlink(missing_ok=True)
        print(json.dumps([arguments, str(self.printed)]), file=self.process.stdin, flush=True)
        return int(self.process.stdout.readline())


class Forked(Process):
    """The application in a child of a parent."""

    def __init__(self, parent: Parent, table: Path) -> None:
        self.pid = parent.fork("app", "--no-browser", str(table))
        end = time.monotonic() + 30
        while not (parent.printed.exists() and (url := parent.printed.read_text()).endswith("\n")):
            assert self.sent(0), "it ended before it printed its address"
            assert time.monotonic() < end
            time.sleep(0.005)
        self.reach(url.strip())

    def sent(self, number: int) -> bool:
        """Send a signal, or 0 for none; return False if the process is gone."""
        try:
            os.kill(self.pid, number)
        except ProcessLookupError:
            return False
        return True

    def kill(self) -> None:
        """Kill the process, and wait until it is gone."""
        while self.sent(signal.SIGKILL):
            time.sleep(0.001)


@contextmanager
def parent(cwd: Path) -> Iterator[Parent]:
    """Start a parent, and stop it at the end."""
    one = Parent(cwd)
    try:
        yield one
    finally:
        one.process.kill()
        one.process.communicate()
