"""Reference values from outside the project, and the releases they belong to."""

from __future__ import annotations

import json
from typing import Any

import pytest

import PETWorks as pw
from support.places import SHARED

ADULT = SHARED / "datasets" / "adult"


def load(name: str) -> dict[str, dict[str, Any]]:
    path = SHARED / "golden" / name
    return {case["case"]: case for case in json.loads(path.read_text())} if path.exists() else {}


ARX, EXTRA = load("arx.json"), load("extra.json")


def named(cases: dict[str, Any], prefix: str = "", key: str = "case") -> list[Any]:
    """Names of cases that have a key, as test parameters; one that skips where there are none."""
    absent = pytest.mark.skip(reason="reference values (../shared/golden) are not there")
    found = [name for name, case in cases.items() if name.startswith(prefix) and key in case]
    return found or [pytest.param("", marks=absent)]


def arx_release(case: dict[str, Any], **options: Any) -> pw.Release:
    inside, beside = SHARED / case["anonymized"], SHARED / "datasets" / case["anonymized"]
    return pw.Release(
        inside if inside.exists() else beside,
        original=ADULT / "adult.csv",
        hierarchies=ADULT / "adult_hierarchy",
        quasi_identifiers=case["quasi_identifiers"],
        sensitive=case.get("sensitive", []),
        **options,
    )


def sensitive_release(case: dict[str, Any]) -> pw.Release:
    inputs = case["inputs"]
    return pw.Release(
        SHARED / inputs["release"],
        quasi_identifiers=inputs["quasi_identifiers"],
        sensitive=[inputs["sensitive"]],
        hierarchies=ADULT / "adult_hierarchy",
    )


def sample_of(classes: list[dict[str, int]]) -> pw.Release:
    """A release with s rows of each class, and a population with F."""
    released = [f"c{number}" for number, one in enumerate(classes) for _ in range(one["s"])]
    population = [f"c{number}" for number, one in enumerate(classes) for _ in range(one["F"])]
    return pw.Release({"c": released}, population={"c": population})


def histogram_release(histogram: dict[str, int]) -> pw.Release:
    """A release whose classes have the sizes of a histogram."""
    sizes = {int(size): many for size, many in histogram.items()}
    rows = [f"{size}-{one}" for size, many in sizes.items() for one in range(many) for _ in range(size)]
    return pw.Release({"class": rows})
