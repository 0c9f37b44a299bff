"""Who may read an answer: Markdown and JUnit are for the public, all else for those who may see the table."""

from __future__ import annotations

import json

import pytest

from PETWorks.cli import main

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
