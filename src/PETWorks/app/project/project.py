"""The project: a folder with a policy, its journal of changes, and a lock for one process at a time.

The journal has one JSON line for each change: its number, the time, what was done, and the text of the policy after it.
The line is on disk before the change is shown. Undo and redo are lines, too: they are unlimited and survive restarts.
An incomplete last line, from a machine that stopped while writing, is dropped; a file that is no journal stays
unchanged. The operating system releases the lock when the process ends.

A project that the user does not trust is opened read-only: neither its folder nor its journal changes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from io import RawIOBase
from pathlib import Path
from threading import RLock
from typing import Any

from PETWorks.app.project.draft import Change, Draft
from PETWorks.app.project.folder import JOURNAL, POLICY, PRIVATE_FOLDER, open_file, read_file
from PETWorks.errors import OutputError, PolicyError
from PETWorks.render.atomic_write import sweep_parts, write_whole

FORMAT = 1
FIRST = b'{"number": 1, "time": "'  # every journal begins so
UNDO, REDO, NOTED = "undo", "redo", "noted"


@dataclass(frozen=True)
class JournalEntry:
    """A line of the journal; `policy` is None if the line changes nothing."""

    number: int
    time: str
    change: Change
    policy: str | None
    moves: str = ""  # "undo", "redo", "noted" (changes no policy), or "" for a change


class Journal:
    """The lines of a journal file; `past` and `future` are the lines that can be undone and redone.

    Without `kept`, the file is only read, and new lines stay in memory.
    """

    def __init__(self, path: Path, *, kept: bool = True) -> None:
        self.path = path
        self._kept = kept
        self.entries: list[JournalEntry] = []
        self.past: list[JournalEntry] = []
        self.future: list[JournalEntry] = []
        self._changes = 0
        self.journal_id = ""  # random; distinguishes journals
        whole = self._read()
        if whole is not None and kept:  # an incomplete line follows
            with os.fdopen(open_file(path, os.O_RDWR), "r+b") as file:
                file.truncate(whole)
                os.fsync(file.fileno())

    @property
    def revision(self) -> str:
        """The revision of the project: its number of changes and the journal's id."""
        return f"{self._changes}.{self.journal_id}"

    @property
    def policy(self) -> str | None:
        """The text of the current policy; None if there is none yet."""
        return self.past[-1].policy if self.past else None

    @property
    def recent(self) -> Sequence[JournalEntry]:
        """The last 100 lines, newest first."""
        return self.entries[:-101:-1]

    def add(self, change: Change, policy: str) -> JournalEntry:
        """Write a line for a change; undone changes can no longer be redone."""
        return self._append(change, policy, "")

    def note(self, change: Change) -> JournalEntry:
        """Write a line for an event that changes no policy."""
        return self._append(change, None, NOTED)

    def undo(self) -> JournalEntry | None:
        """Undo the last change and return it; None if there is nothing to undo."""
        if len(self.past) < 2:  # noqa: PLR2004 (the first line makes the project)
            return None
        undone = self.past[-1]
        self._append(undone.change, self.past[-2].policy, UNDO)
        return undone

    def redo(self) -> JournalEntry | None:
        """Redo the change that was undone last and return it; None if there is nothing to redo."""
        if not self.future:
            return None
        again = self.future[-1]
        self._append(again.change, again.policy, REDO)
        return again

    def _append(self, change: Change, policy: str | None, moves: str) -> JournalEntry:
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        entry = JournalEntry(len(self.entries) + 1, now, change, policy, moves)
        line: dict[str, Any] = {"number": entry.number, "time": now, **change.to_dict(), "policy": policy}
        line |= {"moves": moves} if moves else {}
        if self._kept:
            if entry.number == 1:
                self.journal_id = os.urandom(4).hex()
                line |= {"format": FORMAT, "birth": self.journal_id}
            _append_line(self.path, json.dumps(line, ensure_ascii=False) + "\n", new=entry.number == 1)
        self._apply_entry(entry)
        return entry

    def _apply_entry(self, entry: JournalEntry) -> None:
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
        """Read the lines; if the last one is incomplete, return the size of the complete lines in bytes."""
        content = read_file(self.path) or b""
        if not content.startswith(FIRST[: len(content)]):
            hint = "move it away; nothing in it was changed"
            raise PolicyError("this is no journal", where=self.path.name, hint=hint)
        whole = 0
        for line in content.splitlines(keepends=True):
            if not (entry := self._parse_line(line)):
                break
            self._apply_entry(entry)
            whole += len(line)
        if content[whole:].count(b"\n") > 1:
            number = len(self.entries) + 1
            hint = "move the journal away, to go on with the policy as it is"
            raise PolicyError("not a line of a journal", where=f"{self.path.name}, line {number}", hint=hint)
        return whole if whole < len(content) else None

    def _parse_line(self, line: bytes) -> JournalEntry | None:
        """Return the entry of a line; None if the line is incomplete."""
        with suppress(ValueError, KeyError, TypeError, AttributeError):
            if not line.endswith(b"\n"):
                return None
            plain = json.loads(line)
            moves, number = plain.get("moves", ""), len(self.entries) + 1
            possible = {UNDO: len(self.past) > 1, REDO: bool(self.future), NOTED: bool(self.past), "": True}
            if plain["number"] != number or not possible[moves]:
                return None
            if number == 1:
                self.journal_id = str(plain["birth"])
            return JournalEntry(number, str(plain["time"]), Change.of(plain), plain["policy"], moves)
        return None


def _write_all(file: RawIOBase, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[file.write(rest) or 0 :]


def _append_line(path: Path, line: str, *, new: bool) -> None:
    """Append a line and wait until it is on disk. If that fails, remove the part that was written."""
    try:
        with os.fdopen(open_file(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT), "ab", buffering=0) as file:
            before = os.fstat(file.fileno()).st_size
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


try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


class FolderLock:
    """The lock of a project's folder; raises an error if another process holds it."""

    def __init__(self, path: Path) -> None:
        self._file: int | None = open_file(path, os.O_RDWR | os.O_CREAT)
        try:
            _lock_file(self._file)
        except OSError as error:
            self.release()
            hint = "use its window, or stop it first: Ctrl-C where petworks app was started"
            raise OutputError(
                "another petworks app has this project open", where=str(path.parents[1]), hint=hint
            ) from error

    def release(self) -> None:
        """Release the lock."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _lock_file(file: int) -> None:
    if fcntl:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    else:
        import msvcrt

        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]


class UntrustedError(Exception):
    """A change of a project that the user does not trust."""


class StaleError(Exception):
    """A form with an older revision: another window or program changed the project."""


class Project:
    """A folder with a policy and its journal. Every change is on disk when its method returns.

    `check` raises an error if a policy that another program wrote may not be used. A project that is not `trusted` is
    only read.
    """

    def __init__(self, folder: Path, check: Callable[[Draft], None] | None = None, *, trusted: bool = True) -> None:
        self.folder = folder
        self.trusted = trusted
        self._check = check or (lambda _: None)
        self.lock = RLock()
        self.problem: PolicyError | None = None  # of the policy file; the last valid policy is used meanwhile
        self._folder_lock = _lock_folder(folder) if trusted else None
        try:
            if trusted:
                sweep_parts(folder)
            self._journal = Journal(folder / JOURNAL, kept=trusted)
            self._seen: tuple[int, int, int] | None = None
            self._reconcile()
        except BaseException:
            self.close()
            raise

    @classmethod
    def create(cls, folder: Path, draft: Draft, change: Change) -> Project:
        """Create a project in a folder, which may exist if it has neither a policy nor a journal."""
        folder.mkdir(parents=True, exist_ok=True)
        folder_lock = _lock_folder(folder)
        try:
            Journal(folder / JOURNAL).add(change, draft.text())
        finally:
            folder_lock.release()
        return cls(folder)

    def close(self) -> None:
        """Release the folder."""
        if self._folder_lock:
            self._folder_lock.release()

    @property
    def path(self) -> Path:
        """The policy file."""
        return self.folder / POLICY

    @property
    def draft(self) -> Draft:
        """The policy, which may be incomplete."""
        return self._draft

    @property
    def text(self) -> str:
        """The text of the policy, with its comments."""
        return self._journal.policy or ""

    @property
    def previous_text(self) -> str:
        """The text of the policy before the last change that is not undone."""
        return self._journal.past[-2].policy or "" if len(self._journal.past) > 1 else ""

    @property
    def revision(self) -> str:
        """The revision that a form must send."""
        return self._journal.revision

    @property
    def journal(self) -> Journal:
        """The journal, for reading only."""
        return self._journal

    def apply(self, revision: str, change: Change, draft: Draft, text: str = "") -> JournalEntry | None:
        """Write a change if the caller has the current revision; write nothing if the text stays the same."""
        with self.lock:
            self.require_revision(revision)
            text = text or draft.text()
            if text == self.text:
                return None
            entry = self._journal.add(change, text)
            self._draft = draft
            self._write_policy()
            return entry

    def note(self, change: Change) -> None:
        """Write an event that changes no policy to the journal."""
        with self.lock:
            self._journal.note(change)

    def undo(self, revision: str) -> JournalEntry | None:
        """Undo the last change and return it; None if there is none."""
        return self._move(revision, back=True)

    def redo(self, revision: str) -> JournalEntry | None:
        """Redo the change that was undone last and return it; None if there is none."""
        return self._move(revision, back=False)

    def _move(self, revision: str, *, back: bool) -> JournalEntry | None:
        with self.lock:
            self.require_revision(revision)
            entry = self._journal.undo() if back else self._journal.redo()
            if entry:
                self._draft = Draft.read(self.text, POLICY)
                self._write_policy()
            return entry

    def require_revision(self, revision: str) -> None:
        """Raise `StaleError` if the caller has another revision, `UntrustedError` if the project is only read."""
        if not self.trusted:
            raise UntrustedError
        self.refresh()
        if revision != self.revision:
            raise StaleError

    def refresh(self) -> None:
        """Read the policy again if another program changed it."""
        with self.lock:
            if _read_stamp(self.path) != self._seen:
                self._reconcile()

    def _reconcile(self) -> None:
        """Make policy and journal agree: take over the text of the file, or write the text of the journal again."""
        known, found = self._journal.policy, _read_text(self.path)
        self._seen, self.problem = _read_stamp(self.path), None
        if known is None and found is None:
            raise PolicyError("this folder is no project: it has no policy", where=str(self.folder))
        if found is not None and found != known and not self._is_older(found):
            try:
                draft = Draft.read(found, POLICY)
                self._check(draft)
                self._draft = draft
            except PolicyError as error:
                if known is None:
                    raise
                self.problem = error
                self._draft = Draft.read(known, POLICY)
                return
            self._journal.add(Change("open_outside" if known is not None else "open_found"), found)
            return
        draft = Draft.read(known or "", POLICY)
        self._check(draft)
        self._draft = draft
        if found != known:
            self._write_policy()

    def _is_older(self, found: str) -> bool:
        """Return True if the file has the text before the last change: the process ended before it wrote the policy."""
        policies = [entry.policy for entry in self._journal.entries if entry.policy is not None]
        return self._is_starting and len(policies) > 1 and found == policies[-2]

    @property
    def _is_starting(self) -> bool:
        return not hasattr(self, "_draft")

    def _write_policy(self) -> None:
        if self.trusted:
            write_whole(self.path, self.text, below=self.folder)
        self.problem = None
        self._seen = _read_stamp(self.path)


def _lock_folder(folder: Path) -> FolderLock:
    private = folder / PRIVATE_FOLDER
    if private.is_symlink():
        raise PolicyError("cannot be used: it is a symbolic link", where=PRIVATE_FOLDER, hint="delete the link")
    private.mkdir(exist_ok=True)
    return FolderLock(private / "lock")


def _read_text(path: Path) -> str | None:
    try:
        content = read_file(path)
        return None if content is None else content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PolicyError("the file is not UTF-8", where=path.name, hint="save it as UTF-8") from error


def _read_stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.lstat()
    except FileNotFoundError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
