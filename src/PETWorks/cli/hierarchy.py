"""``petworks hierarchy``: build the hierarchy of a column, or read it from a file, and list what it lacks."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterator
from dataclasses import MISSING, fields, replace
from pathlib import Path
from typing import Any

from PETWorks.cli import FAILS, HOLDS
from PETWorks.cli.errors import WAYS
from PETWorks.cli.evaluate import collect_reading
from PETWorks.cli.languages import choose_language
from PETWorks.cli.output import print_answer, print_note, show_rows_read
from PETWorks.errors import OutputError, ParameterError, UnknownNameError, find_nearest
from PETWorks.hierarchies.files import FILE_MARK, build_rule, find_rule_kinds, read_hierarchy
from PETWorks.hierarchies.hierarchy import TOP, Hierarchy
from PETWorks.hierarchies.rule import Rule
from PETWorks.hierarchies.suggestion import suggest_rule
from PETWorks.hierarchies.value_rules import Ordered
from PETWorks.hierarchies.values import Counts, count_values
from PETWorks.measure.steps import Name
from PETWorks.policy.toml import write_value
from PETWorks.render.fill import fill
from PETWorks.render.typography import WIDTH, display_width
from PETWorks.render.words import words
from PETWorks.settings.sections import Reading
from PETWorks.shown import THRESHOLD
from PETWorks.tables.opening import open_source
from PETWorks.tables.source import find_showable_names, require_header, require_used

BESIDE = ("bottom", "top", "origin", "mask", "keep_from", "read", "write", "sizes", "label")
TEXTS = ("mask", "keep_from", "read", "write", "label")
LISTS = ("sizes",)


def run(options: argparse.Namespace) -> int:
    """Build or read the hierarchy, print its levels and the values it lacks, and write it."""
    language = options.lang = choose_language(options)
    settings = _collect_settings(options)
    target = _choose_target(options)
    read = Reading(**collect_reading(options))
    source = open_source(options.table, "table", *read)
    require_header(source)
    require_used(read, source)
    if (column := options.column) not in source.columns and (near := find_nearest(column, find_showable_names(source))):
        raise UnknownNameError(f'there is no column "{column}"', where=source.name, hint=f'did you mean "{near}"?')
    source.require([column], "of which a hierarchy is built")
    with show_rows_read(language):
        counts = count_values(source, [column])[column]
    rule, above = build_rule(column, settings) if settings else None, list[str]()
    if rule is None and not options.file:
        suggestion = suggest_rule(column, counts)
        rule, above = suggestion.rule, [suggestion.text(language), ""]
    if options.file:
        hierarchy = read_hierarchy(column, Path(options.file))
    else:
        hierarchy = rule.build(counts) if rule else _build_flat(column, counts)
    coverage = hierarchy.coverage(counts)
    listed = rule.values if isinstance(rule, Ordered) and not settings else ()
    if any(
        counts[value] < THRESHOLD for value in listed
    ):  # neither values of few people nor groups called after them are named
        coverage = replace(coverage, levels=tuple(replace(level, largest={}) for level in coverage.levels))
        rule = None
    print_answer("\n".join([*above, coverage.text(language), *(_write_section(rule, language) if rule else ())]))
    if target:
        _write(hierarchy, target, language)
    return HOLDS if coverage.complete else FAILS


def _collect_settings(options: argparse.Namespace) -> dict[str, Any]:
    """Return the rule that the options state, as keys of a policy; empty if they state none."""
    ways = [way for way, option in WAYS.items() if getattr(options, option) is not None]
    beside = {name: given for name in BESIDE if (given := getattr(options, name)) is not None}
    if len(ways) > 1 or (options.file and (ways or beside)):
        named = [f"--{WAYS[way]}" for way in ways] + ["--file"] * bool(options.file)
        raise ParameterError(f"{' and '.join(named)} build the same hierarchy", hint="keep one of them")
    if beside and not ways:
        hint = "add one of " + ", ".join(f"--{option}" for option in WAYS.values())
        raise ParameterError(f"{_write_option(next(iter(beside)))} cannot be used alone", hint=hint)
    for way in ways:
        _require_together(way, beside)
    found: dict[str, Any] = {way: _list(getattr(options, WAYS[way])) for way in ways}
    return found | {name: _read(name, given) for name, given in beside.items()}


def _require_together(way: str, beside: Collection[str]) -> None:
    """Raise an error for an option that the chosen rule does not have, or for a missing one that it needs."""
    kind = find_rule_kinds()[way]
    own = {one.name: one for one in fields(kind) if one.name not in ("name", kind.main)}
    if other := [name for name in beside if name not in own]:
        hint = f"beside --{WAYS[way]}: {', '.join(map(_write_option, own))}" if own else "leave it out"
        raise ParameterError(f"{_write_option(other[0])} does not go with --{WAYS[way]}", hint=hint)
    if lacking := [name for name, one in own.items() if one.default is MISSING and name not in beside]:
        raise ParameterError(f"--{WAYS[way]} needs {_write_option(lacking[0])}", hint=kind.example())


def _read(name: str, text: str) -> Any:  # noqa: ANN401
    return _list(text) if name in LISTS else text if name in TEXTS else _number(text)


def _write_option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _list(text: str) -> list[Any]:
    return [_number(part.strip()) for part in text.split(",") if part.strip()]


def _number(text: str) -> Any:  # noqa: ANN401
    """Return a whole number as a number, anything else as text, so that decimals are read exactly."""
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdigit() and str(int(digits)) == digits else text


def _build_flat(column: str, counts: Counts) -> Hierarchy:
    return Hierarchy.flat(column, [value for value in counts if value != TOP])


def _choose_target(options: argparse.Namespace) -> Path | None:
    """Return the file to write; raise an error if it exists, since it may have been edited."""
    if not options.output:
        return None
    path = Path(options.output)
    if path.is_dir():
        path /= f"{Path(options.table).stem}{FILE_MARK}{options.column}.csv"
    if path.exists():
        hint = "delete it, or choose another name: it may have been edited"
        raise OutputError("this file exists", where=str(path), hint=hint)
    return path


def _write_section(rule: Rule, language: str) -> Iterator[str]:
    """Write the section of a policy that holds the rule."""
    yield from ("", words(language).hierarchies["in_policy"], "")
    yield f"  [hierarchies.{write_value(rule.name, key=True)}]"
    for name, value in rule.settings().items():
        line = f"  {name} = {write_value(value)}"
        if display_width(line) <= WIDTH or not isinstance(value, list):
            yield line
        else:
            yield f"  {name} = ["
            yield from (f"    {write_value(one)}," for one in value)
            yield "  ]"


def _write(hierarchy: Hierarchy, path: Path, language: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    hierarchy.write(path)
    word = words(language)
    print_note(fill(word.command["cli_wrote"], {"file": Name(path)}, word))
