"""Whatever happens while a release is written, nothing incomplete bears its name."""

import os
import random
import resource
import signal
import stat
import subprocess
import sys
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from anonymization.recodings import writing
from PETWorks.errors import MalformedError, OutputError, SourceError
from support.counted_tables import open_source
from support.places import ROOT
from support.process import PLAIN

WRITER = """
import sys
from PETWorks.cli import _handle_signals
from support.counted_tables import open_source
from anonymization.recodings import writing
original, target = sys.argv[1:3]
with _handle_signals():
    passes = writing(open_source(original, "original"), ["age"])
    print("ready", flush=True)
    while True:
        passes.write(target, lambda part: None)
"""


@pytest.fixture
def original(tmp_path):
    path = tmp_path / "original.csv"
    path.write_text("age;disease\n" + "20;flu\n21;cold\n" * 100, encoding="utf-8")
    return path


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_it_is_measured_before_it_takes_its_name(original, tmp_path):
    target = tmp_path / "released.csv"
    target.write_text("old", encoding="utf-8")
    target.chmod(0o640)
    seen = []

    def check(part):
        seen.append((stat.S_IMODE(part.stat().st_mode), target.read_text(encoding="utf-8")))
        seen.append(open_source(part, "release").tally(["age"]).rows)

    assert writing(open_source(original, "original"), ["age"]).write(target, check) == target
    assert seen == [(0o600, "old"), 200]
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert names(tmp_path) == ["original.csv", "released.csv"]


@pytest.mark.parametrize("name", ["released.csv", "released.csv.gz", "released.parquet"])
@pytest.mark.parametrize(
    "error", [SourceError("fails"), KeyboardInterrupt(), MalformedError("fails"), OutputError("fails")]
)
def test_a_check_that_fails(original, tmp_path, name, error):
    def check(part):
        assert open_source(part, "release").tally(["age", "disease"]).rows == 200
        raise error

    with pytest.raises(type(error)):
        writing(open_source(original, "original"), ["age"]).write(tmp_path / name, check)
    assert names(tmp_path) == ["original.csv"]


def test_symbolic_links_are_kept(original, tmp_path):
    (tmp_path / "there").mkdir()
    link = tmp_path / "released.csv"
    link.symlink_to("there/real.csv")
    writing(open_source(original, "original"), ["age"]).write(link, lambda _: None)
    assert link.is_symlink()
    assert names(tmp_path / "there") == ["real.csv"]


@pytest.mark.parametrize("name", ["original.csv", "link.csv", "sub/../original.csv", "hierarchy.csv"])
def test_inputs_are_never_overwritten(original, tmp_path, name):
    (tmp_path / "sub").mkdir()
    (tmp_path / "link.csv").symlink_to("original.csv")
    hierarchy = tmp_path / "hierarchy.csv"
    passes = writing(open_source(original, "original"), ["age"])
    with pytest.raises(OutputError, match="this file is an input, and would be overwritten"):
        passes.write(tmp_path / name, lambda _: None, inputs=[hierarchy])


def test_a_folder_that_is_read_stays_as_it_is(tmp_path):
    (tmp_path / "folder").mkdir()
    pq.write_table(pa.table({"age": ["20", "21"]}), tmp_path / "folder" / "1.parquet")
    passes = writing(open_source(tmp_path / "folder", "original"), ["age"])
    with pytest.raises(OutputError, match="the file would be read as a part of it"):
        passes.write(tmp_path / "folder" / "2.parquet", lambda _: None)
    passes.write(tmp_path / "2.parquet", lambda _: None)


@pytest.mark.parametrize("name", ["released", "released.ods", "released.csv.zip", "released.gz"])
def test_formats(original, tmp_path, name):
    with pytest.raises(OutputError) as error:
        writing(open_source(original, "original"), ["age"]).write(tmp_path / name, lambda _: None)
    assert error.value.hint.startswith("name the file *.")
    assert "*.csv, *.csv.gz, " in error.value.hint


def test_not_a_file(original, tmp_path):
    (tmp_path / "folder.csv").mkdir()
    os.mkfifo(tmp_path / "pipe.csv")
    passes = writing(open_source(original, "original"), ["age"])
    for name in ("folder.csv", "pipe.csv", "nowhere/released.csv", "nul\0.csv"):
        with pytest.raises(OutputError):
            passes.write(tmp_path / name, lambda _: None)
    assert names(tmp_path) == ["folder.csv", "original.csv", "pipe.csv"]


@pytest.mark.parametrize("change", ["20;flu\n", "22;flu\n", "\xff;flu\n", '"20;flu\n', "20\n"])
def test_the_original_changes(original, tmp_path, change):
    """After it was counted, a row is added: with known values, new values, another encoding, a fault."""
    passes = writing(open_source(original, "original"), ["age"])
    with original.open("ab") as file:
        file.write(change.encode("latin-1"))
    with pytest.raises(SourceError, match="changed"):
        passes.write(tmp_path / "released.csv", lambda _: None)
    assert names(tmp_path) == ["original.csv"]


@pytest.mark.parametrize("name", ["released.csv", "released.csv.gz", "released.parquet"])
def test_a_full_disk(tmp_path, name):
    """The system refuses to write more than so many bytes."""
    chance, original = random.Random(1), tmp_path / "original.csv"
    rows = "".join(f"{number % 7};{chance.random()}\n" for number in range(20_000))
    original.write_text("age;number\n" + rows, encoding="utf-8")
    program = WRITER.replace("while True", "if True")

    def limited():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    run = subprocess.run(
        [sys.executable, "-c", program, original, tmp_path / name],
        capture_output=True,
        env=PLAIN | {"PYTHONPATH": str(ROOT / "tests")},
        preexec_fn=limited,
        text=True,
        check=False,
    )
    assert run.returncode == 1
    assert run.stderr.splitlines()[-1].endswith(f"{name}: cannot be written: File too large")
    assert names(tmp_path) == ["original.csv"]


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_ended_while_it_writes(original, tmp_path, sent):
    """At any moment: the file is absent or complete; no other file is left, unless the process was killed."""
    target, chance = tmp_path / "released.csv", random.Random(1)
    complete = tmp_path / "complete.csv"
    writing(open_source(original, "original"), ["age"]).write(complete, lambda _: None)
    for _ in range(5):
        command = [sys.executable, "-c", WRITER, str(original), str(target)]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=PLAIN | {"PYTHONPATH": str(ROOT / "tests")}
        ) as process:
            process.stdout.readline()
            time.sleep(chance.uniform(0, 0.1))
            process.send_signal(sent)
        assert not target.exists() or target.read_bytes() == complete.read_bytes()
        rest = set(names(tmp_path)) - {"original.csv", "complete.csv", "released.csv"}
        assert not rest or sent == signal.SIGKILL
