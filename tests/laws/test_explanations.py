"""Every measure explains its results: in both languages, with the reader's own figures."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import log, log2
from string import Formatter
from typing import Any

import pytest

import PETWorks as pw
from laws.samples import SAMPLES, questions, walk
from PETWorks.errors import NotAskableError
from PETWorks.plugin import Amounts, Measure, Privacy, Step, Terms, Utility
from PETWorks.render.blocks import write_step
from PETWorks.render.text import warning_text
from support.output import LANGUAGES, WIDTH, display_width, words

KINDS = list(pw.measures().values())
ROLES = {"quasi_identifiers": ["age", "zip"], "sensitive": ["disease", "salary"]}
VERDICTS = ("holds", "fails", "unjudged")


def stairs() -> pw.Release:
    """A release with classes of 1, 2, 3, … rows, as many leaves below their values, and many sensitive values."""
    sorts = [sort for sort in range(1, 15) for _ in range(sort)]
    leaves = [(f"{sort}.{leaf}", f"sort {sort}", "*") for sort in range(1, 15) for leaf in range(sort)]
    table = {
        "sort": [f"sort {sort}" for sort in sorts],
        "salary": [str(row % 20) for row in range(len(sorts))],
        "disease": [f"no. {row % 15}" for row in range(len(sorts))],
    }
    original = {"sort": [leaf for leaf, _, _ in leaves]}
    roles = {"quasi_identifiers": ["sort"], "sensitive": ["salary", "disease"]}
    return pw.Release(table, original=original, hierarchies={"sort": leaves}, **roles)


def one_class() -> pw.Release:
    table = {"year": ["197*"] * 10, "disease": ["flu"] * 5 + ["cold"] * 3 + ["ulcer"] * 2}
    return pw.Release(table, quasi_identifiers=["year"], sensitive=["disease"])


def rare() -> pw.Release:
    """Classes of many people, in which single people hold some of the sensitive values."""
    table = {
        "year": ["197*"] * 14 + ["198*"] * 60,
        "disease": ["flu"] * 6 + ["cold"] * 6 + ["ulcer"] * 2 + ["flu"] * 25 + ["cold"] * 25 + ["gastritis"] * 10,
        "salary": ["clerk"] * 6 + ["sales"] * 6 + ["pilot"] * 2 + ["clerk"] * 30 + ["sales"] * 30,
    }
    organs = {"flu": "lung", "cold": "lung", "ulcer": "stomach", "gastritis": "stomach"}
    tree = [(illness, organ, "any") for illness, organ in organs.items()]
    roles = {"quasi_identifiers": ["year"], "sensitive": ["disease", "salary"]}
    return pw.Release(table, hierarchies={"disease": tree}, **roles)


def of_people(known: str) -> pw.Release:
    """People who have several rows, some of them in several classes."""
    who = [f"p{row % 17}" for row in range(40)]
    table = {
        "who": who,
        "year": ["197*" if row % 5 else "198*" for row in range(39)] + ["*"],
        "zip": ["1" if row % 17 < 8 else "2" for row in range(39)] + ["*"],
        "disease": [("flu", "cold", "ulcer")[row % 3] for row in range(40)],
    }
    roles = {"quasi_identifiers": ["year", "zip"], "sensitive": ["disease"]}
    return pw.Release(table, person="who", known=known, **roles)


def visits() -> pw.Release:
    """People who have several rows: some are alone in a class, some have one double."""
    table = {"who": list("AAABBBCDEE"), "zip": list("1121121133"), "age": list("1211112211"), "disease": list("ab" * 5)}
    return pw.Release(table, quasi_identifiers=["zip", "age"], sensitive=["disease"], person="who")


def samples() -> dict[str, pw.Release]:
    """Ordinary tables; and the same with every row suppressed, and without an original."""
    found = {f"{number}": sample.release() for number, sample in enumerate(SAMPLES)}
    for number, sample in enumerate(SAMPLES[:2]):
        rows = len(sample.released["age"])
        nothing = replace(sample, released={name: ["*"] * rows for name in sample.released})
        found[f"{number}, nothing"] = nothing.release()
        found[f"{number}, no original"] = pw.Release(sample.released, hierarchies=sample.hierarchies, **ROLES)
    same = pw.Release(SAMPLES[1].original, original=SAMPLES[1].original, hierarchies=SAMPLES[1].hierarchies)
    people = {f"people, {known}": of_people(known) for known in ("one", "all")}
    people["visits"] = visits()
    return found | {"same": same, "stairs": stairs(), "one class": one_class(), "rare": rare()} | people


RELEASES = samples()
MONEY = {"cost": 4, "gain": 300, "loss": 300, "benefit": 1200}
SPECIAL = [  # cases that the examples of measures do not cover
    (pw.LDiversity(l=2, others="join"), "0"),
    (pw.LDiversity(variant="entropy"), "one class"),
    (pw.LDiversity(variant="recursive", l=2), "one class"),
    (pw.LDiversity(variant="recursive", l=4), "one class"),
    (pw.Profitability(**MONEY, attacker="journalist"), "0"),
    (pw.Profitability(**MONEY | {"cost": 0}, allow_attack=False), "0"),
    (pw.Profitability(**MONEY | {"cost": 1000}), "0"),
    (pw.Profitability(**MONEY | {"benefit": 100}), "stairs"),
    (pw.Profitability(**MONEY | {"loss": "10.1"}, information_loss=True), "stairs"),
    (pw.ReidentificationRisk(highest="1/2", average="1/3", above="1/4"), "0"),
    (pw.IndividualRisk(household="salary"), "0"),
    (pw.ContextRisk(attempts="public", risk="highest", adversary="prosecutor", limit=0), "0"),
    (pw.PopulationUniqueness(sampling_fraction=1, at_most="0.5"), "stairs"),
    (pw.PramOdds(matrix={name: {name: 1} for name in ("flu", "cold", "ulcer")}), "0"),
    (
        pw.PramOdds(matrix={name: {"flu": "0.3", "cold": "0.3", "ulcer": "0.4"} for name in ("flu", "cold", "ulcer")}),
        "0",
    ),
    (pw.RegressionOverlap("salary ~ age"), "same"),
    (pw.TCloseness(distance="ordered", order=["ulcer", "cold", "flu"]), "one class"),
]


def askable() -> Iterator[tuple[str, pw.Result]]:
    asked = [(one, name) for kind in KINDS for one in questions(kind) for name in RELEASES]
    for measure, name in [*asked, *SPECIAL]:
        try:
            result = RELEASES[name].ask(measure)
        except NotAskableError:
            continue
        yield f"{measure!r}, {name}", result
    small = pw.Release({"age": ["30-39", "50"]}, original={"age": ["32", "50"]})
    yield "one column of numbers", small.ask(pw.SquaredError())
    yield "more detail than before", pw.Release({"age": [1, 2, 3]}, original={"age": [1, 1, 2]}).ask(pw.AECS())
    yield "nothing to lose", pw.Release({"age": [1, 1, 1]}, original={"age": [1, 1, 1]}).ask(pw.AECS())
    yield "anything", pw.UtilityBias(function=len, max_bias=1).of_anything("ab", "abcd")
    ages = [str(20 + 3 * row) for row in range(12)]
    noisy = pw.Release({"age": [f"{age}.5" for age in ages]}, original={"age": ages}, pairing="position")
    for measure in (pw.NearestLinkage(max_share="0.5"), pw.IntervalDisclosure(ranks="1/3")):
        yield f"{measure!r} of numbers", noisy.ask(measure)
    ages = {"age": ["30", "30"], "ill": ["flu", "cold"]}
    copy = {"released": ages, "original": ages, "pairing": "position"}
    twice = pw.Release(ages, original=ages, quasi_identifiers=["age"], sensitive=["ill"], earlier=[copy])
    yield "nobody left", twice.ask("differencing")
    yield "an attribute that changes", twice.ask(pw.JointDiversity(l=2, changing=["ill"]))
    people, others = ({"age": [f"{letter}{row}" for row in range(30)]} for letter in "ab")
    copied = pw.Release(people, original=people, holdout=others, synthetic=True)
    yield "a copy", copied.ask("MembershipRisk")
    constant = pw.Release({"age": ["x"]}, original={"age": ["x", "x"]}, synthetic=True)
    yield "one combination", constant.ask(pw.MarginDistance(ways=1))


RESULTS = dict(askable())


GUARDED = {name: result.guarded() for name, result in RESULTS.items()}
GUARDED |= {f"{name}, of two people": result.guarded(2) for name, result in RESULTS.items()}


def numbers(*steps: Step) -> list[Any]:
    """All figures of steps that are numbers."""
    found = []
    for step in walk(steps):
        for figure in step.figures.values():
            found += figure.values if isinstance(figure, Terms | Amounts) else [figure]
    return [one for one in found if isinstance(one, int | float | Fraction)]


@pytest.fixture(params=KINDS, ids=lambda kind: kind.__name__)
def kind(request) -> type[Measure]:
    return request.param


@pytest.fixture
def results(kind) -> dict[str, pw.Result]:
    """The results of a measure, as the analyst sees them."""
    return {name: result for name, result in RESULTS.items() if isinstance(result.measure, kind)}


@pytest.fixture
def explained(results) -> Iterator[pw.Result]:
    """The same, and as anybody may see them."""
    guarded = (GUARDED[f"{name}{more}"] for name in results for more in ("", ", of two people"))
    return (*results.values(), *guarded)


@pytest.mark.parametrize("language", LANGUAGES)
def test_prints_on_any_console(kind, explained, language):
    for result in explained:
        text = str(result.explain(language))
        assert text.encode("cp950")
        assert max(map(display_width, text.splitlines())) <= WIDTH
        opening = [warning_text(note, language) for note in result.warnings if note.leading]
        assert "".join(text.split()).startswith("".join((*opening, kind.words[language].title)).replace(" ", ""))
        for never in ("{", "}", "None", "nan", "Fraction", ": =", "：=", ": .", "：。", "- -"):
            assert never not in text


FUNCTIONS = {"log2": log2, "ln": log, "abs": abs}
SENTENCE_END = re.compile(r"[:;,.](?= )|[：；，。、]")
UNIT = re.compile(r"(?<=\d) [^\W\d]+(?= [×÷]|$)")  # 3 cells × …
WORDS = re.compile(r"[^\W\d_]+(?![(\w])")  # anything but a function
OPERAND = re.compile(r"(?<![a-z])\d+(?:\.\d+)?(?:/\d+)?")


def equations(text: str) -> Iterator[tuple[str, str]]:
    """What stands left and right of an equals sign: the last computation before it, and the number after it."""
    sides = text.split(" = ")
    for left, right in pairwise(sides):
        computation = UNIT.sub("", SENTENCE_END.split(left)[-1].replace(",", ""))
        answer = re.match(r"-?\d[\d,]*(\.\d+)?(/\d+)?", right)
        yield WORDS.split(computation)[-1].strip(), answer[0].replace(",", "") if answer else ""


def computed(expression: str) -> float:
    python = re.sub(r"\|(.*)\|", r"abs(\1)", OPERAND.sub(r"(\g<0>)", expression))
    python = python.replace("×", "*").replace("÷", "/").replace("^", "**")
    return float(eval(python, {"__builtins__": {}}, FUNCTIONS))  # noqa: S307 (our own words)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_equation_is_true(explained, language):
    """Both sides of every equation are equal in the digits that are shown."""
    for result in explained:
        for step in walk(result.steps):
            for left, right in equations(write_step(step, result, language)):
                largest = max(computed(one) for one in OPERAND.findall(f"{left} {right}"))
                assert abs(computed(left) - computed(right)) <= 1e-3 * largest, f"{left} = {right}"


def test_json(explained):
    for result in explained:
        steps = result.explain().to_dict()
        assert json.loads(json.dumps(steps, allow_nan=False)) == steps


def test_closes_with_what_is_untold_and_what_helps(results):
    for result in results.values():
        kinds = [step.kind for step in result.steps]
        told = [place for place, one in enumerate(kinds) if one.startswith((*VERDICTS, "nothing_published"))]
        assert kinds.index("improve") == kinds.index("untold") + 1 > max(told) + 1


def test_arrives_at_the_value(kind, results):
    """A computation before a verdict, usually the last one, has the judged value as its result."""
    for result in results.values():
        steps = result.steps
        judged = [place for place, step in enumerate(steps) if step.kind.startswith(VERDICTS)]
        if issubclass(kind, Privacy):
            assert len(judged) == (len(result.parts) if result.scope.classes else 0)
        for place in judged:
            value = steps[place].figures["value"]
            computed = steps[place - 1 : place] if issubclass(kind, Privacy | Utility) else steps[:place]
            assert value is None or value in numbers(*computed) or steps[place - 1].kind == "nothing_published"


def test_every_measure_has_words(kind):
    for language in LANGUAGES:
        own = kind.words[language]
        assert own.measured
        assert {"untold", "improve"} <= set(own.steps)


def test_same_steps_in_every_language(kind):
    first, *others = (figures_told(kind.words[language].steps) for language in LANGUAGES)
    assert all(other == first for other in others)


def test_same_shared_steps_in_every_language():
    first, *others = (figures_told(words(language).steps) for language in LANGUAGES)
    assert all(other == first for other in others)


def figures_told(templates: Mapping[str, str]) -> dict[str, set[str]]:
    return {
        kind: {name for _, name, _, _ in Formatter().parse(template) if name is not None}
        for kind, template in templates.items()
    }


def test_every_kind_of_step_occurs(kind, explained):
    seen = {step.kind for result in explained for step in walk(result.steps)}
    assert set(kind.words["en"].steps) - seen == set()
