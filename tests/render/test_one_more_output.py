"""Adding an output format means adding one file to the folder of formats."""

import sys

import pytest

from PETWorks.render import formats
from support.process import petworks

MODULE = """
from PETWorks.render.formats import OutputFormat

def write(evaluation, settings):
    return "".join(f"{settings.language} {one.measure.name}\\n" for one in evaluation)

FORMAT = OutputFormat(endings=(".lines",), write=write, is_for_public=True)
"""
POLICY = """
version = 1
[data]
released = "people.csv"
[roles]
quasi_identifiers = ["age"]
the_rest = "insensitive"
[[require]]
measure = "k-anonymity"
k = { at_least = 2 }
[report]
lines = "report.lines"
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with a table and a policy, where the format was added."""
    folder = tmp_path / "added"
    folder.mkdir()
    (folder / "lines.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "people.csv").write_text("age;sex\n" + "20;f\n" * 5, encoding="utf-8")
    (tmp_path / "policy.toml").write_text(POLICY, encoding="utf-8")
    monkeypatch.setattr(formats, "__path__", [*formats.__path__, str(folder)])
    yield tmp_path
    sys.modules.pop(f"{formats.__name__}.lines", None)


def test_by_its_name(place):
    run = petworks("evaluate", "people.csv", "-q", "age", "-m", "k-anonymity", "--format", "lines", cwd=place)
    assert (run.stdout, run.stderr, run.returncode) == ("en k-anonymity\n", "", 0)


def test_by_the_ending_of_the_file(place):
    run = petworks("evaluate", "people.csv", "-q", "age", "-m", "k-anonymity", "-o", "out.lines", cwd=place)
    assert run.returncode == 0
    assert (place / "out.lines").read_text(encoding="utf-8") == "en k-anonymity\n"


def test_in_a_policy(place):
    assert petworks("check", "policy.toml", cwd=place).returncode == 0
    assert (place / "report.lines").read_text(encoding="utf-8") == "en k-anonymity\n"


def test_without_the_file_there_is_no_such_format(tmp_path):
    run = petworks("evaluate", "people.csv", "-q", "age", "--format", "lines", cwd=tmp_path)
    assert run.returncode == 2
    assert "lines" in run.stderr
