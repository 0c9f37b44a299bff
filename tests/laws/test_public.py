"""What anybody may know is the same whether or not the evaluation was guarded before, and tells no size."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import chain

import pytest

import PETWorks as pw
from laws.samples import SAMPLES, questions
from PETWorks.plugin import Privacy
from support.output import evaluation_junit, evaluation_markdown, write_check
from support.release_facts import CountBand

RELEASE = SAMPLES[0].release()  # some of its classes are small
CROWDS = {"year": ["197*"] * 6 + ["198*"] * 8, "wage": ["1", "2"] * 7}
ROOMY = pw.Release(CROWDS, quasi_identifiers=["year"], sensitive=["wage"])  # none of its classes is
ONCE = {
    "guarded": pw.Evaluation.guarded,
    "public": pw.Evaluation.public,
    "complete": lambda evaluation: evaluation.guarded(1),
    "for few": lambda evaluation: evaluation.guarded(2),
}


@pytest.fixture(params=pw.measures().values(), ids=lambda kind: kind.__name__)
def kind(request):
    return request.param


@pytest.mark.parametrize("before", ONCE.values(), ids=ONCE)
def test_what_was_guarded_tells_the_public_no_more(kind, before: Callable[[pw.Evaluation], pw.Evaluation]):
    evaluation = pw.Evaluation([RELEASE.ask(measure) for measure in questions(kind)])
    assert before(evaluation).public().to_json() == evaluation.public().to_json()


@pytest.mark.parametrize("before", ["guarded", "public"])
def test_what_was_guarded_tells_the_public_no_less(before):
    evaluation = ROOMY.check(pw.TCloseness("0.1"), pw.ReidentificationRisk(highest="0.2"), pw.KAnonymity(5))
    public = evaluation.public()
    assert ONCE[before](evaluation).public().to_json() == public.to_json()
    assert public["re-identification risk"].value == pytest.approx(0.167)


def test_values_that_follow_from_sizes_are_withheld_where_a_class_is_small(kind):
    for measure in questions(kind):
        result, shown = RELEASE.ask(measure), pw.Evaluation([RELEASE.ask(measure)]).public()[0]
        if isinstance(measure, Privacy):
            for bound, (name, part) in zip(result.bounds, shown.parts.items(), strict=True):
                assert part.value is None or not bound.by_size, name
        elif measure.of_sizes:
            assert {part.value for part in (shown, *shown.parts.values())} == {None}


def test_warnings_count_in_bands():
    """Cells of two columns are no generalisations of their originals."""
    released = {"year": ["197*"] * 30, "zip": ["1*"] * 30}
    original = {"year": ["1971"] * 23 + ["1981"] * 7, "zip": ["11"] * 18 + ["21"] * 12}
    trees = {
        "year": [(one, f"{one[:3]}*", "*") for one in ("1971", "1981")],
        "zip": [(one, f"{one[0]}*", "*") for one in ("11", "21")],
    }
    release = pw.Release(released, original=original, hierarchies=trees, quasi_identifiers=["year", "zip"])
    (note, *_) = release.check(pw.Precision(at_least="0.1")).public().warnings
    assert note.kind == "unexplained"
    assert note.figures["cells"] == CountBand.of(19)
    assert note.figures["by_column"] == {"year": CountBand.of(7), "zip": CountBand.of(12)}
    figures = json.loads(json.dumps(note.to_dict()))["figures"]
    assert not any(isinstance(one, int) for one in chain(figures.values(), figures["by_column"].values()))


def test_no_count_of_a_few_is_told_to_the_public():
    """Neither where something could not be evaluated, nor of the rows of a table."""
    tree = {"age": [("21", "2*", "*"), ("22", "2*", "*")], "sex": [("f", "*"), ("m", "*")]}
    table = {"age": ["21"] * 9 + ["x", "y"], "sex": ["f", "m"] * 5 + ["f"]}
    strange = pw.Release(table, hierarchies=tree).check(pw.KAnonymity(5), pw.Precision(at_least="0.1"))
    tiny = pw.Release({"age": ["21", "22", "22"]}).check(pw.KAnonymity(2))
    gone = pw.Release({"age": ["*", "*", "*"]}).check(pw.KAnonymity(2))
    for evaluation, told in ((strange, "fewer than 5 values are"), (tiny, "fewer"), (gone, "fewer")):
        public = evaluation.public()
        written = [write(public) for write in (write_check, evaluation_markdown, evaluation_junit)]
        for output in (public.to_json(), public.to_html(), *written):
            assert told in " ".join(output.split())
            assert not re.search(r"\b[1-4] (values?|rows?|列)\b|\"rows\": [1-4]\b|\"rows\" value=\"[1-4]\"", output)


TINY = {"age": ["21", "22", "22"], "who": ["a", "b", "c"]}
PEOPLE = {"person": "who", "known": "all", "quasi_identifiers": ["age"], "insensitive": []}
TWO = {"age": ["21", "22"], "who": ["a", "b"]}


@pytest.mark.parametrize(
    ("release", "measure"),
    [
        (pw.Release({"age": TINY["age"]}, population={"age": TWO["age"]}), pw.KMap(2)),
        (
            pw.Release(
                {name: [*cells, cells[0]] for name, cells in TINY.items()},
                population={name: [*cells, cells[0], cells[0]] for name, cells in TWO.items()},
                **PEOPLE,
            ),
            pw.KMap(2),
        ),
        (pw.Release({"age": TINY["age"]}, original={"age": TWO["age"]}), pw.Precision(at_least="0.1")),
        (pw.Release({"age": TINY["age"]}), pw.PopulationUniqueness(population_size=2, at_most="0.1")),
    ],
    ids=["population by rows", "population by people", "pairs", "population size"],
)
def test_errors_that_count_tell_no_count_of_a_few(release, measure):
    evaluation = release.check(measure)
    (problem,) = [one.problem for one in evaluation.requirements]
    assert re.search(r"\b[23]\b", problem.figures["guarded"])
    (public,) = [one.problem for one in evaluation.public().requirements]
    assert not re.search(r"\b[1-4]\b", public.figures["text"])


@pytest.mark.parametrize(("suppressed", "told"), [(0, True), (2, False), (4, False), (5, True)])
def test_no_utility_tells_how_few_rows_are_suppressed(suppressed, told):
    """2/3 (1 - n/40), to three digits, is another number for each n."""
    original = {"age": [f"{20 + row % 4}" for row in range(40)], "sex": ["f", "m"] * 20}
    labels = ["*" if row < suppressed else "20+" for row in range(40)]
    sexes = ["*" if row < suppressed else sex for row, sex in enumerate(original["sex"])]
    hierarchies = {"age": [(f"{age}", "20+", "all", "*") for age in range(20, 24)]}
    release = pw.Release({"age": labels, "sex": sexes}, original=original, hierarchies=hierarchies)
    goals = [pw.Precision("0.1"), pw.Granularity("0.1"), pw.NonUniformEntropy("0.1"), pw.Ambiguity("0.1")]
    for result in release.check(*goals).public():
        assert result.holds
        assert (result.value is not None) == told
        assert all((part.value is not None) == told for part in result.parts.values())
