"""The site: it builds, loads nothing from elsewhere, and its links lead somewhere; so do links in a checkout."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from page_blocks import DOCS, ROOT, pages

import PETWorks as pw

needs_mkdocs = pytest.mark.skipif(find_spec("mkdocs") is None, reason="mkdocs is not installed: pip install '.[docs]'")


class Links(HTMLParser):
    """A parser that collects the links and the anchors of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.followed: list[str] = []
        self.ids: set[str] = set()
        self.language = ""
        self.classes: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag, attrs) -> None:
        given = {name: value or "" for name, value in attrs}
        self.ids |= {given[name] for name in ("id", "name") if name in given}
        self.classes |= set(given.get("class", "").split())
        if tag == "html":
            self.language = given["lang"]
        followed = tag == "a" or (tag == "link" and given.get("rel") in ("alternate", "next", "prev"))
        if followed and "href" in given:
            self.followed.append(given["href"])
        else:
            self.fetched += [given[name] for name in ("src", "href", "srcset", "data", "poster") if given.get(name)]


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONWARNINGS": "default"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stdout + done.stderr
    return folder


@needs_mkdocs
def test_site(site):
    """It builds strictly; no page asks for anything from elsewhere; every link within it leads somewhere."""
    html = {path: Links(path.read_text(encoding="utf-8")) for path in site.rglob("*.html") if path.name != "404.html"}
    assert len(html) == 2 * (len(pages()) + len(pw.measures()) + 5)
    assert [problem for path, page in html.items() for problem in astray(path, page, html)] == []
    assert {page.language for path, page in html.items() if "zh-TW" in path.parts} == {"zh-TW"}
    assert not any("mermaid" in page.classes for page in html.values())  # the theme would fetch a script for these
    for sheet in site.rglob("*.css"):
        assert not re.search(r"(url\(\s*['\"]?|@import\s+['\"])(https?:)?//", sheet.read_text(encoding="utf-8")), sheet
    found = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))["docs"]
    for word in ("Earth Mover", "推土機距離"):
        assert any(word in entry["text"] for entry in found)


def astray(path: Path, page: Links, html: dict[Path, Links]) -> Iterator[str]:
    for link in page.fetched:
        if urlsplit(link).scheme not in ("", "data") or link.startswith("//"):
            yield f"{path.name} fetches {link}"
    for link in (*page.fetched, *page.followed):
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        target = target / "index.html" if target.is_dir() else target
        if not target.is_file():
            yield f"{path}: {link} leads nowhere"
        elif parts.fragment and target in html and unquote(parts.fragment) not in html[target].ids:
            yield f"{path}: there is no place {link}"


@needs_mkdocs
@pytest.mark.parametrize(
    ("page", "typed"),
    [
        ("index", ["petworks demo"]),
        ("index", ["petworks check petworks-demo/policy.toml", "echo $?"]),
        ("reference/measures/k-anonymity", ["from PETWorks import"]),
    ],
)
def test_what_is_copied_of_a_session_is_what_is_typed(site, page, typed):
    text = (site / f"{page}.html").read_text(encoding="utf-8")
    copied = re.findall(r'<div class="highlight" data-copy="([^"]*)"', text)
    assert any(all(part in one for part in typed) for one in copied)
    assert not any(re.search(r"^(\$|&gt;&gt;&gt;|\.\.\.) ", one, re.MULTILINE) for one in copied)
    assert not any("Wrote petworks-demo" in one or "requirements do not hold" in one for one in copied)


@needs_mkdocs
@pytest.mark.parametrize(("page", "word"), [("index", "Earth Mover"), ("zh-TW/tutorial", "推土機")])
def test_search_works_on_pages_opened_as_files(site, browser, page, word):
    with browser.new_context() as context:
        shown = context.new_page()
        asked: list[str] = []
        shown.on("request", lambda request: asked.append(request.url))
        shown.goto((site / f"{page}.html").as_uri())
        shown.fill("input[data-md-component=search-query]", word)
        shown.keyboard.press("End")  # the theme looks when a key is released
        shown.wait_for_selector(".md-search-result__item", timeout=60_000, state="attached")
        assert [one for one in asked if not one.startswith(("file:", "data:"))] == []


# Read in a checkout, or where a Git server shows it.

LINK = re.compile(r"\]\(([^)\s]+)\)")
PAGES = [
    *DOCS.rglob("*.md"),
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "data/README.md")),
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere_in_a_checkout(page):
    text = re.sub(r"^( *)```.*?^\1```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    for link in LINK.findall(text):
        parts = urlsplit(link)
        if parts.scheme or not parts.path:
            continue
        target = page.parent / unquote(parts.path)
        assert target.exists(), link
        chinese = target.with_suffix(f".zh-TW{target.suffix}")
        assert not (page.name.endswith(".zh-TW.md") and chinese.exists()), f"{link}: link to {chinese.name}"
