"""Check all premises of a release, and judge the findings by the acceptances.

>>> from PETWorks import KAnonymity, Release
>>> notes = ["ward A"] * 19 + ["call 0912-345-678"]
>>> release = Release({"sex": ["f"] * 20, "note": notes}, quasi_identifiers=["sex"], insensitive=["note"])
>>> premises = check_premises(release.facts, [KAnonymity(k=5)])
>>> [premise.name for premise in premises.failing], premises["contents"].columns
(['contents'], {'note': {'mobile': 1}})
>>> premises["contents"].rows
{'note': array([20])}
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from PETWorks.facts.facts import Facts
from PETWorks.measure.base import Measure
from PETWorks.premises.accept import PREMISES, Accept, check_acceptances
from PETWorks.premises.adversary import Adversary
from PETWorks.premises.attack import try_adversaries
from PETWorks.premises.findings import Finding, PremiseChecker, build_row_lists
from PETWorks.premises.people_of_rows import are_many
from PETWorks.premises.premise import Premise, Premises, PremiseVerdict, count_accepted
from PETWorks.premises.tables import CheckedTables
from PETWorks.tables.counting.tally import IntArray


@dataclass(frozen=True, eq=False)
class PremiseCheck:
    """A check of premises: the release, its requirements, and the acceptances and adversaries of the caller."""

    facts: Facts
    measures: Sequence[Measure] = ()
    accept: Sequence[Accept] = ()
    adversaries: Sequence[Adversary] = ()
    unassigned: Sequence[str] = ()
    left_out: Sequence[str] = ()

    def __call__(self) -> Premises:
        """Check all premises."""
        checker = self._build_checker()
        judged = [self._judge(name, checker) for name in PREMISES]
        used = {id(one) for premise in judged for one in premise.accepted}
        unused = tuple(one for one in self.accept if id(one) not in used)
        tried = try_adversaries(checker)
        return Premises(tuple(judged), unused, tuple(self.adversaries), tried, checker.find_formulas())

    def find_rows(self, premise: str) -> Mapping[str, IntArray]:
        """Return the numbers of the rows that violate a premise, by column; the tables are read again."""
        return build_row_lists(self._find(premise, self._build_checker()))

    def _build_checker(self) -> PremiseChecker:
        tables = CheckedTables(self.facts, self.left_out)
        return PremiseChecker(tables, self.measures, self.unassigned, self.adversaries)

    def _choose(self, premise: str) -> list[Accept]:
        return [one for one in self.accept if one.premise == premise]

    def _find(self, premise: str, checker: PremiseChecker) -> Finding:
        if premise != "rest":
            return checker.find(premise)
        finding = checker.find("rest")
        if finding.unchecked or not finding.counts or not (usable := self._find_usable(finding)):
            return finding
        return checker.find_rest([name for one in usable for name in one.columns])

    def _find_usable(self, finding: Finding) -> list[Accept]:
        """Return the acceptances of the premise `rest` that cover all people whom all columns single out."""
        found = finding.counts["all"] - finding.counts["qi"]
        return [one for one in self._choose("rest") if one.at_most is None or found <= one.at_most]

    def _judge(self, name: str, checker: PremiseChecker) -> Premise:
        finding = self._find(name, checker)
        if name == "rest" and not finding.unchecked and finding.counts:
            premise = self._judge_rest(finding)
        else:
            premise = self._judge_columns(name, finding)
        return replace(premise, finder=self.find_rows)

    def _judge_rest(self, finding: Finding) -> Premise:
        needed = are_many(finding.counts["all"] - finding.counts["qi"], finding.counts["of"])
        used = tuple(self._find_usable(finding)) if needed else ()
        return _build_premise("rest", finding, finding.failing or (), used)

    def _judge_columns(self, name: str, finding: Finding) -> Premise:
        accept, used, still_open = self._choose(name), dict[int, Accept](), list[str]()
        for column in finding.columns if finding.failing is None else finding.failing:
            covering = None if column in finding.unacceptable else _find_covering(name, column, finding, accept)
            if covering is None:
                still_open.append(column)
            else:
                used |= {id(one): one for one in covering}
        return _build_premise(name, finding, still_open, tuple(used.values()))


def _find_covering(premise: str, column: str, finding: Finding, accept: Sequence[Accept]) -> list[Accept] | None:
    """Return the acceptances that together cover the findings of a column; None if a finding is not covered."""
    covering = list[Accept]()
    for kind, count in _list_counts(premise, finding.columns[column]):
        one = next((one for one in accept if one.covers(column, kind, count)), None)
        if one is None:
            return None
        covering.append(one)
    return covering


def _list_counts(premise: str, found: Any) -> Iterable[tuple[str, int]]:  # noqa: ANN401 (figures of a column)
    """Return each kind of finding in a column, with its count."""
    if premise == "contents":
        return list(found.items())
    return [("", count_accepted(premise, found))]


def _build_premise(name: str, finding: Finding, still_open: Iterable[str], used: tuple[Accept, ...]) -> Premise:
    still_open = tuple(still_open)
    verdict, why = PremiseVerdict.HOLDS, "; ".join(dict.fromkeys(one.why for one in used))
    if still_open:
        verdict = PremiseVerdict.DOES_NOT_HOLD
    elif finding.unchecked:
        verdict = PremiseVerdict.NOT_CHECKED
    elif used:
        verdict = PremiseVerdict.ACCEPTED
    return Premise(
        name,
        verdict,
        finding.columns,
        finding.counts,
        why=why,
        unchecked=finding.unchecked,
        accepted=used,
        open=still_open,
    )


def check_premises(
    facts: Facts,
    requirements: Sequence[Measure] = (),
    accept: Sequence[Accept] = (),
    adversaries: Sequence[Adversary] = (),
    *,
    unassigned: Sequence[str] = (),
    left_out: Sequence[str] = (),
) -> Premises:
    """Check all premises of a release.

    `requirements` are the measures with limits; `unassigned` are the columns without a role although others have one;
    `left_out` are the identifiers of the original that the release leaves out.
    """
    check = PremiseCheck(facts, requirements, accept, adversaries, unassigned, left_out)
    check_names(check)
    return check()


def check_names(check: PremiseCheck) -> None:
    """Raise an error for acceptances of unknown columns or adversaries, and for two of the same column or adversary."""
    tables = CheckedTables(check.facts).inputs
    columns = dict.fromkeys([*tables.release.columns, *(tables.original.columns if tables.original else ())])
    check_acceptances(check.accept, columns, [one.name for one in check.adversaries])
