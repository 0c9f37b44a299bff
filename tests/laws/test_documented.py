"""Every measure explains itself in its own file."""

import ast
import doctest
import inspect
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

import PETWorks as pw
from PETWorks.plugin import Page
from support.output import LANGUAGES, words
from support.parameters import find_limits, find_parameters

SECTIONS = ("Definition", "Formula", "Example", "Reading", "Reference")
KINDS = pw.measures().values()


@pytest.fixture(params=KINDS, ids=lambda kind: kind.__name__)
def kind(request):
    return request.param


def test_module_docstring_is_a_page(kind):
    page = sys.modules[kind.__module__].__doc__
    lines = page.splitlines()
    assert [line for line in lines if line in SECTIONS] == list(SECTIONS)
    assert lines[0].startswith(kind.name.split()[0][0].upper()) or lines[0].startswith(kind.name)
    assert doctest.DocTestFinder().find(sys.modules[kind.__module__])[0].examples


def test_one_file_one_measure(kind):
    file = Path(inspect.getfile(kind))
    assert [other for other in KINDS if Path(inspect.getfile(other)) == file] == [kind]
    assert file.parent.name == kind.family


def test_the_class_of_a_measure_is_short(kind):
    """It has few lines of code, not counting docstrings and words; formulas stand beside it."""
    source = inspect.getsource(kind)
    texts = [one for one in ast.walk(ast.parse(source)) if is_words(one) or is_docstring(one)]
    text_lines = {line for one in texts for line in range(one.lineno, one.end_lineno + 1)}
    lines = [line for number, line in enumerate(source.splitlines(), 1) if line.strip() and number not in text_lines]
    assert len(lines) <= 85


def is_words(node):
    return isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == "words"


def is_docstring(node):
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def test_words_in_every_language(kind):
    assert set(kind.words) == set(LANGUAGES)


def test_public_by_its_class_name(kind):
    assert getattr(pw, kind.__name__) is kind
    assert kind.__name__ in dir(pw)


@pytest.mark.parametrize("language", LANGUAGES)
def test_parts_that_are_no_columns_have_words(kind, language):
    assert set(kind.fixed_parts) == set(kind.words[language].parts)


def test_own_words_have_the_same_keys_in_every_language(kind):
    first, *others = (kind.words[language] for language in LANGUAGES)
    for name in ("steps", "parts", "terms", "notes", "parameters"):
        assert all(set(getattr(first, name)) == set(getattr(other, name)) for other in others)
    assert all(bool(other.decided) == bool(first.decided) for other in others)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_parameter_is_described_or_a_limit(kind, language):
    """Every parameter that is not a limit has a description; the page describes limits."""
    others = {name for name in find_parameters(kind) if name not in find_limits(kind)}
    assert others <= set(kind.words[language].parameters) <= set(find_parameters(kind))


def test_words_have_the_same_keys_in_every_language():
    first, *others = (words(language) for language in LANGUAGES)
    for other in others:
        for name, value in vars(first).items():
            if isinstance(value, Mapping):
                assert set(value) == set(getattr(other, name))


@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != "en"])
def test_pages_are_translated(kind, language):
    """Every page is complete in the other languages."""
    page = kind.words[language].page
    assert isinstance(page, Page)
    assert all(page)
