"""The pages that a browser opens; each is written once, when first used."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import PETWorks as pw
from render.page.releases import EDGES, adult, failing, suppress


@pytest.fixture(scope="session")
def evaluated(tmp_path_factory) -> Callable[[str], pw.Evaluation]:
    """Return an evaluation by name: `fails` and `holds` are Adult, before and after following the advice.

    After `public_` stands the name of an evaluation to be shown to anybody.
    """

    @cache
    def evaluated(name: str) -> pw.Evaluation:
        if name.startswith("public_"):
            return evaluated(name.removeprefix("public_")).public()
        if name in EDGES:
            return EDGES[name]()
        if name == "fails":
            return adult(tmp_path_factory.mktemp("fails"))
        wrong = failing(evaluated("fails"), "k-anonymity", "t-closeness")
        return adult(tmp_path_factory.mktemp("holds"), suppress(wrong))

    return evaluated


@pytest.fixture(scope="session")
def written(evaluated, tmp_path_factory) -> Callable[..., Path]:
    """Write the page of an evaluation, unless another process has, and return its path."""
    base = tmp_path_factory.getbasetemp()
    folder = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def written(name: str, **options: Any) -> Path:
        path = folder / "-".join([name, *map(str, options.values()), ".html"])
        if not path.exists():
            evaluated(name).to_html(path, **options)  # atomic, so another process never reads half a page
        return path

    return written


@pytest.fixture
def opened(browser, written) -> Iterator[Callable[..., Any]]:
    """Open a page, by name or path; afterwards check that there was no message, no dialog and no other request."""
    contexts, heard = [], []

    def opened(page: str | Path, preset: str = "", width: int = 1280, **options: Any) -> Any:
        path = written(page) if isinstance(page, str) else page
        context = browser.new_context(viewport={"width": width, "height": 900}, **options)
        contexts.append(context)
        shown = context.new_page()
        shown.set_default_timeout(60_000)
        shown.on("console", lambda message: heard.append(f"console: {message.text}"))
        shown.on("pageerror", lambda error: heard.append(f"error: {error}"))
        shown.on("dialog", lambda dialog: (heard.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        asked = f"{path.as_uri()}?{preset}"
        shown.on("request", lambda one: heard.append(f"request: {one.url}") if one.url != asked else None)
        shown.goto(asked)
        return shown

    yield opened
    for context in contexts:
        context.close()
    assert heard == []
