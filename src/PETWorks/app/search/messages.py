"""What the application and the process that searches tell one another: pickled, between processes of ours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from PETWorks.making.exploring import Weighed
from PETWorks.making.exploring_search import Recoded, Sought
from PETWorks.making.plan import Plan

Task = Literal["best", "local"]


@dataclass(frozen=True)
class Start:
    """What the process works on: the content of a policy, and the folder that its paths are relative to."""

    policy: Mapping[str, Any]
    folder: Path
    memory: Mapping[str, Any]
    plan: Plan


@dataclass(frozen=True)
class Ask:
    """Something to be done; the plan may have another limit, or other bounds, than that at the start."""

    task: Task
    plan: Plan


@dataclass(frozen=True)
class Stop:
    """What is being searched for is to end; the best so far is kept."""


@dataclass(frozen=True)
class Surveyed:
    """Some more level vectors that were weighed."""

    weighed: tuple[Weighed, ...]
    ended: bool


@dataclass(frozen=True)
class Best:
    """How far the search is. `keeping`: of those that keep every column."""

    sought: Sought
    keeping: bool = False


@dataclass(frozen=True)
class Polished:
    """How far local recoding is."""

    rounds: int
    score: float


@dataclass(frozen=True)
class Local:
    """A local recoding that was found; without polishing it tells the price."""

    recoded: Recoded
    polished: bool


@dataclass(frozen=True)
class Ceiling:
    """The score that no local recoding exceeds, or is below if it is the loss."""

    score: float


@dataclass(frozen=True)
class Ended:
    """A task has ended; `problem` says why, if it could not be done."""

    task: Task | None
    problem: str = ""


@dataclass(frozen=True)
class Idle:
    """There is nothing to be done, and nothing more to come."""


Told = Surveyed | Best | Polished | Local | Ceiling | Ended | Idle
