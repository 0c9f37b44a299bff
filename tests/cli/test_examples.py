"""The scripts of the source documents, as printed there, from the project's root."""

import json
import subprocess
import sys

import pytest

from PETWorks import PETValidation

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

MADE = {  # by model: quasi-identifiers, sensitive attributes, what the release is judged by, suppressed rows
    "k-anonymity": (["age", "sex"], [], {"k": 6}, 32),
    "l-diversity": (["age", "race"], ["workclass"], {"l": 5}, 293),
    "t-closeness": (["age", "race"], ["occupation"], {"tLimit": 0.2}, 320),
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


def made(root, folder, model):
    """Run a script that writes output.csv in a folder with the data."""
    (folder / "data").symlink_to(root / "data")
    subprocess.run([sys.executable, root / f"examples/anonymize-{model}.py"], cwd=folder, check=True)
    return folder / "output.csv"


@pytest.mark.parametrize("model", MADE)
def test_makes_a_release_that_meets_its_goal(root, tmp_path, model):
    quasi, sensitive, limit, suppressed = MADE[model]
    path, hierarchies = made(root, tmp_path, model), root / "data/adult_hierarchy"
    roles = dict.fromkeys(quasi, "quasi_identifier") | dict.fromkeys(sensitive, "sensitive_attribute")
    answer = PETValidation(None, path, model, attributeTypes=roles, dataHierarchy=hierarchies, **limit)
    assert answer[f"fulfill {model}"] is True
    assert answer.result.scope.suppressed == suppressed


def test_makes_a_subset_uncertain(root, tmp_path):
    lines = made(root, tmp_path, "d-presence").read_text(encoding="utf-8").splitlines()
    subset = tmp_path / "subset.csv"
    subset.write_text("\n".join([lines[0], *(line for line in lines if line.endswith(">50K"))]), encoding="utf-8")
    roles = dict.fromkeys(["zip", "age", "nationality"], "quasi_identifier")
    data = {"attributeTypes": roles, "dataHierarchy": root / "data/delta_hierarchy"}
    assert len(lines) == 13
    assert PETValidation(root / "data/delta.csv", subset, "d-presence", **data, dMin=0, dMax=0.7)["d-presence"] is True
    assert PETValidation(root / "data/delta.csv", subset, "d-presence", **data, dMin=0, dMax=0.5)["d-presence"] is False
