"""What the docstrings of rooms say that a room does not know, it does not import.

Which room is above which is a contract of import-linter (`pyproject.toml`).
"""

import subprocess
import sys

import pytest

from support.imports import PACKAGE, is_below, read_imports

RESULTS = ("result", "bounds", "figures", "losses", "parameter", "registry", "plugin")
READERS = (".narwhals", ".pyreadstat", ".python_calamine")
FAMILIES = ("measure.privacy", "measure.risk", "measure.utility")
USED_MEASURES = {  # the measures that another one builds on
    "measure.risk.context_risk": "measure.risk.individual_risk",
    "measure.risk.individual_risk": "measure.risk.re_identification",
}
FORBIDDEN = {  # room: what it says that it does not know or do, and the modules that it would need
    "exact": ("tables", ["facts", "hierarchies", *READERS]),
    "tables": ("roles and measures", ["facts", "hierarchies", "measure", "inspection", "evaluation"]),
    "tables.counting": ("files", ["tables.formats", "tables.source", "tables.opening", "tables.records"]),
    "measure.formulas": ("limits and results", [f"measure.{name}" for name in RESULTS]),
    "render": (
        "measuring",
        ["evaluation.run", "evaluation.release", "disclosure.level", "facts.facts"],
    ),
    "cli": ("computing", [".numpy", "tables.counting", "measure.formulas", "exact"]),
    "app": ("algorithms", ["measure.formulas", "tables.rewriting", "anonymization.local"]),
}


def list_imports(room):
    return [(module, name) for module, names in read_imports().items() if is_below(module, room) for name in names]


@pytest.mark.parametrize("room", FORBIDDEN)
def test_a_room_does_not_import_what_it_does_not_know(room):
    known = [(module, name) for module, name in list_imports(room) if is_below(name, *FORBIDDEN[room][1])]
    assert known == [], f"{room} does not know: {FORBIDDEN[room][0]}"


@pytest.mark.parametrize("room", FORBIDDEN)
def test_what_a_room_does_not_know_exists(room):
    every = set(read_imports()).union(*read_imports().values())
    assert [one for one in FORBIDDEN[room][1] if not any(is_below(name, one) for name in every)] == []


def test_exact_takes_only_the_types_of_arrays_from_tables():
    taken = {name for _, name in list_imports("exact") if is_below(name, "tables")}
    assert taken <= {f"tables.counting.tally{name}" for name in ("", ".INT64", ".IntArray", ".Value")}


def test_counting_uses_only_errors_and_progress():
    used = {name for _, name in list_imports("tables.counting") if not name.startswith(".")}
    assert [name for name in used if not is_below(name, "tables.counting", "errors", "progress")] == []


def test_only_tables_use_the_libraries_that_read_tables():
    users = {module for module, names in read_imports().items() if any(is_below(name, *READERS) for name in names)}
    assert users
    assert [module for module in users if not is_below(module, "tables")] == []


@pytest.mark.parametrize("family", FAMILIES)
def test_a_measure_uses_no_other_measure(family):
    for module, name in list_imports(family):
        if is_below(name, *FAMILIES):
            assert is_below(name, module, USED_MEASURES.get(module, module)), f"{module} imports {name}"


def test_settings_need_neither_numpy_nor_a_table():
    script = f"import sys, {PACKAGE}.settings.sections; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    assert f"{PACKAGE}.settings.sections" in loaded
    assert [name for name in loaded if is_below(name, "numpy", f"{PACKAGE}.tables")] == []
