"""Where answers are written: devices and pipes are written to, links stay, and nothing that is read is overwritten."""

import os
import stat
from pathlib import Path

import pytest

from support.process import POLICY, five_people, petworks, petworks_process


@pytest.fixture
def policy(tmp_path) -> Path:
    return five_people(tmp_path, POLICY)


def test_the_command_writes_to_devices(policy):
    run = petworks("check", policy.name, "-o", os.devnull, cwd=policy.parent)
    assert run.returncode in (0, 1)
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)
    run = petworks_process("check", policy.name, "-o", "/dev/stdout", "--format", "json", cwd=policy.parent)
    assert run.stdout.lstrip().startswith("{")


def test_inputs_are_not_overwritten(tmp_path):
    (tmp_path / "trees").mkdir()
    (tmp_path / "trees" / "x_hierarchy_age.csv").write_text("30;*\n40;*\n", encoding="utf-8")
    (tmp_path / "people.csv").write_text("age\n30\n40\n", encoding="utf-8")
    (tmp_path / "people.yaml").write_text("DATASET:\n  HIERARCHY: trees\n", encoding="utf-8")
    for read in ("people.csv", "people.yaml", "trees/x_hierarchy_age.csv"):
        before = (tmp_path / read).read_bytes()
        run = petworks("evaluate", "people.csv", "-o", read, "--format", "text", cwd=tmp_path)
        assert (run.returncode, run.stdout) == (2, "")
        assert "this file is an input, and would be overwritten" in run.stderr
        assert (tmp_path / read).read_bytes() == before


def test_a_policy_is_not_overwritten(policy):
    before = policy.read_bytes()
    run = petworks("check", policy.name, "-o", policy.name, "--format", "text", cwd=policy.parent)
    assert (run.returncode, policy.read_bytes()) == (2, before)


def test_two_outputs_are_two_files(policy):
    run = petworks("check", policy.name, "-o", "out.txt", "--failing-rows", "./out.txt", cwd=policy.parent)
    assert run.returncode == 2
    assert "two outputs are the same file" in run.stderr
    assert not (policy.parent / "out.txt").exists()


def test_an_unknown_extension_is_an_error_that_lists_the_formats(policy):
    run = petworks("check", policy.name, "-o", "report.pdf", cwd=policy.parent)
    assert run.returncode == 2
    assert 'there is no format for files named "*.pdf"' in run.stderr
    assert "*.html" in run.stderr
    assert not (policy.parent / "report.pdf").exists()
    run = petworks("check", policy.name, "-o", "report.pdf", "--format", "text", cwd=policy.parent)
    assert (policy.parent / "report.pdf").exists()


@pytest.mark.parametrize(("command", "name"), [("explain", "e.html"), ("explain", "e.XML"), ("compare", "e.xml")])
def test_an_extension_of_a_format_that_the_command_does_not_write_is_an_error(policy, command, name):
    tables = ["--policy", policy.name, "released.csv", "released.csv"] if command == "compare" else [policy.name]
    run = petworks(command, *tables, "-o", name, cwd=policy.parent)
    form = {"html": "html", "xml": "junit"}[name[2:].casefold()]
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.startswith(f"error: {name}: petworks {command} cannot write {form}\n  name the file ")
    assert "*.xml" not in run.stderr
    assert not (policy.parent / name).exists()


def test_who_names_the_format_may_name_the_file_as_they_like(policy):
    run = petworks("explain", policy.name, "--format", "text", "-o", "e.html", cwd=policy.parent)
    assert run.returncode == 0
    assert "k-anonymity" in (policy.parent / "e.html").read_text(encoding="utf-8")


NOWHERE = [
    ("no/x.txt", "there is no folder no\n  create the folder no, or name another\n"),
    ("hierarchies", "this is a folder\n  name a file in it\n"),
    ("policy.toml/x.txt", "Not a directory\n"),
]


@pytest.mark.parametrize(("name", "told"), NOWHERE)
@pytest.mark.parametrize(
    "command",
    [["check", "policy.toml"], ["evaluate", "released.csv"], ["explain", "policy.toml"]],
    ids=lambda one: one[0],
)
def test_an_output_that_cannot_be_written_is_told_before_anything_is_measured(policy, command, name, told):
    outputs = [["-o", name], *([["--failing-rows", name]] if command[0] != "explain" else [])]
    for output in outputs:
        run = petworks(*command, *output, "--format", "text", cwd=policy.parent)
        assert (run.returncode, run.stdout, run.stderr) == (2, "", f"error: {name}: cannot be written: {told}")


@pytest.mark.parametrize(("name", "told"), NOWHERE)
def test_a_report_of_a_policy_that_cannot_be_written_is_told_before_anything_is_measured(tmp_path, name, told):
    five_people(tmp_path, f'{POLICY}[report]\njunit = "{name}"\n')
    run = petworks("check", "policy.toml", cwd=tmp_path)
    assert (run.returncode, run.stdout, run.stderr) == (2, "", f"error: {name}: cannot be written: {told}")


@pytest.mark.parametrize("option", ["--report", "--record", "--front", "-o"])
def test_an_output_that_cannot_be_written_is_told_before_anything_is_made(tmp_path, option):
    without = POLICY.replace('sensitive = ["disease"]\n', 'insensitive = ["disease"]\n').replace(
        '[[require]]\nmeasure = "t-closeness"\nt = "2/5"\n', ""
    )
    five_people(tmp_path, f"{without}[anonymize]\n")
    name = "no/r.csv"
    run = petworks("anonymize", "policy.toml", option, name, cwd=tmp_path)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.endswith(f"error: {name}: cannot be written: {NOWHERE[0][1]}")
    if option == "-o":
        assert petworks("anonymize", "policy.toml", option, name, "--dry-run", cwd=tmp_path).returncode in (0, 1)
