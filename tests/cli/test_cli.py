"""Properties that all commands have in common."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import PETWorks as pw
from app.running import Process
from PETWorks.cli.parser import COMMANDS, EXAMPLES, parser
from support.output import display_width
from support.process import COMMAND, PLAIN, petworks, petworks_process

HEAVY = {"numpy", "pyarrow", "pandas", "polars", "duckdb", "narwhals", "yaml", "rich", "jinja2", "shtab"}


def imported(code: str, **options) -> set[str]:
    """Run code, and return the packages that it imported."""
    script = f"import sys\n{code}\nprint('imported:', *sys.modules)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, **options)
    return set(run.stdout.rpartition("imported:")[2].split())


def test_version():
    run = petworks_process("--version")
    assert (run.returncode, run.stdout, run.stderr) == (0, f"petworks {pw.__version__}\n", "")


def test_without_a_command_there_is_help():
    run = petworks()
    assert (run.returncode, run.stderr) == (0, "")
    assert all(command in run.stdout for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_each_command(command):
    run = petworks(command, "--help")
    assert (run.returncode, run.stderr) == (0, "")
    assert "examples" in run.stdout
    assert run.stdout.encode("cp950")
    assert max(map(display_width, run.stdout.splitlines())) <= 80


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["dmeo"], 'error: there is no command "dmeo"\n  did you mean "demo"?\n'),
        (["check"], "error: the following arguments are required: POLICY\n  see petworks check --help\n"),
        (["measures", "--lang", "fr"], "error: argument --lang: unknown language 'fr'; known: en, zh_TW\n"),
        (["evaluate", "t.csv", "--hierarchy", "x"], 'did you mean "--hierarchies"?'),
        (
            ["evaluate", "t.csv", "--distance", "ordred"],
            'error: --distance cannot be "ordred"\n  did you mean "ordered"?',
        ),
        (["measures", "t-closness"], 'error: there is no measure "t-closness"\n  did you mean "t-closeness"?\n'),
        (["--verzion"], "did you mean"),
    ],
)
def test_usage(arguments, expected):
    run = petworks(*arguments)
    assert (run.returncode, run.stdout) == (2, "")
    assert expected in run.stderr


@pytest.mark.parametrize("arguments", [[], ["--help"], ["--version"], ["check", "--help"], ["demo", "--help"]])
def test_help_is_light(arguments):
    assert not HEAVY & imported(f"from PETWorks.cli import main; main({arguments!r})")


def test_import_is_light():
    assert not HEAVY & imported("import PETWorks")


def test_engines_are_loaded_when_used(tmp_path):
    (tmp_path / "t.csv").write_text("a;b\n1;2\n")
    script = "import PETWorks as pw; pw.Release('t.csv', original='t.csv').ask('Precision')"
    assert not {"pandas", "polars", "duckdb", "narwhals", "yaml", "rich"} & imported(script, cwd=tmp_path)


def examples(command: str) -> list[list[str]]:
    text = EXAMPLES[command].replace("\\\n", " ")
    return [shlex.split(line, comments=True) for line in re.findall(r"^  (petworks .*)$", text, re.MULTILINE)]


@pytest.mark.parametrize("command", EXAMPLES)
def test_examples_are_short_and_their_options_exist(command):
    assert max(map(len, EXAMPLES[command].splitlines())) <= 80
    root = parser()
    assert examples(command)
    for _, name, *arguments in examples(command):
        root.commands[name].complete()
        known = root.commands[name]._option_string_actions
        assert all(argument in known for argument in arguments if re.match("--?[a-z]", argument))


@pytest.fixture(scope="module")
def demonstrated(tmp_path_factory):
    folder = tmp_path_factory.mktemp("examples")
    assert petworks("demo", cwd=folder).returncode == 0
    report = petworks("check", "petworks-demo/policy.toml", "-o", "petworks-demo/report.json", cwd=folder)
    assert report.returncode == 1  # an example that verifies it may come first, or one that looks at a hierarchy
    unit = petworks("key", "new", "unit", "--signing", cwd=folder, env={"XDG_CONFIG_HOME": str(folder)})
    (folder / "unit.pub").write_text(unit.stdout.split()[-1])
    petworks("sign", "petworks-demo/report.json", "--key", "unit", cwd=folder, env={"XDG_CONFIG_HOME": str(folder)})
    (folder / "visits.csv").write_text("id;zip\na;10\nb;10\n")
    (folder / "released.csv").write_text("zip\n10\n10\n")
    (folder / "releases.jsonl").touch()
    (folder / "visits.toml").write_text(
        'version = 1\n[data]\nreleased = "released.csv"\noriginal = "visits.csv"\n[roles]\n'
        'quasi_identifiers = ["zip"]\n'
        'identifiers = ["id"]\n[ledger]\nfile = "releases.jsonl"\ndataset = "visits"\nkey = "id"\n'
        '[[require]]\nmeasure = "k-anonymity"\nk = 2\n'
    )
    for example in examples("hierarchy"):
        assert "-o" not in example or petworks(*example[1:], cwd=folder).returncode in (0, 1)
    return folder


def in_a_shell(example: list[str], folder: Path) -> subprocess.CompletedProcess:
    line = shlex.join([*COMMAND, *example[1:]]).replace("'>'", ">")
    options = {"cwd": folder, "env": PLAIN, "capture_output": True, "encoding": "utf-8"}
    return subprocess.run(line, shell=True, check=False, **options)  # noqa: S602 (that is what a user does)


@pytest.mark.parametrize("example", [one for command in EXAMPLES for one in examples(command)], ids=" ".join)
def test_examples_work_as_printed(example, demonstrated):
    """Examples exit with 0, or with 1 if a requirement does not hold; never with 2."""
    if example[1] == "app":
        served = Process(*(one for one in example[2:] if one != "--no-browser"), cwd=demonstrated)
        assert served.get("/").status == 200
        assert served.stop() == 0
        served.process.communicate()
        return
    if example[1] == "hierarchy" and "-o" in example:  # which does not replace a file
        (demonstrated / example[-1]).unlink()
    keys = {"XDG_CONFIG_HOME": str(demonstrated)}
    run = in_a_shell(example, demonstrated) if ">" in example else petworks(*example[1:], cwd=demonstrated, env=keys)
    assert run.returncode in (0, 1), run.stderr
    assert "error" not in run.stderr
