"""``petworks check``: judge a release by a policy file, and write the reports that the policy names."""

from __future__ import annotations

import argparse
from contextlib import suppress
from dataclasses import replace

from PETWorks.cli import FAILS, HOLDS, NOT_ASKED
from PETWorks.cli.errors import print_unevaluated, tell
from PETWorks.cli.evaluate import memory
from PETWorks.cli.languages import chosen_language
from PETWorks.cli.output import (
    Text,
    render_answer,
    check_outputs,
    chosen_format,
    expect_record,
    note,
    put,
    render,
    tell_remarks,
    show_rows_read,
    write,
    write_failing_rows,
)
from PETWorks.cli.repeat import Files, digest_of, read_report
from PETWorks.errors import PETWorksError
from PETWorks.evaluation.evaluation import Evaluation
from PETWorks.evaluation.guard import guarded_advice
from PETWorks.measure.result import THRESHOLD
from PETWorks.measure.steps import Name
from PETWorks.policy.policy import Policy, Reporting
from PETWorks.render.fill import fill
from PETWorks.render.summary import check_text
from PETWorks.render.words import words


def run(options: argparse.Namespace) -> int:
    """Judge the release, print the answer, and write the reports; return the exit code."""
    policy = Policy(options.policy, spark=options.spark, **memory(options))
    check_outputs(options, policy.inputs, policy.report.files.values())
    expect_record(policy.release, [chosen_format(options), *policy.report.files])
    options.lang = chosen_language(options, policy.report.language)
    tell_remarks(policy.release, options.lang)
    with show_rows_read(options.lang):
        evaluation = policy.check()
        advice = guarded_advice(evaluation, 1 if options.show_small_classes else THRESHOLD)

    def text(shown: Evaluation) -> str:
        return check_text(shown, options.lang, advice, options.policy)

    with show_rows_read(options.lang):
        answer = render_answer(evaluation, text, options)
    put(answer, options)
    write_failing_rows(evaluation, options)
    print_unevaluated(evaluation.requirements)
    report = policy.report
    if tells_making(policy):
        kept = {form: path for form, path in report.files.items() if form in ("html", "json") and path.is_file()}
        report = replace(report, files={form: path for form, path in report.files.items() if form not in kept})
        word = words(options.lang)
        note(fill(word.command["cli_kept"], {"files": [Name(path.name) for path in kept.values()]}, word))
    small = options.show_small_classes or report.show_small_classes
    written = write_reports(evaluation, report, text, options, small=small)
    return verdict(evaluation) if written else NOT_ASKED


def tells_making(policy: Policy) -> bool:
    """Return True if there is a JSON report that records how this policy made this release.

    A check does not replace it, because `petworks verify` makes the release again from it.
    """
    path, released = policy.report.files.get("json"), policy.named.get("released")
    if path is None or released is None or not path.is_file():
        return False
    with suppress(PETWorksError, KeyError, TypeError):
        document = read_report(path)
        record = Files(document["record"], ())
        digests = record.release["sha256"], record.record["policy"]["sha256"]
        return bool(document["making"]) and digests == (digest_of(released), digest_of(policy.path))
    return False


def write_reports(
    evaluation: Evaluation, report: Reporting, text: Text, options: argparse.Namespace, *, small: bool
) -> bool:
    """Write the reports that a policy names; return False if one could not be written."""
    written, audience = True, report.audience
    for form, path in report.files.items():
        try:
            with show_rows_read(options.lang):
                content = render(
                    evaluation, form, text, options, audience=audience, small=small and audience != "public"
                )
            write(path, content, options)
        except PETWorksError as error:  # the other files are still written
            tell(error, options.arguments)
            written = False
    return written


def verdict(evaluation: Evaluation) -> int:
    """Return the exit code for the verdict."""
    if any(one.holds is None for one in evaluation.requirements):
        return NOT_ASKED
    return HOLDS if evaluation.holds else FAILS
