"""Mistakes that were silent, or blamed something else, are told for what they are."""

import pandas as pd
import pytest

import PETWorks as pw
from PETWorks.errors import GoalError
from support.process import petworks

SECRET = pd.DataFrame({"name": ["Ann of the mill", "Bob"], "age": ["31", "32"]})


@pytest.mark.parametrize(
    "call",
    [
        lambda: pw.compare(SECRET, SECRET),
        lambda: pw.Release(SECRET, hierarchies={"age": SECRET}, quasi_identifiers=["age"]).ask("Precision"),
        lambda: pw.Release(SECRET, hierarchies=[SECRET]),
        lambda: pw.Release(SECRET, roles=SECRET["name"]),
        lambda: pw.Release(SECRET).ask(SECRET),
        lambda: pw.anonymize(SECRET, goals=SECRET, quasi_identifiers=["age"], the_rest="insensitive"),
        lambda: pw.anonymize(SECRET, goals=pw.KAnonymity(1), quasi_identifiers=["age"], levels=SECRET),
    ],
)
def test_a_table_in_the_wrong_place_is_named_by_its_type(call):
    with pytest.raises(pw.PETWorksError) as raised:
        call()
    assert "mill" not in str(raised.value)


def test_the_class_of_a_measure_is_no_goal():
    with pytest.raises(pw.PETWorksError, match="a goal must be a measure, not the class KAnonymity"):
        pw.anonymize(SECRET, goals=pw.KAnonymity, quasi_identifiers=["age"], the_rest="insensitive")


def test_names_in_one_text_are_suggested_as_a_list():
    with pytest.raises(pw.PETWorksError) as raised:
        pw.Release(SECRET, quasi_identifiers="age, name")
    assert raised.value.hint == "write quasi_identifiers=['age', 'name']"


def test_a_whole_number_as_a_float_is_the_same_limit():
    assert pw.KAnonymity(5.0) == pw.KAnonymity(5) == pw.KAnonymity("5")
    assert hash(pw.KAnonymity(5.0)) == hash(pw.KAnonymity(5))


def test_fewer_rows_than_a_class_is_to_have():
    table = {"age": ["30"] * 800}
    with pytest.raises(GoalError) as raised:
        pw.anonymize(table, goals=pw.KAnonymity(5000), quasi_identifiers=["age"])
    assert raised.value.hint == "a class is to have 5,000, and there are only 800: ask for smaller classes"
    told = pw.Release(table).ask(pw.KAnonymity(5000))
    assert "fewer than 5000 people" in str(told)
    assert "fewer than" not in str(pw.Release(table).ask(pw.KAnonymity(800)))


def test_an_option_of_the_command_line_is_blamed_itself(tmp_path):
    (tmp_path / "people.csv").write_text("age\n30\n30\n")
    text = 'version = 1\n[data]\noriginal = "people.csv"\nreleased = "out.csv"\n[roles]\nquasi_identifiers = ["age"]\n'
    (tmp_path / "policy.toml").write_text(text + '[[require]]\nmeasure = "k-anonymity"\nk = 2\n')
    found = petworks("anonymize", "policy.toml", "--time-limit", "never", cwd=tmp_path)
    assert found.returncode == 2
    assert "error: --time-limit cannot be 'never'" in found.stderr
    assert "policy.toml" not in found.stderr


def test_a_delimiter_that_the_header_does_not_have(tmp_path):
    (tmp_path / "people.csv").write_text("zip;age;sex\n100;30;m\n")
    found = petworks("evaluate", "people.csv", "--delimiter", ",", cwd=tmp_path)
    assert found.returncode == 2
    assert "no cell ends with the delimiter ','" in found.stderr
    assert "--delimiter ';'" in found.stderr
    assert "zip" not in found.stderr


@pytest.mark.parametrize("address", ["s3://bucket/people.csv", "https://example.org/people.csv"])
def test_addresses(tmp_path, address):
    found = petworks("evaluate", address, cwd=tmp_path)
    assert (found.returncode, "are not read" in found.stderr) == (2, True)
