"""`petworks verify`: the report is made again from the files that it names, and compared."""

import gzip
import hashlib
import json
import shutil

import pytest

import PETWorks as pw
from PETWorks.cli import main
from PETWorks.cli.verify import find_differences
from PETWorks.errors import SourceError
from support.process import five_people, petworks

ROWS = ["20-29;f;flu", "20-29;f;cold", "30-39;m;flu", "30-39;m;ulcer", "30-39;m;SECRET", "*;*;flu"]
ORIGINAL = ["21;f", "22;f", "31;m", "35;m", "36;m", "60;f"]
AGES = [f"{age};{age // 10}0-{age // 10}9" for age in range(20, 70)]
POLICY = """\
version = 1
title = "Patients"
[data]
released = "released.csv"
original = "{original}"
hierarchies = "trees"
[roles]
quasi_identifiers = ["age", "sex"]
sensitive = ["illness"]
[[require]]
measure = "k-anonymity"
k = 2
why = "house rule"
[[require]]
measure = "t-closeness"
t = 0.2
[[require]]
measure = "k-map"
k = 3
"""


def lines(path, *texts):
    path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines(tmp_path / "released.csv", "age;sex;illness", *ROWS)
    (tmp_path / "secret").mkdir()
    lines(tmp_path / "secret" / "original.csv", "age;sex", *ORIGINAL)
    (tmp_path / "trees").mkdir()
    lines(tmp_path / "trees" / "x_hierarchy_age.csv", *AGES)
    lines(tmp_path / "policy.toml", POLICY.format(original="secret/original.csv"))
    return tmp_path


def checked(*options):
    main(["check", "policy.toml", "-o", "report.json", *options])


def evaluated(*options):
    tables = ["released.csv", "--original", "secret/original.csv", "--hierarchies", "trees"]
    roles = ["-q", "age", "-q", "sex", "-s", "illness"]
    main(["evaluate", *tables, *roles, "--k", "2", "-o", "report.json", *options])


def verify(capsys, *options):
    """Return the exit code, what was printed, and the errors."""
    capsys.readouterr()
    code = main(["verify", *(options or ["report.json"])])
    told = capsys.readouterr()
    return code, told.out, told.err


def change(path, **by_key):
    """Change values of the report's first result."""
    document = json.loads(path.read_text(encoding="utf-8"))
    document["results"][0] |= by_key
    path.write_text(json.dumps(document), encoding="utf-8")


@pytest.mark.parametrize("made", [checked, evaluated])
@pytest.mark.parametrize("options", [(), ("--show-small-classes",), ("--no-original-digest",)])
def test_the_same(folder, capsys, made, options):
    made(*options)
    code, out, err = verify(capsys)
    lacks = "--no-original-digest" in options
    assert (code, err) == (2 if lacks else 0, "")
    assert (
        out.splitlines()[0] == "same       release    released.csv"
        if options[-1:] == ("--no-original-digest",)
        else True
    )
    assert ("no digest  original   secret/original.csv" in out) == lacks
    compared = sum(line.startswith("same ") for line in out.splitlines())
    assert out.splitlines()[-2 if lacks else -1].startswith(f"The same: {compared} files, ")
    assert ("policy     policy.toml" in out) == (made is checked)


def test_what_the_record_holds(folder):
    checked()
    record = json.loads((folder / "report.json").read_text(encoding="utf-8"))["record"]

    def digest(name):
        return hashlib.sha256((folder / name).read_bytes()).hexdigest()

    assert [(one["role"], one["name"], one["sha256"]) for one in record["tables"]] == [
        ("release", "released.csv", digest("released.csv")),
        ("original", "original.csv", digest("secret/original.csv")),
    ]
    assert record["hierarchies"] == [
        {"column": "age", "name": "x_hierarchy_age.csv", "height": 2, "sha256": digest("trees/x_hierarchy_age.csv")}
    ]
    assert record["policy"] == {"name": "policy.toml", "sha256": digest("policy.toml")}
    assert record["roles"] | {"pairing": record["pairing"], "small_classes": record["small_classes"]} == {
        "quasi_identifiers": ["age", "sex"],
        "sensitive": ["illness"],
        "identifiers": [],
        "insensitive": [],
        "pairing": None,
        "small_classes": "withheld",
    }


def test_the_page_holds_the_digest_of_the_release_only(folder):
    checked()
    main(["check", "policy.toml", "-o", "report.html"])
    page = (folder / "report.html").read_text(encoding="utf-8")
    record = json.loads((folder / "report.json").read_text(encoding="utf-8"))["record"]
    for one in (*record["tables"], *record["hierarchies"], record["policy"]):
        assert (one["sha256"] in page) is (one.get("role") == "release")


@pytest.mark.parametrize("file", ["released.csv", "secret/original.csv", "trees/x_hierarchy_age.csv", "policy.toml"])
def test_a_file_that_differs_is_named(folder, capsys, file):
    checked()
    path = folder / file
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))  # the values stay the same
    code, out, err = verify(capsys)
    assert (code, err) == (1, "")
    assert [line.split()[-1] for line in out.splitlines() if line.startswith("DIFFERS")] == [file]
    assert out.splitlines()[-1].startswith("NOT the same: 1 of 4 files. The same: ")


def test_files_and_figures_that_differ_are_both_counted(folder, capsys):
    checked()
    path = folder / "released.csv"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    document = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    document["results"][0]["holds"] = None
    (folder / "report.json").write_text(json.dumps(document), encoding="utf-8")
    assert verify(capsys)[1].splitlines()[-1] == "NOT the same: 1 of 4 files, 1 figure."


def test_the_last_line_counts_the_figures_that_are_listed(folder, capsys):
    checked()
    document = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    for result in document["results"]:
        result["holds"] = None
        for part in result["parts"].values():
            part["holds"] = None
    (folder / "report.json").write_text(json.dumps(document), encoding="utf-8")
    code, out, _ = verify(capsys)
    *_, last = listed = out.splitlines()
    assert (code, last) == (
        1,
        f"NOT the same: {sum(' in the report, ' in line for line in listed)} figures. The same: 4 files.",
    )


def test_a_report_without_a_version(folder, capsys):
    checked()
    document = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    (folder / "report.json").write_text(json.dumps(document | {"version": None}), encoding="utf-8")
    _, out, _ = verify(capsys)
    assert "The report does not say which version of PETWorks made it; this is " in out


def test_what_differs_is_told_without_values_of_the_table(folder, capsys):
    checked()
    lines(folder / "released.csv", "age;sex;illness", *ROWS[:-2], "20-29;m;SECRET", ROWS[-1])
    code, out, err = verify(capsys)
    assert code == 1
    assert "DIFFERS  release" in out
    assert "k-anonymity, value: 2.0 in the report, 1.0 now" in out
    assert "k-anonymity, holds: true in the report, false now" in out
    assert not any(cell in out + err for cell in ("SECRET", "ulcer", "20-29"))


@pytest.mark.parametrize(
    ("made", "changed", "told"),
    [
        (checked, {"value": 5.0}, "k-anonymity, value: 5.0 in the report, 2.0 now"),
        (checked, {"holds": False}, "k-anonymity, holds: false in the report, true now"),
        (evaluated, {"exact": "3"}, "exact: 3 in the report"),
        (checked, {"limit": "1"}, "k-anonymity, limit: 1 in the report, 2 now"),
        (checked, {"parameters": {"k": 1}}, "k-anonymity: 1 detail not the same"),
        (checked, {"steps": []}, "details not the same"),
    ],
)
def test_a_report_that_was_changed(folder, capsys, made, changed, told):
    made()
    change(folder / "report.json", **changed)
    code, out, _ = verify(capsys)
    assert (code, told in out) == (1, True)


def test_a_requirement_that_was_left_out(folder, capsys):
    checked()
    document = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    del document["requirements"][1]
    (folder / "report.json").write_text(json.dumps(document), encoding="utf-8")
    assert verify(capsys)[0] == 1


def test_roles_that_were_changed(folder, capsys):
    """The policy says the roles, whatever the report says."""
    checked()
    document = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    document["record"]["roles"]["quasi_identifiers"] = ["sex"]
    (folder / "report.json").write_text(json.dumps(document), encoding="utf-8")
    assert verify(capsys)[0] == 1


def test_files_in_another_folder(folder, capsys, tmp_path_factory):
    checked()
    other = tmp_path_factory.mktemp("other")
    shutil.copytree(folder, other / "archive" / "2026")
    for file in ("released.csv", "policy.toml", "secret/original.csv"):
        (folder / file).unlink()
    code, _, err = verify(capsys)
    assert (code, "policy.toml: there is no such file" in err, "--folder" in err) == (2, True, True)
    assert verify(capsys, "report.json", "--folder", str(other / "archive" / "2026"))[0] == 0
    assert verify(capsys, "report.json", "--folder", str(other / "archive"))[0] == 0


def test_of_several_files_of_a_name_that_with_the_digest(folder, capsys):
    checked()
    shutil.move(folder / "released.csv", folder / "trees" / "released.csv")
    lines(folder / "secret" / "released.csv", "age;sex;illness", *ROWS[1:])
    assert verify(capsys)[0] == 0


@pytest.mark.parametrize("made", [checked, evaluated])
def test_a_folder_of_hierarchies_that_is_found_twice(folder, capsys, made):
    """The one that has the files of the report is taken, wherever it is."""
    made()
    for copy in ("a", "z"):
        shutil.copytree(folder / "trees", folder / copy / "trees")
    assert verify(capsys)[0] == 0
    assert verify(capsys, "report.json", "--folder", ".", "--folder", str(folder), "--folder", "a")[0] == 0
    lines(folder / "a" / "trees" / "x_hierarchy_age.csv", *AGES[:5])
    lines(folder / "trees" / "x_hierarchy_age.csv", *AGES[5:])
    assert verify(capsys)[0] == 0
    lines(folder / "z" / "trees" / "x_hierarchy_age.csv", *AGES[:-1])
    assert verify(capsys)[0] != 0


@pytest.mark.parametrize("name", [".", "..", "trees/..", "trees/"])
def test_a_folder_of_hierarchies_without_a_name(folder, capsys, name, monkeypatch):
    """The policy names its own folder, or the one above: it is found by the files in it."""
    inside = folder / "inside"
    inside.mkdir()
    for one in ("released.csv", "secret", "trees"):
        shutil.move(folder / one, inside / one)
    if name != "trees/":
        shutil.copy(inside / "trees" / "x_hierarchy_age.csv", folder if name == ".." else inside)
    text = POLICY.format(original="secret/original.csv").replace('"trees"', f'"{name}"')
    lines(inside / "policy.toml", text)
    monkeypatch.chdir(inside)
    checked()
    assert verify(capsys, "report.json", "--folder", str(folder))[0] == 0


@pytest.mark.parametrize("made", [checked, evaluated])
def test_notes_that_were_changed(folder, capsys, made):
    made()
    note = {"kind": "forgiven", "figures": {"column": "age", "cells": 3}, "warning": False, "leading": False}
    change(folder / "report.json", notes=[note])
    code, out, _ = verify(capsys)
    assert (code, "NOT the same" in out) == (1, True)


@pytest.mark.parametrize("made", [checked, evaluated])
@pytest.mark.parametrize("why", [{"kind": "needs_population"}, {"kind": "error", "figures": {"text": "hello"}}])
def test_a_measure_that_was_not_skipped(folder, capsys, made, why):
    """A reason that nothing in the report explains is at least not called the same."""
    made()
    path = folder / "report.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    document["skipped"]["AECS"] = {"figures": {}, "warning": False, "leading": False} | why
    path.write_text(json.dumps(document), encoding="utf-8")
    code, out, _ = verify(capsys)
    assert code == (2 if made is evaluated and why["kind"] == "error" else 1)
    assert ("Not verified: why AECS" in out) == (code == 2)


def test_a_measure_that_is_no_longer_skipped(folder, capsys):
    evaluated()
    path = folder / "report.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    assert document["skipped"].pop("k-map")
    document["skipped"]["δ-presence"]["kind"] = "needs_original"
    path.write_text(json.dumps(document), encoding="utf-8")
    assert verify(capsys)[0] == 1


def test_a_report_cannot_lead_out_of_its_folder(folder, capsys):
    evaluated()
    report = folder / "secret" / "report.json"
    text = (folder / "report.json").read_text(encoding="utf-8")
    report.write_text(text.replace('"released.csv"', '"../released.csv"'), encoding="utf-8")
    code, _, err = verify(capsys, str(report))
    assert (code, "there is no such file" in err) == (2, True)


def test_a_table_in_memory_cannot_be_verified(folder, capsys):
    (folder / "report.json").write_text(pw.Release({"age": ["1"]}).evaluate().to_json(), encoding="utf-8")
    code, _, err = verify(capsys)
    assert (code, "the release was not in a file" in err) == (2, True)


def test_a_function_cannot_be_verified(folder, capsys):
    release = pw.Release("released.csv", original="released.csv")
    (folder / "report.json").write_text(release.evaluate(pw.UtilityBias(len)).to_json(), encoding="utf-8")
    code, _, err = verify(capsys)
    assert (code, "needs a function" in err) == (2, True)


def test_files_that_cannot_be_measured_any_more(folder, capsys):
    checked()
    with (folder / "released.csv").open("a", encoding="utf-8") as file:
        file.write("SECRET\n")
    code, out, err = verify(capsys)
    assert (code, "DIFFERS  release" in out, "line 8" in err) == (1, True, True)
    assert "SECRET" not in out + err


def test_values_that_a_hierarchy_lacks_are_not_told(folder, capsys):
    evaluated()
    lines(folder / "trees" / "x_hierarchy_age.csv", *AGES[:12])
    code, out, err = verify(capsys)
    assert (code, "DIFFERS  hierarchy" in out, "60" in err, "--show-small-classes" in err) == (1, True, False, False)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"schema": "petworks/evaluation/1"}', "[" * 99999])
def test_no_report(folder, capsys, content):
    (folder / "report.json").write_text(content, encoding="utf-8")
    code, out, err = verify(capsys)
    assert (code, out, err.startswith("error: report.json: ")) == (2, "", True)


def test_no_such_report(folder, capsys):
    evaluated()
    code, _, err = verify(capsys, "reprt.json")
    assert (code, 'did you mean "report.json"?' in err) == (2, True)


def every_place(value, path=()):
    yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in children:
        yield from every_place(one, (*path, key))


def test_a_damaged_record_is_no_bug(folder, capsys):
    evaluated()
    text = (folder / "report.json").read_text(encoding="utf-8")
    for place in list(every_place(json.loads(text)["record"]))[1:]:
        for damage in (None, 7, "x", []):
            document = json.loads(text)
            inner = document["record"]
            for key in place[:-1]:
                inner = inner[key]
            inner[place[-1]] = damage
            (folder / "report.json").write_text(json.dumps(document), encoding="utf-8")
            code, _, err = verify(capsys)
            assert code in (0, 1, 2)
            assert "bug" not in err, (place, damage, err)


def test_another_version_is_told(folder, capsys):
    checked()
    text = (folder / "report.json").read_text(encoding="utf-8")
    (folder / "report.json").write_text(text.replace(f'"version": "{pw.__version__}"', '"version": "0.0.1"'))
    code, out, _ = verify(capsys)
    assert (code, "The report was made by PETWorks 0.0.1" in out) == (0, True)


def test_in_the_other_language(folder, capsys):
    checked()
    code, out, _ = verify(capsys, "report.json", "--lang", "zh_TW")
    assert (code, "完全相同：4 個檔案、2 項結果、2 項判定。" in out) == (0, True)


def test_options_are_recorded_and_used(folder, capsys):
    text = "\n".join(["age;sex", *(row.rpartition(";")[0] for row in ROWS)]).replace(";", ":").replace("*", "#")
    (folder / "r.csv").write_bytes(text.encode("utf-16"))
    options = ["--delimiter", ":", "--encoding", "utf-16", "--suppressed", "#", "--k", "2"]
    main(["evaluate", "r.csv", *options, "-o", "report.json"])
    assert verify(capsys)[0] == 0
    record = json.loads((folder / "report.json").read_text(encoding="utf-8"))["record"]
    assert (record["delimiter"], record["encoding"], record["suppressed"]) == (":", "utf-16", "#")


def test_floats_may_differ_in_the_last_digit_only():
    assert list(find_differences({"value": 0.1}, {"value": 0.1 + 1e-17})) == []
    assert len(list(find_differences({"value": 0.1}, {"value": 0.1000001}))) == 1
    assert len(list(find_differences({"value": 1}, {"value": True}))) == 1


# Digests while reading


def spied(monkeypatch):
    """Return a list to which each file that is read only for its digest is added."""
    from PETWorks.tables import source

    read, real = [], source.compute_digest
    monkeypatch.setattr(source, "compute_digest", lambda path: read.append(path.name) or real(path))
    return read


@pytest.mark.parametrize("form", ["plain", "gzip", "cp950"])
def test_files_are_not_read_again_for_their_digest(folder, monkeypatch, form):
    text = "\n".join(["age;sex;病", *ROWS]).encode("cp950" if form == "cp950" else "utf-8")
    (folder / "r.csv").write_bytes(gzip.compress(text) if form == "gzip" else text)
    read = spied(monkeypatch)
    main(["evaluate", "r.csv", "-o", "report.json"])
    record = json.loads((folder / "report.json").read_text(encoding="utf-8"))["record"]
    assert record["tables"][0]["sha256"] == hashlib.sha256((folder / "r.csv").read_bytes()).hexdigest()
    assert read == []


@pytest.mark.parametrize("change", ["append", "remove", "replace"])
def test_a_file_that_changed_after_it_was_read(folder, change):
    release = pw.Release("released.csv")
    evaluation = release.evaluate("k-anonymity")
    file = folder / "released.csv"
    if change == "append":
        lines(file, "age;sex;illness", *ROWS, ROWS[0])
    else:
        content = file.read_bytes()
        file.unlink()
        _ = change == "replace" and (folder / "new").write_bytes(content) and (folder / "new").rename(file)
    with pytest.raises(SourceError, match="the file changed after it was opened"):
        evaluation.to_json()


def test_text_needs_no_digest(folder, monkeypatch):
    read = spied(monkeypatch)
    main(["evaluate", "released.csv", "-o", "report.txt"])
    assert read == []


def test_parquet_is_read_again(folder, monkeypatch):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pa.table({"age": ["1", "2"]}), folder / "r.parquet")
    read = spied(monkeypatch)
    main(["evaluate", "r.parquet", "-o", "report.json"])
    assert read == ["r.parquet"]


def test_files_are_found_where_the_policy_names_them(tmp_path):
    """The layout of `petworks init -o study`: the table is beside the folder of the policy."""
    study = tmp_path / "study"
    study.mkdir()
    five_people(tmp_path)
    policy = (tmp_path / "policy.toml").read_text(encoding="utf-8")
    for name in ("released.csv", "original.csv", "hierarchies"):
        policy = policy.replace(f'"{name}"', f'"../{name}"')
    (study / "policy.toml").write_text(policy, encoding="utf-8")
    assert petworks("check", "study/policy.toml", "-o", "study/report.json", cwd=tmp_path).returncode == 0
    run = petworks("verify", "study/report.json", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    (tmp_path / "original.csv").write_text("year;place;disease\n1970;Berlin;flu\n", encoding="utf-8")
    run = petworks("verify", "study/report.json", cwd=tmp_path)  # another file is not taken for it
    assert (run.returncode, "original.csv: there is no such file" in run.stderr) == (2, True)


@pytest.mark.parametrize(("place", "value"), [("columns", 99), ("form", "CSV, UTF-16"), ("height", 9)])
def test_what_is_told_of_tables_and_hierarchies_is_compared(tmp_path, place, value):
    five_people(tmp_path)
    petworks("check", "policy.toml", "-o", "report.json", cwd=tmp_path)
    report = tmp_path / "report.json"
    assert petworks("verify", "report.json", cwd=tmp_path).returncode == 0
    document = json.loads(report.read_text(encoding="utf-8"))
    kind = "hierarchies" if place == "height" else "tables"
    document["record"][kind][0][place] = value
    report.write_text(json.dumps(document), encoding="utf-8")
    assert petworks("verify", "report.json", cwd=tmp_path).returncode == 1
