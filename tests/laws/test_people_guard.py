"""Guards count people: six rows of one person are a class of one, in every output."""

from __future__ import annotations

import html
import random
import re
from collections.abc import Callable
from functools import cache
from io import StringIO
from itertools import chain

import pytest
from rich.console import Console

import PETWorks as pw
from laws.test_small_classes import ASKED, rows_of, small, without
from oracle.attacker import Attacker
from PETWorks.plugin import DisclosureLevel
from support.attacks import attack_seeds
from support.output import evaluation_junit, evaluation_markdown, write_check, write_evaluation_table
from support.release_facts import EvaluationView

WHO = "who"
CROWDS = ("large", "north", "south")  # twenty people each
RARE, ALONE = "rareXX", "tinyQQ"
MORE = (
    pw.ReidentificationRisk(highest="0.2"),
    pw.DeltaDisclosure(1),
    pw.BetaLikeness(1),
    pw.SampleUniqueness(at_most=0),
)


def release(rows: int, *, columns: int = 1, person: bool = True, known: str = "one") -> pw.Release:
    """Three crowds, and one person with so many rows, whose values nobody else has."""
    table: dict[str, list[str]] = {name: [] for name in ("group", "sex", "ill", WHO)}
    for place, group in enumerate(CROWDS):
        for one in range(20):
            for name, cell in zip(
                table, (group, "fm"[one % 2], ("flu", "cold")[one % 3 == 0], f"{place}-{one}"), strict=True
            ):
                table[name].append(cell)
    for _ in range(rows):
        for name, cell in zip(table, (ALONE, "f", RARE, "somebody"), strict=True):
            table[name].append(cell)
    names = ["group", "sex"][:columns]
    options = {"person": WHO, "known": known} if person else {}
    return pw.Release(table, quasi_identifiers=names, sensitive=["ill"], identifiers=[WHO], **options)


@cache
def evaluations(rows: int, columns: int, known: str) -> tuple[pw.Evaluation, pw.Evaluation]:
    """Some measures with limits, and all that can be asked."""
    made = release(rows, columns=columns, known=known)
    return made.check(*ASKED[:3], *MORE), made.evaluate()


def drawn(subject: object) -> str:
    console = Console(file=StringIO(), width=200)
    console.print(subject)
    return console.file.getvalue()


OUTPUTS: dict[str, Callable[[pw.Evaluation], str]] = {
    "page": lambda one: one.to_html(),
    "page, 繁體中文": lambda one: one.to_html(language="zh_TW"),
    "public page": lambda one: one.public().to_html(),
    "JSON": lambda one: one.guarded().to_json(),
    "public JSON": lambda one: one.public().to_json(),
    "text": lambda one: write_check(one.guarded()),
    "text, 繁體中文": lambda one: write_check(one.guarded(), "zh_TW"),
    "table": lambda one: write_evaluation_table(one.guarded()),
    "public text": lambda one: write_check(one.public()),
    "Markdown": lambda one: evaluation_markdown(one.guarded()),
    "public Markdown": lambda one: evaluation_markdown(one.public()),
    "JUnit": lambda one: evaluation_junit(one.guarded()),
    "public JUnit": lambda one: evaluation_junit(one.public()),
    "notebook": lambda one: one.guarded()._repr_html_(),
    "public notebook": lambda one: one.public()._repr_html_(),
    "terminal": lambda one: drawn(one.guarded()),
    "explanations": lambda one: "".join(
        str(result.explain(language)) for result in one.guarded() for language in ("en", "zh_TW")
    ),
}


def mentions(text: str) -> tuple[int, int]:
    return text.count(ALONE), text.count(RARE)


@pytest.mark.parametrize("known", ["one", "all"])
@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("output", OUTPUTS)
def test_six_rows_of_one_person_are_told_as_one_row(output, columns, known):
    """Nothing more is said of the person, and the values they alone have, than if they had one row."""
    for six, one in zip(evaluations(6, columns, known), evaluations(1, columns, known), strict=True):
        text = OUTPUTS[output](six)
        assert mentions(text) == mentions(OUTPUTS[output](one))
        assert RARE not in text
        if "public" in output:
            assert ALONE not in text


@pytest.mark.parametrize("known", ["one", "all"])
def test_public_documents_count_nobody(known):
    """How many people or rows fail is not for the public, where a class is small."""
    document = release(6, known=known).check(*ASKED[:3], *MORE).public().to_dict()
    for result in document["results"]:
        for part in (result, *result["parts"].values()):
            assert not {part.get(key) or 0 for key in part if key.startswith(("failing_", "judged_"))} - {0}, result


def numbers_of(text: str) -> list[str]:
    return re.findall(r"(?<![\d.])\d+ (?:people|person)\b", text)


@pytest.mark.parametrize("output", ["text", "Markdown", "JUnit", "notebook", "terminal", "explanations", "page"])
def test_rows_are_not_called_people(output):
    """Sixty-one people have sixty-six rows, and one of them fails: nowhere are there six, or sixty-six."""
    text = re.sub("<[^>]*>", " ", OUTPUTS[output](evaluations(6, 1, "one")[0]))
    assert not {"6 people", "66 people"} & set(numbers_of(text))


@pytest.mark.parametrize("output", [name for name in OUTPUTS if name != "explanations"])
@pytest.mark.parametrize("known", ["one", "all"])
def test_every_output_says_what_is_known(output, known):
    text = re.sub("<[^>]*>", " ", html.unescape(OUTPUTS[output](evaluations(6, 1, known)[0])))
    assert re.search(rf'known(=|": |=\\)"{known}"', text)
    assert "One row is taken to be one person" not in text
    assert "一筆資料列視為一人" not in text


@cache
def rare_value(rows: int, people: int, known: str) -> pw.Evaluation:
    """Three crowds of twenty, where so many people of the first have so many rows of a value that nobody else has."""
    table: dict[str, list[str]] = {name: [] for name in ("group", "ill", WHO)}
    for place, group in enumerate(CROWDS):
        for one in range(20):
            rare = group == CROWDS[0] and one < people
            for _ in range(rows if rare else 1):
                cells = (group, RARE if rare else ("flu", "cold")[one % 3 == 0], f"{place}-{one}")
                for name, cell in zip(table, cells, strict=True):
                    table[name].append(cell)
    options = {"identifiers": [WHO], "person": WHO, "known": known}
    return pw.Release(table, quasi_identifiers=["group"], sensitive=["ill"], **options).check(*ASKED[:3], *MORE)


@pytest.mark.parametrize("output", OUTPUTS)
def test_a_value_that_one_person_has_six_times(output):
    """It is the value of one person, however many rows have it; that of six people may be told."""
    assert OUTPUTS[output](rare_value(6, 1, "one")).count(RARE) == OUTPUTS[output](rare_value(1, 1, "one")).count(RARE)
    if output == "explanations":
        assert RARE not in OUTPUTS[output](rare_value(6, 1, "one"))
        assert RARE in OUTPUTS[output](rare_value(1, 6, "one"))


def test_six_people_are_told():
    """Without the column each row is a person: the law above can fail."""
    many = release(6, person=False).check(*ASKED[:3], *MORE)
    assert EvaluationView.of(many).disclosure.level is DisclosureLevel.EXACT
    assert OUTPUTS["page"](many).count(ALONE) > OUTPUTS["page"](release(6).check(*ASKED[:3], *MORE)).count(ALONE)


@pytest.mark.parametrize("known", ["one", "all"])
def test_what_may_be_told_follows_from_people(known):
    for rows in (1, 6, 60):
        view = EvaluationView.of(release(rows, known=known).check(*ASKED[:3]))
        assert view.disclosure.level is not DisclosureLevel.EXACT
        assert view.sizes == {20: 3, 1: 1}


def test_suppressed_rows_of_one_person_are_one_person():
    """Six suppressed rows are no crowd if they are all of one person."""
    table = {"zip": ["1"] * 20 + ["*"] * 6, WHO: [str(one) for one in range(20)] + ["somebody"] * 6}
    telling = EvaluationView.of(
        pw.Release(table, quasi_identifiers=["zip"], person=WHO).check(pw.KAnonymity(5))
    ).disclosure.level
    assert telling is not DisclosureLevel.EXACT
    table[WHO] = [str(one) for one in range(26)]
    telling = EvaluationView.of(
        pw.Release(table, quasi_identifiers=["zip"], person=WHO).check(pw.KAnonymity(5))
    ).disclosure.level
    assert telling is DisclosureLevel.EXACT


# The attacker.


def several_rows(seed: int, known: str, *, moving: bool = True) -> pw.Release:
    """The attacked tables, each row of another person, and some rows several times; some people are `moving`."""
    chance = random.Random(seed)
    rows = rows_of(seed, original=False)
    repeated = list(
        chain.from_iterable([(f"p{place}", row)] * chance.choice([1, 1, 2, 6]) for place, row in enumerate(rows))
    )
    if moving:
        repeated += [(f"p{place}", chance.choice(rows)) for place in range(len(rows)) if chance.random() < 0.2]
    people, cells = zip(*repeated, strict=True)
    columns = list(zip(*cells, strict=True))
    names = [f"c{place}" for place in range(len(columns) - 2)]
    table = dict(zip([*names, "ill", "job"], map(list, columns), strict=True)) | {WHO: list(people)}
    return pw.Release(table, quasi_identifiers=names, sensitive=["ill", "job"], person=WHO, known=known)


@pytest.mark.parametrize("seed", attack_seeds(6))
def test_no_class_of_few_people_can_be_worked_out(seed):
    """The attacker knows that everybody is in one class, so that whatever is told of people adds up as rows do."""
    release = several_rows(seed, "one", moving=False)
    if not (few := small(release)):
        pytest.skip("there are no small classes")
    attacker = Attacker(EvaluationView.of(release.check(*ASKED)))
    assert attacker.is_consistent() is not False
    pinned = [attacker.pins(one, without(one, release)) for one in few]
    assert True not in pinned
    assert pinned.count(None) <= len(pinned) / 2


@pytest.mark.parametrize("known", ["one", "all"])
@pytest.mark.parametrize("seed", attack_seeds(6))
def test_no_sensitive_value_stands_in_a_report_with_small_classes(seed, known):
    evaluation = several_rows(seed, known).check(*ASKED[:3], *MORE)
    if EvaluationView.of(evaluation).disclosure.level is DisclosureLevel.EXACT:
        pytest.skip("there are no small classes")
    everything = several_rows(seed, known).evaluate().guarded().to_json()
    for output in (evaluation.to_html(), evaluation.guarded().to_json(), everything, evaluation.public().to_json()):
        assert "SS" not in output
        assert "TT" not in output


@pytest.mark.parametrize("known", ["one", "all"])
def test_no_person_is_named(known):
    """Not even to the analyst: whose rows they are is in no output."""
    table = {WHO: ["PERSONPP1", "PERSONPP1", "PERSONPP2"], "zip": ["1", "2", "1"], "ill": ["a", "b", "a"]}
    evaluation = pw.Release(table, quasi_identifiers=["zip"], sensitive=["ill"], person=WHO, known=known).evaluate()
    for text in (str(evaluation), evaluation.to_json(), evaluation.to_html(show_small_classes=True)):
        assert "PERSONPP" not in text
