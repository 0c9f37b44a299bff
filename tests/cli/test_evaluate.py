"""``petworks evaluate`` and ``petworks explain``."""

import json
import os
import subprocess
import sys

import pytest

from support.process import PLAIN, POLICY, five_people, petworks

ROLES = ["-q", "year", "-q", "place", "-s", "disease"]


def test_everything_that_can_be_asked(tmp_path):
    five_people(tmp_path)
    run = petworks("evaluate", "released.csv", *ROLES, cwd=tmp_path)
    assert (run.returncode, run.stderr) == (0, "")
    assert "k-anonymity" in run.stdout
    assert "needs --population FILE" in run.stdout
    assert run.stdout.splitlines()[-1].startswith("No limits given: nothing was judged.")


@pytest.mark.parametrize(("k", "code"), [(2, 0), (3, 1)])
def test_with_a_limit_it_judges(tmp_path, k, code):
    five_people(tmp_path)
    run = petworks("evaluate", "released.csv", *ROLES, "--k", k, cwd=tmp_path)
    assert run.returncode == code
    assert "Precision" in run.stdout  # all other measures are evaluated too
    assert petworks("evaluate", "released.csv", *ROLES, "-m", "k-anonymity", "--k", k, cwd=tmp_path).returncode == code


def test_all_that_is_said_about_a_table(tmp_path):
    (tmp_path / "r.csv").write_bytes("id\t年;x\tdisease\tname\n1\t?\tflu\tAnn\n2\t197*\tcold\tBob\n".encode("cp950"))
    (tmp_path / "o.csv").write_bytes("id\t年;x\n2\t1977\n1\t1988\n".encode("cp950"))
    (tmp_path / "h").mkdir()
    (tmp_path / "h" / "a_hierarchy_年;x.csv").write_text("1977,197*,*\n", encoding="utf-8")
    about = ["--original", "o.csv", "--hierarchies", "h", "--key", "id", "--suppressed", "?", "--delimiter", "tab"]
    roles = ["-q", "年;x", "-s", "disease", "-i", "name"]
    more = ["--encoding", "cp950", "--unknown-values", "generalised", "--format", "json"]
    run = petworks("evaluate", "r.csv", *about, *roles, *more, "-m", "Precision", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["results"][0]["exact"] == "1/4"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["relesed.csv"], 'error: relesed.csv: there is no such file\n  did you mean "released.csv"?\n'),
        (["released.csv", "-q", "yaer"], 'did you mean "year"?'),
        (["released.csv", "--original", "original.csv"], 'released.csv has no column "disease"'),
        (["released.csv", "-m", "Precision", "--hierarchies", "h"], "error: h: there is no such folder of hierarchies"),
        (["released.csv", "--encoding", "utf-9"], 'error: there is no encoding "utf-9"\n  did you mean "utf-8"?'),
        (["released.csv", "-m", "utility bias", "--function", "builtins:len"], "pass --original"),
        (
            ["released.csv", "-q", "year", "-m", "t-closeness"],
            "name one of the columns in --sensitive: year, place, disease",
        ),
        (["nope.csv", "-m", "k", "-m", "k-anonymity", "--k", "0"], "error: 3 problems, nothing was measured\n"),
    ],
)
def test_what_cannot_be_asked(tmp_path, arguments, expected):
    five_people(tmp_path)
    run = petworks("evaluate", *arguments, cwd=tmp_path)
    if "original.csv" in arguments:  # only measures that need the original fail
        assert run.returncode == 0
        return
    assert (run.returncode, run.stdout) == (2, "")
    assert expected in run.stderr


@pytest.mark.skipif(os.name != "posix", reason="there are no pseudo-terminals")
def test_a_terminal_gets_colours_unless_it_wants_none(tmp_path):
    five_people(tmp_path)
    script = (
        "import os, pty, sys\n"
        "os.environ['TERM'] = 'xterm-256color'\n"
        "pty.spawn([sys.executable, '-m', 'PETWorks', 'check', 'policy.toml'])\n"
    )
    shown = [
        subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, check=True, env=env).stdout
        for env in (PLAIN, {**PLAIN, "NO_COLOR": "1"})
    ]
    assert b"\x1b[" in shown[0]
    assert b"\x1b[3" not in shown[1].replace(b"\x1b[1m", b"")
    assert all(b"All 3 requirements hold." in one for one in shown)


def test_explain_a_requirement(tmp_path):
    five_people(tmp_path)
    run = petworks("explain", "policy.toml", "t-closeness", cwd=tmp_path)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.splitlines()[0].endswith("at most 0.4: holds")
    assert "  1. Grouped 5 rows" in run.stdout


def test_explain_all_requirements_in_the_language_of_the_policy(tmp_path):
    five_people(tmp_path, POLICY + '[report]\nlanguage = "zh_TW"\n')
    run = petworks("explain", "policy.toml", cwd=tmp_path)
    assert run.returncode == 0
    assert [run.stdout.count(title) > 0 for title in ("k-匿名性", "t-相似性", "精準度")] == [True] * 3
    assert run.stdout.count("  1. ") == 3


def test_explain_what_the_policy_does_not_require(tmp_path):
    five_people(tmp_path)
    assert "class sizes" in petworks("explain", "policy.toml", "class sizes", cwd=tmp_path).stdout
    run = petworks("explain", "policy.toml", "t-closeness", "--t", "0", cwd=tmp_path)
    assert run.returncode == 0
    assert run.stdout.splitlines()[0].endswith("at most 0: does not hold")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["policy.toml", "t-closness"], 'there is no measure "t-closness"\n  did you mean "t-closeness"?'),
        (["policy.toml", "-q", "year"], "--quasi-identifier cannot be used with a policy"),
        (["policy.toml", "--t", "1"], "parameters need a MEASURE\n  write petworks explain POLICY MEASURE"),
        (["policy.toml", "profitability"], "profitability needs --cost, --gain, --loss, --benefit"),
        (["policy.toml", "k-map"], "k-map compares the release with a population\n  pass population = "),
        (["released.csv", "k-anonymity", "--t", "1"], "--t was given, but none of the named measures has it"),
    ],
)
def test_what_cannot_be_explained(tmp_path, arguments, expected):
    five_people(tmp_path)
    run = petworks("explain", *arguments, cwd=tmp_path)
    assert (run.returncode, run.stdout) == (2, "")
    assert expected in run.stderr


def test_a_requirement_that_cannot_be_asked_is_said_and_the_others_are_explained(tmp_path):
    five_people(tmp_path, POLICY + '[[require]]\nmeasure = "k-map"\nk = 2\n')
    run = petworks("explain", "policy.toml", cwd=tmp_path)
    assert (run.returncode, run.stderr) == (2, "k-map: needs population in [data]\n")
    assert run.stdout.count("  1. ") == 3
    run = petworks("explain", "policy.toml", "k-map", cwd=tmp_path)
    assert (run.returncode, run.stdout, run.stderr) == (2, "", "k-map: needs population in [data]\n")


def test_explain_a_table_in_steps_that_are_data(tmp_path):
    five_people(tmp_path)
    run = petworks("explain", "released.csv", "k-anonymity", *ROLES, "--k", "2", "--format", "json", cwd=tmp_path)
    (answer,) = json.loads(run.stdout)
    assert (answer["measure"], answer["holds"]) == ("k-anonymity", True)
    assert answer["steps"][0]["kind"].startswith("grouped")


def test_small_classes_are_described_only_on_demand(tmp_path):
    five_people(tmp_path)
    hidden = petworks("explain", "policy.toml", "t-closeness", cwd=tmp_path)
    shown = petworks("explain", "policy.toml", "t-closeness", "--show-small-classes", cwd=tmp_path)
    assert "197*" not in hidden.stdout
    assert "197*" in shown.stdout or "198*" in shown.stdout
