"""The last screen: what is written is what the command line writes, and nobody hands over what was not measured."""

import hashlib
import json
import re
import shlex
import shutil
import time

import pytest

import PETWorks as pw
from app.running import inside, opening
from PETWorks.app.screens.release.after import keep_old, move_aside, next_name, numbered
from PETWorks.errors import OutputError
from support.process import petworks
from support.written import COLUMNS, PINS, people, policy_of, project

LEVELS = "[anonymize.levels]\nage = 2\nsex = 0\n"


@pytest.fixture
def started(tmp_path):
    with opening(tmp_path) as opened:
        yield lambda more=LEVELS, language="en": opened(project(tmp_path, more), language)


def settled(app):
    """Return the page when nothing runs any more."""
    return app.settled("/release", "released")


def send(app, path, fragments=False, **fields):  # noqa: FBT002
    return app.post(f"/release{path}", revision=settled(app).revision, fragments=fragments, **fields)


def wrote(app):
    """Write the release, and return the page that tells it."""
    send(app, "/write")
    return settled(app)


SECRET = re.compile(rb'"secret": "[0-9a-f]{64}"')  # random, where a record is written for the first time


def digests(folder, *names):
    return {name: hashlib.sha256(SECRET.sub(b"", (folder / name).read_bytes())).hexdigest() for name in names}


def elsewhere(folder, tmp_path_factory):
    """Run the command that the page prints, in another folder with the same inputs."""
    other = tmp_path_factory.mktemp("colleague")
    for name in ("people.csv", "policy.toml"):
        shutil.copy(folder / name, other / name)
    done = petworks("anonymize", "policy.toml", cwd=other)
    assert done.returncode in (0, 1), done.stderr  # a premise may fail
    return other


def test_what_will_be_written_is_told_first(started):
    page = started().get("/release")
    assert page.h1 == "released.csv can be written"
    text = page["released"].text
    assert "level 2 of its hierarchy" in text
    assert "* in every row" in text
    assert "as it is" in text


def test_only_what_changes_is_told_as_a_change(started, tmp_path):
    app = started(LEVELS.replace("age = 2", "age = 0"))
    assert "level 0" not in settled(app)["how"].text
    assert "Identifiers" in settled(app)["how"].text
    text = (tmp_path / "policy.toml").read_text("utf-8")
    (tmp_path / "policy.toml").write_text(
        text.replace('identifiers = ["id"]', 'insensitive = ["club", "id"]', 1).replace('insensitive = ["club"]\n', ""),
        encoding="utf-8",
    )
    assert "Identifiers" not in settled(app)["how"].text


def test_settings_without_a_control_of_their_own_are_fields(started, tmp_path):
    """Each is declared once, and named here by no template; what is wrong with one is told beside it."""
    app = started()
    fields = settled(app)["further"].text
    for name in ("utility", "grouping", "parts", "suppress", "time_limit"):
        assert name in fields
    for name in ("levels", "order", "treat"):
        assert f"setting-{name}" not in str(settled(app).text)
    policy = tmp_path / "policy.toml"
    page = send(app, "/settings", **{"setting-time_limit": "soon", "setting-suppress": "people"})
    assert "time_limit cannot be 'soon'" in page["further"].text
    assert "people" not in policy.read_text("utf-8").partition("[anonymize]")[2]
    send(app, "/settings", **{"setting-time_limit": "2 min", "setting-suppress": "people"})
    written = policy.read_text("utf-8")
    assert 'time_limit = "2 min"' in written
    assert 'suppress = "people"' in written
    send(app, "/settings", **{"setting-time_limit": "", "setting-suppress": ""})
    assert "time_limit" not in policy.read_text("utf-8")


def test_nothing_is_written_before_the_policy_is_complete(started, tmp_path):
    app = started()
    fields = {"template": "wp216", "reason": "another recipient"}
    app.post("/requirements/template", revision=app.get("/requirements").revision, **fields)
    page = app.get("/release")
    assert page.h1 == "Nothing can be written yet"
    assert 'beta is still "fill in"' in page["released"].text
    assert [one for one in page.markup.all("form") if one.get("action") == "/release/write"] == []
    assert send(app, "/write").h1 == page.h1
    assert not (tmp_path / "released.csv").exists()


def test_reports_for_the_public_are_those_of_the_command(started, tmp_path, tmp_path_factory):
    """The audience that the policy names holds in the application as well."""
    report = '[report]\nhtml = "report.html"\njson = "shown.json"\naudience = "public"\n'
    wrote(started(LEVELS + report))
    other = elsewhere(tmp_path, tmp_path_factory)
    assert digests(tmp_path, "released.csv") == digests(other, "released.csv")
    for folder in (tmp_path, other):
        shown = json.loads((folder / "shown.json").read_text())
        assert shown["schema"] == "petworks/public/1"
        assert set(shown["scope"]) <= {"name", "rows", "people"}
        assert 'id="people"' not in (folder / "report.html").read_text()


@pytest.mark.parametrize("language", ["en", "zh_TW"])
def test_the_command_gives_the_same_bytes(started, tmp_path, tmp_path_factory, language):
    app = started(language=language)
    page = wrote(app)
    headline = {"en": "Written, read back and measured: all 2 requirements hold", "zh_TW": "2 項要求全部滿足"}
    assert headline[language] in page.h1
    assert "petworks anonymize policy.toml" in page["commands"].text
    other = elsewhere(tmp_path, tmp_path_factory)
    names = ("released.csv", "record.json")
    assert digests(other, *names) == digests(tmp_path, *names)
    here, there = ((one / "report.html").read_text("utf-8") for one in (tmp_path, other))
    moment = re.compile(r"20\d\d-\d\d-\d\dT[\d:+.-]+|HMAC-SHA-256 [0-9a-f]{64}")
    assert moment.sub("", here) == moment.sub("", there)


@pytest.mark.parametrize(("fields", "policy", "first"), [
    ({"form": "excel"}, {"output_encoding": "utf-8-sig"}, b"\xef\xbb\xbfid,"),
    ({"suppressed": "remove"}, {"suppressed_rows": "remove"}, b"id,"),
    ({"order": "shuffled"}, {"order": "shuffled"}, b"id,"),
    ({"identifiers": "drop"}, {"drop_identifiers": True}, b"age,"),
    ({"form": "parquet"}, {}, b"PAR1"),
    ({"form": "workbook"}, {}, b"PK"),
])  # fmt: skip
def test_every_setting_is_text_and_gives_the_same_bytes(started, tmp_path_factory, fields, policy, first):
    app = started()
    tmp_path = app.running.session.folder
    send(app, "/settings", **fields)
    making = policy_of(tmp_path)["anonymize"]
    assert {key: making.get(key) for key in policy} == policy
    page = wrote(app)
    assert page.h1.startswith("Written"), page["released"].text[:600]
    name = policy_of(tmp_path)["data"]["released"]
    assert (tmp_path / name).read_bytes().startswith(first)
    other = elsewhere(tmp_path, tmp_path_factory)
    assert digests(other, name, "record.json") == digests(tmp_path, name, "record.json")


@pytest.mark.parametrize("place", ["..", "../the tables", "."])
def test_every_command_that_is_printed_works_as_printed(tmp_path, place):
    folder = tmp_path / "adult project"
    folder.mkdir()
    policy = project(folder, LEVELS)
    (folder / place).mkdir(exist_ok=True)
    (folder / "people.csv").rename(folder / place / "people.csv")
    (tmp_path / "other" / "inner").mkdir(parents=True)
    for other in (tmp_path / "other", tmp_path / "other" / "inner"):
        (other / "released.csv").write_text("of another project\n")
        (other / "policy.toml").write_text("of another project\n")
    policy.write_text(policy.read_text().replace('original = "', f'original = "{place}/'))
    with inside(tmp_path, policy) as app:
        commands = re.split(r"\s+(?=petworks )", wrote(app)["commands"].text.strip())
    assert [one.split()[1] for one in commands] == ["anonymize", "check", "verify"]
    for command in commands:
        done = petworks(*shlex.split(command)[1:], cwd=folder)
        assert done.returncode == 0, (command, done.stdout, done.stderr)


def test_the_record_says_whether_the_candidate_that_was_chosen_is_the_best(started, tmp_path):
    app = started("[anonymize.levels]\nage = 2\nsex = 1\n")
    page = wrote(app)
    record = json.loads((tmp_path / "record.json").read_text("utf-8"))["making"]
    assert (record["proven"], record["better"]["levels"]) == (False, {"age": 1, "sex": 0})
    text = page["released"].text
    assert "These levels are the user's choice: age 2, sex 1." in text
    assert "Not the best: these levels were chosen by hand" in text
    assert record["proof"]["vectors"] == 10
    assert "= 10 combinations of levels, all there are" in text
    assert "Proven best" not in text


@pytest.mark.parametrize("language", ["en", "zh_TW"])
def test_a_table_that_changed_is_told_everywhere(started, tmp_path, language):
    app = started(LEVELS + PINS, language)
    app.get("/")
    table, screens = tmp_path / "people.csv", ("/columns", "/requirements", "/explore", "/compare", "/release")
    told = {"en": "The table is not as it was", "zh_TW": "資料表與上次計數時不同"}[language]
    while "data-poll" in app.get("/").text:
        time.sleep(0.02)
    app.get("/")
    assert [told in app.get(one).text for one in screens] == [False] * 5
    wrote(app)
    before = table.read_bytes()
    table.write_bytes(before[: before.rindex(b"\nP") + 1])
    assert [told in app.get(one).text for one in screens] == [True] * 5
    page = settled(app)
    headline = "The table has changed since released.csv was written"
    assert page.h1 == {"en": headline, "zh_TW": "released.csv 寫出之後，資料表已變更"}[language]
    assert {"en": "the table has changed", "zh_TW": "資料表已變更"}[language] in page["steps"].text
    wrote(app)
    assert settled(app)["released"].text.count("399")
    table.write_bytes(before)
    app.get("/")
    assert told not in app.get("/explore").text


def test_an_old_file_is_kept_under_another_name(started, tmp_path):
    (tmp_path / "released.csv").write_text("mine\n")
    app = started()
    assert "keep the old file as released.1.csv" in app.get("/release")["released"].text
    wrote(app)
    assert (tmp_path / "released.1.csv").read_text() == "mine\n"
    first = (tmp_path / "released.csv").read_bytes()
    wrote(app)
    assert (tmp_path / "released.2.csv").read_bytes() == first
    assert "An earlier release" in app.get("/release")["released"].text


def test_an_old_file_stays_where_it_is_if_nothing_can_be_made(started, tmp_path):
    (tmp_path / "released.csv").write_text("mine\n")
    app = started("[anonymize.levels]\nage = 0\nsex = 0\n")
    page = wrote(app)
    assert page.h1 == "released.csv was not written"
    assert "no level vector meets the goals" in page["released"].text
    assert (tmp_path / "released.csv").read_text() == "mine\n"
    assert sorted(one.name for one in tmp_path.glob("released*")) == ["released.csv"]
    assert not (tmp_path / "record.json").exists()


def test_after_a_restart_the_file_is_measured_again(tmp_path):
    with inside(tmp_path, project(tmp_path, LEVELS)) as app:
        before = wrote(app)
    with inside(tmp_path, tmp_path / "policy.toml") as app:
        after = settled(app)
    assert after.h1 == before.h1
    assert after["measured"].parent.text == before["measured"].parent.text


def test_a_changed_policy_asks_to_write_again(started):
    app = started()
    wrote(app)
    app.post(
        "/requirements/1", revision=app.get("/requirements").revision, p_k="6", why="the agreement", reason="board"
    )
    page = settled(app)
    assert page.h1 == "The policy has changed since released.csv was written"
    assert "keep the old file as released.1.csv" in page["released"].text


def test_a_file_that_something_else_wrote_is_moved_aside(started, tmp_path):
    app = started()
    wrote(app)
    with (tmp_path / "released.csv").open("a") as file:
        file.write("P99999,33,f,flu,a\n")
    page = settled(app)
    assert page.h1 == "released.csv is not the file that was measured"
    send(app, "/aside")
    assert not (tmp_path / "released.csv").exists()
    assert (tmp_path / "released.rejected.csv").read_text().endswith("P99999,33,f,flu,a\n")
    page = settled(app)
    assert page.h1 == "released.csv can be written"
    assert wrote(app).h1.startswith("Written")
    assert "must not be handed over" in app.get("/release")["released"].text


def test_a_file_that_was_measured_is_not_moved_aside(started, tmp_path):
    app = started()
    wrote(app)
    send(app, "/aside")
    assert (tmp_path / "released.csv").exists()


def test_what_if_a_role_was_wrong(started, tmp_path):
    page = wrote(started())
    text = page["if-known"].parent.text
    release = pw.Release(tmp_path / "released.csv", quasi_identifiers=["age", "sex", "club"], sensitive=["disease"])
    people_alone = sum(size for size in release.classes(library="pyarrow")["size"].to_pylist() if size < 5)
    assert re.search(rf"club insensitive *{people_alone}\b", text), text
    assert "With the roles as decided: 0." in text


def test_the_report_is_shown_with_a_policy_of_its_own(started):
    app = started()
    assert app.get("/release/report").status == 404
    wrote(app)
    answer = app.get("/release/report")
    assert answer.status == 200
    assert "sandbox allow-scripts" in answer.headers["content-security-policy"]
    parts = dict(one.strip().partition(" ")[::2] for one in answer.headers["content-security-policy"].split(";"))
    assert re.fullmatch(r"'sha256-[\w+/=]+'", parts["script-src"])
    assert re.fullmatch(r"'sha256-[\w+/=]+'", parts["style-src"])
    assert parts["default-src"] == "'none'"
    assert "people" in answer.text


def test_a_report_that_is_a_link_to_elsewhere_is_not_shown(started, tmp_path, tmp_path_factory):
    secret = tmp_path_factory.mktemp("other") / "secret.html"
    secret.write_text("secret")
    (tmp_path / "report.html").symlink_to(secret)
    assert started().get("/release/report").status == 404


@pytest.mark.parametrize("name", ["", "a/b", "..", "../x", "con", "a" * 101, "x\x00", "x.", " ", "a:b", "people"])
def test_names_that_are_refused(started, tmp_path, name):
    app = started()
    answer = send(app, "/settings", name=name)
    assert answer.status == 422
    field = answer["name"]
    assert field.get("aria-invalid") == "true"
    assert answer[field.get("aria-describedby")].text
    assert policy_of(tmp_path)["data"]["released"] == "released.csv"


def test_a_name_in_any_script_is_taken(started, tmp_path):
    app = started()
    send(app, "/settings", name="發布 2026")
    assert policy_of(tmp_path)["data"]["released"] == "發布 2026.csv"
    assert wrote(app).h1.startswith("Written")
    assert (tmp_path / "發布 2026.csv").exists()


def test_settings_that_no_page_sends_are_refused(started):
    app = started()
    assert send(app, "/settings", form="xlsx").status == 400
    assert send(app, "/settings", order="sorted").status == 400
    assert app.post("/release/write", revision="0.0").status == 409


def test_the_record_says_what_the_page_says(started, tmp_path):
    page = wrote(started())
    record = json.loads((tmp_path / "record.json").read_text("utf-8"))
    (digest,) = [one["sha256"] for one in record["record"]["tables"] if one["role"] == "release"]
    assert digest == digests(tmp_path, "released.csv")["released.csv"]
    assert digest in page["record"].parent.text
    signed = (tmp_path / "approval.html").read_text("utf-8")
    assert all(word in signed for word in ("Prepared", "Reviewed", "Approved", "Premise"))
    assert digest[:8] in signed
    assert petworks("verify", "record.json", cwd=tmp_path).returncode == 0


def test_rows_and_columns_are_those_of_the_original(started, tmp_path):
    wrote(started())
    lines = (tmp_path / "released.csv").read_text("utf-8").splitlines()
    assert lines[0] == ",".join(COLUMNS)
    assert len(lines) == len(people()) + 1
    assert {line.split(",")[0] for line in lines[1:]} == {"*"}


def test_a_chosen_candidate_is_what_is_written(tmp_path):
    with inside(tmp_path, project(tmp_path, PINS)) as app:
        end = time.monotonic() + 30
        while "data-poll" in (page := app.get("/compare"))["compared"].attributes and time.monotonic() < end:
            time.sleep(0.02)
        app.post("/compare/2/choose", revision=page.revision)
        wrote(app)
    record = json.loads((tmp_path / "record.json").read_text("utf-8"))
    assert record["making"]["levels"] == {"age": 1, "sex": 1}


def test_old_files_are_numbered(tmp_path):
    target = tmp_path / "released.csv.gz"
    assert keep_old(target) == ""
    for number in (1, 2):
        target.write_text(str(number))
        assert keep_old(target) == f"released.{number}.csv.gz"
    assert next_name(target) == "released.3.csv.gz"
    assert numbered(target, "x").name == "released.x.csv.gz"
    assert (move_aside(target), target.exists()) == ("released.rejected.csv.gz", False)
    target.write_text("again")
    assert move_aside(target) == "released.rejected-2.csv.gz"


def test_nothing_that_runs_is_started_twice(started, tmp_path):
    app = started()
    page = settled(app)
    for _ in range(3):
        app.post("/release/write", revision=app.get("/release").revision)
    assert settled(app).h1.startswith("Written")
    assert page.h1 == "released.csv can be written"
    assert len(list(tmp_path.glob("released*.csv"))) <= 3


def test_local_recoding_gives_the_same_bytes(started, tmp_path, tmp_path_factory):
    page = wrote(started('recoding = "local"\n'))
    told = "The requirements hold, 1 premise does not: the other columns single out few."
    assert page.h1 == told  # of local recoding, club singles people out
    markup = page.text
    assert '<section class="answer fails">' in markup
    assert markup.index('class="requirement premise fails"') < markup.index('id="measured"')
    other = elsewhere(tmp_path, tmp_path_factory)
    assert digests(other, "released.csv", "record.json") == digests(tmp_path, "released.csv", "record.json")


def test_names_of_columns_are_escaped(tmp_path):
    hostile = "<img src=x onerror=alert(1)>"
    path = project(tmp_path, LEVELS)
    for file in (tmp_path / "people.csv", path):
        text = file.read_text("utf-8")
        text = text.replace("disease,club", f"disease,{hostile}").replace('["club"]', f'["{hostile}"]')
        file.write_text(text, encoding="utf-8")
    with inside(tmp_path, path) as app:
        page = wrote(app)
        assert page.markup.all("img") == []
        assert hostile in page["if-known"].parent.text
        assert hostile in app.get("/release")["released"].text


def test_what_failed_after_the_release_was_written_is_told_so(started, tmp_path, monkeypatch):
    """Its file is another one by then: nobody may read that what was there before is there still."""
    from PETWorks.app.screens.release import after

    def fail(path, *_, **__):
        raise OutputError("cannot be written: No space left on device", where=path.name)

    (tmp_path / "released.csv").write_text("mine\n")
    app = started()
    app.get("/release")
    with monkeypatch.context() as patch:
        patch.setattr(after, "write_whole", fail)
        send(app, "/write", confirmed="1")
        page = settled(app)
    assert "No space left on device" in page.text
    assert "The release itself was written before this failed" in page["released"].text
    assert "What was there before is there still" not in page.text
    assert (tmp_path / "released.1.csv").read_text() == "mine\n"
    assert (tmp_path / "released.csv").read_text() != "mine\n"


def test_the_page_to_sign_is_a_draft_until_the_release_is_written(started, tmp_path):
    app = started()
    assert "DRAFT" in app.get("/release/approval").text
    page = send(
        app, "/signoff", **{"setting-agency": "衛生局", "setting-from": "2027-01-01", "setting-until": "2026-01-01"}
    )
    assert "until, 2026-01-01, is before from, 2027-01-01" in page.text
    assert "signoff" not in (tmp_path / "policy.toml").read_text("utf-8")
    send(app, "/signoff", **{"setting-agency": "衛生局", "setting-until": "2028-01-01"})
    assert '[signoff]\nagency = "衛生局"\nuntil = "2028-01-01"' in (tmp_path / "policy.toml").read_text("utf-8")
    draft = app.get("/release/approval").text
    assert ("衛生局" in draft, "SHA-256" in draft.partition("<main")[2]) == (True, False)
    wrote(app)
    assert app.get("/release/approval").text == (tmp_path / "approval.html").read_text("utf-8")
    assert "approval.html" in settled(app)["files"].parent.text


def test_a_file_that_may_be_handed_over_can_be_downloaded_and_no_other(started, tmp_path):
    app = started()
    page = wrote(app)
    answer = app.get("/release/files/released.csv")
    assert answer.body == (tmp_path / "released.csv").read_bytes()
    assert answer.headers["content-disposition"] == "attachment; filename*=UTF-8''released.csv"
    assert str(tmp_path) in page["files"].parent.text
    for name in ("people.csv", "record.json", "policy.toml", "..%2Fpeople.csv", "nothing.csv"):
        assert app.get(f"/release/files/{name}").status == 404


def test_a_column_whose_cells_all_become_the_marker_is_told(started):
    page = settled(started(LEVELS.replace("sex = 0", "sex = 1")))
    assert "every cell becomes *" in page["how"].text
