"""``petworks compare``: judge several releases of one original by one policy, side by side."""

from __future__ import annotations

import argparse

from PETWorks.cli import FAILS, HOLDS
from PETWorks.cli.errors import Refused
from PETWorks.cli.evaluate import memory
from PETWorks.cli.languages import chosen_language
from PETWorks.cli.output import PUBLIC, check_outputs, chosen_format, put, repeated, waiting
from PETWorks.comparing import compare
from PETWorks.policy.policy import Policy
from PETWorks.policy.toml import Problems
from PETWorks.presentation import presenter


def run(options: argparse.Namespace) -> int:
    """Compare the tables and print the answer; return the exit code."""
    problems, policies = Problems(), list[Policy]()
    for table in options.tables:
        with problems.gathering():
            policies.append(Policy(options.policy, released=table, **memory(options)))
    if problems:
        raise Refused(problems)
    options.lang = chosen_language(options, policies[0].report.language)
    check_outputs(options, [one for policy in policies for one in policy.inputs])
    form = chosen_format(options)
    public = options.audience == "public" or (
        options.audience is None and form in PUBLIC and not options.show_small_classes
    )
    with waiting(options.lang):
        first = policies[0]
        compared = compare(
            *(policy.release for policy in policies),
            names=options.names,
            requirements=first.requirements,
            title=first.title,
        )
        view = compared.view(show_small_classes=options.show_small_classes, public=public)
        text = presenter().comparison(view, form, options.lang, repeated(options))
    put(text, options)
    return HOLDS if any(one.holds for one in compared.evaluations) or not first.requirements else FAILS
