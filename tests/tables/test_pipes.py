"""Tables that arrive through pipes, and files that change while they are read. Real shells, pipes and files."""

import gzip
import os
import shlex
import subprocess
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import PETWorks as pw
from PETWorks.errors import SourceError
from PETWorks.tables import decoding
from PETWorks.tables.formats import delimited, parquet
from support.process import COMMAND, PLAIN, five_people, petworks

pytestmark = pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="this system has no /dev/fd")  # noqa: PTH110
PETWORKS = shlex.join(COMMAND)


def bash(line: str, folder) -> subprocess.CompletedProcess:
    command = ["bash", "-c", line.replace("petworks", PETWORKS)]
    return subprocess.run(command, cwd=folder, env=PLAIN, capture_output=True, text=True, check=False)


@pytest.fixture
def folder(tmp_path):
    five_people(tmp_path)
    content = (tmp_path / "released.csv").read_bytes()
    (tmp_path / "released.csv.gz").write_bytes(gzip.compress(content))
    header, *rows = [line.split(";") for line in content.decode().splitlines()]
    columns = {name: [row[place] for row in rows] for place, name in enumerate(header)}
    pq.write_table(pa.table(columns), tmp_path / "released.parquet")
    return tmp_path


@pytest.mark.parametrize(
    "line",
    [
        "cat released.csv | petworks evaluate /dev/stdin",
        "petworks evaluate /dev/stdin < released.csv",
        "petworks evaluate <(cat released.csv)",
        "petworks evaluate <(zcat released.csv.gz)",
        "petworks evaluate <(cat released.csv.gz)",
        "petworks evaluate <(cat released.parquet)",
        "petworks evaluate <(sleep 0.5; cat released.csv)",
        "mkfifo pipe; (sleep 1; cat released.csv > pipe) & petworks evaluate pipe",
    ],
)
def test_a_table_through_a_pipe(folder, line):
    options = "--format json -q year -q place -s disease"
    expected = petworks("evaluate", "released.csv", *options.split(), cwd=folder)
    arrived = bash(line.replace("evaluate", f"evaluate {options}"), folder)
    assert (arrived.returncode, arrived.stderr) == (0, "")
    without = [line for line in expected.stdout.splitlines() if '"name"' not in line and '"form"' not in line]
    for line_expected in without:
        if '"value"' in line_expected:
            assert line_expected in arrived.stdout


def test_both_tables_through_pipes(folder):
    options = "--hierarchies hierarchies -q year -q place -m Precision --format json"
    arrived = bash(f"petworks evaluate <(cat released.csv) --original <(cat original.csv) {options}", folder)
    expected = petworks("evaluate", "released.csv", "--original", "original.csv", *options.split(), cwd=folder)
    assert arrived.returncode == 0, arrived.stderr
    assert [line for line in arrived.stdout.splitlines() if '"value"' in line] == [
        line for line in expected.stdout.splitlines() if '"value"' in line
    ]


def test_errors_name_the_pipe(folder):
    told = bash("petworks evaluate <(printf 'a;b\\n1\\n')", folder).stderr
    assert told.startswith("error: /dev/fd/")
    assert ", line 2: the record has 1 cell" in told
    told = bash("petworks evaluate <(head -c 300 released.parquet)", folder).stderr
    assert told.startswith("error: /dev/fd/")
    assert "not readable as Parquet" in told


def test_a_pipe_to_which_nobody_writes(tmp_path, monkeypatch):
    monkeypatch.setattr(decoding, "PIPE_TIMEOUT", 0.2)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SourceError, match="no program wrote anything to this pipe within 0 seconds"):
        pw.Release(tmp_path / "pipe")


def test_no_file_is_left_behind(folder, tmp_path):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    assert bash(f"TMPDIR={temporary} petworks evaluate <(cat released.csv)", folder).returncode == 0
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("name", ["released.csv", "released.parquet"])
def test_a_file_that_changes_while_it_is_read(folder, name, monkeypatch):
    path, reader = folder / name, {".csv": delimited, ".parquet": parquet}[Path(name).suffix]
    encode = reader.encode

    def changed(*arguments):
        path.write_bytes(path.read_bytes() * 2)
        return encode(*arguments)

    monkeypatch.setattr(reader, "encode", changed)
    run = petworks("evaluate", name, "-m", "k-anonymity", cwd=folder)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.startswith(f"error: {name}: the file changed after it was opened\n")


def test_a_file_that_changes_between_header_and_rows(folder):
    release = pw.Release(folder / "released.csv")
    time.sleep(0.01)
    (folder / "released.csv").write_text("year;place;disease\n1;2\n", encoding="utf-8")
    with pytest.raises(SourceError, match="the file changed after it was opened"):
        release.ask("k-anonymity")


PERSON = "Mei-Ling Wu;1961-03-04;hepatitis"


@pytest.mark.parametrize("role", ["--original", "--population"])
@pytest.mark.parametrize("line", [PERSON, "hepatitis;1961-03-04;hepatitis"])
def test_a_table_without_header_is_not_quoted(folder, role, line):
    """Its first line would be taken for names of columns, but it is a person."""
    (folder / "other.csv").write_text(f"{line}\n{line}\n", encoding="utf-8")
    for measure in ("Precision", "k-map"):
        options = ["-q", "year", "-q", "place", role, "other.csv", "--k", "2", "-m", measure]
        run = petworks("evaluate", "released.csv", *options, cwd=folder)
        assert run.returncode == 2
        assert not any(cell in run.stderr for cell in line.split(";"))


def test_a_key_is_suggested_from_a_header_that_is_one(folder):
    with pytest.raises(pw.PETWorksError, match='did you mean "place"'):
        pw.Release(
            folder / "released.csv", original=folder / "original.csv", quasi_identifiers=["year"], key="plac"
        ).ask("Precision")


@pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="this system has no /proc")  # noqa: PTH110
def test_an_error_of_a_yaml_tells_no_path_of_the_machine(folder):
    (folder / "released.yaml").symlink_to("/proc/self/mem")  # which nobody can read from its start, not even root
    run = petworks("evaluate", "released.csv", cwd=folder)
    assert run.stderr.splitlines()[0] == "error: released.yaml: not readable: Input/output error"
    (folder / "released.yaml").unlink()
    (folder / "released.yaml").write_text("DATASET: {HIERARCHY: nowhere}", encoding="utf-8")
    run = petworks("evaluate", "released.csv", cwd=folder)
    assert run.stderr.splitlines()[0] == "error: nowhere: there is no such folder of hierarchies"
