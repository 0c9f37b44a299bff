"""A Spark cluster of two worker processes besides the driver, started once for all tests of this folder.

The driver also serves Spark Connect, so that other processes use the cluster without starting one.
"""

from __future__ import annotations

import os
import shutil
import socket
from importlib.util import find_spec
from pathlib import Path

import pytest

from tables.spark.on_spark import FAST, MASTER, SMALL, spark_home, to_spark

JAVA = shutil.which("java") or (Path(os.environ.get("JAVA_HOME", "-")) / "bin" / "java").is_file()
QUIET = {
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
    "spark.sql.caseSensitive": "true",
    "spark.sql.session.timeZone": "Asia/Taipei",
}
SERVING = {
    "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
    "spark.connect.grpc.binding.address": "127.0.0.1",
}


FEWER = {  # of many releases of one table, every so many is measured here; all of them are without Spark
    "quality": 9,
    "risk": 9,
    "level": 3,
    "case": 3,
    "test_a_release_satisfies_the_models_it_was_made_for": 3,
    "test_sensitive_attributes": 3,
    "test_population_uniqueness": 3,
}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out some releases of the golden tests. A worker is killed last: the one after it has to warm up again."""

    def left_out(item: pytest.Item) -> bool:
        if not item.nodeid.startswith("tests/tables/spark/test_golden_on_spark.py") or not hasattr(item, "callspec"):
            return False
        places = item.callspec.indices
        return any(place % max(FEWER.get(name, 1), FEWER.get(item.originalname, 1)) for name, place in places.items())

    config.hook.pytest_deselected(items=[item for item in items if left_out(item)])
    items[:] = [item for item in items if not left_out(item)]
    items.sort(key=lambda item: item.nodeid.startswith("tests/tables/spark/test_lost_worker.py"))


@pytest.fixture(scope="session")
def needs_spark() -> None:
    if not find_spec("pyspark"):
        pytest.skip("pyspark is not there")
    if not JAVA:
        pytest.skip("Java is not there")


@pytest.fixture(scope="session")
def room(tmp_path_factory) -> Path:
    """Return a temporary folder for Spark's own files. It must be new: only one worker starts a cluster."""
    base = tmp_path_factory.getbasetemp()
    room = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "spark"
    room.mkdir()
    return room


def free_port() -> str:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return str(server.getsockname()[1])


@pytest.fixture(scope="session")
def spark(needs_spark, room):
    from pyspark.sql import SparkSession

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_HOME", str(spark_home(room)))
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        patch.setenv("SPARK_LOCAL_DIRS", str(room))
        patch.delenv("SPARK_REMOTE", raising=False)
        builder = SparkSession.builder.master(MASTER).appName("petworks-tests")
        java = f"-Djava.io.tmpdir={room} {FAST}"
        options = {"spark.driver.extraJavaOptions": java, "spark.executor.extraJavaOptions": java}
        options["spark.connect.grpc.binding.port"] = free_port()
        for name, value in (SMALL | QUIET | SERVING | options).items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        yield session
        session.stop()


@pytest.fixture(scope="session")
def connect(spark) -> str:
    """Return the address at which the cluster serves Spark Connect."""
    if not (find_spec("grpc") and find_spec("grpc_status")):
        pytest.skip("grpcio is not there")
    return f"sc://127.0.0.1:{spark.conf.get('spark.connect.grpc.binding.port')}"


@pytest.fixture
def frame(spark):
    """Put a dict of lists of texts on the cluster, over several partitions."""
    return lambda table, partitions=3: to_spark(spark, table).repartition(partitions)
