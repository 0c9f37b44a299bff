"""Releases of the same people: random tables beside naive definitions, and what is refused."""

import json
import random
from fractions import Fraction

import pytest

import PETWorks as pw
from oracle import naive_editions as naive
from PETWorks.errors import NotAskableError, ParameterError, PETWorksError
from support.editions import build_edition, check_measures, find_figures

TREES = {
    "a": [("a0", "A0", "*"), ("a1", "A0", "*"), ("a2", "A1", "*")],
    "b": [("b0", "*"), ("b1", "*"), (None, "*")],
}
LIFTS = [{row[0]: row for row in rows} for rows in TREES.values()]


def draw(chance, people, *, local):
    """Return an edition of some people: whole columns lifted, or cell by cell, with suppressed and added rows."""
    levels = [chance.randrange(len(rows[0])) for rows in TREES.values()]
    chosen = chance.sample(people, chance.randint(1, len(people)))
    rows = []
    for person in chosen + [None] * chance.choice([0, 0, 1]):
        own = random.Random(f"{person}{chance.random() < 0.2}")  # now and then, true values change
        true = [own.choice(rows)[0] for rows in TREES.values()]
        at = [chance.randrange(len(rows[0])) for rows in TREES.values()] if local else levels
        cells = [lift[cell][level] for lift, cell, level in zip(LIFTS, true, at, strict=True)]
        cells = ["*", "*"] if chance.random() < 0.15 else cells
        rows.append((person, [*cells, own.choice("uvw")], true))
    return {
        "people": [one[0] for one in rows],
        "released": [one[1] for one in rows],
        "original": [one[2] for one in rows],
    }


def read_naively(edition):
    labels = [tuple(row[:2]) for row in edition["released"]]
    return naive.Edition(
        edition["people"], labels, [row[2] for row in edition["released"]], [tuple(row) for row in edition["original"]]
    )


def leaves(column, cell):
    rows = TREES["ab"[column]]
    return {row[0] for row in rows if cell in row} if cell != "*" else {row[0] for row in rows}


@pytest.mark.parametrize("seed", range(60))
def test_two_editions_by_the_naive_definitions(seed):
    chance = random.Random(seed)
    people = [f"p{number}" for number in range(chance.randint(1, 12))]
    editions = [draw(chance, people, local=seed % 3 == 0) for _ in range(2)]
    found = find_figures(build_edition(editions, ["a", "b"], "s", TREES), 3)
    given = [read_naively(one) for one in editions]
    trees = {place: {row[0]: row[1:] for row in rows} for place, rows in enumerate(TREES.values())}
    told = naive.measure(given, 3) | naive.difference(given, 3, leaves)
    told |= naive.measure_compatible(given, 3, trees)
    assert found == told


@pytest.mark.parametrize("seed", range(40))
def test_every_set_of_editions_is_judged(seed):
    chance = random.Random(f"three {seed}")
    people = [f"p{number}" for number in range(chance.randint(2, 9))]
    editions = [draw(chance, people, local=False) for _ in range(3)]
    release, given = build_edition(editions, ["a", "b"], "s", TREES), [read_naively(one) for one in editions]
    sets = naive.find_sets(given)
    assert set(release.facts.editions.sets) == sets
    told = [naive.measure([given[place] for place in chosen], 3) for chosen in sets]
    sizes = [one["joint_size"] for one in told if one["joint_size"] is not None]
    result = release.ask(pw.JointAnonymity(3))
    assert result.exact == min(sizes, default=None)
    assert result.holds is (min(sizes, default=3) >= 3)
    assert release.ask(pw.JointDiversity(2)).exact == min(
        (one["values"] for one in told if one["values"] is not None), default=None
    )
    changes = [
        naive.difference([given[a], given[b]], 3, leaves)["smallest_change"] for a, b in ((0, 1), (0, 2), (1, 2))
    ]
    assert release.ask(pw.Differencing(3)).exact == min(filter(None, changes), default=None)


def test_more_editions_than_a_number_has_bits():
    """Somebody releases every week; the people of four of the weeks differ."""
    chance = random.Random(70)
    people = [f"p{number}" for number in range(6)]
    editions = [draw(chance, people, local=False) for _ in range(4)]
    release, given = build_edition(editions * 18, ["a", "b"], "s", TREES), [read_naively(one) for one in editions]
    sets = {tuple(place + 4 * week for week in range(18) for place in one) for one in naive.find_sets(given)}
    alone = {tuple(place + 4 * week for week in range(18)) for place in range(4)}
    assert sets <= set(release.facts.editions.sets) <= sets | alone
    told = [naive.measure([given[place % 4] for place in one], 3) for one in release.facts.editions.sets]
    result = release.ask(pw.JointAnonymity(3))
    assert result.exact == min(one["joint_size"] for one in told if one["joint_size"] is not None)
    assert result.parts["unsure"].exact == min(one["unsure_size"] for one in told if one["judged"])


@pytest.mark.parametrize("known", ["one", "all"])
@pytest.mark.parametrize("seed", range(30))
def test_several_rows_of_a_person(seed, known):
    chance = random.Random(f"rows {seed}")
    editions = []
    for _ in range(chance.choice([2, 2, 3])):
        rows = chance.randint(1, 9)
        labels = [(chance.choice(["x", "y", "*"]),) for _ in range(rows)]
        editions.append(naive.Edition([chance.choice("pqrst") for _ in range(rows)], labels, [""] * rows))
    sets = naive.find_sets(editions)
    sizes = [naive.measure_several([editions[place] for place in one], 3, known)["joint_size"] for one in sets]
    tables = [
        {"released": {"a": cells}, "original": {"id": one.people, "a": cells}}
        for one in editions
        for cells in [[label[0] for label in one.labels]]
    ]
    if not sets or not {*editions[-1].people} >= {*editions[0].people} & {*editions[-1].people}:
        return
    for one in tables[:-1]:
        one["disjoint"] = True
    options = {"person": "id", "known": known, "earlier": tables[:-1]}
    release = pw.Release(tables[-1]["released"], original=tables[-1]["original"], **options)
    assert release.ask(pw.JointAnonymity(3)).exact == min((one for one in sizes if one is not None), default=None)


PEOPLE = {"id": ["a", "b", "c", "d"], "zip": ["10", "10", "11", "11"], "age": ["31", "32", "31", "32"]}
FIRST = {"zip": PEOPLE["zip"], "age": ["3*"] * 4}
SECOND = {"zip": ["1*"] * 4, "age": PEOPLE["age"]}


def release(earlier=None, **options):
    first = {"released": FIRST, "original": PEOPLE, "key": "id"} | (earlier or {})
    first = {name: one for name, one in first.items() if one is not None}
    return pw.Release(SECOND, **({"original": PEOPLE, "earlier": [first]} | options))


def test_a_copy_gives_the_figures_of_the_edition():
    one = {"released": FIRST, "original": PEOPLE, "key": "id"}
    copy = pw.Release(FIRST, original=PEOPLE, earlier=[one])
    assert copy.ask("joint anonymity").exact == copy.ask("k-anonymity").value == 2
    assert copy.ask("differencing").exact is None


def test_cuts_of_one_original_need_no_key():
    result = release({"key": None, "pairing": "position"}).ask("joint anonymity")
    assert result.exact == 1


def test_a_key_file_stands_for_an_original():
    keys = {"key": PEOPLE["id"]}
    result = release({"key": None, "original": None, "key_file": keys}, key_file=keys).ask("joint anonymity")
    assert (result.exact, "compatible" in result.parts) == (1, False)


@pytest.mark.parametrize("asked", [pw.JointAnonymity(2), pw.KAnonymity(2)])
def test_an_evaluation_beside_earlier_releases_is_not_saved(asked, tmp_path):
    """Its file would have no rows to join, and its record would not name the earlier releases."""
    judged = release().check(asked)
    with pytest.raises(NotAskableError, match="beside earlier releases cannot be saved"):
        judged.save(tmp_path / "saved.json")
    assert not (tmp_path / "saved.json").exists()
    judged.write_record(tmp_path / "record.json")
    assert [one["key"] for one in json.loads((tmp_path / "record.json").read_text())["record"]["earlier"]] == ["id"]


WRONG = [
    ({"original": {**PEOPLE, "id": ["a", "a", "c", "d"]}}, {}, "1 key has more than one row"),
    ({"original": {**PEOPLE, "id": ["a", None, "c", "d"]}}, {}, "1 row has no key"),
    ({"original": {**PEOPLE, "id": ["5", "6", "7", "8"]}}, {}, "no person is both in this edition"),
    ({"original": None}, {}, 'there is no column "id"'),
    ({"original": {"zip": PEOPLE["zip"], "age": PEOPLE["age"]}}, {}, 'there is no column "id"'),
    ({"released": {**FIRST, "id": PEOPLE["id"]}}, {}, "whoever has two editions joins their rows by it"),
    ({"key": None}, {}, "nothing says who the rows of this release are of"),
    ({"key_file": {"key": ["a"]}, "key": None}, {"key_file": {"key": PEOPLE["id"]}}, "rows"),
    ({"key_file": {"key": PEOPLE["id"]}}, {}, "both say who the rows"),
    ({"quasi_identifiers": ["ages"]}, {}, 'there is no column "ages"'),
    ({"releasd": FIRST}, {}, 'unknown key "releasd"'),
    ({}, {"synthetic": True}, "are nobody's"),
    ({"original": {"id": PEOPLE["id"]}, "key": None, "pairing": "position"}, {}, "have different ones"),
]


@pytest.mark.parametrize(("earlier", "options", "problem"), WRONG)
def test_what_is_wrong_is_refused(earlier, options, problem):
    with pytest.raises(PETWorksError, match=problem):
        release(earlier, **options).ask("joint anonymity")


def test_rows_out_of_order_do_not_pass():
    """Keys are those of the originals, whose rows must be those of the release."""
    many = {name: [*"abcdefgh"] for name in ("id", "zip")}
    first = {"released": {"zip": many["zip"][::-1]}, "original": many, "key": "id"}
    with pytest.raises(PETWorksError, match="same order"):
        pw.Release({"zip": many["zip"]}, original=many, earlier=[first]).ask("joint anonymity")


def test_a_list_is_expected():
    with pytest.raises(ParameterError, match="must be a list"):
        pw.Release(FIRST, original=PEOPLE, earlier={"released": FIRST})
    with pytest.raises(ParameterError, match="there are none"):
        pw.Release(FIRST, original=PEOPLE, key_file={"key": ["1"]})


def test_nothing_is_told_without_earlier_releases():
    alone = pw.Release(SECOND, original=PEOPLE)
    with pytest.raises(NotAskableError, match="earlier"):
        alone.ask("joint anonymity")
    assert not [name for name in alone.evaluate().skipped if pw.measures()[name].for_editions]


def test_other_measures_are_those_of_the_release_alone():
    """Earlier releases change no figure of the release itself."""
    alone, beside = pw.Release(SECOND, original=PEOPLE).evaluate(), release().evaluate()
    for result in alone:
        assert beside[result.measure.name].to_dict() == result.to_dict()
    assert alone.skipped == {name: one for name, one in beside.skipped.items() if name in alone.skipped}
    assert "earlier" not in alone.record.to_dict()
    assert [one["name"] for one in beside.record.to_dict()["earlier"]] == ["earlier release"]


def test_a_published_pseudonym_is_told():
    published = {**FIRST, "id": PEOPLE["id"]}
    result = release({"released": published, "pseudonym": True}).ask("joint anonymity")
    assert "rows_joinable" in [note.kind for note in result.warnings]


def test_an_attribute_that_changes_has_the_values_of_joint_classes():
    first = {"released": {"zip": ["1", "1"], "ill": ["flu", "cold"]}, "original": {"id": ["a", "b"]}, "key": "id"}
    roles = {"quasi_identifiers": ["zip"], "sensitive": ["ill"]}
    new = {"zip": ["1", "1"], "ill": ["hay", "flu"]}
    found = pw.Release(new, original={"id": ["a", "b"]}, **roles, earlier=[first])
    assert found.ask(pw.JointDiversity(l=2)).exact == 1
    assert found.ask(pw.JointDiversity(l=2, changing=["ill"])).exact == Fraction(2)
    assert found.ask(pw.JointDiversity(l=2)).figures["misled"] == 2


def test_measures_agree_with_the_classes_that_they_are_made_of():
    chance = random.Random(7)
    people = [f"p{number}" for number in range(40)]
    editions = [draw(chance, people, local=False) for _ in range(2)]
    made = build_edition(editions, ["a", "b"], "s", TREES)
    check_measures(made, 4, find_figures(made, 4))


def test_whoever_has_earlier_releases_is_among_the_adversaries():
    told = pw.attack(release(), remedies=False)
    assert (told["earlier"].found, told["earlier"].certain) == (4, 4)
    assert "earlier" not in told.untried
    assert pw.attack(pw.Release(SECOND, original=PEOPLE), remedies=False).untried["earlier"] == "not given"


def test_the_public_is_told_no_verdict_that_says_the_number():
    """Beside "fewer than five", a verdict against a limit of two to four says how many."""
    goals = [pw.JointAnonymity(2), pw.Differencing(3), pw.JointAnonymity(5), pw.Differencing(5)]
    first = {"released": {"zip": ["10"] * 4, "age": ["3*"] * 4}, "original": PEOPLE, "key": "id"}
    less = {name: cells[:2] for name, cells in PEOPLE.items()}
    new = pw.Release({"zip": ["10"] * 2, "age": ["3*"] * 2}, original=less, earlier=[first])
    judged = new.check(*goals)
    assert [one.holds for one in judged.requirements] == [True, False, False, False]
    assert [one.holds for one in judged.public().requirements] == [None, None, False, False]
    assert all(one.result.value is None for one in judged.public().requirements)
