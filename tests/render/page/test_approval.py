"""The page that is signed: one sheet of A4 in both languages, blank where the policy says nothing, and public."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest

import PETWorks as pw
from PETWorks.errors import PolicyError
from PETWorks.render.page.approval import write_day
from render.page.looks import OVERFLOWING, violations
from support.process import petworks

LONG = "依據研究計畫書第三章所列之資料項目，並經倫理審查委員會核定；" * 3
SIGNOFF = '[signoff]\nagency = "○○醫院資訊室"\ncase = "資字第 115-0042 號"\nfrom = "2026-12-01"\nuntil = "2028-11-30"\n'
FULL = SIGNOFF + "".join(f'{key} = "{LONG}"\n' for key in ("purpose", "legal_basis", "recipient"))
ROWS = [f"{'男女'[n % 2]},{'北南'[n // 2 % 2]}部,{'感冒' if n % 3 else '流感'},P{n:03}" for n in range(40)]
ROWS += [f"{'男女'[n % 2]},離島,流感,P{n:03}" for n in range(40, 46)]
EXTRA = "欄位"


def write_folder(folder: Path, signoff: str, extra: int = 0, accept: str = "") -> Path:
    """Write a table with some further columns, and the policy that makes its release."""
    more = [f"{EXTRA}{n}" for n in range(extra)]
    lines = [",".join(["性別", "地區", "診斷", "編號", *more])]
    lines += [",".join([row, *("甲乙"[(n + m) % 2] for m in range(extra))]) for n, row in enumerate(ROWS)]
    (folder / "visits.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    treat = "".join(f'[treat."{name}"]\nas_it_is = "{LONG[: 28 if extra <= 16 else 40]}"\n' for name in more)
    policy = f"""version = 1
[data]
original = "visits.csv"
released = "released.csv"
[roles]
quasi_identifiers = ["性別", "地區"]
sensitive = ["診斷"]
identifiers = ["編號"]
the_rest = "insensitive"
[[require]]
measure = "k-anonymity"
k = 5
[anonymize]
suppress_at_most = "20%"
drop_identifiers = true
[report]
html = "report.html"
json = "record.json"
[[accept]]
premise = "covered"
columns = ["診斷"]
why = "not secret here"
{accept}{treat}{signoff}"""
    (folder / "policy.toml").write_text(policy, encoding="utf-8")
    return folder / "policy.toml"


def made(folder: Path, *arguments: object, **options) -> tuple[int, str, Path]:
    write_folder(folder, **options)
    run = petworks("anonymize", "policy.toml", *arguments, cwd=folder)
    return run.returncode, run.stderr, folder / "approval.html"


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Write the page of each kind once."""
    rest = '[[accept]]\npremise = "rest"\ncolumns = [{}]\nwhy = "nobody outside knows them"\n'
    kinds = {
        "short": {"signoff": SIGNOFF},
        "empty": {"signoff": "[signoff]\n"},
        "full": {"signoff": FULL, "extra": 16},
        "long": {"signoff": FULL, "extra": 60},
    }
    found = {}
    for name, options in kinds.items():
        named = ", ".join(f'"{EXTRA}{n}"' for n in range(options.get("extra", 0)))
        accept = rest.format(named) if named else ""
        code, _, found[name] = made(tmp_path_factory.mktemp(name), accept=accept, **options)
        assert code == 0
    return found


def count_pages(page, path: Path, language: str) -> int:
    page.goto(f"{path.as_uri()}?lang={language}")
    return len(re.findall(rb"/Type /Page\b", page.pdf(prefer_css_page_size=True)))


@pytest.mark.parametrize("name", ["short", "empty", "full", "long"])
def test_one_sheet_of_a4_in_both_languages(browser, pages, name):
    page = browser.new_page()
    for language in ("en", "zh"):
        assert count_pages(page, pages[name], language) == {"long": 3}.get(name, 1)  # two of them are the annex
        height = page.evaluate("[...document.querySelectorAll('.sheet')].map(s => s.scrollHeight - s.clientHeight)")
        assert height[0] <= 0, f"the sheet of {name} overflows in {language}"
        texts = page.locator(".cols tbody tr").all_inner_texts()
        columns = {"short": 4, "empty": 4, "full": 20, "long": 64}[name]
        assert len(texts) == columns
    page.close()


@pytest.mark.parametrize("width", [375, 1280])
def test_it_reads_well_on_screens(opened, pages, width):
    for preset in ("lang=en", "lang=zh"):
        page = opened(pages["full"], preset, width)
        assert (violations(page), page.evaluate(OVERFLOWING)) == ([], [])


def test_empty_fields_are_lines_to_write_on(opened, pages):
    page = opened(pages["empty"], "lang=zh")
    assert page.locator(".meta dd.blank").count() == 6
    assert page.locator(".meta dd.blank").all_inner_texts() == [""] * 6
    assert page.locator(".signs p:not(.who)").count() == 9
    assert opened(pages["short"], "lang=zh").locator(".meta dd.blank").count() == 3


def test_it_has_the_digests_of_what_is_published_only(pages):
    folder, text = pages["short"].parent, pages["short"].read_text(encoding="utf-8")

    def digest(name: str) -> str:
        return hashlib.sha256((folder / name).read_bytes()).hexdigest()

    for name in ("released.csv", "report.html"):
        assert f"SHA-256 {digest(name)[:8]}…{digest(name)[-6:]}" in text
    for name in ("visits.csv", "policy.toml"):
        assert digest(name)[:8] not in text


def test_a_group_that_vanishes_is_told(pages):
    rows = pages["short"].read_text(encoding="utf-8").split("<tr>")
    told = ["some values no longer occur" in row for row in rows if "地區" in row or "性別" in row]
    assert told == [False, True], "nobody from 離島 is left"


def test_it_names_no_value_and_no_count_of_few(pages):
    text = re.sub(r"<(style|script)>.*?</\1>", "", pages["short"].read_text(encoding="utf-8"), flags=re.DOTALL)
    assert not re.search("北部|南部|離島|流感|感冒|P0\\d\\d", text)


def test_a_limit_below_five_does_not_say_the_size_of_a_small_class(tmp_path):
    unchanged = '[[accept]]\npremise = "changed"\nwhy = "small classes"\n'
    path = write_folder(tmp_path, SIGNOFF, accept=unchanged)
    text = path.read_text(encoding="utf-8").replace("k = 5", "k = 3").replace('"20%"', '"0%"')
    path.write_text(text, encoding="utf-8")
    assert petworks("anonymize", "policy.toml", cwd=tmp_path).returncode == 0
    page = (tmp_path / "approval.html").read_text(encoding="utf-8").partition("<main")[2]
    assert "Prepared" in page
    assert not re.search("fewer than 5|1 time in|0 of 1", page)


def test_nothing_is_signed_where_a_premise_or_a_requirement_fails(tmp_path):
    premise, requirement = tmp_path / "premise", tmp_path / "requirement"
    for folder in (premise, requirement):
        folder.mkdir()
    path = write_folder(premise, SIGNOFF)
    path.write_text(path.read_text(encoding="utf-8").replace('premise = "covered"', 'premise = "rest"'), "utf-8")
    run = petworks("anonymize", "policy.toml", cwd=premise)
    assert run.returncode == 1
    assert "approval.html says why there is nothing to sign" in run.stderr
    made(requirement, signoff=SIGNOFF)
    path = requirement / "policy.toml"
    path.write_text(path.read_text(encoding="utf-8").replace("k = 5", "k = 25"), "utf-8")
    assert petworks("check", "policy.toml", cwd=requirement).returncode == 1
    for folder in (premise, requirement):
        text = (folder / "approval.html").read_text(encoding="utf-8")
        assert "There is nothing to sign" in text
        assert 'class="signs"' not in text


def test_a_check_keeps_the_page_of_the_release(tmp_path):
    _, _, path = made(tmp_path, signoff=SIGNOFF)
    before = path.read_bytes()
    run = petworks("check", "policy.toml", cwd=tmp_path)
    assert (run.returncode, path.read_bytes()) == (0, before)
    assert "approval.html" in run.stderr
    assert json.loads((tmp_path / "record.json").read_text(encoding="utf-8"))["holds"]


def test_without_the_section_there_is_no_page(tmp_path):
    assert not made(tmp_path, signoff="")[2].exists()


WRONG = {
    'from = "2027-01-01"\nuntil = "2026-01-01"': "until, 2026-01-01, is before from, 2027-01-01",
    'review = "1 May"': "review is no date: '1 May'",
    f'purpose = "{"x" * 121}"': "purpose has 121 characters",
    'agenci = "x"': 'did you mean "agency"',
    'case = " "': "case is empty",
}


@pytest.mark.parametrize(("lines", "problem"), WRONG.items())
def test_mistakes_are_told(tmp_path, lines, problem):
    with pytest.raises(PolicyError, match=re.escape(problem)):
        pw.Policy(write_folder(tmp_path, f"[signoff]\n{lines}\n"))


def test_a_day_of_toml_is_a_day(tmp_path):
    made = pw.Policy(write_folder(tmp_path, '[signoff]\nfrom = 2026-12-01\nuntil = "2028-11-30"\n'))
    assert (made.report.signoff.from_, made.report.signoff.until) == ("2026-12-01", "2028-11-30")


def test_days_are_of_the_readers_calendar():
    assert write_day("2026-12-01") == {"en": "2026-12-01", "zh_TW": "民國 115 年 12 月 1 日"}
    assert write_day("1911-12-31")["zh_TW"] == "1911-12-31"
