"""Run the tests of reference values again: each release in these tests is also measured on the cluster.

Of the many releases that ARX made of one table, only some are (`conftest.py`).
"""

import pytest

import PETWorks as pw
from golden.test_arx import *  # noqa: F403
from golden.test_extra import *  # noqa: F403
from golden.test_pycanon import *  # noqa: F403
from golden.test_t_closeness import *  # noqa: F403
from tables.spark.on_spark import Both


@pytest.fixture(scope="module", autouse=True)
def on_both(spark, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {
            "spark": spark,
            "room": tmp_path_factory.mktemp("golden"),
            "made": {},
            "placed_before": {},
        }.items():
            patch.setattr(Both, name, value, raising=False)
        patch.setattr(pw, "Release", Both)
        yield


def test_releases_are_measured_on_the_cluster_too():
    release = pw.Release({"age": ["20", "20"]}, quasi_identifiers=["age"])
    assert isinstance(release, Both)
    assert release.ask("k-anonymity").exact == 2
