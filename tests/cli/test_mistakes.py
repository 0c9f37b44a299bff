"""What the command line says to frequent mistakes."""

import pickle

import pytest

import PETWorks as pw
from PETWorks.cli.parser import Repeatable, parser
from PETWorks.errors import PETWorksError, UnknownValueError
from support.output import display_width
from support.process import POLICY, five_people, petworks


def test_a_policy_is_not_evaluated(tmp_path):
    five_people(tmp_path)
    run = petworks("evaluate", "policy.toml", cwd=tmp_path)
    told = "error: policy.toml: that is a policy, not a table\n  use petworks check policy.toml\n"
    assert (run.returncode, run.stdout, run.stderr) == (2, "", told)


def test_a_table_is_not_checked(tmp_path):
    five_people(tmp_path)
    run = petworks("check", "released.csv", cwd=tmp_path)
    assert (run.returncode, run.stdout) == (2, "")
    assert "not valid TOML" in run.stderr
    assert run.stderr.endswith("  name a policy; a table is measured by petworks evaluate\n")


@pytest.mark.parametrize("typed", ["year,place", "year, place", "year,plaec"])
def test_columns_with_commas_between_them(tmp_path, typed):
    five_people(tmp_path)
    second = typed.rpartition(",")[2].strip()
    run = petworks("evaluate", "released.csv", "-q", typed, cwd=tmp_path)
    told = f'error: released.csv: there is no column "{typed}" (quasi identifier)\n'
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr == f"{told}  write -q year -q {second} (repeat -q for each column)\n"


def test_columns_with_commas_between_them_in_a_policy(tmp_path):
    five_people(tmp_path, POLICY.replace('["year", "place"]', '["year,place"]'))
    run = petworks("check", "policy.toml", cwd=tmp_path)
    assert '    write quasi_identifiers = ["year", "place"]\n' in run.stderr


def test_columns_with_commas_between_them_in_python():
    with pytest.raises(PETWorksError) as raised:
        pw.Release({"year": ["1"], "zip": ["2"]}, sensitive=["year,zip"])
    assert raised.value.hint == 'write sensitive=["year", "zip"]'


def test_a_column_that_has_a_comma(tmp_path):
    (tmp_path / "t.csv").write_text("age;sex;age,sex\n1;m;x\n1;f;x\n", encoding="utf-8")
    run = petworks("evaluate", "t.csv", "-q", "age,sex", "-m", "k-anonymity", "--k", "2", cwd=tmp_path)
    assert (run.returncode, run.stderr) == (0, "")


@pytest.mark.parametrize("command", [["evaluate", "released.csv"], ["explain", "released.csv", "k-anonymity"]])
def test_hierarchies_that_fit_no_column_are_told(tmp_path, command):
    five_people(tmp_path)
    folder = tmp_path / "hierarchies"
    (folder / "a_hierarchy_year.csv").rename(folder / "a_hierarchy_Year.csv")
    (folder / "a_hierarchy_zip.csv").write_text("1;*\n")
    run = petworks(*command, "--hierarchies", "hierarchies", cwd=tmp_path)
    assert run.returncode == 0
    assert run.stderr == (
        "The hierarchy a_hierarchy_Year.csv fits no column and was not used; rename it if\n"
        "it is that of year.\n"
        "Hierarchies that fit no column were not used: a_hierarchy_zip.csv.\n"
    )


@pytest.mark.parametrize("command", ["check", "explain"])
def test_hierarchies_that_fit_no_column_of_a_policy_are_told_in_its_language(tmp_path, command):
    five_people(tmp_path, POLICY + '[report]\nlanguage = "zh_TW"\n')
    (tmp_path / "hierarchies" / "a_hierarchy_zip.csv").write_text("1;*\n")
    run = petworks(command, "policy.toml", cwd=tmp_path)
    assert run.stderr == "下列資料階層無對應欄位，未使用：a_hierarchy_zip.csv。\n"


# Values that a hierarchy lacks: those that many people hold are named.

TREE = {"place": [["Bonn", "Germany"], ["Lyon", "France"]]}


def lacking(**holders: int) -> UnknownValueError:
    """Return the error for places that the hierarchy lacks, by how many people hold them."""
    places = [place for place, people in holders.items() for _ in range(people)]
    with pytest.raises(UnknownValueError) as raised:
        pw.Release({"place": places}, hierarchies=TREE).ask("Precision")
    return raised.value


@pytest.mark.parametrize(
    ("holders", "common"),
    [
        ({"Oz": 4}, ""),
        ({"Oz": 5}, '"Oz"'),
        ({"Oz": 5, "Utopia": 4, "Narnia": 6, "Bonn": 9}, '"Narnia", "Oz"'),
        (dict.fromkeys("ABCDEFGHIJKL", 5), '"A", "B", "C", "D", "E", "F", "G", "H", "I", "J" and 2 more'),
    ],
)
def test_values_that_many_people_hold(holders, common):
    error = lacking(**holders)
    assert error.common == common
    assert error.common not in error.summarise() or not common
    assert pickle.loads(pickle.dumps(error)).common == common


@pytest.mark.parametrize("role", ["original", "population"])
def test_values_of_other_tables_that_many_people_hold(role):
    table = {"place": ["Bonn", *["Oz"] * 5, "Utopia"]}
    release = pw.Release({"place": ["Germany"] * 7}, hierarchies=TREE, **{role: table})
    with pytest.raises(UnknownValueError) as raised:
        release.ask("Precision" if role == "original" else "k-map")
    assert raised.value.common == '"Oz"'


def test_the_command_line_names_values_that_many_people_hold(tmp_path):
    five_people(tmp_path)
    rows = ["Oz;flu"] * 5 + ["Utopia;flu"] * 4
    (tmp_path / "released.csv").write_text("\n".join(["place;disease", *rows]) + "\n")
    typed = ["evaluate", "released.csv", "-q", "place", "--hierarchies", "hierarchies", "-m", "Precision"]
    run = petworks(*typed, cwd=tmp_path)
    assert run.returncode == 2
    assert 'five people or more hold: "Oz" (--show-small-classes shows others, and rows)' in " ".join(
        run.stderr.split()
    )
    assert "Utopia" not in run.stderr
    shown = petworks(*typed, "--show-small-classes", cwd=tmp_path).stderr
    assert '"Oz" (row 1), "Utopia" (row 6)' in shown


def test_a_check_names_them_beside_its_answer(tmp_path):
    five_people(tmp_path, POLICY.replace('original = "original.csv"\n', ""))
    rows = ["197*;Oz;flu"] * 5 + ["198*;Utopia;flu"] * 4
    (tmp_path / "released.csv").write_text("\n".join(["year;place;disease", *rows]) + "\n")
    run = petworks("check", "policy.toml", cwd=tmp_path)
    assert run.returncode == 2
    assert 'note: Precision: five people or more hold: "Oz"' in run.stderr
    assert "Utopia" not in run.stdout + run.stderr
    assert "Oz" not in run.stdout  # the answer goes to others as well


# Encodings: one in which any file can be read would only hide that it is the wrong one.


def test_no_encoding_is_suggested_that_reads_everything(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"a;b\n1;\xff\n")
    run = petworks("evaluate", "t.csv", cwd=tmp_path)
    assert run.stderr == (
        "error: t.csv, line 2: byte 0xff is neither UTF-8 nor CP950 (Big5)\n"
        "  save it as UTF-8, or pass the encoding that it was saved in with --encoding\n"
    )
    misspelt = petworks("evaluate", "t.csv", "--encoding", "latin-11x", cwd=tmp_path)
    assert misspelt.returncode == 2
    assert "latin-1," not in misspelt.stderr
    assert '"latin-1"' not in misspelt.stderr


# The language of the locale.


@pytest.mark.parametrize(
    ("environment", "chinese"),
    [
        ({"LANG": "zh_TW.UTF-8"}, True),
        ({"LANG": "zh_TW"}, True),
        ({"LANG": "zh_HK.UTF-8"}, True),
        ({"LANG": "zh_Hant_TW.UTF-8"}, True),
        ({"LANG": "zh_TW.UTF-8@radical"}, True),
        ({"LANG": "zh_CN.UTF-8"}, False),
        ({"LANG": "de_DE.UTF-8"}, False),
        ({"LANG": ""}, False),
        ({"LANG": "en_GB.UTF-8", "LC_MESSAGES": "zh_TW.UTF-8"}, True),
        ({"LANG": "zh_TW.UTF-8", "LC_MESSAGES": "en_US.UTF-8"}, False),
        ({"LC_MESSAGES": "en_US.UTF-8", "LC_ALL": "zh_TW.UTF-8"}, True),
        ({"LANG": "zh_TW.UTF-8", "LC_ALL": "C"}, False),
        ({"LANG": "en_US.UTF-8", "LANGUAGE": "zh_TW:en"}, True),
        ({"LANG": "zh_TW.UTF-8", "LANGUAGE": "en"}, False),
        ({"LANG": "en_US.UTF-8", "LANGUAGE": "de:zh_TW"}, True),
        ({"LANG": "C.UTF-8", "LANGUAGE": "zh_TW"}, False),
        ({"LANG": "zh_TW.UTF-8", "PETWORKS_LANG": "en"}, False),
    ],
)
def test_language_of_the_locale(monkeypatch, capsys, environment, chinese):
    from PETWorks.cli import main

    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert main(["measures"]) == 0
    assert ("隱私保護力" in capsys.readouterr().out) is chinese


def test_an_option_and_a_policy_win_over_the_locale(tmp_path):
    five_people(tmp_path)
    locale = {"LANG": "zh_TW.UTF-8"}
    assert "3 項要求全部滿足。" in petworks("check", "policy.toml", cwd=tmp_path, env=locale).stdout
    assert "All 3" in petworks("check", "policy.toml", "--lang", "en", cwd=tmp_path, env=locale).stdout
    five_people(tmp_path, POLICY + '[report]\nlanguage = "en"\n')
    assert "All 3" in petworks("check", "policy.toml", cwd=tmp_path, env=locale).stdout


# Hints in 80 columns, and no option that a command does not have.


def test_hints_with_wide_characters_are_wrapped_by_their_width(tmp_path):
    (tmp_path / "a.csv").write_text("性別,診斷\n" + "女,感冒\n女,癌症\n女,糖尿病\n女,高血壓\n" * 5)
    run = petworks("evaluate", "a.csv", "-q", "性別", "--weight", "診斷", "-m", "individual risk", cwd=tmp_path)
    assert run.returncode == 2
    assert '"高血壓"\n  (--show-small-classes shows' in run.stderr
    assert max(map(display_width, run.stderr.splitlines())) <= 80


def test_hints_of_several_problems_are_wrapped_by_their_indent(tmp_path):
    names = ",".join(f"column{number}" for number in range(20))
    (tmp_path / "a.csv").write_text(f"{names}\n{names}\n")
    roles = '[data]\noriginal = "a.csv"\n[roles]\n[[require]]\nmeasure = "k-anonymity"\nk = 2\n'
    (tmp_path / "policy.toml").write_text(f"version = 1\n{roles}")
    _, *hints = petworks("anonymize", "policy.toml", "-o", "b.csv", cwd=tmp_path).stderr.splitlines()
    hints = [line for line in hints if line.startswith("    ")]
    assert 75 <= max(map(len, hints)) <= 80


@pytest.mark.parametrize("command", ["inspect", "init", "evaluate"])
def test_only_commands_that_can_show_values_say_so(tmp_path, command):
    (tmp_path / "a.csv").write_text("age,age\n1,2\n")
    run = petworks(command, "a.csv", cwd=tmp_path)
    assert run.returncode == 2
    assert ("--show-small-classes" in run.stderr) == (command == "evaluate")


# Arguments that are too many, empty, or given twice.


@pytest.mark.parametrize(
    ("command", "usage"),
    [
        (["check", "a.toml", "policy.toml"], "POLICY"),
        (["evaluate", "a.csv", "policy.toml"], "TABLE"),
        (["explain", "a.toml", "k-anonymity", "policy.toml"], "POLICY|TABLE [MEASURE]"),
        (["hierarchy", "a.csv", "age", "policy.toml"], "TABLE COLUMN"),
        (["demo", "a", "policy.toml"], "[FOLDER]"),
    ],
)
def test_an_argument_too_many_is_no_unknown_option(command, usage):
    run = petworks(*command)
    told = f"error: 'policy.toml' is one argument too many for \"petworks {command[0]}\"\n"
    hint = f"write petworks {command[0]} {usage} [OPTION ...]; a name with blanks needs quotes"
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.startswith(told)
    assert " ".join(run.stderr.removeprefix(told).split()) == hint


COMMANDS = parser().commands
for one in COMMANDS.values():
    one.complete()
VALUED = [
    (name, action)
    for name, command in COMMANDS.items()
    for action in command._actions
    if action.option_strings and action.nargs is None and action.type is None
]


@pytest.mark.parametrize(("command", "action"), VALUED, ids=lambda one: getattr(one, "dest", one))
def test_an_option_is_given_once_unless_its_help_says_otherwise(command, action):
    typed = f"{action.option_strings[-1]}={next(iter(action.choices or ['x']))}"
    run = petworks(command, *["x.csv"] * (2 if command == "hierarchy" else 1), typed, typed)
    once = f"error: {' or '.join(action.option_strings)} is given twice\n  give it once\n"
    assert (run.stderr == once) == (not isinstance(action, Repeatable))


@pytest.mark.parametrize("option", ["--allow-attack", "--no-allow-attack"])
def test_a_flag_is_given_once(option):
    run = petworks("evaluate", "x.csv", "--allow-attack", option)
    assert run.stderr == "error: --allow-attack or --no-allow-attack is given twice\n  give it once\n"


@pytest.mark.parametrize(
    ("command", "named"),
    [
        (["evaluate", ""], "TABLE"),
        (["check", ""], "POLICY"),
        (["check", "policy.toml", "-o", ""], "-o"),
        (["evaluate", "x.csv", "--original="], "--original"),
        (["compare", "", "x.csv", "--policy", "p.toml"], "TABLE"),
        (["compare", "x.csv", "y.csv", "--policy", "p.toml", "--name", "", "--name", "y"], "--name"),
        (["verify", "x.json", "--folder", ""], "--folder"),
    ],
)
def test_an_argument_that_is_empty(tmp_path, command, named):
    run = petworks(*command, cwd=tmp_path)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr == f"error: {named} is empty\n  leave it out, or say what it is\n"


# What is found in place of a file, and hints that fit where the mistake was made.


@pytest.mark.parametrize(
    ("command", "name"), [("evaluate", "link.csv"), ("check", "link.toml"), ("verify", "link.json")]
)
def test_a_link_to_nothing(tmp_path, command, name):
    (tmp_path / name).symlink_to("nowhere.csv")
    run = petworks(command, name, cwd=tmp_path)
    told = f"error: {name}: this is a link to a file that does not exist\n  it leads to nowhere.csv, where nothing is\n"
    assert (run.returncode, run.stderr) == (2, told)


def test_a_link_to_itself(tmp_path):
    (tmp_path / "loop.csv").symlink_to("loop.csv")
    assert "this is a link to a file that does not exist" in petworks("evaluate", "loop.csv", cwd=tmp_path).stderr


def test_a_hyphen_is_no_table(tmp_path):
    told = "error: -: there is no such file\n  name /dev/stdin to read from a pipe\n"
    assert petworks("inspect", "-", cwd=tmp_path).stderr == told


def test_a_demonstration_is_a_folder(tmp_path):
    five_people(tmp_path)
    told = "error: policy.toml: this is a file, not a folder\n  name a folder: petworks demo FOLDER\n"
    assert petworks("demo", "policy.toml", cwd=tmp_path).stderr == told


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["evaluate", "released.csv", "-q", "year", "-s", "year"], "name it once"),
        (
            ["evaluate", "released.csv", "--value-labels", "codes"],
            "leave out --value-labels, or check which file is meant",
        ),
        (["hierarchy", "released.csv", "year", "--keep", "3", "--mask", "ab"], "pass --mask '*'"),
        (["evaluate", "released.csv", "--pairing", "key"], "pass --key, or --pairing position"),
    ],
)
def test_hints_speak_of_options(tmp_path, arguments, hint):
    five_people(tmp_path)
    run = petworks(*arguments, cwd=tmp_path)
    assert run.returncode == 2
    assert run.stderr.endswith(f"\n  {hint}\n")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "at_least = 0.5",
            'at_least = "62.5%"',
            "at_least must be a finite number, not '62.5%'\n  write 62.5% as 0.625\n",
        ),
        ('original = "original.csv"', 'original = " "', "original is empty\n  leave it out, or say what it is\n"),
        (
            '[[require]]\nmeasure = "k-',
            '[require]\nmeasure = "k-',
            "a value\n  write [[require]], with two brackets on each side,",
        ),
        ("[[require]]", "[require]", "twice\n  write [[require]], with two brackets on each side,"),
    ],
)
def test_hints_speak_of_keys_of_a_policy(tmp_path, old, new, told):
    assert old in POLICY
    five_people(tmp_path, POLICY.replace(old, new))
    assert told in petworks("check", "policy.toml", cwd=tmp_path).stderr.replace("\n    ", "\n  ")


def test_tables_that_are_compared_are_named_as_they_were_typed(tmp_path):
    five_people(tmp_path)
    run = petworks("compare", "released.csv", "relesed.csv", "--policy", "policy.toml", cwd=tmp_path)
    told = 'error: relesed.csv: there is no such file\n  did you mean "released.csv"?\n'
    assert (run.returncode, run.stderr) == (2, told)
