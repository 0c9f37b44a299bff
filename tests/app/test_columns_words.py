"""The words of steps 2 and 3: the same in both languages, all of them used, and only those of the glossary."""

import re
from pathlib import Path
from string import Formatter

import pytest

from PETWorks import app
from PETWorks.app.screens.columns.view import find_reason
from PETWorks.app.screens.hierarchies.changes import BUILDERS
from PETWorks.app.screens.hierarchies.column_hierarchies import TILES
from PETWorks.attributetypes import Role
from PETWorks.plugin import Note
from support.output import LANGUAGES, words

HOME = Path(app.__file__).parent
TEXTS = "".join(
    path.read_text("utf-8")
    for name in ("columns", "hierarchies")
    for path in [*(HOME / "screens" / name).glob("*.py"), *(HOME / "templates").glob(f"{name}*.html")]
)
STRANGE = ("匿名化", "群組", "泛化", "抑制", "隱藏", "數據", "信息", "分佈", "佔", "記錄", "默認", "列表")


def said(language):
    return {key: text for key, text in words(language).app.items() if key.startswith(("columns_", "hierarchies_"))}


def figures(text):
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def test_both_languages_have_the_same_keys_and_figures():
    assert list(said("zh_TW")) == list(said("en"))
    for key, text in said("en").items():
        assert figures(said("zh_TW")[key]) == figures(text), key


def test_all_words_are_used():
    prefixes = re.findall(r'"((?:columns|hierarchies)_\w+_)" \+|f"((?:columns|hierarchies)_\w+_)\{', TEXTS)
    begun = tuple(
        {"columns_did_", "hierarchies_did_", "columns_before_", *(one for pair in prefixes for one in pair)} - {""}
    )
    keys = {key.removesuffix("_rows") for key in said("en")}  # which are said instead where rows are counted
    assert [key for key in sorted(keys) if f'"{key}"' not in TEXTS and not key.startswith(begun)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_whatever_is_chosen_has_words(language):
    known = said(language)
    for kind in TILES:
        assert {f"hierarchies_{what}_{kind}" for what in ("tile", "example", "made")} <= {*known}
    for fields in BUILDERS.values():
        for field in fields:
            assert f"hierarchies_field_{field.name}" in known
            assert {f"hierarchies_choice_{choice}" for choice in field.choices} <= {*known}
    for role in Role:
        assert {f"columns_{what}_{role}" for what in ("short", "means", "before")} <= {*known}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_first_reason_can_be_asked_for(language):
    from types import SimpleNamespace

    known = words(language).inspection  # forms and topics, all of which have words
    notes = [Note("looks", {"form": key.removeprefix("form_")}) for key in known if key.startswith("form_")]
    notes += [Note("name_says", {"topic": key.removeprefix("topic_")}) for key in known if key.startswith("topic_")]
    assert len(notes) > len({note.kind for note in notes}) == 2
    notes += [Note(kind) for kind in ("free_text", "no_kind", "all_different", "different", "one_value", "no_value")]
    notes += [Note("person_per_value")]
    for note in notes:
        kind = find_reason(SimpleNamespace(reasons=(note,))).partition(".")[0]
        assert f"columns_reason_{kind}" in said(language)


def test_only_words_of_the_glossary():
    text = "".join(said("zh_TW").values())
    assert [one for one in STRANGE if one in text] == []
