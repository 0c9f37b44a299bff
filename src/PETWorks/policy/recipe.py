"""A policy file as a recipe: the original that it names becomes the release that it requires."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from PETWorks.answer.evaluation import Evaluation
from PETWorks.making.made import Made
from PETWorks.making.make import make
from PETWorks.making.plan import Plan
from PETWorks.making.search import Listener
from PETWorks.making.table import RawTable
from PETWorks.policy.policy import PolicyFile
from PETWorks.policy.toml import Problems
from PETWorks.release import Release


class Recipe(PolicyFile):
    """A policy file that says how its release is to be made; a `PolicyError` lists all problems of the file."""

    main = "original"

    @property
    def plan(self) -> Plan:
        """The requirements as goals, and what may be done to meet them."""
        assert self.making.plan is not None  # noqa: S101 (otherwise an error was raised)
        return self.making.plan

    @property
    def original(self) -> Release:
        """The original, as a release of itself."""
        return self._release

    @property
    def target(self) -> Path | None:
        """The file that the release is to be written to, if the policy names one."""
        return self.named.get("released")

    def hash_while_reading(self) -> None:
        """Compute the digests of CSV files while they are read, for a record."""
        self._release.hash_while_reading()

    def make(self, listener: Listener | None = None) -> Made:
        """Make the release; `listener` is told about the progress."""
        return make(self._release, self.plan, listener, self.rest)

    def judged(self, measured: Evaluation) -> Evaluation:
        """Return what was measured of the release as the judgement of this file, with its title and its reasons."""
        pairs = zip(self.requirements, measured.requirements, strict=True)
        required = [replace(one, result=other.result) for one, other in pairs]
        told = Evaluation(measured.results, requirements=required, title=self.title, facts=measured.facts)
        told.policy, told.not_shown, told.maker = self.input, self.not_shown, measured.maker
        return told

    def _check_columns(self, release: Release | None, plan: Plan) -> None:
        if release and plan.recoding == "microaggregate":
            plan.require_known(release.roles.quasi_identifiers)
        elif release:
            plan.levels_allowed(_heights(release))

    def _read_rows(self, release: Release, problems: Problems) -> None:
        with problems.gathering():
            _ = RawTable.of(release._facts).ladders  # noqa: SLF001 (of our own)


def _heights(release: Release) -> Mapping[str, int]:
    """Return the heights of the quasi-identifiers; a column without a hierarchy has two levels."""
    trees = release._facts.hierarchies  # noqa: SLF001 (of our own)
    return {name: trees[name].height if name in trees else 1 for name in release.roles.quasi_identifiers}
