"""``petworks hierarchy``: build the hierarchy of a column, or look at a file, and tell what it does not cover."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from PETWorks.cli import FAILS, HOLDS
from PETWorks.cli.languages import chosen_language
from PETWorks.cli.output import note, say, waiting
from PETWorks.errors import MANY, OutputError, ParameterError, UnknownNameError, nearest
from PETWorks.explain.step import Name
from PETWorks.hierarchies.counts import Counts, counts_of
from PETWorks.hierarchies.files import MARK, read_hierarchy
from PETWorks.hierarchies.hierarchy import TOP, Hierarchy
from PETWorks.hierarchies.kinds import rule_of
from PETWorks.hierarchies.ordered import Ordered
from PETWorks.hierarchies.rule import Rule
from PETWorks.hierarchies.suggestion import suggest
from PETWorks.policy.toml import written
from PETWorks.render.fill import fill
from PETWorks.render.text import WIDTH, display_width
from PETWorks.render.words import words
from PETWorks.sources import Reading, open_source

MAIN = {  # the option that names each way
    "intervals": "widths",
    "quantiles": "parts",
    "prefixes": "keep",
    "dates": "dates",
    "ordered": "order",
    "rare_last": "share",
    "places": "places",
}
BESIDE = ("bottom", "top", "origin", "mask", "keep_from", "read", "write", "sizes", "label")
LISTS = ("sizes",)


def run(options: argparse.Namespace) -> int:
    """Build or read the hierarchy, print what it is like, and write it."""
    language = options.lang = chosen_language(options)
    settings = _settings(options)
    target = _target(options)
    delimiter = "\t" if options.delimiter in ("tab", r"\t") else options.delimiter
    reading = Reading(delimiter, options.encoding, options.sheet, options.value_labels)
    source = open_source(options.table, "table", *reading)
    reading.require_used(source)
    if (column := options.column) not in source.columns and (near := nearest(column, source.columns)):
        raise UnknownNameError(f'there is no column "{column}"', where=source.name, hint=f'did you mean "{near}"?')
    source.require([column], "of which a hierarchy is built")
    with waiting(language):
        counts = counts_of(source, [column])[column]
    rule, said = rule_of(column, settings) if settings else None, list[str]()
    if rule is None and not options.file:
        suggestion = suggest(column, counts)
        rule, said = suggestion.rule, [suggestion.text(language), ""]
    if options.file:
        hierarchy = read_hierarchy(column, Path(options.file))
    else:
        hierarchy = rule.build(counts) if rule else _flat(column, counts)
    coverage = hierarchy.coverage(counts)
    listed = rule.values if isinstance(rule, Ordered) and not settings else ()
    if any(counts[value] < MANY for value in listed):  # values of few people are not named, nor groups after them
        coverage = replace(coverage, levels=tuple(replace(level, largest={}) for level in coverage.levels))
        rule = None
    say("\n".join([*said, coverage.text(language), *(_section(rule, language) if rule else ())]))
    if target:
        _write(hierarchy, target, language)
    return HOLDS if coverage.complete else FAILS


def _settings(options: argparse.Namespace) -> dict[str, Any]:
    """Return the way that the options name, as a policy has it; none if they name no way."""
    ways = [way for way, option in MAIN.items() if getattr(options, option) is not None]
    beside = {name: given for name in BESIDE if (given := getattr(options, name)) is not None}
    if len(ways) > 1 or (options.file and (ways or beside)):
        named = [f"--{MAIN[way]}" for way in ways] + ["--file"] * bool(options.file)
        raise ParameterError(f"{' and '.join(named)} build the same hierarchy", hint="keep one of them")
    if beside and not ways:
        hint = "add one of " + ", ".join(f"--{option}" for option in MAIN.values())
        raise ParameterError(f"--{next(iter(beside)).replace('_', '-')} does not stand alone", hint=hint)
    found: dict[str, Any] = {way: _list(getattr(options, MAIN[way])) for way in ways}
    return found | {name: _list(given) if name in LISTS else _number(given) for name, given in beside.items()}


def _list(text: str) -> list[Any]:
    return [_number(part.strip()) for part in text.split(",") if part.strip()]


def _number(text: str) -> Any:  # noqa: ANN401
    """Return whole numbers as such; other numbers stay text, so that they are read exactly."""
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdigit() and str(int(digits)) == digits else text


def _flat(column: str, counts: Counts) -> Hierarchy:
    return Hierarchy.flat(column, [value for value in counts if value != TOP])


def _target(options: argparse.Namespace) -> Path | None:
    """Return the file to write; raise an error if it exists, since it may have been edited."""
    if not options.output:
        return None
    path = Path(options.output)
    if path.is_dir():
        path /= f"{Path(options.table).stem}{MARK}{options.column}.csv"
    if path.exists():
        hint = "delete it, or choose another name: it may have been edited"
        raise OutputError("this file exists", where=str(path), hint=hint)
    return path


def _section(rule: Rule, language: str) -> Iterator[str]:
    """Write the section of a policy that holds the rule."""
    yield from ("", words(language).hierarchies["in_policy"], "")
    yield f"  [hierarchies.{written(rule.name, key=True)}]"
    for name, value in rule.settings().items():
        line = f"  {name} = {written(value)}"
        if display_width(line) <= WIDTH or not isinstance(value, list):
            yield line
        else:
            yield f"  {name} = ["
            yield from (f"    {written(one)}," for one in value)
            yield "  ]"


def _write(hierarchy: Hierarchy, path: Path, language: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    hierarchy.write(path)
    word = words(language)
    note(fill(word.command["cli_wrote"], {"file": Name(path)}, word))
