"""What the original has of each requirement, measured in the background; and which requirements contradict others."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from PETWorks.anonymization.plan import PARAMETERS, plan
from PETWorks.app.desk import Desk, Work
from PETWorks.app.project.draft import Draft
from PETWorks.errors import PETWorksError
from PETWorks.evaluation.evaluation import Evaluation
from PETWorks.evaluation.guard import guarded_evaluation
from PETWorks.evaluation.release import Release
from PETWorks.evaluation.requirement import Requirement
from PETWorks.measure.base import Measure
from PETWorks.measure.losses import Utility
from PETWorks.measure.result import DESCRIBABLE
from PETWorks.policy.policy import original_of
from PETWorks.policy.requirements import Contradiction, contradictions
from PETWorks.tables.source import signature

ABOUT = ("data", "roles", "hierarchies")  # the parts of a policy that say what the original is


def original_key(desk: Desk) -> Hashable:
    """Return what the original with its roles and hierarchies depends on: the policy, and the files that it names."""
    said = json.dumps([desk.draft.section(name) for name in ABOUT], default=str)
    folder = desk.folder / str(desk.draft.data.get("hierarchies", "hierarchies"))
    files = tuple((one.name, signature(one)) for one in sorted(folder.glob("*.csv"))) if folder.is_dir() else ()
    return ("original", desk.table_key, said, files)


def original(desk: Desk) -> Release:
    """Return the original as a release of itself; raise an error that lists what is still open."""
    return desk.kept(original_key(desk), lambda: original_of(desk.draft.content, desk.folder, desk.memory))


def judged(desk: Desk, asked: Sequence[Measure], *, small: bool = False) -> Work[Evaluation]:
    """Measure the requirements of the original in the background; without what describes few people."""
    release, least = original(desk), 1 if small else DESCRIBABLE

    def work(_: Work[Evaluation]) -> Evaluation:
        evaluation = release.check(*map(Requirement, asked))
        return guarded_evaluation(evaluation, least, explained=False)

    return desk.background(("judged", original_key(desk), tuple(asked), least), work)


def contradicted(desk: Desk, asked: Sequence[Measure]) -> Work[list[Contradiction]] | None:
    """Look for contradictions in the background; None if no requirement is about utility, or others are not ready."""
    if not any(isinstance(one, Utility) for one in asked):
        return None
    release, making = original(desk), _bounds(desk.draft)
    try:
        wanted = plan(asked, **making)
    except PETWorksError:  # told where it is decided
        return None
    key = ("contradictions", original_key(desk), tuple(asked), json.dumps(making, default=str))
    running = desk.kept(("contradicting",), list[Work[list[Contradiction]]])
    work = desk.known(("work", key))
    if not isinstance(work, Work) or work not in running:
        for one in running:  # about requirements that were changed since
            one.stop()
        if isinstance(work, Work) and work.state != "done":
            desk.forget(("work", key))
    work = desk.background(key, lambda progress: contradictions(release, wanted, progress.tell))
    running[:] = [work]
    return work


def _bounds(draft: Draft) -> Mapping[str, Any]:
    """Return what a search may do: how many rows it may suppress, and which levels it may use."""
    named = ("suppress_at_most", "coarsest", "finest")
    return {name: value for name, value in draft.making.items() if name in named and name in PARAMETERS}
