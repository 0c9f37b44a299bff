"""`make mutants`, which finds changes of the code that no test notices."""

import importlib.util
import re
import subprocess
import sys

import pytest

from support.places import ROOT

CODE = '''"""Documented."""


def between(least: int | None, value: int, most: int = 9) -> bool:
    """True if a value is within limits."""
    return least <= value <= most and value is not None
'''
CHANGES = {
    "9  →  10",
    "9  →  8",
    "return least <= value <= most and value is not None  →  return None",
    "least <= value <= most and value is not None  →  least <= value <= most or value is not None",
    "least <= value <= most and value is not None  →  least <= value <= most",
    "least <= value <= most and value is not None  →  value is not None",
    "least <= value <= most  →  least < value <= most",
    "least <= value <= most  →  least > value <= most",
    "least <= value <= most  →  least <= value < most",
    "least <= value <= most  →  least <= value > most",
    "value is not None  →  value is None",
}


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("mutants", ROOT / "tools" / "mutants.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def test_each_change_by_itself(tool, tmp_path):
    """Types and docstrings are not changed."""
    path = tmp_path / "code.py"
    path.write_text(CODE)
    found = list(tool.mutants(path))
    assert {mutant.change for mutant in found} == CHANGES
    assert len(found) == len(CHANGES)
    assert {tuple(mutant.lines) for mutant in found} == {(4,), (6,)}


def test_a_mutant_is_killed_by_a_test_that_executes_it():
    command = [sys.executable, str(ROOT / "tools" / "mutants.py"), "exact/limit.py"]
    tests = ["--tests", "src/PETWorks/exact/limit.py"]  # its doctest
    done = subprocess.run([*command, *tests], capture_output=True, text=True, check=True)
    (killed,) = re.findall(r"^exact/limit.py: (\d+) killed, \d+ survive$", done.stdout, re.MULTILINE)
    assert int(killed) > 5
