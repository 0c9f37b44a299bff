"""Opens projects: the folder of one, or the table of which one is made."""

from __future__ import annotations

import os
from pathlib import Path

from PETWorks.app.desk import Desk
from PETWorks.app.project.change import Change
from PETWorks.app.project.draft import Draft
from PETWorks.app.project.project import JOURNAL, POLICY, Project
from PETWorks.app.running import Running
from PETWorks.errors import MissingFileError, PETWorksError
from PETWorks.sources import open_source

SUFFIX = "-project"


def start(running: Running, what: str | None) -> None:
    """Open what the command line names: a project's folder, its policy, or a table."""
    if what is None:
        return
    path = Path(what).absolute()
    if not path.exists():
        raise MissingFileError("there is no such file or folder", where=what)
    if path.is_dir() and is_project(path):
        open_project(running, path)
    elif path.suffix.casefold() == ".toml":
        open_project(running, path.parent)
    else:
        open_table(running, path)


def is_project(folder: Path) -> bool:
    """Return True if a folder has a policy or a journal."""
    return (folder / POLICY).is_file() or (folder / JOURNAL).is_file()


def open_project(running: Running, folder: Path) -> Desk:
    """Open a project in place of the one that is open."""
    if running.desk and running.desk.folder == folder:
        return running.desk
    project = Project(folder)
    if running.desk:
        running.desk.close()
    running.desk = Desk(project, running.language, running.memory)
    return running.desk


def open_table(running: Running, table: Path, **reading: str) -> Desk:
    """Open the project of a table; make one, in a folder beside the table, if there is none."""
    open_source(table, "table", **reading)  # raises an error before anything is written
    folder = project_folder(table)
    if not is_project(folder):
        original = os.path.relpath(table, folder).replace(os.sep, "/")
        change = Change("open_table", table=table.name)
        Project.create(folder, Draft.of_table(original, **reading), change).close()
    return open_project(running, folder)


def project_folder(table: Path) -> Path:
    """Return the folder of a table's project: the first that is free, or that is of this table."""
    stem, number = table.name.partition(".")[0] or "table", 1
    while True:
        folder = table.parent / f"{stem}{SUFFIX}{f'-{number}' if number > 1 else ''}"
        if not folder.exists() or _is_of(folder, table):
            return folder
        number += 1


def _is_of(folder: Path, table: Path) -> bool:
    """Return True if a folder is the project of a table."""
    try:
        draft = Draft.read((folder / POLICY).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, PETWorksError):
        return False
    original = draft.original
    return original is not None and (folder / original).resolve() == table.resolve()
