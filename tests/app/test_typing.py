"""Nothing typed is ever lost: keys, paste and an input method in every field of every screen, while answers come in.

`PETWORKS_STRINGS=60 pytest tests/app/test_typing.py` types so many texts into each field.
"""

from __future__ import annotations

import os
import random
import time
from itertools import cycle, islice

import pytest

from app.running import process
from support.window import windows

EACH = int(os.environ.get("PETWORKS_STRINGS", "4"))
TABLE = ["sex;age;town;birth;code;illness"] + [
    f"{'mf'[n % 2]};{30 + n % 4};{'ABC'[n % 3]};198{n % 5}-0{1 + n % 9}-11;C{n % 4}{n % 3};{'xyz'[n % 3]}"
    for n in range(60)
]
POLICY = """version = 1
[data]
original = "people.csv"
released = "released.csv"
[report]
html = "report.html"
[roles]
quasi_identifiers = ["sex", "age", "town", "birth", "code"]
sensitive = ["illness"]
[hierarchies.age]
intervals = [2, 4]
bottom = 30
top = 34
[hierarchies.town]
parents = { A = "north", B = "north", C = "south" }
[[require]]
measure = "k-anonymity"
k = 2
[[require]]
measure = "context risk"
attempts.insider = 0.1
risk = "highest"
adversary = "prosecutor"
limit = 0.9
[anonymize]
suppress_at_most = "5%"
"""
SCREENS = {
    "/": "table.prev",
    "/columns": "#find-name",
    "/hierarchies/1?builder=ordered": "#builder",
    "/hierarchies/2?builder=intervals": "#levels",
    "/hierarchies/2?builder=quantiles": "#builder",
    "/hierarchies/3?builder=parents": "table.hand",
    "/hierarchies/5?builder=digits": "#builder",
    "/hierarchies/5?builder=file": "#builder",
    "/requirements": ".rq .now .badge",
    "/explore": "#search:not([data-poll])",
    "/release": "#name",
}
TEXTS = (
    "IRB 113-07",
    "Ethics board, 2026/11/18 (no. 7)",
    "a  b",
    "決議",
    "IRB 決議 113-07",
    "臺北市中正區",
    '"quoted" & <tag>',
    "zoë 1/3 9% = 0.09",
)
COMPOSED = (  # what an input method shows in turn, and what it commits
    (("ㄨ", "ㄨㄟ", "ㄨㄟˇ", "委", "委ㄩ", "委員"), "委員會決議"),
    (("ㄓ", "ㄓㄥ", "正"), "正"),
    (("n", "ni", "ni h", "你好"), "你好"),
)
ANSWERS = """() => {  // the screen is asked for again and again: each answer replaces what may be replaced
  const link = Object.assign(document.createElement("a"), { hidden: true });
  const query = location.pathname.endsWith("/explore") ? "/search?seen=0" : location.search;
  link.href = location.pathname + query;
  link.dataset.part = "";
  document.body.append(link);
  window.storm = setInterval(() => link.click(), 40);
}"""
FIELDS = """() => [...document.querySelectorAll("main input, main textarea")]
  .filter((one) => /^(text|search|number|textarea)$/.test(one.type))
  .map((one, n) => [n, one.type, one.maxLength])"""
FOCUS = """(number) => {  // unfold what the field is in, and go there; return it
  const fields = [...document.querySelectorAll("main input, main textarea")];
  const one = fields.filter((one) => /^(text|search|number|textarea)$/.test(one.type))[number];
  for (let fold = one.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  one.focus();
  return one;
}"""


@pytest.fixture(scope="module")
def shown(browser, tmp_path_factory):
    folder = tmp_path_factory.mktemp("typing")
    (folder / "people.csv").write_text("\n".join(TABLE) + "\n", encoding="utf-8")
    project = folder / "people-project"
    project.mkdir()
    (project / "policy.toml").write_text(POLICY.replace('"people.csv"', '"../people.csv"'), encoding="utf-8")
    with process("people-project", cwd=folder) as app, windows(browser, app) as one:
        yield one


@pytest.fixture
def page(shown):
    opened = []

    def at(path: str, wanted: str = "", **options):
        page = shown.open(path, **options)
        opened.append(page)
        page.wait_for_selector(wanted or SCREENS[path], state="attached", timeout=30_000)
        page.evaluate("document.querySelectorAll('main details').forEach((one) => { one.open = true; })")
        return page

    yield at
    for one in opened:
        one.close()
    shown.check()


class Typist:
    """Types into a field, by keys, by paste and by an input method, and knows what must stand there."""

    def __init__(self, page, number: int, kind: str, limit: int, seed: int) -> None:
        self.page, self.kind, self.limit, self.random = page, kind, limit, random.Random(seed)
        self.field = page.evaluate_handle(FOCUS, number).as_element()
        self.devtools = page.context.new_cdp_session(page)
        self.expected, self.texts = "", 0

    def begin(self) -> None:
        """Go to the field, and take away what is there."""
        self.page.keyboard.press("Control+a")
        self.page.keyboard.press("Delete")
        self.expected = ""

    def type(self, text: str, milliseconds: float) -> None:
        for sign in text:
            self.page.keyboard.type(sign)
            if milliseconds:
                time.sleep(self.random.uniform(0.7, 1.3) * milliseconds / 1000)
        self._note(text)

    def paste(self, text: str) -> None:
        self.devtools.send("Input.insertText", {"text": text})
        self._note(text)

    def compose(self, shown: tuple[str, ...], text: str, milliseconds: float) -> None:
        for one in shown:
            place = {"selectionStart": len(one), "selectionEnd": len(one)}
            self.devtools.send("Input.imeSetComposition", {"text": one, **place})
            time.sleep(milliseconds / 1000)
        self.devtools.send("Input.insertText", {"text": text})
        self._note(text)

    def _note(self, text: str) -> None:
        self.expected += text
        self.texts += 1

    def check(self) -> None:
        """Fail if a character is missing, or if the field is not the element any more that it was."""
        found, same = self.field.evaluate("(one) => [one.value, one.isConnected && one === document.activeElement]")
        assert same, "the field was replaced"
        assert found == self.expected, (self.field.get_attribute("name"), found, self.expected)


def fill(typist: Typist) -> None:
    """Type the texts into one field, in all ways that it takes."""
    slow = typist.random.uniform(30, 200)
    texts = islice(cycle(typist.random.sample(TEXTS, len(TEXTS))), EACH)
    if typist.kind == "number":
        texts = [str(typist.random.randint(1, 99)) for _ in range(EACH)]
    for n, whole in enumerate(texts):
        if n % 6 == 0 or 0 < typist.limit < 60:
            typist.begin()
        text = whole[: typist.limit] if 0 < typist.limit < 60 else whole
        typist.type(text, slow if n == 0 else 2)
        if typist.kind != "number" and not 0 < typist.limit < 60:
            typist.paste("附件 3, p. 7")
            typist.compose(*typist.random.choice(COMPOSED), 40 if n == 0 else 3)
        typist.check()


@pytest.mark.parametrize("path", SCREENS)
def test_every_field_keeps_what_is_typed_while_answers_come(shown, page, path):
    one = page(path)
    fields = one.evaluate(FIELDS)
    assert fields, "a screen without fields need not be here"
    if path != "/":  # its answers lead to other pages; see below
        one.evaluate(ANSWERS)
    asked, texts = len(shown.proxy.asked), 0
    for number, kind, limit in fields:
        typist = Typist(one, number, kind, limit, seed=number)
        fill(typist)
        texts += typist.texts
        typist.field.evaluate("(one) => { one.value = one.defaultValue; }")  # nothing is left to be saved
    assert texts >= EACH
    assert path == "/" or len(shown.proxy.asked) - asked >= texts // 4, "answers came in between"


def test_what_is_typed_into_a_form_that_sends_itself_is_saved(page):
    """From field to field at the speed of a typist: each answer comes while the next field is typed into."""
    one = page("/requirements")
    for name in ("why", "source", "clause"):
        one.focus(f"#r1-{name}")
        one.keyboard.type(f"IRB 決議 113-07, {name}", delay=30)
        one.keyboard.press("Tab")
    one.wait_for_timeout(400)
    one.reload()
    for name in ("why", "source", "clause"):
        assert one.input_value(f"#r1-{name}") == f"IRB 決議 113-07, {name}"


def test_what_is_typed_while_a_table_is_counted_stays(browser, tmp_path):
    with (tmp_path / "large.csv").open("w") as file:
        file.write("id;age;zip;sex\n")
        file.writelines(f"{row};{row % 90};{row % 7919};{row % 2}\n" for row in range(700_000))
    with process("large.csv", cwd=tmp_path) as app, windows(browser, app) as shown:
        page = shown.open("/")
        page.wait_for_selector("#answer progress")
        page.focus("#path")
        text = "/data/2026/臺北市 visits.csv"
        page.keyboard.type(text, delay=60)
        for _ in range(60):
            page.keyboard.type("x", delay=100)
            text += "x"
            if not app.get("/").markup.all("progress"):
                break
        page.wait_for_timeout(1200)  # the answers that lead to the new page wait
        assert page.input_value("#path") == text
        assert page.locator("#answer progress").count()
        page.evaluate("document.getElementById('path').select()")
        page.keyboard.press("Delete")
        page.wait_for_selector("table.prev")


@pytest.mark.parametrize("leave", ["link", "key", "language"])
def test_what_is_typed_last_is_saved_when_the_page_is_left(page, leave):
    one = page("/requirements", language="en")
    one.fill("#r1-why", "")
    one.focus("#r1-why")
    one.keyboard.type(f"left by {leave}")
    if leave == "link":
        one.evaluate("document.querySelector('.foot-actions a').click()")
        one.wait_for_url("**/hierarchies**")
    elif leave == "key":
        one.keyboard.press("Alt+3")
        one.wait_for_url("**/columns")
    else:
        one.click("text=繁體中文")
        one.wait_for_selector("html[lang=zh-Hant-TW]")
    one.goto("/".join([*one.url.split("/")[:4], "requirements"]))
    assert one.input_value("#r1-why") == f"left by {leave}"


def test_what_is_typed_survives_a_change_elsewhere(page, shown):
    first, second = page("/requirements"), page("/requirements")
    second.fill("#r1-source", "the other window")
    second.keyboard.press("Tab")
    second.wait_for_timeout(400)
    first.focus("#r1-why")
    first.keyboard.press("Control+a")
    first.keyboard.type("written here")
    first.keyboard.press("Tab")
    first.wait_for_url("**/requirements?changed")
    first.wait_for_selector("#r1-why:focus")
    assert first.input_value("#r1-why") == "written here"
    assert first.input_value("#r1-source") == "the other window"
    first.keyboard.press("Tab")
    first.wait_for_timeout(400)
    first.reload()
    assert first.input_value("#r1-why") == "written here"


def test_a_refused_text_stays_beside_its_reason(page):
    one = page("/requirements")
    one.fill("#r1-k", "zero")
    one.keyboard.press("Tab")
    one.wait_for_selector("#r1-k[aria-invalid=true]")
    one.fill("#r2-why", "another requirement is changed")
    one.keyboard.press("Tab")
    one.wait_for_timeout(600)
    assert one.input_value("#r1-k") == "zero"
    assert one.locator("#r1-k-about").is_visible()
    one.fill("#r1-k", "2")
    one.keyboard.press("Tab")
    one.wait_for_selector("#r1-k:not([aria-invalid])")


def test_a_composition_is_not_sent_before_its_end(page, shown):
    one = page("/requirements")
    one.fill("#r1-why", "")
    one.focus("#r1-why")
    devtools = one.context.new_cdp_session(one)
    devtools.send("Input.imeSetComposition", {"text": "ㄨㄟ", "selectionStart": 2, "selectionEnd": 2})
    before = [text for text in shown.proxy.asked if text.startswith("POST")]
    one.wait_for_timeout(300)
    assert [text for text in shown.proxy.asked if text.startswith("POST")] == before
    devtools.send("Input.insertText", {"text": "委員會決議"})
    one.keyboard.press("Tab")
    one.wait_for_timeout(400)
    one.reload()
    assert one.input_value("#r1-why").endswith("委員會決議")
