"""The pages for developers name files that exist, and every room."""

import re

import pytest

from support.places import ROOT

SOURCE = ROOT / "src" / "PETWorks"
PAGES = sorted((ROOT / "docs" / "development").glob("*.md"))
FILE = re.compile(r"`((?:[a-z_]+/)+[a-z_]*(?:\.[a-z]+)?)`")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_file_that_a_page_names_is_there(page):
    named = set(FILE.findall(page.read_text(encoding="utf-8")))
    assert named
    assert {name for name in named if not (SOURCE / name).exists() and not (ROOT / name).exists()} == set()


def test_the_architecture_names_every_room():
    rooms = {path.name for path in SOURCE.iterdir() if path.is_dir() and (path / "__init__.py").exists()}
    text = (ROOT / "docs" / "development" / "architecture.md").read_text(encoding="utf-8")
    assert {room for room in rooms if f"`{room}/`" not in text} == set()
