"""``petworks inspect``: inspect a raw table, and suggest a role for each column."""

from __future__ import annotations

import argparse
import shlex

from PETWorks.cli import HOLDS
from PETWorks.cli.evaluate import collect_reading
from PETWorks.cli.languages import choose_language
from PETWorks.cli.options import collect_memory
from PETWorks.cli.output import check_outputs, choose_format, is_policy, print_or_write, show_rows_read
from PETWorks.errors import ParameterError
from PETWorks.inspection.inspection import Inspection
from PETWorks.inspection.survey import inspect, open_raw_table
from PETWorks.settings.sections import Reading
from PETWorks.tables.opening import OpenedTable
from PETWorks.tables.source import require_header


def run(options: argparse.Namespace) -> int:
    """Inspect the table, and print the findings."""
    options.lang, options.show_small_classes = choose_language(options), False
    check_outputs(options, [options.table])
    inspection, _ = inspect_table(options)
    print_or_write(inspection.to_json() if choose_format(options) == "json" else inspection.text(options.lang), options)
    return HOLDS


def inspect_table(options: argparse.Namespace) -> tuple[Inspection, OpenedTable]:
    """Inspect the named table; also return the opened table, which can be read again."""
    if is_policy(options.table):
        hint = f"use petworks check {shlex.quote(options.table)}"
        raise ParameterError("that is a policy, not a table", where=options.table, hint=hint)
    with show_rows_read(options.lang):
        read_options = collect_reading(options)
        table = OpenedTable(options.table, open_raw_table(options.table, Reading(**read_options)))
        require_header(table.source)
        return inspect(table, **read_options, **collect_memory(options)), table
