"""`petworks attack`: who finds whom, in plain words, in both languages, and what would stop it at which price."""

import json

import pytest

import PETWorks as pw
from premises.scenes import SCENES, Scene, write_scene
from support.process import petworks


def squeeze(text):
    return " ".join(text.split())


def test_nobody_is_found(tmp_path):
    write_scene(tmp_path, Scene())
    run = petworks("attack", "policy.toml", cwd=tmp_path)
    assert (run.returncode, run.stderr) == (0, "")
    assert "None of those tried finds anybody." in run.stdout
    assert "nobody can be found" not in run.stdout.casefold()
    assert "Not tried: Whoever has earlier releases (not given)" in squeeze(run.stdout)


@pytest.mark.parametrize(("language", "told"), [("en", "knows ward and nothing else finds 3 of 40"), ("zh_TW", "3 人")])
def test_who_knows_a_column_and_what_would_help(tmp_path, language, told):
    write_scene(tmp_path, SCENES["adversaries"])
    run = petworks("attack", "policy.toml", "--lang", language, cwd=tmp_path)
    assert run.returncode == 1  # the policy judges the neighbour, who may find nobody
    assert told in squeeze(run.stdout)
    if language == "en":
        assert "Without ward, 0 would be found; that loses 25.0% of the detail" in squeeze(run.stdout)
        assert "At most 0 may be found: does not hold." in squeeze(run.stdout)
        assert squeeze(petworks("attack", "policy.toml", "--no-remedies", cwd=tmp_path).stdout).count("Without") == 0


def test_who_reads_the_cells(tmp_path):
    write_scene(tmp_path, SCENES["contents"])
    run = petworks("attack", "released.csv", "--policy", "policy.toml", cwd=tmp_path)
    assert run.returncode == 0
    assert "Whoever reads the cells finds 8 of 40 people" in squeeze(run.stdout)
    by_options = petworks("attack", "released.csv", "-q", "sex", "-q", "age", "-s", "diag", cwd=tmp_path)
    assert "Whoever reads the cells finds 8 of 40 people" in squeeze(by_options.stdout)


def test_the_document_has_what_python_says(tmp_path):
    path = write_scene(tmp_path, SCENES["adversaries"])
    policy = pw.Policy(path, purpose="check")
    tried = pw.attack(policy.release, policy.adversaries)
    document = json.loads(petworks("attack", "policy.toml", "--format", "json", cwd=tmp_path).stdout)
    assert document["results"] == json.loads(json.dumps([one.to_dict() for one in tried]))
    assert document["holds"] is tried.holds is False


@pytest.mark.parametrize("form", ["text", "json"])
def test_the_public_is_told_no_count_of_few(tmp_path, form):
    write_scene(tmp_path, SCENES["adversaries"])
    run = petworks("attack", "policy.toml", "--audience", "public", "--format", form, cwd=tmp_path)
    told = squeeze(run.stdout)
    assert "fewer than 5" in told
    assert " 3 " not in told
    assert "ward, 0 would" not in told
    assert '"remedy": {' not in told


def test_mistakes(tmp_path):
    write_scene(tmp_path, SCENES["adversaries"])
    run = petworks("attack", "released.csv", "--policy", "policy.toml", "-q", "sex", cwd=tmp_path)
    assert (run.returncode, "cannot be used with a policy" in run.stderr) == (2, True)
    run = petworks("attack", "nothing.csv", cwd=tmp_path)
    assert (run.returncode, "nothing.csv" in run.stderr) == (2, True)
