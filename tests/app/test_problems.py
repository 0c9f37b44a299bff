"""What is wrong is told in the reader's language first; the English stands below, for those who search for it."""

import re
import tomllib
from pathlib import Path

import pytest

import PETWorks
from app.running import inside
from PETWorks.app.problems import translate_problem
from PETWorks.errors import PETWorksError

HOME = Path(str(PETWorks.__file__)).parent
SENTENCES = tomllib.loads((HOME / "app" / "problems.zh_TW.toml").read_text("utf-8"))["problems"]
TEXTS = "".join(path.read_text("utf-8") for path in HOME.rglob("*.py"))
SOURCE = re.sub(r'"\s*\n\s*f?"', "", TEXTS).replace("\\", "").replace("{stopped}", "")  # of one line each
EMPTY = '[data]\noriginal = "people.csv"\nreleased = "released.csv"\n'


@pytest.mark.parametrize("english", SENTENCES)
def test_every_sentence_is_of_an_error_that_exists(english):
    """Its fixed parts occur in the code: an error that was worded anew loses its sentence here."""
    for part in re.split(r"\{\d\}", english):
        words = re.sub(r"^\W+|\W+$", "", part)
        assert words in SOURCE, words


@pytest.mark.parametrize("english", SENTENCES)
def test_every_sentence_has_the_parts_of_the_english_and_is_chinese(english):
    sentence = SENTENCES[english]
    assert set(re.findall(r"\{\d\}", sentence)) <= set(re.findall(r"\{\d\}", english))
    filled = re.sub(r"\{(\d)\}", lambda place: f"甲{place[1]}", english)
    assert translate_problem(PETWorksError(filled), "zh_TW") == re.sub(r"\{(\d)\}", lambda at: f"甲{at[1]}", sentence)
    assert not re.search(r"[,;:?!]\s", sentence), "punctuation of East Asian width"
    assert "。" in sentence


def test_an_unknown_error_has_no_sentence():
    assert translate_problem(PETWorksError("something else is wrong"), "zh_TW") is None


def test_the_screens_tell_it_in_chinese_with_the_english_below(tmp_path):
    (tmp_path / "people.csv").write_text("zip,age\n100,30\n100,30\n")
    (tmp_path / "policy.toml").write_text(f"version = 1\n{EMPTY}")
    with inside(tmp_path, tmp_path / "policy.toml", "zh_TW") as app:
        text = app.get("/release").text
    assert "尚未設定任何要求。請至「要求」選用範本" in text
    assert "英文訊息" in text
    assert "there is no requirement" in text
    with inside(tmp_path, tmp_path / "policy.toml", "en") as app:
        text = app.get("/release").text
    assert "In English" not in text
    assert "there is no requirement" in text
