"""Spark Connect: DataFrames of a remote session. A process has one or a classic session, so another process has it."""

import subprocess
import sys

from support.places import ROOT
from support.process import PLAIN

SCRIPT = """
import sys, warnings
warnings.simplefilter("ignore")
from pyspark.sql import SparkSession
import PETWorks as pw
from PETWorks import errors
from tables.test_pairing import EXPECTED, ORIGINAL, RELEASED, YEARS

spark = SparkSession.builder.remote(sys.argv[1]).getOrCreate()

def frame(table):
    return spark.createDataFrame(list(zip(*table.values())), list(table))

release = pw.Release(frame(RELEASED), original=frame(ORIGINAL), key="id", quasi_identifiers=["year"],
                     sensitive=["sick"], hierarchies={"year": YEARS})
assert type(frame(RELEASED)).__module__.startswith("pyspark.sql.connect")
assert release.ask("Precision").exact == EXPECTED
twice = pw.Release(frame({**RELEASED, "id": list("aabbc")}), original=frame(ORIGINAL), key="id",
                   quasi_identifiers=["year"], hierarchies={"year": YEARS})
try:
    twice.ask("Precision")
except errors.PairingError as error:
    print(error)
try:
    pw.Release(spark.sql("SELECT raise_error('out of order') AS a")).ask("k-anonymity")
except errors.SourceError as error:
    print(error.listed)
table = pw.Release(frame(RELEASED))
spark.stop()
try:
    table.ask("k-anonymity")
except errors.SourceError as error:
    print("stopped:", error.problem)
"""


def test_connect(connect, tmp_path):
    command, env = [sys.executable, "-c", SCRIPT, connect], PLAIN | {"PYTHONPATH": str(ROOT / "tests")}
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert 'release: 2 values of the key "id" occur more than once: "a", "b"' in done.stdout
    assert "out of order" in done.stdout
    assert "stopped: the Spark session has ended" in done.stdout
