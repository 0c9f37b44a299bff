"""Amounts of memory as people write them, and what the machine has."""

from __future__ import annotations

import os
import sys

import pytest

from PETWorks.errors import ParameterError
from PETWorks.tables.counting import builder as building
from PETWorks.tables.counting import workspace as measuring
from PETWorks.tables.counting.builder import TallyBuilder
from PETWorks.tables.counting.count import estimate_memory
from PETWorks.tables.counting.tally import Coded
from PETWorks.tables.counting.workspace import LEAST_MEMORY, Workspace, find_machine_memory, write_memory

DECIMAL = {"": 1, "B": 1, "kB": 1000, "MB": 1000**2, "GB": 1000**3, "TB": 1000**4}
BINARY = {"KiB": 1024, "MiB": 1024**2, "GiB": 1024**3, "TiB": 1024**4}


@pytest.mark.parametrize(("unit", "size"), (DECIMAL | BINARY).items())
@pytest.mark.parametrize("number", [1, 10**6, 123_456_789_012])
def test_units(unit, size, number):
    if number * size < 100_000_000:
        with pytest.raises(ParameterError, match="too small"):
            Workspace.of(f"{number} {unit}")
    else:
        assert Workspace.of(f"{number} {unit}").memory == min(number * size, sys.maxsize)  # more cannot be addressed


def test_the_least_that_will_do_is_100_megabytes():
    assert LEAST_MEMORY == 10**8
    assert Workspace.of(10**8).memory == Workspace.of("100 MB").memory == 10**8
    with pytest.raises(ParameterError) as raised:
        Workspace.of(10**8 - 1)
    assert raised.value.problem == "the memory limit is too small: 99999999"
    assert raised.value.hint == "allow at least 100 MB"


@pytest.mark.parametrize("memory", [True, "1 GB 5", "999999999 horses"])
def test_what_is_no_amount(memory):
    with pytest.raises(ParameterError) as raised:
        Workspace.of(memory)
    assert raised.value.problem == f"the memory limit is not an amount of memory: {memory!r}"
    assert raised.value.hint == 'write "500 MB" or "2 GB"'


def test_thousands_may_be_separated():
    assert Workspace.of("1,500,000,000").memory == Workspace.of("1,500 MB").memory == 1_500_000_000


def test_the_folder_is_kept_with_and_without_a_limit(tmp_path):
    assert Workspace.of("1 GB", tmp_path) == Workspace(10**9, str(tmp_path))
    assert Workspace.of(folder=str(tmp_path)).folder == str(tmp_path)
    assert Workspace.of("1 GB").folder is None


@pytest.mark.parametrize("folder", [3, ["a"], "no such folder"])
def test_what_is_no_folder(folder):
    with pytest.raises(ParameterError) as raised:
        Workspace.of(folder=folder)
    assert raised.value.problem == f"the folder for temporary files does not exist: {str(folder)!r}"
    assert raised.value.hint == "name a folder that exists"


@pytest.mark.parametrize(("says", "expected"), [("1000\n", 1000), ("max\n", 6000), ("9000", 6000), (None, 6000)])
def test_a_container_may_use_less_than_the_machine_has(monkeypatch, tmp_path, says, expected):
    monkeypatch.setattr(os, "sysconf", {"SC_PHYS_PAGES": 3, "SC_PAGE_SIZE": 2000}.__getitem__)
    monkeypatch.setattr(measuring, "CONTROL_GROUP", tmp_path / "memory.max")
    if says is not None:
        (tmp_path / "memory.max").write_text(says)
    assert find_machine_memory() == expected
    assert Workspace().memory == expected * 6 // 10  # unless another share is asked for


@pytest.mark.parametrize("problem", [AttributeError, OSError, ValueError])
def test_a_machine_that_does_not_say(monkeypatch, problem):
    def unknown(_):
        raise problem

    monkeypatch.setattr(os, "sysconf", unknown)
    assert find_machine_memory() == 4 * 2**30


@pytest.mark.parametrize(
    ("memory", "written"), [(10**9, "1.0 GB"), (10**9 - 1, "1000 MB"), (1_260_000, "1 MB"), (2_560_000_000, "2.6 GB")]
)
def test_amounts_are_written_in_gigabytes_or_megabytes(memory, written):
    assert write_memory(memory) == written


def test_what_a_builder_takes_up(monkeypatch):
    """For each combination a byte for each code, eight for its count and 80 to merge it; 300 for each value.

    The same three combinations are merged once there are more of them than MERGE_AT, and than there were merged before.
    """
    monkeypatch.setattr(building, "MERGE_AT", 2)
    builder = TallyBuilder(["a", "b"])
    for held in (3, 3, 6, 3):
        builder.add([Coded.of(["x", "y", "x"]), Coded.of(["1", "1", "2"])])
        assert builder.memory == held * (1 + 1 + 8 + 80) + 4 * 300
    monkeypatch.setattr(building, "MERGE_AT", 3)
    builder.add([Coded.of(["x", "y", "x"]), Coded.of(["1", "1", "2"])])
    assert builder.memory == 6 * (1 + 1 + 8 + 80) + 4 * 300


def test_what_measuring_is_estimated_to_take():
    """For each combination 330 bytes, and 10 for each of its columns."""
    assert estimate_memory(1000, 3) == 1000 * (330 + 3 * 10)
