"""The evaluation of the original by each requirement, and the search for contradictions, in the background."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from PETWorks.anonymization.plan import PARAMETERS, read_search
from PETWorks.app.project.draft import Draft
from PETWorks.app.session import Session, Work
from PETWorks.errors import THRESHOLD, PETWorksError
from PETWorks.evaluation.evaluation import Evaluation
from PETWorks.evaluation.guard import withhold_from_evaluation
from PETWorks.evaluation.release import Release
from PETWorks.evaluation.requirement import Requirement
from PETWorks.measure.base import Measure
from PETWorks.measure.losses import Utility
from PETWorks.policy.policy import read_original
from PETWorks.policy.requirements import Contradiction, find_contradictions
from PETWorks.tables.source import read_signature

ORIGINAL_SECTIONS = ("data", "roles", "hierarchies")  # the sections of a policy that define the original


def original_key(session: Session) -> Hashable:
    """Return the cache key of the original with roles and hierarchies: the policy and the files that it names."""
    said = json.dumps([session.draft.section(name) for name in ORIGINAL_SECTIONS], default=str)
    folder = session.folder / str(session.draft.data.get("hierarchies", "hierarchies"))
    files = tuple((one.name, read_signature(one)) for one in sorted(folder.glob("*.csv"))) if folder.is_dir() else ()
    return ("original", session.table_key, said, files)


def get_original(session: Session) -> Release:
    """Return the original as a release of itself; raise an error that lists open decisions."""
    return session.cache(
        original_key(session), lambda: read_original(session.draft.content, session.folder, session.memory)
    )


def judge_original(session: Session, requested: Sequence[Measure], *, small: bool = False) -> Work[Evaluation]:
    """Evaluate the requirements on the original in the background, without figures of few people."""
    release, least = get_original(session), 1 if small else THRESHOLD

    def work(_: Work[Evaluation]) -> Evaluation:
        evaluation = release.check(*map(Requirement, requested))
        return withhold_from_evaluation(evaluation, least, explained=False)

    return session.run_in_background(("judged", original_key(session), tuple(requested), least), work)


def search_contradictions(session: Session, requested: Sequence[Measure]) -> Work[list[Contradiction]] | None:
    """Search for contradictions in the background; None if no requirement is on utility, or the plan is invalid."""
    if not any(isinstance(one, Utility) for one in requested):
        return None
    release, making = get_original(session), _read_bounds(session.draft)
    try:
        wanted = read_search(requested, **making)
    except PETWorksError:  # shown where it is decided
        return None
    key = ("contradictions", original_key(session), tuple(requested), json.dumps(making, default=str))
    running = session.cache(("contradicting",), list[Work[list[Contradiction]]])
    work = session.get_cached(("work", key))
    if not isinstance(work, Work) or work not in running:
        for one in running:  # for requirements that were changed since
            one.stop()
        if isinstance(work, Work) and work.state != "done":
            session.forget(("work", key))
    work = session.run_in_background(key, lambda progress: find_contradictions(release, wanted, progress.report))
    running[:] = [work]
    return work


def _read_bounds(draft: Draft) -> Mapping[str, Any]:
    """Return the bounds of a search: the rows it may suppress, and the levels it may use."""
    named = ("suppress_at_most", "coarsest", "finest")
    return {name: value for name, value in draft.making.items() if name in named and name in PARAMETERS}
