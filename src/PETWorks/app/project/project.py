"""The folder of a project: opened by one process at a time, changed line by line of its journal."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import RLock

from PETWorks.app.project.change import Change
from PETWorks.app.project.draft import Draft
from PETWorks.app.project.journal import Entry, Journal
from PETWorks.app.project.lock import FolderLock
from PETWorks.errors import PolicyError
from PETWorks.render.atomic_write import write_whole

POLICY, JOURNAL, HIDDEN = "policy.toml", "journal.jsonl", ".petworks"


class StaleError(Exception):
    """A form that was sent knows an older state of the project: another window, or program, changed it."""


class Project:
    """A folder with a policy and its journal. Every change is on disk when its method returns.

    `check` raises an error for a policy that somebody else wrote, and that may not be used.
    """

    def __init__(self, folder: Path, check: Callable[[Draft], None] | None = None) -> None:
        self.folder = folder
        self._check = check or (lambda _: None)
        self.lock = RLock()
        self.problem: PolicyError | None = None  # what is wrong with the file; the last good state holds meanwhile
        (folder / HIDDEN).mkdir(exist_ok=True)
        self._held = FolderLock(folder / HIDDEN / "lock")
        try:
            self._journal = Journal(folder / JOURNAL)
            self._seen: tuple[int, int, int] | None = None
            self._settle()
        except BaseException:
            self._held.release()
            raise

    @classmethod
    def create(cls, folder: Path, draft: Draft, change: Change) -> Project:
        """Make a project in a folder, which may exist, if it has neither policy nor journal."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / HIDDEN).mkdir(exist_ok=True)
        held = FolderLock(folder / HIDDEN / "lock")
        try:
            Journal(folder / JOURNAL).add(change, draft.text())
        finally:
            held.release()
        return cls(folder)

    def close(self) -> None:
        """Let another process have the folder."""
        self._held.release()

    @property
    def path(self) -> Path:
        """The policy file."""
        return self.folder / POLICY

    @property
    def draft(self) -> Draft:
        """The policy, as far as it is decided."""
        return self._draft

    @property
    def text(self) -> str:
        """The policy as it is written, with its comments."""
        return self._journal.policy or ""

    @property
    def before(self) -> str:
        """The policy before the last change that is not undone."""
        return self._journal.past[-2].policy or "" if len(self._journal.past) > 1 else ""

    @property
    def revision(self) -> str:
        """The state that forms must know."""
        return self._journal.revision

    @property
    def journal(self) -> Journal:
        """The journal, to be read."""
        return self._journal

    def apply(self, revision: str, change: Change, draft: Draft, text: str = "") -> Entry | None:
        """Write a change down, if the caller knows the present state; a change of nothing is not written."""
        with self.lock:
            self.require(revision)
            text = text or draft.text()
            if text == self.text:
                return None
            entry = self._journal.add(change, text)
            self._draft = draft
            self._write_policy()
            return entry

    def note(self, change: Change) -> None:
        """Write down something that changes no policy."""
        with self.lock:
            self._journal.note(change)

    def undo(self, revision: str) -> Entry | None:
        """Take the last change back, and return it; None if there is none."""
        return self._moved(revision, back=True)

    def redo(self, revision: str) -> Entry | None:
        """Do the last change that was undone again, and return it; None if there is none."""
        return self._moved(revision, back=False)

    def _moved(self, revision: str, *, back: bool) -> Entry | None:
        with self.lock:
            self.require(revision)
            entry = self._journal.undo() if back else self._journal.redo()
            if entry:
                self._draft = Draft.read(self.text, POLICY)
                self._write_policy()
            return entry

    def require(self, revision: str) -> None:
        """Raise an error if the project is in another state than the caller knows."""
        self.refresh()
        if revision != self.revision:
            raise StaleError

    def refresh(self) -> None:
        """Take over what another program wrote to the policy since it was read."""
        with self.lock:
            if _stamp(self.path) != self._seen:
                self._settle()

    def _settle(self) -> None:
        """Bring policy and journal together: the journal's text is written again, or the file's text is taken over."""
        known, found = self._journal.policy, _text(self.path)
        self._seen, self.problem = _stamp(self.path), None
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
        """Return True if the file has the text before the last line: the process ended before it wrote the policy."""
        policies = [entry.policy for entry in self._journal.entries if entry.policy is not None]
        return self._seen_at_start and len(policies) > 1 and found == policies[-2]

    @property
    def _seen_at_start(self) -> bool:
        return not hasattr(self, "_draft")

    def _write_policy(self) -> None:
        write_whole(self.path, self.text)
        self.problem = None
        self._seen = _stamp(self.path)


def _text(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise PolicyError("the file is not UTF-8", where=path.name, hint="save it as UTF-8") from error


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
