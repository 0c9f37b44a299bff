"""Tables that arrive through a pipe: ``cat table.csv | petworks evaluate /dev/stdin``, or ``<(zcat table.csv.gz)``.

A table is read more than once, first its header and then its rows. So what arrives is first copied to a temporary file.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import IO

from PETWorks.errors import SourceError
from PETWorks.sources.decoding import unreadable

PATIENCE = 10.0  # seconds to wait for a program that writes to the pipe
PAUSE = 0.05  # seconds between two looks at the pipe
OWN_FILES = Path("/proc/self/fd")  # Linux: by these paths, a file can be opened again that has no name any more


def is_pipe(path: Path) -> bool:
    """Return True for a pipe, a terminal or another device: it can be read only once."""
    with suppress(OSError, ValueError):
        mode = path.stat().st_mode
        return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)
    return False


def copied(path: Path) -> tuple[IO[bytes], Path]:
    """Copy what arrives to a temporary file; return the file, to be kept open, and a path by which it can be read."""
    try:
        pipe = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        raise unreadable(error, str(path)) from error
    with open(pipe, "rb", buffering=0) as arriving:  # noqa: PTH123 (a handle, not a path)
        first = _first_bytes(pipe, path)
        os.set_blocking(pipe, True)
        try:
            copy = tempfile.TemporaryFile() if OWN_FILES.exists() else tempfile.NamedTemporaryFile()  # noqa: SIM115
            copy.write(first)
            shutil.copyfileobj(arriving, copy)
            copy.flush()
        except OSError as error:
            problem = f"what arrives cannot be copied to {tempfile.gettempdir()}: {error.strerror or error}"
            hint = "free space on that disk, or set TMPDIR to another folder"
            raise SourceError(problem, where=str(path), hint=hint) from error
    return copy, OWN_FILES / str(copy.fileno()) if OWN_FILES.exists() else Path(copy.name)


def _first_bytes(pipe: int, path: Path) -> bytes:
    """Return what can be read; raise an error if no program writes to the pipe within PATIENCE seconds."""
    begun = time.monotonic()
    while True:
        try:
            if (found := os.read(pipe, 2**16)) or not stat.S_ISFIFO(os.fstat(pipe).st_mode):
                return found
        except BlockingIOError:  # a program has opened the pipe, and writes nothing yet: wait for it without limit
            return b""
        if time.monotonic() - begun > PATIENCE:
            problem = f"no program wrote anything to this pipe within {PATIENCE:.0f} seconds"
            raise SourceError(problem, where=str(path), hint="start the program that writes to it")
        time.sleep(PAUSE)
