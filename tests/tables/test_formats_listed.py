"""Texts that list the formats of tables name all of them."""

import tomllib

import pytest

from PETWorks.tables.formats import list_kinds, load_own_formats
from support.places import ROOT
from support.process import petworks


def test_the_help_lists_all_kinds_of_files():
    text = " ".join(petworks("evaluate", "--help").stdout.split())
    assert [kind for kind in list_kinds() if kind not in text] == []


@pytest.mark.parametrize("language", ["en", "zh_TW"])
def test_the_meaning_of_released_lists_all_kinds_of_files(language):
    words = ROOT / "src" / "PETWorks" / "settings" / f"words.{language}.toml"
    text = tomllib.loads(words.read_text(encoding="utf-8"))["data"]["released"]
    assert [kind for kind in list_kinds() if kind not in text] == []


@pytest.mark.parametrize("page", ["office-files.md", "office-files.zh-TW.md"])
def test_the_page_lists_all_endings_of_written_files(page):
    text = (ROOT / "docs" / "how-to" / page).read_text(encoding="utf-8")
    endings = [ending for one in load_own_formats().values() for ending in one.write]
    assert [ending for ending in endings if f"`{ending}`" not in text] == []
