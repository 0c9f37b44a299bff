"""People with several rows are counted the same on a cluster, whether the release or the original says whose rows."""

from __future__ import annotations

import pytest

import PETWorks as pw
from counting.test_people_counted import ROLES, answers, visits
from sources.spark.on_spark import KEY, to_spark

PERSON = "the person"


def keyed() -> dict[str, list[str | None]]:
    table = visits(rows=120, people=40)
    return table | {KEY: [f"r{row}" for row in range(120)]}


@pytest.mark.parametrize("known", ["one", "all"])
def test_people_of_the_release(spark, known):
    here, there = keyed(), to_spark(spark, keyed())
    expected = answers(pw.Release(here, person=PERSON, known=known, identifiers=[KEY], **ROLES))
    assert answers(pw.Release(there, person=PERSON, known=known, identifiers=[KEY], **ROLES)) == expected


@pytest.mark.parametrize("known", ["one", "all"])
def test_people_of_the_original(spark, known):
    """The rows pair by a key, in whatever order they are."""
    table = keyed()
    released = {name: cells for name, cells in table.items() if name != PERSON}
    original = {name: table[name] for name in (PERSON, KEY, "age", "zip")}
    options = {"person": PERSON, "known": known, "key": KEY, "pairing": "key", "identifiers": [KEY], **ROLES}
    expected = answers(pw.Release(released, original=original, **options))
    there = pw.Release(to_spark(spark, released), original=to_spark(spark, original).repartition(3), **options)
    assert answers(there) == expected
