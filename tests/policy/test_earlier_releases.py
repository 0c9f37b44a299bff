"""Earlier releases of the same people, named by a policy or by the command line."""

import csv
import json

import pytest

import PETWorks as pw
from support.process import petworks

ORIGINAL = {"id": [*"abcd"], "zip": ["10", "10", "11", "11"], "age": ["31", "32", "31", "32"]}
FIRST = {"zip": ORIGINAL["zip"], "age": ["3*"] * 4}
SECOND = {"zip": ["1*"] * 4, "age": ORIGINAL["age"]}
POLICY = """version = 1
[data]
released = "second.csv"
original = "original.csv"
[roles]
quasi_identifiers = ["zip", "age"]
identifiers = ["id"]
[[earlier]]
released = "first.csv"
original = "original.csv"
key = "id"
[[require]]
measure = "joint anonymity"
k = 2
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, table in (("original", ORIGINAL), ("first", FIRST), ("second", SECOND)):
        with (tmp_path / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([table, *zip(*table.values(), strict=True)])
    (tmp_path / "policy.toml").write_text(POLICY)
    (tmp_path / "first.toml").write_text('[data]\nreleased = "first.csv"\noriginal = "original.csv"\nperson = "id"\n')
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(folder, before, after):
    (folder / "policy.toml").write_text(POLICY.replace(before, after))


def test_a_policy_names_earlier_releases(folder):
    judged = pw.Policy("policy.toml").check()
    assert [one.holds for one in judged.requirements] == [False]
    assert judged["joint anonymity"].exact == 1
    write(folder, 'key = "id"', 'pairing = "position"')
    assert pw.Policy("policy.toml").check()["joint anonymity"].exact == 1


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        ('"first.csv"', '"2023.csv"', 'there is no file "2023.csv"'),
        ('key = "id"', 'keys = "id"', 'unknown key "keys"'),
        ('released = "first.csv"\n', "", 'missing key "released"'),
        ('key = "id"', 'pairing = "key"', "pairing"),
        ("[[require]]", "[anonymize]\n[[require]]", "no search can keep to it"),
    ],
)
def test_what_is_wrong_is_a_problem_of_the_policy(folder, before, after, problem):
    write(folder, before, after)
    with pytest.raises(pw.PETWorksError, match=problem):
        pw.Policy("policy.toml", purpose="anonymize" if "anonymize" in after else "check")


def test_the_command_line_names_earlier_releases(folder):
    asked = [
        "evaluate",
        "second.csv",
        "--original",
        "original.csv",
        "-m",
        "joint anonymity",
        "--k",
        "2",
        "--format",
        "json",
    ]
    run = petworks(*asked, "--person", "id", "--earlier", "first.csv=original.csv")
    assert run.returncode == 1, run.stderr
    assert json.loads(run.stdout)["results"][0]["value"] == 1
    run = petworks(*asked, "--person", "id", "--earlier", "first.toml")
    assert json.loads(run.stdout)["results"][0]["value"] == 1
    run = petworks(*asked)
    assert run.returncode == 2
    assert "--earlier" in run.stderr or "earlier" in run.stderr


def test_a_check_beside_earlier_releases_is_verified(folder):
    with (folder / "policy.toml").open("a") as file:
        file.write('[report]\njson = "record.json"\n')
    assert petworks("check", "policy.toml").returncode == 1
    assert json.loads((folder / "record.json").read_text())["record"]["earlier"][0]["name"] == "first.csv"
    run = petworks("verify", "record.json")
    assert run.returncode == 0, run.stdout + run.stderr
