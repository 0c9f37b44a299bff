"""People are counted the same however the table is read, in whatever order, and however little memory there is."""

from __future__ import annotations

import csv
import random

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given

import PETWorks as pw
from oracle import naive_people as naive
from PETWorks.errors import PersonError, TooLargeError
from PETWorks.render.page import answer
from PETWorks.tables.counting import count as counting
from support.release_facts import EvaluationView
from support.strategies_family import thorough
from support.strategies_people import MODELS, models, peopled
from tables.counting.test_only_sizes import without_classes

BY_PERSON = ["re-identification", "sample uniqueness"]
BY_SIZES = {"grouped_people_one", "attack_pays", "attack_idle", "average_people", "unique_people", "above threshold"}
NAMES = ["the person", "age", "zip", "ill", "w"]
ROLES = {"quasi_identifiers": ["age", "zip"], "sensitive": ["ill"], "weight": "w", "sidecar": False}


def visits(rows: int = 600, people: int = 200) -> dict[str, list[str | None]]:
    chance = random.Random(5)
    cells = {
        "age": lambda: str(chance.choice([20, 30, 40, "*"])),
        "zip": lambda: chance.choice(["100", "200", None, "*"]),
        "ill": lambda: chance.choice(["flu", "cold", "高血壓", None]),
    }
    who = [chance.randrange(people) for _ in range(rows)]
    table = {name: [cell() for _ in who] for name, cell in cells.items()}
    return {"the person": [f"p{one}" for one in who], **table, "w": [str(one % 7 + 1) for one in who]}


def answers(release: pw.Release) -> dict[str, object]:
    asked = (pw.KAnonymity(2), pw.AlphaKAnonymity(alpha="0.7", k=2), pw.PopulationUniqueness(sampling_fraction="1/9"))
    return {result.name: result.to_dict() for result in release.evaluate(*asked, others=True)}


def as_file(name, make):
    def opened(table, folder):
        make(table, folder / name)
        return folder / name

    return opened


def written(table, path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file)
        out.writerows([list(table), *zip(*table.values(), strict=True)])


FORMS = {
    "csv": as_file("t.csv", written),
    "parquet": as_file("t.parquet", lambda table, path: pq.write_table(pa.table(table), path)),
    "pandas": lambda table, _: pd.DataFrame(table),
    "polars": lambda table, _: pl.DataFrame(table),
    "arrow": lambda table, _: pa.table(table),
    "duckdb": lambda table, _: duckdb.from_arrow(pa.table(table)),
    "numbers": lambda table, _: pd.DataFrame(table).assign(
        **{"the person": [int(one[1:]) for one in table["the person"]]}
    ),
}


@pytest.fixture(scope="module", params=MODELS)
def known(request):
    return request.param


@pytest.fixture(scope="module")
def expected(known):
    return {
        one: scoped(answer)
        for one, answer in answers(pw.Release(visits(), person="the person", known=known, **ROLES)).items()
    }


def scoped(answer: dict) -> dict:
    """Without the name of the table, which differs."""
    return answer | {"scope": {key: value for key, value in answer["scope"].items() if key != "name"}}


@pytest.mark.parametrize("form", FORMS)
def test_every_kind_of_table(form, known, expected, tmp_path):
    release = pw.Release(FORMS[form](visits(), tmp_path), person="the person", known=known, **ROLES)
    assert {one: scoped(answer) for one, answer in answers(release).items()} == expected


def test_rows_in_another_order(known, expected):
    table = visits()
    order = random.Random(1).sample(range(600), 600)
    other = {name: [cells[row] for row in order] for name, cells in table.items()}
    release = pw.Release(other, person="the person", known=known, **ROLES)
    assert {one: scoped(answer) for one, answer in answers(release).items()} == expected


def test_what_is_spilled_to_disk(known, expected, monkeypatch):
    monkeypatch.setattr(counting, "COUNTING_SHARE", 0)  # so that every batch is spilled
    release = pw.Release(visits(), person="the person", known=known, **ROLES)
    assert {one: scoped(answer) for one, answer in answers(release).items()} == expected


@thorough
@given(peopled(unknown=False), models)
def test_only_sizes_are_known(people, known):
    """What is answered without the tally is answered the same: who is in several classes is one person there, too."""
    asked = [pw.KAnonymity(k=2), pw.Profitability(cost=4, gain=300, loss=300, benefit=1200)]
    asked += [pw.PopulationUniqueness(sampling_fraction="1/9"), *BY_PERSON]
    whole = people.release(known).evaluate(*asked, others=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "COMBINATION_BYTES", 10**15)
        try:
            found = people.release(known).evaluate(*asked, others=True)
        except TooLargeError:
            assert known == "all"  # whoever has the same history is found in the tally only
            return
    answered = {result.name: without_classes(result.to_dict()) for result in whole}
    for result in found:
        assert without_classes(result.to_dict()) == answered[result.name]
        assert [step for step in result.steps if step.kind in BY_SIZES] == [
            step for step in whole[result.name].steps if step.kind in BY_SIZES
        ]
    assert known == "all" or {*BY_PERSON} & {*answered} <= {result.name for result in found}
    assert {found.skipped[name].kind for name in set(answered) - {result.name for result in found}} <= {"too_large"}
    sizes = [group.size for group in naive.groups(people.folk(known))]
    if "k-anonymity" in {result.name for result in found}:
        assert found["k-anonymity"].exact == min(sizes, default=None)


@pytest.fixture(params=["in memory", "spilled", "spilled again"])
def only_sizes(request, monkeypatch):
    monkeypatch.setattr(counting, "COMBINATION_BYTES", 10**15)
    if request.param != "in memory":
        monkeypatch.setattr(counting, "COUNTING_SHARE", 0)
    if request.param == "spilled again":
        monkeypatch.setattr(counting, "PART_SHARE", 0)


@pytest.mark.usefixtures("only_sizes")
def test_only_sizes_of_people_who_are_not_known():
    """A missing person and a suppressed one are one person together, in every class and among suppressed rows."""
    table = {"who": [None, "*", "A", "*", "B", "*", None], "zip": ["1"] * 3 + ["2"] * 2 + ["*"] * 2}
    release = pw.Release(table, quasi_identifiers=["zip"], person="who", unknown_person="together")
    result = release.ask("k-anonymity")
    assert result.exact == 2
    assert result.scope.missing == {}  # a missing person is not a value of a class
    facts = release.facts
    assert (facts.classes.histogram, facts.scope.suppressed_people) == ({2: 2}, 1)
    assert facts.scope.everybody == 3


@pytest.mark.usefixtures("only_sizes")
def test_only_sizes_of_rows_without_a_person():
    table = {"who": [None, "*", "A"], "zip": ["1"] * 3}
    with pytest.raises(PersonError, match="2 rows have no person"):
        pw.Release(table, quasi_identifiers=["zip"], person="who").ask("k-anonymity")


@pytest.mark.usefixtures("only_sizes")
def test_only_sizes_of_people_whom_the_original_names():
    """All persons are suppressed in the release: its rows pair with those of the original."""
    table, names = {"who": ["*"] * 3, "zip": ["1"] * 3}, {"who": ["A", "B", "B"], "zip": ["1"] * 3}
    release = pw.Release(table, original=names, pairing="position", quasi_identifiers=["zip"], person="who")
    assert release.ask("k-anonymity").exact == 2


@thorough
@given(peopled())
def test_only_sizes_where_people_are_not_known(people):
    assume(people.unknown != "each")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "COMBINATION_BYTES", 10**15)
        found = people.release("one").ask("k-anonymity")
    assert found.exact == min((group.size for group in naive.groups(people.folk("one"))), default=None)


@pytest.mark.usefixtures("only_sizes")
def test_what_is_said_where_only_sizes_are_known():
    """Who is in several classes is one person; and the column joins rows."""
    table = {"who": ["A", "A", "A", "B", "B", "C"], "zip": ["1", "1", "2", "1", "2", "3"]}
    result = pw.Release(table, quasi_identifiers=["zip"], person="who").ask(pw.KAnonymity(2))
    counts = (result.failing_people, result.judged_people, result.failing_rows, result.judged_rows)
    assert counts == (1, 3, 1, 6)
    people = {"people": 3, "published": 3, "pairs": 5, "suppressed": 0}
    assert result.to_dict()["scope"]["people"] == {"known": "one"} | people
    notes = {note.kind: note.figures for note in result.notes}
    assert notes["known_one"] == {"people": 3, "rows": 6, "pairs": 5, "classes": 3}
    assert notes["joinable"] == {"column": "who"}
    for language, told in (("en", "1 of 3 people, fail"), ("zh_TW", "3 人中有 1 人")):
        text = "".join(line.strip() + " " * (language == "en") for line in result.text(language).splitlines())
        assert told in text
        assert 'known="one"' in text


@pytest.mark.usefixtures("only_sizes")
def test_what_joins_no_rows_where_only_sizes_are_known():
    """Persons who are suppressed are joined by nothing, whether the original names them or nobody does."""
    table = {"who": ["*"] * 3, "zip": ["1"] * 3}
    asked = {"quasi_identifiers": ["zip"], "person": "who"}
    original = {"original": {"who": ["A", "B", "B"], "zip": ["1"] * 3}, "pairing": "position"}
    for further in ({"unknown_person": "together"}, original):
        result = pw.Release(table, **asked, **further).ask("k-anonymity")
        assert "joinable" not in {note.kind for note in result.notes}


@pytest.mark.usefixtures("only_sizes")
@pytest.mark.parametrize("known", MODELS)
def test_one_row_per_person_where_only_sizes_are_known(known):
    """Nobody has several rows, so that everything is as if nobody had asked for people."""
    table = {"who": list("ABCD"), "zip": list("1122")}
    people = pw.Release(table, quasi_identifiers=["zip"], person="who", known=known)
    rows = pw.Release(table, quasi_identifiers=["zip"], identifiers=["who"])
    for asked in (pw.KAnonymity(3), "re-identification", "class sizes"):
        assert people.ask(asked).to_dict() == rows.ask(asked).to_dict()


@thorough
@given(peopled(unknown=False), models)
def test_the_page_where_only_sizes_are_known(people, known):
    """The headline, and people by the size of their class, are those of enough memory; nothing is called suppressed."""
    with pytest.MonkeyPatch.context() as patch:
        whole = EvaluationView.of(people.release(known).evaluate(pw.KAnonymity(k=2)))
        patch.setattr(counting, "COMBINATION_BYTES", 10**15)
        try:
            found = EvaluationView.of(people.release(known).evaluate(pw.KAnonymity(k=2)))
        except TooLargeError:
            return
    assert answer.build_answer_section(found)["lead"] == answer.build_answer_section(whole)["lead"]
    assert answer.build_answer_section(found)["bands"] == answer.build_answer_section(whole)["bands"]
    assert (found.sizes, found.covered) == (whole.sizes, whole.covered)


@pytest.mark.usefixtures("only_sizes")
@pytest.mark.parametrize("unknown", ["together", None])
def test_what_is_saved_where_only_sizes_are_known(tmp_path, unknown):
    """An evaluation that is loaded counts people, too."""
    table = {"who": ["A", "A", "B", "*" if unknown else "C"], "zip": ["1", "2", "2", "1"]}
    release = pw.Release(table, quasi_identifiers=["zip"], person="who", unknown_person=unknown)
    saved = release.evaluate(pw.KAnonymity(3), "re-identification")
    saved.save(tmp_path / "saved.petworks")
    loaded = pw.Evaluation.load(tmp_path / "saved.petworks")
    assert [one.to_dict() for one in loaded] == [one.to_dict() for one in saved]
    assert saved["k-anonymity"].persons == (3, 3)
