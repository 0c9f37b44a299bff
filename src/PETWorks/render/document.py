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

SCHEMA = "petworks/evaluation/1"


def evaluation_json(evaluation: Evaluation, *, original_digest: bool = True) -> str:
    """Write an evaluation as a JSON document."""
    record = evaluation.record
    if record is not None and not original_digest:
        record = record.without_original_digest()
    document = {"schema": SCHEMA, "version": version("petworks"), "record": record and record.to_dict()}
    document |= evaluation.to_dict()
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    return text.encode(errors="backslashreplace").decode()  # lone surrogates cannot be encoded, so they are escaped


def schema() -> Any:  # noqa: ANN401 (JSON)
    """Return the JSON schema of the documents."""
    return json.loads(files(__package__).joinpath("evaluation.schema.json").read_text(encoding="utf-8"))
