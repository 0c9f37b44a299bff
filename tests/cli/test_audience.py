"""Who may read an answer: Markdown and JUnit are for the public, all else for those who may see the table."""

from __future__ import annotations

import json
import re

import pytest

from PETWorks.cli import main
from support.process import POLICY, five_people

ROWS = [("31", "m", "SSflu")] * 12 + [("31", "f", "SSrare")] * 3 + [("42", "m", "SScold")] * 12


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("\n".join(";".join(row) for row in [("age", "sex", "ill"), *ROWS]))
    return [
        "evaluate",
        "t.csv",
        "-q",
        "age",
        "-q",
        "sex",
        "-s",
        "ill",
        "--measure",
        "k-anonymity",
        "--measure",
        "t-closeness",
        "--k",
        "5",
    ]


def answered(capsys, *asked: str) -> str:
    assert main([*asked]) == 1
    return capsys.readouterr().out


@pytest.mark.parametrize("form", ["markdown", "junit"])
def test_what_ends_up_in_logs_is_public(table, capsys, form):
    shown = answered(capsys, *table, "--format", form)
    assert "fewer than 5" in shown
    for never in ("3 people", "2 classes", "3 classes", "SS", "sex=", "Grouped"):
        assert never not in shown
    internal = answered(capsys, *table, "--format", form, "--audience", "internal")
    assert "1 class" in internal
    assert "fewer than 5" not in internal.partition("k-anonymity")[0]


@pytest.mark.parametrize("form", ["text", "json", "html", "markdown", "junit"])
def test_the_public_learns_no_value_count_or_class(table, capsys, form):
    shown = answered(capsys, *table, "--format", form, "--audience", "public")
    for never in ("SS", "42", "1/4", "sha256 ", '"sha256"', "3 people", "failing_rows", "--show-small-classes"):
        assert never not in shown.partition("<style>")[0] + shown.partition("</style>")[2], never
    assert "k-anonymity" in shown


def test_public_json_names_its_schema_and_cannot_be_verified(table, capsys, tmp_path):
    document = json.loads(answered(capsys, *table, "--format", "json", "--audience", "public"))
    assert document["schema"] == "petworks/public/1"
    assert document["scope"] == {"name": "t.csv", "rows": 27}
    (tmp_path / "public.json").write_text(json.dumps(document))
    assert main(["verify", "public.json"]) == 2
    assert "not a report of the format" in capsys.readouterr().err


def test_small_classes_are_not_for_the_public(table, capsys):
    assert main([*table, "--audience", "public", "--show-small-classes"]) == 2
    assert "leave out one of" in capsys.readouterr().err


def test_what_the_user_may_see_is_shown_in_any_format(table, capsys):
    assert "`sex`=`f`" in answered(capsys, *table, "--format", "markdown", "--show-small-classes")


REPORTS = '[report]\nhtml = "r.html"\njson = "r.json"\nmarkdown = "r.md"\njunit = "r.xml"\n'
MARKS = {"r.html": "Public report", "r.json": '"petworks/public/1"', "r.md": "fewer than 5", "r.xml": "fewer than 5"}


@pytest.fixture
def checked(tmp_path, monkeypatch, capsys):
    """Check five people by a policy; return the answer, and which of its reports are public."""
    monkeypatch.chdir(tmp_path)

    def check(report: str, *options: str) -> tuple[str, set[str]]:
        five_people(tmp_path, POLICY.replace("k = 2", "k = 3") + REPORTS + report)
        assert main(["check", "policy.toml", *options]) == 1
        answer = capsys.readouterr().out
        return answer, {name for name, mark in MARKS.items() if mark in (tmp_path / name).read_text(encoding="utf-8")}

    return check


@pytest.mark.parametrize("audience", ["internal", "public"])
def test_the_audience_of_the_answer_is_not_that_of_the_reports(checked, audience):
    answer, public = checked("", "--audience", audience)
    assert ("fewer than 5" in answer) == (audience == "public")
    assert public == {"r.md", "r.xml"}


@pytest.mark.parametrize("option", [(), ("--audience", "public"), ("--show-small-classes",)])
@pytest.mark.parametrize(("audience", "expected"), [("internal", set()), ("public", {*MARKS})])
def test_a_policy_says_who_may_read_its_reports(checked, option, audience, expected):
    answer, public = checked(f'audience = "{audience}"\n', *option)
    assert ("fewer than 5" in answer) == ("public" in option)
    assert public == expected


def test_a_policy_may_show_small_classes_beside_a_public_answer(checked, tmp_path):
    answer, public = checked("show_small_classes = true\n", "--audience", "public")
    assert "fewer than 5" in answer
    assert public == set()
    assert "`place`=`Germany`" in (tmp_path / "r.md").read_text(encoding="utf-8")


def test_an_explanation_is_for_those_who_may_see_the_table(table, capsys):
    assert main(["explain", *table[1:], "--audience", "public"]) == 2
    assert "unknown argument" in capsys.readouterr().err


TREES = {"age": [("31", "3*", "*"), ("42", "4*", "*")], "sex": [("m", "*"), ("f", "*")]}
PUBLIC = [("--audience", "public"), ("--format", "junit"), ("--format", "markdown"), ("-o", "answer.md")]
MISTAKES = {  # rows that are added, and options, with which something cannot be evaluated
    "unknown value": (
        [("SSage", "m", "SSflu")],
        ("--hierarchies", "trees", "--original", "t.csv", "--measure", "precision"),
    ),
    "a parameter without a result": ([], ("--t", "0.5", "--distance", "ordered")),
    "fewer rows": ([], ("--original", "less.csv", "--measure", "granularity")),
    "population": ([], ("--population", "less.csv", "--measure", "k-map", "--k", "2")),
    "ragged": ([("31", "m", "SSflu", "SSmore")], ()),
    "values that are not numbers": ([], ("--measure", "t-closeness", "--t", "0.5", "--distance", "ordered")),
    "weights": ([], ("--weight", "ill", "--measure", "individual risk")),
}


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES)
@pytest.mark.parametrize("public", PUBLIC, ids="=".join)
def test_what_stands_beside_a_public_answer_is_public(table, capsys, tmp_path, mistake, public):
    """In the log of a pipeline, standard error is as public as the answer."""
    more, options = mistake
    (tmp_path / "trees").mkdir()
    for name, rows in TREES.items():
        (tmp_path / "trees" / f"x_hierarchy_{name}.csv").write_text("\n".join(map(";".join, rows)), encoding="utf-8")
    lines = [("age", "sex", "ill"), *ROWS]
    (tmp_path / "less.csv").write_text("\n".join(";".join(row) for row in lines[:-2]), encoding="utf-8")
    (tmp_path / "t.csv").write_text("\n".join(";".join(row) for row in [*lines, *more]), encoding="utf-8")
    assert main([*table[:8], *options, *public]) == 2
    out, err = capsys.readouterr()
    for never in ("SS", "five people or more", "--show-small-classes"):
        assert never not in out + err
    for never in ("25", "27", "28"):
        assert never not in err
    assert not re.search(r"(?<![-\w.])[1-4] (values?|rows?|classes|class|people|persons?)\b", out + err)


def test_an_error_beside_an_internal_answer_names_no_value_of_few(table, capsys):
    assert main([*table[:8], "--t", "0.5", "--distance", "ordered"]) == 2
    assert "SS" not in capsys.readouterr().err
    assert main([*table[:8], "--t", "0.5", "--distance", "ordered", "--show-small-classes"]) == 2
    assert "SSrare" in capsys.readouterr().err
