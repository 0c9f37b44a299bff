"""Whatever happens to the process, no incomplete file is left and no traceback is shown."""

import os
import random
import re
import shlex
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from unittest.mock import Mock

import pytest

from PETWorks import Release
from support.process import COMMAND, PLAIN, POLICY, five_people, petworks, petworks_process

POSIX = pytest.mark.skipif(os.name != "posix", reason="signals and pipes as POSIX has them")

WRITER = """
import sys
from pathlib import Path
from PETWorks.cli.output import write_whole
print("ready", flush=True)
while True:
    for text in sys.argv[2], sys.argv[3]:
        write_whole(sys.argv[1], text * 200_000)
"""

ENDING = """
from PETWorks.cli import _handle_signals
with _handle_signals():
"""


@POSIX
def test_killed_while_it_writes(tmp_path):
    """SIGKILL in a loop: the file is absent, or one of the two that were written, to the last byte."""
    target, chance = tmp_path / "out.html", random.Random(1)
    whole = {b"old\n" * 200_000, b"new\n" * 200_000}
    for _ in range(15):
        command = [sys.executable, "-c", WRITER, str(target), "old\n", "new\n"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=PLAIN) as process:
            process.stdout.readline()
            time.sleep(chance.uniform(0, 0.05))
            process.kill()
        assert not target.exists() or target.read_bytes() in whole


def without_secret(record):
    """Return a record without the random number that opens its commitments."""
    return re.sub(rb'"secret": "[0-9a-f]{64}"', b"", record)


@POSIX
def test_the_command_is_killed(tmp_path):
    """The same with the real command: killed at any moment, the report is absent, old or complete."""
    five_people(tmp_path)
    target, chance = tmp_path / "r.json", random.Random(2)
    begun = time.monotonic()
    petworks_process("check", "policy.toml", "-o", "r.json", cwd=tmp_path)
    lasts = time.monotonic() - begun
    complete = without_secret(target.read_bytes())
    for old in (None, b"old"):
        for _ in range(4):
            target.unlink(missing_ok=True)
            if old:
                target.write_bytes(old)
            with subprocess.Popen(
                [*COMMAND, "check", "policy.toml", "-o", "r.json"], cwd=tmp_path, env=PLAIN
            ) as process:
                time.sleep(chance.uniform(0.6, 1.1) * lasts)
                process.kill()
            assert (without_secret(target.read_bytes()) if target.exists() else None) in (old, complete)


SLOW = """
import sys, time
import PETWorks.cli.output
from PETWorks import Release
def slow(*arguments, **options):
    print("working", file=sys.stderr, flush=True)
    time.sleep(30)
if sys.argv[1] == "measuring":
    Release.check = slow
else:
    import os
    os.fsync = slow
sys.exit(PETWorks.cli.main(["check", "policy.toml", "-o", "out.json"]))
"""


@POSIX
@pytest.mark.parametrize("signal_sent", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("moment", ["measuring", "writing"])
def test_interrupted(tmp_path, moment, signal_sent):
    five_people(tmp_path)
    before = sorted(tmp_path.iterdir())
    with subprocess.Popen(
        [sys.executable, "-c", SLOW, moment],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=PLAIN,
        preexec_fn=lambda: signal.signal(signal_sent, signal.SIG_DFL),  # noqa: PLW1509 (the tests may run with nohup)
    ) as process:
        assert process.stderr.readline() == b"working\n"
        process.send_signal(signal_sent)
        process.send_signal(signal_sent)  # as `timeout` does
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (128 + signal_sent, b"", b"")
    assert sorted(tmp_path.iterdir()) == before


@POSIX
def test_terminated_while_it_writes_at_any_moment(tmp_path):
    """SIGTERM in a loop leaves the file complete, and no other file."""
    target, chance = tmp_path / "out.html", random.Random(3)
    for _ in range(30):
        command = [sys.executable, "-c", ENDING + textwrap.indent(WRITER, "  "), str(target), "old\n", "new\n"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=PLAIN) as process:
            process.stdout.readline()
            time.sleep(chance.uniform(0, 0.05))
            process.terminate()
        assert [path.name for path in tmp_path.iterdir()] in ([], ["out.html"])


def test_an_incomplete_installation(tmp_path):
    (tmp_path / "numpy.py").write_text("raise ImportError('no numpy')", encoding="utf-8")
    five_people(tmp_path)
    run = petworks_process("check", "policy.toml", cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)})
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.splitlines()[0] == "error: PETWorks cannot start: ImportError: no numpy"
    assert "Traceback" not in run.stderr


@POSIX
def test_a_signal_that_is_ignored_stays_ignored(tmp_path):
    """As nohup does, and shells do for SIGINT of what runs in the background."""
    five_people(tmp_path)
    command = ["sh", "-c", f"trap '' INT HUP; exec {shlex.join([sys.executable, '-c', SLOW, 'measuring'])}"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, env=PLAIN) as process:
        assert process.stderr.readline() == b"working\n"
        for ignored in (signal.SIGINT, signal.SIGHUP):
            process.send_signal(ignored)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.5)
        process.terminate()
        assert process.wait(20) == 143


@POSIX
@pytest.mark.parametrize("module", ["argparse", "numpy", "jinja2"])
def test_interrupted_while_modules_load(tmp_path, module):
    """The real command, with a module of which loading takes long."""
    five_people(tmp_path)
    slow = tmp_path / "slow"
    slow.mkdir()
    lines = ["import sys, time", "print('loading', file=sys.stderr, flush=True)", "time.sleep(30)"]
    (slow / f"{module}.py").write_text("\n".join(lines), encoding="utf-8")
    form = "html" if module == "jinja2" else "text"
    with subprocess.Popen(
        [*COMMAND, "evaluate", "released.csv", "--format", form],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        env=PLAIN | {"PYTHONPATH": str(slow)},
    ) as process:
        assert process.stderr.readline() == b"loading\n"
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (130, b"")


@POSIX
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("arguments", [["check", "policy.toml"], ["measures"], ["--help"], ["evaluate", "--help"]])
def test_a_reader_that_has_gone(tmp_path, arguments, unbuffered):
    """No message is printed, and the exit code stays that of the verdict."""
    five_people(tmp_path, POLICY.replace("k = 2", "k = 3"))
    reading, writing = os.pipe()
    os.close(reading)
    env = {**PLAIN, "PYTHONUNBUFFERED": unbuffered}
    run = subprocess.run(
        [*COMMAND, *arguments], cwd=tmp_path, stdout=writing, stderr=subprocess.PIPE, check=False, env=env
    )
    os.close(writing)
    assert (run.returncode, run.stderr) == (1 if "check" in arguments else 0, b"")


@POSIX
def test_no_output_at_all(tmp_path):
    five_people(tmp_path)
    line = f"{shlex.join(COMMAND)} check policy.toml >&- 2>&-"
    assert subprocess.run(line, shell=True, cwd=tmp_path, check=False, env=PLAIN).returncode == 0  # noqa: S602


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_disk_that_is_full(tmp_path):
    five_people(tmp_path)
    with Path("/dev/full").open("w") as full:
        run = subprocess.run(
            [*COMMAND, "check", "policy.toml"],
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            env=PLAIN,
        )
    assert run.returncode == 2
    assert run.stderr == b"error: the answer cannot be written: No space left on device\n"


@pytest.mark.parametrize(
    ("error", "first"),
    [
        (KeyError("a secret"), "error: PETWorks failed (KeyError): this is a bug in PETWorks, not your mistake"),
        (RecursionError(), "error: PETWorks failed (RecursionError): this is a bug in PETWorks, not your mistake"),
        (MemoryError(), "error: there is not enough memory"),
        (PermissionError(13, "Permission denied", "x.csv"), "error: x.csv: Permission denied"),
    ],
)
def test_no_traceback_reaches_anybody(tmp_path, monkeypatch, error, first):
    five_people(tmp_path)
    monkeypatch.setattr(Release, "check", Mock(side_effect=error))
    run = petworks("check", "policy.toml", cwd=tmp_path)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.splitlines()[0] == first
    assert "Traceback" not in run.stderr
    assert "secret" not in run.stderr
    assert "Traceback" in petworks("check", "policy.toml", cwd=tmp_path, env={"PETWORKS_DEBUG": "1"}).stderr


@pytest.mark.parametrize("language", ["en", "zh_TW"])
def test_a_windows_console_in_taiwan(tmp_path, language):
    """Characters that the console lacks are escaped, and texts of PETWorks do not use them."""
    five_people(tmp_path, POLICY.replace("k = 2", "k = 3").replace("Five people", "一二三"))
    for arguments in (["check", "policy.toml"], ["explain", "policy.toml"], ["measures"], ["measures", "k-anonymity"]):
        run = petworks(*arguments, "--lang", language, cwd=tmp_path, encoding="cp950")
        assert run.returncode in (0, 1)
        assert (run.stderr, r"\u" in run.stdout) == ("", False)


def test_a_console_that_knows_ascii_only(tmp_path):
    five_people(tmp_path)
    env = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    run = petworks_process("check", "policy.toml", "--lang", "zh_TW", cwd=tmp_path, env=env)
    assert run.returncode == 0
    assert r"\u6eff\u8db3" in run.stdout


HOSTILE = "<b>\x1b[31m\u202e年齡😀`|"


@pytest.mark.parametrize("form", ["text", "json", "html", "markdown", "junit"])
def test_hostile_names_and_cells(tmp_path, form):
    cells = [f"{HOSTILE}{number % 2}{'x' * 10_000}" for number in range(12)]
    lines = [f'"{HOSTILE}";"a\nb"', *(f'"{cell}";"{cell}"' for cell in cells)]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    table = ["evaluate", "t.csv", "-q", HOSTILE, "-s", "a\nb", "--format", form]
    for more in ([], ["--show-small-classes"], ["--t", "0.1"]):
        run = petworks(*table, *more, cwd=tmp_path)
        assert run.returncode in (0, 1), run.stderr
        assert "\x1b" not in run.stdout
        assert form == "json" or "\u202e" not in run.stdout  # JSON holds the data as it is
        assert form == "json" or "x" * 100 not in run.stdout


def test_hostile_names_in_errors(tmp_path):
    five_people(tmp_path)
    run = petworks("evaluate", "released.csv", "-q", HOSTILE + "\n", cwd=tmp_path)
    assert run.returncode == 2
    assert not re.search("[\x1b\u202e]", run.stderr)
    assert len(run.stderr.splitlines()) <= 3


def test_a_verdict_does_not_depend_on_who_reads_the_notes(tmp_path):
    """A closed standard error must not turn a failing check into exit code 0."""
    assert petworks("demo", cwd=tmp_path).returncode == 0
    reading, writing = os.pipe()
    os.close(reading)
    command = [*COMMAND, "check", "petworks-demo/policy.toml"]
    with os.fdopen(writing, "wb") as closed:
        run = subprocess.run(command, cwd=tmp_path, env=PLAIN, stdout=closed, stderr=closed, check=False)
        nowhere = subprocess.run([*COMMAND, "check", "nowhere.toml"], env=PLAIN, stderr=closed, check=False)
    assert (run.returncode, nowhere.returncode) == (1, 2)


def test_a_limit_that_nothing_was_judged_by_is_no_pass(tmp_path):
    (tmp_path / "t.csv").write_text("year;disease\n1970;flu\n1970;cold\n", encoding="utf-8")
    run = petworks("evaluate", "t.csv", "--t", "2/5", cwd=tmp_path)
    assert run.returncode == 2
    assert "--t was given, but t-closeness could not be evaluated" in run.stderr


def test_a_folder_by_its_dot(tmp_path):
    run = petworks("evaluate", ".", cwd=tmp_path)
    assert run.returncode == 2
    assert "holds no .parquet file" in run.stderr
