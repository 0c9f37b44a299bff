"""The command line with Spark, in a process of its own: it prints the same as without Spark, and nothing else."""

import re
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from support.process import POLICY, five_people, petworks_process
from tables.spark.on_spark import FAST, spark_home, spark_settings, texts

pytestmark = pytest.mark.usefixtures("needs_spark")

HERE = ("--engine", "spark", "--master", "local[1]")
PATIENCE = 60  # seconds
TRIED = re.compile(r"Whom somebody would find\n(?:  .*\n)+\n")
NOT_COUNTED = re.compile(r"^not checked +(.*)\n +it is not counted in a cluster\n", re.MULTILINE)
LEFT_OUT = ["one row is one person", "the other columns single out few", "the release is not its original"]


@pytest.fixture
def folder(tmp_path) -> Path:
    """A policy, and tables with a key, as CSV and as Parquet."""
    folder = tmp_path / "work"
    folder.mkdir()
    policy = five_people(
        folder,
        POLICY.replace("[data]\n", '[data]\nkey = "id"\n').replace("[roles]\n", '[roles]\nidentifiers = ["id"]\n'),
    )
    for name in ("released", "original"):
        path = policy.parent / f"{name}.csv"
        head, *rows = path.read_text().splitlines()
        keyed = [f"{row};{number}" for number, row in enumerate(rows)]
        path.write_text("\n".join([f"{head};id", *(keyed if name == "original" else keyed[::-1])]) + "\n")
        pq.write_table(pa.table(texts(path)), path.with_suffix(".parquet"))
    return folder


@pytest.fixture
def command(folder, tmp_path):
    """Run a command; Spark writes its files to temporary folders."""
    room, settings, home = tmp_path / "room", spark_settings(tmp_path), spark_home(tmp_path)
    room.mkdir()

    def command(*arguments, **more):
        env = {"SPARK_HOME": str(home), "SPARK_LOCAL_DIRS": str(room), "TMPDIR": str(room)}
        env |= {
            "SPARK_CONF_DIR": str(settings),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "JAVA_TOOL_OPTIONS": f"-Djava.io.tmpdir={room} {FAST}",
            **more,
        }
        before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
        done = petworks_process(*arguments, cwd=folder, env=env)
        assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before, "something was left behind"
        end = time.monotonic() + PATIENCE
        while left := [path for path in room.iterdir() if not path.name.startswith("hsperfdata")]:
            assert time.monotonic() < end, left
            time.sleep(0.1)
        return done

    return command


def test_evaluate_parquet_with_a_session_of_its_own(command):
    asked = ["evaluate", "released.parquet", "--original", "original.parquet", "--hierarchies", "hierarchies"]
    asked += ["--key", "id", "-q", "year", "-q", "place", "-s", "disease", "--format", "json", "--show-small-classes"]
    there, here = command(*asked, *HERE), command(*asked)
    assert (there.stderr, there.returncode) == ("", 0)
    assert there.stdout.replace('"Spark, Parquet"', '"Parquet"') == here.stdout
    assert '"Precision"' in there.stdout


@pytest.mark.parametrize(
    ("asked", "left_out", "code"),
    [(("check", "policy.toml"), LEFT_OUT, 1), (("explain", "policy.toml", "Precision"), [], 0)],
    ids=["check", "explain"],
)
def test_a_policy(command, asked, left_out, code, connect):
    """A check names the premises that are not counted in a cluster; all others are the same, as is the rest."""
    there, here = command(*asked, "--engine", "spark", "--master", connect), command(*asked)
    assert NOT_COUNTED.findall(there.stdout) == left_out
    same = NOT_COUNTED.sub("", there.stdout)
    beside = TRIED.sub("", here.stdout)  # adversaries are tried on rows that are read here
    assert (same, there.stderr, there.returncode) == (beside, here.stderr, here.returncode)
    assert here.returncode == code  # the key is published in clear
    assert "Precision" in there.stdout


def test_a_table_that_is_wrong(command, folder, connect):
    (folder / "ragged.csv").write_text("age;ill\n1;a\n2;b;c\n")
    done = command("evaluate", "ragged.csv", "--engine", "spark", "--master", connect)
    assert (done.stdout, done.returncode) == ("", 2)
    assert done.stderr.splitlines()[0].startswith(
        "error: ragged.csv: 1 row with more or fewer cells than the 2 columns"
    )
    assert len(done.stderr.splitlines()) == 2


NO_SPARK = "raise ImportError('there is none')\n"


@pytest.mark.parametrize(
    ("arguments", "more", "words"),
    [
        (["--engine", "spark"], {}, "needs the address of a Spark cluster"),
        (["--master", "local[1]"], {}, "--engine spark"),
        ([*HERE, "--failing-rows", "rows.csv"], {}, "have no row numbers"),
        (HERE, {"JAVA_HOME": "/nowhere"}, "Spark could not be started: /nowhere/bin/java: No such file"),
        (
            ["--engine", "spark", "--master", "spark://127.0.0.1:1"],
            {},
            "spark://127.0.0.1:1: the cluster does not answer",
        ),
        (["--engine", "spark", "--master", "sc://127.0.0.1:1/;x=y"], {}, "the cluster does not answer"),
        (HERE, {"PYTHONPATH": "stub"}, 'pip install "petworks[spark]"'),
    ],
    ids=["no master", "no engine", "failing rows", "no Java", "nobody there", "nobody at Connect", "no pyspark"],
)
def test_what_cannot_be_run(command, folder, arguments, more, words):
    (folder / "stub").mkdir()
    (folder / "stub" / "pyspark.py").write_text(NO_SPARK)
    done = command(
        "evaluate", "released.csv", *arguments, PYTHONDONTWRITEBYTECODE="1", MASTER="", SPARK_MASTER="", **more
    )
    assert (done.stdout, done.returncode) == ("", 2)
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_a_master_that_is_configured(command, folder):
    """The master comes from Spark's own configuration file. It is not a valid address, so Spark does not start."""
    (folder / "spark-defaults.conf").write_text("spark.master nonsense\n")
    done = command("evaluate", "released.csv", "--engine", "spark", SPARK_CONF_DIR=str(folder), MASTER="")
    assert (done.stdout, done.returncode) == ("", 2)
    assert "Spark could not be started: Master must either be yarn or start with spark, k8s, or local" in done.stderr
