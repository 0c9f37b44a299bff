"""Releases of people who have several rows: the best of all level vectors, tried one by one on real rows."""

import random
from collections import Counter
from fractions import Fraction
from itertools import product

import pytest

import PETWorks as pw
from oracle import naive_making as naive
from PETWorks.errors import GoalError, ParameterError, RoleError

AGES = [(str(age), f"{age // 2 * 2}+", "young" if age < 24 else "old", "*") for age in range(20, 28)]
PLACES = [("A", "north", "*"), ("B", "north", "*"), ("C", "south", "*")]
HIERARCHIES = {"age": AGES, "place": PLACES}
RATES = ["0", "20%", "1/2", "1"]


def at_least(k):
    return lambda _, people, __, ___: len(people) >= k


def believed(alpha, k):
    """Whether no value is held by too large a share of the people of a class."""

    def holds(table, people, rows, whose):
        held = {(whose[row], table["ill"][row]) for row in rows}
        counts = Counter(value for _, value in held)
        return len(people) >= k and max(counts.values()) <= alpha * len(people)

    return holds


def near(t):
    """Whether the shares of values in a class are at most t away from those of the whole table."""

    def holds(table, _, rows, whose):
        here = Counter(value for _, value in {(whose[row], table["ill"][row]) for row in rows})
        overall = Counter(value for _, value in set(zip(whose, table["ill"], strict=True)))
        few, many = sum(here.values()), sum(overall.values())
        return sum(abs(Fraction(here[one], few) - Fraction(overall[one], many)) for one in overall) / 2 <= t

    return holds


GOALS = [
    ([pw.KAnonymity(2)], at_least(2), 2),
    ([pw.KAnonymity(3)], at_least(3), 3),
    ([pw.AlphaKAnonymity(alpha="2/3", k=2)], believed(Fraction(2, 3), 2), 2),
    ([pw.TCloseness("1/3", distance="equal")], near(Fraction(1, 3)), 5),
]


def classes(table, names, persons, known):
    """Return the people and rows of each class, in the order of their values."""
    shown = [row for row in range(len(persons)) if any(table[name][row] != "*" for name in names)]
    cells = {row: tuple(table[name][row] for name in names) for row in shown}
    if known == "one":
        found = {}
        for row in shown:
            found.setdefault(cells[row], []).append(row)
        return [({persons[row] for row in found[key]}, found[key]) for key in sorted(found)]
    histories = {}
    for person in {persons[row] for row in shown}:
        own = [row for row in shown if persons[row] == person]
        many = sorted(Counter(cells[row] for row in own).items())
        people, rows = histories.setdefault((len(many), tuple(many)), (set(), []))
        people.add(person)
        rows += own
    return [histories[key] for key in sorted(histories)]


def at_vector(original, levels, holds, *, known, suppress, allowed, crowd):
    """Return the release at a vector with what must be suppressed, or None; the procedure of the specification."""
    names, persons = list(HIERARCHIES), original["patient"]
    table = naive.lifted(HIERARCHIES, levels, original)
    gone = {row for row in range(len(persons)) if all(table[name][row] == "*" for name in names)}
    while True:
        amount = len(gone) if suppress == "rows" else len({persons[row] for row in gone})
        if amount > allowed:
            return None
        made = naive.suppressed(table, names, gone)
        groups = classes(made, names, persons, known)
        bad = [one for one in groups if not holds(made, *one, persons)]
        if not bad:
            if not 0 < len({persons[row] for row in gone}) < crowd:
                return made, len(gone)
            if not groups:
                return None
            bad = [min(groups, key=lambda one: len(one[0]))]
        rows = {row for _, some in bad for row in some}
        whose = {persons[row] for row in rows}
        gone |= rows if suppress == "rows" else {row for row, person in enumerate(persons) if person in whose}


def best(original, holds, **asked):
    found = []
    for vector in product(*(range(len(rows[0])) for rows in HIERARCHIES.values())):
        levels = dict(zip(HIERARCHIES, vector, strict=True))
        if made := at_vector(original, levels, holds, **asked):
            kept = naive.release(made[0], original, HIERARCHIES, ["ill"]).ask(pw.Granularity()).exact
            found.append((1 - kept, made[1], sum(vector), vector[::-1], made[0]))
    return min(found, key=lambda one: one[:4]) if found else None


def drawn(seed):
    chance = random.Random(seed)
    rows, people = chance.choice([6, 10, 16]), chance.choice([3, 5, 9])
    where = {person: chance.choice("AAB") for person in range(people)}
    born = {person: chance.choice([20, 21, 24]) for person in range(people)}
    persons = [chance.randrange(people) for _ in range(rows)]
    return chance, {
        "patient": [f"P{person}" for person in persons],
        "age": [str(born[person] if chance.random() < 0.7 else chance.randrange(20, 28)) for person in persons],
        "place": [where[person] if chance.random() < 0.8 else chance.choice("ABC") for person in persons],
        "ill": [chance.choice(["flu", "cold", "hiv"]) for _ in range(rows)],
    }


def visits(seed):
    """Return twenty people who come one to three times, most of them from the same place."""
    chance = random.Random(seed)
    persons = [person for person in range(20) for _ in range(chance.randint(1, 3))]
    age = {person: chance.choice("0123") for person in persons}
    return {
        "patient": [f"P{person}" for person in persons],
        "age": [f"2{age[person]}" for person in persons],
        "place": [chance.choice("AAAAC") for _ in persons],
        "ill": [chance.choice(["flu", "cold", "hiv"]) for _ in persons],
    }


ROLES = {"quasi_identifiers": list(HIERARCHIES), "sensitive": ["ill"], "hierarchies": HIERARCHIES, "person": "patient"}


@pytest.mark.parametrize("seed", range(150))
def test_is_the_best_of_all(seed):
    chance, original = drawn(seed)
    goals, holds, crowd = GOALS[seed % len(GOALS)]
    known, suppress, rate = chance.choice(["one", "all"]), chance.choice(["rows", "people"]), chance.choice(RATES)
    many = len(original["ill"]) if suppress == "rows" else len({*original["patient"]})
    allowed = {"0": 0, "20%": many // 5, "1/2": many // 2, "1": many}[rate]
    expected = best(original, holds, known=known, suppress=suppress, allowed=allowed, crowd=crowd)
    asked = {**ROLES, "goals": goals, "known": known, "suppress": suppress, "suppress_at_most": rate}
    if expected is None:
        with pytest.raises(GoalError, match="no level vector meets the goals"):
            pw.anonymize(original, **asked)
        return
    made = pw.anonymize(original, **asked)
    lost, gone, _, levels, table = expected
    assert made.proven
    assert (tuple(made.levels.values()), made.suppressed) == (levels[::-1], gone)
    assert 1 - made.utility.exact == lost
    written = made.frame("pyarrow").to_pydict()
    assert {name: written[name] for name in HIERARCHIES} == {name: table[name] for name in HIERARCHIES}
    assert set(written["patient"]) == {"*"}
    rows = zip(table["patient"], table["age"], table["place"], strict=True)
    assert made.suppressed_people == len({person for person, *cells in rows if {*cells} == {"*"}})


@pytest.mark.parametrize("known", ["one", "all"])
@pytest.mark.parametrize("suppress", ["rows", "people"])
@pytest.mark.parametrize("name", ["made.csv", "made.parquet"])
def test_the_written_file_holds_when_it_is_checked(tmp_path, known, suppress, name):
    original = visits(3)
    asked = {**ROLES, "known": known, "suppress": suppress, "suppress_at_most": "3/4"}
    made = pw.anonymize(original, **asked, goals=pw.KAnonymity(2), coarsest={"age": 0, "place": 1})
    assert 0 < made.suppressed < len(original["ill"])
    assert made.write(tmp_path / name).requirements_hold
    read = {name: one for name, one in ROLES.items() if name != "person"}
    release = pw.Release(tmp_path / name, original=original, **read, person="patient", known=known)
    assert release.check(pw.KAnonymity(2)).requirements_hold
    assert release.ask(pw.KAnonymity(2)).scope.people.suppressed == made.suppressed_people


def test_rows_that_cannot_be_measured_again_are_not_written():
    """Persons are not in the release: without the place of a row, nobody can tell whose it is."""
    for further in ({"suppressed_rows": "remove"}, {"order": "shuffled"}):
        with pytest.raises(ParameterError, match="the person of each row is unknown"):
            pw.anonymize(visits(1), **ROLES, goals=pw.KAnonymity(2), suppress_at_most="1", **further)


def test_one_row_for_each_person_is_as_without_persons():
    for seed in range(12):
        _, original = drawn(seed)
        original["patient"] = [f"P{place}" for place in range(len(original["ill"]))]
        asked = {**ROLES, "goals": GOALS[seed % 4][0], "suppress_at_most": "1"}
        without = {name: one for name, one in asked.items() if name != "person"}
        for known in ("one", "all"):
            made = pw.anonymize(original, **asked, known=known)
            plain = pw.anonymize(original, **without, identifiers=["patient"])
            assert (made.levels, made.suppressed, made.loss) == (plain.levels, plain.suppressed, plain.loss)
            assert made.outcome.proof == plain.outcome.proof


def test_rows_without_a_person_are_found_when_they_are_written():
    original = {
        "patient": ["A", None, "*", "B", "B", "A"],
        "age": ["20", "20", "21", "22", "22", "20"],
        "place": ["A"] * 6,
        "ill": ["flu"] * 6,
    }
    for unknown in ("together", "each"):
        asked = {**ROLES, "goals": pw.KAnonymity(2), "suppress_at_most": "1", "unknown_person": unknown}
        made = pw.anonymize(original, **asked, known="all")
        written = made.frame("pyarrow").to_pydict()
        assert len(written["age"]) == 6
        assert written["patient"] == ["*"] * 6


def test_what_cannot_count_people_says_so():
    _, original = drawn(1)
    without = {name: one for name, one in ROLES.items() if name != "person"}
    for recoding, said in (("local", "local recoding"), ("microaggregate", "microaggregation")):
        with pytest.raises(ParameterError, match=f"{said} counts rows, but people have several"):
            pw.anonymize(original, **ROLES, goals=pw.KAnonymity(2), recoding=recoding)
    with pytest.raises(ParameterError, match='suppress="people" needs the column'):
        pw.anonymize(original, **without, identifiers=["patient"], goals=pw.KAnonymity(2), suppress="people")
    with pytest.raises(ParameterError, match="suppress cannot be 'persons'"):
        pw.anonymize(original, **ROLES, goals=pw.KAnonymity(2), suppress="persons")
    with pytest.raises(RoleError, match='"age" cannot be a quasi identifier'):
        pw.anonymize(original, **{**ROLES, "person": "age"}, the_rest="insensitive", goals=pw.KAnonymity(2))
