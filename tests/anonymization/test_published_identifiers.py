"""A column that looks like an identifier and is published as it is: no output says that anything holds before it."""

import json

import pytest

import PETWorks as pw
from support.process import petworks
from support.taiwan import HEADER, rows

SAID = {"en": "looks like an identifier: 身分證字號", "zh_TW": "照原樣發布：身分證字號"}
TABLE = dict(zip(HEADER.split(","), map(list, zip(*rows(400), strict=True)), strict=True))
NAMING = {"病歷號", "身分證字號", "姓名", "手機"}


def made(table=TABLE, goals=pw.KAnonymity(5), identifiers=NAMING - {"身分證字號"}, **options):
    return pw.anonymize(
        table, quasi_identifiers=["性別"], identifiers=[*identifiers], the_rest="insensitive", goals=goals, **options
    )


WHY = "made up: no two of them belong to a person"
ANSWERS = {"en": "The requirements hold, {} premises do not:", "zh_TW": "要求皆滿足，但有 {} 項前提不成立："}
REQUIRED = {"en": "\nk-anonymity  182", "zh_TW": "\nk-匿名性  182"}


def accept_numbers(judged):
    """Accept what a check found of the numbers, for all premises that do not hold."""
    return [
        pw.Accept(
            one.name,
            [] if one.name == "changed" else one.columns,
            of=["national_id"] * (one.name == "contents"),
            why=WHY,
        )
        for one in judged.premises.failing
    ]


@pytest.mark.parametrize("role", ["insensitive", "sensitive"])
@pytest.mark.parametrize("options", [{}, {"suppressed_rows": "remove"}, {"order": "shuffled", "seed": 1}])
def test_every_output_tells_it_before_what_holds(tmp_path, role, options):
    table = {name: cells for name, cells in TABLE.items() if name in ("身分證字號", "性別")}
    release = pw.anonymize(
        table, quasi_identifiers=["性別"], goals=pw.KAnonymity(5), **{role: ["身分證字號"]}, **options
    )
    judged = release.write(tmp_path / "released.csv", record=tmp_path / "record.json")
    assert not judged.holds
    assert "contents" in [one.name for one in judged.premises.failing]
    checked = release.release.check(pw.KAnonymity(5))
    accepted = release.release.check(pw.KAnonymity(5), accept=accept_numbers(checked))
    assert accepted.holds  # an acceptance is of the counts; the warning stays
    for told in (judged, judged.guarded(), judged.public(), checked, accepted, accepted.public()):
        assert [note.kind for note in told.warnings if note.leading] == ["publishes_identifier"]
        for language, said in SAID.items():
            text, failing = told.text(language), len(told.premises.failing)
            assert text.index(said) < text.index(REQUIRED[language])
            if failing:
                assert text.startswith(ANSWERS[language].format(failing))
            else:
                assert WHY in text[: text.index(said)]
    page = judged.to_html().replace("<code><bdi>", "").replace("</bdi></code>", "")
    assert all(page.index(said) < page.index("<h1>") for said in SAID.values())
    record = json.loads((tmp_path / "record.json").read_text("utf-8"))
    assert record["warnings"][0]["figures"] == {"columns": ["身分證字號"]}


def test_it_is_told_once_and_not_beside_every_value(tmp_path):
    judged = made(goals=[pw.KAnonymity(5), pw.SampleUniqueness(at_most=0)]).write(tmp_path / "released.csv")
    assert judged.text().count("looks like") == 1


@pytest.mark.parametrize("form", ["pandas", "pyarrow", "csv"])
def test_any_kind_of_table(tmp_path, form):
    whole = made()
    if form == "csv":
        whole.write(tmp_path / "raw.csv")  # the numbers are in it, as they were
        table = tmp_path / "raw.csv"
    else:
        table = whole.frame(form)
    assert made(table).remarks == whole.remarks != ()


def test_nothing_is_said_of_identifiers_that_are_hidden_or_of_quasi_identifiers(tmp_path):
    assert made(identifiers=NAMING).remarks == ()
    assert made(identifiers=NAMING, drop_identifiers=True).write(tmp_path / "a.csv").warnings == ()
    known = {name: TABLE[name] for name in ("身分證字號", "性別")}
    assert pw.anonymize(known, quasi_identifiers=[*known], goals=pw.KAnonymity(5)).remarks == ()


def test_weights_are_known_for_what_they_are():
    table = {"sex": ["f", "m"] * 50, "w": [str(100 + one) for one in range(100)]}
    assert (
        pw.anonymize(
            table, quasi_identifiers=["sex"], weight="w", the_rest="insensitive", goals=pw.KAnonymity(5)
        ).remarks
        == ()
    )


@pytest.mark.parametrize("more", [[], ["--dry-run"]])
def test_the_command_line_tells_it_before_the_size_of_the_release(tmp_path, more):
    lines = "\n".join([HEADER, *(",".join(row) for row in rows(400))])
    (tmp_path / "patients.csv").write_text(lines + "\n", encoding="utf-8")
    policy = """
        version = 1
        data = { original = "patients.csv", released = "released.csv" }
        require = [{ measure = "k-anonymity", k = 5 }]
        [roles]
        quasi_identifiers = ["性別"]
        identifiers = ["病歷號", "姓名", "手機"]
        the_rest = "insensitive"
    """
    (tmp_path / "policy.toml").write_text(policy, encoding="utf-8")
    for language, said in SAID.items():
        run = petworks("anonymize", "policy.toml", "--lang", language, *more, cwd=tmp_path)
        assert run.returncode == 1, run.stderr  # the premises fail, whatever the requirements say
        assert run.stdout.startswith(ANSWERS[language].format(3))
        assert run.stdout.index(said) < run.stdout.index("\nreleased.csv")
