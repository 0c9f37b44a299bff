"""Whether results warn that a column of the release joins the rows of a person."""

from __future__ import annotations

import pytest

import PETWorks as pw

ZIPS = ["1", "1", "2", "2"]


def warned(release: pw.Release) -> list[str]:
    return [note.figures["column"] for note in release.ask("k-anonymity").notes if note.kind == "joinable"]


@pytest.mark.parametrize("unknown", ["together", "each"])
@pytest.mark.parametrize(
    ("persons", "joined"),
    [
        (["*"] * 4, []),
        ([None] * 4, []),
        ([None, "*", "*", None], []),
        ([None, "*", "A", "B"], []),  # only those who are unknown have several rows
        ([None, "*", "A", "A"], ["id"]),
        (["B", "B", "A", "A"], ["id"]),
    ],
)
def test_who_is_not_named_is_not_joined(persons, joined, unknown):
    table = {"id": persons, "zip": ZIPS}
    release = pw.Release(table, quasi_identifiers=["zip"], person="id", unknown_person=unknown)
    assert warned(release) == joined


def test_a_pseudonym_in_place_of_the_persons():
    original = {"id": ["A", "A", "B", "C"], "zip": ZIPS}
    for pseudonyms, joined in ((["x", "x", "y", "z"], ["p"]), (["x", "x", "y", "y"], []), (["x", "w", "y", "z"], [])):
        roles = {"quasi_identifiers": ["zip"], "insensitive": ["p"], "person": "id", "pairing": "position"}
        assert warned(pw.Release({"p": pseudonyms, "zip": ZIPS}, original=original, **roles)) == joined
