"""If there are too many combinations for this machine, only the sizes of the classes are fetched from the cluster."""

from __future__ import annotations

import pytest

import PETWorks as pw
from PETWorks.errors import TooLargeError
from PETWorks.tables.counting import count as counting
from tables.spark.on_spark import to_spark

TABLE = {
    "zip": ["100", "100", " 100 ", "106", "*", "", None, "106"],
    "sex": ["f", "f", "f", "m", "*", "　", None, "m"],
    "disease": ["flu", "cold", "flu", None, "flu", "cold", "flu", "cold"],
}
ROLES = {"quasi_identifiers": ["zip", "sex"], "sensitive": ["disease"]}


@pytest.fixture
def nothing_fits(monkeypatch):
    monkeypatch.setattr(counting, "COMBINATION_BYTES", 10**15)


def answers(evaluation) -> list:
    return [result.to_dict() for result in evaluation]


@pytest.mark.usefixtures("nothing_fits")
@pytest.mark.parametrize("marker", ["*", "106", "#"])
def test_the_sizes_of_classes(spark, marker):
    here = pw.Release(TABLE, **ROLES, suppressed=marker).evaluate()
    there = pw.Release(to_spark(spark, TABLE), **ROLES, suppressed=marker).evaluate()
    assert answers(there) == answers(here)
    assert {result.name for result in there} == {
        "k-anonymity",
        "class sizes",
        "re-identification",
        "sample uniqueness",
    }
    assert there.skipped["t-closeness"].kind == "too_large"


@pytest.mark.usefixtures("nothing_fits")
def test_missing_cells_of_all_kinds(spark):
    """NaN and blank bytes count as missing, as in other sources."""
    frame = spark.sql(
        "SELECT * FROM VALUES (1.5D, X'20', 'x'), (double('NaN'), X'78', 'x'), (NULL, NULL, 'x'), (2D, X'', ' ')"
        " AS t(number, bytes, text)"
    )
    roles = {"quasi_identifiers": ["text"], "sensitive": ["number", "bytes"]}
    here, there = (pw.Release(one, **roles).evaluate() for one in (frame.toArrow(), frame))
    assert answers(there) == answers(here)
    assert there[0].scope.missing == {"text": 1, "number": 2, "bytes": 3}


@pytest.mark.usefixtures("nothing_fits")
def test_pairs_that_are_too_many(spark):
    table = {"id": [str(number) for number in range(8)], **TABLE}
    release = pw.Release(to_spark(spark, table), original=to_spark(spark, table), key="id", **ROLES)
    with pytest.raises(TooLargeError, match="different combinations of 5 columns"):
        release.ask("Precision")


@pytest.mark.usefixtures("nothing_fits")
def test_a_kind_that_the_cluster_cannot_compare_with_the_marker(spark):
    """Spark writes decimal numbers differently, so it cannot find cells that are the marker: there is no outline."""
    frame = spark.sql("SELECT * FROM VALUES (1.5D), (2.5D) AS t(a)")
    with pytest.raises(TooLargeError):
        pw.Release(frame).evaluate()
