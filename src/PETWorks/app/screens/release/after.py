"""The written release, measured from the file on disk: right after writing, or later by the policy.

Writing runs in the background: the release is made by the policy, written, read back, and reported.

Also lists the files of a project, and who may have them.

The report that was written, shown by the browser: only the script and the style of our own reports may run in it.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import shutil
from collections.abc import Hashable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from starlette.responses import HTMLResponse, Response

from PETWorks.anonymization.search import PolishProgress, SearchProgress
from PETWorks.anonymization.writing import find_output_format, require_separate
from PETWorks.app.project.draft import Draft
from PETWorks.app.project.folder import JOURNAL, POLICY, read_file, require_own
from PETWorks.app.responses import HERE
from PETWorks.app.session import Session, Work
from PETWorks.disclosure.evaluation import disclose_advice
from PETWorks.disclosure.report import EvaluationView
from PETWorks.errors import OutputError
from PETWorks.evaluation.evaluation import Evaluation
from PETWorks.policy.inspection import IfKnown, what_if_known
from PETWorks.policy.policy import APPROVAL, Policy
from PETWorks.presentation import Language
from PETWorks.progress import report_part
from PETWorks.render.atomic_write import write_whole
from PETWorks.render.formats import OutputSettings
from PETWorks.render.summary import write_check
from PETWorks.shown import THRESHOLD
from PETWorks.tables.source import compute_digest, read_signature

COMMAND = "petworks anonymize policy.toml"
PARTS = 10  # parts of the work: the first reads the table, the last but one writes the release and reads it back
READ, MADE, WRITTEN = 1 / PARTS, 1 - 2 / PARTS, 1 - 1 / PARTS  # shares that are done then; between, it is made


@dataclass(frozen=True, eq=False)
class Written:
    """A written release: its evaluation, and the new name of an earlier file of the same name."""

    judged: Evaluation
    path: Path
    kept: str  # the name that the old file has now; "" if there was none


class NotAsWrittenError(OutputError):
    """The file on disk is not the one that was measured; it was renamed."""


def write(desk: Session, language: Language) -> bool:
    """Write the release of the present policy in the background; return False if that is already running."""
    before = desk.get_cached(("work", key(desk)))
    if isinstance(before, Work) and before.state == "running":
        return False
    desk.forget(("work", key(desk)))

    def work(progress: Work[Written]) -> Written:
        recipe = Policy(desk.project.path, **desk.memory, purpose="anonymize")
        target = _target(recipe, desk.folder)
        recipe.hash_while_reading()
        with report_part(PARTS, 0):
            made = recipe.anonymize(lambda found: progress.report(share=_share(found)))
        progress.report(share=MADE)
        kept = keep_old(target)
        try:
            with report_part(PARTS, PARTS - 2):
                judged = recipe.judge(made.write(target, inputs=_inputs(recipe), below=desk.folder))
        except BaseException:
            if kept:
                (target.parent / kept).unlink(missing_ok=True)
            raise
        progress.report(share=WRITTEN)
        require_as_measured(judged, target)
        if "html" in recipe.report.files and made.has_level_vector:
            judged.front = made.front()
        _tell(recipe, judged, recipe.report.language or language, desk.folder)
        return Written(judged, target, kept)

    desk.run_in_background(key(desk), work)
    return True


def key(desk: Session) -> tuple[str, str]:
    """Return the cache key of writing: one release for each policy, unless the user asks again."""
    return ("written", desk.project.text)


def _share(found: SearchProgress | PolishProgress) -> float | None:
    return None if isinstance(found, PolishProgress) else READ + (MADE - READ) * (1 - found.open / found.vectors)


def _target(recipe: Policy, folder: Path) -> Path:
    """Return the file to write; raise an error first if it, or a report, cannot be written."""
    target = recipe.target or recipe.path.with_name("released.csv")
    find_output_format(target)
    recipe.require_replaceable(target)
    outputs = [require_own(folder, path) for path in (target, *recipe.report.all_files)]
    for place, path in enumerate(outputs):
        require_separate(path, _inputs(recipe), *outputs[:place])
    return target


def _inputs(recipe: Policy) -> list[Path]:
    return [one for one in recipe.inputs if one != recipe.target]


def keep_old(target: Path) -> str:
    """Link an earlier file to a second name, so that it is not lost; return the name, or "" if there is no file."""
    if not target.is_file():
        return ""
    other = target.with_name(next_name(target))
    if not target.is_symlink():  # a second link would not keep the content
        with suppress(OSError):
            os.link(target, other)
            return other.name
    shutil.copy2(target, other)  # a file system without links
    return other.name


def next_name(target: Path) -> str:
    """Return the first free name for a file that is about to be replaced."""
    number = 1
    while (other := numbered(target, str(number))).exists():
        number += 1
    return other.name


def numbered(target: Path, word: str) -> Path:
    """Return a numbered file name: released.csv becomes released.1.csv."""
    stem, dot, rest = target.name.partition(".")
    return target.with_name(f"{stem}.{word}{dot}{rest}")


def require_as_measured(judged: Evaluation, target: Path) -> None:
    """Raise an error if the file on disk is not the one that was measured; the file is renamed."""
    record = judged.record
    measured = next((one.digest for one in record.inputs if one.role == "release"), None) if record else None
    if measured is not None and compute_digest(target) != measured:
        aside = move_aside(target)
        problem = "the file on disk is not the one that was measured: something else wrote to it"
        raise NotAsWrittenError(problem, where=target.name, hint=f"it is now {aside}; write again")


def move_aside(target: Path) -> str:
    """Rename a file that must not be handed over, and return its new name."""
    aside, number = numbered(target, "rejected"), 1
    while aside.exists():
        number += 1
        aside = numbered(target, f"rejected-{number}")
    target.rename(aside)
    return aside.name


def _tell(recipe: Policy, judged: Evaluation, language: Language, folder: Path) -> None:
    """Write the record and the reports that the policy names, as the command line does."""
    for _, path, render in recipe.report.render(judged, OutputSettings(language, command=COMMAND)):
        text = render()
        private = path == recipe.report.kept_record or recipe.report.show_small_classes
        write_whole(path, text if text.endswith("\n") else f"{text}\n", private=private, below=folder)


RECORD, OTHER_RECORD = "record.json", "record-internal.json"


def name_record(draft: Draft) -> str:
    """Return the name of the record: the JSON report, unless it is for the public."""
    report = draft.section("report")
    if report.get("audience") != "public":
        return str(report.get("record") or report.get("json", RECORD))
    return str(report.get("record") or (OTHER_RECORD if report.get("json") == RECORD else RECORD))


@dataclass(frozen=True, eq=False)
class Measured:
    """The evaluated file: the view of its report, and the effect if one more column were known."""

    view: EvaluationView
    if_known: list[IfKnown]
    said: str  # what the command line prints


def target_of(desk: Session) -> Path:
    """Return the file that the release is written to."""
    return desk.folder / str(desk.draft.data.get("released", "released.csv"))


def recorded(desk: Session) -> dict[str, Any] | None:
    """Return the record of the last written release; None if there is none, or if it cannot be read."""
    path = desk.folder / name_record(desk.draft)
    if not path.is_file():
        return None
    return desk.cache(("record", str(path), read_signature(path)), lambda: _read(path))


def _read(path: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(read_file(path) or b"")
    except (OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and isinstance(found.get("record"), dict) else None


def is_current(desk: Session, record: dict[str, Any]) -> bool:
    """Return True if a record belongs to the present policy."""
    policy = record["record"].get("policy") or {}
    return bool(policy.get("sha256") == compute_digest(desk.project.path))


def is_as_recorded(desk: Session, record: dict[str, Any], seconds: float | None = None) -> bool:
    """Return True if the file on disk is the recorded one, or if the digest takes longer than these seconds."""
    return _is_same(desk, record, "release", target_of(desk), seconds)


def is_of_table(desk: Session, record: dict[str, Any], seconds: float | None = None) -> bool:
    """Return True if the table is the one in the record, or if the digest takes longer than these seconds."""
    return _is_same(desk, record, "original", desk.table_path, seconds)


def _is_same(desk: Session, record: dict[str, Any], role: str, path: Path, seconds: float | None) -> bool:
    told = next((one.get("sha256") for one in record["record"].get("tables", ()) if one.get("role") == role), None)
    if told is None or not path.is_file():
        return True
    here = desk.digest(path, seconds)
    return here is None or told == here


def measured(desk: Session, language: str, *, small: bool = False) -> Work[Measured]:
    """Evaluate the file in the background, unless it was evaluated when it was written."""
    target, work = target_of(desk), desk.get_cached(("work", key(desk)))
    written: Written | None = work.value if isinstance(work, Work) and work.state == "done" else None

    def measure(progress: Work[Measured]) -> Measured:
        policy = Policy(desk.project.path, **desk.memory)
        with report_part(3, 0):
            judged = written.judged if written else policy.check()
            judged.use_record(desk.folder / name_record(desk.draft))
        progress.report(share=0.4)
        view = EvaluationView.of(judged, show_small_classes=small)
        progress.report(share=0.7)
        return Measured(view, what_if_known(policy.release), _write_check_output(judged, language))

    depends: Hashable = (
        "measured",
        compute_digest(desk.project.path),
        read_signature(target),
        bool(written),
        language,
        small,
    )
    return desk.run_in_background(depends, measure)


def _write_check_output(judged: Evaluation, language: str) -> str:
    """Return the output of `petworks check`."""
    advice = disclose_advice(judged, THRESHOLD)
    return write_check(judged.guarded(), language, advice, "policy.toml")


HAND_OVER, KEEP, NEVER = "hand_over", "keep", "never"


@dataclass(frozen=True)
class FileRow:
    """A file: its name, its kind, its size in bytes, and who may have it."""

    name: str
    what: str  # a key of the words
    size: int
    whom: str
    number: int = 0  # how many files it holds, if it is a folder


def approval_of(desk: Session) -> Path:
    """Return the page that is signed, which is beside the report."""
    return (desk.folder / str(desk.draft.section("report").get("html", "report.html"))).with_name(APPROVAL)


def files_of(desk: Session) -> list[FileRow]:
    """Return the files of the project that exist, and the original."""
    return list(_files(desk))


def _files(desk: Session) -> Iterator[FileRow]:
    folder, target, report = desk.folder, target_of(desk), desk.draft.section("report")
    yield from _one(target, "released", HAND_OVER)
    yield from _one(folder / str(report.get("html", "report.html")), "report", HAND_OVER)
    yield from _one(approval_of(desk), "approval", HAND_OVER)
    record = folder / name_record(desk.draft)
    for form in ("markdown", "junit", "json"):
        if form in report and (path := folder / str(report[form])) != record:
            yield from _one(path, "report", HAND_OVER)
    yield from _one(record, "record", KEEP)
    yield from _one(folder / POLICY, "policy", KEEP)
    trees = folder / str(desk.draft.data.get("hierarchies", "hierarchies"))
    if trees.is_dir():
        found = [one for one in trees.iterdir() if one.is_file()]
        yield FileRow(f"{trees.name}/", "hierarchies", sum(_size(one) for one in found), KEEP, len(found))
    yield from _one(folder / JOURNAL, "journal", KEEP)
    stem, _, rest = target.name.partition(".")
    older = re.compile(rf"{re.escape(stem)}\.(\d+|rejected(?:-\d+)?)\.{re.escape(rest)}")
    for path in sorted(target.parent.iterdir()):
        if match := older.fullmatch(path.name):
            yield from _one(
                path, "older" if match[1].isdecimal() else "rejected", KEEP if match[1].isdecimal() else NEVER
            )
    yield from _one(desk.table_path, "original", NEVER)


def _one(path: Path, what: str, whom: str) -> Iterator[FileRow]:
    if path.is_file():
        yield FileRow(path.name, what, _size(path), whom)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


SHEET = '<article class="sheet'  # in the page that is signed, which has a style of its own
FOLDER = HERE.parent / "render" / "page" / "templates"


def report_answer(content: bytes | str) -> Response:
    """Respond with a report. It gets an origin of its own, so that it cannot send requests to this application."""
    text = content.decode() if isinstance(content, bytes) else content
    style = "approval.css" if SHEET in text else "style.css"
    return HTMLResponse(text, headers={"content-security-policy": _policy(style)})


@lru_cache
def _policy(sheet: str) -> str:
    style, script = _digest(sheet), _digest("script.js")
    return (  # labels of axes are placed by attributes, which can load nothing
        f"default-src 'none'; style-src '{style}'; style-src-attr 'unsafe-inline'; script-src '{script}';"
        " base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox allow-scripts allow-modals"
    )


def _digest(name: str) -> str:
    content = (FOLDER / name).read_text(encoding="utf-8")
    return f"sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}"
