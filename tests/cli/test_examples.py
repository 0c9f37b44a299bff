"""The scripts of the source documents, as printed there, from the project's root."""

import json
import subprocess
import sys

import pytest

PRINTED = {
    "precision": {"precision": 0.7271401100722763},
    "aecs": {"AECS": 0.9992930131052006},
    "profitability": {
        "allow attack": True,
        "adversary's cost": 4,
        "adversary's gain": 300,
        "publisher's loss": 300,
        "publisher's benefit": 1200,
        "profitability": True,
    },
    "t-closeness": {"t": 0.376, "fulfill t-closeness": True},
}


def output(root, name: str) -> str:
    command = [sys.executable, f"examples/{name}.py"]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("name", PRINTED)
def test_prints_what_the_source_prints(root, name):
    assert output(root, name) == json.dumps(PRINTED[name], indent=4) + "\n"


def test_non_uniform_entropy_is_as_printed_but_for_rounding(root):
    answer = json.loads(output(root, "nonUniformEntropy"))
    assert answer == {"Non-Uniform Entropy": pytest.approx(0.6691909578638351, abs=1e-12)}
