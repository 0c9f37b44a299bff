"""The candidates that a policy has pinned: each made from the original, and all of them compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PETWorks.comparing import compare
from PETWorks.comparison.comparison import Comparison
from PETWorks.errors import ParameterError, PETWorksError
from PETWorks.making.made import Made
from PETWorks.making.make import make
from PETWorks.policy.making import Pinned
from PETWorks.policy.recipe import Recipe


@dataclass(frozen=True, eq=False)
class Candidate:
    """A pinned candidate: the release that was made of it, or the problem why it cannot be made."""

    pinned: Pinned
    made: Made | None = None
    problem: PETWorksError | None = None


def candidate(recipe: Recipe, pinned: Pinned) -> Candidate:
    """Make a pinned candidate of a policy."""
    try:
        return Candidate(pinned, make(recipe.original, pinned.planned(recipe.plan), rest=recipe.rest))
    except PETWorksError as error:
        return Candidate(pinned, problem=error)


def compared(recipe: Recipe, found: Sequence[Candidate]) -> Comparison:
    """Compare the candidates that could be made, by the requirements of the policy."""
    made = [one for one in found if one.made is not None]
    if len(made) < 2:  # noqa: PLR2004 (nothing to compare)
        hint = "pin two or more under [[anonymize.pinned]], with name and levels"
        raise ParameterError("fewer than two candidates can be made", where=recipe.path.name, hint=hint)
    names = [one.pinned.name for one in made]
    releases = [one.made for one in made if one.made is not None]
    return compare(*releases, names=names, requirements=recipe.requirements, title=recipe.title)
