"""Compare releases: `pw.compare`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from string import ascii_uppercase

from PETWorks.anonymization.anonymized_table import AnonymizedTable
from PETWorks.errors import ParameterError, list_quoted, plural, show_value
from PETWorks.evaluation.comparison import Comparison
from PETWorks.evaluation.release import Release
from PETWorks.evaluation.requirement import Requirement
from PETWorks.evaluation.run import read_measure
from PETWorks.facts.tallies import find_tables
from PETWorks.measure.base import Measure
from PETWorks.premises.accept import Accept
from PETWorks.premises.adversary import Adversary
from PETWorks.premises.check import check_names


def compare(
    *releases: Release | AnonymizedTable,
    names: Sequence[str] | None = None,
    requirements: Iterable[Measure | Requirement | str] = (),
    title: str = "",
    accept: Sequence[Accept] = (),
    adversaries: Sequence[Adversary] = (),
) -> Comparison:
    """Compare releases of one original, with the same roles and hierarchies.

    `names` are the names of the releases, by default those of their tables. `requirements` are measures with limits,
    by default the goals of the first release that `anonymize` returned. With requirements, the premises of each
    release are judged, too; `accept` and `adversaries` are as for `Release.check`.

    >>> years = {"year": [("1977", "197*"), ("1983", "198*"), ("1988", "198*")]}
    >>> about = {"original": {"year": ["1977", "1977", "1983", "1988"]}, "hierarchies": years}
    >>> fine = Release({"year": ["1977", "1977", "*", "*"]}, **about)
    >>> coarse = Release({"year": ["197*", "197*", "198*", "198*"]}, **about)
    >>> compare(fine, coarse, names=["fine", "coarse"]).front
    ['coarse']
    """
    given: tuple[object, ...] = releases
    if wrong := [one for one in given if not isinstance(one, Release | AnonymizedTable)]:
        raise ParameterError(
            f"{show_value(wrong[0])} is not a release", hint="pass Release(…), or what anonymize returned"
        )
    if not 2 <= len(releases) <= len(ascii_uppercase):  # noqa: PLR2004 (two at least)
        raise ParameterError(f"{plural(len(releases), 'release')} to compare", hint="pass 2 to 26 releases")
    made = [one for one in releases if isinstance(one, AnonymizedTable)]
    required = [one if isinstance(one, Requirement) else Requirement(read_measure(one)) for one in requirements]
    if not required and made:
        required = [Requirement(goal) for goal in made[0].plan.goals]
    opened = [one.release if isinstance(one, AnonymizedTable) else one for one in releases]
    for one in opened:
        find_tables(one.facts).record_rows()
    facts, measures = [one.facts for one in opened], [one.measure for one in required]
    checks = [one.build_premise_check(measures, accept, adversaries) for one in opened]
    for check in checks:
        check_names(check)
    called = [one.name for one in facts]
    if names is not None:
        called = list(map(str, names))
        if len(called) != len(facts) or len(set(called)) < len(facts):
            raise ParameterError(f"names cannot be {list_quoted(called)}", hint=f"pass {len(facts)} different names")
    return Comparison(facts, called, required, title, checks)
