"""The words of the output formats: the same in both languages, and printable anywhere."""

from string import Formatter

import pytest

from PETWorks.render.words import LANGUAGES, words

KEYS = {**words("en").command, **words("en").hierarchies}


def said(language: str) -> dict[str, str]:
    return {**words(language).command, **words(language).hierarchies}


def placeholders(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name is not None}


def test_both_languages_have_the_same_keys_in_the_same_order():
    assert list(said("zh_TW")) == list(KEYS)


@pytest.mark.parametrize("key", KEYS)
def test_both_languages_tell_the_same_figures(key):
    assert placeholders(said("zh_TW")[key]) == placeholders(KEYS[key])


@pytest.mark.parametrize("language", LANGUAGES)
def test_any_console_prints_them(language):
    for text in said(language).values():
        assert text.encode("cp950")


def test_only_words_of_the_glossary():
    text = "".join(said("zh_TW").values())
    strange = ("匿名化", "群組", "泛化", "抑制", "隱藏", "數據", "信息", "分佈", "佔", "記錄", "文件", "默認", "列表")
    assert [one for one in strange if one in text] == []
