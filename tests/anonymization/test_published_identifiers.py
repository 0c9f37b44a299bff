"""A column that looks like an identifier and is published as it is: every output about the release begins with it."""

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


@pytest.mark.parametrize("role", ["insensitive", "sensitive"])
@pytest.mark.parametrize("options", [{}, {"suppressed_rows": "remove"}, {"order": "shuffled", "seed": 1}])
def test_every_output_begins_with_it(tmp_path, role, options):
    table = {name: cells for name, cells in TABLE.items() if name in ("身分證字號", "性別")}
    release = pw.anonymize(
        table, quasi_identifiers=["性別"], goals=pw.KAnonymity(5), **{role: ["身分證字號"]}, **options
    )
    judged = release.write(tmp_path / "released.csv", record=tmp_path / "record.json")
    assert judged.holds  # which says nothing about it
    for told in (judged, judged.guarded(), judged.public(), release.release.check(pw.KAnonymity(5))):
        assert [note.kind for note in told.warnings if note.leading] == ["publishes_identifier"]
        for language, said in SAID.items():
            assert said in told.text(language).splitlines()[0]
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
def test_the_command_line_begins_with_it(tmp_path, more):
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
        assert run.returncode == 0, run.stderr
        assert said in run.stdout.splitlines()[0]
