"""``petworks anonymize``: make the release that a policy file requires, measure it again, and write it.

With ``--front``, also show the alternative releases as a page and as a table.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from pathlib import Path

from PETWorks.anonymization.anonymized_table import AnonymizedTable
from PETWorks.anonymization.recodings import load_recoding
from PETWorks.anonymization.search import PolishProgress, SearchProgress
from PETWorks.anonymization.writing import find_output_format, require_separate
from PETWorks.cli import FAILS, HOLDS, NOT_EVALUATED, pop_interruption
from PETWorks.cli.check import write_reports
from PETWorks.cli.errors import print_error
from PETWorks.cli.languages import choose_language
from PETWorks.cli.options import collect_reading
from PETWorks.cli.output import print_answer, print_note, print_remarks, require_in_folder, show_rows_read, write
from PETWorks.disclosure import choose_threshold
from PETWorks.disclosure.evaluation import disclose_evaluation, disclose_front, disclose_making
from PETWorks.errors import GoalError, OutputError, ParameterError
from PETWorks.evaluation.evaluation import Evaluation
from PETWorks.evaluation.provenance import Front, Provenance
from PETWorks.measure.steps import Name
from PETWorks.policy.ledger import read_ledger
from PETWorks.policy.policy import Policy, Reporting
from PETWorks.render.atomic_write import require_writable, resolve_path
from PETWorks.render.fill import escape_unprintable, fill
from PETWorks.render.lines import LineWriter
from PETWorks.render.page import front_page
from PETWorks.render.page.making import letter_releases, score_title
from PETWorks.render.premises import write_premise_block
from PETWorks.render.text import warning_text
from PETWorks.render.typography import (
    WIDTH,
    display_width,
    format_brief,
    format_number,
    format_percent,
    pad,
    wrap_indented,
)
from PETWorks.settings.section import declared
from PETWorks.settings.sections import Search
from PETWorks.shown import Exact, show_exactly


def search_front(made: AnonymizedTable, options: argparse.Namespace) -> Front:
    """Search for alternative releases; Ctrl-C ends the search with those that were found."""
    writer = LineWriter(options.lang)
    with show_rows_read(options.lang) as show:
        found = made.front(
            options.front_work,
            lambda done, all_: show(writer.say("made_front", done=Exact(done), all=Exact(all_)), done / all_),
        )
    if pop_interruption():
        print_note(writer.say("made_front_interrupted"))
    return found


def show_front(made: AnonymizedTable, found: Front, options: argparse.Namespace, *, small: bool) -> None:
    """Print alternative releases as a table, and write their page, if --front is given."""
    if not options.front:
        return
    writer, least = LineWriter(options.lang), choose_threshold(small=small)
    making = disclose_making(made.provenance, least)
    front = disclose_front(found, making.gone, least)
    print_answer("\n".join(["", *_write_front_lines(front, making, least, writer)]))
    original = made.facts.name
    write(options.front, front_page(front, making, original, least=least, language=options.lang), options)


def _write_front_lines(front: Front, making: Provenance, least: int, writer: LineWriter) -> Iterator[str]:
    """Yield a line for each release; the one that was made is marked."""
    word = writer.word.page
    title = word["front_lost"] if making.plan["utility"] == "loss" else score_title(making)[writer.language]
    heads = ["", word["front_limit"], word["front_rate"], word["front_suppressed"], word["front_risk"], title]
    rows = [
        [
            f"{letter}*" if one.chosen else letter,
            ", ".join(escape_unprintable(f"{name} {value}") for name, value in one.limits.items()),
            format_percent(one.rate),
            f"{one.suppressed:,}",
            format_brief(one.risk),
            f"{one.score:.3f}",
            " ".join(map(str, one.levels.values())),
        ]
        for letter, one in letter_releases(front)
    ]
    table = [[*heads, word["front_levels"]], *rows]
    widths = [max(display_width(row[place]) for row in table) for place in range(len(heads))]
    apart = "  " if sum(widths) + 2 * len(widths) + display_width(table[-1][-1]) <= WIDTH else "\n    "
    for row in table if rows else ():
        yield apart.join(["  ".join(map(pad, row, widths)), row[-1]]).rstrip()
    remarks = [] if rows else [word["front_none"]]
    if rows:
        columns = [Name(column) for column in making.levels]
        remarks += [f"* {word['front_this']}", fill(word["front_order"], {"columns": columns}, writer.word)]
    if not front.complete:
        remarks.append(writer.say("made_front_cut", nodes=Exact(front.nodes)))
    if front.left_out:
        remarks.append(
            fill(word["front_left_out"], {"number": Exact(front.left_out), "least": Exact(least)}, writer.word)
        )
    for remark in remarks:
        yield from wrap_indented(remark, 0)


DIGITS = Decimal("0.0001")


def run(options: argparse.Namespace) -> int:
    """Make the release, write it and print a summary; return 1 if the goals cannot be met, or a premise fails."""
    duration, asked = declared(Search)["time_limit"].kind, options.time_limit
    limit = {} if asked is None else {"time_limit": duration.read(asked, "--time-limit")}
    recipe = Policy(options.policy, **collect_reading(options), instead=limit, purpose="anonymize")
    options.lang = choose_language(options, recipe.report.language)
    writer = LineWriter(options.lang)
    target, report = _choose_target(recipe, options), _collect_reports(recipe, options)
    _check_outputs(recipe, target, report, options)
    if report.record or not {"html", "json"}.isdisjoint(report.files):
        recipe.hash_while_reading()
    print_remarks(recipe.original, writer.language)
    try:
        with show_rows_read(writer.language) as show:
            loss = recipe.plan.utility is None
            made = recipe.anonymize(lambda progress: show(*_write_progress(progress, writer, loss=loss)))
    except GoalError as error:
        print_error(error, options.arguments)
        return FAILS
    if pop_interruption():
        print_note(writer.say("made_interrupted"))
    with show_rows_read(writer.language):
        dry = options.dry_run
        judged = (
            _judge_unwritten(made, recipe) if dry else recipe.judge(made.write(target, inputs=_list_inputs(recipe)))
        )
    small = options.show_small_classes or report.show_small_classes
    answer = "\n".join(_write_lines(made, judged, target, writer, choose_threshold(small=small)))
    print_answer(answer)
    print_note(writer.say("made_dry_run") if options.dry_run else writer.say("cli_wrote", file=Name(target)))
    _tell_local(made, writer)
    reported = "html" in report.files and not options.dry_run and made.has_level_vector
    if options.front or reported:
        judged.front = search_front(made, options)
        show_front(made, judged.front, options, small=small)
    if left := [] if options.dry_run else _find_left_reports(recipe, options):
        print_note(writer.say("cli_left", files=list(map(Name, left)), released=Name(recipe.target)))
    written = options.dry_run or write_reports(judged, report, lambda _: answer, options, small=small)
    if not written:
        return NOT_EVALUATED
    return FAILS if judged.premises_fail else HOLDS


def _judge_unwritten(made: AnonymizedTable, recipe: Policy) -> Evaluation:
    """Evaluate the release from memory, when it is not written."""
    _ = made.remarks
    judged = Evaluation([goal.evaluate(made.facts) for goal in made.plan.goals])
    made.release.judge_premises(judged, recipe.accept, recipe.adversaries)
    return judged


def _check_outputs(recipe: Policy, target: Path, report: Reporting, options: argparse.Namespace) -> None:
    """Raise an error, before anything is made, if an output must not or cannot be written."""
    outputs = () if options.dry_run else (target, *report.all_files)
    if outputs:
        recipe.require_replaceable(target)
    typed = {Path(one) for one in (options.output, options.record, options.report) if one}
    require_in_folder(recipe.path, [path for path in outputs if path not in typed], options)
    ledger = read_ledger(named[1]) if (named := recipe.earlier.ledger) and outputs else None
    for output in filter(None, (options.front, *outputs)):
        require_writable(output)
        if ledger:
            ledger.require_free(Path(output))


def _choose_target(recipe: Policy, options: argparse.Namespace) -> Path:
    """Return the file to write; raise an error before the search if it cannot be written."""
    if not (target := Path(options.output) if options.output else recipe.target):
        hint = 'name a file with -o, or add released = "released.csv" to [data]'
        raise OutputError("no file is named for the release", where=str(recipe.path), hint=hint)
    find_output_format(target)
    require_separate(target, _list_inputs(recipe))
    return target


def _collect_reports(recipe: Policy, options: argparse.Namespace) -> Reporting:
    """Return the reports to write: those of the policy, replaced by those of the command line."""
    record, named = Path(options.record) if options.record else None, _is_named(recipe, options)
    given = {"html": Path(options.report)} if options.report else {}
    if (given or record) and options.dry_run:
        hint = "leave out --dry-run, or --record and --report"
        raise ParameterError("nothing is written by a dry run, so nothing can be recorded", hint=hint)
    if options.front and not load_recoding(recipe.plan.recoding).has_level_vector:
        hint = 'leave out --front, or set recoding = "global" in [anonymize]'
        raise ParameterError("--front is for releases with one level for each column", hint=hint)
    if options.front_work is not None and options.front_work < 0:
        hint = "pass a number of level vectors, such as --front-work 10000"
        raise ParameterError("--front-work must be a whole number that is not negative", hint=hint)
    files = {**(recipe.report.files if named else {}), **given}
    if record and recipe.report.audience != "public":
        files.pop("json", None)  # the record takes its place
    report = replace(
        recipe.report,
        files=files,
        signed_report=files.get("html"),
        record=record or (recipe.report.record if named else None),
    )
    outputs = [*report.all_files, *([Path(options.front)] if options.front else [])]
    for place, path in enumerate(outputs):
        require_separate(path, _list_inputs(recipe), _choose_target(recipe, options), *outputs[:place])
    return report


def _is_named(recipe: Policy, options: argparse.Namespace) -> bool:
    """Return True if the policy names this release: only then do its reports describe it."""
    return recipe.target is None or resolve_path(recipe.target) == resolve_path(_choose_target(recipe, options))


def _find_left_reports(recipe: Policy, options: argparse.Namespace) -> list[str]:
    """Return the names of existing reports on another release, which are not replaced."""
    return [] if _is_named(recipe, options) else [one.name for one in recipe.report.all_files if one.exists()]


def _list_inputs(recipe: Policy) -> list[Path]:
    """Return the files that are read: all that the policy names except the release."""
    return [one for one in recipe.inputs if one != recipe.target]


def _write_progress(
    progress: SearchProgress | PolishProgress, writer: LineWriter, *, loss: bool
) -> tuple[str, float | None]:
    """Write the progress of the search, its best score and bound; also return the share that is done, if known."""
    if isinstance(progress, PolishProgress):
        return writer.say("made_polishing", rounds=Exact(progress.rounds), best=format_number(progress.worth)), None
    done = progress.vectors - progress.open
    text = writer.say("made_progress", done=Exact(done), vectors=Exact(progress.vectors))
    if progress.worth is not None:
        best, bound = format_number(progress.worth), f"{_round_bound(progress.reach or 0.0, loss=loss)}"
        text = writer.say("made_progress_loss" if loss else "made_progress_best", progress=text, best=best, bound=bound)
    return text, done / progress.vectors


def _round_bound(bound: float, *, loss: bool) -> Decimal:
    """Round a bound in the direction that keeps it valid."""
    return Decimal(bound).quantize(DIGITS, ROUND_FLOOR if loss else ROUND_CEILING)


def _write_lines(
    made: AnonymizedTable, judged: Evaluation, target: Path, writer: LineWriter, least: int
) -> Iterator[str]:
    """Yield the answer: the file and its size, its utility, the levels, and whether requirements and premises hold."""
    disclosed = disclose_evaluation(judged, least, explained=False)
    yield from write_premise_block(disclosed, writer)
    for remark in made.remarks:
        yield from (*wrap_indented(warning_text(remark, writer.language), 0), "")
    name, size = escape_unprintable(target.name), _write_scope(made, writer)
    fits = display_width(f"{name}  {size}") <= WIDTH
    yield from [f"{name}  {size}"] if fits else [name, *wrap_indented(size, 2)]
    making = disclose_making(made.provenance, least)
    yield from wrap_indented(_write_utility(made, making, writer), 2)
    widest = max(map(display_width, made.levels), default=0)
    heights = (
        {ladder.name: ladder.height for ladder in made.facts.combination_labels.table.ladders} if made.levels else {}
    )
    for column, level in making.levels.items():
        title = pad(escape_unprintable(column), min(widest, WIDTH // 2))
        shown = _write_level(level, heights[column], writer)
        yield f"  {title}  {writer.say('made_given', level=shown) if column in made.plan.levels else shown}"
    if people := made.facts.scope.people:
        yield from wrap_indented(
            writer.say("made_people", people=Exact(people.people), suppressed=Exact(people.suppressed)), 2
        )
    if made.divided:
        yield from wrap_indented(fill(writer.word.making["parts"], {}, writer.word), 2)
    if flat := [Name(name) for name in made.without_hierarchy]:
        yield from wrap_indented(fill(writer.word.making["without_hierarchy"], {"columns": flat}, writer.word), 2)
    yield from wrap_indented(writer.write_answer(judged), 0)
    yield from (line for text in writer.write_alarms(disclosed) for line in wrap_indented(text, 0))


def _write_scope(made: AnonymizedTable, writer: LineWriter) -> str:
    scope = made.facts.scope
    if made.plan.suppressed_rows == "remove":
        counts = {"suppressed": scope.suppressed, "share": scope.suppressed / scope.rows, "classes": scope.classes}
        return writer.say("made_removed", rows=Exact(scope.rows - scope.suppressed), **show_exactly(counts))
    return writer.write_scope(scope)


def _write_utility(made: AnonymizedTable, making: Provenance, writer: LineWriter) -> str:
    """Write the utility or loss, and whether a better release is possible."""
    loss = made.plan.utility is None
    word = "made_loss" if loss else "made_weighted" if made.weighted else ""
    name = writer.say(word) if word else writer.write_title(made.utility.measure)
    value = format_number(made.worth)
    proof, bound = made.proof, made.bound
    if better := making.better:
        other = {} if better.score is None else {"other": format_number(better.score)}
        return writer.say("made_better" if other else "made_better_untold", utility=name, value=value, **other)
    if made.proven:
        key = "made_proven" if proof else "made_proven_means"
        return writer.say(key, utility=name, value=value, vectors=Exact(proof.vectors if proof else 0))
    if bound is None or made.given:
        return writer.say("made_given_open" if made.given else "made_found", utility=name, value=value)
    rounded = _round_bound(bound, loss=loss)
    kind = writer.say(f"made_{made.plan.recoding}")
    return writer.say("made_below" if loss else "made_above", utility=name, value=value, kind=kind, bound=f"{rounded}")


def _tell_local(made: AnonymizedTable, writer: LineWriter) -> None:
    """Print what local recoding would retain, if that is known and more."""
    try:
        value = made.local_estimate
    except KeyboardInterrupt:  # the release is written; the reports follow
        pop_interruption()
        return
    if value is not None:
        word = "made_local_loses" if made.plan.utility is None else "made_local_keeps"
        print_note(writer.say(word, value=f"{value:.2f}"))


def _write_level(level: int | Mapping[int, int] | None, height: int, writer: LineWriter) -> str:
    if level is None:
        return writer.word.page["levels_differ"]
    if isinstance(level, int):
        return writer.say("made_level", level=Exact(level), height=Exact(height))
    rows = sum(level.values())
    shares = (f"{one}: {format_percent(many / rows)}" for one, many in sorted(level.items()) if many)
    return writer.say("made_levels", levels=writer.word.separator.join(shares), height=Exact(height))
