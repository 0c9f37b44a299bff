"""What is said to those who count people: whole sentences, in the words of the door they came by."""

import pytest

import PETWorks as pw
from PETWorks.errors import ParameterError, UnknownNameError
from support.process import petworks

VISITS = "pid,zip,dx\n" + "".join(f"P{row // 2},{row % 3},flu\n" for row in range(12))
ABOUT = ("-q", "zip", "-s", "dx")
MARKETER = (
    "-m",
    "context risk",
    "--attempts",
    "public",
    "--adversary",
    "marketer",
    "--risk",
    "highest",
    "--limit",
    "0.1",
)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "visits.csv").write_text(VISITS, encoding="utf-8")
    release = "\n".join(",".join(line.split(",")[1:]) for line in VISITS.splitlines())
    (tmp_path / "release.csv").write_text(release + "\n", encoding="utf-8")
    (tmp_path / "other.csv").write_text(release.replace("zip,dx", "zip,ill") + "\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "told", "not_told"),
    [
        (("visits.csv", *ABOUT, "--known", "all"), "--person, or leave out --known all", "known="),
        (("visits.csv", *ABOUT, *MARKETER), "pass --risk average", "risk="),
        (("release.csv", *ABOUT, "--person", "pid"), "pass --original", "original="),
        (("release.csv", *ABOUT, "--person", "pid", "--original", "other.csv"), "Known: ill, zip", "first line"),
    ],
)
def test_hints_are_in_the_words_of_the_command_line(folder, arguments, told, not_told):
    run = petworks("evaluate", *arguments, cwd=folder)
    error = " ".join(run.stderr.split())
    assert run.returncode == 2, run.stdout
    assert (told in error, not_told in error) == (True, False), error


def table():
    names, *rows = (line.split(",") for line in VISITS.splitlines())
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def test_a_misspelt_person_is_named_before_other_columns():
    with pytest.raises(UnknownNameError, match=r'no column "pidd" \(the persons\)'):
        pw.anonymize(table(), goals=[pw.KAnonymity(2)], quasi_identifiers=["zip"], sensitive=["dx"], person="pidd")


def test_the_person_is_stripped_as_roles_are():
    about = {"quasi_identifiers": [" zip "], "sensitive": ["dx"], "person": " pid "}
    assert pw.Release(table(), **about).ask("k-anonymity").scope.people.people == 6
    assert pw.anonymize(table(), goals=[pw.KAnonymity(2)], **about).facts.scope.people.people == 6


def test_nobody_is_talked_into_counting_rows():
    about = {"quasi_identifiers": ["zip"], "sensitive": ["dx"], "person": "pid", "recoding": "local"}
    with pytest.raises(ParameterError) as told:
        pw.anonymize(table(), goals=[pw.KAnonymity(2)], **about)
    assert "person=" not in told.value.hint


def test_reasons_are_punctuated():
    release = pw.Release(table(), quasi_identifiers=["zip"], person="pid", known="all")
    assert "one record of a person; pass known=" in release.evaluate().skipped["special uniques"].figures["text"]


def test_one_class_is_singular():
    result = pw.Release({"zip": ["1"] * 3}, quasi_identifiers=["zip"]).ask("k-anonymity")
    assert "3 rows, 0 suppressed (0%), 1 class" in str(result)
    assert "1 classes" not in str(result)


def test_a_class_of_one_is_no_headline():
    evaluation = pw.Release({"zip": ["1", "2"]}, quasi_identifiers=["zip"]).evaluate(pw.KAnonymity(1))
    assert "No class has fewer than 1 person" not in evaluation.to_html()
