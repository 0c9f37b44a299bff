"""``petworks init``: look at a raw table, ask about every column, and write a policy to start from."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from PETWorks.cli import HOLDS
from PETWorks.cli.errors import SeveralProblemsError
from PETWorks.cli.evaluate import collect_reading
from PETWorks.cli.inspect import inspect_table
from PETWorks.cli.languages import choose_language
from PETWorks.cli.options import collect_memory
from PETWorks.cli.output import is_policy, print_answer, print_note, show_rows_read
from PETWorks.cli.parameters import build_measures, collect_parameters, list_unnamed_errors
from PETWorks.errors import MissingFileError, OutputError, ParameterError, RoleError
from PETWorks.facts.roles import Role
from PETWorks.hierarchies.suggestion import suggest_hierarchies
from PETWorks.inspection.findings import PrepareFinding, join_settings
from PETWorks.inspection.inspection import Inspection
from PETWorks.inspection.survey import inspect
from PETWorks.measure.base import Measure
from PETWorks.measure.parameter import find_parameters
from PETWorks.measure.steps import Name
from PETWorks.policy.requirements import blanks
from PETWorks.policy.starting import LISTS, Start
from PETWorks.policy.templates import template
from PETWorks.policy.toml import Problems
from PETWorks.render.atomic_write import is_special, resolve_path, write_whole
from PETWorks.render.inspection import InspectionWriter, sort_for_decision, write_column
from PETWorks.render.typography import wrap_indented
from PETWorks.settings.kinds import TAB
from PETWorks.settings.sections import Preparing, Reading
from PETWorks.shown import Exact
from PETWorks.tables.opening import OpenedTable, open_original

LATER, ROLES = "0", dict(zip("1234", LISTS.values(), strict=True))
FILE = "policy.toml"


def run(options: argparse.Namespace) -> int:
    """Inspect the table, ask about its columns, and write the policy; write nothing before the last answer."""
    options.lang = choose_language(options)
    target = _choose_target(options)
    _check_synthetic(options)
    requirements = _write_requirements(options)
    after = template(options.template).requirements if options.template else ""
    if not options.yes and not sys.stdin.isatty():
        hint = "run it on a terminal, or pass --yes to take suggestions as they are"
        raise ParameterError("the input is not a terminal, so no question can be answered", hint=hint)
    raw, table = inspect_table(options)
    accepted = _choose_findings(raw, options)
    inspection, table = _inspect_again(table, raw, accepted, options) if raw.findings else (raw, table)
    decided = _collect_roles(inspection, options)
    roles = {**inspection.roles, **decided} if options.yes else _ask_roles(inspection, decided, options.lang)
    if not options.yes and not requirements and not after and not options.synthetic:
        requirements = _ask_requirement(InspectionWriter(options.lang))
    quasi = [column.name for column in inspection if roles.get(column.name) is Role.QUASI_IDENTIFIER]
    with show_rows_read(options.lang):
        found = suggest_hierarchies(table, quasi_identifiers=quasi) if quasi and not options.synthetic else {}
    title = Path(options.table).stem
    start = Start(inspection, title, _write_data(target, options), roles, found, requirements, after, options.lang)
    start = replace(start, findings=raw.findings, accepted=accepted, synthetic=bool(options.synthetic))
    _write(target, start.text())
    print_answer("\n".join(line for text in _write_summary(start, target) for line in wrap_indented(text, 0)))
    return HOLDS


def _choose_findings(inspection: Inspection, options: argparse.Namespace) -> list[PrepareFinding]:
    """Return the findings to apply; without questions, those that do not change the meaning of a cell."""
    writer, accepted = InspectionWriter(options.lang), []
    for one in inspection.findings:
        answer = "n" if one.changes_meaning else "y"
        if not options.yes:
            print_note("\n".join(["", *wrap_indented(writer.write_finding(one), 0)]))
            answer = _answer(writer.say("ask_finding", answer=answer), ["y", "n"], answer, writer)
        accepted += [one] if answer == "y" else []
    return accepted


def _inspect_again(
    table: OpenedTable, raw: Inspection, accepted: Sequence[PrepareFinding], options: argparse.Namespace
) -> tuple[Inspection, OpenedTable]:
    """Inspect the table again, after preparation."""
    preparing = Preparing(prepare=join_settings(accepted))
    rows = table.source.found_rows
    if not any(one.column for one in accepted) and (rows is None or rows == preparing.prepare.rows):
        return raw, table
    read = collect_reading(options)
    prepared = OpenedTable(table.given, open_original(table.given, Reading(**read), preparing, None))
    with show_rows_read(options.lang):
        return inspect(prepared, **read, **collect_memory(options)), prepared


def _choose_target(options: argparse.Namespace) -> Path:
    target = Path(options.output) / FILE
    if is_policy(options.output):
        raise OutputError("name a folder, in which policy.toml is written", where=options.output, hint="as in -o study")
    if is_special(Path(options.table)):
        hint = "save it as a file first"
        raise ParameterError("a policy names a table that can be read again", where=options.table, hint=hint)
    if target.exists() and not options.overwrite:
        hint = "name another folder with -o, or replace it with --overwrite"
        raise OutputError("there is a policy already, which is not overwritten", where=str(target), hint=hint)
    return target


def _check_synthetic(options: argparse.Namespace) -> None:
    if options.holdout and not options.synthetic:
        hint = "name the table that was made without these people with --synthetic"
        raise ParameterError("--holdout was given, but no synthetic table", hint=hint)
    for name in ("synthetic", "holdout"):
        given = getattr(options, name)
        if given and not Path(given).exists():
            raise MissingFileError("there is no such file", where=given, hint=f"name a table with --{name}")
        if given and resolve_path(given) == resolve_path(options.table):
            raise ParameterError(f"--{name} names the original itself", hint="name another file")


def _write(target: Path, text: str) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot create this folder: {error.strerror or error}", where=str(target.parent)) from error
    write_whole(target, text)


def _write_data(target: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Return the keys under [data]; paths are relative to the policy."""
    table = resolve_path(options.table)
    read = collect_reading(options)
    read |= {"delimiter": TAB} if read.get("delimiter") == "\t" else {}
    paths = {"original": options.table, "released": options.synthetic, "holdout": options.holdout}
    files = {name: _write_path(target, path) for name, path in paths.items() if path}
    if options.synthetic:
        return {**files, "synthetic": True, **read}
    suffix = ".parquet" if table.suffix == ".parquet" or table.is_dir() else ".csv"
    name = "released" if resolve_path(target.with_name(f"released{suffix}")) != table else "release"
    return {**files, "released": f"{name}{suffix}", **read}


def _write_path(target: Path, path: str) -> str:
    """Return a path relative to the policy."""
    whole = resolve_path(path)
    try:
        return Path(os.path.relpath(whole, resolve_path(target.parent))).as_posix()
    except ValueError:  # on another drive of Windows
        return whole.as_posix()


def _write_requirements(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Return the named measures with their limits, as keys of a policy."""
    problems, parameters = Problems(), collect_parameters(options)
    asked = build_measures(options.measures, parameters, problems) if options.measures else []
    for error in () if options.measures else list_unnamed_errors(parameters):
        problems.add(error)
    for measure in asked:
        if not measure.judges:
            problems.add(
                ParameterError(f"no limit is given for {measure.name}", hint="pass it as an option, as in --k 5")
            )
    if problems:
        raise SeveralProblemsError(problems)
    return [{"measure": measure.name, **_write_limits(measure, parameters)} for measure in asked]


def _write_limits(measure: Measure, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a measure as they were typed; whole numbers as numbers."""
    known = {name: one for name, one in find_parameters(type(measure)).items() if name in parameters}
    typed = {
        name: parameters[name] for name, one in known.items() if one.kind != "word" or parameters[name] in one.words
    }
    return {name: int(one) if isinstance(one, str) and one.isdecimal() else one for name, one in typed.items()}


def _collect_roles(inspection: Inspection, options: argparse.Namespace) -> dict[str, Role]:
    """Return the roles that the options state."""
    roles: dict[str, Role] = {}
    for key, role in LISTS.items():
        for name in vars(options)[key] or ():
            if roles.setdefault(inspection[name].name, role) is not role:
                raise RoleError(f'"{name}" is given two roles: {roles[name]} and {role}', hint="name it once")
    return roles


def _ask_roles(inspection: Inspection, decided: Mapping[str, Role], language: str) -> dict[str, Role]:
    """Ask about every column whose role is not decided yet."""
    findings, roles = InspectionWriter(language), dict(decided)
    for line in (findings.write_head(inspection), *findings.write_answer(inspection)):
        print_note("\n".join(wrap_indented(line, 0)))
    for column in sort_for_decision(inspection):
        if column.name in roles:
            continue
        print_note("\n".join(["", *write_column(column, inspection, findings)]))
        suggested = next((number for number, role in ROLES.items() if role is column.role), LATER)
        question = findings.say("ask_role", column=Name(column.name), number=suggested)
        answer = _answer(question, [LATER, *ROLES], suggested, findings)
        if answer != LATER:
            roles[column.name] = ROLES[answer]
    return roles


def _ask_requirement(findings: InspectionWriter) -> list[dict[str, Any]]:
    while answer := _read_answer(findings.say("ask_k")):
        if answer.isdecimal() and int(answer) > 0:
            return [{"measure": "k-anonymity", "k": int(answer)}]
        print_note(findings.say("ask_again", choices="2, 3, 4, 5 …"))
    return []


def _answer(question: str, choices: Sequence[str], default: str, findings: InspectionWriter) -> str:
    while (answer := _read_answer(question) or default) not in choices:
        print_note(findings.say("ask_again", choices=[*choices]))
    return answer


def _read_answer(question: str) -> str:
    """Ask on standard error, and return what is typed."""
    print(question, end="", file=sys.stderr, flush=True)
    if not (line := sys.stdin.readline()):
        raise ParameterError(
            "the input ended before all was asked; nothing was written", hint="run it again, or pass --yes"
        )
    return line.strip()


def _write_summary(start: Start, target: Path) -> Iterator[str]:
    """Yield the written file, the open decisions, and the next command."""
    findings = InspectionWriter(start.language)
    keys = [Name(key) for key in dict.fromkeys(one.key for one in blanks(start.template))]
    requirements = len(start.requirements) + len(tomllib.loads(start.template).get("require", ()))
    columns, names = len(start.inspection), [Name(column.name) for column in start.open]
    yield findings.say(
        "wrote",
        file=Name(target),
        roles=Exact(columns - len(names)),
        columns=Exact(columns),
        requirements=Exact(requirements),
    )
    if names:
        yield findings.say("left_roles", names=names)
    if unsure := [Name(name) for name, one in start.hierarchies.items() if one.question]:
        yield findings.say("left_hierarchies", names=unsure)
    if keys:
        yield findings.say("left_template", keys=keys)
    elif not requirements:
        yield findings.say("left_requirements")
    command = "check" if start.synthetic else "anonymize"
    yield findings.say("next", command=Name(f"petworks {command} {shlex.quote(str(target))}"))
