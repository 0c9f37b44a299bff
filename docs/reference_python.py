"""The page of the Python names: signatures, docstrings, and the tree of errors in the docstring of their module."""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
import textwrap
from collections.abc import Iterator
from typing import Any

from reference_json import described
from reference_words import Words, code, escaped, fence, joined, table

import PETWorks as pw
from PETWorks import attributetypes, errors
from PETWorks.evaluation.provenance import Alternative, Front
from PETWorks.facts.roles import Roles
from PETWorks.hierarchies.hierarchy import Coverage, LevelSize
from PETWorks.hierarchies.rule import Rule
from PETWorks.hierarchies.suggestion import Suggestion, Suggestions
from PETWorks.measure.result import Account
from PETWorks.policy.templates import Template
from PETWorks.settings.section import meanings
from PETWorks.settings.sections import SECTIONS


def _beside(name: str) -> type:
    """Return a class by name, from the module of `Result` or of `Evaluation`."""
    homes = [sys.modules[one.__module__] for one in (pw.Result, pw.Evaluation)]
    found: type = next(vars(home)[name] for home in homes if name in vars(home))
    return found


CLASSES = (
    pw.Release,
    Roles,
    pw.Result,
    pw.Evaluation,
    *map(_beside, ("Explanation", "Requirement", "ResultPart", "ClassScore", "Scope", "Note")),
    pw.Premises,
    pw.Premise,
    pw.Accept,
    pw.Policy,
    pw.Inspection,
    pw.InspectedColumn,
    Template,
    pw.Hierarchy,
    Rule,
    Coverage,
    LevelSize,
    Suggestions,
    Suggestion,
    pw.AnonymizedTable,
    Account,
    Front,
    Alternative,
    pw.Comparison,
)
MADE = (pw.Release, pw.Accept, pw.Policy, pw.Hierarchy)  # classes that users call; PETWorks builds the others
FUNCTIONS = (
    pw.inspect,
    pw.anonymize,
    pw.compare,
    pw.suggest_hierarchies,
    pw.measures,
    pw.templates,
    pw.template,
    pw.PETValidation,
    pw.report,
    pw.PETAnonymization,
    pw.output,
)
SETTINGS = ("Table", "Search", "Writing", "Reading", "Person", "Engine")  # classes of settings
DECLARED = (pw.inspect, pw.anonymize)  # functions whose arguments are settings
JSON_NAMES = {
    "Result": "result",
    "ResultPart": "part",
    "ClassScore": "class",
    "Scope": "scope",
    "Note": "note",
    "Requirement": "requirement",
    "Front": "front",
    "Alternative": "alternative",
}
INTERNAL = {
    "Comparison.facts",
    "Comparison.joint",
    "Comparison.letters",
    "Comparison.view",
    *(f"{one}.{name}" for one in ("Result", "Evaluation", "Explanation", "Account") for name in ("facts", "language")),
    *(f"{one}.{name}" for one in ("Result", "ResultPart") for name in ("about_few", "alike", "best_known", "persons")),
    *(f"{one}.{name}" for one in ("Result", "ResultPart") for name in ("is_judged", "verdict_withheld")),
    "Requirement.verdict_withheld",
    *(
        "Result.bounds",
        "Result.recorded_steps",
        "Result.disclosure",
        "Result.measured",
        "Evaluation.advice",
        "Note.instead",
        "Note.public",
    ),
    *(
        f"AnonymizedTable.{name}"
        for name in (
            "original",
            "plan",
            "outcome",
            "facts",
            "recoding",
            "the_rest",
            "provenance",
            "language",
        )
    ),
    "Alternative.made",
    "Alternative.utility",
    *(f"{one}.{name}" for one in ("Front", "Alternative") for name in ("to_dict", "from_dict")),
    "Front.withhold",
    "Evaluation.premise_source",
    "Premise.finder",
    "Accept.covers",
    *(f"{one}.{name}" for one in ("Premise", "Premises") for name in ("without_rows", "from_dict", "all")),
    "Accept.from_dict",
    *(f"Evaluation.{name}" for name in ("policy", "record", "provenance_source", "provenance", "recorded", "front")),
    *(f"Evaluation.{name}" for name in ("secret", "commitments", "commitments_shown", "prepare_record")),
    *(
        f"Policy.{name}"
        for name in (
            "inputs",
            "input",
            "named",
            "rest",
            "text",
            "target",
            "plan",
            "hash_while_reading",
            "judge",
            "require_replaceable",
        )
    ),
    *(f"Hierarchy.{name}" for name in ("where", "digest", "of_levels", "levels", "find_collision")),
    *(f"Release.{name}" for name in ("facts", "with_facts", "with_tables")),
    *(f"Rule.{name}" for name in ("kind", "main", "expects", "example", "levels", "where")),
}


def python_page(word: Words) -> str:
    """Describe every public name, and the classes that are returned."""
    parts = [f"# {word['python']}", word["python_intro"]]
    for one in CLASSES:
        parts += [f"## {one.__name__}", *_docstring(one, word)]
        parts += [fence("python", _signature(one))] if one in MADE else []
        parts += [_arguments(one, word)] if one is pw.Release else []
        parts += [_members(one, word)]
    for name in SETTINGS:
        one = getattr(pw, name)
        parts += [f"## {name}", *_docstring(one, word), _arguments(one, word)]
    for function in FUNCTIONS:
        parts += [f"## {function.__name__}", *_docstring(function, word), fence("python", _signature(function))]
        parts += [_arguments(function, word)] if function in DECLARED else []
    constants = [name for name in vars(attributetypes) if name.isupper()]
    rows = [[code(f"PETWorks.attributetypes.{name}"), code(f'"{getattr(attributetypes, name)}"')] for name in constants]
    parts += [f"## {word['roles']}", word["roles_text"], table([word["field"], word["value"]], rows)]
    tree = next(part for part in (errors.__doc__ or "").split("\n\n") if "├──" in part)
    parts += [f"## {word['errors']}", word["errors_text"], fence("text", textwrap.dedent(tree))]
    return joined(parts)


def members(kind: type) -> dict[str, Any]:
    """Return the public members of a class, also inherited ones of PETWorks; fields of dataclasses as None."""
    found: dict[str, Any] = {}
    for owner in reversed(kind.__mro__):
        if owner.__module__.startswith("PETWorks"):
            found |= {name: value for name, value in vars(owner).items() if not name.startswith("_")}
            if dataclasses.is_dataclass(owner):
                found |= {one.name: None for one in dataclasses.fields(owner) if not one.name.startswith("_")}
    owners = [owner for owner in kind.__mro__ if owner.__module__.startswith("PETWorks")]
    source = "".join(map(inspect.getsource, owners))
    assigned = re.findall(r"^ +self\.([a-z]\w*)(?:, self\.(\w+))? = ", source, re.MULTILINE)
    found |= {name: None for names in assigned for name in names if name and name not in found}
    fields = [one.name for one in dataclasses.fields(kind)] if dataclasses.is_dataclass(kind) else []
    found = {name: found[name] for name in dict.fromkeys([*fields, *found]) if name in found}
    return {name: value for name, value in found.items() if f"{kind.__name__}.{name}" not in INTERNAL}


def _arguments(kind: Any, word: Words) -> str:  # noqa: ANN401
    """Write the table of arguments: settings have the words of their declaration."""
    meant = meanings(*SECTIONS, language=word.language)
    rows = [
        [code(name), escaped(meant[name] if name in meant else word.of("release", name))]
        for name in inspect.signature(kind).parameters
    ]
    return table([word["argument"], word["meaning"]], rows)


def _members(kind: type, word: Words) -> str:
    rows = [
        [code(_called(name, value)), escaped(_meaning(kind, name, value, word))]
        for name, value in members(kind).items()
    ]
    return table([word["members"], word["meaning"]], sorted(rows, key=lambda row: "(" in row[0]))


def _called(name: str, value: object) -> str:
    function = value.__func__ if isinstance(value, classmethod | staticmethod) else value
    if not inspect.isfunction(function):
        return name
    given = [one for one in inspect.signature(function).parameters.values() if one.name not in ("self", "cls")]
    return f"{name}({', '.join(_parameter(one) for one in given)})"


def _parameter(one: inspect.Parameter) -> str:
    stars = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
    return f"{stars}{one.name}" + ("" if one.default is one.empty else f"={one.default!r}")


def _meaning(kind: type, name: str, value: object, word: Words) -> str:
    owner = next(
        (one.__name__ for one in kind.__mro__ if name in vars(one) or name in getattr(one, "__annotations__", {})),
        kind.__name__,
    )
    key = f"{owner}.{name}"
    if value is None and not word.has("python", key):
        return described(JSON_NAMES.get(kind.__name__, "none"), name, word).replace("null", "None")
    return str(word.of("python", key, _said(value)))


def _said(value: object) -> str | None:
    target = getattr(value, "func", getattr(value, "__func__", value))
    text = inspect.getdoc(target) if value is not None else None
    return " ".join(text.partition(">>>")[0].split()) if text else None


def _docstring(one: Any, word: Words) -> Iterator[str]:  # noqa: ANN401
    if word.locale == "en":
        text = (inspect.getdoc(one) or "").partition(">>>")[0]
        yield from (escaped(" ".join(part.split())) for part in text.split("\n\n") if part.strip())
    else:
        yield escaped(word.of("python", one.__name__))


def _signature(one: Any) -> str:  # noqa: ANN401
    """Write a signature; with one argument on each line if it is long."""
    name = one.__name__
    given = [value for value in inspect.signature(one).parameters.values() if value.name != "facts"]
    written, starred = list[str](), False
    for value in given:
        if value.kind is value.KEYWORD_ONLY and not starred:
            written.append("*")
        starred = starred or value.kind in (value.KEYWORD_ONLY, value.VAR_POSITIONAL)
        written.append(_parameter(value))
    line = f"{name}({', '.join(written)})"
    if len(line) <= 80:  # noqa: PLR2004
        return line
    return f"{name}(\n" + "".join(f"    {part},\n" for part in written) + ")"
