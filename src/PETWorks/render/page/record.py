"""How the report was made: inputs with digests, roles, how special cells were treated, version and time."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any

import PETWorks
from PETWorks.errors import PETWorksError
from PETWorks.explain.step import Name
from PETWorks.facts.facts import Facts
from PETWorks.render.page.markup import name, say
from PETWorks.render.page.view import View
from PETWorks.sources import Source


def section(view: View, *, original_digest: bool = True, command: str = "") -> Mapping[str, Any]:
    """Give what an auditor needs to repeat the report."""
    facts, roles, scope = view.facts, view.facts.roles, view.scope
    tables = [_table("released_table", facts.release, scope.rows)]
    if facts.original is not None:
        tables.append(_table("original_table", facts.original, _rows(facts), digest=original_digest))
    if facts.population is not None:
        tables.append(_table("population_table", facts.population, None))
    by_role = {
        "quasi_identifiers": roles.quasi_identifiers,
        "sensitive": roles.sensitive,
        "identifiers": roles.identifiers,
        "insensitive": roles.insensitive,
    }
    return {
        "tables": tables,
        "roles": [(say(role), [name(one) for one in names]) for role, names in by_role.items() if names],
        "quasi_identifiers": [name(one) for one in roles.quasi_identifiers],
        "hierarchies": [
            say("hierarchy", column=Name(column), height=tree.height) for column, tree in facts.hierarchies.items()
        ],
        "pairing": say("paired_by_key", column=Name(facts.key)) if facts.key else say("paired_by_position"),
        "suppressed": say("record_suppressed", suppressed=scope.suppressed, rows=scope.rows, marker=Name(facts.marker)),
        "missing": [(name(column), cells) for column, cells in scope.missing.items() if cells],
        "withheld": say("record_withheld", least=view.least) if view.least > 1 else say("record_shown"),
        "versions": f"PETWorks {PETWorks.__version__}, Python {platform.python_version()}",
        "time": datetime.now().astimezone().isoformat(timespec="seconds"),
        "command": command,
    }


def _rows(facts: Facts) -> int | None:
    """Count the rows of the original, where they were read."""
    with suppress(PETWorksError):
        return facts.rows_before
    return None


def _table(role: str, source: Source, rows: int | None, *, digest: bool = True) -> dict[str, Any]:
    return {
        "role": say(role),
        "name": name(source.name),
        "rows": rows,
        "columns": len(source.columns),
        "form": ", ".join(source.form),
        "digest": source.digest() if digest else None,
        "left_out": not digest,
    }
