"""The words of both languages stand in the same files, under the same keys, in the same order."""

from pathlib import Path

import pytest

from PETWorks import render
from PETWorks.render.words import FILES, read_texts
from support.output import LANGUAGES


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_file_of_words_is_read(language):
    folder = Path(render.__file__).parent / "words" / language
    known = {"shared", *(file for files in FILES.values() for file in files)}
    assert {path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob("*.toml")} == known


@pytest.mark.parametrize("field", FILES)
def test_files_of_words_have_the_same_keys_in_the_same_order_and_none_twice(field):
    for file in FILES[field]:
        first, *others = ([*read_texts(language, file)] for language in LANGUAGES)
        assert [first] * len(others) == others
    keys = [key for file in FILES[field] for key in read_texts("en", file)]
    assert len(keys) == len(set(keys))
