"""``petworks demo``: one release, in a folder for the user to continue with."""

import pytest

from PETWorks.demo import LEVELS, write_folder
from support.output import display_width
from support.process import petworks


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("en", ["Wrote", "2 of 6 requirements do not hold.", "open it in a browser"]),
        ("zh_TW", ["已寫入", "6 項要求中，有 2 項不滿足。", "請以瀏覽器開啟"]),
    ],
)
def test_demo(language, expected, tmp_path):
    run = petworks("demo", "--lang", language, cwd=tmp_path)
    assert (run.returncode, run.stderr) == (0, "")
    assert all(word in run.stdout for word in expected)
    assert len(run.stdout.splitlines()) == 5  # one release, and what to do next with it
    assert run.stdout.encode("cp950")
    assert max(map(display_width, run.stdout.splitlines())) <= 80
    folder = tmp_path / "petworks-demo"
    assert "<html" in (folder / "report.html").read_text(encoding="utf-8")
    explain, make = (line.partition("petworks ")[2].split() for line in run.stdout.splitlines()[3:])
    explained = petworks(*explain, cwd=tmp_path)
    assert (explained.returncode, explained.stderr) == (0, "")
    assert make[:2] == ["anonymize", "petworks-demo/policy.toml"]


def test_a_release_that_holds_is_made_by_the_same_policy(tmp_path):
    petworks("demo", cwd=tmp_path)
    assert petworks("check", "petworks-demo/policy.toml", cwd=tmp_path).returncode == 1
    run = petworks("anonymize", "petworks-demo/policy.toml", cwd=tmp_path)
    assert run.returncode == 0
    assert run.stderr == (
        "Wrote petworks-demo/adult_released.csv\n"
        'recoding = "local" would keep at least 0.94\n'
        "Wrote petworks-demo/report.html\n"
    )
    assert "proven the best of 320 level vectors" in run.stdout
    checked = petworks("check", "petworks-demo/policy.toml", cwd=tmp_path)
    assert checked.returncode == 0
    assert "All 6 requirements hold." in checked.stdout
    assert petworks("demo", cwd=tmp_path).returncode == 0  # restores the release that fails
    assert petworks("check", "petworks-demo/policy.toml", cwd=tmp_path).returncode == 1


def test_the_release_is_judged_as_told(tmp_path):
    folder = tmp_path / "a folder"
    write_folder(folder, "en")
    run = petworks("check", "a folder/policy.toml", cwd=tmp_path)
    assert run.returncode == 1
    assert "adult_released.csv  30,162 rows, 1,969 suppressed (6.5%), 615 classes\n" in run.stdout
    assert "FAIL  k-anonymity                     3  at least 5    146 classes, 511 people\n" in run.stdout
    assert "  Precision would fall from 0.7530 to 0.6545.\n" in run.stdout
    assert run.stdout.endswith("  Why: petworks explain 'a folder/policy.toml' t-closeness\n")


def test_it_may_be_repeated_and_is_the_same(tmp_path):
    folder = tmp_path / "demo"
    write_folder(folder, "zh_TW")
    before = {path: path.read_bytes() for path in folder.rglob("*.csv")}
    write_folder(folder, "en")
    assert {path: path.read_bytes() for path in folder.rglob("*.csv")} == before
    assert len(before) == 2 + 9
    assert set(LEVELS) < {path.stem.rpartition("_")[2] for path in before}


@pytest.mark.parametrize("what", ["a file", "files of others", "a policy of others", "a policy that was changed"])
def test_what_others_made_is_left_alone(tmp_path, what):
    folder = tmp_path / "mine"
    if what == "a file":
        folder.write_text("mine")
    elif what == "a policy that was changed":
        write_folder(folder, "en")
        with (folder / "policy.toml").open("a") as file:
            file.write("# mine\n")
    else:
        folder.mkdir()
        (folder / ("policy.toml" if "policy" in what else "data.csv")).write_text("mine")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    run = petworks("demo", "mine", cwd=tmp_path)
    assert (run.returncode, run.stdout) == (2, "")
    others = "this folder has files that the demonstration did not write", "name another folder: petworks demo FOLDER"
    a_file = "this is a file, not a folder", "name a folder: petworks demo FOLDER"
    problem, hint = others if folder.is_dir() else a_file
    assert run.stderr == f"error: mine: {problem}\n  {hint}\n"
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
