"""The real command, in a process of its own."""

import subprocess
import sys

import pytest

import PETWorks as pw


def petworks(*arguments: str, **options) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "PETWorks", *arguments]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False, **options)


def test_version():
    run = petworks("--version")
    assert (run.returncode, run.stdout, run.stderr) == (0, f"petworks {pw.__version__}\n", "")


@pytest.mark.parametrize(
    ("language", "expected"),
    [("en", ["Precision", "0.7271", "0.9993", "0.6692", "1,140", "0.7487"]), ("zh_TW", ["精準度", "獲利力", "滿足"])],
)
def test_demo(language, expected, tmp_path):
    run = petworks("demo", "--lang", language, cwd=tmp_path, env={"PYTHONUTF8": "1"})
    assert (run.returncode, run.stderr) == (0, "")
    assert all(word in run.stdout for word in expected)
    assert run.stdout.encode("cp950")


def test_without_a_command_there_is_help():
    run = petworks()
    assert run.returncode == 0
    assert "demo" in run.stdout


def test_unknown_command():
    run = petworks("dmeo")
    assert run.returncode == 2
    assert "Traceback" not in run.stderr


def test_import_is_light():
    heavy = "{'numpy', 'pyarrow', 'pandas', 'polars', 'duckdb', 'narwhals', 'yaml'}"
    script = f"import sys, PETWorks; print(sorted({heavy} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"


def test_engines_are_loaded_when_used(tmp_path):
    (tmp_path / "t.csv").write_text("a;b\n1;2\n")
    script = (
        "import sys, PETWorks as pw; pw.Release('t.csv').ask('Precision');"
        "print(sorted({'pandas', 'polars', 'duckdb', 'narwhals', 'yaml'} & set(sys.modules)))"
    )
    command = [sys.executable, "-c", script]
    run = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert run.stdout == "[]\n"
