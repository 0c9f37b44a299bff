"""The section on how the report was made: inputs with digests, roles, treatment of special cells, version, time."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping
from datetime import datetime
from importlib.metadata import version
from typing import Any

from markupsafe import Markup

from PETWorks.answer.view import View
from PETWorks.facts.notes import Name
from PETWorks.facts.record import Record
from PETWorks.facts.tallies import Input
from PETWorks.render.page.markup import Said, joined, name, say
from PETWorks.sources import Reading

TABLES = {"release": "released_table", "original": "original_table", "population": "population_table"}


def section(view: View, *, command: str = "") -> Mapping[str, Any]:
    """Return what an auditor needs to repeat the report."""
    record, roles, scope = view.record, view.roles, view.scope
    rows = {"release": scope.rows, "original": record.original_rows}
    by_role = {
        "quasi_identifiers": roles.quasi_identifiers,
        "sensitive": roles.sensitive,
        "identifiers": roles.identifiers,
        "insensitive": roles.insensitive,
    }
    return {
        "tables": [_table(one, rows.get(one.role), view) for one in record.inputs],
        "roles": [(say(role), [name(one) for one in names]) for role, names in by_role.items() if names],
        "quasi_identifiers": [name(one) for one in roles.quasi_identifiers],
        "hierarchies": [
            say("hierarchy", column=Name(column), height=height) for column, height in record.heights.items()
        ],
        "files": [(name(one.name), one.digest) for one in (*record.hierarchies, record.policy) if one and one.name],
        "reading": list(_reading(record.options)),
        "pairing": joined(_pairing(record)),
        "suppressed": say(
            "record_suppressed", suppressed=scope.suppressed, rows=scope.rows, marker=Name(record.marker)
        ),
        "missing": None if view.missing is None else [(name(one), cells) for one, cells in view.missing.items()],
        "withheld": _told(view),
        "versions": f"PETWorks {version('petworks')}, Python {platform.python_version()}",
        "time": datetime.now().astimezone().isoformat(timespec="seconds"),
        "command": command,
    }


def _reading(options: Mapping[str, str | None]) -> Iterator[Markup]:
    """Yield what the user said about how to read the tables, if it is not the default."""
    if options["unknown_values"] == "generalised":
        yield say("reading_unknown_values")
    if options.get("person"):
        yield say(f"reading_known_{options['known']}", column=Name(str(options["person"])))
        if unknown := options["unknown_person"]:
            yield say(f"reading_unknown_person_{unknown}")
    for option in ("weight", *Reading._fields):
        if given := options[option]:
            yield say(f"reading_{option}", given=Name({"\t": "tab"}.get(given, given)))


def _pairing(record: Record) -> Iterator[Said]:
    yield say("paired_by_key", column=Name(record.key)) if record.key else say("paired_by_position")
    yield say("paired_unchecked" if record.vouched else "paired_checked")


def _table(one: Input, rows: int | None, view: View) -> dict[str, Any]:
    return {
        "role": say(TABLES[one.role]),
        "name": name(one.name),
        "rows": rows,
        "columns": one.columns,
        "form": one.form,
        "digest": one.digest,
        "left_out": one.role == "original" and not view.record.original_digest,
    }


def _told(view: View) -> Markup:
    """Write what the page tells of small classes."""
    return say(f"record_{view.discretion.telling}", least=view.discretion.least)
