"""The record of a release that was made, and `petworks verify`: the release is made again, and compared."""

import json
import random
import re
from contextlib import contextmanager
from hashlib import sha256
from importlib.resources import files

import pytest
from jsonschema import Draft202012Validator

import PETWorks as pw
from anonymization.interrupting import interrupt_polishing, report_always, stop_early
from PETWorks.anonymization import front
from PETWorks.cli import anonymize
from support.output import display_width
from support.process import petworks

SCHEMA = json.loads(files(pw).joinpath("render", "evaluation.schema.json").read_text(encoding="utf-8"))
AGES = [(str(age), f"{age // 10}0s", "young" if age < 40 else "old", "*") for age in range(20, 60)]
PLACES = [("Ulm", "north", "*"), ("Bern", "north", "*"), ("Como", "south", "*")]
POLICY = """\
version = 1
title = "Patients"
[data]
original = "people.csv"
released = "released.csv"
hierarchies = "trees"
[roles]
identifiers = ["id"]
quasi_identifiers = ["age", "place"]
sensitive = ["illness"]
the_rest = "insensitive"
[[require]]
measure = "k-anonymity"
k = {k}
why = "rule 7"
[[require]]
measure = "Precision"
at_least = 0.01
[[accept]]
premise = "covered"
columns = ["illness"]
why = "a test of something else"
[anonymize]
suppress_at_most = "10%"
"""


@pytest.fixture
def folder(tmp_path):
    """Write an original, hierarchies, and a policy."""
    chance = random.Random(6)
    rows = [
        f"{number};{chance.randrange(20, 60)};{chance.choice(PLACES)[0]};{chance.choice(['flu', 'hiv'])};x"
        for number in range(90)
    ]
    (tmp_path / "people.csv").write_text("\n".join(["id;age;place;illness;note", *rows, ""]))
    (tmp_path / "trees").mkdir()
    for name, tree in (("age", AGES), ("place", PLACES)):
        (tmp_path / "trees" / f"a_hierarchy_{name}.csv").write_text("".join(f"{';'.join(row)}\n" for row in tree))
    return tmp_path


def recorded(folder, section="", *options, k=5):
    """Make a release by a policy; return its record."""
    (folder / "policy.toml").write_text(POLICY.format(k=k) + section)
    run = petworks("anonymize", "policy.toml", "--record", "record.json", *options, cwd=folder)
    assert run.returncode == int(k == 1), run.stderr  # k = 1 asks for nothing, so a premise fails
    return read(folder)


def read(folder):
    record = json.loads((folder / "record.json").read_text(encoding="utf-8"))
    Draft202012Validator(SCHEMA).validate(record)
    return record


def made(folder, **asked):
    """Make a release in Python."""
    roles = {"identifiers": ["id"], "quasi_identifiers": ["age", "place"], "sensitive": ["illness"]}
    given = {"goals": [pw.KAnonymity(5)], "suppress_at_most": "10%", "hierarchies": folder / "trees", **roles} | asked
    return pw.anonymize(folder / "people.csv", the_rest="insensitive", **given)


def verify(folder, *options):
    run = petworks("verify", "record.json", *options, cwd=folder)
    return run.returncode, run.stdout, run.stderr


def test_what_it_holds(folder):
    record = recorded(folder)

    def digest(name):
        return sha256((folder / name).read_bytes()).hexdigest()

    tables = [(one["role"], one["name"], one["sha256"]) for one in record["record"]["tables"]]
    files = {"release": "released.csv", "original": "people.csv"}
    assert tables == [(role, name, digest(name)) for role, name in files.items()]
    assert [one["sha256"] for one in record["record"]["hierarchies"]] == [
        digest(f"trees/a_hierarchy_{name}.csv") for name in ("age", "place")
    ]
    assert record["record"]["policy"] == {"name": "policy.toml", "sha256": digest("policy.toml")}
    assert record["title"] == "Patients"
    assert [(one["measure"], one["holds"], one["why"]) for one in record["requirements"]] == [
        ("k-anonymity", True, "rule 7"),
        ("Precision", True, ""),
    ]
    making, again = record["making"], made(folder, goals=[pw.KAnonymity(5), pw.Precision(at_least="0.01")])
    assert making["plan"]["goals"][0] == {"measure": "k-anonymity", "parameters": {"k": 5}}
    assert (making["plan"]["suppress_at_most"], making["plan"]["recoding"]) == ("1/10", "global")
    assert (making["the_rest"], making["roles"]["identifiers"]) == (["note"], ["id"])
    assert (making["levels"], making["suppressed"], making["rows"]) == (again.levels, again.suppressed, 90)
    assert (making["loss"], making["bound"], making["proven"]) == (again.loss, again.bound, True)
    assert making["utility"]["value"] == making["score"] == again.utility.value
    *parts, vectors = making["proof"].values()
    assert sum(parts) == vectors == 12


@pytest.mark.parametrize(
    "section",
    [
        "",
        'recoding = "local"\n',
        'recoding = "local"\npolish_rounds = 1\n',
        'utility = "loss"\nweights = { age = "1/2" }\n',
        'suppressed_rows = "remove"\ndrop_identifiers = true\n',
        'order = "shuffled"\nseed = 7\n',
        "coarsest = { place = 0 }\n",
    ],
)
def test_a_release_that_is_made_again_is_the_same(folder, section):
    recorded(folder, section)
    code, out, err = verify(folder)
    assert (code, err) == (0, "")
    assert out.splitlines()[:2] == ["same  release     released.csv", "same  made again  released.csv"]
    assert out.splitlines()[-1] == "The same: 6 files, 2 results, 2 verdicts."


@pytest.mark.parametrize("name", ["r.csv", "r.csv.gz", "r.parquet"])
@pytest.mark.parametrize(
    "asked",
    [
        {"utility": pw.Precision(), "levels": {"age": 2}, "suppressed": "#"},
        {"recoding": "local", "drop_identifiers": True, "weights": {"age": "1/3"}},
        {"goals": [pw.KAnonymity(3), pw.Granularity(at_least="0.1")], "suppressed_rows": "remove"},
    ],
)
def test_by_a_plan_instead_of_a_policy(folder, name, asked):
    made(folder, **asked).write(folder / name, record=folder / "record.json")
    assert read(folder)["record"]["policy"] is None
    code, out, err = verify(folder)
    assert (code, err) == (0, "")
    assert f"same  made again  {name}" in out


PARTS = 'recoding = "local"\nparts = true\n[[require]]\nmeasure = "t-closeness"\nt = "0.05"\n'


@pytest.mark.parametrize("section", ["", 'suppressed_rows = "remove"\n', 'order = "shuffled"\nseed = 7\n'])
def test_a_release_in_parts_is_made_again(folder, section):
    record = recorded(folder, section + PARTS)
    assert (record["making"]["plan"]["parts"], record["making"]["divided"]) == (True, True)
    code, out, err = verify(folder)
    assert (code, err) == (0, "")
    assert out.splitlines()[-1] == "The same: 6 files, 3 results, 3 verdicts."


@pytest.mark.parametrize("name", ["r.csv.gz", "r.parquet"])
def test_parts_by_a_plan(folder, name):
    goals = [pw.KAnonymity(4), pw.TCloseness("0.05")]
    made(folder, goals=goals, recoding="local", parts=True).write(folder / name, record=folder / "record.json")
    assert read(folder)["making"]["divided"] is True
    assert verify(folder)[0] == 0


def test_the_command_says_that_labels_depend_on_sensitive_values(folder):
    (folder / "policy.toml").write_text(POLICY.format(k=5) + PARTS)
    told = " ".join(petworks("anonymize", "policy.toml", cwd=folder).stdout.split())
    assert "Labels depend on sensitive values, too" in told


def test_means_of_groups(folder):
    asked = {"recoding": "microaggregate", "quasi_identifiers": ["age"], "hierarchies": None, "suppress_at_most": 0}
    made(folder, **asked).write(folder / "r.csv", record=folder / "record.json")
    assert (read(folder)["making"]["levels"], read(folder)["making"]["proof"]) == ({}, None)
    assert verify(folder)[0] == 0


def test_a_population(folder):
    rows = (folder / "people.csv").read_text()
    (folder / "all.csv").write_text(rows + rows.partition("\n")[2])
    goals = [pw.KMap(6), pw.DeltaPresence(d_max="0.9")]
    made(folder, goals=goals, population=folder / "all.csv").write(folder / "r.csv", record=folder / "record.json")
    code, out, _ = verify(folder)
    assert (code, "same  population  all.csv" in out) == (0, True)


@pytest.mark.parametrize("file", ["released.csv", "people.csv", "trees/a_hierarchy_age.csv", "policy.toml"])
def test_a_file_that_differs_is_named(folder, file):
    recorded(folder)
    path = folder / file
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    code, out, err = verify(folder)
    differing = [line.split()[-1] for line in out.splitlines() if line.startswith("DIFFERS")]
    assert (code, err, file in differing) == (1, "", True)


def test_an_original_with_other_rows(folder):
    recorded(folder)
    path = folder / "people.csv"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-30]))
    code, out, _ = verify(folder)
    assert code == 1
    assert "DIFFERS  made again  released.csv" in out
    assert "same     release     released.csv" in out
    assert "making, score: " in out


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"levels": {"age": 0, "place": 1}}, "making, levels, age: 0 in the report, "),
        ({"suppressed": 2}, "making, suppressed: 2 in the report, "),
        ({"loss": 0.001}, "making, loss: 0.001 in the report, "),
        ({"bound": 0.99}, "making, bound: 0.99 in the report, "),
        ({"proven": False}, "making, proven: false in the report, true now"),
        ({"the_rest": []}, "making, the_rest: 1 detail not the same"),
    ],
)
def test_a_record_that_was_changed(folder, changed, told):
    record = recorded(folder)
    record["making"] |= changed
    (folder / "record.json").write_text(json.dumps(record))
    code, out, _ = verify(folder)
    assert (code, told in out) == (1, True), out


def test_another_version_may_search_otherwise_but_decides_as_many_vectors(folder):
    record = recorded(folder)
    proof = record["making"]["proof"]
    proof |= {"evaluated": proof["evaluated"] - 1, "by_bound": proof["by_bound"] + 1}
    (folder / "record.json").write_text(json.dumps(record))
    assert verify(folder)[0] == 1
    (folder / "record.json").write_text(json.dumps(record | {"version": "0.0.9"}))
    assert verify(folder)[0] == 0
    proof["evaluated"] += 2
    (folder / "record.json").write_text(json.dumps(record | {"version": "0.0.9"}))
    code, out, _ = verify(folder)
    assert (code, "making, proof, decided: " in out) == (1, True), out


def test_a_search_that_was_stopped(folder, monkeypatch):
    with monkeypatch.context() as patched:
        stop_early(patched)
        record = recorded(folder, "", "--time-limit", "60 s")
    assert (record["making"]["proven"], record["making"]["proof"]["open"] > 0) == (False, True)
    code, out, err = verify(folder)
    assert (code, err) == (0, "")
    assert "its bound was not verified" in out
    for name, value in (("open", 1), ("vectors", 99)):  # counts that do not add up
        changed = json.loads(json.dumps(record))
        changed["making"]["proof"][name] = value
        (folder / "record.json").write_text(json.dumps(changed))
        assert verify(folder)[0] == 1
    record["making"]["proven"] = True
    (folder / "record.json").write_text(json.dumps(record))
    assert "making, proven: true in the report, false now" in verify(folder)[1]


@pytest.mark.parametrize("levels", ["age = 2\nplace = 1", "age = 3\nplace = 1", "age = 1", "age = 3"])
def test_levels_that_were_given_have_a_record_of_all_combinations(folder, monkeypatch, levels):
    best = recorded(folder)["making"]
    making = recorded(folder, f"[anonymize.levels]\n{levels}\n")["making"]
    assert making["proof"] == best["proof"]
    assert making["proven"] == ("better" not in making) == (making["score"] == best["score"])
    assert making.get("better", best)["levels"] == best["levels"]
    code, out, err = verify(folder)
    assert (code, err) == (0, ""), out
    with monkeypatch.context() as patched:
        stop_early(patched)
        recorded(folder, f"[anonymize.levels]\n{levels}\n")
    code, out, err = verify(folder)
    assert (code, err) == (0, ""), out


def test_a_random_order_without_a_seed(folder):
    recorded(folder, 'order = "shuffled"\n')
    code, out, _ = verify(folder, "--lang", "zh_TW")
    assert (code, "順序為隨機且沒有種子" in out, "重新製作" in out) == (0, True, False)


def test_a_table_in_memory_has_a_record_but_cannot_be_verified(folder):
    one = made(folder)
    document = one.record
    Draft202012Validator(SCHEMA).validate(document)
    assert [table["sha256"] is None for table in document["record"]["tables"]] == [True, False]
    assert document["making"]["levels"] == one.levels
    (folder / "record.json").write_text(json.dumps(document))
    code, _, err = verify(folder)
    assert (code, "the release was not in a file" in err) == (2, True)


def test_what_was_written_is_reported_under_its_own_name(folder):
    measured = made(folder).write(folder / "r.csv")
    assert json.loads(measured.to_json())["scope"]["name"] == "r.csv"
    page = measured.to_html()  # rows are read again for other measures
    assert (page.count("r.csv") > 1, ".csv." in page) == (True, False)


def test_a_record_has_a_name_of_its_own(folder):
    one = made(folder)
    for name, problem in (("r.csv", "two outputs are the same file"), ("people.csv", "this file is an input")):
        with pytest.raises(pw.PETWorksError, match=problem):
            one.write(folder / "r.csv", record=folder / name)
    assert not (folder / "r.csv").exists()


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--record", "people.csv"], "this file is an input"),
        (["--record", "released.csv"], "two outputs are the same file"),
        (["--record", "x", "--report", "x"], "two outputs are the same file"),
        (["--record", "record.json", "--dry-run"], "nothing is written by a dry run"),
    ],
)
def test_outputs_that_cannot_be(folder, options, problem):
    (folder / "policy.toml").write_text(POLICY.format(k=5))
    before = sorted(folder.rglob("*"))
    run = petworks("anonymize", "policy.toml", *options, cwd=folder)
    assert (run.returncode, problem in run.stderr) == (2, True)
    assert sorted(folder.rglob("*")) == before


def test_no_class_of_few_people_is_told(folder):
    text = json.dumps(recorded(folder, "suppressed_rows = 'remove'\n", k=1))
    assert not any(f'"{age}"' in text for age, *_ in AGES)
    assert verify(folder)[0] == 0


def test_the_original_is_not_recognised_without_its_digest(folder):
    recorded(folder, "", "--no-original-digest")
    code, out, _ = verify(folder)
    assert (code, "no digest  original    people.csv" in out) == (2, True)


def every_place(value, path=()):
    yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in children:
        yield from every_place(one, (*path, key))


def test_a_damaged_record_is_no_bug(folder):
    made(folder).write(folder / "r.csv", record=folder / "record.json")
    text = (folder / "record.json").read_text()
    for place in list(every_place(json.loads(text)["making"]))[1:]:
        for damage in (None, "x"):
            document = json.loads(text)
            inner = document["making"]
            for key in place[:-1]:
                inner = inner[key]
            inner[place[-1]] = damage
            (folder / "record.json").write_text(json.dumps(document))
            code, _, err = verify(folder)
            assert code in (0, 1, 2)
            assert "bug" not in err, (place, damage, err)


# The report, and the front


def test_the_reports_of_the_policy_are_written(folder):
    recorded(
        folder, '[report]\nlanguage = "zh_TW"\nhtml = "report.html"\nmarkdown = "report.md"\njunit = "report.xml"\n'
    )
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert page.startswith('<!DOCTYPE html>\n<html lang="zh-Hant-TW"')
    assert "How was it made?" in page
    assert "petworks anonymize policy.toml --record record.json" in page
    assert all((folder / name).exists() for name in ("report.md", "report.xml"))


@pytest.mark.parametrize(("language", "told"), [("en", "* this release"), ("zh_TW", "* 此發布資料表")])
def test_the_front_is_printed_and_written(folder, language, told):
    (folder / "policy.toml").write_text(POLICY.format(k=5))
    run = petworks("anonymize", "policy.toml", "--dry-run", "--front", "front.html", "--lang", language, cwd=folder)
    assert (run.returncode, told in run.stdout.splitlines()) == (0, True)
    assert max(map(display_width, run.stdout.splitlines())) <= 80
    assert "people.csv" in (folder / "front.html").read_text(encoding="utf-8")
    assert not (folder / "released.csv").exists()


@pytest.mark.parametrize(
    ("section", "language", "told"),
    [
        ("", "en", r'recoding = "local" would keep at least 0\.\d\d'),
        ('utility = "loss"\n', "en", r'recoding = "local" would lose at most 0\.\d\d'),
        ("", "zh_TW", r'若採用局部概化（recoding = "local"），至少可保留 0\.\d\d'),
    ],
)
def test_what_local_recoding_would_keep_is_told_once_the_release_is_written(folder, section, language, told):
    (folder / "policy.toml").write_text(POLICY.format(k=5) + section)
    run = petworks("anonymize", "policy.toml", "--report", "report.html", "--lang", language, cwd=folder)
    assert re.fullmatch(told, run.stderr.splitlines()[1]), run.stderr
    (folder / "policy.toml").write_text(POLICY.format(k=5) + section + 'recoding = "local"\n')
    local = petworks("anonymize", "policy.toml", cwd=folder)
    assert "local" not in local.stderr
    achieved = next(line for line in local.stdout.splitlines() if re.search(r"\d\.\d+", line))
    known, kept = (float(re.search(r"\d\.\d+", text)[0]) for text in (run.stderr, achieved))
    assert kept <= known if "loss" in section else kept >= known


REPORTS = '[report]\nhtml = "report.html"\njson = "record.json"\n'


def check_page(folder):
    run = petworks("check", "policy.toml", "--format", "html", "-o", "checked.html", cwd=folder)
    assert run.returncode in (0, 1), run.stderr
    return (folder / "checked.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("work", [(), ("--front-work", "9")])
def test_the_record_has_the_front_of_the_report(folder, work):
    told = recorded(folder, REPORTS, *work)["making"]["front"]
    assert (told["complete"], told["nodes"] == 9) == (not work, bool(work))
    assert [one["chosen"] for one in told["points"]].count(True) == 1
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert page.count("this release</span>") == 1
    assert verify(folder)[0] == 0
    document = read(folder)
    document["making"]["front"]["points"][0]["score"] += 0.01
    (folder / "record.json").write_text(json.dumps(document))
    code, printed, _ = verify(folder)
    assert (code, "front" in printed) == (1, True)


def test_a_check_shows_the_front_that_was_recorded(folder):
    assert "front" in recorded(folder, REPORTS)["making"]
    page = check_page(folder)
    assert "What else could be had" in page
    assert "How was it made?" not in page
    table = page[page.index('<table class="plain front"') :].partition("</table>")[0]
    assert table in (folder / "report.html").read_text(encoding="utf-8")
    document = read(folder)
    assert petworks("check", "policy.toml", "--format", "json", cwd=folder).stdout.find('"making": null') > 0
    for damage in ({"points": 3}, {**document["making"]["front"], "nodes": "many"}, [], {"points": [{"risk": "1/0"}]}):
        document["making"]["front"] = damage
        (folder / "record.json").write_text(json.dumps(document))
        assert "What else could be had" not in check_page(folder)


def test_a_check_shows_no_front_of_another_release_or_policy(folder):
    recorded(folder, REPORTS)
    (folder / "policy.toml").write_text(POLICY.format(k=4) + REPORTS)
    assert "What else could be had" not in check_page(folder)


def test_a_record_without_a_page_has_no_front(folder):
    assert "front" not in recorded(folder)["making"]


def test_a_front_that_a_time_limit_ended_is_made_again(folder, monkeypatch):
    monkeypatch.setattr(front.Budget, "seconds", property(lambda self: 0.0 if self.nodes < self.most - 4 else 60.0))
    document = recorded(folder, REPORTS, "--time-limit", "60 s")["making"]["front"]
    assert not document["complete"]
    assert 4 < document["nodes"] < 12
    monkeypatch.undo()
    assert verify(folder)[0] == 0


@pytest.mark.parametrize("work", ["-1", "some"])
def test_work_is_a_number(folder, work):
    (folder / "policy.toml").write_text(POLICY.format(k=5))
    run = petworks("anonymize", "policy.toml", "--front", "front.html", f"--front-work={work}", cwd=folder)
    assert (run.returncode, "--front-work" in run.stderr) == (2, True)
    assert not (folder / "released.csv").exists()


def test_the_front_of_local_recoding(folder):
    (folder / "policy.toml").write_text(POLICY.format(k=5) + 'recoding = "local"\n')
    run = petworks("anonymize", "policy.toml", "--front", "front.html", cwd=folder)
    assert (run.returncode, "one level for each column" in run.stderr) == (2, True)


@pytest.mark.parametrize(
    ("section", "told"),
    [
        ("", r"\d+ of 12 level vectors; best 0\.\d+, at most [01]\.\d{4}"),
        ('utility = "loss"\n', r"\d+ of 12 level vectors; best 0\.\d+, at least 0\.\d{4}"),
        ('recoding = "local"\n', r"Polished in \d+ rounds?; best 0\.\d+"),
    ],
)
def test_progress_tells_what_is_known(folder, monkeypatch, section, told):
    shown = []

    @contextmanager
    def waiting(language):
        yield lambda text, share: shown.append((text, share))

    monkeypatch.setattr(anonymize, "show_rows_read", waiting)
    report_always(monkeypatch)
    recorded(folder, section)
    assert re.fullmatch(told, shown[-1][0]), shown
    assert all(share is None or 0 < share <= 1 for _, share in shown)


def test_ctrl_c_stops_local_recoding_after_a_whole_round(folder, monkeypatch):
    with monkeypatch.context() as patched:
        interrupt_polishing(patched)
        record = recorded(folder, 'recoding = "local"\n')
    assert (record["making"]["polish_rounds"], record["making"]["proven"]) == (1, False)
    assert verify(folder)[0] == 0


def test_a_check_keeps_the_record_of_the_making(folder):
    """What the policy names tells how the release was made: a check of that release would tell less."""
    policy = POLICY.format(k=5) + '[report]\njson = "record.json"\nhtml = "report.html"\njunit = "checks.xml"\n'
    (folder / "policy.toml").write_text(policy)
    assert petworks("anonymize", "policy.toml", cwd=folder).returncode == 0
    before = [(folder / name).read_bytes() for name in ("record.json", "report.html")]
    (folder / "checks.xml").unlink()
    checked = petworks("check", "policy.toml", cwd=folder)
    assert checked.returncode == 0
    assert (folder / "checks.xml").is_file()
    assert "Kept report.html, record.json, as written when this release was made" in " ".join(checked.stderr.split())
    assert [(folder / name).read_bytes() for name in ("record.json", "report.html")] == before
    assert "made again" in petworks("verify", "record.json", cwd=folder).stdout

    (folder / "policy.toml").write_text(policy.replace("k = 5", "k = 4"))
    assert petworks("check", "policy.toml", cwd=folder).returncode == 0
    assert read(folder)["making"] is None  # it was made by another policy
    (folder / "record.json").write_text("{")
    assert petworks("check", "policy.toml", cwd=folder).returncode == 0
    assert read(folder)["requirements"]
