"""Adding a measure means adding one file: here in another package, without changing PETWorks."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from PETWorks import plugin
from support.places import ROOT

NAME = "share of people in classes of at least some size, weighted"
MEASURE = '''"""Share of people in classes of at least some size, weighted: whether people share their class.

Definition
    The share of the people of a class that are enough others.

Formula
    (s - 1) / s for a class of s people; holds if at least the limit

Example
    One stands alone, two share a class.

    >>> from PETWorks import Release
    >>> release = Release({"year": ["197*", "198*", "198*"]})
    >>> print(release.ask(ShareOfPeopleInClassesOfAtLeastSomeSize(enough="1/2")).exact)
    0

Reading
    0: somebody stands alone.

Reference
    Somebody else, 2026.
"""

from collections.abc import Iterator
from typing import ClassVar, Literal

from PETWorks.plugin import Bound, Facts, Note, Number, Page, Privacy, Ratios, Side, Step, Words, number, word

Rounding = Literal["no", "yes"]


class ShareOfPeopleInClassesOfAtLeastSomeSize(Privacy):
    """Share of others in the smallest class, at least enough."""

    enough: Number | None = number(default=None, limit=Side.AT_LEAST, least=0, most=1, kw_only=False)
    rounding: Rounding = word(Rounding, default="no")

    name: ClassVar[str] = "share of people in classes of at least some size, weighted"
    monotone: ClassVar[bool] = True
    of_sizes: ClassVar[bool] = True
    variant_figure: ClassVar[str] = "rounding"
    examples: ClassVar = ({"enough": "1/2"},)
    fixed_parts: ClassVar = ("others",)
    words: ClassVar = {
        "en": Words(
            "share of others",
            "At least {value} of the people of a class are others ({rounding}).",
            "least share of others",
            {"scored": "Counted the others.", "untold": "it tells little.", "improve": "merge classes."},
            parts={"others": "others"},
            terms={"no": "unrounded", "yes": "rounded"},
            notes={"somebody": "This was measured by somebody else ({rounding})."},
            parameters={"rounding": "whether shares are rounded"},
        ),
        "zh_TW": Words(
            "他人占比",
            "等價類中至少有 {value} 是他人（{rounding}）。",
            "最低他人占比",
            {"scored": "計算他人。", "untold": "說明有限。", "improve": "合併等價類。"},
            parts={"others": "他人"},
            terms={"no": "未取整", "yes": "取整"},
            notes={"somebody": "此為第三方指標（{rounding}）。"},
            parameters={"rounding": "占比是否取整"},
            page=Page(
                summary="有多少人與足夠的他人同屬一類。",
                definition="等價類中他人的占比。",
                formula="(s - 1) / s；至少達到門檻即滿足",
                example="一人單獨一類，兩人同屬一類。",
                reading="0：有人單獨一類。",
            ),
        ),
    }

    def bounds(self, facts: Facts) -> Iterator[Bound]:
        """Yield the share of others in every class."""
        sizes, term = facts.classes.sizes, {"rounding": self.rounding}
        shares = Ratios(sizes - 1, sizes)
        notes = (Note("somebody", term),)
        limit = self.limit_of("enough")
        yield Bound(*limit, shares, facts.classes, "others", figures=term, notes=notes, by_size=True)
'''
CLASS = "ShareOfPeopleInClassesOfAtLeastSomeSize"
TITLES = {"en": "share of others", "zh_TW": "他人占比"}
POLICY = f"""
version = 1
[data]
released = "people.csv"
[roles]
quasi_identifiers = ["year"]
the_rest = "insensitive"
[[require]]
measure = "{NAME}"
enough = {{ at_least = "2/3" }}
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with the plug-in, installed as packages are, and a table with a policy."""
    folder = tmp_path_factory.mktemp("plugin")
    package = folder / "somebody"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "others.py").write_text(MEASURE, encoding="utf-8")
    about = folder / "somebody-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: somebody\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[petworks.measures]\nsomebody = somebody\n")
    (folder / "people.csv").write_text("year,sex\n197*,f\n198*,m\n198*,f\n", encoding="utf-8")
    (folder / "policy.toml").write_text(POLICY, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def python(place):
    """Run Python where the plug-in is installed; nothing may be written to standard error."""

    def run(*arguments, code=0):
        environment = os.environ | {"PYTHONPATH": str(place), "PYTHONUTF8": "1"}
        done = subprocess.run(
            [sys.executable, *arguments], cwd=place, env=environment, capture_output=True, encoding="utf-8", check=False
        )
        assert (done.stderr, done.returncode) == ("", code)
        return done.stdout

    return run


def test_in_python(python):
    script = f"""
import PETWorks as pw
assert pw.measures()["{NAME}"] is pw.{CLASS} and "{CLASS}" in dir(pw)
release = pw.Release({{"year": ["197*", "198*", "198*"], "sex": ["f", "m", "f"]}}, quasi_identifiers=["year"])
assert "{NAME}" in release.evaluate()
evaluation = release.check(pw.{CLASS}("1/2"))
assert evaluation.holds is False and evaluation.advice.suppress
print(evaluation[0])
print(evaluation[0].explain("zh_TW"))
"""
    told = python("-c", script)
    assert "share of others: 0, at least 0.5: does not hold" in told
    assert "At least 0 of the people of a class are others (unrounded)." in told
    assert "This was measured by somebody else (unrounded)." in told
    assert "1. 以 year 將 3 筆資料列分為 2 個等價類。" in told
    assert "2. 計算他人。" in told


@pytest.mark.parametrize("language", TITLES)
def test_in_a_policy_and_every_format(python, language):
    check = ["-m", "PETWorks", "check", "policy.toml", "--lang", language]
    for form in ("text", "markdown", "junit", "html"):
        assert TITLES[language] in python(*check, "--format", form, code=1)
    (result,) = json.loads(python(*check, "--format", "json", code=1))["results"]
    assert (result["measure"], result["limit"], result["holds"]) == (NAME, "2/3", False)


@pytest.mark.parametrize("language", TITLES)
def test_on_the_command_line(python, language):
    listed = python("-m", "PETWorks", "measures", "--lang", language)
    assert "".join(listed.split()).count(TITLES[language].replace(" ", "")) >= 1
    page = python("-m", "PETWorks", "measures", NAME, "--lang", language)
    assert {"en": "whether shares are rounded", "zh_TW": "占比是否取整"}[language] in page
    assert "--enough" in page
    measured = ["evaluate", "people.csv", "-q", "year", "-m", NAME, "--enough", "0", "--rounding", "yes"]
    told = python("-m", "PETWorks", *measured, "--lang", language)
    assert {"en": "rounded", "zh_TW": "取整"}[language] in told


def test_in_the_completion(python):
    assert CLASS in python("-m", "PETWorks", "completion", "bash")


@pytest.mark.parametrize("locale", ["en", "zh-TW"])
def test_in_the_docs(python, place, locale):
    python(str(ROOT / "docs" / "reference.py"), str(place / "pages"))
    pages: Path = place / "pages" / locale / "reference"
    title = TITLES[locale.replace("-", "_")]
    assert title in (pages / "index.md").read_text(encoding="utf-8")
    assert title in (pages / "policy.md").read_text(encoding="utf-8")
    assert "--rounding" in (pages / "command-line.md").read_text(encoding="utf-8")
    page = (pages / "measures" / "others.md").read_text(encoding="utf-8")
    assert {"en": "whether shares are rounded", "zh-TW": "占比是否取整"}[locale] in page
    assert {"en": "merge classes.", "zh-TW": "合併等價類。"}[locale] in page


def test_its_example_runs(python):
    assert python("-m", "doctest", "somebody/others.py") == ""


def test_contributing_names_what_plugin_has():
    """The names in the paragraph of CONTRIBUTING that lists them can be imported."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    paragraph = text.partition("`PETWorks.plugin` has all")[2].partition("\n\n")[0]
    named = {name for name in re.findall(r"`(\w+)`", paragraph) if name not in ("needs", "losses", "bounds", "None")}
    assert {"Need", "parse_number", "Disclosure"} <= named <= set(plugin.__all__)
    assert all(hasattr(plugin, name) for name in plugin.__all__)
