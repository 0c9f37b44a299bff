"""A lock that one process at a time holds; the system takes it back when the process ends, however it ends."""

from __future__ import annotations

import os
from pathlib import Path

from PETWorks.errors import OutputError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


class FolderLock:
    """The lock of a project's folder; an error says so if another process has it."""

    def __init__(self, path: Path) -> None:
        self._file: int | None = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _take(self._file)
        except OSError as error:
            self.release()
            hint = "use its window, or stop it first: Ctrl-C where petworks app was started"
            raise OutputError(
                "another petworks app has this project open", where=str(path.parents[1]), hint=hint
            ) from error

    def release(self) -> None:
        """Let others have it."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _take(file: int) -> None:
    if fcntl:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    else:
        import msvcrt

        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
