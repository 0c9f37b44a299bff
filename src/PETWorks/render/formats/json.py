"""An evaluation as a JSON document: all digits, and fractions as text.

Its schema is `evaluation.schema.json` in the folder above (JSON Schema, draft 2020-12); that of a public document is
`public.schema.json`. A document states its version in `schema`. The version grows when programs that read older
documents would have to change.
"""

from __future__ import annotations

import json
from importlib.metadata import version
from importlib.resources import files
from typing import Any

from PETWorks.evaluation.evaluation import Evaluation
from PETWorks.facts.notes import to_plain_values
from PETWorks.measure.parameter import list_value_parameters
from PETWorks.measure.registry import find
from PETWorks.render.formats import OutputFormat, OutputSettings
from PETWorks.shown import disclose_count

SCHEMA = "petworks/evaluation/1"
PUBLIC_SCHEMA = "petworks/public/1"
PUBLIC_FIELDS = (
    "value",
    "withheld",
    "band",
    "side",
    "limit",
    "holds",
    "verdict_withheld",
)  # the fields of a result in a public document


def evaluation_json(evaluation: Evaluation, *, original_digest: bool = True) -> str:
    """Write an evaluation as a JSON document."""
    if evaluation.is_public:
        document = {"schema": PUBLIC_SCHEMA, "version": version("petworks"), **_export_public(evaluation)}
    else:
        record = evaluation.record
        if record is not None and not original_digest:
            record = record.without_original_digest()
        document = {"schema": SCHEMA, "version": version("petworks"), "record": record and record.to_dict()}
        if record and evaluation.has_premises:
            document["record"]["accepted"] = evaluation.premises.digest
        document |= evaluation.to_dict()
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    return text.encode(errors="backslashreplace").decode()  # lone surrogates cannot be encoded, so they are escaped


def _export_public(evaluation: Evaluation) -> dict[str, Any]:
    """Return a public evaluation as plain data: without counts, steps, and values in parameters."""
    whole = evaluation.to_dict()
    for one in (*whole["requirements"], *whole["results"]):
        hidden = list_value_parameters(find(one["measure"]))
        one["parameters"] = {name: value for name, value in one["parameters"].items() if name not in hidden}
    results = []
    for result in whole["results"]:
        parts = {
            name: {key: part[key] for key in PUBLIC_FIELDS if key in part} for name, part in result["parts"].items()
        }
        named = {
            key: result[key] for key in ("measure", "family", "parameters", *PUBLIC_FIELDS, "notes") if key in result
        }
        results.append({**named, "parts": parts})
    scope = whole["scope"] and {key: whole["scope"][key] for key in ("name", "rows", "people") if key in whole["scope"]}
    if scope:
        scope["rows"] = to_plain_values(disclose_count(scope["rows"]))
    shown = {
        key: whole[key] for key in ("title", "holds", "premises", "requirements", "not_shown", "warnings", "skipped")
    }
    files = [one.to_dict() for one in evaluation.commitments] or None
    return {"files": files, **shown, "scope": scope, "results": results}


def schema(name: str = "evaluation") -> Any:  # noqa: ANN401 (JSON)
    """Return the JSON schema of the documents: "evaluation", or "public" of those for the public."""
    return json.loads(files("PETWorks.render").joinpath(f"{name}.schema.json").read_text(encoding="utf-8"))


def _write(evaluation: Evaluation, settings: OutputSettings) -> str:
    return evaluation.to_json(original_digest=settings.original_digest)


FORMAT = OutputFormat(endings=(".json",), write=_write, has_record=True)
