"""``petworks release``: enter a release that holds into the ledger of its dataset."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from PETWorks.cli import HOLDS
from PETWorks.cli.check import find_exit_code
from PETWorks.cli.errors import print_unevaluated
from PETWorks.cli.languages import choose_language
from PETWorks.cli.options import collect_reading
from PETWorks.cli.output import print_answer, show_rows_read
from PETWorks.errors import ParameterError
from PETWorks.evaluation.evaluation import Evaluation
from PETWorks.facts.tallies import find_tables
from PETWorks.measure.steps import Name
from PETWorks.policy.ledger import append_entry, describe_file, read_ledger
from PETWorks.policy.policy import Policy
from PETWorks.render.fill import fill
from PETWorks.render.words import words
from PETWorks.settings.sections import LedgerFile
from PETWorks.user.keys import KeyKind, read_key


def run(options: argparse.Namespace) -> int:
    """Check the release, and enter it if it holds; return the exit code."""
    options.lang = choose_language(options)
    word = words(options.lang)
    policy = Policy(options.policy, purpose="check", **collect_reading(options))
    if policy.earlier.ledger is None:
        hint = 'add [ledger] with file = "releases.jsonl" and dataset = "visits"'
        raise ParameterError("the policy names no ledger", where=policy.path.name, hint=hint)
    key = read_key(options.sign, KeyKind.SIGNING) if options.sign else None
    with show_rows_read(options.lang):
        evaluation = policy.check()
        code = find_exit_code(evaluation)
        rows = find_tables(policy.release.facts).release.tally([policy.release.facts.roles.quasi_identifiers[0]]).rows
    if code != HOLDS and not options.despite:
        print_unevaluated(evaluation.requirements, public=False)
        print_answer(word.command["release_not_entered"])
        return code
    settings, path = policy.earlier.ledger
    entry = build_entry(policy, settings, path, evaluation, options)
    entry["files"][0]["rows"] = rows
    append_entry(path, entry, key)
    head = read_ledger(path).head
    print_answer(fill(word.command["release_entered"], {"file": Name(path.name), "head": Name(str(head))}, word))
    return HOLDS


def build_entry(
    policy: Policy, settings: LedgerFile, path: Path, evaluation: Evaluation, options: argparse.Namespace
) -> dict[str, Any]:
    """Return what is entered: the files with their digests, who may have them, and what was judged."""
    tables, folder = find_tables(policy.release.facts), path.parent
    keys = policy.earlier.key_file
    if keys is None and (settings.key is None or tables.original is None):
        hint = "write key under [ledger], a column of the original; or key_file under [data]"
        raise ParameterError("nothing says who the rows of this release are of", where=policy.path.name, hint=hint)
    roles = policy.release.facts.roles
    original = policy.named.get("original")
    record = policy.report.kept_record
    joined = [one for one in evaluation.requirements if one.measure.for_editions]
    return {
        "dataset": settings.dataset,
        "to": options.to,
        "files": [describe_file(policy.named["released"], folder)],
        "key_file": keys and describe_file(keys, folder),
        "key": None if keys else settings.key,
        "policy": describe_file(policy.path, folder),
        "record": describe_file(record, folder) if record and record.is_file() else None,
        "original": original and describe_file(original, folder),
        "joint": [{"measure": one.measure.name, "holds": one.holds} for one in joined],
        "roles": {
            "quasi_identifiers": list(roles.quasi_identifiers),
            "sensitive": list(roles.sensitive),
            "suppressed": tables.marker,
        },
        "approved_by": options.approved_by,
        "despite": options.despite,
        "note": options.note,
    }
