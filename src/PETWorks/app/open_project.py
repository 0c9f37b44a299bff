"""Open a project: from its folder, or from a table, for which a project is made."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from PETWorks.app.files import OutsideError, RunningApplication
from PETWorks.app.probe import open_safely
from PETWorks.app.project.draft import Change, Draft
from PETWorks.app.project.folder import JOURNAL, POLICY, find_links, read_file
from PETWorks.app.project.project import Project
from PETWorks.app.session import Session
from PETWorks.demo import TABLE, write_raw
from PETWorks.errors import MissingFileError, OutputError, PETWorksError, PolicyError, SettingsError
from PETWorks.settings.kinds import TAB
from PETWorks.settings.sections import Reading
from PETWorks.user.trust import is_trusted, trust

SUFFIX = "-project"
DEMONSTRATION = "petworks-demonstration"


def open_argument(running: RunningApplication, what: str | None) -> None:
    """Open the argument of the command line: a project's folder, its policy, or a table.

    Another folder is not opened: the user chooses a file in it, in the browser.
    """
    if what is None:
        return
    path = Path(what).absolute()
    if not path.exists():
        raise MissingFileError("there is no such file or folder", where=what)
    if is_folder_to_choose_in(path):
        return
    if path.suffix.casefold() == ".toml":
        path = path.parent
    running.browser.allow(path)
    if path.is_dir() and is_project(path):
        open_project(running, path)
    else:
        running.browser.allow(choose_project_folder(path))
        open_table(running, path)


def is_folder_to_choose_in(path: Path) -> bool:
    """Return True for a folder that is neither a project nor a table of Parquet files: one to choose a file in."""
    return path.is_dir() and not is_project(path) and not any(path.glob("*.parquet"))


def is_project(folder: Path) -> bool:
    """Return True if a folder has a policy or a journal."""
    return (folder / POLICY).is_file() or (folder / JOURNAL).is_file()


def open_project(running: RunningApplication, folder: Path) -> Session:
    """Open a project; the open one is closed. A project that the user does not trust is opened read-only."""
    if running.session and running.session.folder == folder:
        return running.session

    def check(draft: Draft) -> None:
        for name in draft.paths:
            try:
                running.browser.resolve_allowed(folder / name)
            except OutsideError as error:
                raise error.convert(PolicyError, where=f"{POLICY}: {name}") from error

    project = Project(folder, check, trusted=False)
    links = find_links(folder, project.draft.paths)
    if is_trusted(folder, project.journal.journal_id, links):
        project = Project(folder, check)
    running.close()
    running.session = Session(project, running.browser.resolve_allowed, running.language, running.memory, links)
    return running.session


def trust_project(running: RunningApplication, session: Session) -> Session:
    """Record that the user trusts the open project, and open it again, so that changes are written."""
    folder = session.folder
    running.close()
    trust_folder(folder)
    return open_project(running, folder)


def trust_folder(folder: Path) -> None:
    """Record that the user trusts the project of a folder, with its present symbolic links."""
    Project(folder).close()  # gives it a journal if it has none
    known = Project(folder, trusted=False)
    trust(folder, known.journal.journal_id, find_links(folder, known.draft.paths))


def open_table(running: RunningApplication, table: Path, **reading: str) -> Session:
    """Open the project of a table; if there is none, create one in a folder beside the table."""
    said = {name: "\t" if text == TAB else text for name, text in reading.items()}
    open_safely(table, Reading.of(said))  # raises an error before anything is written
    folder = choose_project_folder(table)
    if not is_project(folder):
        original = os.path.relpath(table, folder).replace(os.sep, "/")
        _create_project(folder, Draft.of_table(original, **reading), Change("open_table", table=table.name))
    return open_project(running, folder)


def open_demonstration(running: RunningApplication) -> Session:
    """Open the demonstration; write it first, to a folder below the root, if it is missing."""
    folder = running.browser.root / DEMONSTRATION
    if not is_project(folder):
        files = write_raw(folder)
        draft = Draft.of_table(TABLE)
        for name, file in files.items():
            draft = draft.with_rule(name, {"file": file})
        _create_project(folder, draft, Change("open_demonstration"))
    return open_project(running, folder)


def choose_project_folder(table: Path) -> Path:
    """Return the folder for a table's project: the first name that is free, or already belongs to this table."""
    stem, number = table.name.partition(".")[0] or "table", 1
    while True:
        folder = table.parent / f"{stem}{SUFFIX}{f'-{number}' if number > 1 else ''}"
        if not folder.exists() or _is_project_of(folder, table):
            return folder
        number += 1


def _create_project(folder: Path, draft: Draft, change: Change) -> None:
    try:
        project = Project.create(folder, draft, change)
        project.close()
        with suppress(OutputError, SettingsError):  # the user is asked when it is opened again
            trust(folder, project.journal.journal_id)
    except OSError as error:
        if isinstance(error, PETWorksError):
            raise
        problem = f"the folder of the project cannot be made: {error.strerror or error}"
        hint = "copy the table to a folder that you may write to, and open it there"
        raise OutputError(problem, where=folder.name, hint=hint) from error


def _is_project_of(folder: Path, table: Path) -> bool:
    """Return True if a folder holds the project of this table."""
    try:
        draft = Draft.read((read_file(folder / POLICY) or b"").decode())
    except (OSError, UnicodeDecodeError, PETWorksError):
        return False
    return draft.original is not None and (folder / draft.original).resolve() == table.resolve()
