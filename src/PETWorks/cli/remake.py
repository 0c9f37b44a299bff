"""Make again the release that a record tells of: from its original, by its policy or by its plan."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from math import prod
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PETWorks.cli.repeat import READING, Document, Files, document_of, measure_of
from PETWorks.errors import NotAskableError
from PETWorks.making.make import make
from PETWorks.making.plan import Plan
from PETWorks.making.record import plain_plan, plan_of
from PETWorks.policy.recipe import Recipe
from PETWorks.release import Release
from PETWorks.sources import OpenedTable, Reading, open_source


def remade_document(report: Document, files: Files, memory: Mapping[str, Any]) -> Document:
    """Make the release again, write it where nobody sees it, and return its record."""
    told, policy = report["making"], files.of_policy()
    recipe = Recipe(policy, located=files.named, **memory) if policy else None
    if recipe:
        original, asked, rest = recipe._release, recipe.plan, recipe.rest  # noqa: SLF001 (of our own)
    else:
        original, asked, rest = _original(told, files, memory), plan_of(told["plan"], measure_of), told["the_rest"]
    original.hash_while_reading()
    made = make(original, _as_told(asked, told), rest=rest)
    if stopped(report):  # the levels are those that it had found: to search again would take as long
        made = replace(made, outcome=replace(made.outcome, freely=None))
    with TemporaryDirectory(dir=memory["temporary"]) as folder:
        measured = made.write(Path(folder) / Path(files.release["name"]).name)
        document = document_of(recipe.judged(measured) if recipe else measured, files)
    making: Document = document["making"] | {"plan": json.loads(json.dumps(plain_plan(asked)))}
    return document | {"making": making | _unverified(told, asked) if stopped(report) else making}


def stopped(report: Document) -> bool:
    """Return True if the search was stopped, so that only what it had found can be made again."""
    proof = report["making"]["proof"]
    return bool(proof and proof["open"])


def reproducible(report: Document) -> bool:
    """Return True if the rows can be written in the same order again."""
    plan = report["making"]["plan"]
    return plan["order"] != "shuffled" or plan["seed"] is not None


def _original(told: Document, files: Files, memory: Mapping[str, Any]) -> Release:
    """Return the original as a release of itself, read as it was."""
    record, tables = files.record, files.of_tables()
    if "original" not in tables:
        raise NotAskableError("the record names no original, so the release cannot be made again")
    path = tables["original"]
    opened = OpenedTable(path, open_source(path, "original", *(record[name] for name in Reading._fields)))
    return Release(
        opened,
        original=opened,
        population=tables.get("population"),
        hierarchies=files.of_hierarchies() or None,
        pairing="position",
        sidecar=False,
        **told["roles"],
        **{name: record[name] for name in READING if name not in ("key", "pairing")},
        **memory,
    )


def _as_told(asked: Plan, told: Document) -> Plan:
    """Return a plan without a time limit; of a search that was stopped, what it had found is made again."""
    proof, rounds = told["proof"], told["polish_rounds"]
    levels = told["levels"] if proof and proof["open"] else asked.levels
    return replace(asked, seconds=None, polish_rounds=rounds, levels=levels)


def _unverified(told: Document, asked: Plan) -> Document:
    """Return what is believed of a search that was stopped. The number of vectors, and that they add up, is checked."""
    vectors = prod(len(one) for one in replace(asked, levels={}).levels_allowed(told["heights"]))
    closed = {name: told["proof"][name] for name in ("evaluated", "by_goals", "by_bound")}
    proof = {**closed, "open": vectors - sum(closed.values()), "vectors": vectors}
    better = {"better": told["better"]} if "better" in told else {}
    return {"proof": proof, "bound": told["bound"], "proven": False, **better}
