"""``petworks evaluate``: measure a released table."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from PETWorks.cli import FAILS, HOLDS, NOT_EVALUATED
from PETWorks.cli.cluster import locate
from PETWorks.cli.errors import SeveralProblemsError, print_error
from PETWorks.cli.languages import choose_language
from PETWorks.cli.options import collect_memory
from PETWorks.cli.output import (
    check_outputs,
    choose_format,
    expect_record,
    is_answer_public,
    is_policy,
    print_note,
    print_or_write,
    print_remarks,
    render_answer,
    show_rows_read,
    write_failing_rows,
)
from PETWorks.cli.parameters import build_measures, collect_parameters, write_option
from PETWorks.disclosure.evaluation import publish_note
from PETWorks.disclosure.results import disclose_note
from PETWorks.errors import NotAskableError, ParameterError, PETWorksError
from PETWorks.evaluation.evaluation import Evaluation
from PETWorks.evaluation.release import Release
from PETWorks.facts.tallies import find_tables
from PETWorks.measure.base import Measure
from PETWorks.measure.parameter import find_parameters
from PETWorks.policy.earlier import read_named
from PETWorks.policy.toml import Problems
from PETWorks.premises.premise import Premise
from PETWorks.render.fill import MarkedText
from PETWorks.render.lines import LineWriter
from PETWorks.render.premises import PremiseWriter
from PETWorks.render.summary import write_evaluation_table
from PETWorks.render.text import note_text
from PETWorks.render.typography import wrap_indented
from PETWorks.settings.section import declared
from PETWorks.settings.sections import DATA, EarlierReleases, Reading, RoleLists
from PETWorks.shown import THRESHOLD
from PETWorks.tables.source import require_header

TABLES = ("original", "population", "holdout")
NOT_TOLD = ("requirement", "covered", "columns")  # premises on what this command does not ask for
SETTINGS = [name for name in declared(*DATA, EarlierReleases, RoleLists) if name not in ("released", "insensitive")]


def run(options: argparse.Namespace) -> int:
    """Measure the table and print the answer; return the exit code."""
    options.lang = choose_language(options)
    if is_policy(options.table):
        hint = f"use petworks check {shlex.quote(options.table)}"
        raise ParameterError("that is a policy, not a table", where=options.table, hint=hint)
    release, asked = prepare(options, options.table, options.measures)
    expect_record(release, [choose_format(options)])
    find_tables(release.facts).record_rows()
    with show_rows_read(options.lang):
        evaluation = release.evaluate(*asked, others=not options.measures)
        text = render_answer(evaluation, lambda shown: write_evaluation_table(shown, options.lang), options)
        failing = tuple(one for one in evaluation.premises.failing if one.name not in NOT_TOLD)
    print_or_write(text, options)
    _tell_premises(failing, options.lang)
    write_failing_rows(evaluation, options)
    for problem in _find_unjudged(options, asked, evaluation):
        print_error(problem, options.arguments)
        return NOT_EVALUATED
    return FAILS if evaluation.holds is False else HOLDS


def _tell_premises(failing: tuple[Premise, ...], language: str) -> None:
    """Print the names of premises that do not hold, as a note, since `evaluate` gives no verdict."""
    if failing:
        writer = PremiseWriter(LineWriter(language))
        text = writer.say("evaluate", names=MarkedText(writer.write_names(failing)))
        print_note("\n".join(wrap_indented(text, 0)))


def _find_unjudged(
    options: argparse.Namespace, asked: Iterable[Measure], evaluation: Evaluation
) -> Iterator[PETWorksError]:
    """Yield an error for each parameter that no evaluated measure used."""
    for name in collect_parameters(options):
        takers = [measure.name for measure in asked if name in find_parameters(type(measure))]
        if takers and all(taker in evaluation.skipped for taker in takers):
            reason = evaluation.skipped[takers[0]]
            if is_answer_public(options):
                reason = publish_note(reason)
            elif not options.show_small_classes:
                reason = disclose_note(reason, THRESHOLD)
            problem = f"{write_option(name)} was given, but {takers[0]} could not be evaluated"
            yield NotAskableError(problem, hint=note_text(reason))


def prepare(options: argparse.Namespace, table: str, measures: list[str]) -> tuple[Release, list[Measure]]:
    """Build the release and the measures of a command; raise all their problems at once."""
    problems = Problems()
    parameters = collect_parameters(options)
    if not {"function", "model"}.isdisjoint(parameters):
        sys.path.append(str(Path.cwd()))  # the module of the user's function may be here
    asked = build_measures(measures, parameters, problems)
    if not measures and not options.earlier:  # parameters alone do not ask for what needs earlier releases
        asked = [one for one in asked if not one.for_editions] or asked
    with problems.gathering():
        release = Release(locate(table, options), **collect_settings(options), **collect_memory(options))
        require_header(find_tables(release.facts).release)
        check_outputs(options, (table, *(getattr(options, name) for name in TABLES), *release.files))
    if problems:
        raise SeveralProblemsError(problems)
    print_remarks(release, options.lang)
    return release, asked


def collect_settings(options: argparse.Namespace) -> dict[str, Any]:
    """Return the options about the table that the user set, as arguments of `Release`."""
    found = {
        name: value for name in SETTINGS if (value := getattr(options, name)) not in (None, False)
    } | collect_reading(options)
    found |= {name: locate(found[name], options) for name in (*TABLES, "key_file") if name in found}
    if "earlier" in found:
        found["earlier"] = [read_named(one, lambda path: locate(path, options)) for one in found["earlier"]]
    return found


def collect_reading(options: argparse.Namespace) -> dict[str, Any]:
    """Return the options about the form of tables that the user set, as arguments of `Release`."""
    given = {name: getattr(options, name) for name in declared(Reading)}
    read = Reading.pick(given)
    return {name: getattr(read, name) for name, value in given.items() if value is not None}
