"""A file that was read as CP950 by guess: every format says so, once; an encoding that was given needs no words."""

import pytest

from PETWorks.render.formats import list_format_names
from support.process import petworks

POLICY = """\
version = 1
[data]
released = "t.csv"
original = "t.csv"
{encoding}
[roles]
quasi_identifiers = ["性別"]
the_rest = "insensitive"
[[require]]
measure = "k-anonymity"
k = 1
[[require]]
measure = "Precision"
at_least = 0
[anonymize]
"""
SAID = {"en": "is not UTF-8; no encoding was given", "zh_TW": "不是 UTF-8 編碼，亦未指定編碼"}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "t.csv").write_bytes("性別,年齡\n男,1\n女,2\n".encode("cp950"))
    for name, encoding in {"guessed": "", "given": 'encoding = "cp950"'}.items():
        (tmp_path / f"{name}.toml").write_text(POLICY.format(encoding=encoding), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("language", SAID)
@pytest.mark.parametrize("form", list_format_names())
@pytest.mark.parametrize("audience", ["internal", "public"])
def test_every_format_tells_a_guess(folder, form, language, audience):
    told = ["--format", form, "--audience", audience, "--lang", language]
    sign = '"kind": "encoding"' if form == "json" else SAID[language]
    commands = [["evaluate", "t.csv", "-q", "性別"], ["check", "guessed.toml"]]
    for command in commands:
        answer = petworks(*command, *told, cwd=folder).stdout
        assert sign in answer
        assert form not in ("text", "markdown") or answer.count(sign) == 1
    assert sign not in petworks("check", "given.toml", *told, cwd=folder).stdout


def test_explanations_and_releases_that_are_made_tell_a_guess(folder):
    for command in (["explain", "guessed.toml", "k-anonymity"], ["anonymize", "guessed.toml", "-o", "made.csv"]):
        assert SAID["en"] in " ".join(petworks(*command, cwd=folder).stdout.split())


@pytest.mark.parametrize("language", SAID)
@pytest.mark.parametrize("form", ["text", "json", "html", "markdown"])
@pytest.mark.parametrize("audience", ["internal", "public"])
def test_a_comparison_tells_a_guess(folder, form, language, audience):
    (folder / "u.csv").write_bytes((folder / "t.csv").read_bytes())
    told = ["--format", form, "--audience", audience, "--lang", language]
    answer = petworks("compare", "t.csv", "u.csv", "--policy", "guessed.toml", *told, cwd=folder).stdout
    sign = '"kind": "encoding"' if form == "json" else SAID[language]
    assert " ".join(answer.split()).count(sign) == 2  # once for each file
    given = petworks("compare", "t.csv", "u.csv", "--policy", "given.toml", *told, cwd=folder).stdout
    assert sign not in given
