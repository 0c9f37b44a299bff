"""``petworks inspect``: inspect a raw table, and suggest a role for each column."""

from __future__ import annotations

import argparse
import shlex

from PETWorks.cli import HOLDS
from PETWorks.cli.evaluate import memory, reading
from PETWorks.cli.languages import chosen_language
from PETWorks.cli.output import check_outputs, chosen_format, is_policy, put, show_rows_read
from PETWorks.errors import ParameterError
from PETWorks.inspection.inspection import Inspection
from PETWorks.inspection.survey import inspect
from PETWorks.tables.opening import OpenedTable, open_source


def run(options: argparse.Namespace) -> int:
    """Inspect the table, and print the findings."""
    options.lang, options.show_small_classes = chosen_language(options), False
    check_outputs(options, [options.table])
    inspection, _ = inspected(options)
    put(inspection.to_json() if chosen_format(options) == "json" else inspection.text(options.lang), options)
    return HOLDS


def inspected(options: argparse.Namespace) -> tuple[Inspection, OpenedTable]:
    """Inspect the named table; also return the opened table, which can be read again."""
    if is_policy(options.table):
        hint = f"use petworks check {shlex.quote(options.table)}"
        raise ParameterError("that is a policy, not a table", where=options.table, hint=hint)
    with show_rows_read(options.lang):
        read_options = reading(options)
        table = OpenedTable(options.table, open_source(options.table, "table", **read_options))
        return inspect(table, **read_options, **memory(options)), table
