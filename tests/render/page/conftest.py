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


@pytest.fixture(scope="session")
def tabs(browser) -> Iterator[Callable[..., list[Any]]]:
    """Return the tabs of a context with these options that no test uses. A tab that is there need not be started."""
    contexts = dict[tuple, Any]()
    free = dict[tuple, list[Any]]()

    def tabs(**options: Any) -> list[Any]:
        key = (*sorted(options.items()),)
        if key not in contexts:
            contexts[key], free[key] = browser.new_context(**options), []
        if not free[key]:
            page = contexts[key].new_page()
            page.set_default_timeout(60_000)
            free[key].append(page)
        return free[key]

    yield tabs
    for context in contexts.values():
        context.close()


@pytest.fixture
def opened(tabs, written) -> Iterator[Callable[..., Any]]:
    """Open a page, by name or path; afterwards check that there was no message, no dialog and no other request."""
    used, heard = [], []

    def opened(page: str | Path, preset: str = "", width: int = 1280, **options: Any) -> Any:
        path = written(page) if isinstance(page, str) else page
        asked = f"{path.as_uri()}?{preset}"
        listening = {
            "console": lambda message: heard.append(f"console: {message.text}"),
            "pageerror": lambda error: heard.append(f"error: {error}"),
            "dialog": lambda dialog: (heard.append(f"dialog: {dialog.message}"), dialog.dismiss()),
            "request": lambda one: heard.append(f"request: {one.url}") if one.url != asked else None,
        }
        free = tabs(**options)
        shown = free.pop()
        used.append((free, shown, listening))
        for event, listen in listening.items():
            shown.on(event, listen)
        shown.mouse.move(0, 0)  # as in a new tab: nothing is pointed at, and it is shown on a screen
        shown.emulate_media(media="null")
        shown.set_viewport_size({"width": width, "height": 900})
        shown.goto(asked)
        return shown

    yield opened
    for free, shown, listening in used:
        for event, listen in listening.items():
            shown.remove_listener(event, listen)
        free.append(shown)
    assert heard == []
