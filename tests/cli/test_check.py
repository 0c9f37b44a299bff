"""``petworks check``: exit codes, the answer, the reports."""

import gzip
import hashlib
import json
import re
import shutil
from pathlib import Path
from unittest.mock import patch
from xml.etree import ElementTree as ET

import pytest

from PETWorks.cli.output import write_whole
from PETWorks.errors import OutputError
from support.process import POLICY, five_people, petworks


def test_all_hold(tmp_path):
    five_people(tmp_path)
    run = petworks("check", "policy.toml", cwd=tmp_path)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.splitlines()[0].startswith("released.csv  5 rows, 0 suppressed (0%), 2 classes")
    assert run.stdout.splitlines()[-1] == "All 3 requirements hold."


def test_something_does_not_hold(tmp_path):
    five_people(tmp_path, POLICY.replace("k = 2", "k = 3"))
    run = petworks("check", "policy.toml", cwd=tmp_path)
    assert (run.returncode, run.stderr) == (1, "")
    assert "FAIL  k-anonymity" in run.stdout
    assert run.stdout.splitlines()[-1] == "  Why: petworks explain policy.toml k-anonymity"


def test_one_requirement_cannot_be_asked(tmp_path):
    """The other requirements are still judged, and the problem is reported without values of the table."""
    five_people(tmp_path)
    table = tmp_path / "released.csv"
    table.write_text(table.read_text().replace("197*", "Narnia", 1))
    run = petworks("check", "policy.toml", cwd=tmp_path)
    assert run.returncode == 2
    assert "FAIL  k-anonymity" in run.stdout
    assert "1 value is not in the hierarchy" in " ".join(run.stdout.split())
    assert 'unknown_values = "generalised"' in " ".join(run.stderr.split())
    assert "Narnia" not in run.stdout + run.stderr


def test_a_measure_that_lacks_its_table_cannot_be_asked(tmp_path):
    five_people(tmp_path, POLICY + '[[require]]\nmeasure = "k-map"\nk = 2\n')
    run = petworks("check", "policy.toml", cwd=tmp_path)
    assert run.returncode == 2
    assert "needs population in [data]" in run.stdout
    assert run.stdout.count("ok  ") == 3


def test_how_far_a_column_was_generalised_is_not_known(tmp_path):
    """Without an original and hierarchies, decades may be ages as they were."""
    (tmp_path / "released.csv").write_text("age;sex\n" + "20-29;f\n" * 9 + "*;m\n")
    required = '[[require]]\nmeasure = "Precision"\nat_least = 0.9\n'
    roles = '[roles]\nquasi_identifiers = ["age", "sex"]\n'
    (tmp_path / "policy.toml").write_text(f'version = 1\n[data]\nreleased = "released.csv"\n{roles}{required}')
    run = petworks("check", "policy.toml", cwd=tmp_path)
    assert run.returncode == 2
    assert "needs original in [data], or hierarchies of age, sex" in " ".join(run.stdout.split())
    assert "0.9" not in run.stdout


def test_a_table_that_cannot_be_read_is_told_once(tmp_path):
    five_people(tmp_path)
    (tmp_path / "released.csv").write_text("year;place;disease\n197*;Germany\n")
    run = petworks("check", "policy.toml", cwd=tmp_path)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.startswith("error: released.csv, line 2: the record has 2 cells, but the header has 3 columns\n")


def test_all_problems_are_told_also_those_of_the_rows(tmp_path):
    five_people(tmp_path, POLICY.replace("t-closeness", "t-closness"))
    table = tmp_path / "released.csv"
    table.write_text(table.read_text().replace("197*", "Narnia"))
    run = petworks("check", "policy.toml", cwd=tmp_path)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr == (
        "error: 2 problems, nothing was judged\n"
        '  policy.toml, [[require]] 2: unknown measure "t-closness"\n'
        '    did you mean "t-closeness"?\n'
        "  released.csv, year: 1 value is not in the hierarchy\n"
        "    --show-small-classes shows these values\n"
        "    correct a_hierarchy_year.csv, or count such cells as fully generalised:\n"
        '    unknown_values = "generalised"\n'
    )
    shown = petworks("check", "policy.toml", "--show-small-classes", cwd=tmp_path)
    assert '    "Narnia" (row 1)\n' in shown.stderr


REPORT = '[report]\nlanguage = "zh_TW"\nhtml = "r.html"\njunit = "r.xml"\nmarkdown = "r.md"\njson = "r.json"\n'


@pytest.mark.parametrize(("k", "code"), [(2, 0), (5, 1)])
def test_reports_are_written_whether_all_holds_or_not(tmp_path, k, code):
    five_people(tmp_path, POLICY.replace("k = 2", f"k = {k}") + REPORT)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    run = petworks("check", "../policy.toml", cwd=elsewhere)
    assert run.returncode == code
    assert "滿足" in run.stdout
    assert run.stdout.encode("cp950")
    assert run.stderr == "".join(f"已寫入 ../r.{end}\n" for end in ("html", "xml", "md", "json"))
    assert json.loads((tmp_path / "r.json").read_text())["holds"] is (code == 0)
    suite = ET.parse(tmp_path / "r.xml").getroot()  # noqa: S314 (our own)
    assert (suite.get("tests"), suite.get("failures")) == ("14", str(code))
    assert "滿足" in (tmp_path / "r.md").read_text()
    page = (tmp_path / "r.html").read_text()
    assert "petworks check policy.toml" in page
    assert str(tmp_path) not in page


def test_language_option_beats_policy_beats_environment(tmp_path):
    five_people(tmp_path, POLICY)
    env = {"PETWORKS_LANG": "zh-TW"}
    assert "滿足" in petworks("check", "policy.toml", cwd=tmp_path, env=env).stdout
    assert "All 3" in petworks("check", "policy.toml", "--lang", "en", cwd=tmp_path, env=env).stdout
    five_people(tmp_path, POLICY + '[report]\nlanguage = "en"\n')
    assert "All 3" in petworks("check", "policy.toml", cwd=tmp_path, env=env).stdout
    bad = petworks("measures", env={"PETWORKS_LANG": "fr"})
    assert (bad.returncode, bad.stderr) == (2, "error: PETWORKS_LANG: unknown language 'fr'; known: en, zh_TW\n")


@pytest.mark.parametrize("form", ["json", "html", "markdown", "junit", "text"])
def test_formats_go_to_a_file_or_are_printed(tmp_path, form):
    five_people(tmp_path)
    printed = petworks("check", "policy.toml", "--format", form, cwd=tmp_path)
    written = petworks("check", "policy.toml", "--format", form, "-o", "out", cwd=tmp_path)
    dashed = petworks("check", "policy.toml", "--format", form, "-o", "-", cwd=tmp_path)
    assert [run.returncode for run in (printed, written, dashed)] == [0, 0, 0]
    assert (written.stdout, written.stderr) == ("", "Wrote out\n")

    def timeless(text: str) -> str:
        text = re.sub(r',\s+"secret": "[0-9a-f]{64}"', "", text)  # only a file is a record
        text = re.sub(r"\d{4}-\d\d-\d\dT[\d:.+-]+", "", text)
        return re.sub(r"check policy.toml .*?(-o (out|-))?</", "", text).strip()

    assert timeless((tmp_path / "out").read_text()) == timeless(printed.stdout) == timeless(dashed.stdout)


@pytest.mark.parametrize(
    ("name", "start"), [("o.html", "<!DOCTYPE"), ("o.json", "{"), ("o.md", "**"), ("o.xml", "<?xml")]
)
def test_format_by_the_name_of_the_file(tmp_path, name, start):
    five_people(tmp_path)
    assert petworks("check", "policy.toml", "-o", name, cwd=tmp_path).returncode == 0
    assert (tmp_path / name).read_text().startswith(start)


@pytest.mark.parametrize("name", ["policy.toml", "released.csv", "./original.csv"])
def test_what_is_read_is_not_overwritten(tmp_path, name):
    five_people(tmp_path)
    before = (tmp_path / name).read_bytes()
    run = petworks("check", "policy.toml", "-o", name, cwd=tmp_path)
    assert run.returncode == 2
    problem, hint = "this file is an input, and would be overwritten", "choose another name for the output"
    assert run.stderr == f"error: {name}: {problem}\n  {hint}\n"
    assert (tmp_path / name).read_bytes() == before


def test_a_report_that_cannot_be_written_keeps_neither_the_answer_nor_the_others(tmp_path):
    five_people(tmp_path, POLICY + '[report]\nhtml = "r.html"\njunit = "r.xml"\n')
    full = OutputError("cannot be written: No space left on device", where="r.html")
    with patch("PETWorks.cli.output.write_whole", side_effect=lambda *told, **_: _unless_html(*told, full)):
        run = petworks("check", "policy.toml", cwd=tmp_path)
    assert run.returncode == 2
    assert run.stdout.endswith("All 3 requirements hold.\n")
    assert run.stderr == "error: r.html: cannot be written: No space left on device\nWrote r.xml\n"
    assert (tmp_path / "r.xml").exists()


def _unless_html(path, text, problem):
    if Path(path).suffix == ".html":
        raise problem
    write_whole(path, text)


@pytest.fixture
def adult(tmp_path, shared):
    """The policy as the storyboard prints it, with the tables that it names."""
    story = (shared / "report" / "storyboard.md").read_text(encoding="utf-8")
    (tmp_path / "policy.toml").write_text(re.search(r"```toml\n(.*?)```", story, re.DOTALL)[1], encoding="utf-8")
    released = gzip.decompress((shared / "golden" / "l3_occupation_qi6.csv.gz").read_bytes())
    (tmp_path / "adult_released.csv").write_bytes(released)
    shutil.copy(shared / "datasets/adult/adult.csv", tmp_path)
    shutil.copytree(shared / "datasets/adult/adult_hierarchy", tmp_path / "adult_hierarchy")
    return tmp_path


def test_the_policy_of_the_storyboard_works_as_printed(adult):
    run = petworks("check", "policy.toml", "--lang", "en", cwd=adult)
    assert run.returncode == 1
    for line in [
        "adult_released.csv  30,162 rows, 1,224 suppressed (4.1%), 504 classes",
        "FAIL  k-anonymity                     3  at least 5    107 classes, 380 people",
        "FAIL  t-closeness, occupation    0.7310  at most 0.4   203 classes, 2,778 people",
        "ok    re-identification (mean)  0.01742  at most 0.05",
        "ok    profitability                 yes  required",
        "ok    Precision                  0.7462  at least 0.6",
        "2 of 5 requirements do not hold.",
        "  Suppressing the 229 failing classes (2,867 people, 9.5%) would make all hold;",
        "  Precision would fall from 0.7462 to 0.6723.",
        "  Why: petworks explain policy.toml t-closeness",
    ]:
        assert f"{line}\n" in run.stdout
    assert "(data release rule 7)" in run.stdout
    assert (adult / "report.html").stat().st_size < 300_000
    assert ET.parse(adult / "petworks.xml")  # noqa: S314
    why = run.stdout.splitlines()[-1].partition("petworks ")[2].split()
    explained = petworks(*why, "--lang", "en", cwd=adult)
    assert explained.returncode == 0
    assert explained.stdout.startswith("t-closeness, occupation: 0.7310, at most 0.4: does not hold\n  1. Grouped")


def test_the_policy_of_the_storyboard_answers_in_its_language(adult):
    run = petworks("check", "policy.toml", cwd=adult)
    assert run.returncode == 1
    assert "不滿足  t-相似性，occupation     0.7310  至多 0.4    203 個等價類，2,778 人\n" in run.stdout
    assert "5 項要求中，有 2 項不滿足。\n" in run.stdout
    assert run.stdout.endswith("  原因：petworks explain policy.toml t-closeness --lang zh_TW\n")


def test_the_digest_keeps_other_files_out(adult):
    policy = adult / "policy.toml"
    text = policy.read_text(encoding="utf-8")
    begins = re.search(r'# sha256.released = "(\w+)…"', text)
    digest = hashlib.sha256((adult / "adult_released.csv").read_bytes()).hexdigest()
    assert digest.startswith(begins[1])
    policy.write_text(text.replace(begins[0], f'sha256.released = "{digest}"'), encoding="utf-8")
    assert petworks("check", "policy.toml", cwd=adult).returncode == 1
    with (adult / "adult_released.csv").open("a") as file:
        file.write("\n")
    run = petworks("check", "policy.toml", cwd=adult)
    assert run.returncode == 2
    assert "adult_released.csv: this is not the released table that the policy names" in run.stderr
