"""Special uniques, against their definition and against values from outside."""

import tracemalloc
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import PETWorks as pw
from oracle import naive_suda as naive
from oracle.naive import classes, is_suppressed
from PETWorks.errors import NotAskableError
from PETWorks.measure.formulas.special_uniques import Intrusion, find_minimal_uniques, weight_sizes
from support.strategies import columns_of, release_of, tables
from support.strategies_family import quick, thorough

GUIDE = {  # ten people of the SDC practice guide
    "residence": ["Urban"] * 4 + ["Rural"] + ["Urban"] * 5,
    "gender": ["f", "f", "f", "m", "f", "m", "f", "m", "f", "f"],
    "education": ["2i", "2i", "1i", "2c", "2c", "2c", "1c", "3", "2i", "2i"],
    "labor": ["yes", "yes", "not", "yes", "no", "yes", "not", "no", "not", "not"],
}
EIGHTEEN = """N f 20 B clerk/N f 20 B clerk/N f 20 H nurse/N m 30 B clerk/N m 30 H nurse/S f 30 B nurse/S f 20 M clerk
S m 20 B clerk/S m 30 - clerk/S m 30 B nurse/E f 40 B clerk/E f 40 B clerk/E m 40 H -/S f 30 H clerk/N m 20 B nurse
N m 30 B clerk/N f 20 B clerk/E f 30 B clerk"""


def eighteen() -> pw.Release:
    rows = [[None if cell == "-" else cell for cell in row.split()] for row in EIGHTEEN.replace("\n", "/").split("/")]
    return pw.Release(dict(zip(["area", "sex", "age", "edu", "job"], zip(*rows, strict=True), strict=True)))


def shares(result: pw.Result) -> dict[str, str]:
    return {name: str(part.exact) for name, part in result.parts.items() if name not in result.measure.fixed_parts}


@thorough
@given(tables(), st.integers(1, 4), st.sampled_from(["value", "unknown"]))
def test_sets_scores_and_shares(tables, largest, missing):
    found = naive.minimal_uniques(tables, largest, missing_is_known=missing == "value")
    result = release_of(tables).ask(pw.SpecialUniques(max_size=largest, missing=missing))
    columns = len(tables.quasi_identifiers)
    assert result.exact == Fraction(sum(map(bool, found)), len(found) or 1)
    for name in tables.quasi_identifiers:
        key = name if name not in result.measure.fixed_parts else f"{name}'"
        assert result.parts[key].exact == naive.share_of(name, found, columns, min(largest, columns)), name


@thorough
@given(tables(), st.sampled_from(["1", "1/2", "1/10", "0.001"]))
def test_chances(tables, fraction):
    columns = len(tables.quasi_identifiers)
    scored = naive.scores(naive.minimal_uniques(tables, columns), columns, min(6, columns))
    expected = naive.chances(tables, scored, Fraction(fraction))
    measure = pw.SpecialUniques(fraction=fraction, threshold="0.3")
    parts = release_of(tables).ask(measure).parts
    assert parts["highest"].value == float(max(expected, default=0))
    assert parts["average"].value == pytest.approx(float(sum(expected) / (len(expected) or 1)), rel=1e-15)
    assert parts["above threshold"].exact == Fraction(sum(one > Decimal("0.3") for one in expected), len(expected) or 1)
    sizes = [len(rows) for rows in classes(tables)]
    right, wrong = sizes.count(1) * Fraction(fraction), 2 * sizes.count(2) * (1 - Fraction(fraction))
    assert parts["file"].exact == (right / (right + wrong) if right + wrong else None)


@quick
@given(tables())
def test_verdicts_are_exact(tables):
    columns = len(tables.quasi_identifiers)
    scored = naive.scores(naive.minimal_uniques(tables, columns), columns, min(6, columns))
    highest = Fraction(max(naive.chances(tables, scored, Fraction(1, 10), digits=100), default=0))
    release, nudge = release_of(tables), Fraction(1, 10**70)
    for limit, holds in [(highest - nudge, False), (highest + nudge, True)]:
        if 0 <= limit <= 1:
            assert release.ask(pw.SpecialUniques(fraction="1/10", highest=limit)).holds is holds
    exact = release.ask(pw.SpecialUniques(fraction="1/10")).exact
    assert exact is None or release.ask(pw.SpecialUniques(fraction="1/10", highest=exact)).holds


def test_a_chance_that_is_a_fraction_is_compared_as_one():
    simulated = Intrusion({6: 4}, unique=4, pairs=6, fraction=Fraction(1, 100), columns=4)
    assert simulated.compute_chance(6) == simulated.chance_of_file == Fraction(2, 299)
    simulated = Intrusion({16: 1, 1: 1}, 2, 2, Fraction(1, 2), columns=13)
    assert simulated.compute_chance(16) == Fraction(9, 11)  # Q = 3/4: 16^Q = 8


def test_the_guide():
    result = pw.Release(GUIDE).ask(pw.SpecialUniques(fraction="1/100", max_size=3))
    assert result.figures["file"] == Fraction(2, 299)
    assert f"{result.value:.15f}" == "0.011383006246553"
    assert f"{result.figures['average']:.17f}"[:17] == "0.003052328039286"
    assert shares(result) == {"residence": "4/17", "gender": "3/17", "education": "11/17", "labor": "4/17"}
    assert result.parts["special"].exact == Fraction(2, 5)


def test_a_tenth_sampled():
    result = pw.Release(GUIDE).ask(pw.SpecialUniques(fraction="1/10"))
    assert (f"{result.value:.15f}", result.figures["file"]) == ("0.112416671924726", Fraction(2, 29))


def test_eighteen_people():
    small = eighteen().ask(pw.SpecialUniques(fraction="1/20", max_size=2))
    assert shares(small) == {"area": "1/5", "sex": "1/10", "age": "1/5", "edu": "13/20", "job": "1/4"}
    assert (f"{small.value:.15f}", small.parts["special"].exact) == ("0.297723605764281", Fraction(1, 3))
    unknown = eighteen().ask(pw.SpecialUniques(fraction="1/20", max_size=5, missing="unknown"))
    assert shares(unknown) == {"area": "55/127", "sex": "53/127", "age": "57/127", "edu": "85/127", "job": "40/127"}
    assert f"{unknown.value:.15f}" == "0.498681669452537"


def test_adult():
    names = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"]
    release = pw.Release("data/adult.csv", quasi_identifiers=[*names, "salary-class"])
    result = release.ask(pw.SpecialUniques(fraction="1/100"))
    assert (f"{result.value:.13f}", f"{result.figures['average']:.13f}") == ("0.9270849433596", "0.1100857929821")
    assert (result.figures["file"], result.figures["special"]) == (Fraction(3878, 107729), Fraction(15374, 30162))
    assert shares(result)["age"] == "638116/850071"
    assert "1: 2, 2: 1,204, 3: 14,890, 4: 26,029, 5: 15,983, 6: 4,172" in str(result.explain()).replace("\n     ", " ")


@pytest.mark.parametrize(
    ("columns", "largest", "weights"),
    [(3, 3, [2, 1, 1]), (9, 6, [20160, 2520, 360, 60, 12, 3]), (20, 2, [342, 18]),
     (20, 6, [19535040, 1028160, 57120, 3360, 210, 14])],
)  # fmt: skip
def test_weights_of_sizes(columns, largest, weights):
    assert weight_sizes(columns, largest) == weights


def test_without_doubles_every_match_counts_as_right():
    result = pw.Release({"a": ["a", "b", "c"], "b": ["x", "x", "y"], "c": ["1"] * 3}).ask(
        pw.SpecialUniques(fraction="1/100")
    )
    assert (result.exact, result.parts["average"].exact) == (1, 1)
    assert [note.kind for note in result.notes] == ["no_doubles"]


def test_nobody_is_unique():
    result = pw.Release({"a": ["a", "a", "b", "b"]}).ask(pw.SpecialUniques(fraction="1/100", highest=0))
    assert (result.exact, result.holds, result.figures["file"], result.notes) == (0, True, 0, ())


def test_all_rows_suppressed():
    result = pw.Release({"a": ["*"] * 3}).ask(pw.SpecialUniques(fraction="1/2", highest=0))
    assert (result.exact, result.holds, result.figures["file"]) == (0, True, None)


def test_more_than_ten_columns():
    table = {f"c{number}": [str(row >> number % 5 & 1) for row in range(32)] for number in range(28)}
    result = pw.Release(table).ask(pw.SpecialUniques(fraction="1/2"))
    assert result.parts["special"].exact == result.exact  # no chance is defined
    assert [note.kind for note in result.notes] == ["largest", "many_columns"]
    with pytest.raises(NotAskableError, match="28 quasi-identifiers: this chance is defined for up to 27"):
        pw.Release(table).ask(pw.SpecialUniques(fraction="1/2", highest="1/2"))


def test_a_limit_without_the_fraction():
    for about in ({"highest": "0.1"}, {"threshold": "0.1"}):
        with pytest.raises(NotAskableError, match="sampling fraction"):
            pw.Release(GUIDE).ask(pw.SpecialUniques(**about))


# The fraction follows from sampling weights.


def values(result: pw.Result) -> dict[str, tuple]:
    return {name: (part.exact, part.value, part.holds) for name, part in result.parts.items()}


@thorough
@given(tables(), st.data())
def test_weights_say_the_fraction(tables, data):
    """Rows ÷ weights of what is published; weights below 1 do not make it more than everybody."""
    rows = len(tables.released)
    written = data.draw(st.lists(st.sampled_from(["1", "0.5", "1.5", "20", "1e3"]), min_size=rows, max_size=rows))
    table = {**columns_of(tables.released), "the weight": written}
    about = {"quasi_identifiers": tables.quasi_identifiers, "suppressed": tables.marker, "sidecar": False}
    places = [place for place, row in enumerate(tables.released) if not is_suppressed(tables, row)]
    total = sum(Fraction(written[place]) for place in places)
    fraction = min(Fraction(1), len(places) / total) if places else 1
    limits = {"highest": "0.3", "threshold": "0.2"}
    weighted = pw.Release(table, weight="the weight", **about).ask(pw.SpecialUniques(**limits))
    stated = pw.Release(columns_of(tables.released), **about).ask(pw.SpecialUniques(fraction=fraction, **limits))
    assert values(weighted) == values(stated)
    assert ("by_weights" in {note.kind for note in weighted.notes}) is bool(places)


def test_a_stated_fraction_comes_before_weights():
    release = pw.Release({**GUIDE, "w": ["bad", *["100"] * 9]}, quasi_identifiers=list(GUIDE), weight="w")
    assert f"{release.ask(pw.SpecialUniques(max_size=3, fraction='1/100')).value:.12f}" == "0.011383006247"
    release = pw.Release({**GUIDE, "w": ["100"] * 10}, quasi_identifiers=list(GUIDE), weight="w")
    assert f"{release.ask(pw.SpecialUniques(max_size=3)).value:.12f}" == "0.011383006247"


def test_of_people_weights_count_once():
    """Everybody stands for 50 people, whatever their rows."""
    visits = {name: [cell for cell in cells for _ in range(2)] for name, cells in GUIDE.items()}
    visits |= {"pid": [str(row // 2) for row in range(20)], "w": ["50"] * 20}
    release = pw.Release(visits, quasi_identifiers=list(GUIDE), person="pid", weight="w")
    by_weights, stated = (release.ask(pw.SpecialUniques(**given)) for given in ({}, {"fraction": "1/50"}))
    assert values(by_weights) == values(stated)


def test_a_wide_table_takes_the_memory_of_a_few_sets_not_of_all():
    chance = np.random.default_rng(1)
    columns = [chance.integers(0, 40, 3000).astype(np.int32) for _ in range(40)]
    tracemalloc.start()
    try:
        uniques = find_minimal_uniques(columns, np.ones(3000, dtype=np.int64), 3)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert uniques.by_size[2] > 10**6
    assert peak < 20 * 2**20  # a mask and the groups of each of the 10,660 sets would take 500 MB


def test_large_tables_are_examined_if_asked_by_name():
    chance = np.random.default_rng(1)
    table = {f"c{column}": chance.integers(0, 9, 3000).astype(str) for column in range(9)}
    release = pw.Release(table)
    assert release.evaluate().skipped["special uniques"].kind == "by_name"
    assert "special uniques" not in pw.Release({name: cells[:300] for name, cells in table.items()}).evaluate().skipped
    assert release.ask("special uniques").value == release.evaluate("SpecialUniques")[0].value > 0
