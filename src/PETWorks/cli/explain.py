"""``petworks explain``: explain step by step how results were computed."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence

from PETWorks.cli import HOLDS, NOT_EVALUATED
from PETWorks.cli.errors import SeveralProblemsError, find_option, print_unevaluated
from PETWorks.cli.evaluate import collect_settings, prepare
from PETWorks.cli.languages import choose_language
from PETWorks.cli.options import collect_reading
from PETWorks.cli.output import (
    check_outputs,
    choose_format,
    is_policy,
    print_note,
    print_or_write,
    print_remarks,
    show_rows_read,
)
from PETWorks.cli.parameters import build_measures, collect_parameters
from PETWorks.disclosure.evaluation import disclose_evaluation
from PETWorks.errors import ParameterError
from PETWorks.evaluation.evaluation import Evaluation
from PETWorks.measure.result import Result
from PETWorks.policy.policy import Policy
from PETWorks.policy.toml import Problems
from PETWorks.render.lines import LineWriter


def run(options: argparse.Namespace) -> int:
    """Explain the requirements of a policy, or measures of a table; return the exit code."""
    if is_policy(options.source):
        evaluation = _evaluate_policy(options)
    else:
        options.lang = choose_language(options)
        release, asked = prepare(options, options.source, [options.measure] if options.measure else [])
        with show_rows_read(options.lang):
            evaluation = release.evaluate(*asked, others=not options.measure)
    shown = evaluation if options.show_small_classes else disclose_evaluation(evaluation)
    with show_rows_read(options.lang):
        text = _write_explanations(shown, options)
    if len(shown):
        print_or_write(text, options)
    writer, code = LineWriter(options.lang), HOLDS
    for one in shown.requirements:
        if one.problem:
            reason = writer.write_reason(one.problem, one.measure, "policy_")
            print_note(f"{writer.write_title(one.measure)}{writer.word.colon}{reason}")
            code = NOT_EVALUATED
    print_unevaluated(evaluation.requirements, public=False)
    return code


def _evaluate_policy(options: argparse.Namespace) -> Evaluation:
    """Evaluate the requirements of a policy; or one measure, if it is not required or other parameters are given."""
    if table_options := collect_settings(options):
        problem = (
            f"{find_option(next(iter(table_options)))} cannot be used with a policy, which describes the table itself"
        )
        raise ParameterError(problem, hint="change the policy, or name the table instead of the policy")
    policy = Policy(options.source, spark=options.spark, **collect_reading(options))
    check_outputs(options, policy.inputs)
    options.lang = choose_language(options, policy.report.language)
    print_remarks(policy.release, options.lang)
    parameters, problems = collect_parameters(options), Problems()
    required = [one for one in policy.requirements if not options.measure or one.measure.is_called(options.measure)]
    asked = (
        build_measures([options.measure], parameters, problems)
        if options.measure and (parameters or not required)
        else []
    )
    if parameters and not options.measure:
        problems.add(ParameterError("parameters need a MEASURE", hint="write petworks explain POLICY MEASURE …"))
    if problems:
        raise SeveralProblemsError(problems)
    with show_rows_read(options.lang):
        evaluation = policy.release.evaluate(*asked) if asked else policy.release.check(*required)
    evaluation.judges_premises = False  # they are no measures to be explained
    return evaluation


def _write_explanations(results: Sequence[Result], options: argparse.Namespace) -> str:
    if choose_format(options) == "json":
        steps = [{**result.to_dict(), "steps": result.explain().to_dict()} for result in results]
        return json.dumps(steps, indent=2, ensure_ascii=False)
    return "\n\n".join(str(result.explain(options.lang)) for result in results)
