"""The committed data is what its README says."""

import hashlib
import subprocess
import sys

import pytest

DIGESTS = {
    "adult.csv": "c700df9304fbf3c4d4db5938bffc510561bd4a2dfad285a3feef9a20619391c5",
    "adult_anonymized.csv": "bff22e98c046aa547a2df5302fbe265772a3cae9e5c31bfa4f21c087f276e533",
}


@pytest.mark.parametrize("name", DIGESTS)
def test_digest(root, name):
    assert hashlib.sha256((root / "data" / name).read_bytes()).hexdigest() == DIGESTS[name]


def test_build_script_needs_nothing_but_the_standard_library(root):
    script = "import sys, runpy; runpy.run_path('data/build.py', run_name='imported')"
    subprocess.run([sys.executable, "-S", "-c", script], cwd=root, check=True)
