"""What was written, measured from the file on disk: in this session when it was written, else by the policy again."""

from __future__ import annotations

import json
from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PETWorks.answer.evaluation import Evaluation
from PETWorks.answer.guard import guarded_advice
from PETWorks.answer.view import View
from PETWorks.app.desk import Desk
from PETWorks.app.screens.release.writing import Written, key
from PETWorks.app.work import Work
from PETWorks.measure.result import DESCRIBABLE
from PETWorks.policy.known import IfKnown, people_if_known
from PETWorks.policy.policy import Policy
from PETWorks.progress import one_of
from PETWorks.render.summary import check_text
from PETWorks.sources.file_state import file_digest, signature

RECORD = "record.json"


@dataclass(frozen=True, eq=False)
class Measured:
    """The file, as it was measured: what a report shows of it, and what one more known column would do."""

    view: View
    if_known: list[IfKnown]
    said: str  # what the command line prints


def target_of(desk: Desk) -> Path:
    """Return the file that the release is written to."""
    return desk.folder / str(desk.draft.data.get("released", "released.csv"))


def recorded(desk: Desk) -> dict[str, Any] | None:
    """Return the record of the release that was written last; None if there is none, or it cannot be read."""
    path = desk.folder / str(desk.draft.section("report").get("json", RECORD))
    if not path.is_file():
        return None
    return desk.kept(("record", str(path), signature(path)), lambda: _read(path))


def _read(path: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) and isinstance(found.get("record"), dict) else None


def is_current(desk: Desk, record: dict[str, Any]) -> bool:
    """Return True if a record is that of the policy as it is now."""
    policy = record["record"].get("policy") or {}
    return bool(policy.get("sha256") == file_digest(desk.project.path))


def is_as_recorded(desk: Desk, record: dict[str, Any], seconds: float | None = None) -> bool:
    """Return True if the file on disk is the one that the record tells of, or that is not known in so many seconds."""
    return _is_same(desk, record, "release", target_of(desk), seconds)


def is_of_table(desk: Desk, record: dict[str, Any], seconds: float | None = None) -> bool:
    """Return True if the table is the one that the release was made of, or that is not known in so many seconds."""
    return _is_same(desk, record, "original", desk.table_path, seconds)


def _is_same(desk: Desk, record: dict[str, Any], role: str, path: Path, seconds: float | None) -> bool:
    told = next((one.get("sha256") for one in record["record"].get("tables", ()) if one.get("role") == role), None)
    if told is None or not path.is_file():
        return True
    here = desk.digest(path, seconds)
    return here is None or told == here


def measured(desk: Desk, language: str, *, small: bool = False) -> Work[Measured]:
    """Measure the file in the background; what was measured when it was written is not measured again."""
    target, work = target_of(desk), desk.known(("work", key(desk)))
    written: Written | None = work.value if isinstance(work, Work) and work.state == "done" else None

    def measure(progress: Work[Measured]) -> Measured:
        policy = Policy(desk.project.path, **desk.memory)
        with one_of(3, 0):
            judged = written.judged if written else policy.check()
        progress.tell(share=0.4)
        view = View.of(judged, show_small_classes=small)
        progress.tell(share=0.7)
        return Measured(view, people_if_known(policy.release), _said(judged, language))

    depends: Hashable = ("measured", file_digest(desk.project.path), signature(target), bool(written), language, small)
    return desk.background(depends, measure)


def _said(judged: Evaluation, language: str) -> str:
    """Return what `petworks check` prints."""
    advice = guarded_advice(judged, DESCRIBABLE)
    return check_text(judged.guarded(), language, advice, "policy.toml")
