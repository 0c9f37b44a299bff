"""``petworks init``: a policy with suggested roles, their reasons, and what is left to decide."""

import sys
import tomllib
from io import StringIO
from unittest.mock import patch

import pytest

from PETWorks import Policy
from PETWorks.errors import PolicyError
from support import taiwan
from support.places import ROOT
from support.process import petworks, petworks_process

ADULT = ROOT / "data" / "adult.csv"
ALL = ["--insensitive", "workclass", "-m", "k-anonymity", "--k", "5"]


class Terminal(StringIO):
    """Standard input of somebody who types."""

    def isatty(self):
        return True


def typed(*lines, cwd, arguments=(ADULT,)):
    with patch.object(sys, "stdin", Terminal("".join(f"{line}\n" for line in lines))):
        return petworks("init", *arguments, cwd=cwd)


def read(path):
    return tomllib.loads(path.read_text("utf-8"))


@pytest.mark.parametrize("language", ["en", "zh_TW"])
def test_suggestions_are_written_with_reasons_and_questions_stay_open(tmp_path, language):
    done = petworks("init", ADULT, "--yes", "--lang", language, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "workclass" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    policy, text = read(tmp_path / "policy.toml"), (tmp_path / "policy.toml").read_text("utf-8")
    assert policy["roles"]["quasi_identifiers"][:2] == ["sex", "age"]
    assert policy["roles"]["sensitive"] == ["salary-class"]
    assert not any("workclass" in names for names in policy["roles"].values())
    assert '# "workclass": ' in text
    assert ("The name says age." if language == "en" else "欄位名稱與年齡有關。") in text
    assert policy["hierarchies"]["age"] == {"intervals": [5, 10, 20], "bottom": 0, "top": 100}
    assert "require" not in policy


def test_nothing_open_is_applied(tmp_path):
    petworks("init", ADULT, "--yes", cwd=tmp_path)
    with pytest.raises(PolicyError) as caught:
        Policy(tmp_path / "policy.toml", purpose="anonymize")
    told = [str(problem) for problem in caught.value.problems]
    assert len(told) == 2
    assert 'no role is given to "workclass"' in told[0]
    assert "there is no requirement" in told[1]


def test_from_a_table_to_a_checked_release_by_commands_alone(tmp_path):
    table = tmp_path / "people.csv"
    table.write_text("".join(ADULT.read_text("utf-8").splitlines(keepends=True)[:2001]), "utf-8")
    others = "native-country", "occupation", "education"
    arguments = [*ALL, *(text for name in others for text in ("--insensitive", name))]
    assert petworks("init", table, "--yes", *arguments, cwd=tmp_path).returncode == 0
    made = petworks("anonymize", "policy.toml", cwd=tmp_path)
    assert (made.returncode, "every sensitive column covered" in made.stdout) == (1, True)  # nobody has decided it yet
    asked = petworks("check", "policy.toml", "--premises", cwd=tmp_path)
    assert asked.returncode == 1
    policy = tmp_path / "policy.toml"
    policy.write_text(policy.read_text("utf-8") + asked.stdout.replace("fill in", "read by two people"), "utf-8")
    done = petworks("check", "policy.toml", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "report.html").exists()
    assert Policy(tmp_path / "policy.toml").check().holds


def test_a_template_gives_requirements_and_what_is_to_be_filled_in(tmp_path):
    done = petworks("init", ADULT, "--yes", "--template", "tw-research", "-m", "k-anonymity", "--k", "3", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert [one["measure"] for one in read(tmp_path / "policy.toml")["require"]] == ["k-anonymity", "context risk"]
    assert "attempts.insider" in done.stdout
    assert 'is still "fill in"' in petworks("check", "policy.toml", cwd=tmp_path).stderr
    assert 'did you mean "cms-11"?' in petworks("init", ADULT, "--template", "cms11", "-o", "x", cwd=tmp_path).stderr


def test_every_column_is_asked_about(tmp_path):
    done = typed("2", "", "9", "3", *[""] * 6, "7", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    policy = read(tmp_path / "policy.toml")
    assert policy["roles"]["quasi_identifiers"][-2:] == ["workclass", "occupation"]
    assert policy["roles"]["sensitive"] == ["age", "salary-class"]
    assert "Please type one of: 0, 1, 2, 3, 4" in done.stderr
    assert policy["require"] == [{"measure": "k-anonymity", "k": 7}]
    assert "# Decided by you.\n" in (tmp_path / "policy.toml").read_text("utf-8")


def test_what_is_answered_later_stays_open(tmp_path):
    done = typed(*[""] * 9, "none", "", cwd=tmp_path)
    assert "Decide the role of: workclass" in done.stdout
    assert "until you group them:\neducation, native-country, occupation" in done.stdout
    assert "require" not in read(tmp_path / "policy.toml")


def test_the_input_ends_early(tmp_path):
    done = typed("2", cwd=tmp_path)
    assert done.returncode == 2
    assert "nothing was written" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_leaves_nothing(tmp_path):
    with patch("PETWorks.cli.init._read_answer", side_effect=KeyboardInterrupt):
        assert typed(cwd=tmp_path).returncode == 130
    assert list(tmp_path.iterdir()) == []


def test_nobody_can_be_asked(tmp_path):
    done = petworks_process("init", ADULT, cwd=tmp_path, input="")
    assert done.returncode == 2
    assert "not a terminal" in done.stderr
    assert "--yes" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_policy_is_not_overwritten_unless_told(tmp_path):
    (tmp_path / "policy.toml").write_text("mine")
    done = petworks("init", ADULT, "--yes", cwd=tmp_path)
    assert (done.returncode, (tmp_path / "policy.toml").read_text()) == (2, "mine")
    assert "--overwrite" in done.stderr
    assert petworks("init", ADULT, "--yes", "--overwrite", cwd=tmp_path).returncode == 0
    assert read(tmp_path / "policy.toml")["version"] == 1


def test_paths_are_relative_to_the_policy(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "released.csv").write_text("age,sex\n" + "30,M\n" * 9)
    assert petworks("init", "in/released.csv", "-o", "in", "--yes", cwd=tmp_path).returncode == 0
    assert read(tmp_path / "in" / "policy.toml")["data"] == {"original": "released.csv", "released": "release.csv"}
    (tmp_path / "in" / "policy.toml").unlink()
    assert petworks("init", "in/released.csv", "-o", "in", "--yes", "--encoding", "big5", cwd=tmp_path).returncode == 0
    assert read(tmp_path / "in" / "policy.toml")["data"]["encoding"] == "big5"
    assert petworks("init", "in/released.csv", "-o", "out/deep", "--yes", cwd=tmp_path).returncode == 0
    data = read(tmp_path / "out" / "deep" / "policy.toml")["data"]
    assert data == {"original": "../../in/released.csv", "released": "released.csv"}


def test_a_pipe_cannot_be_named_in_a_policy(tmp_path):
    done = petworks("init", "/dev/null", "--yes", cwd=tmp_path)
    assert done.returncode == 2
    assert "read again" in done.stderr


def test_strange_names_of_columns(tmp_path):
    names = ['a"b', "c\\d", "[roles]", "生日 = 1", "x#y"]
    (tmp_path / "t.csv").write_text(
        "|".join(f'"{name.replace(chr(34), chr(34) * 2)}"' for name in names) + "\n" + "1|2|3|4|5\n" * 6
    )
    done = petworks(
        "init", "t.csv", "--yes", *[f"--insensitive={name}" for name in names[2:]], "-q", names[0], cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    roles = read(tmp_path / "policy.toml")["roles"]
    assert roles == {"identifiers": [], "quasi_identifiers": names[:1], "sensitive": [], "insensitive": names[2:]}


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["-q", "ages"], 'did you mean "age"?'),
        (["-q", "age", "-s", "age"], "two roles"),
        (["-o", "mine.toml"], "name a folder"),
        (["-m", "k-anonymity"], "no limit is given for k-anonymity"),
        (["-m", "k-anonimity", "--k", "5"], 'did you mean "k-anonymity"?'),
        (["-m", "k-anonymity", "--k", "0"], "k must be at least 1"),
        (["-m", "k-anonymity", "--t", "1/2"], "none of the named measures has it"),
        (["--t", "1/2"], "--t was given, but no measure is named\n  name one with -m: t-closeness"),
        (["--template", "tw-research", "--t", "1/2"], "--t was given, but no measure is named"),
    ],
)
def test_mistakes(tmp_path, arguments, problem):
    done = petworks("init", ADULT, "--yes", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert problem in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_nothing_written_tells_values_of_few_people(tmp_path):
    taiwan.write(tmp_path / "people.csv")
    assert petworks("init", "people.csv", "--yes", cwd=tmp_path).returncode == 0
    text = (tmp_path / "policy.toml").read_text("utf-8")
    columns = zip(*taiwan.rows(), strict=True)
    for name, cells in zip(taiwan.HEADER.split(","), columns, strict=True):
        if name in ("病歷號", "身分證字號", "姓名", "手機", "出生年月日"):
            assert [cell for cell in cells if cell in text] == []
    assert sorted(file.name for file in tmp_path.iterdir()) == ["people.csv", "policy.toml"]


def test_a_tab_is_written_as_a_word(tmp_path):
    """A policy cannot hold it as it is: a text of blanks says nothing."""
    (tmp_path / "people.txt").write_text("age\tsex\n" + "30\tM\n31\tF\n" * 9)
    done = petworks(
        "init",
        "people.txt",
        "--yes",
        "--delimiter",
        "tab",
        "-q",
        "age",
        *("-m", "k-anonymity", "--k", "2"),
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert read(tmp_path / "policy.toml")["data"]["delimiter"] == "tab"
    assert Policy(tmp_path / "policy.toml", purpose="anonymize").requirements


def test_a_policy_that_judges_a_synthetic_table(tmp_path):
    rows = ADULT.read_text("utf-8").splitlines()[:200]
    for name, some in {"people": rows[:120], "made": rows[:1] + rows[60:], "others": rows[:1] + rows[120:]}.items():
        (tmp_path / f"{name}.csv").write_text("\n".join(some) + "\n", "utf-8")
    made = ("--synthetic", "made.csv", "--holdout", "others.csv")
    done = petworks("init", "people.csv", "--yes", *ALL[:2], *made, "-o", "study", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "petworks check" in done.stdout
    path = tmp_path / "study" / "policy.toml"
    policy, text = read(path), path.read_text("utf-8")
    assert policy["data"] == {
        "original": "../people.csv",
        "released": "../made.csv",
        "holdout": "../others.csv",
        "synthetic": True,
    }
    assert {"anonymize", "hierarchies", "require"}.isdisjoint(policy)
    assert "max_excess = 0.01" in text
    limit = ("-m", "replicated uniques", "--max-excess", "0.01")
    petworks("init", "people.csv", "--yes", *ALL[:2], *made, *limit, "-o", "study", "--overwrite", cwd=tmp_path)
    checked = petworks("check", "study/policy.toml", cwd=tmp_path)
    assert (checked.returncode, "replicated uniques (excess at most)" in checked.stdout) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--holdout", ADULT], "--holdout was given, but no synthetic table"),
        (["--synthetic", "nowhere.csv"], "no such file"),
        (["--synthetic", ADULT], "names the original itself"),
    ],
)
def test_a_synthetic_table_that_cannot_be_judged(tmp_path, arguments, problem):
    done = petworks("init", ADULT, "--yes", *arguments, cwd=tmp_path)
    assert (done.returncode, problem in done.stderr) == (2, True)
    assert not (tmp_path / "policy.toml").exists()
