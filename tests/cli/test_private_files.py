"""Who can read what is written, and where a policy may have it written."""

import os
import sys

import pytest

import PETWorks as pw
from support.process import petworks

needs_modes = pytest.mark.skipif(sys.platform == "win32", reason="files have no modes")
TABLE = "age;job\n" + "".join(f"{20 + row % 5};{'abc'[row % 3]}\n" for row in range(60)) + "99;a\n"
POLICY = """version = 1
[data]
original = "people.csv"
released = "released.csv"
[roles]
quasi_identifiers = ["age"]
sensitive = ["job"]
[[require]]
measure = "k-anonymity"
k = 1
[anonymize]
levels = { age = 0 }
[report]
html = "report.html"
json = "record.json"
"""
ITS_OWN = 1  # the release is its original, one of the premises: it is written and reported, and does not hold


@pytest.fixture
def folder(tmp_path):
    """A project within another folder, whose files it must leave alone."""
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "people.csv").write_text(TABLE)
    (tmp_path / "study" / "released.csv").write_text(TABLE)
    (tmp_path / "study" / "policy.toml").write_text(POLICY)
    return tmp_path / "study"


def mode(path):
    return path.stat().st_mode & 0o777


@needs_modes
def test_what_must_not_be_published_can_be_read_by_its_owner_only(folder, tmp_path):
    before = os.umask(0o022)
    try:
        failing, shown = tmp_path / "failing.txt", tmp_path / "shown.html"
        petworks("check", folder / "policy.toml", "--failing-rows", failing)
        petworks("check", folder / "policy.toml", "--show-small-classes", "-o", shown)
        petworks("check", folder / "policy.toml", "-o", tmp_path / "answer.json")
        petworks("check", folder / "policy.toml", "--audience", "public", "-o", tmp_path / "public.json")
        evaluation = pw.Policy(folder / "policy.toml").check()
        evaluation.save(tmp_path / "saved.json")
        evaluation.to_html(tmp_path / "small.html", show_small_classes=True)
        evaluation.write_record(tmp_path / "written.json")
    finally:
        os.umask(before)
    private = (failing, shown, folder / "record.json", tmp_path / "answer.json", tmp_path / "saved.json")
    private += (tmp_path / "small.html", tmp_path / "written.json")
    assert {path.name: oct(mode(path)) for path in private} == {path.name: "0o600" for path in private}
    assert mode(tmp_path / "public.json") == 0o644


@pytest.mark.parametrize("form", ["html", "json", "markdown", "junit", "record"])
@pytest.mark.parametrize("place", ["../.bashrc", "../other.txt", ".profile", ".config/autostart/x", "link", "linked/x"])
def test_a_policy_alone_writes_nothing_outside_its_folder(folder, tmp_path, form, place):
    (tmp_path / ".bashrc").write_text("mine")
    (folder / ".config" / "autostart").mkdir(parents=True)
    (folder / "link").symlink_to(tmp_path / ".bashrc")
    (folder / "linked").symlink_to(tmp_path)
    before = {path: path.is_symlink() or path.read_bytes() for path in tmp_path.rglob("*") if not path.is_dir()}
    lines = [line for line in POLICY.splitlines() if not line.startswith(("html", "json"))]
    (folder / "policy.toml").write_text("\n".join([*lines, f'{form} = "{place}"', ""]))
    before[folder / "policy.toml"] = (folder / "policy.toml").read_bytes()
    for command in ("check", "anonymize"):
        refused = petworks(command, folder / "policy.toml")
        assert refused.returncode == 2
        assert "the policy names an output that is" in refused.stderr
        assert "--write-outside" in refused.stderr
    found = {path: path.is_symlink() or path.read_bytes() for path in tmp_path.rglob("*") if not path.is_dir()}
    assert found == before


def test_the_release_too(folder, tmp_path):
    (folder / "policy.toml").write_text(POLICY.replace('"released.csv"', '"../released.csv"'))
    assert petworks("anonymize", folder / "policy.toml").returncode == 2
    assert not (tmp_path / "released.csv").exists()
    assert petworks("anonymize", folder / "policy.toml", "-o", tmp_path / "typed.csv").returncode == ITS_OWN
    assert (tmp_path / "typed.csv").exists()
    assert petworks("anonymize", folder / "policy.toml", "--write-outside").returncode == ITS_OWN
    assert (tmp_path / "released.csv").exists()


def test_an_option_allows_it(folder, tmp_path):
    (folder / "policy.toml").write_text(POLICY.replace('"report.html"', '"../report.html"'))
    assert petworks("check", folder / "policy.toml").returncode == 2
    assert petworks("check", folder / "policy.toml", "--write-outside").returncode == ITS_OWN
    assert (tmp_path / "report.html").exists()
