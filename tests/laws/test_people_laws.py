"""Laws of tables in which people have several rows. Nothing here names a measure: a new one is tested automatically."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given

import PETWorks as pw
from laws.samples import SAMPLES, Sample, questions, sample
from PETWorks.errors import NotAskableError, PopulationError
from PETWorks.plugin import Unit
from support.strategies_family import quick, thorough
from support.strategies_people import MODELS, peopled

COUNTED_HERE = [kind for kind in pw.measures().values() if not kind.for_unpaired and not kind.for_editions]
ASKED = [question for kind in COUNTED_HERE for question in questions(kind)]
BY_PEOPLE = [measure for measure in ASKED if measure.unit is Unit.PEOPLE]
BY_ROWS = [measure for measure in ASKED if measure.unit is Unit.ROWS]
WHO = "who"


def labelled(base: Sample, people: list[str]) -> Sample:
    """Add a column that says whose rows they are, to the population too, where strangers have names of their own."""
    strangers = base.population and len(base.population["age"]) - len(people)
    population = base.population and base.population | {WHO: [*people, *(f"x{one}" for one in range(strangers))]}
    weights = dict(zip(people, base.released["weight"], strict=True))
    released = base.released | {WHO: people, "weight": [weights[one] for one in people]}
    return replace(base, released=released, population=population)


def with_people(seed: int) -> Sample:
    """Forty rows of about twenty people: some have one row, some several, some of these alike."""
    base = sample(seed)
    chance = random.Random(seed)
    return labelled(base, [f"p{chance.randrange(20)}" for _ in base.released["age"]])


def published(base: Sample) -> Sample:
    """Leave out suppressed rows: where all records are known, the population must hold all rows of a person."""
    kept = [place for place, age in enumerate(base.released["age"]) if age != "*"]
    rows = len(base.released["age"])

    def pick(table: dict[str, list[str | None]]) -> dict[str, list[str | None]]:
        return {name: [cells[place] for place in kept] + cells[rows:] for name, cells in table.items()}

    population = base.population and pick(base.population)
    return replace(base, released=pick(base.released), original=pick(base.original), population=population)


PEOPLE = [with_people(0), with_people(1), published(with_people(2))]
ALONE = [labelled(one, [f"p{row}" for row in range(len(one.released["age"]))]) for one in SAMPLES[:2]]


def asked_of(base: Sample, measure: Any, known: str | None = "one", **options: Any) -> pw.Result | None:
    """Return the result; None if this cannot be asked."""
    options |= {"person": WHO, "known": known} if known else {}
    try:
        return base.release(identifiers=[WHO], **options).ask(measure)
    except NotAskableError:
        return None
    except PopulationError:  # a history from which rows are suppressed is none of the population
        assert known == "all"
        return None


def essence(result: pw.Result | None) -> dict[str, Any] | None:
    """Return what must not depend on how many rows people have: all figures of people, without counts of rows."""
    return result and {
        "value": (result.value, result.exact),
        "verdict": (result.holds, result.failing_classes, result.failing_people),
        "parts": [(name, part.value, part.exact, part.holds) for name, part in result.parts.items()],
        "worst": [(score.size, score.exact) for score in result.worst],
    }


def told(result: pw.Result | None) -> Any:
    return result and result.to_dict()


@pytest.fixture(params=BY_PEOPLE, ids=repr)
def measure(request):
    return request.param


@pytest.mark.parametrize("known", MODELS)
@pytest.mark.parametrize("measure", ASKED, ids=repr)
def test_one_row_each_is_as_if_nobody_was_named(measure, known):
    """Numbers, verdicts and the whole document are the same."""
    compared = 0
    for base in ALONE:
        without, result = asked_of(base, measure, None), asked_of(base, measure, known)
        if result is None:  # not asked where all records are known, or asked nowhere
            assert known == "all" or without is None
            continue
        assert told(result) == told(without)
        compared += 1
    assert compared or measure.name == "special uniques"


@pytest.mark.parametrize("known", MODELS)
@pytest.mark.parametrize("measure", BY_ROWS, ids=repr)
def test_measures_of_rows_do_not_depend_on_whose_they_are(measure, known):
    """All but the scope is the same, and no note says what is known of people."""
    compared = 0
    for base in PEOPLE:
        without, result = asked_of(base, measure, None), asked_of(base, measure, known)
        assert without is None or told(result) | {"scope": {}} == told(without) | {"scope": {}}
        compared += without is not None
    assert compared


def test_measures_of_people_say_what_is_known_of_people(measure):
    """A measure that declares another unit than it counts in would lack the note, or would have it in vain."""
    results = [one for base in PEOPLE if (one := asked_of(base, measure))]
    assert results
    assert all("known_one" in [note.kind for note in one.notes] for one in results)


def leave_out_model(document: dict[str, Any]) -> dict[str, Any]:
    """Return the document without what adversaries know of a person's rows: one row is all rows of such a person."""
    attack = document.get("attack") or {}
    tried = [{name: figure for name, figure in one.items() if name != "rows"} for one in attack.get("results", ())]
    return document | {"attack": attack | {"results": tried}}


@pytest.mark.parametrize("known", MODELS)
@pytest.mark.parametrize("sight", ["guarded", "public", "complete"])
def test_documents_of_one_row_each(known, sight):
    """What is shown follows from people, and these are the rows; only the record names the column."""
    seen = {"guarded": pw.Evaluation.guarded, "public": pw.Evaluation.public, "complete": lambda one: one}[sight]
    asked = (pw.KAnonymity(3), pw.TCloseness("0.2"), pw.LDiversity(2), pw.ReidentificationRisk(highest="0.2"))
    for base in ALONE:
        options = {"identifiers": [WHO], "earlier": ()}  # earlier releases do not name people
        releases = (base.release(**options, **more) for more in ({}, {"person": WHO, "known": known}))
        without, named = (leave_out_model(seen(release.check(*asked)).to_dict()) for release in releases)
        assert without | {"record": {}} == named | {"record": {}}


@pytest.mark.parametrize("known", MODELS)
def test_row_order_does_not_matter(measure, known):
    for base in PEOPLE:
        order = list(range(len(base.released["age"])))
        random.Random(0).shuffle(order)
        one, other = asked_of(base, measure, known), asked_of(base.rows(order), measure, known)
        assert (one and one.to_dict()) == (other and other.to_dict())


@pytest.mark.parametrize("known", MODELS)
def test_names_of_people_do_not_matter(measure, known):
    for base in PEOPLE:
        names = {one: f"{len(base.released[WHO]) - place} {one}" for place, one in enumerate(base.released[WHO])}

        def renamed(table, names=names):
            return table and table | {WHO: [names.get(one, one) for one in table[WHO]]}

        other = replace(base, released=renamed(base.released), population=renamed(base.population))
        one, again = asked_of(base, measure, known), asked_of(other, measure, known)
        assert (one and one.to_dict()) == (again and again.to_dict())


def test_a_repeated_row_tells_nothing_more_of_one_record(measure):
    """Some rows of some people stand there twice or three times; utility is measured by rows."""
    for base in PEOPLE:
        chance = random.Random(1)
        order = [row for row in range(len(base.released["age"])) for _ in range(chance.choice([1, 1, 2, 3]))]
        more = replace(base.rows(order), population=base.population)
        assert essence(asked_of(more, measure)) == essence(asked_of(base, measure))


@pytest.mark.parametrize("known", MODELS)
def test_rows_that_are_all_repeated_tell_nothing_more(measure, known):
    for base in PEOPLE:
        order = [row for row in range(len(base.released["age"])) for _ in range(2)]
        more = base.rows(order)  # its population has every row twice, too
        assert essence(asked_of(more, measure, known)) == essence(asked_of(base, measure, known))


@pytest.mark.parametrize("known", MODELS)
def test_utility_is_measured_by_rows(known):
    for base in PEOPLE:
        for measure in ASKED:
            if measure.family == "utility":
                by_people, by_rows = (told(asked_of(base, measure, one)) for one in (known, None))
                assert by_people | {"scope": {}} == by_rows | {"scope": {}}


@pytest.mark.parametrize("known", MODELS)
def test_every_result_says_what_is_known(measure, known):
    """In its document, and in words of both languages."""
    for base in PEOPLE[:1]:
        result = asked_of(base, measure, known)
        if result is not None:
            assert f'"{known}"' in json.dumps(result.to_dict()["scope"]) + json.dumps(result.to_dict()["notes"])
            english, chinese = (result.text(language) for language in ("en", "zh_TW"))
            assert "people" in english
            assert "人" in chinese


@thorough
@given(peopled(least_sensitive=1))
def test_who_knows_all_finds_no_larger_crowd(people):
    one, every = (people.release(known) for known in MODELS)
    assert (every.ask("k-anonymity").exact or 0) <= (one.ask("k-anonymity").exact or 0)
    assert every.ask("re-identification").exact >= one.ask("re-identification").exact
    average = [release.ask("re-identification").parts["average"].exact for release in (one, every)]
    assert average[0] <= average[1]
    assert every.ask("sample uniqueness").exact >= one.ask("sample uniqueness").exact


@quick
@given(peopled(least_sensitive=1, unknown=False))
def test_people_from_the_original(people):
    """Where the release lacks the column, or has only markers in it, pairing says whose row each is."""
    table = {name: [row[name] for row in people.tables.released] for name in people.tables.released[0]}
    hidden = [{}, {"the person": [people.tables.marker] * len(people.cells)}]
    for known in MODELS:
        expected = people.release(known)
        for more in hidden:
            release = pw.Release(
                table | more,
                original=table | {"the person": people.cells},
                quasi_identifiers=people.tables.quasi_identifiers,
                sensitive=people.tables.sensitive,
                hierarchies={
                    name: people.tables.hierarchies[name]
                    for name in people.tables.sensitive
                    if name in people.tables.hierarchies
                },
                suppressed=people.tables.marker,
                pairing="position",
                person="the person",
                known=known,
                sidecar=False,
            )
            for name in ("k-anonymity", "l-diversity", "re-identification", "class sizes", "attribute risk"):
                assert essence(release.ask(name)) == essence(expected.ask(name)), (known, name)


def test_one_person_is_not_called_people():
    table = {WHO: ["A", "A"], "zip": ["1", "1"]}
    text = pw.Release(table, quasi_identifiers=["zip"], person=WHO).ask(pw.KAnonymity(2)).text("en")
    assert "zip=1 (1 person, 2 rows): 1" in text
    assert '; 1 person is counted (known="one")' in text
    table = {WHO: ["A", "A"], "zip": ["1", "2"]}
    text = pw.Release(table, quasi_identifiers=["zip"], person=WHO).ask(pw.KAnonymity(2)).text("en")
    assert "zip=1 (1 person, 1 row): 1" in text
