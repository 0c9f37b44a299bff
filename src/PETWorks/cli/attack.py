"""``petworks attack``: simulate adversaries who look for people in a release, and report whom they find."""

from __future__ import annotations

import argparse
from pathlib import Path

from PETWorks.cli import FAILS, HOLDS
from PETWorks.cli.errors import find_option
from PETWorks.cli.evaluate import collect_settings
from PETWorks.cli.languages import choose_language
from PETWorks.cli.options import collect_memory, collect_reading
from PETWorks.cli.output import check_outputs, choose_format, is_policy, print_or_write, print_remarks, show_rows_read
from PETWorks.errors import ParameterError
from PETWorks.evaluation.release import Release
from PETWorks.policy.policy import Policy
from PETWorks.premises.adversary import Adversary
from PETWorks.premises.attack import attack
from PETWorks.render.attack import attack_json, attack_text


def run(options: argparse.Namespace) -> int:
    """Simulate the adversaries, and print whom they find; return 1 if one of them finds more people than it may."""
    release, adversaries = _open_release(options)
    print_remarks(release, options.lang)
    with show_rows_read(options.lang):
        tried = attack(release, adversaries, remedies=not options.no_remedies)
    name, public = release.facts.name, options.audience == "public"
    if choose_format(options) == "json":
        text = attack_json(tried, name, public=public)
    else:
        text = attack_text(tried, options.lang, name, public=public)
    print_or_write(text, options)
    return FAILS if tried.holds is False else HOLDS


def _open_release(options: argparse.Namespace) -> tuple[Release, tuple[Adversary, ...]]:
    """Return the release of a policy, or of the options, and the adversaries that the policy names."""
    named = options.release if is_policy(options.release) else options.policy
    if named is None:
        options.lang = choose_language(options)
        settings = collect_settings(options) | collect_memory(options)
        check_outputs(options, [options.release, settings.get("original"), settings.get("population")])
        return Release(options.release, **settings), ()
    if given := collect_settings(options):
        problem = f"{find_option(next(iter(given)))} cannot be used with a policy, which describes the table itself"
        raise ParameterError(problem, hint="change the policy, or leave out --policy")
    table = None if named == options.release else Path(options.release)
    policy = Policy(named, purpose="check", released=table, **collect_reading(options))
    options.lang = choose_language(options, policy.report.language)
    check_outputs(options, policy.inputs)
    return policy.release, policy.adversaries
