"""Where a file is written: devices and pipes are written to, and links stay."""

import os
import stat
import threading
from pathlib import Path

from PETWorks.render.atomic_write import write_whole


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
