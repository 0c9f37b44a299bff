"""Properties that every measure must have. Nothing here names a measure: a new one is tested automatically."""

import json
import math
import random
from dataclasses import replace
from typing import Any

import pytest

import PETWorks as pw
from laws.samples import SAMPLES, Sample, questions
from PETWorks.errors import NotAskableError
from PETWorks.plugin import Privacy, Utility
from support.output import LANGUAGES

ASKED = [question for kind in pw.measures().values() for question in questions(kind)]


def askable(measure, sample) -> bool:
    try:
        sample.release().ask(measure)
    except NotAskableError:
        return False
    return True


@pytest.fixture(
    params=[(measure, sample) for measure in ASKED for sample in SAMPLES if askable(measure, sample)],
    ids=lambda pair: f"{pair[0]!r}-{SAMPLES.index(pair[1])}",
)
def case(request):
    return request.param


@pytest.fixture
def measure(case):
    return case[0]


@pytest.fixture
def sample(case) -> Sample:
    return case[1]


def test_every_measure_is_asked_somewhere():
    asked = {measure.name for measure in ASKED for sample in SAMPLES if askable(measure, sample)}
    assert asked == set(pw.measures())


def essence(result: pw.Result) -> dict[str, Any]:
    """Return what must not depend on names and order: all figures, without the names of classes and columns."""
    return {
        "value": (result.value, result.exact),
        "verdict": (result.holds, result.failing_classes, result.failing_rows),
        "parts": sorted((str(part.value), str(part.exact), str(part.holds)) for part in result.parts.values()),
        "worst": [(score.size, score.exact) for score in result.worst],
        "scope": (result.scope.rows, result.scope.suppressed, result.scope.classes, result.scope.missing),
    }


def test_row_order_does_not_matter(measure, sample):
    order = list(range(len(sample.released["age"])))
    random.Random(0).shuffle(order)
    assert sample.rows(order).release().ask(measure).to_dict() == sample.release().ask(measure).to_dict()


def test_column_order_does_not_matter(measure, sample):
    turned = replace(sample, released=dict(reversed(sample.released.items())))
    assert essence(turned.release().ask(measure))["value"] == essence(sample.release().ask(measure))["value"]
    assert essence(turned.release().ask(measure))["parts"] == essence(sample.release().ask(measure))["parts"]


def test_names_do_not_matter(measure, sample):
    """Rename the values of quasi-identifiers, numbers aside, everywhere: only the labels of classes may change."""

    def renamed(cells, name):
        kept = name not in ("age", "zip")
        return [cell if kept or cell in ("*", None) or cell.isdigit() else f"{cell}#" for cell in cells]

    def table(old):
        return {name: renamed(cells, name) for name, cells in old.items()}

    hierarchies = {name: [renamed(row, name) for row in rows] for name, rows in sample.hierarchies.items()}
    tables = {side: table(getattr(sample, side)) for side in ("released", "original")}
    population = sample.population and table(sample.population)
    other = Sample(**tables, hierarchies=hierarchies, population=population)
    assert essence(other.release().ask(measure)) == essence(sample.release().ask(measure))


@pytest.mark.parametrize("measure", ASKED, ids=repr)
def test_duplicated_rows_scale_as_declared(measure):
    """Duplicating every row does not change a measure, unless it declares that it `scales`."""
    changed = []
    for sample in SAMPLES:
        twice = sample.rows([row for row in range(len(sample.released["age"])) for _ in range(2)])
        if askable(measure, sample):
            changed.append(twice.release().ask(measure).value != sample.release().ask(measure).value)
    if measure.name in ("interval disclosure", "replicated uniques", "m-invariance"):
        assert not any(changed)  # 1% of so few rows reaches no other rank, no original combination is released, 0 stays
        return
    assert any(changed) == measure.scales, f"`scales` is {measure.scales}; doubling every row changes it: {changed}"


def test_everything_suppressed(measure, sample):
    rows = len(sample.released["age"])
    nothing = replace(sample, released={name: ["*"] * rows for name in sample.released})
    if measure.name in ("nearest linkage", "interval disclosure", "regression overlap"):  # of numbers only
        with pytest.raises(NotAskableError, match=r"cells that are no numbers|0 rows for 1 coefficient"):
            nothing.release().ask(measure)
        return
    result = nothing.release().ask(measure)
    if isinstance(measure, Utility):
        assert result.value == 0
    if isinstance(measure, Privacy):
        assert result.value is None
        assert result.holds in (True, None)
    assert result.scope.suppressed == rows


@pytest.mark.parametrize("measure", [measure for measure in ASKED if isinstance(measure, Utility)], ids=repr)
@pytest.mark.parametrize("sample", SAMPLES, ids=range(len(SAMPLES)))
def test_identical_release_loses_nothing(sample, measure):
    same = replace(sample, released=sample.released | sample.original, population=None)
    assert same.release().ask(measure).value == 1


def test_verdict_is_given_only_where_there_is_a_limit(measure, sample):
    result = sample.release().ask(measure)
    assert (result.holds is None) == all(part.limit is None for part in [result, *result.parts.values()])


def test_json_round_trip(measure, sample):
    answer = sample.release().ask(measure).to_dict()
    assert json.loads(json.dumps(answer, allow_nan=False)) == answer
    assert pw.measures()[answer["measure"]](**answer["parameters"]) == measure


def test_never_nan(measure, sample):
    def numbers(value):
        if isinstance(value, dict | list):
            for item in value.values() if isinstance(value, dict) else value:
                yield from numbers(item)
        elif isinstance(value, float):
            yield value

    assert all(math.isfinite(number) for number in numbers(sample.release().ask(measure).to_dict()))


@pytest.mark.parametrize("language", LANGUAGES)
def test_prints_in_both_languages_on_any_console(measure, sample, language):
    result = sample.release().ask(measure)
    text = result.text(language) + pw.Evaluation([result]).text(language)
    assert text.encode("cp950")
    assert measure.words[language].title in text
    assert "None" not in text
    assert "nan" not in text


def test_asking_twice_gives_the_same(measure, sample):
    release = sample.release()
    assert release.ask(measure).to_dict() == release.ask(measure).to_dict()
