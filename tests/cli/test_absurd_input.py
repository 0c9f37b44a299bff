"""Absurd input of any kind ends in an error of PETWorks: never in a traceback, never in "this is a bug"."""

import pytest

import PETWorks as pw
from PETWorks.cli import main
from support.process import POLICY, five_people, petworks

DIGITS = "9" * 5_000
HEXADECIMAL = f"0x{'f' * 5_000}"


def told(run) -> str:
    assert (run.returncode, run.stdout) == (2, ""), run.stderr
    assert "bug in PETWorks" not in run.stderr
    assert "Traceback" not in run.stderr
    assert max(map(len, run.stderr.splitlines())) < 200
    return run.stderr.splitlines()[0]


@pytest.mark.parametrize(
    ("number", "problem"),
    [
        (DIGITS, "has too many digits"),
        (f"1/{DIGITS}", "has too many digits"),
        (f"0.{DIGITS}", "has too many digits"),
        ("5" * 999, "is too large"),
    ],
)
def test_a_number_of_thousands_of_digits(tmp_path, number, problem):
    policy = five_people(tmp_path, POLICY.replace("k = 2", f'k = "{number}"'))
    assert f"--k {problem}" in told(petworks("evaluate", "released.csv", "--k", number, cwd=tmp_path))
    assert f"k {problem}" in told(petworks("check", policy))
    with pytest.raises(pw.PETWorksError, match=f"k {problem}"):
        pw.KAnonymity(k=number)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_whole_number_that_python_does_not_print(sign):
    number = sign * 10**5_000
    with pytest.raises(pw.PETWorksError, match="k is too large: a whole number of 16,610 bits"):
        pw.KAnonymity(k=number)
    with pytest.raises(pw.PETWorksError, match="key must be text, not a whole number of 16,610 bits"):
        pw.Release({"a": ["1"]}, key=number)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("k = 2", f"k = {DIGITS}", "policy.toml, line 11: a number has too many digits"),
        ("version = 1", f"version = {DIGITS}", "policy.toml, line 1: a number has too many digits"),
        ("k = 2", f"k = {HEXADECIMAL}", "k is too large: a whole number of 20,000 bits"),
        ("version = 1", f"version = 1\ntitle = {HEXADECIMAL}", "title must be text, not a whole number of 20,000 bits"),
        ("version = 1", f"version = {HEXADECIMAL}", "unknown version a whole number of 20,000 bits"),
        ("version = 1", f"x = {'[' * 9_999}", "policy.toml: lists or tables are nested too deeply"),
        ('"released.csv"', r'"a\u0000b"', r"released must be text without NUL characters, not 'a\x00b'"),
        ('"hierarchies"', r'"a\u0000b"', "hierarchies must be text without NUL characters"),
        ("[roles]", 'encoding = "a\\u0000b"\n[roles]', "encoding must be text without NUL characters"),
        ("[roles]", '[report]\nhtml = "a\\u0000b"\n[roles]', "html must be text without NUL characters"),
    ],
)
def test_absurd_policies(tmp_path, old, new, problem):
    policy = five_people(tmp_path, POLICY.replace('title = "Five people"\n', "").replace(old, new))
    for command in ("check", "explain"):
        run = petworks(command, policy)
        told(run)
        assert problem in run.stderr


@pytest.mark.parametrize("option", ["-o", "--original", "--hierarchies", "--encoding", "--failing-rows", "--temporary"])
def test_nul_in_an_argument(tmp_path, monkeypatch, capsys, option):
    """No shell can pass one, but a script that calls `main` can."""
    five_people(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert main(["evaluate", "released.csv", option, "a\0b"]) == 2
    assert capsys.readouterr().err == "error: an argument contains a NUL character\n  leave it out\n"


@pytest.mark.parametrize("name", ["table", "original", "population", "hierarchies", "encoding", "temporary", "key"])
def test_nul_in_python(tmp_path, name):
    five_people(tmp_path)
    table = str(tmp_path / "released.csv")
    with pytest.raises(pw.PETWorksError):
        pw.Release(**{"table": table, "original": table, name: "a\0b"}).ask("Precision")


def test_nul_in_other_paths():
    with pytest.raises(pw.PETWorksError, match="no such file"):
        pw.Policy("a\0b")
    with pytest.raises(pw.PETWorksError, match="cannot be written"):
        pw.report(pw.PETValidation(None, {"a": ["1"]}, "k-anonymity", k=1), "web", "a\0b.html")


@pytest.mark.parametrize(
    ("yaml", "problem"),
    [
        ("DATASET: !!int zz", "line 1: not readable: could not determine a constructor for the tag"),
        ("DATASET: {ATTRIBUTE_TYPE: {!!timestamp zz: [year]}}", "could not determine a constructor"),
        ("DATASET: {ATTRIBUTE_TYPE: {QUASI_IDENTIFIER: [!!bool zz]}}", "could not determine a constructor"),
        ("!!map [a]", "expected a mapping node, but found sequence"),
        ("!!map a", "expected a mapping node, but found scalar"),
        ("[" * 500, "not readable: "),
    ],
)
def test_absurd_yaml(tmp_path, yaml, problem):
    five_people(tmp_path)
    (tmp_path / "released.yaml").write_text(yaml, encoding="utf-8")
    told(run := petworks("evaluate", "released.csv", cwd=tmp_path))
    assert problem in run.stderr


def test_an_absurd_memory_limit_is_no_limit(tmp_path):
    five_people(tmp_path)
    assert petworks("evaluate", "released.csv", "--memory-limit", DIGITS, cwd=tmp_path).returncode == 0


def test_an_output_that_is_a_link_to_itself(tmp_path):
    five_people(tmp_path)
    (tmp_path / "out.txt").symlink_to("out.txt")
    assert petworks("evaluate", "released.csv", "-o", "out.txt", cwd=tmp_path).returncode == 0
    assert (tmp_path / "out.txt").read_text(encoding="utf-8")
