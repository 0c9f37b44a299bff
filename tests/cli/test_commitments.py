"""What is handed over has commitments in place of digests, and the record opens them."""

import hashlib
import hmac
import json
import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import PETWorks as pw
from PETWorks.cli import main
from PETWorks.render.formats.json import schema

AGES = [*[31] * 5, *[32] * 5, *[47] * 6]
ORIGINAL = "age,ill\n" + "".join(f"{age},{'cold' if row % 2 else 'flu'}\n" for row, age in enumerate(AGES))
HIERARCHY = "31;30s;*\n32;30s;*\n47;40s;*\n"
POLICY = """\
version = 1
title = "Ward"
[data]
original = "original.csv"
released = "released.csv"
hierarchies = "trees"
[roles]
quasi_identifiers = ["age"]
sensitive = ["ill"]
[[require]]
measure = "k-anonymity"
k = 6
[[accept]]
premise = "covered"
columns = ["ill"]
why = "a test of something else"
[anonymize]
[report]
{report}
"""
ALL = 'html = "r.html"\nmarkdown = "r.md"\njunit = "r.xml"\n'
KEPT = ALL + 'json = "record.json"\n'
PUBLIC = ALL + 'json = "r.json"\nrecord = "record.json"\naudience = "public"\n'
HANDED_OVER = ("r.html", "r.md", "r.xml")
HEX = re.compile(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(report=KEPT, original=ORIGINAL):
    Path("original.csv").write_text(original, encoding="utf-8")
    Path("trees").mkdir(exist_ok=True)
    Path("trees/t_hierarchy_age.csv").write_text(HIERARCHY, encoding="utf-8")
    Path("policy.toml").write_text(POLICY.format(report=report), encoding="utf-8")


def make(report=KEPT, *options):
    put(report)
    assert main(["anonymize", "policy.toml", *options]) == 0


def sha256(name):
    return hashlib.sha256(Path(name).read_bytes()).hexdigest()


def record(name="record.json"):
    return json.loads(Path(name).read_text("utf-8"))["record"]


def found(name):
    return HEX.findall(Path(name).read_text("utf-8"))


HIDDEN = ("original.csv", "trees/t_hierarchy_age.csv", "policy.toml")


def expected(secret):
    key = bytes.fromhex(secret)
    committed = [hmac.new(key, bytes.fromhex(sha256(one)), "sha256").hexdigest() for one in HIDDEN]
    return [sha256("released.csv"), *committed]


@pytest.mark.parametrize("report", [KEPT, PUBLIC], ids=["internal", "public"])
def test_reports_have_commitments_that_the_record_opens(folder, capsys, report):
    make(report)
    assert re.fullmatch(r"[0-9a-f]{64}", record()["secret"])
    handed = [*HANDED_OVER, *(["r.json"] if report == PUBLIC else [])]
    for name in handed:
        assert found(name) == expected(record()["secret"]), name
    capsys.readouterr()
    assert main(["verify", "record.json", *handed]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "The commitments in r.html open to the digests in this record: 4 files."
    assert lines[-1].startswith("The same: 5 files")


@pytest.mark.parametrize("report", [ALL, ALL + 'json = "r.json"\naudience = "public"\n'], ids=["internal", "public"])
def test_without_a_record_there_is_neither_digest_nor_commitment(folder, report):
    make(report)
    assert set(found("r.html")) <= {sha256("released.csv")}
    assert "No record was kept" in Path("r.html").read_text("utf-8")
    assert not found("r.md")
    assert not found("r.xml")
    if "r.json" in report:
        assert json.loads(Path("r.json").read_text("utf-8"))["files"] is None
        assert not found("r.json")


def test_a_text_in_a_file_has_commitments_and_the_terminal_has_none(folder, capsys):
    make()
    capsys.readouterr()
    main(["check", "policy.toml"])
    assert not HEX.findall(capsys.readouterr().out)
    main(["check", "policy.toml", "-o", "r.txt"])
    assert found("r.txt") == expected(record()["secret"])
    assert main(["verify", "record.json", "r.txt"]) == 0


def test_a_check_keeps_the_secret_of_the_record(folder):
    make()
    before = {name: Path(name).read_bytes() for name in ("record.json", *HANDED_OVER)}
    assert main(["check", "policy.toml"]) == 0
    for name in ("record.json", "r.md", "r.xml"):
        assert Path(name).read_bytes() == before[name], name
    main(["check", "policy.toml", "-o", "again.html"])
    assert found("again.html") == expected(record()["secret"])


def test_making_it_again_gives_the_same_record(folder):
    make()
    before = Path("record.json").read_bytes()
    make()
    assert Path("record.json").read_bytes() == before


def test_a_check_without_making_repeats_its_own_record(folder):
    make("")
    put()
    main(["check", "policy.toml"])
    before = {name: Path(name).read_bytes() for name in ("record.json", "r.md", "r.xml")}
    main(["check", "policy.toml"])
    assert all(Path(name).read_bytes() == content for name, content in before.items())


def test_other_files_get_another_secret(folder):
    """Whoever got the old record could otherwise try rows of the new original."""
    make()
    before = record()["secret"]
    put(original=ORIGINAL.replace("31,flu", "31,cold", 1))
    main(["anonymize", "policy.toml"])
    assert record()["secret"] != before


def test_the_secret_does_not_follow_from_the_files(folder, tmp_path):
    make()
    before = record()["secret"]
    Path("record.json").unlink()
    make()
    assert record()["secret"] != before


def test_verify_finds_a_report_on_other_files(folder, capsys):
    make()
    page = Path("r.html").read_text("utf-8")
    second = expected(record()["secret"])[1]
    Path("r.html").write_text(page.replace(second, "0" * 64), encoding="utf-8")
    capsys.readouterr()
    assert main(["verify", "record.json", "r.html", "r.md"]) == 1
    out = capsys.readouterr().out
    assert "The commitments in r.html do NOT open to the digests in this record: original." in out
    assert "The commitments in r.md open to" in out
    Path("r.md").write_text(Path("r.md").read_text("utf-8") + f"\nHMAC-SHA-256 {'1' * 64}\n", encoding="utf-8")
    assert main(["verify", "record.json", "r.md"]) == 1
    assert "are NOT those of this record: there are others" in capsys.readouterr().out


def test_verify_says_what_it_cannot_open(folder, capsys):
    make()
    Path("bare.html").write_text("<p>", encoding="utf-8")
    capsys.readouterr()
    assert main(["verify", "record.json", "bare.html"]) == 2
    assert "bare.html has no commitments" in capsys.readouterr().out
    assert main(["verify", "record.json", "absent.html"]) == 2
    assert "there is no such file" in capsys.readouterr().err
    document = json.loads(Path("record.json").read_text("utf-8"))
    del document["record"]["secret"]
    Path("record.json").write_text(json.dumps(document), encoding="utf-8")
    assert main(["verify", "record.json", "r.html"]) == 2
    assert "the record has no secret, so it opens no commitments" in capsys.readouterr().err
    assert main(["verify", "record.json"]) == 0


def test_the_digest_of_the_original_can_be_left_out_of_the_record(folder, capsys):
    make(KEPT, "--no-original-digest")
    whole = expected(record()["secret"])
    assert found("r.html") == [whole[0], *whole[2:]]
    assert sha256("original.csv") not in Path("record.json").read_text("utf-8")
    before = Path("record.json").read_bytes()
    make(KEPT, "--no-original-digest")
    assert Path("record.json").read_bytes() == before
    make(KEPT)  # whoever has the former record must not be able to try rows
    assert record()["secret"] not in before.decode()


def test_the_record_of_an_option_is_a_record_for_any_audience(folder):
    make(ALL + 'audience = "public"\n', "--record", "kept.json")
    assert found("r.html") == expected(record("kept.json")["secret"])


def test_a_policy_refuses_two_reports_in_one_file(folder, capsys):
    put('json = "a.json"\nrecord = "a.json"\n')
    Path("released.csv").write_text("age,ill\n30s,flu\n", encoding="utf-8")
    assert main(["check", "policy.toml"]) == 2
    assert "record would overwrite the json report" in capsys.readouterr().err


def test_python_has_commitments_once_a_record_is_written(folder):
    put()
    made = pw.anonymize("original.csv", goals=pw.KAnonymity(5), quasi_identifiers=["age"], sensitive=["ill"])
    judged = made.write("released.csv", record="record.json")
    secret = record()["secret"]
    digest = hmac.new(bytes.fromhex(secret), bytes.fromhex(sha256("original.csv")), "sha256").hexdigest()
    assert HEX.findall(judged.to_html()) == [sha256("released.csv"), digest]
    assert HEX.findall(judged.public().to_html()) == [sha256("released.csv"), digest]
    release = pw.Release("released.csv", original="original.csv", quasi_identifiers=["age"], sensitive=["ill"])
    checked = release.check(pw.KAnonymity(5))
    assert HEX.findall(checked.to_html()) == [sha256("released.csv")]
    assert "secret" not in json.loads(checked.to_json())["record"]
    assert checked.use_record("record.json")
    assert HEX.findall(checked.to_html()) == [sha256("released.csv"), digest]
    checked.save("saved.json")
    assert HEX.findall(pw.Evaluation.load("saved.json").to_html()) == [sha256("released.csv"), digest]


def test_python_writes_a_record_of_its_own(folder):
    put()
    Path("released.csv").write_text(re.sub("(?m)^[34].,", "*,", ORIGINAL), encoding="utf-8")
    names = {"quasi_identifiers": ["age"], "sensitive": ["ill"]}
    checked = pw.Release("released.csv", original="original.csv", **names).check(pw.KAnonymity(5))
    assert checked.write_record("mine.json") == Path("mine.json")
    before = Path("mine.json").read_bytes()
    again = pw.Release("released.csv", original="original.csv", **names).check(pw.KAnonymity(5))
    again.write_record("mine.json")
    assert Path("mine.json").read_bytes() == before
    assert again.to_html().count("HMAC-SHA-256 ") > 0
    lone = pw.Release("released.csv", **names).check(pw.KAnonymity(5))
    lone.write_record("lone.json")
    assert "secret" not in record("lone.json")  # it would hide nothing


def test_public_documents_follow_their_schema(folder):
    make(PUBLIC)
    validator = Draft202012Validator(schema("public"))
    validator.check_schema(schema("public"))
    document = json.loads(Path("r.json").read_text("utf-8"))
    validator.validate(document)
    assert [one["role"] for one in document["files"]] == ["release", "original", "hierarchy", "policy"]
    Draft202012Validator(schema()).validate(json.loads(Path("record.json").read_text("utf-8")))
