"""A release of a table on Spark: searched for on the tally, an expression on the user's DataFrame, measured there."""

from collections import Counter

import pytest

import PETWorks as pw
from PETWorks.errors import NotAskableError
from tables.spark.on_spark import to_spark

AGES = [(str(age), f"{age // 10}x", "*") for age in range(20, 40)]
PEOPLE = {"age": [str(20 + row % 20) for row in range(60)] + ["27"], "ill": ["flu", "cold", "flu"] * 20 + ["flu"]}
ROLES = {"hierarchies": {"age": AGES}, "quasi_identifiers": ["age"], "sensitive": ["ill"]}
GOALS = [pw.KAnonymity(5), pw.LDiversity(2)]


def test_the_same_release(spark, tmp_path):
    table = to_spark(spark, PEOPLE)
    here, there = (pw.anonymize(one, goals=GOALS, suppress_at_most="10%", **ROLES) for one in (PEOPLE, table))
    assert (there.levels, there.suppressed, there.proven) == (here.levels, here.suppressed, True)
    assert there.utility.exact == here.utility.exact
    released = there.frame()
    assert Counter(map(tuple, released.collect())) == Counter(here.frame("pandas").itertuples(index=False, name=None))
    assert pw.Release(released, **ROLES).check(*GOALS).requirements_hold
    with pytest.raises(NotAskableError, match="let Spark write the release"):
        there.write(tmp_path / "released.csv")


def test_rows_on_a_cluster_have_no_order(spark):
    table = to_spark(spark, PEOPLE)
    with pytest.raises(NotAskableError, match="parts tells rows with equal values apart by their order"):
        pw.anonymize(table, goals=GOALS, **ROLES, recoding="local", parts=True)
