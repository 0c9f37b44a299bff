"""Read the premises of a policy: findings that are accepted, [[accept]], and adversaries, [[adversary]].

`write_acceptances` drafts the [[accept]] tables that a release needs, with the reasons left to fill in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from PETWorks.evaluation.release import Release
from PETWorks.facts.tallies import find_tables
from PETWorks.policy.toml import Problems, TomlSection, toml_text
from PETWorks.premises.accept import UNFINISHED, WITHOUT_COLUMNS, Accept
from PETWorks.premises.adversary import Adversary
from PETWorks.premises.check import PremiseCheck, check_names
from PETWorks.premises.premise import Premise, Premises
from PETWorks.settings.treatments import Pseudonym

EXAMPLE = 'add why = "read by two people on 2026-11-18", for example'


def read_accepted(file: TomlSection, problems: Problems) -> list[Accept]:
    """Return the acceptances under [[accept]]; add the errors of invalid ones to `problems`."""
    accepted = []
    for one in file.tables("accept"):
        premise, at_most, why = one.text("premise"), one.whole_number("at_most"), one.text("why")
        columns, kinds = one.names("columns"), one.names("of")
        for key, given, hint in (("premise", premise, 'add premise = "free_text", for example'), ("why", why, EXAMPLE)):
            if given is None and key not in one:
                one.refuse(f'missing key "{key}"', hint=hint)
        one.report_unread()
        if premise is not None and why is not None:
            with problems.gathering(one.where):
                accepted.append(Accept(premise, columns, of=kinds, at_most=at_most, why=why))
    return accepted


def read_adversaries(file: TomlSection, problems: Problems) -> list[Adversary]:
    """Return the adversaries under [[adversary]]; add the errors of invalid ones to `problems`."""
    adversaries = []
    for one in file.tables("adversary"):
        name, rows, at_most = one.text("name"), one.word("rows", "one", "all"), one.whole_number("at_most")
        knows = one.value("knows", 'a list of columns, as in ["sex", { age = 1 }]')
        one.report_unread()
        with problems.gathering(one.where):
            known: Any = {"rows": rows or "one", "at_most": at_most or 0}
            adversaries.append(Adversary(name or "", [] if knows is None else knows, **known))
    return adversaries


def read_said(
    file: TomlSection, release: Release | None, treat: Mapping[str, Any], problems: Problems
) -> tuple[tuple[Accept, ...], tuple[Adversary, ...]]:
    """Return acceptances and adversaries; unknown columns in them are problems.

    Pseudonymised columns are accepted automatically, with the fingerprint of their key. No column of an original can be
    lacking in the original, so acceptances about that are ignored when one is read to be anonymised.
    """
    accepted, adversaries = tuple(read_accepted(file, problems)), tuple(read_adversaries(file, problems))
    accepted += tuple(accept_pseudonyms(treat, accepted))
    if release:
        tables = find_tables(release.facts)
        known = [one for one in accepted if one.premise != "columns" or tables.original is not tables.release]
        with problems.gathering(file.where):
            check_names(PremiseCheck(release.facts, accept=known, adversaries=adversaries))
    return accepted, adversaries


def accept_pseudonyms(treat: Mapping[str, Any], accepted: Sequence[Accept]) -> Iterator[Accept]:
    """Yield an acceptance for each pseudonymised column that `given` does not cover."""
    known = {column for one in accepted if one.premise == "identifiers" for column in one.columns}
    for column, treatment in treat.items():
        if isinstance(treatment, Pseudonym) and column not in known:
            kept = [f"kept by {treatment.kept_by}"] if treatment.kept_by else []
            kept += [f"until {treatment.until}"] if treatment.until else []
            why = ", ".join([f'pseudonyms made with the key "{treatment.key}"', *kept])
            yield Accept("identifiers", [column], why=why)


def write_acceptances(premises: Premises) -> str:
    """Return [[accept]] tables that would make all premises hold, each with a reason to fill in."""
    tables = [table for premise in premises.failing for table in _list_tables(premise)]
    return toml_text({"accept": tables}) if tables else ""


def list_unacceptable(premises: Premises) -> list[str]:
    """Return the identifier columns that hold values of the original: nobody can accept these."""
    return [
        column
        for premise in premises.failing
        if premise.name == "identifiers"
        for column in premise.open
        if premise.columns[column]["original"]
    ]


def _list_tables(premise: Premise) -> Iterator[dict[str, Any]]:
    """Yield an [[accept]] table for each open column that can be accepted."""
    if premise.name in WITHOUT_COLUMNS:
        yield {"premise": premise.name, "why": UNFINISHED}
        return
    if premise.name == "rest":
        alone = premise.counts["all"] - premise.counts["qi"]
        yield {"premise": "rest", "columns": list(premise.open), "at_most": alone, "why": UNFINISHED}
        return
    for column in premise.open:
        found = premise.columns[column]
        if premise.name == "identifiers" and column in list_unacceptable(Premises((premise,))):
            continue
        table: dict[str, Any] = {"premise": premise.name, "columns": [column]}
        if premise.name == "contents":
            yield table | {"of": list(found), "at_most": max(found.values()), "why": UNFINISHED}
        elif premise.name == "columns":
            yield table | {"why": UNFINISHED}
        else:
            yield table | {"at_most": premise.count(column), "why": UNFINISHED}
