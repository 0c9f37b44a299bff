"""``petworks check``: judge a release by a policy file, and write the reports that the policy names."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from PETWorks.cli import FAILS, HOLDS, NOT_EVALUATED
from PETWorks.cli.errors import print_error, print_unevaluated
from PETWorks.cli.languages import choose_language
from PETWorks.cli.options import collect_reading
from PETWorks.cli.output import (
    Text,
    check_outputs,
    choose_format,
    collect_output_settings,
    expect_record,
    is_answer_public,
    print_answer,
    print_note,
    print_or_write,
    print_remarks,
    render_answer,
    require_in_folder,
    show_rows_read,
    write,
    write_failing_rows,
    write_premise_rows,
)
from PETWorks.disclosure import choose_threshold
from PETWorks.disclosure.evaluation import disclose_advice
from PETWorks.errors import PETWorksError
from PETWorks.evaluation.evaluation import Evaluation
from PETWorks.evaluation.provenance import Provenance
from PETWorks.measure.steps import Name
from PETWorks.policy.policy import Policy, Reporting
from PETWorks.policy.premises import list_unacceptable, write_acceptances
from PETWorks.render.fill import fill
from PETWorks.render.lines import LineWriter
from PETWorks.render.premises import PremiseWriter
from PETWorks.render.summary import write_check
from PETWorks.render.typography import wrap_indented
from PETWorks.render.words import words

DAMAGED = (PETWorksError, LookupError, TypeError, ValueError, AttributeError, ArithmeticError)  # by a changed record


def run(options: argparse.Namespace) -> int:
    """Judge the release, print the answer, and write the reports; return the exit code."""
    policy = Policy(options.policy, spark=options.spark, **collect_reading(options))
    require_in_folder(policy.path, policy.report.all_files, options)
    check_outputs(options, policy.inputs, policy.report.all_files)
    expect_record(
        policy.release, [choose_format(options), *policy.report.files, *(["json"] if policy.report.record else [])]
    )
    options.lang = choose_language(options, policy.report.language)
    print_remarks(policy.release, options.lang)
    record = find_record(policy)
    with show_rows_read(options.lang):
        evaluation = policy.check()
        if options.premises:
            return print_acceptances(evaluation, options.lang)
        if record:
            evaluation.recorded = restore_provenance(record, evaluation)
        advice = disclose_advice(evaluation, choose_threshold(small=options.show_small_classes))

    def text(shown: Evaluation) -> str:
        return write_check(shown, options.lang, advice, options.policy)

    with show_rows_read(options.lang):
        if policy.report.kept_record:
            prepare = evaluation.use_record if record else evaluation.prepare_record
            prepare(policy.report.kept_record, original_digest=not options.no_original_digest)
        answer = render_answer(evaluation, text, options)
    print_or_write(answer, options)
    write_failing_rows(evaluation, options)
    write_premise_rows(evaluation, options)
    print_unevaluated(evaluation.requirements, public=is_answer_public(options))
    report = policy.report
    if record:
        kept = {form: path for form, path in report.files.items() if form in ("html", "json") and path.is_file()}
        files = {form: path for form, path in report.files.items() if form not in kept}
        page = report.approval if report.approval and report.approval.is_file() and "html" in kept else None
        names = [Name(path.name) for path in (*kept.values(), *(one for one in (report.record, page) if one))]
        report = replace(report, files=files, record=None, signoff=None if page else report.signoff)
        word = words(options.lang)
        print_note(fill(word.command["cli_kept"], {"files": names}, word))
    small = options.show_small_classes or report.show_small_classes
    written = write_reports(evaluation, report, text, options, small=small)
    return find_exit_code(evaluation) if written else NOT_EVALUATED


def print_acceptances(evaluation: Evaluation, language: str) -> int:
    """Print [[accept]] tables that would let premises stand, with reasons to fill in; return the exit code."""
    premises, writer = evaluation.premises, PremiseWriter(LineWriter(language))
    lines = write_acceptances(premises)
    if lines:
        print_note("\n".join(wrap_indented(writer.say("fill_in"), 0)))
        print_answer(lines.rstrip("\n"))
    if names := list_unacceptable(premises):
        print_note("\n".join(wrap_indented(writer.say("cannot_accept", columns=[Name(name) for name in names]), 0)))
    if not premises.failing:
        print_note(writer.say("nothing_open"))
    return find_exit_code(evaluation)


def find_record(policy: Policy) -> dict[str, Any] | None:
    """Return the JSON report that records how this policy made this release; None if there is none.

    A check does not replace it, because `petworks verify` makes the release again from it.
    """
    path, released = policy.report.kept_record, policy.named.get("released")
    if path is None or released is None or not path.is_file():
        return None
    from PETWorks.cli.repeat import Files, compute_path_digest, read_report

    with suppress(PETWorksError, KeyError, TypeError):
        document = read_report(path)
        record = Files(document["record"], ())
        digests = record.release["sha256"], record.record["policy"]["sha256"]
        known = digests == (compute_path_digest(released), compute_path_digest(policy.path))
        return document if document["making"] and known else None
    return None


def restore_provenance(document: Mapping[str, Any], evaluation: Evaluation) -> Provenance | None:
    """Return the provenance from a record that has a front, for the report on the release; None if it has none."""
    from PETWorks.cli.repeat import restore_front

    with suppress(*DAMAGED):
        return restore_front(document["making"], evaluation)
    return None


def write_reports(
    evaluation: Evaluation, report: Reporting, text: Text, options: argparse.Namespace, *, small: bool
) -> bool:
    """Write the reports that a policy names; return False if one could not be written."""
    written, settings = True, collect_output_settings(options, text, small=small)
    for form, path, render in report.render(evaluation, settings):
        try:
            with show_rows_read(options.lang):
                content = render()
            write(path, content, options, private=small or path == report.kept_record)
            if form == "approval" and not evaluation.holds:
                print_note(fill(words(options.lang).command["cli_unsigned"], {"file": Name(path)}, words(options.lang)))
        except PETWorksError as error:  # the other files are still written
            print_error(error, options.arguments)
            written = False
    return written


def find_exit_code(evaluation: Evaluation) -> int:
    """Return the exit code for the verdict on requirements and premises; first comes what could not be evaluated."""
    if any(one.holds is None for one in evaluation.requirements):
        return NOT_EVALUATED
    return HOLDS if evaluation.holds else FAILS
