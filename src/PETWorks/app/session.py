"""The session: the open project and a cache of derived results, keyed by their inputs.

Long computations are `Work`: they run in a thread, report their progress, and can be stopped.
"""

from __future__ import annotations

import json
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path
from threading import Event, Lock, RLock, Thread
from typing import Any, Generic, Literal, TypeVar

from starlette.requests import Request

from PETWorks.app.forms import Form
from PETWorks.app.probe import require_openable
from PETWorks.app.project.draft import Change, Draft
from PETWorks.app.project.project import Project
from PETWorks.errors import MissingFileError, PETWorksError, SourceError
from PETWorks.inspection.inspection import Inspection
from PETWorks.inspection.survey import Survey, open_raw_table, survey
from PETWorks.progress import listen
from PETWorks.render.inspection import InspectionWriter
from PETWorks.settings.section import declared
from PETWorks.settings.sections import Preparing
from PETWorks.tables.opening import OpenedTable, open_original
from PETWorks.tables.source import compute_digest, read_signature

T = TypeVar("T")
WorkState = Literal["running", "done", "failed", "stopped"]


class StoppedError(Exception):
    """Raised inside work after it was asked to stop."""


class Work(Generic[T]):
    """A function that runs in a background thread, with its result or error."""

    def __init__(self, function: Callable[[Work[T]], T]) -> None:
        self.state: WorkState = "running"
        self.share: float | None = None  # of the work that is done, from 0 to 1
        self.rows = 0  # counted so far
        self.error: BaseException | None = None
        self.began = time.monotonic()
        self._function = function
        self._value: T | None = None
        self._ended, self._stop_requested = Event(), Event()
        Thread(target=self._run, daemon=True).start()

    @property
    def value(self) -> T:
        """The result; raise the error if the function raised one."""
        if self.error:
            raise self.error
        assert self.state == "done", self.state  # noqa: S101 (asked for too early)
        return self._value  # type: ignore[return-value]

    @property
    def problem(self) -> PETWorksError | None:
        """The PETWorks error that ended the work, to be shown to the user; any other error is raised."""
        if self.error and not isinstance(self.error, PETWorksError | StoppedError):
            raise self.error
        return self.error if isinstance(self.error, PETWorksError) else None

    def wait(self, seconds: float) -> bool:
        """Wait up to a number of seconds for the end; return True if the work ended."""
        return self._ended.wait(seconds)

    def stop(self) -> None:
        """Ask the work to stop; it does so when it next reports its progress."""
        self._stop_requested.set()

    @property
    def stopping(self) -> bool:
        """True if the work was asked to stop; it may still run until it next reports its progress."""
        return self._stop_requested.is_set()

    def report(self, rows: int = 0, share: float | None = None) -> None:
        """Record progress, which never decreases; raise `StoppedError` inside the work if it was asked to stop."""
        if self._stop_requested.is_set():
            raise StoppedError
        self.rows += rows
        self.share = self.share if share is None else max(share, self.share or 0.0)

    def _run(self) -> None:
        try:
            with listen(self.report):
                self._value = self._function(self)
            self.state = "done"
        except StoppedError as error:
            self.error, self.state = error, "stopped"
        except BaseException as error:  # noqa: BLE001 (raised again by `value`)
            self.error, self.state = error, "failed"
        finally:
            self._ended.set()


MAX_CACHED = 64  # cached results; the least recently used is dropped first


class NoProjectError(Exception):
    """A screen needs an open project, and none is open."""


def require_session(request: Request) -> Session:
    """Return the session of the open project; raise an error that leads to the first screen if none is open."""
    session: Session | None = request.app.state.running.session
    if session is None:
        raise NoProjectError
    session.project.refresh()
    return session


class Session:
    """The open project, and a cache of what was computed for it."""

    def __init__(
        self,
        project: Project,
        resolve_allowed: Callable[[Path], Path],
        language: str = "en",
        memory: Mapping[str, Any] | None = None,
        links: Sequence[str] = (),
    ) -> None:
        self.project = project
        self.links = links  # symbolic links in the folder of the project
        self.resolve_allowed = resolve_allowed  # raises an error for a file that may not be opened
        self.language = language
        self.memory = dict(memory or {})  # memory_limit and temporary, as arguments of the library
        self._cache: OrderedDict[Hashable, Any] = OrderedDict()
        self._locks: dict[Hashable, RLock] = {}
        self._lock = Lock()
        self.differs_from_last_count = False  # True: the table changed since it was counted before

    @property
    def folder(self) -> Path:
        """The folder of the project."""
        return self.project.folder

    @property
    def draft(self) -> Draft:
        """The policy, which may be incomplete."""
        return self.project.draft

    @property
    def revision(self) -> str:
        """The revision that a form must send."""
        return self.project.revision

    def apply(self, form: Form, change: Change, draft: Draft) -> None:
        """Write a change to the project; raise StaleError if the form has an older revision."""
        self.project.apply(form["revision"], change, draft, draft.text(self.reasons))

    def cache(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the cached result of a key, which names all its inputs; compute it by `make` if it is missing.

        Errors are not cached. Two requests for the same key wait for each other; others do not.
        """
        with self._lock:
            lock = self._locks.setdefault(key, RLock())
        with lock:
            with self._lock:
                if key in self._cache:
                    self._cache.move_to_end(key)
                    found: T = self._cache[key]
                    return found
            value = make()
            with self._lock:
                self._cache[key] = value
                while len(self._cache) > MAX_CACHED:
                    old, _ = self._cache.popitem(last=False)
                    self._locks.pop(old, None)
            return value

    def get_cached(self, key: Hashable) -> Any | None:  # noqa: ANN401
        """Return the cached result of a key; None if there is none."""
        with self._lock:
            return self._cache.get(key)

    def forget(self, key: Hashable) -> None:
        """Drop the cached result of a key."""
        with self._lock:
            self._cache.pop(key, None)

    def run_in_background(self, key: Hashable, function: Callable[[Work[T]], T]) -> Work[T]:
        """Return the work of a key; start it if there is none. Work is cached like other results."""
        return self.cache(("work", key), lambda: Work(function))

    @property
    def table_path(self) -> Path:
        """The path of the table."""
        if not (original := self.draft.original):
            if "query" in self.draft.data:
                problem = "the table is the result of a query, which the application does not compute"
                hint = "run petworks anonymize on the policy; or write the result to a file, and name it as original"
                raise SourceError(problem, where="policy.toml", hint=hint, figures={})
            raise SourceError(
                "the policy names no table",
                where="policy.toml",
                hint='add original = "table.csv" to [data]',
                figures={},
            )
        return self.resolve_allowed(self.folder / original)

    @property
    def raw_key(self) -> Hashable:
        """The cache key of the raw table: its file, as it is now, and how it is read."""
        path = self.table_path
        return ("table", str(path), read_signature(path), self.draft.reading)

    @property
    def table_key(self) -> Hashable:
        """The cache key of the table as it is measured: the raw table, and how it is prepared."""
        said = [self.draft.section(name) for name in declared(Preparing)]
        if not any(said):
            return (*self.raw_key, "")  # type: ignore[misc]  # a tuple
        person = self.draft.data.get("person")
        return (*self.raw_key, json.dumps([*said, person], default=str))  # type: ignore[misc]

    @property
    def raw_table(self) -> OpenedTable:
        """The table before it is prepared, without titles above its header and sums at its end."""
        path, reading = self._require_path(), self.draft.reading
        return self.cache(self.raw_key, lambda: OpenedTable(path, open_raw_table(path, reading)))

    @property
    def table(self) -> OpenedTable:
        """The opened table as it is measured. Its columns are known; its rows are not read yet."""
        path, draft = self._require_path(), self.draft
        person = draft.data.get("person")
        if self._measures_raw:
            return self.raw_table
        return self.cache(
            self.table_key, lambda: OpenedTable(path, open_original(path, draft.reading, draft.preparing, person))
        )

    def _require_path(self) -> Path:
        path = self.table_path
        if not path.exists():  # by its name in the policy: an onlooker need not see the folder
            where = str(self.draft.original)
            raise MissingFileError("there is no such file", where=where, hint="put it back, or open it anew")
        reading = self.draft.reading
        self.cache(("openable", self.raw_key), lambda: require_openable(path, reading))
        return path

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns in the order of the table. Addresses number them from 1."""
        return self.table.source.columns

    @property
    def survey(self) -> Work[Survey]:
        """The survey of the table: its inspection and counts, computed in the background."""
        if self._measures_raw:
            return self.raw_survey
        table, person = self.table, self.draft.data.get("person")
        return self.run_in_background(self.survey_key, lambda _: survey(table, person=person, **self.memory))

    @property
    def _measures_raw(self) -> bool:
        """True if the raw table is measured: nothing is prepared, and all its rows are the table."""
        return self.table_key == (*self.raw_key, "") and self.raw_table.source.found_rows is None  # type: ignore[misc]

    @property
    def raw_survey(self) -> Work[Survey]:
        """The survey of the raw table, with findings to prepare; the survey of the table if nothing is prepared."""
        raw, person = self.raw_table, self.draft.data.get("person")
        return self.run_in_background(self.raw_survey_key, lambda _: survey(raw, person=person, **self.memory))

    @property
    def raw_survey_key(self) -> Hashable:
        """The cache key of the survey of the raw table."""
        return ("survey", self.raw_key, self.draft.data.get("person"))

    @property
    def survey_key(self) -> Hashable:
        """The cache key of the survey: the table and the person column."""
        if self._measures_raw:
            return self.raw_survey_key
        return ("survey", self.table_key, self.draft.data.get("person"))

    @property
    def inspection(self) -> Inspection | None:
        """The inspection of the table; None while it is computed."""
        work = self.survey
        return work.value.inspection if work.state == "done" else None

    @property
    def reasons(self) -> Mapping[str, str]:
        """The reason for the role of each column that has the suggested role."""
        try:
            inspection = self.inspection
        except PETWorksError:  # the screens show it
            return {}
        if inspection is None:
            return {}
        findings, decided = InspectionWriter(self.language), self.draft.roles
        return {
            one.name: findings.write_reasons(one)
            for one in inspection
            if one.role and decided.get(one.name) is one.role
        }

    def note_counted_table(self) -> None:
        """Write to the journal which table was counted, unless it is the one that was counted before."""
        stamp, work = self._read_stamp(), self.raw_survey
        if work.state != "done":
            return
        inspection = work.value.inspection
        with self.project.lock:
            before = self._find_last_count()
            if before is None or _is_other_file(before, stamp):
                self.differs_from_last_count = before is not None
                change = Change("open_counted", rows=inspection.rows, columns=len(inspection))
                change.figures |= stamp
                self.project.note(change)

    @property
    def table_changed(self) -> bool:
        """True if the table changed since it was counted, and the first screen has not shown that yet."""
        before = self._find_last_count()
        try:
            return before is not None and _is_other_file(before, self._read_stamp())
        except (OSError, SourceError):  # the screens show that it is missing
            return False

    def _find_last_count(self) -> Change | None:
        """Return the last change of the journal that records a counted table; None if there is none."""
        lines = (one.change for one in reversed(self.project.journal.entries) if one.change.kind == "open_counted")
        return next(lines, None)

    def _read_stamp(self) -> dict[str, int]:
        found = self.table_path.stat()
        return {"size": found.st_size, "stamp": found.st_mtime_ns}

    def digest(self, path: Path, seconds: float | None = None) -> str | None:
        """Return the digest of a file, computed in the background; None if it takes longer than `seconds`."""
        work = self.run_in_background(("digest", str(path), read_signature(path)), lambda _: compute_digest(path))
        while not work.wait(60 if seconds is None else seconds):
            if seconds is not None:
                return None
        return None if work.problem else work.value

    def close(self) -> None:
        """Stop all work, and release the folder."""
        with self._lock:
            works = [one for one in self._cache.values() if isinstance(one, Work)]
        for work in works:
            work.stop()
        self.project.close()


def _is_other_file(counted: Change, stamp: Mapping[str, int]) -> bool:
    return any(counted.figures.get(key) != value for key, value in stamp.items())
