"""What is said about files must matter to one of them."""

import pytest

import PETWorks as pw
from PETWorks.errors import ParameterError
from support.process import petworks

SAID = [("delimiter", ";"), ("encoding", "utf-8"), ("sheet", "people"), ("value_labels", "codes")]


@pytest.mark.parametrize(("name", "text"), SAID)
def test_a_setting_that_no_table_uses_is_an_error(name, text):
    for door in (pw.Release, pw.inspect):
        with pytest.raises(ParameterError, match=f"{name} '{text}' has no effect: no table is"):
            door({"age": ["1", "2"]}, **{name: text})


def test_a_setting_may_be_for_one_of_several_tables(tmp_path):
    path = tmp_path / "original.csv"
    path.write_text("age,note\n1,a;b\n2,c\n", encoding="utf-8")
    release = pw.Release({"age": ["1", "2"]}, original=path, quasi_identifiers=["age"], delimiter=",")
    assert release.ask("Precision").value == 1


def test_the_command_names_the_option(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text("age,sex\n1,F\n2,M\n", encoding="utf-8")
    for command in ("evaluate", "inspect", "hierarchy"):
        done = petworks(command, "people.csv", *(["age"] if command == "hierarchy" else []), "--sheet", "one")
        assert done.returncode == 2
        assert "sheet 'one' has no effect: no table is a workbook" in done.stderr


def test_a_policy_may_say_how_its_release_is_read(tmp_path):
    """The original is Parquet and has no delimiter; the release that is made has one, and is checked with it."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"age": ["1", "1", "2", "2"]}), tmp_path / "original.parquet")
    (tmp_path / "policy.toml").write_text(
        'version = 1\n[data]\noriginal = "original.parquet"\nreleased = "released.csv"\ndelimiter = ","\n'
        '[roles]\nquasi_identifiers = ["age"]\n[[require]]\nmeasure = "k-anonymity"\nk = 2\n[anonymize]\n'
        '[[accept]]\npremise = "changed"\nwhy = "two values, which nobody needs to hide"\n',
        encoding="utf-8",
    )
    for command in ("anonymize", "check"):
        run = petworks(command, str(tmp_path / "policy.toml"))
        assert run.returncode == 0, run.stdout + run.stderr
