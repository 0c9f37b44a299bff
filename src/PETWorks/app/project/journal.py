"""The journal of a project: a line for each change, on disk before the change is shown.

A line is JSON: its number, the time, what was done, and the text of the policy after it. Undo and redo are lines, too,
and name the line whose text holds again; so they have no limit, and outlive restarts. A last line that is torn, because
the machine stopped while it was written, is dropped.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from io import RawIOBase
from pathlib import Path
from typing import Any

from PETWorks.app.project.change import Change
from PETWorks.errors import OutputError, PolicyError

FORMAT = 1
UNDO, REDO, NOTED = "undo", "redo", "noted"


@dataclass(frozen=True)
class Entry:
    """A line of the journal; `policy` is None if the line changes nothing."""

    number: int
    time: str
    change: Change
    policy: str | None
    moves: str = ""  # "undo" and "redo" go back and forth among the other lines; "noted" lines change nothing


class Journal:
    """The lines of a journal file; `past` and `future` are the lines that can be undone and redone."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.entries: list[Entry] = []
        self.past: list[Entry] = []
        self.future: list[Entry] = []
        self._changes = 0
        self.birth = ""  # tells journals apart
        whole = self._read()
        if whole is not None:  # a torn line follows
            with path.open("r+b") as file:
                file.truncate(whole)
                os.fsync(file.fileno())

    @property
    def revision(self) -> str:
        """The state of the project: how many lines changed it, and which journal it is."""
        return f"{self._changes}.{self.birth}"

    @property
    def policy(self) -> str | None:
        """The text of the policy that holds; None if there is none yet."""
        return self.past[-1].policy if self.past else None

    @property
    def recent(self) -> Sequence[Entry]:
        """The last lines, the newest first."""
        return self.entries[:-101:-1]

    def add(self, change: Change, policy: str) -> Entry:
        """Write a line for a change, which makes what was undone before impossible to redo."""
        return self._append(change, policy, "")

    def note(self, change: Change) -> Entry:
        """Write a line for something that changes no policy."""
        return self._append(change, None, NOTED)

    def undo(self) -> Entry | None:
        """Go back by one change, and return it; None if there is nothing to undo."""
        if len(self.past) < 2:  # noqa: PLR2004 (the first line makes the project)
            return None
        undone = self.past[-1]
        self._append(undone.change, self.past[-2].policy, UNDO)
        return undone

    def redo(self) -> Entry | None:
        """Do again what was undone last, and return it; None if there is nothing to redo."""
        if not self.future:
            return None
        again = self.future[-1]
        self._append(again.change, again.policy, REDO)
        return again

    def _append(self, change: Change, policy: str | None, moves: str) -> Entry:
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        entry = Entry(len(self.entries) + 1, now, change, policy, moves)
        line: dict[str, Any] = {"number": entry.number, "time": now, **change.to_dict(), "policy": policy}
        line |= {"moves": moves} if moves else {}
        if entry.number == 1:
            self.birth = os.urandom(4).hex()
            line |= {"format": FORMAT, "birth": self.birth}
        _write(self.path, json.dumps(line, ensure_ascii=False) + "\n", new=entry.number == 1)
        self._take(entry)
        return entry

    def _take(self, entry: Entry) -> None:
        self.entries.append(entry)
        self._changes += entry.moves != NOTED
        if entry.moves == UNDO:
            self.future.append(self.past.pop())
        elif entry.moves == REDO:
            self.past.append(self.future.pop())
        elif entry.moves != NOTED:
            self.past.append(entry)
            self.future.clear()

    def _read(self) -> int | None:
        """Read the lines; return how many bytes are whole if the last line is torn."""
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return None
        whole = 0
        for line in content.splitlines(keepends=True):
            if not (entry := self._entry(line)):
                break
            self._take(entry)
            whole += len(line)
        if content[whole:].count(b"\n") > 1:
            number = len(self.entries) + 1
            hint = "move the journal away, to go on with the policy as it is"
            raise PolicyError("not a line of a journal", where=f"{self.path.name}, line {number}", hint=hint)
        return whole if whole < len(content) else None

    def _entry(self, line: bytes) -> Entry | None:
        """Return a line that was read; None if it is not whole."""
        with suppress(ValueError, KeyError, TypeError, AttributeError):
            if not line.endswith(b"\n"):
                return None
            plain = json.loads(line)
            moves, number = plain.get("moves", ""), len(self.entries) + 1
            possible = {UNDO: len(self.past) > 1, REDO: bool(self.future), NOTED: bool(self.past), "": True}
            if plain["number"] != number or not possible[moves]:
                return None
            if number == 1:
                self.birth = str(plain["birth"])
            return Entry(number, str(plain["time"]), Change.of(plain), plain["policy"], moves)
        return None


def _write_all(file: RawIOBase, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[file.write(rest) or 0 :]


def _write(path: Path, line: str, *, new: bool) -> None:
    """Append a line, and wait until it is on disk. If that fails, nothing of it stays: a later line would follow it."""
    try:
        with path.open("ab", buffering=0) as file:
            before = file.tell()
            try:
                _write_all(file, line.encode())
                os.fsync(file.fileno())
            except OSError:
                file.truncate(before)
                raise
        if new and hasattr(os, "O_DIRECTORY"):  # the name of a new file is on disk only when its folder is
            folder = os.open(path.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
    except OSError as error:
        raise OutputError(f"cannot be written: {error.strerror or error}", where=str(path)) from error
