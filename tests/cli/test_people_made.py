"""A release of people who have several rows, by policy: made, checked, verified."""

from __future__ import annotations

import json

import pytest

from support.process import petworks

VISITS = """id;zip;ill
A;101;flu
A;101;asthma
A;102;flu
B;101;flu
B;102;gastritis
C;103;hiv
C;103;flu
D;104;flu
D;103;cold
E;201;flu
E;201;flu
"""
POLICY = """\
version = 1
[data]
released = "released.csv"
original = "original.csv"
hierarchies = "trees"
person = "id"
known = "one"
[roles]
quasi_identifiers = ["zip"]
sensitive = ["ill"]
[[require]]
measure = "k-anonymity"
k = 2
[[accept]]
premise = "covered"
columns = ["ill"]
why = "a test of something else"
[anonymize]
suppress_at_most = "2/3"
suppress = "rows"
"""
CODES = ["101", "102", "103", "104", "201"]


def written(folder, known: str, suppress: str) -> None:
    policy = POLICY.replace('"one"', f'"{known}"').replace('"rows"', f'"{suppress}"')
    (folder / "policy.toml").write_text(policy, encoding="utf-8")
    (folder / "original.csv").write_text(VISITS, encoding="utf-8")
    (folder / "trees").mkdir()
    tree = "".join(f"{code};{code[:2]}*;{code[0]}**;*\n" for code in CODES)
    (folder / "trees" / "a_hierarchy_zip.csv").write_text(tree, encoding="utf-8")


@pytest.mark.parametrize("suppress", ["rows", "people"])
@pytest.mark.parametrize("known", ["one", "all"])
def test_made_checked_and_verified(tmp_path, known, suppress):
    """The release holds no person: `check` takes them from the original, row by row."""
    written(tmp_path, known, suppress)
    made = petworks("anonymize", "policy.toml", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert made.stdout.count("released.csv") == 1  # also where what stands beside it needs a line of its own
    lines = (tmp_path / "released.csv").read_text(encoding="utf-8").split()
    assert {line.split(";")[0] for line in lines[1:]} == {"*"}
    checked = petworks("check", "policy.toml", "-o", "record.json", cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    document = json.loads((tmp_path / "record.json").read_text(encoding="utf-8"))
    assert (document["record"]["person"], document["record"]["known"]) == ("id", known)
    classes = {}
    for line, raw in zip(lines[1:], VISITS.split()[1:], strict=True):
        classes.setdefault(line.split(";")[1], set()).add(raw.split(";")[0])
    assert min(len(people) for code, people in classes.items() if code != "*") >= 2
    verified = petworks("verify", "record.json", cwd=tmp_path)
    assert verified.returncode == 0, verified.stdout + verified.stderr


def test_suppressing_people_leaves_nothing_of_them(tmp_path):
    written(tmp_path, "one", "people")
    assert petworks("anonymize", "policy.toml", cwd=tmp_path).returncode == 0
    lines = (tmp_path / "released.csv").read_text(encoding="utf-8").split()[1:]
    codes = {}
    for line, raw in zip(lines, VISITS.split()[1:], strict=True):
        codes.setdefault(raw.split(";")[0], set()).add(line.split(";")[1] == "*")
    assert all(len(told) == 1 for told in codes.values())


def test_unknown_words_of_suppress(tmp_path):
    written(tmp_path, "one", "persons")
    run = petworks("anonymize", "policy.toml", cwd=tmp_path)
    assert (run.returncode, "people" in run.stderr) == (2, True)
