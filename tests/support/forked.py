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
from itertools import count
from pathlib import Path

from support.app import Process
from support.process import PLAIN

PARENT = """
import importlib, json, os, pkgutil, signal, sys
import PETWorks.app.screens, PETWorks.app.serve, PETWorks.app.starting, pyarrow.csv
from PETWorks.cli import main
for screen in pkgutil.iter_modules(PETWorks.app.screens.__path__, "PETWorks.app.screens."):
    importlib.import_module(screen.name)
signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # children that ended are gone at once
for line in sys.stdin:
    arguments, folder, printed, told = json.loads(line)
    if child := os.fork():
        print(child, flush=True)
        continue
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.chdir(folder)
    for path, stream in ((printed, sys.stdout), (told, sys.stderr)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream.fileno())
    sys.exit(main(arguments))
"""


class Parent:
    """A process that starts others. What these print is in files of a folder, which is not that of any test."""

    def __init__(self, folder: Path) -> None:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "encoding": "utf-8"}
        environment = PLAIN | {"PETWORKS_LANG": "en"}
        self.process = subprocess.Popen([sys.executable, "-c", PARENT], cwd=folder, env=environment, **pipes)
        self._folder, self._number = folder, count(1)

    def fork(self, *arguments: str, cwd: Path) -> tuple[int, Path, Path]:
        """Start `petworks` with these arguments; return the number of the process, and the files that it writes to."""
        number = next(self._number)
        printed, told = self._folder / f"printed {number}", self._folder / f"told {number}"
        print(json.dumps([arguments, *map(str, (cwd, printed, told))]), file=self.process.stdin, flush=True)
        return int(self.process.stdout.readline()), printed, told


class Forked(Process):
    """The application in a child of a parent."""

    def __init__(self, parent: Parent, *arguments: object, cwd: Path, enter: bool = True) -> None:
        self.pid, printed, told = parent.fork("app", "--no-browser", *map(str, arguments), cwd=cwd)
        end = time.monotonic() + 30
        while not (printed.exists() and (url := printed.read_text()).endswith("\n")):
            assert self.sent(0), f"it ended before it printed its address: {told.read_text()}"
            assert time.monotonic() < end
            time.sleep(0.005)
        self.reach(url.strip(), enter=enter)

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
def parent(folder: Path) -> Iterator[Parent]:
    """Start a parent, and stop it at the end."""
    one = Parent(folder)
    try:
        yield one
    finally:
        one.process.kill()
        one.process.communicate()


@contextmanager
def forked(starting: Parent, *arguments: object, cwd: Path, **options: bool) -> Iterator[Forked]:
    """Start the command from a parent, and stop it at the end."""
    one = Forked(starting, *arguments, cwd=cwd, **options)
    try:
        yield one
    finally:
        one.kill()
