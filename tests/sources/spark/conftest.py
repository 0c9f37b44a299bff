"""A Spark cluster of two worker processes besides the driver, started once for all tests of this folder."""

from __future__ import annotations

import os
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

from sources.spark.on_spark import FAST, MASTER, spark_home, to_spark

JAVA = shutil.which("java") or (Path(os.environ.get("JAVA_HOME", "-")) / "bin" / "java").is_file()
QUIET = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.codegen.wholeStage": "false",  # compiling each of many small queries is slower than running it
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.caseSensitive": "true",
    "spark.sql.session.timeZone": "Asia/Taipei",
}


@pytest.fixture(scope="session")
def needs_spark() -> None:
    if not find_spec("pyspark"):
        pytest.skip("pyspark is not there")
    if not JAVA:
        pytest.skip("Java is not there")


@pytest.fixture(scope="session")
def room(tmp_path_factory) -> Path:
    """Return a temporary folder for Spark's own files."""
    return tmp_path_factory.mktemp("spark")


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
        for name, value in (QUIET | options).items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        yield session
        session.stop()


@pytest.fixture
def frame(spark):
    """Put a dict of lists of texts on the cluster, over several partitions."""
    return lambda table, partitions=3: to_spark(spark, table).repartition(partitions)
