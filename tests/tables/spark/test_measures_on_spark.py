"""Every measure has the same result on a cluster as here: value, verdict, parts, worst classes, steps, sentences."""

from dataclasses import replace

import pytest

import PETWorks as pw
from laws.samples import SAMPLES, questions
from PETWorks.errors import NotAskableError, PairingError
from support.output import LANGUAGES
from tables.spark.on_spark import KEY, to_spark
from tables.test_same_numbers import DISEASES, ORIGINAL, RELEASED, YEARS

ASKED = [question for kind in pw.measures().values() if not kind.for_editions for question in questions(kind)]


def rows_of(table):
    """Count the rows of a table on the cluster or on this machine."""
    return table.count() if hasattr(table, "sparkSession") else len(next(iter(table.values())))


def keyed(table):
    rows = len(next(iter(table.values())))
    return {**table, KEY: [f"r{row}" for row in range(rows)]}


@pytest.fixture(scope="module", params=range(4))
def releases(request, spark):
    sample = SAMPLES[request.param]
    here = replace(sample, released=keyed(sample.released), original=keyed(sample.original))
    there = replace(
        here,
        released=to_spark(spark, here.released).orderBy("salary", "zip"),
        original=to_spark(spark, here.original).repartition(3),
        population=here.population and to_spark(spark, here.population),
    )
    return here.release(key=KEY), there.release(key=KEY)


def answer(release, measure):
    if measure.name == "utility bias":
        measure = replace(measure, function=rows_of)
    try:
        result = release.ask(measure)
    except NotAskableError as error:
        return str(error)
    steps = [str(result.explain(language)) for language in LANGUAGES]
    return result.to_dict(), steps, result.guarded().to_dict()


def test_releases_of_the_same_people_are_not_joined_in_a_cluster(releases):
    with pytest.raises(PairingError, match="is on a Spark cluster"):
        releases[1].ask(pw.JointAnonymity(5))


@pytest.mark.parametrize("measure", ASKED, ids=repr)
def test_same_answer(releases, measure):
    here, there = releases
    assert answer(there, measure) == answer(here, measure)


def test_missing_cells_full_width_text_and_line_breaks(frame):
    options = {"quasi_identifiers": ["year", "城市", "note"], "sensitive": ["disease", "salary"], "key": KEY}
    options["hierarchies"] = {"year": YEARS, "disease": DISEASES}
    here = pw.Release(keyed(RELEASED), original=keyed(ORIGINAL), **options).evaluate()
    there = pw.Release(frame(keyed(RELEASED)), original=frame(keyed(ORIGINAL)), **options).evaluate()
    assert here["k-anonymity"].scope.missing == {"城市": 3, "note": 1, "disease": 1}
    assert there.to_dict() == here.to_dict()


def test_a_report_says_where_the_table_is(frame):
    table = frame({"age": list("aab"), "ill": list("xyz")})
    page = pw.Release(table, quasi_identifiers=["age"], sensitive=["ill"]).evaluate().to_html()
    assert "Spark" in page
