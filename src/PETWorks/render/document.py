"""An evaluation as a JSON document: full digits, fractions as text, a schema with a version.

The schema is `evaluation.schema.json` beside this file (JSON Schema, draft 2020-12). A document names the version that
it follows in `schema`. The version number grows when programs that read older documents would have to change.
"""

from __future__ import annotations

import json
from importlib.metadata import version
from importlib.resources import files
from typing import Any

from PETWorks.answer.evaluation import Evaluation
from PETWorks.facts.bands import public_count
from PETWorks.facts.notes import plain_values

SCHEMA = "petworks/evaluation/1"
PUBLIC_SCHEMA = "petworks/public/1"
TOLD = ("value", "withheld", "band", "side", "limit", "holds")  # what a public document tells of a result


def evaluation_json(evaluation: Evaluation, *, original_digest: bool = True) -> str:
    """Write an evaluation as a JSON document."""
    if evaluation.is_public:
        document = {"schema": PUBLIC_SCHEMA, "version": version("petworks"), **_public(evaluation)}
    else:
        record = evaluation.record
        if record is not None and not original_digest:
            record = record.without_original_digest()
        document = {"schema": SCHEMA, "version": version("petworks"), "record": record and record.to_dict()}
        document |= evaluation.to_dict()
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    return text.encode(errors="backslashreplace").decode()  # lone surrogates cannot be encoded, so they are escaped


def _public(evaluation: Evaluation) -> dict[str, Any]:
    """Return what a public evaluation tells: no steps, and no values in parameters; it has no counts."""
    whole = evaluation.to_dict()
    for one in (*whole["requirements"], *whole["results"]):
        one["parameters"] = {name: value for name, value in one["parameters"].items() if not isinstance(value, list)}
    results = []
    for result in whole["results"]:
        parts = {name: {key: part[key] for key in TOLD} for name, part in result["parts"].items()}
        named = {key: result[key] for key in ("measure", "family", "parameters", *TOLD, "notes")}
        results.append({**named, "parts": parts})
    scope = whole["scope"] and {key: whole["scope"][key] for key in ("name", "rows", "people") if key in whole["scope"]}
    if scope:
        scope["rows"] = plain_values(public_count(scope["rows"]))
    told = {key: whole[key] for key in ("title", "holds", "requirements", "not_shown", "warnings", "skipped")}
    return {**told, "scope": scope, "results": results}


def schema() -> Any:  # noqa: ANN401 (JSON)
    """Return the JSON schema of the documents."""
    return json.loads(files(__package__).joinpath("evaluation.schema.json").read_text(encoding="utf-8"))
