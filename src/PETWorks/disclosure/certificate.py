"""What a certificate says of a verdict in a record: it may be handed over, and is read without the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PETWorks.exact.limit import Limit
from PETWorks.measure.privacy.alpha_k_anonymity import AlphaKAnonymity
from PETWorks.measure.privacy.k_anonymity import KAnonymity
from PETWorks.measure.privacy.p_sensitive_k_anonymity import PSensitiveKAnonymity
from PETWorks.measure.registry import find
from PETWorks.measure.result import ResultPart
from PETWorks.measure.risk.re_identification import ReidentificationRisk
from PETWorks.shown import THRESHOLD

SIZES = {KAnonymity.name: "", PSensitiveKAnonymity.name: "k", AlphaKAnonymity.name: "k"}  # parts that are class sizes


def disclose_verdict(requirement: Mapping[str, Any], results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return a requirement with its verdict, unless that could say the size of a class of fewer than five people."""
    parameters = {
        name: value for name, value in requirement["parameters"].items() if isinstance(value, str | int | float | bool)
    }
    shown = {"measure": requirement["measure"], "parameters": parameters, "holds": requirement["holds"]}
    place = requirement.get("result")
    if place is not None and not _has_no_small_class(results) and _says_small_size(results[place]):
        shown |= {"holds": None, "withheld": True}
    return shown


def _has_no_small_class(results: Sequence[Mapping[str, Any]]) -> bool:
    """Return True if a result says that every class has five people or more; False also if that is not known."""
    for one in results:
        parts = one["parts"] | {"": one}
        size = parts.get(SIZES.get(one["measure"]), {}).get("value")
        risk = parts["highest"]["value"] if one["measure"] == ReidentificationRisk.name else None
        if (size is not None and size >= THRESHOLD) or (risk is not None and risk <= 1 / THRESHOLD):
            return True
    return False


def _says_small_size(result: Mapping[str, Any]) -> bool:
    """Return True if the limit of some part of a result asks a size of two to four people of every class."""
    measure = find(result["measure"])(**result["parameters"])
    for name, part in result["parts"].items():
        limit = None if part["limit"] is None else Limit.of(part["limit"])
        one = ResultPart(part["value"], limit=limit, figures=part["figures"])
        if limit and 1 < measure.find_implied_size(name, one) < THRESHOLD:
            return True
    return False
