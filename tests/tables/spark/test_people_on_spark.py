"""People who have several rows are counted in the cluster, with the same digits as here."""

from __future__ import annotations

import pytest

import PETWorks as pw
from PETWorks.errors import PersonError, TooLargeError
from PETWorks.tables.counting import count as counting
from PETWorks.tables.spark import source
from tables.spark.on_spark import to_spark

TABLE = {
    "row": [str(number) for number in range(10)],
    "patient": ["A", "A", "A ", "B", "B", "B", "C", "D", "E", "E"],
    "zip": ["100", "100", "200", "100", "100", "200", "100", "100", "*", "300"],
    "ill": ["flu", "asthma", "flu", "flu", "flu", "gastritis", "hiv", None, "hiv", "flu"],
    "w": ["3", "3", "3", "5", "5", "5", "2", "9", "4", "4"],
}
ROLES = {"quasi_identifiers": ["zip"], "sensitive": ["ill"], "identifiers": ["row"], "weight": "w"}


def answers(release: pw.Release) -> dict[str, object]:
    return {result.name: result.to_dict() for result in release.evaluate(pw.KAnonymity(2), others=True)}


def both(spark, known: str, **options: object) -> list[dict[str, object]]:
    original = TABLE | {"zip": ["100", "100", "200", "100", "100", "200", "100", "100", "300", "300"]}
    population = {name: original[name] + more for name, more in (("patient", ["F", "F"]), ("zip", ["100", "300"]))}
    found = []
    for convert in (lambda table: table, lambda table: to_spark(spark, table)):
        tables = {"original": convert(original)} | ({"population": convert(population)} if known == "one" else {})
        release = pw.Release(convert(TABLE), key="row", person="patient", known=known, **tables, **ROLES, **options)
        found.append(answers(release))
    return found


@pytest.mark.parametrize("known", ["one", "all"])
def test_the_same_digits(spark, known):
    here, there = both(spark, known)
    assert there == here
    assert here["k-anonymity"]["value"] == 1


def test_persons_of_the_original(spark):
    """The release does not say whose rows it has: the keys pair them in the cluster."""
    released = {name: cells for name, cells in TABLE.items() if name != "patient"}
    options = {"key": "row", "person": "patient", **ROLES}
    here = pw.Release(released, original=TABLE, **options)
    there = pw.Release(to_spark(spark, released), original=to_spark(spark, TABLE), **options)
    assert there.ask("re-identification").to_dict() == here.ask("re-identification").to_dict()


def test_rows_without_a_person(spark):
    table = TABLE | {"patient": [None, *TABLE["patient"][1:]]}
    with pytest.raises(PersonError, match="1 row has no person"):
        pw.Release(to_spark(spark, table), person="patient", **ROLES).ask("k-anonymity")
    for unknown in ("together", "each"):
        here, there = (
            pw.Release(one, person="patient", unknown_person=unknown, **ROLES).ask("class sizes").to_dict()
            for one in (table, to_spark(spark, table))
        )
        assert there == here


def test_only_sizes(spark, monkeypatch):
    """If the pairs are too many for this machine, the people of each class are counted in the cluster."""
    monkeypatch.setattr(counting, "COMBINATION_BYTES", 10**15)
    monkeypatch.setattr(source, "PAIR_BYTES", 10**15)
    here, there = (pw.Release(one, person="patient", **ROLES) for one in (TABLE, to_spark(spark, TABLE)))
    for measure in (pw.KAnonymity(2), pw.ClassSizes(), "re-identification"):
        assert there.ask(measure).to_dict() == here.ask(measure).to_dict()
    assert here.ask(pw.KAnonymity(2)).exact == 1
    assert here.ask(pw.KAnonymity(2)).judged_people == 5
    with pytest.raises(TooLargeError):
        there.ask("l-diversity")


def test_only_sizes_of_people_who_are_not_known(spark, monkeypatch):
    """A missing person and a suppressed one are one person together, also where the cluster counts them."""
    monkeypatch.setattr(counting, "COMBINATION_BYTES", 10**15)
    monkeypatch.setattr(source, "PAIR_BYTES", 10**15)
    table = {"who": [None, "*", "A", "*", None], "zip": ["1"] * 3 + ["*"] * 2}
    asked = {"quasi_identifiers": ["zip"], "person": "who"}
    for one in (table, to_spark(spark, table)):
        release = pw.Release(one, unknown_person="together", **asked)
        assert release.ask("k-anonymity").exact == 2
        assert (release.facts.scope.suppressed_people, release.facts.scope.missing) == (1, {})
        assert release.facts.scope.everybody == 2
        with pytest.raises(PersonError, match="4 rows have no person"):
            pw.Release(one, **asked).ask("k-anonymity")
