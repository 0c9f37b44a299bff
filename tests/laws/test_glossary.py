"""Chinese as written in Taiwan, one word for each concept: no text has a word that the glossary excludes."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass

import pytest

import PETWorks as pw
from support.output import words

FORBIDDEN = ("匿名化", "泛化", "抑制", "群組", "分佈", "佔", "發佈", "無從識別", "資料行", "隱藏", "重新識別", "信息")
LEGAL = "legal"  # the one sentence that may say what the law says
# figures that are filled with Chinese words
OURS = {"why", "measure", "title", "variant", "distance", "form", "topic", "kind", "unit", "records"}

HAN = "\u4e00-\u9fff"
HALF_WIDTH_MARK = re.compile(rf"[{HAN}][,.:;?!()\[\]]|[,.:;?!()\[\]][{HAN}]")
NO_SPACE = re.compile(rf"[{HAN}][A-Za-z0-9α-ω@]|[A-Za-z0-9α-ω%@][{HAN}]")
STRAY_SPACE = re.compile(r"[，。、；：？！（）「」／] | [，。、；：？！（）「」／]")
PLACEHOLDER = re.compile(r"\{(\w*)[^{}]*\}")


def texts(found: object, name: str = "") -> Iterator[tuple[str, str]]:
    """Yield all texts in a nested object, with their names."""
    if isinstance(found, str):
        yield name, found
    elif isinstance(found, Mapping):
        for key, value in found.items():
            yield from texts(value, f"{name}.{key}")
    elif is_dataclass(found):
        yield from texts(vars(found), name)
    elif isinstance(found, tuple):
        yield from texts(found._asdict() if hasattr(found, "_asdict") else dict(enumerate(found)), name)


CHINESE = [
    *texts(vars(words("zh_TW")), "words"),
    *(text for kind in pw.measures().values() for text in texts(kind.words["zh_TW"], kind.__name__)),
]
PROSE = [(name, text) for name, text in CHINESE if not name.endswith(".page.formula")]


def filled(template: str) -> str:
    """Replace each figure by a Latin letter, or by a Han character if its value will be Chinese."""
    return PLACEHOLDER.sub(lambda figure: "字" if figure[1] in OURS else "@", template)


def test_there_are_words():
    assert len(CHINESE) > 700
    assert all(any(name.startswith(f"{kind.__name__}.page") for name, _ in CHINESE) for kind in pw.measures().values())


@pytest.mark.parametrize("word", FORBIDDEN)
def test_words_that_the_glossary_rules_out(word):
    assert [name for name, text in CHINESE if word in text and name.rpartition(".")[2] != LEGAL] == []


def test_marks_beside_han_are_full_width():
    assert [(name, text) for name, text in PROSE if HALF_WIDTH_MARK.search(filled(text))] == []


def test_a_blank_between_han_and_latin():
    assert [(name, text) for name, text in PROSE if NO_SPACE.search(filled(text))] == []


def test_no_blank_beside_full_width_marks():
    assert [(name, text) for name, text in PROSE if STRAY_SPACE.search(filled(text))] == []
