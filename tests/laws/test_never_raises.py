"""Whatever result is given can be explained, written as JSON and reported; also with a population."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import PETWorks as pw
from laws.samples import questions
from PETWorks.errors import NotAskableError, UnknownLevelsError
from PETWorks.plugin import Privacy
from support.strategies import release_of, tables
from support.strategies_family import release_from, samples, thorough

MEASURES = [one for kind in pw.measures().values() for one in questions(kind)]
JUDGED = [
    pw.KMap(k=2),
    pw.KMap(k=4),
    pw.DeltaPresence(d_min="1/4", d_max="1/2"),
    pw.Profitability(cost=4, gain=300, loss=300, benefit=100, attacker="journalist"),
    pw.ReidentificationRisk(average="1/4"),
]


def check_all_outputs(release: pw.Release, measures: list) -> None:
    given = []
    for measure in measures:
        try:
            given.append(release.ask(measure))
        except pw.PETWorksError:
            continue
    for result in given:
        assert str(result.explain()), result.explain("zh_TW")
        assert json.dumps(result.to_dict())
        assert str(result.guarded().explain())
    evaluation = release.check(*(result.measure for result in given if result.holds is not None))
    if evaluation.results:
        assert evaluation.to_html()
        assert json.loads(evaluation.to_json())
        assert evaluation.guarded().to_json()


@thorough
@given(samples(), st.lists(st.sampled_from([*JUDGED, *MEASURES]), min_size=1, max_size=4, unique=True))
def test_with_a_population(sample, measures):
    check_all_outputs(release_from(*sample), measures)


@thorough
@given(tables(least_sensitive=1), st.lists(st.sampled_from(MEASURES), min_size=1, max_size=4, unique=True))
def test_without_a_population(tables, measures):
    check_all_outputs(release_of(tables), measures)


@pytest.mark.parametrize("measure", [*JUDGED, *MEASURES], ids=repr)
def test_an_error_about_what_was_not_given_names_the_measure(measure):
    release = pw.Release({"age": ["1", "1", "2"]})
    for ask in (release.ask, release.classes if isinstance(measure, Privacy) and measure.judges else release.ask):
        try:
            ask(measure)
        except NotAskableError as error:
            assert error.problem.startswith(measure.name) or isinstance(error, UnknownLevelsError)  # noqa: PT017
        except pw.PETWorksError:
            pass


def test_an_error_that_names_the_measure_is_of_the_same_kind():
    error = UnknownLevelsError("this measure needs levels", where="table", hint="pass them", listed="a")
    error.columns = ("age",)
    named = error.name_measure("Precision")
    assert (type(named), named.columns) == (UnknownLevelsError, ("age",))
    assert str(named) == str(error).replace("this measure", "Precision")
    assert error.problem == "this measure needs levels"  # it may be raised again, for another one


@pytest.mark.parametrize("measure", JUDGED[:2])
def test_the_level_of_a_population_follows_from_the_release(measure):
    """Without the class of 20s, the value 11 could be a leaf, of which the population has nobody."""
    ages = [("10", "11", "*"), ("11", "11", "*"), ("12", "11", "*"), ("20", "20s", "*"), ("22", "20s", "*")]
    population = {"age": ["10", "10", "12", "20"]}
    release = pw.Release({"age": ["11"] * 3 + ["20s"]}, population=population, hierarchies={"age": ages})
    check_all_outputs(release, [measure])
    assert "would make it hold" not in str(release.ask(measure).explain())
