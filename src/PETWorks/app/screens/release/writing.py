"""Writing in the background: the release is made by the policy, written, read back, and told by record and report."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from PETWorks.answer.evaluation import Evaluation
from PETWorks.app.desk import Desk
from PETWorks.app.work import Work
from PETWorks.errors import OutputError
from PETWorks.making.search import Polishing, Progress
from PETWorks.making.writing import keep_apart, output_format
from PETWorks.policy.recipe import Recipe
from PETWorks.presentation import Language
from PETWorks.progress import one_of
from PETWorks.render.atomic_write import write_whole
from PETWorks.sources.file_state import file_digest

COMMAND = "petworks anonymize policy.toml"
PARTS = 10  # parts of the work: the first reads the table, the last but one writes the release and reads it back
READ, MADE, WRITTEN = 1 / PARTS, 1 - 2 / PARTS, 1 - 1 / PARTS  # shares that are done then; between, it is made


@dataclass(frozen=True, eq=False)
class Written:
    """A release that was written: what was measured of it, and what became of a file of the same name."""

    judged: Evaluation
    path: Path
    kept: str  # the name that the old file has now; "" if there was none


class NotAsWrittenError(OutputError):
    """What lies on disk is not what was measured; it was moved aside."""


def write(desk: Desk, language: Language) -> bool:
    """Write the release of the policy as it is now, in the background; return False if that runs already."""
    before = desk.known(("work", key(desk)))
    if isinstance(before, Work) and before.state == "running":
        return False
    desk.forget(("work", key(desk)))

    def work(progress: Work[Written]) -> Written:
        recipe = Recipe(desk.project.path, **desk.memory)
        target = _target(recipe)
        recipe.hash_while_reading()
        with one_of(PARTS, 0):
            made = recipe.make(lambda found: progress.tell(share=_share(found)))
        progress.tell(share=MADE)
        kept = keep_old(target)
        try:
            with one_of(PARTS, PARTS - 2):
                judged = recipe.judged(made.write(target, inputs=_inputs(recipe)))
        except BaseException:
            if kept:
                (target.parent / kept).unlink(missing_ok=True)
            raise
        progress.tell(share=WRITTEN)
        require_as_measured(judged, target)
        _tell(recipe, judged, recipe.report.language or language)
        return Written(judged, target, kept)

    desk.background(key(desk), work)
    return True


def key(desk: Desk) -> tuple[str, str]:
    """Return the key of the work: a release is written once for a policy, unless somebody asks again."""
    return ("written", desk.project.text)


def _share(found: Progress | Polishing) -> float | None:
    return None if isinstance(found, Polishing) else READ + (MADE - READ) * (1 - found.open / found.vectors)


def _target(recipe: Recipe) -> Path:
    """Return the file to be written; raise an error before anything is made if it cannot be."""
    target = recipe.target or recipe.path.with_name("released.csv")
    output_format(target)
    outputs = [target, *recipe.report.files.values()]
    for place, path in enumerate(outputs):
        keep_apart(path, _inputs(recipe), *outputs[:place])
    return target


def _inputs(recipe: Recipe) -> list[Path]:
    return [one for one in recipe.inputs if one != recipe.target]


def keep_old(target: Path) -> str:
    """Give a file of this name a second name, so that it outlives its successor; return it, or "" if there is none."""
    if not target.is_file():
        return ""
    other = target.with_name(next_name(target))
    with suppress(OSError):
        os.link(target, other)
        return other.name
    shutil.copy2(target, other)  # a file system without links
    return other.name


def next_name(target: Path) -> str:
    """Return the name under which a file is kept when another takes its name: the first that is free."""
    number = 1
    while (other := numbered(target, str(number))).exists():
        number += 1
    return other.name


def numbered(target: Path, word: str) -> Path:
    """Return a name beside a file: released.csv becomes released.1.csv."""
    stem, dot, rest = target.name.partition(".")
    return target.with_name(f"{stem}.{word}{dot}{rest}")


def require_as_measured(judged: Evaluation, target: Path) -> None:
    """Raise an error if the file on disk is not the one that was measured; it loses its name."""
    record = judged.record
    measured = next((one.digest for one in record.inputs if one.role == "release"), None) if record else None
    if measured is not None and file_digest(target) != measured:
        aside = move_aside(target)
        problem = "the file on disk is not the one that was measured: something else wrote to it"
        raise NotAsWrittenError(problem, where=target.name, hint=f"it is now {aside}; write again")


def move_aside(target: Path) -> str:
    """Rename a file that must not be handed over; return its new name."""
    aside, number = numbered(target, "rejected"), 1
    while aside.exists():
        number += 1
        aside = numbered(target, f"rejected-{number}")
    target.rename(aside)
    return aside.name


def _tell(recipe: Recipe, judged: Evaluation, language: Language) -> None:
    """Write the record and the report that the policy names, as the command line does."""
    for form, path in recipe.report.files.items():
        if form == "html":
            text = judged.to_html(language=language, show_small_classes=False, command=COMMAND)
            write_whole(path, text if text.endswith("\n") else f"{text}\n")
        elif form == "json":
            text = judged.guarded().to_json()
            write_whole(path, text if text.endswith("\n") else f"{text}\n")
