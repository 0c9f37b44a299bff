"""No default output reveals a person: the bytes of every output of a seeded release are searched."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import PETWorks as pw
from PETWorks.render.formats.json import evaluation_json
from PETWorks.render.formats.junit import evaluation_junit
from PETWorks.render.formats.markdown import evaluation_markdown
from PETWorks.render.summary import write_check, write_evaluation_table
from render.page import seeded
from support.process import petworks

FORMATS = ("text", "json", "html", "markdown", "junit")
TABLE = ["evaluate", "released.csv", "--original", "original.csv", "--population", "population.csv"]
TABLE += ["--hierarchies", "hierarchies", "-i", "name", "-q", "place", "-q", "age", "-s", "illness", "-s", "salary"]
COMMANDS = [
    *(["check", "policy.toml", "--format", one] for one in FORMATS),
    *(["check", "policy.toml", "--lang", "zh_TW", "--format", one] for one in ("text", "markdown")),
    *([*TABLE, "--format", one] for one in FORMATS),
    ["explain", "policy.toml", "--lang", "zh_TW"],
    ["explain", "policy.toml", "--format", "json"],
    ["explain", *TABLE[1:], "--format", "text"],
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return seeded.write(tmp_path_factory.mktemp("seeded")).parent


@pytest.fixture(scope="module")
def evaluations(folder) -> list[pw.Evaluation]:
    """The evaluation of the policy, and that of all measures."""
    policy = pw.Policy(folder / "policy.toml")
    return [policy.check(), policy.release.evaluate()]


def outputs(evaluation: pw.Evaluation, *, small: bool = False) -> Iterator[str]:
    """Everything that can be written about an evaluation, in both languages."""
    yield evaluation.to_html(show_small_classes=small)
    shown = evaluation if small else evaluation.guarded()
    for language in ("en", "zh_TW"):
        yield shown.text(language)
        yield write_check(shown, language)
        yield write_evaluation_table(shown, language)
        yield evaluation_markdown(shown, language)
        yield evaluation_junit(shown, language)
        yield from (str(result.explain(language)) for result in shown)
    yield evaluation_json(shown)


@pytest.fixture(scope="module")
def told(evaluations) -> list[str]:
    return [text for evaluation in evaluations for text in outputs(evaluation)]


def search(text: str, *tokens: str) -> list[str]:
    """Return the forbidden texts that occur, with the text around them."""
    found = [re.search(rf".{{0,60}}{re.escape(token)}.{{0,30}}", text) for token in tokens]
    return [one[0] for one in found if one]


def test_default_outputs_give_nobody_away(told):
    for text in told:
        assert search(text, *seeded.NEVER, *seeded.GUARDED) == []


def test_small_classes_are_shown_when_asked_for_but_no_original_values(evaluations):
    """Show that the search finds the values when small classes are shown."""
    for evaluation in evaluations:
        texts = list(outputs(evaluation, small=True))
        assert search("\n".join(texts), "TinyQQ", "RareXX", "OnlyXX") != []
        for text in texts:
            assert search(text, *seeded.NEVER) == []
        assert len(search(texts[0], "TinyQQ", "SpreadQQ")) == 2


def test_a_score_of_few_people_is_told_to_four_digits(evaluations, told):
    """An exact fraction that cannot be recovered from four digits would reveal the values of the class."""
    parts = [part for evaluation in evaluations for result in evaluation for part in result.parts.values()]
    few = [part.exact for part in parts if part.worst and part.worst[0].people < 5 and part.exact is not None]
    exact = {str(score) for score in few if score.denominator > 100}
    assert exact
    for text in told:
        assert search(text, *exact) == []


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command[:2] + command[-3:]))
def test_the_command_line_gives_nobody_away(folder, command):
    run = petworks(*command, cwd=folder)
    assert run.returncode == (1 if command[0] == "check" else 0), run.stderr
    assert len(run.stdout) > 100
    assert search(run.stdout + run.stderr, *seeded.NEVER, *seeded.GUARDED) == []
    assert str(folder) not in run.stdout + run.stderr


def test_the_command_line_shows_small_classes_when_asked_to(folder):
    run = petworks("check", "policy.toml", "--format", "html", "--show-small-classes", cwd=folder)
    assert search(run.stdout, "TinyQQ") != []
    assert search(run.stdout, *seeded.NEVER) == []


@pytest.mark.parametrize("given", ["--original {}", "--hierarchies={}", "--output={}", "-o{}"])
def test_folders_are_not_told(folder, tmp_path, given):
    """However a path is given, the page shows at most its file name."""
    page = tmp_path / "page=1.html"
    path = {"--original {}": folder / "original.csv", "--hierarchies={}": folder / "hierarchies"}.get(given, page)
    output = [] if path == page else ["-o", page]
    roles = ["-i", "name", "-q", "place", "-q", "age"]
    run = petworks("evaluate", folder / "released.csv", *roles, *given.format(path).split(" "), *output)
    assert run.returncode == 0, run.stderr
    assert str(folder.parent) not in page.read_text(encoding="utf-8")


def strange_original(folder: Path) -> None:
    (folder / "original.csv").write_text((folder / "original.csv").read_text().replace("StreetZZ5;", "LostZZ;"))


def strange_release(folder: Path) -> None:
    (folder / "released.csv").write_text((folder / "released.csv").read_text().replace("TinyQQ2", "StrangeQQ"))


def strange_population(folder: Path) -> None:
    (folder / "population.csv").write_text((folder / "population.csv").read_text().replace("StrangerZZ", "LostZZ"))


def small_population(folder: Path) -> None:
    lines = (folder / "population.csv").read_text().splitlines()
    kept = [line for line in lines if not line.startswith(("StreetZZ13", "StreetZZ12"))]
    (folder / "population.csv").write_text("\n".join(kept + kept[-1:] * (len(lines) - len(kept))))


def two_parents(folder: Path) -> None:
    with (folder / "hierarchies" / "seeded_hierarchy_place.csv").open("a") as file:
        file.write("StreetZZ1;Midtown;*\n")


def ragged_hierarchy(folder: Path) -> None:
    with (folder / "hierarchies" / "seeded_hierarchy_place.csv").open("a") as file:
        file.write("LostZZ;*\n")


def strange_illness(folder: Path) -> None:
    path = folder / "hierarchies" / "seeded_hierarchy_illness.csv"
    path.write_text(path.read_text().replace("SoleXX", "Sole"))


def doubled_key(folder: Path) -> None:
    """The rows are paired by a name that two people have."""
    with (folder / "released.csv").open(newline="") as file:
        names = [row[0] for row in csv.reader(file, delimiter=";")]
    rows = (folder / "original.csv").read_text().splitlines()
    paired = [f"{name};{row}" for name, row in zip(["name", names[2], *names[2:]], rows, strict=True)]
    (folder / "original.csv").write_text("\n".join(paired))
    policy = (folder / "policy.toml").read_text()
    (folder / "policy.toml").write_text(policy.replace('hierarchies = "', 'key = "name"\nhierarchies = "'))


PROBLEMS = [
    strange_original,
    strange_release,
    strange_population,
    small_population,
    two_parents,
    ragged_hierarchy,
    strange_illness,
    doubled_key,
]


@pytest.mark.parametrize("spoil", PROBLEMS)
def test_what_is_wrong_is_told_without_values(tmp_path, spoil):
    """No values are in errors, nor in the reasons why something could not be evaluated."""
    seeded.write(tmp_path, seeded.POLICY + '[[require]]\nmeasure = "k-map"\nk = 1\n')
    spoil(tmp_path)
    run = petworks("check", "policy.toml", cwd=tmp_path)
    assert run.returncode == 2
    told = [run.stdout + run.stderr]
    with suppress(pw.PETWorksError):  # in Python, an error may name values: only the analyst sees it
        told += outputs(pw.Policy(tmp_path / "policy.toml").check())
    for text in told:
        assert search(text, *seeded.NEVER, *seeded.GUARDED) == []


FEW = {
    "town": ["Seventown"] * 7 + ["Bigtown"] * 61,
    "illness": ["flu"] * 4 + ["cold"] * 3 + ["flu"] * 30 + ["cold"] * 26 + ["ulcer"] * 5,
}
ASKED = [pw.AlphaKAnonymity(), pw.LDiversity(variant="recursive", l=2), pw.TCloseness(), pw.BetaLikeness()]


@pytest.mark.parametrize("measure", ASKED, ids=repr)
@pytest.mark.parametrize("language", ["en", "zh_TW"])
def test_a_count_below_five_is_not_told_of_a_class_that_is_named(measure, language):
    """Four of seven people have the flu: if the class is described, the share 4/7 and the ratio 4/3 are not shown."""
    result = pw.Release(FEW, quasi_identifiers=["town"], sensitive=["illness"]).ask(measure).guarded()
    text = str(result.explain(language))
    if "Seventown" in text:
        assert search(text, "4/7", "3/7", "0.5714", "0.4286", "4/3", "1.333") == []


def test_a_suppressed_row_is_not_found_by_subtraction():
    """One of 96 rows is suppressed: the share of each value that was kept would reveal its values."""
    original = {"sex": ["m", "f"] * 48, "age": ["30", "40", "50"] * 32}
    released = {name: ["*", *cells[1:]] for name, cells in original.items()}
    release = pw.Release(released, original=original)
    page = release.evaluate(pw.KAnonymity(k=2)).to_html()
    assert "97.9%" not in page
    assert "falls hardest" not in page
    assert "97.9%" in release.evaluate(pw.KAnonymity(k=2)).to_html(show_small_classes=True)
