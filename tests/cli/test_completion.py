"""``petworks completion``: scripts that shells accept, with what can be typed."""

import shutil
import subprocess

import pytest

import PETWorks as pw
from PETWorks.cli.parser import SHELLS
from support.process import petworks


@pytest.mark.parametrize("shell", SHELLS)
def test_script(shell, tmp_path):
    run = petworks("completion", shell)
    assert (run.returncode, run.stderr) == (0, "")
    for typed in ("evaluate", "completion", "population-size", "show-small-classes", "DeltaPresence", "zh_TW"):
        assert typed in run.stdout
    checks = {"bash": ["bash", "-n"], "zsh": ["zsh", "-n"], "fish": ["fish", "--no-execute"]}
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
