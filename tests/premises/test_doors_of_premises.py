"""Every premise, in every door and format, in both languages: told, never below a tick, with the exit code."""

import json
from dataclasses import replace
from importlib.resources import files
from xml.etree import ElementTree as ET

import pytest

import PETWorks as pw
from PETWorks.premises.accept import PREMISES
from premises.scenes import K5, REASON, SCENES, Scene, write_scene
from support.output import words
from support.process import petworks

LANGUAGES = {"en": "does not hold", "zh_TW": "不成立"}
SCHEMAS = {"internal": "evaluation", "public": "public"}


def title_of(name, language):
    return words(language).command[f"premise_title_{name}"]


def squeeze(text):
    return " ".join(text.split())


@pytest.fixture(scope="module", params=SCENES)
def scene(request, tmp_path_factory):
    """Write the project in which one premise fails, and the same one with an acceptance."""
    folders = {}
    for kind in ("open", "accepted"):
        folders[kind] = tmp_path_factory.mktemp(request.param)
        write_scene(folders[kind], SCENES[request.param], accepted=kind == "accepted")
    return request.param, folders["open"], folders["accepted"]


def test_nothing_fails_in_the_scene_without_a_change(tmp_path):
    evaluation = pw.Policy(write_scene(tmp_path, Scene())).check()
    assert evaluation.holds
    assert {str(one.verdict) for one in evaluation.premises} == {"holds"}
    told = squeeze(petworks("check", "policy.toml", cwd=tmp_path).stdout)
    assert "All 2 requirements hold." in told
    assert "premise" not in told


def test_python(scene):
    name, folder, accepted = scene
    evaluation = pw.Policy(folder / "policy.toml").check()
    assert [one.name for one in evaluation.premises.failing] == [name]
    assert (evaluation.holds, evaluation.requirements_hold) == (False, True)
    assert str(evaluation).startswith("The requirement")
    assert "ok" not in str(evaluation)[: str(evaluation).index(title_of(name, "en"))].split()
    stands = pw.Policy(accepted / "policy.toml").check()
    assert stands.holds
    assert stands.premises[name].verdict == "accepted"
    assert stands.premises[name].why == REASON


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("audience", ["internal", "public"])
def test_text(scene, audience, language):
    name, folder, accepted = scene
    asked = ("check", "policy.toml", "--lang", language, "--audience", audience)
    run = petworks(*asked, cwd=folder)
    assert (run.returncode, run.stderr) == (1, "")
    first = {"en": "The requirements hold, 1 premise does not:", "zh_TW": "要求皆滿足，但有 1 項前提不成立："}[language]
    told = squeeze(run.stdout)
    assert told.startswith(first)
    place = told.index(f"{LANGUAGES[language]} {title_of(name, language)}")
    ticks = [at for at in (told.find(" ok "), told.find(" 滿足 ")) if at >= 0]
    assert all(place < at for at in ticks)
    if language == "en" and audience == "internal":
        assert SCENES[name].told in told
    run = petworks(*asked, cwd=accepted)
    assert (run.returncode, run.stderr) == (0, "")
    told = squeeze(run.stdout)
    assert REASON in told
    assert told.index(title_of(name, language)) < told.index("released.csv")
    assert words(language).command["premise_fails"] not in told


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("audience", ["internal", "public"])
def test_markdown(scene, audience, language):
    name, folder, accepted = scene
    asked = ("check", "policy.toml", "--format", "markdown", "--lang", language, "--audience", audience)
    run = petworks(*asked, cwd=folder)
    assert run.returncode == 1
    tick = run.stdout.index(f"**{words(language).command['holds']}**")
    assert run.stdout.index(f"- **{LANGUAGES[language]}** {title_of(name, language)}") < tick
    run = petworks(*asked, cwd=accepted)
    assert run.returncode == 0
    assert f"- **{words(language).command['premise_accepted']}** {title_of(name, language)}" in run.stdout
    assert REASON in run.stdout


@pytest.mark.parametrize("audience", ["internal", "public"])
def test_junit(scene, audience):
    name, folder, accepted = scene
    asked = ("check", "policy.toml", "--format", "junit", "--audience", audience)
    run = petworks(*asked, cwd=folder)
    assert run.returncode == 1
    suites = ET.fromstring(run.stdout)  # noqa: S314 (our own)
    suite = suites[0]
    assert suite.get("name") == "premises"
    cases = {case.get("name"): [one.tag for one in case] for case in suite.iter("testcase")}
    assert set(cases) == set(PREMISES)
    assert {one for one, tags in cases.items() if "failure" in tags} == {name}
    assert int(suites.get("failures")) == 1
    run = petworks(*asked, cwd=accepted)
    assert run.returncode == 0
    suites = ET.fromstring(run.stdout)  # noqa: S314 (our own)
    case = next(one for one in suites[0].iter("testcase") if one.get("name") == name)
    assert [one.tag for one in case] == ["system-out"]
    assert REASON in case[0].text
    assert suites.get("failures") == "0"


@pytest.mark.parametrize("audience", ["internal", "public"])
def test_json(scene, audience):
    jsonschema = pytest.importorskip("jsonschema")
    name, folder, accepted = scene
    for place, verdict in ((folder, "does not hold"), (accepted, "accepted")):
        run = petworks("check", "policy.toml", "--format", "json", "--audience", audience, cwd=place)
        document = json.loads(run.stdout)
        jsonschema.validate(document, pw_schema(SCHEMAS[audience]))
        assert document["holds"] is (verdict == "accepted") is (run.returncode == 0)
        by_name = {one["premise"]: one for one in document["premises"]}
        assert (set(by_name), by_name[name]["verdict"]) == (set(PREMISES), verdict)
        assert by_name[name]["why"] == (REASON if verdict == "accepted" else "")
        keys = list(document)
        assert keys.index("premises") < keys.index("requirements")


def pw_schema(name):
    return json.loads(files(pw).joinpath("render", f"{name}.schema.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("audience", ["internal", "public"])
def test_page(scene, audience):
    name, folder, accepted = scene
    asked = ("check", "policy.toml", "--format", "html", "--audience", audience)
    page = petworks(*asked, cwd=folder).stdout
    assert '<section class="answer fails">' in page
    body = page[page.index("<main") :]
    at = body.index('class="requirement premise fails"')
    assert at < body.index('class="badge holds"')
    assert 'href="#holds"' not in body[:at]
    for language in LANGUAGES:
        assert title_of(name, language) in body[at:]
    page = petworks(*asked, cwd=accepted).stdout
    assert '<section class="answer accepted">' in page
    assert page.index('class="requirement premise accepted"') < page.index('class="requirement holds"')
    assert REASON in page


def test_compare(scene):
    name, folder, accepted = scene
    (folder / "twin.csv").write_bytes((folder / "released.csv").read_bytes())
    (accepted / "twin.csv").write_bytes((accepted / "released.csv").read_bytes())
    for form in ("text", "markdown", "json", "html"):
        asked = ("compare", "released.csv", "twin.csv", "--policy", "policy.toml", "--format", form)
        run = petworks(*asked, cwd=folder)
        assert run.returncode == 1, run.stderr
        told = squeeze(run.stdout)  # columns of text are wrapped side by side
        assert all(word in told for word in (name if form == "json" else title_of(name, "en")).split())
        run = petworks(*asked, cwd=accepted)
        assert run.returncode == 0, run.stderr
        assert all(word in run.stdout for word in REASON.split())


def test_anonymize_and_verify(scene, tmp_path):
    name, _, _ = scene
    for accepted in (False, True):
        folder = tmp_path / str(accepted)
        folder.mkdir()
        write_scene(folder, SCENES[name], accepted=accepted)
        (folder / "released.csv").unlink()
        run = petworks("anonymize", "policy.toml", "--record", "record.json", cwd=folder)
        fails = SCENES[name].made and not accepted
        assert run.returncode == int(fails), run.stderr + run.stdout
        assert (folder / "released.csv").exists()
        if fails:
            told = squeeze(run.stdout)
            assert told.index(title_of(name, "en")) < told.index("released.csv")
        verified = petworks("verify", "record.json", cwd=folder)
        assert verified.returncode == 0, verified.stdout + verified.stderr
        record = json.loads((folder / "record.json").read_text(encoding="utf-8"))
        assert (record["record"]["accepted"] is not None) is (accepted or bool("[[accept]]" in SCENES[name].more))
        if accepted:
            record["record"]["accepted"] = "0" * 64
            (folder / "record.json").write_text(json.dumps(record), encoding="utf-8")
            assert petworks("verify", "record.json", cwd=folder).returncode == 1


def test_a_check_report_is_verified_with_its_premises(scene):
    name, folder, _ = scene
    petworks("check", "policy.toml", "--format", "json", "-o", "report.json", cwd=folder)
    assert petworks("verify", "report.json", cwd=folder).returncode == 0
    document = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    next(one for one in document["premises"] if one["premise"] == name)["verdict"] = "holds"
    (folder / "report.json").write_text(json.dumps(document), encoding="utf-8")
    run = petworks("verify", "report.json", cwd=folder)
    assert run.returncode == 1
    assert "premises" in run.stdout


def test_evaluate_tells_them_beside_the_answer(tmp_path):
    write_scene(tmp_path, SCENES["contents"])
    run = petworks("evaluate", "released.csv", "-q", "sex", "-m", "k-anonymity", cwd=tmp_path)
    assert run.returncode == 0
    assert title_of("contents", "en") in squeeze(run.stderr)
    evaluation = pw.Release(tmp_path / "released.csv", quasi_identifiers=["sex"]).evaluate(pw.KAnonymity(k=2))
    assert evaluation.holds
    assert not evaluation.premises["contents"].holds


def test_what_is_not_checked_stands_beside_the_tick(tmp_path):
    path = write_scene(tmp_path, Scene())
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('original = "original.csv"\n', "").split("[anonymize]")[0], encoding="utf-8")
    for form, holds in (("text", "All 2 requirements hold."), ("markdown", "All 2 requirements hold."), ("html", "")):
        run = petworks("check", "policy.toml", "--format", form, cwd=tmp_path)
        assert run.returncode == 0
        told = squeeze(run.stdout)
        assert holds in told
        assert "there is no original to compare with" in told
    assert "All 2 requirements hold. 1 premise was not checked: the release is not its original" in squeeze(
        petworks("check", "policy.toml", cwd=tmp_path).stdout
    )


def test_a_failing_premise_is_told_whatever_else_happens(tmp_path):
    """Also where a requirement fails, or could not be evaluated."""
    path = write_scene(tmp_path, SCENES["contents"])
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("k = 5", "k = 50"), encoding="utf-8")
    run = petworks("check", "policy.toml", cwd=tmp_path)
    assert run.returncode == 1
    assert (
        "1 of 2 requirements does not hold. 1 premise does not hold either: no direct identifier in a cell."
        in squeeze(run.stdout)
    )
    population = '[[require]]\nmeasure = "k-map"\nk = 5\n'
    path.write_text(text.replace(K5, K5 + population), encoding="utf-8")
    run = petworks("check", "policy.toml", cwd=tmp_path)
    assert run.returncode == 2  # the policy is to be mended first
    assert title_of("contents", "en") in run.stdout


def test_an_acceptance_covers_its_kinds_and_its_count(tmp_path):
    path = write_scene(tmp_path, SCENES["contents"], accepted=True)
    text = path.read_text(encoding="utf-8")
    for old, new in (("at_most = 8", "at_most = 7"), ('"mobile"', '"landline"')):
        path.write_text(text.replace(old, new), encoding="utf-8")
        assert petworks("check", "policy.toml", cwd=tmp_path).returncode == 1
    for old, new, told in (
        ('"note"', '"nothing"', 'names the column "nothing"'),
        (REASON, " ", "gives no reason"),
        (REASON, "fill in", "fill in"),
        ("at_most = 8", "at_least = 8", 'unknown key "at_least"'),
    ):
        path.write_text(text.replace(old, new), encoding="utf-8")
        run = petworks("check", "policy.toml", cwd=tmp_path)
        assert run.returncode == 2, new
        assert told in run.stderr or new == " ", run.stderr


def test_check_prints_the_lines_that_accept(scene, tmp_path):
    """With a reason in place of "fill in", they make the policy hold."""
    name, folder, _ = scene
    run = petworks("check", "policy.toml", "--premises", cwd=folder)
    assert run.returncode == 1
    assert run.stdout.startswith("[[accept]]")
    assert run.stdout.count('why = "fill in"') == run.stdout.count("[[accept]]")
    write_scene(tmp_path, SCENES[name])
    path = tmp_path / "policy.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text + run.stdout, encoding="utf-8")
    run_blank = petworks("check", "policy.toml", cwd=tmp_path)
    assert (run_blank.returncode, 'is still "fill in"' in run_blank.stderr) == (2, True)
    path.write_text(text + run.stdout.replace("fill in", REASON), encoding="utf-8")
    assert petworks("check", "policy.toml", cwd=tmp_path).returncode == 0


def test_identifiers_of_the_original_cannot_be_accepted(tmp_path):
    scene = replace(SCENES["identifiers"], original=SCENES["identifiers"].released)
    write_scene(tmp_path, scene, accepted=True)
    assert petworks("check", "policy.toml", cwd=tmp_path).returncode == 1
    run = petworks("check", "policy.toml", "--premises", cwd=tmp_path)
    assert (run.returncode, run.stdout) == (1, "")
    assert "Nobody can accept identifiers of the original: mask or drop name." in squeeze(run.stderr)


def test_rows_are_written_where_they_are_asked_for(tmp_path):
    write_scene(tmp_path, SCENES["contents"])
    assert petworks("check", "policy.toml", "--premise-rows", "rows.csv", cwd=tmp_path).returncode == 1
    lines = (tmp_path / "rows.csv").read_text(encoding="utf-8").splitlines()
    assert lines == ["premise,column,row", *(f'contents,"note",{row}' for row in range(1, 9))]
