"""``petworks compare``: judge several releases of one original by one policy, side by side.

Without tables, the candidates that the policy pins are made and compared.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from PETWorks.anonymization.compare import compare
from PETWorks.cli import FAILS, HOLDS
from PETWorks.cli.errors import SeveralProblemsError
from PETWorks.cli.languages import choose_language
from PETWorks.cli.options import collect_reading
from PETWorks.cli.output import (
    check_outputs,
    choose_format,
    is_answer_public,
    print_or_write,
    show_rows_read,
    write_command,
)
from PETWorks.errors import ParameterError
from PETWorks.evaluation.comparison import Comparison
from PETWorks.policy.policy import Policy, compare_pinned, make_pinned
from PETWorks.policy.toml import Problems
from PETWorks.presentation import presenter
from PETWorks.tables.decoding import build_missing_file_error


def run(options: argparse.Namespace) -> int:
    """Compare the tables, or the pinned candidates, and print the answer; return the exit code."""
    compare_them = _compare_tables if options.tables else _compare_pinned
    found = compare_them(options)
    form = choose_format(options)
    with show_rows_read(options.lang):
        view = found.view(show_small_classes=options.show_small_classes, public=is_answer_public(options))
        text = presenter().comparison(view, form, options.lang, write_command(options))
    print_or_write(text, options)
    judged = found.evaluations[0].requirements
    return HOLDS if any(one.holds for one in found.evaluations) or not judged else FAILS


def _compare_tables(options: argparse.Namespace) -> Comparison:
    problems, policies = Problems(), list[Policy]()
    for table in options.tables:
        with problems.gathering():
            if not Path(table).exists():
                raise build_missing_file_error(
                    Path(table), table
                )  # names the path as typed, not as resolved by the policy
            policies.append(Policy(options.policy, released=table, **collect_reading(options)))
    if problems:
        raise SeveralProblemsError(problems)
    first = policies[0]
    options.lang = choose_language(options, first.report.language)
    check_outputs(options, [one for policy in policies for one in policy.inputs])
    with show_rows_read(options.lang):
        releases = [policy.release for policy in policies]
        said: dict[str, Any] = {"accept": first.accept, "adversaries": first.adversaries}
        return compare(*releases, names=options.names, requirements=first.requirements, title=first.title, **said)


def _compare_pinned(options: argparse.Namespace) -> Comparison:
    """Make and compare the pinned candidates; raise all errors if one cannot be made."""
    if options.names:
        raise ParameterError(
            "--name names tables; pinned candidates keep the names in the policy", hint="leave out --name"
        )
    recipe = Policy(options.policy, **collect_reading(options), purpose="anonymize")
    options.lang = choose_language(options, recipe.report.language)
    check_outputs(options, recipe.inputs)
    with show_rows_read(options.lang):
        found = [make_pinned(recipe, one) for one in recipe.pinned]
        problems = Problems()
        for one in found:
            if one.problem:
                one.problem.where = f'candidate "{one.pinned.name}"'
                problems.add(one.problem)
        if problems:
            raise SeveralProblemsError(problems)
        return compare_pinned(recipe, found)
