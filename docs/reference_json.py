"""The page of the JSON document, from its schema."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from reference_words import Words, code, escaped, fence, joined, table

from PETWorks import render

SCHEMA = Path(render.__file__).with_name("evaluation.schema.json")
PUBLIC_SCHEMA = SCHEMA.with_name("public.schema.json")
ORDER = (
    *(
        "record",
        "table",
        "hierarchy",
        "policy",
        "premise",
        "acceptance",
        "adversary",
        "requirement",
        "not_shown",
        "result",
        "part",
        "class",
        "step",
        "note",
        "scope",
    ),
    *("making", "kept", "proof", "front", "alternative"),
)


def json_page(word: Words) -> str:
    """Describe every field, then show the schema."""
    parts = [f"# {word['json']}", word["json_intro"], fence("python", OPEN)]
    parts += [f"## {word['document']}", _table("", schema(), word)]
    for name in ORDER:
        parts += [f"## {word[f'json_{name}']}", _table(name, schema()["$defs"][name], word)]
    public = json.loads(PUBLIC_SCHEMA.read_text(encoding="utf-8"))
    parts += [f"## {word['json_public']}", word["json_public_text"], _table("public", public, word)]
    parts += [f"## {word['json_file']}", _table("file", public["$defs"]["file"], word)]
    parts += [f"## {word['schema']}", word["schema_text"], fence("json", SCHEMA.read_text(encoding="utf-8"))]
    parts += [word["json_public_schema"], fence("json", PUBLIC_SCHEMA.read_text(encoding="utf-8"))]
    return joined(parts)


OPEN = """from importlib.resources import files

schema = files("PETWorks").joinpath("render/evaluation.schema.json").read_text(encoding="utf-8")
"""


@lru_cache
def schema() -> Any:  # noqa: ANN401
    """Read the schema."""
    return json.loads(SCHEMA.read_text(encoding="utf-8"))


def described(part: str, name: str, word: Words, place: dict[str, Any] | None = None) -> str:
    """Return the description of a field; without a place, one of the document for internal readers."""
    place = place or (schema()["$defs"][part] if part else schema())
    # a result has the fields of a part, which are described there, and a document for the public those of the other
    key = f"part.{name}" if part == "result" and name in schema()["$defs"]["part"]["properties"] else f"{part}.{name}"
    if part == "public" and name in schema()["properties"]:
        key = name
    return str(word.of("json", key.lstrip("."), place["properties"][name].get("description")))


def _table(part: str, place: dict[str, Any], word: Words) -> str:
    rows = [
        [code(name), _type(value), escaped(described(part, name, word, place))]
        for name, value in place["properties"].items()
    ]
    return table([word["field"], word["type"], word["meaning"]], rows)


def _type(value: dict[str, Any]) -> str:
    if "$ref" in value:
        return code(value["$ref"].rpartition("/")[2])
    if "const" in value:
        return code(json.dumps(value["const"]))
    if "enum" in value:
        return ", ".join(code(json.dumps(one)) for one in value["enum"])
    if "anyOf" in value:
        return ", ".join(_type(one) for one in value["anyOf"])
    kinds = value["type"] if isinstance(value.get("type"), list) else [value.get("type", "any")]
    inner = value.get("items") or value.get("additionalProperties")
    within = f" ({_type(inner)})" if isinstance(inner, dict) and ("$ref" in inner or "type" in inner) else ""
    return ", ".join(code(str(kind)) for kind in kinds) + within
