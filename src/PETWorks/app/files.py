"""The file browser, which lists the files that may be opened, and the state of the running application.

Only files below one folder may be opened, after links are resolved. Addresses hold numbers of files, never paths.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from secrets import token_urlsafe
from threading import Lock
from typing import Any, NamedTuple

from markupsafe import Markup
from starlette.requests import Request

from PETWorks.app.project.draft import SCREENS
from PETWorks.app.project.folder import JOURNAL, POLICY
from PETWorks.app.session import Session
from PETWorks.errors import MissingFileError, PETWorksError, SourceError, did_you_mean
from PETWorks.presentation import Language
from PETWorks.tables.formats import GZIP_ENDING, load_own_formats

TABLES = frozenset([GZIP_ENDING, *(ending for one in load_own_formats().values() for ending in one.endings)])
MAX_LISTED = 300  # most entries of a folder that are shown
MAX_DEPTH = 2  # folders below the root in which projects are looked for
MAX_SCANNED = 400  # most folders that are looked into for them
MAX_PROJECTS = 12  # most projects that are shown


class OutsideError(SourceError):
    """A file outside the folder that the application was started with."""


class FileEntry(NamedTuple):
    """A file or folder that can be opened."""

    name: str
    number: int
    size: int = 0
    changed: datetime | None = None
    place: str = ""  # its folder, relative to the root


class FolderListing(NamedTuple):
    """The contents of a folder."""

    name: str  # relative to the root; "" for the root itself
    number: int
    above: int | None  # the number of the folder above; None for the root
    folders: list[FileEntry]
    projects: list[FileEntry]
    tables: list[FileEntry]
    others: int  # files of other kinds, and links that lead outside
    left_out: int  # entries beyond those that are shown


class FileBrowser:
    """Lists and resolves the files below one folder. Numbers stay valid while the application runs."""

    def __init__(self, root: Path, *also: Path) -> None:
        self.root = root.resolve()
        self._also = [one.resolve() for one in also]  # named on the command line
        self._numbers: dict[Path, int] = {self.root: 0}
        self._paths = [self.root]
        self._lock = Lock()

    def allow(self, path: Path) -> None:
        """Allow a file or folder that was named on the command line."""
        self._also.append(path.resolve())

    def find_by_number(self, number: int) -> Path:
        """Return the file or folder with this number, if it is still below the root."""
        if not 0 <= number < len(self._paths):
            raise MissingFileError("there is no such file", hint="choose it again")
        return self.resolve_allowed(self._paths[number])

    def find_by_path(self, text: str) -> Path:
        """Return the file or folder that a user typed, relative to the root."""
        if "\0" in text or not text.strip():
            raise MissingFileError("there is no such file", hint="type the name of a file")
        try:
            path = self.resolve_allowed(self.root / text.strip())
            found, near_by = path.exists(), path.parent.is_dir()
        except OSError as error:  # a name that is too long
            if isinstance(error, PETWorksError):
                raise
            hint = "type the name of a file"
            raise MissingFileError("there is no such file", where=f"{text.strip()[:80]}…", hint=hint) from error
        if not found:
            near = [one.name for one in path.parent.iterdir()] if near_by else []
            raise MissingFileError("there is no such file", where=text.strip(), hint=did_you_mean(path.name, near))
        return path

    def resolve_allowed(self, path: Path) -> Path:
        """Return a path with links resolved; raise an error if it leads outside the root."""
        try:
            real = path.resolve()
        except (OSError, RuntimeError, ValueError) as error:  # links that lead in a circle
            raise MissingFileError("there is no such file", where=path.name) from error
        if not any(real == one or one in real.parents for one in (self.root, *self._also)):
            hint = "start petworks app with --root and a folder that holds it"
            raise OutsideError("this is not below the folder that was given at the start", where=path.name, hint=hint)
        return real

    def list_folder(self, number: int = 0) -> FolderListing:
        """Return the contents of a folder."""
        folder = self.find_by_number(number)
        folders, projects, tables = list[FileEntry](), list[FileEntry](), list[FileEntry]()
        others = left_out = 0
        for entry in self._scan(folder):
            if len(folders) + len(projects) + len(tables) >= MAX_LISTED:
                left_out += 1
            elif (found := self._make_entry(entry)) is None:
                others += 1
            elif entry.is_dir():
                (projects if _is_project(Path(entry.path)) else folders).append(found)
            else:
                tables.append(found)
        place = folder.relative_to(self.root) if folder != self.root else Path()
        above = None if folder == self.root else self.get_number(folder.parent)
        return FolderListing(
            str(place) if place.parts else "", number, above, folders, projects, tables, others, left_out
        )

    def list_projects(self) -> list[FileEntry]:
        """Return the projects in and below the root, last changed first."""
        found, looked, waiting = list[FileEntry](), 0, [(self.root, 0)]
        while waiting and looked < MAX_SCANNED:
            folder, depth = waiting.pop(0)
            looked += 1
            for entry in self._scan(folder):
                if entry.is_dir(follow_symlinks=False):
                    path = Path(entry.path)
                    if (journal := path / JOURNAL).is_file():
                        changed = datetime.fromtimestamp(journal.stat().st_mtime).astimezone()
                        place = path.parent.relative_to(self.root).as_posix()
                        found.append(
                            FileEntry(path.name, self.get_number(path), 0, changed, "" if place == "." else place)
                        )
                    elif depth < MAX_DEPTH:
                        waiting.append((path, depth + 1))
        return sorted(found, key=lambda one: -one.changed.timestamp() if one.changed else 0.0)[:MAX_PROJECTS]

    def _scan(self, folder: Path) -> Iterator[os.DirEntry[str]]:
        """Yield the entries of a folder by name; none if a folder below the root cannot be read."""
        try:
            with os.scandir(folder) as entries:
                yield from sorted(
                    (one for one in entries if not one.name.startswith(".")), key=lambda one: one.name.casefold()
                )
        except OSError as error:
            if folder == self.root:
                raise SourceError(f"the folder cannot be read: {error.strerror or error}", where=folder.name) from error

    def _make_entry(self, entry: os.DirEntry[str]) -> FileEntry | None:
        """Return an entry; None if it is neither a table nor a folder, or leads outside."""
        path = Path(entry.path)
        try:
            self.resolve_allowed(path)
            if entry.is_dir():
                return FileEntry(entry.name, self.get_number(path))
            if entry.is_file() and path.suffix.casefold() in TABLES:
                return FileEntry(entry.name, self.get_number(path), entry.stat().st_size)
        except (OSError, SourceError):
            return None
        return None

    def get_number(self, path: Path) -> int:
        """Return the number of a file or folder; assign one if it has none."""
        with self._lock:
            if path not in self._numbers:
                self._numbers[path] = len(self._paths)
                self._paths.append(path)
            return self._numbers[path]


def _is_project(folder: Path) -> bool:
    return (folder / JOURNAL).is_file() or (folder / POLICY).is_file()


STEP_NAMES = SCREENS  # the steps


class StepState(NamedTuple):
    """The state of a step in the bar of steps: True if it is done, and a few words."""

    done: bool
    words: Markup = Markup()


class Screen(NamedTuple):
    """A screen in the bar of steps."""

    number: int
    name: str
    address: str
    title: Markup
    state: StepState


StepDescriber = Callable[[Session, Callable[..., Markup]], StepState]


@dataclass
class RunningApplication:
    """The state of the running application, which has at most one open project."""

    browser: FileBrowser
    language: Language = "en"
    memory: Mapping[str, Any] = field(default_factory=dict)
    session: Session | None = None
    describers: Mapping[str, StepDescriber] = field(default_factory=dict)  # by name of the screen
    _small: dict[str, str] = field(default_factory=dict)  # pages that show small figures, by the token in their address

    def steps(self, session: Session | None, say: Callable[..., Markup]) -> Sequence[Screen]:
        """Return the bar of steps."""
        steps = []
        for number, name in enumerate(STEP_NAMES, 1):
            state = StepState(done=False)
            if session and name in self.describers:
                with suppress(PETWorksError):  # the table cannot be read; its screen shows why
                    state = self.describers[name](session, say)
            steps.append(Screen(number, name, "/" if number == 1 else f"/{name}", say(f"frame_step_{name}"), state))
        return steps

    def close(self) -> None:
        """Close the project."""
        if self.session:
            self.session.close()
        self.session = None

    def show_small(self, path: str) -> str:
        """Allow a page to show figures of fewer than five people; return the token for its address."""
        word = token_urlsafe(12)
        self._small[word] = path
        return word

    def shows_small(self, request: Request) -> bool:
        """Return True if a page may show figures of fewer than five people; a request for any other page ends that."""
        word = request.query_params.get("small") or request.headers.get("x-small", "")
        if request.headers.get("x-fragments") == "1":
            return word in self._small
        for other in [one for one in self._small if one != word]:
            del self._small[other]
        return self._small.get(word) == request.url.path
