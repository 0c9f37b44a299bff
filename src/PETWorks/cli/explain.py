"""``petworks explain``: say step by step how results came about."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence

from PETWorks.answer.evaluation import Evaluation
from PETWorks.cli import HOLDS, NOT_ASKED
from PETWorks.cli.errors import Refused, option_of, tell_unasked
from PETWorks.cli.evaluate import memory, prepare, settings
from PETWorks.cli.output import chosen_format, chosen_language, keep_apart, note, put, waiting
from PETWorks.cli.parameters import given, questions
from PETWorks.errors import ParameterError
from PETWorks.measure.result import Result
from PETWorks.policy.policy import Policy
from PETWorks.policy.toml import Problems
from PETWorks.render.lines import Scribe


def run(options: argparse.Namespace) -> int:
    """Explain what a policy requires, or what was asked of a table."""
    if options.source.casefold().endswith(".toml"):
        evaluation = _of_policy(options)
    else:
        options.lang = chosen_language(options)
        release, asked = prepare(options, options.source, [options.measure] if options.measure else [])
        with waiting(options.lang):
            evaluation = release.evaluate(*asked, others=not options.measure)
    shown = evaluation if options.show_small_classes else evaluation.guarded()
    with waiting(options.lang):
        text = _explained(shown, options)
    if len(shown):
        put(text, options)
    scribe, code = Scribe(options.lang), HOLDS
    for one in shown.requirements:
        if one.problem:
            note(f"{scribe.title(one.measure)}{scribe.word.colon}{scribe.reason(one.problem, one.measure, 'policy_')}")
            code = NOT_ASKED
    tell_unasked(evaluation.requirements)
    return code


def _of_policy(options: argparse.Namespace) -> Evaluation:
    """Answer what the policy requires; or a measure that it does not require, or not with these parameters."""
    if said := settings(options):
        raise ParameterError(f"the policy says what the table is: {option_of(next(iter(said)))} cannot say it too")
    policy = Policy(options.source, spark=options.spark, **memory(options))
    keep_apart(options, policy.inputs)
    options.lang = chosen_language(options, policy.report.language)
    parameters, problems = given(options), Problems()
    required = [one for one in policy.requirements if not options.measure or one.measure.is_called(options.measure)]
    asked = (
        questions([options.measure], parameters, problems) if options.measure and (parameters or not required) else []
    )
    if parameters and not options.measure:
        problems.add(ParameterError("parameters need a MEASURE to go to"))
    if problems:
        raise Refused(problems)
    with waiting(options.lang):
        return policy.release.evaluate(*asked) if asked else policy.release.check(*required)


def _explained(results: Sequence[Result], options: argparse.Namespace) -> str:
    if chosen_format(options) == "json":
        steps = [{**result.to_dict(), "steps": result.explain().to_dict()} for result in results]
        return json.dumps(steps, indent=2, ensure_ascii=False)
    return "\n\n".join(str(result.explain(options.lang)) for result in results)
