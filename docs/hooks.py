"""Hooks of MkDocs: the pages of the reference are written from the code, and every measure is in the navigation."""

from __future__ import annotations

import shutil
import sys
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mkdocs.plugins import event_priority
from mkdocs.structure.files import File

sys.path.insert(0, str(Path(__file__).parent))

import reference

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

FIRST = 100  # priority: run before the plug-in that separates the languages


@event_priority(FIRST)
def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put every measure into the navigation, by family."""
    section = next(entry for entry in _entries(config.nav, "Reference") if isinstance(entry, dict))
    section["Measures"] = [{family.capitalize(): paths} for family, paths in reference.navigation().items()]
    return config


@event_priority(FIRST)
def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are generated from the code, in both languages. They are never written to disk."""
    for path in _written():
        files.append(File(path, config.docs_dir, config.site_dir, config.use_directory_urls))
    return files


def on_page_read_source(page: Page, config: MkDocsConfig) -> str | None:  # noqa: ARG001 (as MkDocs calls it)
    """Return the text of a generated page; None for other pages."""
    return _written().get(page.file.src_uri)


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:  # noqa: ARG001
    """Add a label for screen readers to the search, which the theme lacks."""
    name = "搜尋" if page.file.src_uri.endswith(".zh-TW.md") else "Search"
    return output.replace(
        'data-md-component="search" role="dialog"', f'data-md-component="search" role="dialog" aria-label="{name}"'
    )


@event_priority(-FIRST)
def on_post_build(config: MkDocsConfig) -> None:
    """Copy the site map to the folder where the theme looks for it in Chinese."""
    site = Path(config.site_dir)
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
