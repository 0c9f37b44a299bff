"""Premises of random tables are those of their definitions: with people, suppressed rows, missing cells and markers."""

from random import Random

import pytest

import PETWorks as pw
from oracle import naive_premises as naive
from PETWorks.premises.free_text import count_units

QUASI, INSENSITIVE, SENSITIVE = ["q0", "q1"], ["x0", "x1"], ["s0", "s1"]
TEXTS = ("病情說明如下一", "同前", "all is well with him today", "no complaints at all", "N02BE01", "請家屬明日來院")


def make_columns(chance, rows, *, person):
    """Make a table: few or many values, missing cells, markers, suppressed rows, and texts."""
    table = {}
    for name in (*QUASI, *INSENSITIVE, *SENSITIVE):
        values = [f"{name}{number}" for number in range(chance.choice((2, 3, 8, 40)))]
        table[name] = [chance.choice(values) for _ in range(rows)]
    some = [f"{chance.choice(TEXTS)}{chr(0x4E00 + chance.randrange(3000))}" for _ in range(rows)]
    own = chance.choice((0.05, 0.5, 1))
    table["note"] = [one if chance.random() < own else chance.choice(TEXTS) for one in some]
    if person:
        table["who"] = [f"w{chance.randrange(max(1, rows * 2 // 3))}" for _ in range(rows)]
    for name, cells in table.items():
        gap = chance.choice((0, 0.1, 0.4)) if name != "who" else 0.05
        table[name] = [cell if chance.random() >= gap else chance.choice((None, "*")) for cell in cells]
    for row in range(rows):
        if chance.random() < 0.1:
            table["q0"][row] = table["q1"][row] = "*"
    return table


def build_release(table, original=None, *, person):
    options = {"person": "who", "unknown_person": "each"} if person else {}
    roles = {"quasi_identifiers": QUASI, "sensitive": SENSITIVE, "insensitive": [*INSENSITIVE, "note"]}
    return pw.Release(table, original=original, **roles, **options)


@pytest.mark.parametrize("person", [False, True], ids=["rows", "people"])
@pytest.mark.parametrize("seed", range(40))
def test_what_columns_give_away(seed, person):
    chance = Random(seed)
    table = make_columns(chance, chance.choice((1, 7, 30, 120)), person=person)
    who = "who" if person else None
    premises = build_release(table, person=person).check(pw.KAnonymity(k=5)).premises
    rest, counts = premises["rest"], premises["rest"].counts
    figures, by_column = naive.rest(table, QUASI, [*INSENSITIVE, "note"], SENSITIVE, who)
    assert figures | {"left": figures["all"]} == dict(counts)
    assert {name: found["alone"] for name, found in rest.columns.items()} == by_column
    assert (rest.holds is False) is naive.are_many(figures["all"] - figures["qi"], figures["of"])
    for name in SENSITIVE:
        alone = naive.fingerprint(table, name, who)
        assert (name in premises["fingerprint"].columns) is naive.are_many(alone, figures["of"])
        assert premises["fingerprint"].columns.get(name, {"alone": alone})["alone"] == alone
        values, same = naive.covered(table, QUASI, name, who)
        found = premises["covered"].columns.get(name)
        assert found == ({"values": values, "same": same} if values >= 2 else None)
    texts = sorted({cell for cell in table["note"] if naive.is_cell(cell)})
    units = dict(zip(texts, count_units(texts).tolist(), strict=True))
    is_text, own, cells = naive.free_text(table, "note", who, units)
    assert premises["free_text"].columns.get("note") == ({"rows": own, "of": cells} if is_text else None)


@pytest.mark.parametrize("seed", range(30))
def test_changed_and_identifiers(seed):
    chance = Random(seed)
    table = make_columns(chance, chance.choice((1, 12, 60)), person=False)
    original = {name: list(cells) for name, cells in table.items()}
    if seed % 3:  # the rows in another order, or one cell changed
        order = chance.sample(range(len(table["q0"])), len(table["q0"]))
        original = {name: [cells[row] for row in order] for name, cells in original.items()}
    if seed % 3 == 2:
        original["s0"][0] = "another"
    names = [f"n{chance.randrange(30)}" for _ in table["q0"]]
    original["name"] = names
    table["name"] = [chance.choice((name, "*", None, "pseudonym")) for name in names]
    roles = {"quasi_identifiers": QUASI, "sensitive": SENSITIVE, "insensitive": [*INSENSITIVE, "note"]}
    premises = pw.Release(table, original=original, identifiers=["name"], **roles).check(pw.KAnonymity(k=5)).premises
    published = [name for name in table if name != "name"]
    assert (premises["changed"].holds is False) is not naive.changed(table, original, published)
    rows, same = naive.identifiers(table, "name", original)
    assert premises["identifiers"].columns.get("name", {"rows": 0, "original": 0}) == {"rows": rows, "original": same}
    assert premises["columns"].holds


@pytest.mark.parametrize("seed", range(40))
def test_rows_of_one_person(seed):
    """A number by its name, another identifier with a date of birth, and a column that acts like a number."""
    chance = Random(seed)
    people = chance.choice((15, 25, 60))
    rows = [chance.randrange(people) for _ in range(chance.choice((20, 80, 200)))]
    if seed % 2:
        rows.sort()
    sex, town = ([chance.choice(values) for _ in range(people)] for values in ("MF", "ABCDEF"))
    slips = chance.choice((0, 0.05, 0.3))
    table = {
        "q": [chance.choice("uvw") for _ in rows],
        "sex": [sex[one] if chance.random() >= slips else chance.choice("MF") for one in rows],
        "town": [town[one] if chance.random() >= slips else chance.choice("ABCDEF") for one in rows],
        "code": [f"c{one}" if chance.random() < 0.9 else None for one in rows],
        "chart no": [f"h{row}" if chance.random() < 0.98 else "h0" for row in range(len(rows))],
        "name": [f"n{chance.randrange(10)}" for _ in rows],
        "birth date": [f"19{50 + chance.randrange(40)}-01-0{1 + one % 9}" for one in rows],
    }
    roles = {"quasi_identifiers": ["q"], "identifiers": ["name"]}
    found = pw.Release(table, **roles).check(pw.KAnonymity(k=5)).premises["people"].columns
    assert ("chart no" in found) is naive.number_of_people(table["chart no"])
    assert ("name" in found) is naive.other_identifier(table, "name", ["birth date"], filled_too=True)
    for name in ("code", "sex", "town", "birth date"):
        assert (name in found) is naive.acts_like_number(table, name), name


@pytest.mark.parametrize("all_rows", [False, True], ids=["one", "all"])
@pytest.mark.parametrize("seed", range(20))
def test_whom_an_adversary_finds(seed, all_rows):
    chance = Random(seed)
    table = make_columns(chance, chance.choice((5, 40, 90)), person=True)
    knows = chance.sample([*QUASI, *INSENSITIVE, "s0"], chance.randrange(1, 4))
    adversary = pw.Adversary("neighbour", knows, rows="all" if all_rows else "one")
    release = build_release(table, person=True)
    found, certain = naive.whom_found(table, knows, "who", all_rows=all_rows)
    result = pw.attack(release, [adversary], remedies=False)["neighbour"]
    assert (result.found, result.certain) == (found, certain)
    premise = release.check(pw.KAnonymity(k=5), adversaries=[adversary]).premises["adversaries"]
    assert (premise.holds is False) is (found > 0)
    assert premise.columns.get("neighbour", {"found": 0})["found"] == found
