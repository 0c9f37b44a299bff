"""How a file is written: devices and pipes are written to, links stay or are refused, nothing half written stays."""

import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from PETWorks.errors import OutputError
from PETWorks.render import atomic_write
from PETWorks.render.atomic_write import replace_atomically, sweep_parts, write_whole

needs_modes = pytest.mark.skipif(sys.platform == "win32", reason="files have no modes")


def test_a_device_is_written_to_and_stays_a_device(tmp_path):
    device = tmp_path / "null"
    device.symlink_to(os.devnull)
    assert write_whole(device, "text") == device
    assert device.is_symlink()
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


def test_a_pipe_is_written_to(tmp_path):
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_text(encoding="utf-8")))
    reader.start()
    write_whole(pipe, "through the pipe")
    reader.join(timeout=10)
    assert read == ["through the pipe"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_link_stays_and_its_file_is_replaced(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    real, link = tmp_path / "elsewhere" / "report.txt", tmp_path / "link.txt"
    real.write_text("old", encoding="utf-8")
    link.symlink_to(real)
    write_whole(link, "new")
    assert (link.is_symlink(), real.read_text(encoding="utf-8")) == (True, "new")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["elsewhere", "link.txt"]


@needs_modes
def test_a_file_that_others_could_read_is_closed_to_them(tmp_path):
    (tmp_path / "saved.json").write_text("{}")
    (tmp_path / "saved.json").chmod(0o666)
    write_whole(tmp_path / "saved.json", "text", private=True)
    assert (tmp_path / "saved.json").stat().st_mode & 0o777 == 0o600


KILLED = """
import os, signal, sys
from PETWorks.render.atomic_write import replace_atomically
with replace_atomically(sys.argv[1]) as file:
    file.write(b"half")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@needs_modes
def test_what_a_killed_process_left_is_swept(tmp_path):
    killed = subprocess.run([sys.executable, "-c", KILLED, tmp_path / "released.csv"], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert len([*tmp_path.glob(".released.csv.*.part")]) == 1
    (tmp_path / ".mine.part").write_text("no part of ours")
    with replace_atomically(tmp_path / "other.csv") as file:
        file.write(b"whole")
        in_use = [*tmp_path.glob(".other.csv.*.part")]
        sweep_parts(tmp_path)
        assert [*tmp_path.glob(".*.*.part")] == in_use, "another one that is being written stays"
    assert sorted(path.name for path in tmp_path.iterdir()) == [".mine.part", "other.csv"]


def test_below_a_folder_no_link_is_followed(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "study" / "in").mkdir(parents=True)
    (tmp_path / "study" / "out").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "study" / "link.txt").symlink_to(tmp_path / "elsewhere" / "file")
    study = tmp_path / "study"
    for path in (study / "out" / "a", study / "link.txt", study / ".." / "a", tmp_path / "a", study):
        with pytest.raises(OutputError, match="cannot be written"):
            write_whole(path, "text", below=study)
    assert write_whole(study / "in" / "a", "text", below=study).read_text() == "text"
    assert not any((tmp_path / "elsewhere").iterdir())
    assert not (tmp_path / "a").exists()


def test_without_handles_of_folders_likewise(tmp_path, monkeypatch):
    """As on Windows, where links are looked for."""
    monkeypatch.setattr(atomic_write, "HAS_HANDLES", False)
    test_below_a_folder_no_link_is_followed(Path(tmp_path))
