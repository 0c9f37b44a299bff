"""With one row per person, a release with rows removed or shuffled is made, written and measured as without people."""

from __future__ import annotations

import pytest

import PETWorks as pw
from PETWorks.anonymization.made_release import apply_plan_settings
from PETWorks.anonymization.plan import read_search
from PETWorks.errors import PairingError, PersonError

TABLE = {"who": list("ABCDEFGHI"), "zip": list("111222334"), "ill": list("abababaab")}
ROLES = {"quasi_identifiers": ["zip"], "sensitive": ["ill"]}
WAYS = {
    "removed": {"suppressed_rows": "remove"},
    "shuffled": {"order": "shuffled", "seed": 1},
    "both": {"suppressed_rows": "remove", "order": "shuffled", "seed": 1, "suppress": "people"},
}


def made(way: dict[str, object], **of_whom: object) -> pw.AnonymizedTable:
    goals = [pw.KAnonymity(3 if "suppressed_rows" in way else 2)]
    return pw.anonymize(TABLE, goals=goals, suppress_at_most="50%", **ROLES, **way, **of_whom)


@pytest.mark.parametrize("drop", [False, True])
@pytest.mark.parametrize("known", ["one", "all"])
@pytest.mark.parametrize("way", WAYS)
def test_what_is_written(way, known, drop, tmp_path):
    rows = {key: one for key, one in WAYS[way].items() if key != "suppress"}
    people = made(WAYS[way], person="who", known=known, drop_identifiers=drop)
    plain = made(rows, identifiers=["who"], drop_identifiers=drop)
    judged = people.write(tmp_path / "people.csv", record=tmp_path / "people.json")
    assert judged.requirements_hold
    expected = plain.write(tmp_path / "plain.csv")
    assert (tmp_path / "people.csv").read_bytes() == (tmp_path / "plain.csv").read_bytes()
    assert without_name(judged[0]) == without_name(expected[0])
    every, others = people.release.evaluate(), plain.release.evaluate()
    assert [without_name(one) for one in every] == [without_name(one) for one in others]


def without_name(result: pw.Result) -> dict[str, object]:
    told = result.to_dict()
    return told | {"scope": {key: one for key, one in told["scope"].items() if key != "name"}}


def removed(who: str, **options: object) -> pw.Release:
    """A release of which rows were removed, and that names nobody; its original says whose rows they were."""
    released = {"zip": list("111222"), "ill": list("ababab")}
    original = TABLE | {"who": list(who)}
    release = pw.Release(released, original=original, pairing="position", person="who", **ROLES, **options)
    return apply_plan_settings(release, read_search(pw.KAnonymity(3), suppress_at_most="50%", suppressed_rows="remove"))


@pytest.mark.parametrize("fits", [True, False])
def test_who_has_several_rows_of_the_original(fits, count_only_sizes):
    """Nobody can tell then who has several rows of the release."""
    if not fits:
        count_only_sizes()
    assert removed("ABCDEFGHI").ask("k-anonymity").exact == 3
    with pytest.raises(PairingError):
        removed("AACDEFGHI").ask("k-anonymity")
    with pytest.raises(PairingError):
        removed("**CDEFGHI", unknown_person="together").ask("k-anonymity")


def test_rows_of_the_original_without_a_person():
    with pytest.raises(PersonError, match="2 rows have no person"):
        removed("**CDEFGHI").ask("k-anonymity")
    assert removed("**CDEFGHI", unknown_person="each").ask("k-anonymity").exact == 3
