"""Hooks of MkDocs: the pages of the reference are written from the code, and every measure is in the navigation."""

from __future__ import annotations

import re
import shutil
import sys
from functools import lru_cache
from html import escape, unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mkdocs.plugins import event_priority

sys.path.insert(0, str(Path(__file__).parent))

import reference

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

SESSION = re.compile(r'(<div class="highlight")(>(?:(?!</div>).)*?<span class="gp">.*?</div>)', re.DOTALL)
PROMPTED = re.compile(r"^(?:\$|>>>) ((?:.*\\\n)*.*(?:\n\.\.\. .*)*)$", re.MULTILINE)  # and lines that go on
FIRST = 100  # priority: run before the plug-in that separates the languages


@event_priority(FIRST)
def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put every measure into the navigation, by family."""
    section = next(entry for entry in _entries(config.nav, "Reference") if isinstance(entry, dict))
    section["Measures"] = [{family.capitalize(): paths} for family, paths in reference.navigation().items()]
    return config


def on_page_read_source(page: Page, config: MkDocsConfig) -> str | None:  # noqa: ARG001 (as MkDocs calls it)
    """Return the text of a page of the reference, which is generated from the code; None for other pages."""
    return _written().get(page.file.src_uri)


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Let the button of a session copy what is typed only: the theme copies `data-copy`, where there is one."""
    return SESSION.sub(lambda block: f'{block[1]} data-copy="{escape(_typed(block[2]))}"{block[2]}', html)


def _typed(block: str) -> str:
    """Return what is typed in a session, without prompts and output."""
    text = unescape(re.sub(r"<[^>]*>", "", block.partition(">")[2]))
    return re.sub(r"^\.\.\. ", "", "\n".join(PROMPTED.findall(text)), flags=re.MULTILINE)


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:  # noqa: ARG001
    """Add a label for screen readers to the search, which the theme lacks."""
    name = "搜尋" if page.file.src_uri.endswith(".zh-TW.md") else "Search"
    return output.replace(
        'data-md-component="search" role="dialog"', f'data-md-component="search" role="dialog" aria-label="{name}"'
    )


@event_priority(-FIRST)
def on_post_build(config: MkDocsConfig) -> None:
    """Add the search for pages opened as files; copy the site map to where the theme looks for it in Chinese."""
    site = Path(config.site_dir)
    index = site / "search" / "search_index.json"
    if index.is_file():
        script = f"var __index = {index.read_text(encoding='utf-8')}"  # what the theme loads on pages opened as files
        index.with_suffix(".js").write_text(script, encoding="utf-8")
    if (site / "sitemap.xml").is_file() and (site / "zh-TW").is_dir():
        shutil.copy(site / "sitemap.xml", site / "zh-TW" / "sitemap.xml")


@lru_cache
def _written() -> dict[str, str]:
    suffixes = {"en": "", "zh-TW": ".zh-TW"}
    return {
        f"{path}{suffix}.md": text
        for locale, suffix in suffixes.items()
        for path, text in reference.pages(locale).items()
    }


def _entries(nav: Any, title: str) -> Any:  # noqa: ANN401 (as MkDocs reads it)
    return next(entry[title] for entry in nav if title in entry)
