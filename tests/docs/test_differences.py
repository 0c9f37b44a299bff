"""The page of differences shows what PETWorks computes, and each answer differs from the other tool's."""

import runpy

import pytest


@pytest.fixture(scope="module")
def module(root):
    return runpy.run_path(str(root / "docs" / "differences.py"))


def test_page_is_up_to_date(root, module):
    page = (root / "docs" / "differences.md").read_text(encoding="utf-8")
    assert page == module["page"](), "run: python docs/differences.py"


def test_every_difference_is_one(module):
    for difference in module["DIFFERENCES"]:
        theirs = difference.theirs[1] if difference.theirs else ""
        assert str(difference.ours()) != theirs, difference.title


def test_tables_are_small(module):
    for difference in module["DIFFERENCES"]:
        for table in difference.tables.values():
            assert 2 <= len(next(iter(table.values()))) <= 6
