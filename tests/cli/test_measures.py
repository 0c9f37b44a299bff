"""``petworks measures``: the list, and a page for each."""

import re

import pytest

import PETWorks as pw
from PETWorks.cli.measures import _list, _write_page
from PETWorks.cli.parameters import write_option
from support.output import LANGUAGES, display_width, words
from support.parameters import find_parameters
from support.process import petworks


def test_list():
    run = petworks("measures")
    assert (run.returncode, run.stderr) == (0, "")
    lines = run.stdout.splitlines()
    assert any(re.fullmatch(r"privacy  k-anonymity +smallest class +at least --k", line) for line in lines)
    assert lines[-1] == f"{len(pw.measures())} measures. Details of one: petworks measures t-closeness"


@pytest.mark.parametrize("language", LANGUAGES)
def test_list_names_everything_in_80_columns(language):
    lines = list(_list(language))
    assert max(map(display_width, lines)) <= 80
    text = "\n".join(lines)
    assert text.encode("cp950")
    for kind in pw.measures().values():
        assert kind.name in text
        assert all(write_option(name) in text for name in find_parameters(kind))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", pw.measures().values(), ids=lambda kind: kind.__name__)
def test_page(kind, language):
    lines = list(_write_page(kind, language))
    text = "\n".join(lines)
    assert text.encode("cp950")
    prose = [line for line in lines if ">>>" not in line and not line.startswith("    ...")]
    assert sum(display_width(line) > 80 for line in prose) <= 2  # what examples print stays as it is
    sections = ("definition", "formula", "example", "reading", "reference")
    assert all(words(language).command[f"cli_page_{section}"] in text for section in sections)
    assert all(write_option(name) in text for name in find_parameters(kind))
    assert kind.words[language].title in text


def test_page_in_a_process():
    run = petworks("measures", "t_closeness", "--lang", "zh_TW")
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.startswith("t-相似性（t-closeness）\n")
    assert "    --t NUMBER\n        門檻（至多）" in run.stdout
