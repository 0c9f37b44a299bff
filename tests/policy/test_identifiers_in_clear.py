"""A check says first that the release holds identifiers as they are: no requirement judges them."""

import json

import pytest

import PETWorks as pw
from support.process import petworks

POLICY = """\
version = 1
[data]
released = "released.csv"
suppressed = "{marker}"
[roles]
identifiers = ["id", "name"]
quasi_identifiers = ["age"]
[[require]]
measure = "k-anonymity"
k = 5
"""


def written(folder, *identifiers, marker="*"):
    rows = [";".join((*(one.format(row) for one in identifiers), "20s")) for row in range(12)]
    (folder / "released.csv").write_text("\n".join(["id;name;age", *rows]) + "\n", encoding="utf-8")
    (folder / "policy.toml").write_text(POLICY.format(marker=marker), encoding="utf-8")
    return folder / "policy.toml"


@pytest.mark.parametrize(
    ("identifiers", "told"),
    [(("A{}", "*"), ["id"]), (("A{}", "Ms {}"), ["id", "name"]), (("*", "*"), []), (("*", ""), [])],
)
def test_columns_with_a_cell_that_is_not_suppressed_are_told_first(tmp_path, identifiers, told):
    evaluation = pw.Policy(written(tmp_path, *identifiers)).check()
    assert evaluation.holds
    assert [note.figures["columns"] for note in evaluation.warnings if note.leading] == ([told] if told else [])


def test_the_marker_is_that_of_the_policy(tmp_path):
    assert pw.Policy(written(tmp_path, "x", "x", marker="x")).check().warnings == ()
    assert pw.Policy(written(tmp_path, "*", "*", marker="x")).check().warnings != ()


def test_every_output_begins_with_it_and_tells_it_once(tmp_path):
    written(tmp_path, "A{}", "*")
    for options in ((), ("--format", "markdown"), ("--audience", "public")):
        run = petworks("check", "policy.toml", *options, cwd=tmp_path)
        assert (run.returncode, run.stderr) == (0, "")
        shown = " ".join(run.stdout.replace("`", "").split())
        assert shown.startswith("Warning: The release holds identifiers as they are: id.")
        assert shown.count("holds identifiers") == 1
    document = json.loads(petworks("check", "policy.toml", "--format", "json", cwd=tmp_path).stdout)
    assert document["warnings"][0]["kind"] == "identifier_in_clear"
    assert "仍含有未經遮蔽的直接識別屬性" in petworks("check", "policy.toml", "--lang", "zh_TW", cwd=tmp_path).stdout


def test_it_hides_no_other_warning(tmp_path):
    path = written(tmp_path, "A{}", "*")
    path.write_text(path.read_text().replace("k = 5", "k = 1"), encoding="utf-8")
    told = [note.kind for note in pw.Policy(path).check().warnings if note.leading]
    assert sorted(told) == ["identifier_in_clear", "never_fails"]
