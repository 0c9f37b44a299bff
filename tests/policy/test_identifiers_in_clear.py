"""A check does not hold where the release has identifiers as they are, whatever the requirements say."""

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
def test_columns_with_a_cell_that_is_not_suppressed_are_told(tmp_path, identifiers, told):
    evaluation = pw.Policy(written(tmp_path, *identifiers)).check()
    assert evaluation.holds is not bool(told)
    assert list(evaluation.premises["identifiers"].columns) == told


def test_the_marker_is_that_of_the_policy(tmp_path):
    assert pw.Policy(written(tmp_path, "x", "x", marker="x")).check().premises["identifiers"].holds
    assert not pw.Policy(written(tmp_path, "*", "*", marker="x")).check().premises["identifiers"].holds


def test_every_output_begins_with_it(tmp_path):
    written(tmp_path, "A{}", "*")
    for options in ((), ("--format", "markdown"), ("--audience", "public")):
        run = petworks("check", "policy.toml", *options, cwd=tmp_path)
        assert (run.returncode, run.stderr) == (1, "")
        shown = " ".join(run.stdout.replace("`", "").replace("*", "").split())
        assert shown.startswith("The requirements hold, 1 premise does not: no identifier in clear.")
        assert "no identifier in clear" in shown[:90]


def test_it_hides_no_other_warning(tmp_path):
    path = written(tmp_path, "A{}", "*")
    path.write_text(path.read_text().replace("k = 5", "k = 1"), encoding="utf-8")
    assert [note.kind for note in pw.Policy(path).check().warnings if note.leading] == ["never_fails"]
