"""Releases of the same people for tests: built from rows, and their figures by the names of the reference."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import PETWorks as pw


def build_edition(editions: list[dict[str, Any]], names: list[str], sensitive: str, trees: Any) -> pw.Release:
    """Return the newest of some editions; each has `people`, `released` rows and, perhaps, `original` rows."""
    columns = [*names, sensitive]

    def transpose(rows: list[list[Any]], of: list[str]) -> dict[str, list[Any]]:
        return {name: [row[place] for row in rows] for place, name in enumerate(of)}

    tables = [
        {
            "released": transpose(one["released"], columns),
            "original": {"person": one["people"], **transpose(one.get("original") or one["released"], names)},
            "key": "person",
            "pairing": "position",
            "disjoint": True,
            "unknown_person": "nobody",
        }
        for one in editions
    ]
    newest = {name: tables[-1][name] for name in ("original", "pairing")}
    return pw.Release(
        tables[-1]["released"],
        **newest,
        quasi_identifiers=names,
        sensitive=[sensitive],
        hierarchies=trees or None,
        earlier=tables[:-1],
    )


def find_figures(release: pw.Release, k: int) -> dict[str, Any]:
    """Return the figures of people who are in all editions, by the names of the reference.

    Where nobody is in only some of several editions, those of the measures must be the same.
    """
    editions, (name, *_) = release.facts.editions, release.roles.sensitive
    joint = editions.join(range(len(editions.given)))
    spread = joint.spread(name)
    (distinct, most), compatible = spread.joined, joint.find_compatible(spread)
    products, sums = spread.find_independent_beliefs()
    shares = zip(most[joint.is_judged].tolist(), joint.sizes[joint.is_judged].tolist(), strict=True)
    beliefs = zip(products[joint.is_judged].tolist(), sums[joint.is_judged].tolist(), strict=True)

    def count_below(figures: Any) -> int:
        return joint.count_people(figures < k)

    found = {
        "people": editions.people,
        "in_all": joint.people,
        "judged": joint.judged,
        "joint_size": joint.find_least(joint.sizes),
        "below_k": count_below(joint.sizes),
        "alone": joint.count_people(joint.sizes == 1),
        "unsure_size": joint.find_least(joint.unsure),
        "unsure_below_k": count_below(joint.unsure),
        "rows_left": joint.find_least(spread.rows_left),
        "rows_left_below_k": count_below(spread.rows_left),
        "values": joint.find_least(spread.shared),
        "certain": joint.count_people_of(spread.certain),
        "misled": joint.count_people_of(spread.misled),
        "joint_distinct": joint.find_least(distinct),
        "joint_certain": joint.count_people(distinct == 1),
        "joint_alpha": max((Fraction(*one) for one in shares), default=None),
        "independent_alpha": max((Fraction(*one) for one in beliefs if one[1]), default=None),
        "m_invariance": release.ask("m-invariance").exact,
    }
    if not joint.judged:
        found |= {"compatible_size": None, "compatible_below_k": 0, "compatible_values": None}
    elif compatible is not None:
        found["compatible_size"] = min(compatible.sizes.tolist(), default=None)
        found["compatible_below_k"] = int((compatible.sizes < k).sum())
        found["compatible_values"] = min(compatible.values.tolist(), default=None)
    if editions.sets in ((), (tuple(range(len(editions.given))),)):
        check_measures(release, k, found)
    if len(editions.given) == 2:
        told = release.ask(pw.Differencing(k))
        names = ("cells", "cells_pointed", "people_pointed", "cells_net", "left_shown", "joined_shown")
        found |= {"smallest_change": told.exact, **{key: told.figures[key] for key in names}}
    return found


def check_measures(release: pw.Release, k: int, found: dict[str, Any]) -> None:
    """Compare the figures of one set of editions with those of the measures."""
    anonymity, diversity = release.ask(pw.JointAnonymity(k)), release.ask(pw.JointDiversity(2))
    parts = {"joint_size": "joint size", "rows_left": "rows left", "unsure_size": "unsure"}
    if "compatible" in anonymity.parts:
        parts["compatible_size"] = "compatible"
    for name, part in parts.items():
        assert (anonymity.parts[part].exact if part in anonymity.parts else None) == found[name], name
    assert anonymity.holds is (found["joint_size"] is None or found["joint_size"] >= k)
    assert [anonymity.figures[one] for one in ("judged", "below", "alone")] == [
        found[one] for one in ("judged", "below_k", "alone")
    ]
    assert diversity.exact == found["values"]
    assert [diversity.figures[one] for one in ("certain", "joined", "misled")] == [
        found[one] for one in ("certain", "joint_certain", "misled")
    ]
    assert release.ask("independent belief").exact == found["independent_alpha"]
