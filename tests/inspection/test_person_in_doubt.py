"""Where a person may have several rows, values count by the likeliest person until somebody says whose row each is."""

import json
import random
import tomllib

import pytest

import PETWorks as pw
from PETWorks.inspection.survey import survey
from support.process import petworks

CHANCE = random.Random(5)
BIRTHS = [f"19{CHANCE.randrange(30, 99)}-{CHANCE.randrange(1, 13):02}-{CHANCE.randrange(1, 28):02}" for _ in range(60)]
VISITS = {
    "number": [str(7000 + 13 * person) for person in range(60) for _ in range(6)],
    "birth": [birth for birth in BIRTHS for _ in range(6)],
    "sex": [sex for person in range(60) for sex in ["mf"[person % 2]] * 6],
    "ward": [CHANCE.choice("ABC") for _ in range(360)],
}


@pytest.mark.parametrize("called", ["病歷號碼", "patient no", "code"])
def test_no_value_of_one_person_is_shown(called):
    """By the name of the column, or because its rows agree: the birthday of one patient is no value of six people."""
    table = {called: VISITS["number"], **{name: VISITS[name] for name in ("birth", "sex", "ward")}}
    found = pw.inspect(table)
    assert found.person == called
    assert found["birth"].common == ()
    assert dict(found["sex"].common) == {"m": 30, "f": 30}
    assert json.loads(found.to_json())["counted_by"] == called
    shown = found.text() + found.text("zh_TW") + found.to_json()
    assert not any(birth in shown for birth in BIRTHS)
    assert f"values are counted by {called}" in " ".join(found.text().split())
    assert f"依 {called} 計算人數" in found.text("zh_TW").replace("\n", "")


def test_sentences_say_that_rows_are_counted():
    """What stands beside a column is in the unit of the first line: rows, as long as nobody said whose they are."""
    found = pw.inspect({"patient no": VISITS["number"], "sex": VISITS["sex"], "birth": VISITS["birth"]})
    text, html = " ".join(found.text().split()), found._repr_html_()
    for shown in (text, html):
        assert "fewer rows would be in classes of fewer than 5 rows" in shown
        assert "people would be" not in shown
    assert "不足5列者將減少" in "".join(found.text("zh_TW").split())
    told = pw.inspect({"sex": VISITS["sex"], "ward": VISITS["ward"]}).text()
    assert "fewer people would be in classes of fewer than 5." in " ".join(told.split())


def test_each_row_is_a_person_where_nothing_speaks_against_it():
    assert pw.inspect({name: VISITS[name] for name in ("sex", "ward")}).person is None
    alone = {"patient no": [str(row) for row in range(360)], **{name: VISITS[name] for name in ("sex", "ward")}}
    found = pw.inspect(alone)
    assert found.person is None
    assert sum(people for _, people in found["sex"].common) == 360


def test_an_answer_stands():
    table = {"patient no": VISITS["number"], "birth": VISITS["birth"], "room": VISITS["ward"]}
    assert survey(table, person="birth").person == "birth"
    assert survey(table, asks_for_person=False).person is None


def test_init_states_whose_row_each_is(tmp_path):
    names = ("number", "birth", "sex", "ward")
    rows = zip(*(VISITS[name] for name in names), strict=True)
    text = "\n".join(["patient no,birth,sex,ward", *map(",".join, rows)]) + "\n"
    (tmp_path / "visits.csv").write_text(text, encoding="utf-8")
    run = petworks("init", "visits.csv", "--yes", "-o", "study", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    policy = (tmp_path / "study" / "policy.toml").read_text(encoding="utf-8")
    assert tomllib.loads(policy)["data"]["person"] == "patient no"
    assert "Whose row it is" in policy
