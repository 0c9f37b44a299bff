"""Type checkers know every measure and every parameter, and report misspelt names."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

import PETWorks as pw
from support.places import ROOT

RIGHT = """
from fractions import Fraction
from pathlib import Path

import PETWorks as pw

release = pw.Release("a.csv", quasi_identifiers=["age"], unknown_values="generalised")
results = release.evaluate(pw.KAnonymity(5), pw.TCloseness("0.2", distance="equal"), pw.LDiversity(l=3), "Precision")
page: Path = results.to_html("a.html", language="zh_TW", show_small_classes=True)
text: str = results.to_html(language="zh_TW")
loaded: pw.Evaluation = pw.Evaluation.load(results.save("a.json"))
failing: list[bool] = results.failing_mask().tolist() + results[0].failing_mask().tolist()
results.to_frame(parts=True, library="polars"), release.classes(pw.KAnonymity(5), library="pyarrow")
value: float | None = release.ask(pw.Precision()).value
shown: str = str(results[0].explain("zh_TW"))
pw.Profitability(cost=4, gain=300, loss=300, benefit=1200, allow_attack=False)

people = pw.Table("a.csv", quasi_identifiers=["age"], rest="insensitive", person=pw.Person("id", known="all"))
search = pw.Search(suppress_at_most="5%", recoding="local", time_limit="60 s", weights={"age": "1/2"}, levels={})
writing = pw.Writing(order="shuffled", seed=3, drop_identifiers=True)
made: pw.AnonymizedTable = people.anonymize(pw.KAnonymity(5), search=search, writing=writing)
people.with_roles(sensitive=["ill"], rest="error").released_as("b.csv", pairing="position").check(pw.KAnonymity(5))
pw.Table("a.csv", reading=pw.Reading(delimiter=";"), engine=pw.Engine(memory_limit="2 GB")).inspect()
pw.Search(suppress_at_most=0.05, time_limit=60)
share: Fraction = search.suppress_at_most.exact
"""
WRONG = {
    "pw.KAnonymty(5)": "KAnonymty",
    "pw.KAnonymity(kk=5)": '"kk"',
    "pw.KAnonymity(k=[5])": '"k"',
    "pw.KAnonymity(5, 6)": "Too many",
    'pw.TCloseness("0.2", "equal")': "Too many positional",
    'pw.TCloseness(distance="orderd")': '"distance"',
    "pw.Profitability(cost=4)": "Missing named argument",
    'pw.Release("a.csv", originl="b.csv")': '"originl"',
    'pw.Release("a.csv").evaluate().to_html(langage="zh_TW")': '"to_html"',
    'pw.Release("a.csv").evaluate().to_html(language="zh-TW")': '"to_html"',
    'pw.Release("a.csv").ask("Precision").explain("fr")': '"explain"',
    'pw.Release("a.csv").classes(library="panda")': '"library"',
    'pw.Release("a.csv").evaluate().to_frame("pandas")': '"to_frame"',
    'page: str = pw.Release("a.csv").evaluate().to_html("a.html")': "Path",
    'pw.Policy("p.toml", memory="2 GB")': '"memory"',
    'pw.Search(recoding="locl")': '"recoding"',
    'pw.Search(recodng="local")': 'did you mean "recoding"',
    "pw.Search(suppress_at_most=[1])": '"suppress_at_most"',
    'pw.Writing(order="shuffeld")': '"order"',
    'pw.Person("id", known="al")': '"known"',
    'pw.Reading(delimeter=";")': 'did you mean "delimiter"',
    'pw.Engine(memory="2 GB")': '"memory"',
    'pw.Table("a.csv", rest="insensitve")': '"rest"',
    'pw.Table("a.csv", quasi_identifers=["a"])': 'did you mean "quasi_identifiers"',
    'pw.Table("a.csv", unknown_values="generalized")': '"unknown_values"',
    'pw.Table("a.csv").with_roles(quasi=["age"])': '"quasi"',
    'pw.Table("a.csv").with_roles(rest="nope")': '"rest"',
    'pw.Table("a.csv").anonymize(pw.KAnonymity(5), serch=pw.Search())': 'did you mean "search"',
    'pw.Table("a.csv").released_as("b.csv", pairing="positon")': '"pairing"',
}


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """Return the messages of mypy about a file, line by line."""
    pytest.importorskip("mypy")
    folder = tmp_path_factory.mktemp("typed")

    def check(text: str) -> dict[int, str]:
        (folder / "use.py").write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(folder / "cache"), "use.py"]
        done = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", check=False)
        assert done.returncode in (0, 1), done.stdout + done.stderr
        return {int(line): error for line, error in re.findall(r"use\.py:(\d+): error: (.*)", done.stdout)}

    return check


def test_what_is_right(told):
    assert told(RIGHT) == {}


def test_what_is_wrong(told):
    errors = told("\n".join(["import PETWorks as pw", *WRONG]))
    assert [call for number, call in enumerate(WRONG, 2) if WRONG[call] not in errors.get(number, "")] == []


def test_lists_of_measures_are_up_to_date():
    """Exports, the README's table and the lists of the docs."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "lists.py"), "--check"],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_every_measure_is_exported():
    assert {kind.__name__ for kind in pw.measures().values()} <= set(pw.__all__)
