"""Everything as text: the policy with the lines that changed last, the command line, and Python. Each can be run."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from PETWorks.app.project.draft import Draft, Table
from PETWorks.app.project.folder import POLICY
from PETWorks.errors import PETWorksError
from PETWorks.facts.roles import PARAMETERS, Role
from PETWorks.hierarchies.files import find_rule_kinds
from PETWorks.measure.registry import find
from PETWorks.settings.kinds import TAB
from PETWorks.settings.section import declared
from PETWorks.settings.sections import MAKING, CellReading, Person, Reading, RowPairing

LISTING = ("parents", "ordered")  # ways that list values of the table, also of few people
LISTING_IN = {"hierarchies": LISTING, "prepare": ("spellings", "missing")}  # keys of sections that list them
TEXTS = ("measure", "why", "source", "clause")  # entries of a requirement that are no parameters
LONGEST = 40_000  # characters of a policy that are shown
SECTION = re.compile(r"\[+(?P<name>.*?)\]+\s*(#.*)?")
READING = declared(Reading)
BY_POLICY = ("prepare", "derive", "treat")  # tables that Python takes as they are in the policy
PAIRED = ("key", "pairing")  # of a release beside its original
ABOUT_ROWS = [*declared(RowPairing, Person, CellReading)]  # under [data], beside how the table is read


class Line(NamedTuple):
    """A line of the policy; `new` is True if the last change wrote it."""

    text: str
    new: bool


def policy_lines(text: str, before: str, hidden: Sequence[str] = ()) -> list[Line]:
    """Return the lines of a policy, and mark those that the earlier text does not have.

    `hidden` are columns whose hierarchies list values that are not shown; a line states how many lines are left out.
    """
    lines, old = _drop_entries(text, hidden), _drop_entries(before, hidden)
    matched = SequenceMatcher(None, old, lines, autojunk=False).get_matching_blocks() if before else ()
    kept = {place for block in matched for place in range(block.b, block.b + block.size)}
    return [Line(line, bool(before) and place not in kept and bool(line.strip())) for place, line in enumerate(lines)]


def listing_columns(draft: Draft) -> list[str]:
    """Return the columns whose hierarchy or preparation lists values of the table."""
    found = [name for name, rule in draft.rules.items() if any(kind in rule for kind in LISTING)]
    prepared = {name: one for name, one in draft.section("prepare").items() if isinstance(one, Mapping)}
    found += [name for name, one in prepared.items() if any(word in one for word in LISTING_IN["prepare"])]
    return list(dict.fromkeys(found))


def _drop_entries(text: str, hidden: Sequence[str]) -> list[str]:
    if not hidden:
        return text.splitlines()
    lines, section, left_out = list[str](), "", 0
    names = {_quote(name) for name in hidden}
    for line in text.splitlines():
        if found := SECTION.fullmatch(line.strip()):
            section = found["name"]
        kind, _, parts = section.partition(".")
        words = LISTING_IN.get(kind, ())
        inner = next((f".{word}" for word in words if parts.endswith(f".{word}")), "")
        listed = words and parts.removesuffix(inner) in names
        if listed and not found and (inner or line.startswith(words)):
            left_out += bool(line.strip())
            continue
        if left_out:
            lines += [f"# … {left_out} lines with values of the table: in {POLICY}", ""]
            left_out = 0
        lines.append(line)
    return lines + ([f"# … {left_out} lines with values of the table: in {POLICY}"] if left_out else [])


def _quote(name: str) -> str:
    from PETWorks.policy.toml import write_value

    return write_value(name, key=True)


def commands(draft: Draft, folder: Path) -> str:
    """Write the commands that do the same, in the folder of the project."""
    lines = [f"cd {shlex.quote(folder.name)}"]
    table = shlex.quote(draft.original or "")
    given = {one.option_name: str(draft.data[name]) for name, one in READING.items() if name in draft.data}
    told = "".join(f" {option} {shlex.quote(value)}" for option, value in given.items())
    if not is_complete(draft):
        return "\n".join([*lines, f"petworks inspect {table}{told}"])
    return "\n".join([*lines, f"petworks anonymize {POLICY}", f"petworks check {POLICY}"])


def after_writing(draft: Draft, record: str) -> str:
    """Write the commands that make, measure and verify a release that was written, in the folder of the project."""
    return "\n".join([f"petworks anonymize {POLICY}", f"petworks check {POLICY}", _verify(draft, record)])


def _verify(draft: Draft, record: str) -> str:
    """Write the command that verifies a record. It names folders because the record has file names only."""
    data = draft.data
    named = [data.get(key) for key in ("original", "population", "holdout", "hierarchies")]
    named += [rule.get("file") for rule in draft.section("hierarchies").values() if isinstance(rule, Mapping)]
    folders = {str(PurePath(path).parent): None for path in named if isinstance(path, str) and _is_outside(path)}
    told = "".join(f" --folder {shlex.quote(one)}" for one in (".", *folders)) if folders else ""
    return f"petworks verify {shlex.quote(record)}{told}"


def _is_outside(path: str) -> bool:
    return PurePath(path).is_absolute() or ".." in PurePath(path).parts


def is_complete(draft: Draft) -> bool:
    """Return True if there are roles and a requirement, so that a release can be made."""
    return bool(draft.requirements) and Role.QUASI_IDENTIFIER in draft.roles.values()


def python(draft: Draft) -> str:
    """Write the Python that does the same, in the folder of the project."""
    table, reading = (
        _write_literal(draft.original or ""),
        {key: draft.data[key] for key in READING if key in draft.data},
    )
    reading |= {"delimiter": "\t"} if reading.get("delimiter") == TAB else {}
    if not is_complete(draft):
        called = _call("pw.inspect", [table, *_write_named(reading)])
        return f"import PETWorks as pw\n\nprint({called})\n"
    columns = {name: f'{name}=policy["{name}"]' for name in BY_POLICY if draft.section(name)}
    listed = columns or listing_columns(draft)
    head = ["import tomllib", "", "import PETWorks as pw", ""] if listed else ["import PETWorks as pw", ""]
    if listed:
        head += [f'with open("{POLICY}", "rb") as file:', "    policy = tomllib.load(file)", ""]
    reading |= {key: draft.data[key] for key in ABOUT_ROWS if key in draft.data and key not in PAIRED}
    arguments = [
        table,
        *_write_named(reading),
        *columns.values(),
        *_write_roles(draft),
        *_write_hierarchies(draft),
        *_write_goals(draft),
    ]
    given = {key: value for key, value in draft.making.items() if key in declared(*MAKING)}
    released = draft.data.get("released", "released.csv")
    body = [f"made = {_call('pw.anonymize', [*arguments, *_write_named(given)])}"]
    return "\n".join([*head, *body, "print(made.explain())", f"print(made.write({_write_literal(released)}))", ""])


def _call(name: str, arguments: Sequence[str]) -> str:
    if len(arguments) == 1:
        return f"{name}({arguments[0]})"
    return f"{name}(\n" + "".join(f"    {one},\n" for one in arguments) + ")"


def _write_named(given: Table) -> list[str]:
    return [f"{name}={_write_literal(value)}" for name, value in given.items()]


def _write_literal(value: Any) -> str:  # noqa: ANN401
    """Write a value of a policy as Python; decimal numbers stay text, which is exact."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)  # is Python, too
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_write_literal(key)}: {_write_literal(one)}' for key, one in value.items())}}}"
    return f"[{', '.join(map(_write_literal, value))}]" if isinstance(value, list | tuple) else repr(value)


def _write_roles(draft: Draft) -> Iterator[str]:
    by_role: dict[Role, list[str]] = {}
    for name, role in draft.roles.items():
        by_role.setdefault(role, []).append(name)
    yield from (f"{PARAMETERS[role]}={_write_literal(names)}" for role, names in by_role.items())
    if the_rest := draft.section("roles").get("the_rest"):
        yield f"the_rest={_write_literal(the_rest)}"


def _write_hierarchies(draft: Draft) -> Iterator[str]:
    folder = draft.data.get("hierarchies")
    if folder and not draft.rules:
        yield f"hierarchies={_write_literal(folder)}"
    elif draft.rules:
        rules = "".join(
            f"        {_write_literal(name)}: {_write_rule(name, rule)},\n" for name, rule in draft.rules.items()
        )
        yield f"hierarchies={{\n{rules}    }}"


def _write_rule(name: str, rule: Table) -> str:
    if "file" in rule:
        return _write_literal(rule["file"])
    kind = next((key for key in rule if key in find_rule_kinds()), "")
    main = (
        f'policy["hierarchies"][{_write_literal(name)}]["{kind}"]'
        if kind in LISTING
        else _write_literal(rule.get(kind))
    )
    others = _write_named({key: value for key, value in rule.items() if key != kind})
    return f"pw.Hierarchy.{kind}({', '.join([_write_literal(name), main, *others])})"


def _write_goals(draft: Draft) -> Iterator[str]:
    goals = "".join(f"        {_measure(one)},\n" for one in draft.requirements)
    yield f"goals=[\n{goals}    ]"


def _measure(requirement: Table) -> str:
    try:
        name = find(str(requirement.get("measure"))).__name__
    except PETWorksError:
        return _write_literal(requirement.get("measure"))
    given = {key: value for key, value in requirement.items() if key not in TEXTS}
    sided = {
        key: next(iter(value.values()))
        if isinstance(value, Mapping) and [*value] in (["at_most"], ["at_least"])
        else value
        for key, value in given.items()
    }
    return f"pw.{name}({', '.join(_write_named(sided))})"
