"""Text of a table that pretends to be a page: names of columns and cells are shown as text on every screen."""

from __future__ import annotations

import csv

import pytest

from app.running import process
from support.window import LANGUAGES, Windows, windows

SCRIPTS = (  # 46 ways into a page, into a script, an address, a style, a template or a terminal
    "<script>window.ran=1</script>",
    "</script><script>window.ran=1</script>",
    "<ScRiPt>window.ran=1</sCrIpT>",
    "<script src=//evil.example/x.js></script>",
    "<script\n>window.ran=1</script\n>",
    "<img src=x onerror=window.ran=1>",
    "<img src=x onerror='alert(1)'>",
    '"><img src=x onerror=alert(1)>',
    "'><img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)',
    "' onfocus='alert(1)' autofocus='",
    '" autofocus onfocus=alert(1) x="',
    "<svg onload=alert(1)>",
    "<svg><script>window.ran=1</script></svg>",
    "<svg><animate onbegin=alert(1) attributeName=x dur=1s>",
    "<math><mtext></mtext><img src=x onerror=alert(1)></math>",
    "<iframe src=javascript:alert(1)>",
    "<iframe srcdoc='<script>parent.ran=1</script>'>",
    "<object data=javascript:alert(1)>",
    "<embed src=//evil.example/x>",
    "<base href=//evil.example/>",
    "<meta http-equiv=refresh content=0;url=//evil.example/>",
    "<link rel=stylesheet href=//evil.example/x.css>",
    "<style>@import '//evil.example/x.css';</style>",
    "</style><h1>big</h1>",
    "<body onload=alert(1)>",
    "<details open ontoggle=alert(1)>",
    "<marquee onstart=alert(1)>",
    "<video><source onerror=alert(1)></video>",
    "<form action=//evil.example/><button>press</button></form>",
    "</form><form action=/undo method=post>",
    "<input autofocus onfocus=alert(1)>",
    "<a href=javascript:alert(1)>a</a>",
    "javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "<!--><script>window.ran=1</script>-->",
    "]]><script>window.ran=1</script>",
    "</title><script>window.ran=1</script>",
    "</textarea><script>window.ran=1</script>",
    "</template></noscript><img src=x onerror=alert(1)>",
    "&lt;script&gt;window.ran=1&lt;/script&gt;",
    "&#60;img src=x onerror=alert(1)&#62;",
    "{{ 7 * 191 }}{% print(7 * 191) %}",
    "${7 * 191} {rows} {0!r} %(rows)s",
    '"}]} \'\'\'""" \\"; window.ran=1; //',
    '"; rm -rf $(pwd) `pwd` && | > out #',
)
EACH = 6  # people who share a cell: enough for it to be shown
SCREENS = ("/", "/columns", "/hierarchies", "/requirements", "/explore", "/compare", "/release", "/text")
FOUND = r"""() => ({
  ran: window.ran, title: document.title, h1: document.querySelectorAll("h1").length,
  tags: [...document.querySelectorAll("iframe, object, embed, base, style, math, marquee, video, body body")].length,
  metas: document.querySelectorAll("meta[http-equiv]").length,
  scripts: [...document.scripts].map((one) => one.getAttribute("src"))
    .filter((one) => !/^\/[\w-]+\/static\/\w+\.js$/.test(one)),
  handlers: [...document.querySelectorAll("*")].flatMap((one) => one.getAttributeNames())
    .filter((one) => one.startsWith("on")),
  away: [...document.querySelectorAll("[href], [action], [formaction], [src]")]
    .map((one) => one.href?.baseVal ?? one.href ?? one.formAction ?? one.action ?? one.src)
    .filter((one) => typeof one === "string" && !one.startsWith(location.origin) && !one.startsWith("#")),
})"""
NOTHING = {"ran": None, "h1": 1, "tags": 0, "metas": 0, "scripts": [], "handlers": [], "away": []}


def quoted(text: str) -> str:
    """Write a text for TOML."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


@pytest.fixture(scope="module")
def shown(browser, tmp_path_factory):
    """A project in which all text is hostile: names of all columns, all cells, reasons, and labels of groups."""
    folder = tmp_path_factory.mktemp("hostile")
    with (folder / "table.csv").open("w", encoding="utf-8", newline="") as file:
        write = csv.writer(file)
        write.writerow(SCRIPTS)
        for number in range(len(SCRIPTS)):
            write.writerows([[*SCRIPTS[number:], *SCRIPTS[:number]]] * EACH)
    known, grouped = SCRIPTS[:3], SCRIPTS[0]
    groups = {SCRIPTS[number % 3 + 3]: SCRIPTS[number::3] for number in range(3)}
    lines = [
        *("version = 1", f"title = {quoted(SCRIPTS[24])}", "[data]", 'original = "table.csv"', 'delimiter = ","'),
        *('released = "released.csv"', "[report]", 'html = "report.html"', "[roles]"),
        f"quasi_identifiers = [{', '.join(map(quoted, known))}]",
        f"sensitive = [{', '.join(map(quoted, SCRIPTS[3:5]))}]",
        f"identifiers = [{quoted(SCRIPTS[5])}]",
        f"insensitive = [{', '.join(map(quoted, SCRIPTS[6:40]))}]",
        f"[hierarchies.{quoted(grouped)}.parents]",
        *(f"{quoted(one)} = {quoted(name)}" for name, inside in groups.items() for one in inside),
        *("[[require]]", 'measure = "k-anonymity"', "k = 6", f"why = {quoted(SCRIPTS[7])}"),
    ]
    (folder / "policy.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    with process("policy.toml", cwd=folder) as app, windows(browser, app) as one:
        yield one


def looked_at(page) -> str:
    """Return the text of a page, after making sure that it has nothing but text of the table."""
    page.wait_for_timeout(200)  # what would run has run
    found = page.evaluate(FOUND)
    assert found.pop("title").startswith("PETWorks")
    assert found == NOTHING
    return page.inner_text("body")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_screen_shows_text(shown: Windows, language):
    page = shown.open("/columns", language)
    page.wait_for_selector("[data-rows]")
    for screen in SCREENS:
        page.goto(shown.app.address + screen)
        text = looked_at(page)
        assert "1337" not in text  # 7 * 191
    page.close()
    shown.check()


def test_names_are_shown_as_they_are(shown: Windows):
    page = shown.open("/columns")
    page.wait_for_selector("[data-rows]")
    text = page.inner_text("main")
    while page.locator(".parts [rel=next]").count():
        with page.expect_navigation():
            page.click(".parts [rel=next]")
        text += page.inner_text("main")
    text = " ".join(text.split())
    seen = [one for one in SCRIPTS if " ".join(one.split()).replace("<script >", "<script␊>") in text]
    assert len(seen) >= len(SCRIPTS) - 2  # line ends are shown as signs
    page.close()


def test_what_is_found_by_name_is_text(shown: Windows):
    page = shown.open("/columns")
    for one in (SCRIPTS[7], SCRIPTS[9], SCRIPTS[38]):
        page.fill("#find-name", one)
        page.press("#find-name", "Enter")
        page.wait_for_url("**/columns?**")
        assert one in looked_at(page)
        assert page.input_value("#find-name") == one
    page.close()


def test_decisions_about_them_are_text(shown: Windows):
    page = shown.open("/columns?role_asked=open")
    page.wait_for_selector("[data-rows]")
    for _ in range(3):
        with page.expect_response(lambda one: one.request.method == "POST"):
            page.locator(".role-row:not(.decided) [type=radio]").nth(3).check(force=True)
        looked_at(page)
    page.keyboard.press("t")
    page.wait_for_selector("#text-sheet pre")
    assert SCRIPTS[7] in looked_at(page)
    page.close()
    shown.check()
