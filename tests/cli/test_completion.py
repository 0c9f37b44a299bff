"""``petworks completion``: scripts that shells accept, with what can be typed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import PETWorks as pw
from PETWorks.cli.completion import columns_on_line, measure_names
from PETWorks.cli.parser import SHELLS
from support.process import PLAIN, petworks

HEADER = "age;marital status;x,y;性 別"
NAMES = HEADER.split(";")
ON_PATH = PLAIN | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", "LANG": "C.UTF-8"}


@pytest.mark.parametrize("shell", SHELLS)
def test_script(shell, tmp_path):
    run = petworks("completion", shell)
    assert (run.returncode, run.stderr) == (0, "")
    for typed in ("evaluate", "completion", "population-size", "show-small-classes", "DeltaPresence", "zh_TW"):
        assert typed in run.stdout
    checks = {
        "bash": [shutil.which("bash"), "-n"],
        "zsh": [shutil.which("zsh"), "-n"],
        "fish": [shutil.which("fish"), "--no-execute"],
    }
    if shell not in checks or not shutil.which(shell):
        return
    script = tmp_path / "script"
    script.write_text(run.stdout, encoding="utf-8")
    checked = subprocess.run([*checks[shell], str(script)], capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.skipif(not shutil.which("bash"), reason="there is no bash")
@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        (["pol"], []),
        (["ev"], ["evaluate"]),
        (["evaluate", "--popul"], ["--population", "--population-size"]),
        (["evaluate", "t.csv", "-m", "Delta"], ["DeltaDisclosure", "DeltaPresence"]),
        (["evaluate", "t.csv", "-m", "delta"], ["delta-disclosure", "delta-presence"]),
        (["check", "--format", "ju"], ["junit"]),
        (["measures", "K"], [kind.__name__ for kind in pw.measures().values() if kind.__name__.startswith("K")]),
    ],
)
def test_bash_completes(tmp_path, typed, expected):
    script = tmp_path / "petworks.bash"
    script.write_text(petworks("completion", "bash").stdout, encoding="utf-8")
    words = " ".join(f"'{word}'" for word in ["petworks", *typed])
    place = f"COMP_WORDS=({words}); COMP_CWORD={len(typed)}"
    ask = f'source {script}; {place}; _shtab_petworks 2>/dev/null; echo "${{COMPREPLY[@]}}"'
    run = subprocess.run([shutil.which("bash"), "-c", ask], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert sorted(run.stdout.split()) == sorted(expected)


def test_names_of_measures_can_be_typed_and_are_found():
    kinds = list(pw.measures().values())
    names = list(measure_names(kinds))
    assert [next(kind for kind in kinds if kind.is_called(name)) for name in names] == [
        kind for kind in kinds for _ in range(2)
    ]
    assert all(name.isascii() and not set(name) & set(" ()'") for name in names)
    assert {"k-anonymity", "t-closeness", "Precision", "class-sizes", "alpha-k-anonymity", "AECS"} <= set(names)


# Columns of the table on the line.


@pytest.fixture
def table(tmp_path):
    (tmp_path / "a folder").mkdir()
    for path in (tmp_path / "t.csv", tmp_path / "a folder" / "my table.csv"):
        path.write_text(f"{HEADER}\n1;2;3;4\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["evaluate", "t.csv", "-q", ""], NAMES),
        (["evaluate", "t.csv", "-q", "ag"], NAMES),
        (["evaluate", "-q", "", "t.csv"], NAMES),
        (["evaluate", "-o", "report.html", "-m", "Precision", "t.csv", "--key", ""], NAMES),
        (["explain", "t.csv", "k-anonymity", "--sensitive", ""], NAMES),
        (["evaluate", "t.csv", "--delimiter", ",", "-q", ""], ["age;marital status;x", "y;性 別"]),
        (["evaluate", "a folder/my table.csv", "-q", ""], NAMES),
        (["evaluate", "nowhere.csv", "-q", ""], []),
        (["evaluate", "-q", ""], []),
        (["evaluate", "t.csv", "--nonsense", "-q", ""], []),
        (["evaluate", "t.csv", "-q"], []),
        (["check", "t.csv"], []),
        (["evaluate", "t.csv", "-h", "-q", ""], []),
        ([], []),
    ],
)
def test_columns_of_the_table_on_the_line(table, monkeypatch, capsys, words, expected):
    monkeypatch.chdir(table)
    assert list(columns_on_line(words)) == expected
    assert capsys.readouterr() == ("", "")


def test_columns_that_a_terminal_would_obey_are_left_out(tmp_path):
    (tmp_path / "t.csv").write_text("age;\x1b[31mred\n1;2\n", encoding="utf-8")
    assert list(columns_on_line(["evaluate", str(tmp_path / "t.csv"), "-q", ""])) == ["age"]


def said(shell: str, ask: str, folder: Path) -> str:
    """Return what a shell prints for a command."""
    command = [shutil.which(shell), "-c", ask]
    run = subprocess.run(command, capture_output=True, check=True, cwd=folder, env=ON_PATH, timeout=60)
    return run.stdout.decode()


ASK_BASH = r"""COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _shtab_petworks 2>/dev/null; printf '%s\n' "${COMPREPLY[@]}" """


@pytest.mark.skipif(not shutil.which("bash"), reason="there is no bash")
@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("evaluate t.csv -q ''", ["age", "marital\\ status", "x\\,y", "性\\ 別"]),
        ("evaluate t.csv -q age -s mar", ["marital\\ status"]),
        (r"""explain "'a folder/my table.csv'" --key ''""", ["age", "marital\\ status", "x\\,y", "性\\ 別"]),
        (r"""evaluate 'a\ folder/my\ table.csv' -q a""", ["age"]),
    ],
)
def test_bash_completes_columns(table, typed, expected):
    (table / "script").write_text(petworks("completion", "bash").stdout, encoding="utf-8")
    ask = f"source ./script; COMP_WORDS=(petworks {typed}); {ASK_BASH}"
    run = said("bash", ask, table)
    assert run.splitlines() == expected


@pytest.mark.skipif(not shutil.which("fish"), reason="there is no fish")
def test_fish_completes_columns(table):
    (table / "script").write_text(petworks("completion", "fish").stdout, encoding="utf-8")
    ask = r"source ./script; complete -C 'petworks evaluate a\ folder/my\ table.csv -q '"
    run = said("fish", ask, table)
    assert sorted(line.partition("\t")[0] for line in run.splitlines() if line) == sorted(NAMES)


ASK_ZSH = r"""
compdef() {}
eval "$(< script)"
words=(evaluate 'a\ folder/my\ table.csv' -q '')
compadd() { print -rl -- ${(P)2} }
_petworks_columns
"""


@pytest.mark.skipif(not shutil.which("zsh"), reason="there is no zsh")
def test_zsh_completes_columns(table):
    (table / "script").write_text(petworks("completion", "zsh").stdout, encoding="utf-8")
    assert said("zsh", ASK_ZSH, table).splitlines() == NAMES
