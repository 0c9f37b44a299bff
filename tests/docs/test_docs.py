"""The docs: they build, load nothing from elsewhere, run their code, and cover everything public in both languages."""

import argparse
import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from tempfile import gettempdir

import pytest
import yaml
from page_blocks import DOCS, LOCALE, OUTPUT, ROOT, Reader, agrees, blocks, commands, demo_folder, pages

import PETWorks as pw
from PETWorks import errors
from PETWorks.cli.parser import parser

ENGLISH, CHINESE = pages(), pages(LOCALE)
REFERENCE = ROOT / "docs" / "reference.py"
LAW = ("anonymous.zh-TW.md", "glossary.zh-TW.md")  # pages that say what the law says, and which words are not used
FORBIDDEN = ("匿名化", "泛化", "抑制", "群組", "分佈", "佔", "發佈", "無從識別", "資料行", "隱藏", "重新識別", "信息")
PICTURE = 200_000  # the most bytes of a picture
HAN = "\u4e00-\u9fff"
HALF_WIDTH_MARK = re.compile(rf"[{HAN}][,.:;?!()]|[,:;?!()][{HAN}]")
NO_BLANK = re.compile(rf"[{HAN}][A-Za-z0-9α-ω]|[A-Za-z0-9α-ω%][{HAN}]")
STRAY_BLANK = re.compile(r"[，。、；：？！（）「」] | [，。、；：？！（）「」]")
OURS = re.compile(
    "|".join([*map(re.escape, {str(ROOT), str(Path.home()), gettempdir()}), r"[Ii]ssue #?\d", "localhost"])
)


def locale_of(page: Path) -> str:
    return LOCALE if page in CHINESE else ""


def name_of(page: Path) -> str:
    return str(page.relative_to(DOCS)) if page.is_relative_to(DOCS) else str(page)


@pytest.fixture(scope="module")
def written() -> dict[str, dict[str, str]]:
    """The pages that are generated from the code."""
    sys.path.insert(0, str(DOCS))
    try:
        import reference
    finally:
        sys.path.remove(str(DOCS))
    return {locale: reference.pages(locale) for locale in reference.LOCALES}


@pytest.fixture(scope="module")
def demos(tmp_path_factory) -> dict[str, Path]:
    """The folder of the demonstration, in each language."""
    return {locale: demo_folder(tmp_path_factory.mktemp("demo"), locale) for locale in ("", LOCALE)}


# --- what the pages show ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", [*ENGLISH, *CHINESE], ids=name_of)
def test_code_runs_and_prints_what_is_shown(page, demos, tmp_path, monkeypatch):
    if not any(block.kind in ("python", "console", "toml", "yaml") for block in blocks(page.read_text("utf-8"))):
        return
    if page.name.startswith("spark.") and not (find_spec("pyspark") and shutil.which("java")):
        pytest.skip("Spark or Java is not there")
    if repeats_the_english(page):
        return
    monkeypatch.setenv("PETWORKS_LANG", "")
    shutil.copytree(demos[locale_of(page)], tmp_path, dirs_exist_ok=True)
    for block, first, shown, came in Reader(page, tmp_path).follow():
        place = f"{name_of(page)}, line {block.line + first + 1} (python tests/docs/page_blocks.py writes it anew)"
        assert agrees(shown, came), f"{place}\n" + "\n".join(came)


def repeats_the_english(page: Path) -> bool:
    """Return True for a Chinese page whose code and output are those of the English one, which is run."""
    text = page.read_text(encoding="utf-8")
    if locale_of(page) != LOCALE or "zh_TW" in text:
        return False
    english = page.with_name(page.name.replace(f".{LOCALE}", "")).read_text(encoding="utf-8")
    printed = [[one.text for one in blocks(some) if one.kind in ("console", "text")] for some in (text, english)]
    return printed[0] == printed[1] and list(comparable(text)) == list(comparable(english))


def test_python_of_both_languages_is_the_same():
    """Settings and commands are the same in both languages; comments and the `--lang` option may differ."""
    for english in ENGLISH:
        chinese = english.with_suffix(f".{LOCALE}.md")
        both = [list(comparable(page.read_text(encoding="utf-8"))) for page in (english, chinese)]
        assert both[0] == both[1], english


def comparable(text: str) -> Iterator[tuple[str, object]]:
    for block in blocks(text):
        if block.kind == "python":
            yield block.title, ast.dump(ast.parse(block.text.replace('("zh_TW")', "()")))
        elif block.kind == "toml":
            yield block.title, tomllib.loads(block.text)
        elif block.kind == "yaml":
            yield block.title, yaml.safe_load(block.text)
        elif block.kind == "console":
            yield "console", [(one.words.replace(" --lang zh_TW", ""), one.code) for one in commands(block)]
        else:
            yield block.kind, "output" if block.title in OUTPUT else block.title


def test_generated_pages_show_the_same_code_in_both_languages(written):
    for path, english in written["en"].items():
        both = [
            [block.text for block in blocks(text) if block.kind in ("pycon", "python", "json")]
            for text in (english, written[LOCALE][path])
        ]
        assert both[0] == both[1], path


def test_languages_have_the_same_pages_and_headings(written):
    assert [page.with_suffix(f".{LOCALE}.md") for page in ENGLISH] == CHINESE
    assert set(written["en"]) == set(written[LOCALE])
    texts = [(one.read_text("utf-8"), other.read_text("utf-8")) for one, other in zip(ENGLISH, CHINESE, strict=True)]
    texts += [(text, written[LOCALE][path]) for path, text in written["en"].items()]
    for english, chinese in texts:
        assert headings(english) == headings(chinese), english.splitlines()[0]


def headings(text: str) -> list[str]:
    """Return the levels of the headings outside of code blocks."""
    prose = re.sub(r"^( *)```.*?^\1```$", "", text, flags=re.DOTALL | re.MULTILINE)
    return [line.split()[0] for line in prose.splitlines() if re.match(r"#+ ", line)]


# --- everything is in them --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("locale", ["en", LOCALE])
def test_every_public_name_is_documented(written, locale):
    page = written[locale]["reference/python"]
    names = set(pw.__all__) - {kind.__name__ for kind in pw.measures().values()}  # these have pages of their own
    names.remove("Made")  # a former name, which the class that has it now mentions
    assert "`Made`" in page
    assert [name for name in names if not re.search(rf"^## {name}$|^ *[├└│─ ]*{name}\b", page, re.MULTILINE)] == []
    assert [name for name in vars(errors) if name.endswith("Error") and name not in page] == []


@pytest.mark.parametrize("locale", ["en", LOCALE])
def test_every_measure_is_documented(written, locale):
    for name, kind in pw.measures().items():
        path = f"reference/measures/{kind.__module__.rpartition('.')[2].replace('_', '-')}"
        text = written[locale][path]
        assert kind.words[locale.replace("-", "_")].title in text
        assert f"`{name}`" in text
        assert f"PETWorks.{kind.__name__}" in text
        assert f"measures/{path.rpartition('/')[2]}.md" in written[locale]["reference/index"]


@pytest.mark.parametrize("locale", ["en", LOCALE])
def test_every_command_and_option_is_documented(written, locale):
    text = written[locale]["reference/command-line"]
    for name, command in parser().commands.items():
        command.complete()
        assert f"## petworks {name}\n" in text
        shown = [action for action in command._actions if action.help is not argparse.SUPPRESS]
        options = [one for action in shown for one in action.option_strings]
        assert [one for one in options if not re.search(rf"`{re.escape(one)}[` ]", text)] == []
    assert "MODULE:NAME" in text


def test_differences_in_chinese_are_up_to_date():
    done = subprocess.run(
        [sys.executable, "-c", "import differences; print(differences.chinese_page(), end='')"],
        cwd=DOCS,
        env={**os.environ, "PYTHONUTF8": "1"},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    page = (DOCS / "differences.zh-TW.md").read_text(encoding="utf-8")
    assert page == done.stdout, "run: python docs/differences.py"


# --- how they are written ---------------------------------------------------------------------------------------------


def prose(text: str) -> str:
    """Remove code and the targets of links."""
    text = re.sub(r"^( *)```.*?^\1```$", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"``.+?``|`[^`\n]+`", "@", text)
    text = re.sub(r"\]\([^)]*\)(\{[^}]*\})?", "]", text)
    text = re.sub(r"\{ [.#][^}]*\}|\\(?=[*_\[\]<>|#])|^[ >#-]+|\*\*", "", text, flags=re.MULTILINE)
    return re.sub(r" *\| *|<br>", "\n", text)


def test_chinese_as_written_in_taiwan(written):
    texts = {name_of(page): page.read_text(encoding="utf-8") for page in CHINESE} | written[LOCALE]
    found = []
    for name, text in texts.items():
        for line in map(str.strip, prose(text).splitlines()):
            words = [word for word in FORBIDDEN if word in line and not name.endswith(LAW)]
            marks = [mark[0] for rule in (HALF_WIDTH_MARK, NO_BLANK, STRAY_BLANK) for mark in rule.finditer(line)]
            found += [(name, problem, line) for problem in (*words, *marks)]
    assert found == []


def test_pages_speak_of_nobodys_machine(written):
    texts = {name_of(page): page.read_text(encoding="utf-8") for page in (*ENGLISH, *CHINESE)}
    for locale in written:
        texts |= {f"{locale} {path}": text for path, text in written[locale].items()}
    assert [(name, found[0]) for name, text in texts.items() if (found := OURS.search(text))] == []


def test_pictures_are_small():
    pictures = [*(DOCS / "images").glob("*.png")]
    assert len(pictures) > 2
    assert [picture for picture in pictures if not 0 < picture.stat().st_size < PICTURE] == []


@pytest.mark.parametrize("page", [*pages(), *pages(LOCALE)], ids=lambda page: page.name)
def test_an_output_shows_something(page):
    assert [one.line for one in blocks(page.read_text(encoding="utf-8")) if one.title in OUTPUT and not one.lines] == []
