"""The ledger: entries one after the other, and what is told of one that was changed, cut off or interrupted."""

import csv
import json
import multiprocessing
import os
import re
import signal
from contextlib import suppress
from hashlib import sha256

import pytest

from PETWorks.errors import OutputError, PETWorksError
from PETWorks.policy import ledger
from PETWorks.policy.ledger import (
    ChainCheck,
    Head,
    append_entry,
    check_chain,
    list_editions,
    read_ledger,
    split_lines,
    verify_ledger,
)
from support.places import SHARED
from support.process import petworks

FILE = SHARED / "golden" / "editions.json"
CASES = [one for one in json.loads(FILE.read_text()) if one.get("kind") == "ledger"] if FILE.exists() else []


@pytest.mark.parametrize("case", [pytest.param(one, id=one["case"]) for one in CASES])
def test_reference_case(case):
    lines = [line.encode() + b"\n" for line in case["lines"]]
    head = Head(*case["head"]) if case["head"] else None
    assert check_chain(lines, head)._asdict() == case["expected"]


@pytest.fixture
def path(tmp_path):
    for number in range(3):
        append_entry(tmp_path / "releases.jsonl", {"dataset": "visits", "to": f"{number}", "files": []})
    return tmp_path / "releases.jsonl"


def test_every_change_is_seen(path):
    """Whatever byte of a line but the last is changed, taken out or put in."""
    content = path.read_bytes()
    head = read_ledger(path).head
    for place in range(0, len(content), 7):
        for changed in (b"", b"x", content[place : place + 1] * 2):
            path.write_bytes(content[:place] + changed + content[place + 1 :])
            if path.read_bytes() != content:
                assert verify_ledger(path, head).state != "ok", place


def test_a_cut_end_is_seen_by_who_knows_the_head(path):
    head, lines = read_ledger(path).head, path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:2]))
    assert verify_ledger(path) == ChainCheck("ok", 2)
    assert verify_ledger(path, head) == ChainCheck("truncated", 2)
    path.write_bytes(b"".join(lines)[:-9])
    assert verify_ledger(path) == ChainCheck("interrupted", 3)
    with pytest.raises(PETWorksError, match="line 3 has no end"):
        append_entry(path, {"dataset": "visits"})
    assert path.read_bytes() == b"".join(lines)[:-9]


def test_a_full_disk_leaves_the_ledger_as_it_was(path, monkeypatch):
    before, write = path.read_bytes(), os.write

    def fill(number, content):
        monkeypatch.setattr(ledger.os, "write", refuse)
        return write(number, content[: len(content) // 2])

    def refuse(number, content):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(ledger.os, "write", fill)
    with pytest.raises(OutputError, match="No space left"):
        append_entry(path, {"dataset": "visits"})
    assert path.read_bytes() == before


def enter(path, number):
    for _ in range(15):
        append_entry(path, {"dataset": "visits", "to": f"writer {number}", "files": []})


def test_writers_at_once_lose_nothing(path):
    writers = [multiprocessing.get_context("fork").Process(target=enter, args=(path, one)) for one in range(3)]
    for one in writers:
        one.start()
    for one in writers:
        one.join()
    assert verify_ledger(path) == ChainCheck("ok", 48)


def enter_for_ever(path, told, piece):
    """Append entries, and tell every one that stands; with a `piece`, the system writes so many bytes at once."""
    write = os.write
    if piece:
        ledger.os.write = lambda number, content: write(number, content[:piece])
    while True:
        append_entry(path, {"dataset": "visits", "to": "whoever is killed", "files": []})
        told.send_bytes(b"entered")


@pytest.mark.parametrize("piece", [None, 7])
def test_a_writer_that_is_killed_loses_nothing(path, piece):
    """What was entered stays; an entry that was cut is told, and no writer after it waits for the dead one."""
    context = multiprocessing.get_context("fork")
    entered, states = 3, set()
    for round_ in range(6):
        mine, its = context.Pipe(duplex=False)
        writer = context.Process(target=enter_for_ever, args=(path, its, piece))
        writer.start()
        for _ in range(1 + round_):
            entered += mine.recv_bytes() == b"entered"
        writer.kill()
        writer.join()
        its.close()
        with suppress(EOFError):
            while mine.recv_bytes():
                entered += 1
        assert writer.exitcode == -signal.SIGKILL
        found, (lines, cut) = verify_ledger(path), split_lines(path.read_bytes())
        assert found == (ChainCheck("interrupted", len(lines) + 1) if cut else ChainCheck("ok", len(lines)))
        assert len(lines) - entered in (0, 1)  # one more was entered, and not yet told
        if cut:
            with pytest.raises(PETWorksError, match="has no end"):
                append_entry(path, {"dataset": "visits"})
            path.write_bytes(b"".join(lines))  # as the officer does who looked at it
        entered = len(lines)
        states.add(found.state)
    append_entry(path, {"dataset": "visits", "files": []})
    assert states <= {"ok", "interrupted"}


def test_ten_thousand_entries(tmp_path):
    """They are read, checked and appended to; a change in the middle is told with its line."""
    path, before, lines = tmp_path / "releases.jsonl", "0" * 64, list[bytes]()
    for number in range(1, 10_001):
        entry = {"dataset": "visits", "files": [], "n": number, "previous": before}
        lines.append(json.dumps(entry, separators=(",", ":")).encode() + b"\n")
        before = sha256(lines[-1].rstrip(b"\n")).hexdigest()
    path.write_bytes(b"".join(lines))
    assert append_entry(path, {"dataset": "visits", "files": []}) == Head(10_000, before)
    assert verify_ledger(path, Head(10_000, before)) == ChainCheck("ok", 10_001)
    assert list_editions(read_ledger(path), "visits") == []
    lines[4_999] = lines[4_999].replace(b"visits", b"visitz")
    path.write_bytes(b"".join(lines))
    assert verify_ledger(path) == ChainCheck("changed", 5_000)


def test_the_ledger_of_another_dataset_is_refused(path):
    with pytest.raises(PETWorksError, match='the ledger of the dataset "visits"'):
        append_entry(path, {"dataset": "patients"})


POLICY = """version = 1
[data]
released = "YEAR.csv"
original = "YEAR-original.csv"
[roles]
quasi_identifiers = ["zip", "age"]
identifiers = ["id"]
[ledger]
file = "releases.jsonl"
dataset = "visits"
key = "id"
[[require]]
measure = "k-anonymity"
k = 2
"""
JOINED = '[[require]]\nmeasure = "joint anonymity"\nk = 2\n'
ACCEPT = '[[accept]]\npremise = "changed"\nwhy = "a test"\n'
ORIGINAL = {"id": [*"abcd"], "zip": ["10", "10", "11", "11"], "age": ["31", "32", "31", "32"]}
YEARS = {
    "2024": {"zip": ORIGINAL["zip"], "age": ["3*"] * 4},
    "2025": {"zip": ["1*"] * 4, "age": ORIGINAL["age"]},
    "2026": {"zip": ORIGINAL["zip"], "age": ["3*"] * 4},
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for year, table in YEARS.items():
        for name, some in ((year, table), (f"{year}-original", ORIGINAL)):
            with (tmp_path / f"{name}.csv").open("w", newline="") as file:
                csv.writer(file).writerows([some, *zip(*some.values(), strict=True)])
        text = POLICY.replace("YEAR", year) + JOINED
        (tmp_path / f"{year}.toml").write_text(text)
    (tmp_path / "releases.jsonl").touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_releases_are_entered_and_judged_beside_all_of_them(folder):
    run = petworks("release", "2024.toml", "--to", "public", "--approved-by", "王小明")
    assert run.returncode == 0, run.stdout + run.stderr
    entry = json.loads((folder / "releases.jsonl").read_text())
    assert (entry["n"], entry["previous"], entry["to"], entry["files"][0]["rows"]) == (1, "0" * 64, "public", 4)
    run = petworks("release", "2025.toml", "--to", "institute")
    assert run.returncode == 1, run.stdout + run.stderr
    assert len((folder / "releases.jsonl").read_text().splitlines()) == 1
    run = petworks("release", "2025.toml", "--to", "institute", "--despite", "the court ordered it")
    assert run.returncode == 0, run.stderr
    lines = (folder / "releases.jsonl").read_bytes().splitlines()
    assert json.loads(lines[1])["despite"] == "the court ordered it"
    assert json.loads(lines[1])["joint"] == [{"holds": False, "measure": "joint anonymity"}]
    head = f"2:{sha256(lines[1]).hexdigest()}"
    assert head in run.stdout
    assert petworks("check", "2026.toml").returncode == 1  # alone in 2025 and 2026
    assert petworks("verify", "releases.jsonl", "--head", head).returncode == 0
    run = petworks("verify", "releases.jsonl")
    assert (run.returncode, "not checked" in run.stdout) == (0, True)
    (folder / "releases.jsonl").write_bytes(lines[0] + b"\n")
    assert petworks("verify", "releases.jsonl", "--head", head).returncode == 1


def test_entries_are_signed(folder, monkeypatch):
    pytest.importorskip("cryptography")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder))
    made = [petworks("key", "new", name, "--signing") for name in ("office", "other")]
    office, other = (re.search(r"[A-Za-z0-9+/]{43}=", run.stdout + run.stderr)[0] for run in made)
    assert petworks("release", "2024.toml", "--to", "public", "--sign", "office").returncode == 0
    assert petworks("verify", "releases.jsonl", "--signer", office).returncode == 0
    run = petworks("verify", "releases.jsonl", "--signer", other)
    assert (run.returncode, "not signed" in run.stdout) == (1, True)
    append_entry(folder / "releases.jsonl", {"dataset": "visits", "files": []})
    assert petworks("verify", "releases.jsonl", "--signer", office).returncode == 1


def test_a_ledger_that_is_gone_is_no_first_release(folder):
    (folder / "releases.jsonl").unlink()
    run = petworks("check", "2024.toml")
    assert (run.returncode, "no such ledger" in run.stderr) == (2, True)
    assert petworks("release", "2024.toml", "--to", "public").returncode == 2


def test_an_entry_is_never_left_out(folder):
    assert petworks("release", "2024.toml", "--to", "public").returncode == 0
    (folder / "2024-original.csv").write_text("id,zip,age\n")
    run = petworks("check", "2025.toml")
    assert (run.returncode, "2024-original.csv" in run.stderr) == (2, True)
    (folder / "2024.csv").unlink()
    assert petworks("verify", "releases.jsonl").returncode == 1


def test_nothing_required_beside_earlier_releases_is_a_problem(folder):
    assert petworks("release", "2024.toml", "--to", "public").returncode == 0
    (folder / "2025.toml").write_text(POLICY.replace("YEAR", "2025"))
    run = petworks("check", "2025.toml")
    assert (run.returncode, "nothing is required beside them" in re.sub(r"\s+", " ", run.stderr)) == (2, True)


def test_a_pinned_file_is_not_overwritten(folder):
    assert petworks("release", "2024.toml", "--to", "public").returncode == 0
    before = (folder / "2024.csv").read_bytes()
    making = "[anonymize]\nsuppress_at_most = 1\n"
    (folder / "2024.toml").write_text(POLICY.replace("YEAR", "2024") + JOINED + making)
    run = petworks("anonymize", "2024.toml")
    assert (run.returncode, "no search can keep to it" in re.sub(r"\s+", " ", run.stderr)) == (2, True), run.stderr
    (folder / "2024.toml").write_text(POLICY.replace("YEAR", "2024") + making)
    run = petworks("anonymize", "2024.toml")
    assert (run.returncode, "was released" in run.stderr) == (2, True), run.stderr
    (folder / "copy.csv").write_bytes(before)
    assert petworks("anonymize", "2024.toml", "-o", "copy.csv").returncode == 2
    assert (folder / "2024.csv").read_bytes() == before
