"""Output of answers: their format, and where they are printed or written."""

from __future__ import annotations

import argparse
import re
import shlex
import sys
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, suppress
from pathlib import Path

from PETWorks.disclosure import Audience
from PETWorks.errors import OutputError, ParameterError
from PETWorks.evaluation.evaluation import Evaluation
from PETWorks.evaluation.release import Release
from PETWorks.measure.steps import Name
from PETWorks.presentation import AudienceName
from PETWorks.progress import show_progress
from PETWorks.render.atomic_write import is_special, require_writable, resolve_path, write_whole
from PETWorks.render.fill import escape_unprintable, fill
from PETWorks.render.formats import OutputSettings, choose_audience, list_endings, load_format, write_for_audience
from PETWorks.render.text import note_text
from PETWorks.render.typography import wrap_indented
from PETWorks.render.words import words
from PETWorks.shown import Exact

PATHS = (
    *("table", "policy", "source", "release", "original", "population", "holdout", "hierarchies"),
    *("output", "failing_rows", "premise_rows", "record", "report"),
)
Text = Callable[[Evaluation], str]


def choose_format(options: argparse.Namespace) -> str:
    """Return the format: of --format, else by the suffix of the output file, else text."""
    if options.format:
        return str(options.format)
    suffix = Path(options.output).suffix.casefold() if options.output and options.output != "-" else ""
    form_of = dict(list_endings()) if suffix else {"": "text"}
    form = form_of.get(suffix, "text" if is_special(Path(options.output or "-")) else "")
    if form in options.formats:
        return form
    known = ", ".join(f"*{one}" for one, other in form_of.items() if one and other in options.formats)
    hint = f"name the file {known}, or choose a format with --format"
    wrong = (
        f"petworks {options.command} cannot write {form}" if form else f'there is no format for files named "*{suffix}"'
    )
    raise OutputError(wrong, where=str(options.output), hint=hint)


def render(
    evaluation: Evaluation,
    form: str,
    text: Text,
    options: argparse.Namespace,
    *,
    audience: AudienceName | None,
    small: bool,
    is_printed: bool = False,
) -> str:
    """Write an evaluation in a format for an audience; what describes small classes is withheld unless `small`."""
    settings = collect_output_settings(options, text, small=small)._replace(is_printed=is_printed)
    return write_for_audience(evaluation, form, settings, audience)


def collect_output_settings(options: argparse.Namespace, text: Text, *, small: bool) -> OutputSettings:
    """Return the output settings of the options."""
    return OutputSettings(
        language=options.lang,
        show_small_classes=small,
        original_digest=not options.no_original_digest,
        command=write_command(options),
        write_text=text,
    )


def find_record(options: argparse.Namespace) -> str | None:
    """Return the path of the answer if it is a record: JSON that is not public."""
    is_file = options.output not in (None, "", "-") and not is_special(Path(options.output))
    can_be = is_file and "audience" in options
    is_record = can_be and choose_format(options) == "json" and options.audience != "public"
    return str(options.output) if is_record else None


def is_answer_public(options: argparse.Namespace) -> bool:
    """Return True if the answer, and so everything else that the command prints, is public."""
    if "audience" not in options:  # a command for those who may see the table
        return False
    audience = choose_audience(choose_format(options), options.audience, small=options.show_small_classes)
    return audience is Audience.PUBLIC


def expect_record(release: Release, formats: Iterable[str]) -> None:
    """Compute digests while the tables are read, if they are to be recorded in one of the formats."""
    if any(load_format(form).has_record for form in formats):
        release.hash_while_reading()


def write_command(options: argparse.Namespace) -> str:
    """Write the command as it was typed, but with file names in place of paths."""
    named = [path for name in PATHS if (path := vars(options).get(name))] + vars(options).get("tables", [])
    paths = sorted(map(str, named), key=len, reverse=True)
    typed = []
    for argument in options.arguments:
        path = next((path for path in paths if argument.endswith(path)), "")
        lead = argument.removesuffix(path)
        whole = path and (not lead or re.fullmatch(r"--[\w-]+=|-\w", lead))
        typed.append(lead + Path(path).name if whole else argument)
    return escape_unprintable(shlex.join(["petworks", *typed]))


def render_answer(evaluation: Evaluation, text: Text, options: argparse.Namespace) -> str:
    """Return an evaluation in the format and for the audience of the options."""
    if record := find_record(options):
        evaluation.prepare_record(record, original_digest=not options.no_original_digest)
    form, is_printed = choose_format(options), options.output in (None, "", "-")
    audience, small = options.audience, options.show_small_classes
    return render(evaluation, form, text, options, audience=audience, small=small, is_printed=is_printed)


def print_or_write(text: str, options: argparse.Namespace) -> None:
    """Print an answer, or write it to the output file."""
    if options.output and options.output != "-":
        write(options.output, text, options, private=find_record(options) is not None)
    elif choose_format(options) == "text" and sys.stdout.isatty():
        from rich.console import Console

        from PETWorks.render.summary import color_verdicts

        Console(highlight=False, soft_wrap=True).print(color_verdicts(text))
    else:
        print_answer(text.rstrip("\n"))


def print_answer(text: str) -> None:
    """Print an answer; ignore the error if the reader closes the pipe early."""
    with suppress(BrokenPipeError):
        print(text, flush=True)


def write(path: str | Path, text: str, options: argparse.Namespace, *, private: bool = False) -> None:
    """Write a file, and print a note with its name. A private one, or one with small classes, is for its owner."""
    private = private or bool(vars(options).get("show_small_classes"))
    write_whole(path, text if text.endswith("\n") else f"{text}\n", private=private)
    word = words(options.lang)
    print_note(fill(word.command["cli_wrote"], {"file": Name(path)}, word))


def write_failing_rows(evaluation: Evaluation, options: argparse.Namespace) -> None:
    """Write the numbers of the rows in failing classes, if --failing-rows is given."""
    if options.failing_rows:
        with show_rows_read(options.lang):
            numbers = (evaluation.failing_positions() + 1).tolist()
        write(options.failing_rows, "\n".join(["row", *map(str, numbers)]), options, private=True)


def write_premise_rows(evaluation: Evaluation, options: argparse.Namespace) -> None:
    """Write the rows that violate premises, including accepted ones, if --premise-rows is given."""
    if not options.premise_rows:
        return
    lines = ["premise,column,row"]
    with show_rows_read(options.lang):
        for one in (*evaluation.premises.failing, *evaluation.premises.accepted):
            for column, rows in one.rows.items():
                quoted = '"{}"'.format(column.replace('"', '""'))
                lines += [f"{one.name},{quoted},{row}" for row in rows.tolist()]
    write(options.premise_rows, "\n".join(lines), options)


def print_note(text: str) -> None:
    """Print a note to standard error."""
    with suppress(BrokenPipeError):  # a closed standard error must not change the exit code
        print(text, file=sys.stderr)


def is_policy(path: str) -> bool:
    """Return True if a file is a policy, by its name."""
    return path.casefold().endswith(".toml")


def print_remarks(release: Release, language: str) -> None:
    """Print the remarks on a release, except those with which the answer begins."""
    for remark in release.remarks:
        if not remark.leading:
            print_note("\n".join(wrap_indented(note_text(remark, language), 0)))


def check_outputs(options: argparse.Namespace, inputs: Iterable[object], reports: Iterable[Path] = ()) -> None:
    """Raise an error, before anything is measured, if an output is also an input, or cannot be written as requested.

    `reports` are the files that a policy names; the policy has checked that none is an input.
    """
    read = {resolve_path(one) for one in inputs if isinstance(one, str | Path)}
    given = (options.output, vars(options).get("failing_rows"), vars(options).get("premise_rows"))
    outputs = [one for one in given if one and one != "-"]
    for output in outputs:
        if resolve_path(output) in read:
            hint = "choose another name for the output"
            raise OutputError("this file is an input, and would be overwritten", where=output, hint=hint)
    if len({resolve_path(output) for output in outputs}) < len(outputs) and not is_special(Path(outputs[0])):
        raise OutputError("two outputs are the same file", where=outputs[0], hint="give each a name of its own")
    choose_format(options)
    for output in (*outputs, *reports):
        require_writable(output)
    if vars(options).get("audience") == "public" and options.show_small_classes:
        hint = "leave out one of --audience public and --show-small-classes"
        raise ParameterError("small classes are not for the public", hint=hint)


def require_in_folder(policy: Path, outputs: Iterable[Path], options: argparse.Namespace) -> None:
    """Raise an error if a policy names an output outside its folder, or a hidden one, unless --write-outside is given.

    A policy may come from somebody else, and must not replace whatever file of the user it names.
    """
    folder = resolve_path(policy.parent)
    for output in () if options.write_outside else outputs:
        real = resolve_path(output)
        outside = not real.is_relative_to(folder)
        if outside or any(part.startswith(".") for part in real.relative_to(folder).parts):
            problem = f"the policy names an output that is {'outside its folder' if outside else 'hidden'}"
            hint = "name one in the policy's folder; if it is to be written there, add --write-outside"
            raise OutputError(problem, where=str(output), hint=hint)


def show_rows_read(language: str) -> AbstractContextManager[Callable[[str, float | None], None]]:
    """Show the number of rows read so far, if reading takes long."""
    word = words(language)
    return show_progress(lambda rows: fill(word.command["cli_reading"], {"rows": Exact(rows)}, word))
