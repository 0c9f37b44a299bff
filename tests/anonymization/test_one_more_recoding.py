"""Adding a recoding means adding one file to the folder of recodings."""

import os
import shutil
import subprocess
import sys

import pytest

import PETWorks as pw
from PETWorks.anonymization.recodings import load_recoding
from PETWorks.errors import ParameterError
from support.places import ROOT

MODULE = '''"""Coarsest recoding: every column is released at its highest level."""

import numpy as np

from PETWorks.anonymization.recodings import Recoding


def _search(table, plan, listener):
    from PETWorks.anonymization.search import SearchResult

    levels = [ladder.height for ladder in table.ladders]
    facts = table.build_facts_from_labels(table.look_up_labels(levels), np.zeros(len(table.counts), dtype=bool))
    names = [ladder.name for ladder in table.ladders]
    return SearchResult(facts, dict(zip(names, levels, strict=True)), proven=False, bound=None)


RECODING = Recoding(
    title="coarsest recoding",
    search=_search,
    refused_settings={"levels": ("levels does not go with coarsest recoding", "omit levels")},
)
'''
SCRIPT = """
from PETWorks.errors import ParameterError
import PETWorks as pw
years = [("1977", "197*", "19**"), ("1978", "197*", "19**"), ("1983", "198*", "19**")]
asked = dict(quasi_identifiers=["year"], hierarchies={"year": years}, goals=pw.KAnonymity(2), recoding="coarsest")
table = {"year": ["1977", "1978", "1983", "1983"]}
made = pw.anonymize(table, **asked)
print(made.levels, made.plan.recoding, made.suppressed, made.proven)
for wrong in ({"levels": {"year": 1}}, {"parts": True}):
    try:
        pw.anonymize(table, **asked, **wrong)
    except ParameterError as error:
        print(str(error).splitlines()[0])
"""
POLICY = """
version = 1
[data]
released = "out.csv"
original = "people.csv"
[roles]
quasi_identifiers = ["year"]
[anonymize]
recoding = "coarsest"
[[require]]
measure = "k-anonymity"
k = { at_least = 2 }
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with PETWorks, to which the recoding was added, and a table with a policy."""
    folder = tmp_path_factory.mktemp("added")
    shutil.copytree(ROOT / "src" / "PETWorks", folder / "PETWorks", copy_function=os.symlink)
    (folder / "PETWorks" / "anonymization" / "recodings" / "coarsest.py").write_text(MODULE, encoding="utf-8")
    (folder / "people.csv").write_text("year\n1977\n1978\n1983\n1983\n", encoding="utf-8")
    (folder / "policy.toml").write_text(POLICY, encoding="utf-8")
    return folder


def run(place, *arguments):
    environment = os.environ | {"PYTHONPATH": str(place), "PYTHONUTF8": "1"}
    return subprocess.run(
        [sys.executable, *arguments], cwd=place, env=environment, capture_output=True, encoding="utf-8", check=False
    )


def test_in_python(place):
    done = run(place, "-c", SCRIPT)
    assert (done.stdout.splitlines(), done.stderr) == (
        [
            "{'year': 2} coarsest 0 False",
            "levels does not go with coarsest recoding",
            "parts is for local recoding only",
        ],
        "",
    )


def test_in_a_policy(place):
    done = run(place, "-m", "PETWorks", "anonymize", "policy.toml")
    assert (done.returncode, done.stderr) == (0, "Wrote out.csv\n")
    assert (place / "out.csv").read_text(encoding="utf-8").split() == ["year", *"****"]


def test_without_the_file_there_is_no_such_recoding():
    with pytest.raises(ParameterError, match="recoding cannot be"):
        pw.anonymize({"year": ["1977"]}, quasi_identifiers=["year"], goals=pw.KAnonymity(1), recoding="coarsest")


@pytest.mark.parametrize("name", ["global", "local", "microaggregate"])
def test_own_settings_are_for_one_recoding_only(name):
    values = {"grouping": "mdav", "parts": True}
    own = load_recoding(name).own_settings
    for setting, value in values.items():
        if setting in own:
            assert getattr(pw.Search(recoding=name, **{setting: value}), setting) == value
        else:
            with pytest.raises(ParameterError, match=f"^{setting} is for"):
                pw.Search(recoding=name, **{setting: value})
