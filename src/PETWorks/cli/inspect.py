"""``petworks inspect``: look at a raw table, and suggest a role for each column."""

from __future__ import annotations

import argparse
import shlex
from typing import Any

from PETWorks.cli import HOLDS
from PETWorks.cli.evaluate import memory
from PETWorks.cli.languages import chosen_language
from PETWorks.cli.output import check_outputs, chosen_format, is_policy, put, waiting
from PETWorks.errors import OutputError, ParameterError
from PETWorks.inspection.inspect import inspect
from PETWorks.inspection.inspection import Inspection

FORMATS = ("text", "json")


def run(options: argparse.Namespace) -> int:
    """Look at the table, and print what was found."""
    options.lang, options.show_small_classes = chosen_language(options), False
    check_outputs(options, [options.table])
    if (form := chosen_format(options)) not in FORMATS:
        raise OutputError(
            f"an inspection cannot be written as {form}", where=options.output, hint="name it *.json or *.txt"
        )
    inspection = inspected(options)
    put(inspection.to_json() if form == "json" else inspection.text(options.lang), options)
    return HOLDS


def inspected(options: argparse.Namespace) -> Inspection:
    """Look at the table that is named."""
    if is_policy(options.table):
        hint = f"use petworks check {shlex.quote(options.table)}"
        raise ParameterError("that is a policy, not a table", where=options.table, hint=hint)
    with waiting(options.lang):
        return inspect(options.table, **reading(options), **memory(options))


def reading(options: argparse.Namespace) -> dict[str, Any]:
    """Return the options about the form of the table, as arguments of `inspect`."""
    delimiter = "\t" if options.delimiter in ("tab", r"\t") else options.delimiter
    return {"delimiter": delimiter, "encoding": options.encoding}
