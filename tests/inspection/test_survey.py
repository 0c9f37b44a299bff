"""Roles are tried by regrouping one tally; every figure is what a naive count of the rows gives."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import PETWorks as pw
from PETWorks.attributetypes import Role
from PETWorks.inspection.survey import survey
from PETWorks.inspection.uniqueness import count_small_by_level, find_equivalent
from support.output import listen
from tables.passes import list_passes

ROWS = st.lists(st.tuples(*[st.sampled_from("abc")] * 4), min_size=1, max_size=60)
NAMES = ("w", "x", "y", "z")


@pytest.fixture
def any_memory(monkeypatch):
    """Let a limit of memory be less than what counting usually needs."""
    monkeypatch.setattr("PETWorks.tables.counting.workspace.LEAST_MEMORY", 0)


def small(rows, places):
    """Count the people in classes of fewer than five, one by one."""
    classes = Counter(tuple(row[place] for place in places) for row in rows)
    return sum(size for size in classes.values() if size < 5)


@settings(max_examples=80, deadline=None)
@given(ROWS, st.sets(st.sampled_from(range(4))))
def test_people_singled_out_are_those_that_a_naive_count_finds(rows, quasi):
    found = survey(dict(zip(NAMES, map(list, zip(*rows, strict=True)), strict=True)))
    singled = found.count_singled_out([NAMES[place] for place in sorted(quasi)])
    sizes = Counter(tuple(row[place] for place in sorted(quasi)) for row in rows)
    assert singled.histogram == Counter(sizes.values())
    assert singled.small == small(rows, quasi)
    assert singled.alone == sum(size == 1 for size in sizes.values())
    assert singled.count_people(5) == len(rows) - singled.small
    for place, name in enumerate(NAMES):
        others = quasi - {place} if place in quasi else quasi | {place}
        base = small(rows, quasi) if quasi else 0
        expected = small(rows, quasi) - small(rows, others) if place in quasi else small(rows, others) - base
        assert singled.adds[name] == expected


@settings(max_examples=60, deadline=None)
@given(ROWS, st.integers(1, 3))
def test_levels_of_a_column_with_the_others_as_they_are(rows, lacking):
    values = ["a", "b", "c"][:lacking]
    hierarchy = pw.Hierarchy("w", [(value, "ab" if value in "ab" else "c*", "*") for value in values])
    found = survey(dict(zip(NAMES, map(list, zip(*rows, strict=True)), strict=True)))
    expected = []
    for level in range(hierarchy.height + 1):
        lifted = [(hierarchy.lift(w, level) if w in values else w if not level else "*", x) for w, x, _, _ in rows]
        expected.append(small(lifted, (0, 1)))
    assert count_small_by_level(found.joint, hierarchy, ["w", "x"]) == expected


@settings(max_examples=60, deadline=None)
@given(ROWS)
def test_values_are_guarded_by_people_where_these_have_several_rows(rows):
    found = survey(dict(zip(NAMES, map(list, zip(*rows, strict=True)), strict=True)), person="z")
    for place, name in enumerate(NAMES[:3]):
        people = Counter(value for value, _ in {(row[place], row[3]) for row in rows})
        assert found.count_people(name) == people
        column = next(one for one in found.inspection if one.name == name)
        assert all(many == people[value] >= 5 for value, many in column.common)
    assert found.inspection.rows == len(rows)


@pytest.mark.usefixtures("any_memory")
@pytest.mark.parametrize(("memory", "most"), [(None, 2), ("2 MB", 4)])  # some are read again
def test_people_of_all_columns_are_counted_in_few_passes_over_the_rows(tmp_path, monkeypatch, memory, most):
    passes = list_passes(monkeypatch)
    draw = np.random.default_rng(1)
    columns = {f"c{number}": draw.integers(0, 4 + number, 6_000).astype(str).tolist() for number in range(12)}
    columns["who"] = [f"{one:x}" for one in draw.integers(0, 400, 6_000)]
    rows = [*zip(*columns.values(), strict=True)]
    (tmp_path / "visits.csv").write_text("\n".join(map(",".join, [[*columns], *rows])))
    found = survey(tmp_path / "visits.csv", person="who", memory_limit=memory)
    assert len(passes) <= most
    for place, column in enumerate(found.inspection.columns[:-1]):
        people = Counter(value for value, _ in {(row[place], row[-1]) for row in rows})
        assert column.common
        assert all(people[value] == many for value, many in column.common)
        assert found.count_people(column.name) == people
    assert found.inspection.rows == 6_000


@pytest.mark.usefixtures("any_memory")
def test_where_people_do_not_fit_in_memory_no_value_is_shown():
    table = {"sex": ["M", "F"] * 1_000, "who": [f"{one:x}" for one in range(2_000)]}
    found = survey(table, person="who", memory_limit="20 kB")
    assert found.count_people("sex") == {"F": 1, "M": 1}
    assert found.inspection["sex"].common == ()


@settings(deadline=None)
@given(ROWS)
def test_columns_say_the_same_if_each_value_goes_with_one_of_the_other(rows):
    table = dict(zip(NAMES, map(list, zip(*rows, strict=True)), strict=True))
    joint = survey({**table, "u": [cell.upper() for cell in table["x"]]}).joint

    def same(one, other):
        pairs = set(zip(table[one], table[other], strict=True))
        return len(pairs) == len({*table[one]}) == len({*table[other]}) > 1

    told = {frozenset(pair) for pair in find_equivalent(joint)}
    assert (frozenset(("x", "u")) in told) == (len({*table["x"]}) > 1 and not same("w", "x"))
    for one, other in ((a, b) for a in NAMES for b in NAMES if a < b):
        if frozenset((one, other)) in told:
            assert same(one, other)


def test_a_column_apart_is_counted_when_it_becomes_known():
    numbers = [f"A{one:09}" for one in range(40)]
    found = survey({"id": numbers, "sex": ["M", "F"] * 20})
    assert found.apart == {"id"}
    assert found.is_quick(["sex"])
    assert not found.is_quick(["id", "sex"])
    assert found.count_singled_out(["id", "sex"]).alone == 40
    assert found.is_quick(["id"])
    assert found.count_singled_out(["sex"]).small == 0


def test_warnings_follow_the_roles_that_were_chosen():
    numbers = [f"A{one:09}" for one in range(40)]
    found = survey({"id": numbers, "one": ["x"] * 40, "sex": ["M", "F"] * 20})
    assert found.find_warnings({}) == ()
    roles = {"id": Role.INSENSITIVE_ATTRIBUTE, "one": Role.SENSITIVE_ATTRIBUTE}
    assert [note.kind for note in found.find_warnings(roles)] == ["names_people", "same_for_all"]
    assert found.find_warnings({"id": Role.IDENTIFIER, "one": Role.INSENSITIVE_ATTRIBUTE}) == ()


def test_values_of_a_column_with_their_people():
    found = survey({"id": [f"A{one:09}" for one in range(40)], "sex": ["M", "F", None, "F"] * 10})
    assert found.count_rows("sex") == {"F": 20, "M": 10, None: 10}
    assert found.count_rows("id") == dict.fromkeys((f"A{one:09}" for one in range(40)), 1)


@pytest.mark.usefixtures("any_memory")
def test_too_many_combinations_for_the_memory(tmp_path):
    columns = {f"c{number}": np.random.default_rng(number).integers(0, 30, 20_000).astype(str) for number in range(8)}
    (tmp_path / "wide.csv").write_text(
        "\n".join([",".join(columns), *(",".join(row) for row in zip(*columns.values(), strict=True))])
    )
    found = survey(tmp_path / "wide.csv", memory_limit="8 MB")
    assert found.joint is None
    assert not found.is_quick(["c0", "c1"])
    assert found.count_singled_out(["c0", "c1"]).count_people(1) == 20_000
    assert found.count_singled_out([f"c{number}" for number in range(8)]) is None


def test_hundreds_of_columns_that_say_the_same_are_told_once_each():
    found = survey({f"c{number}": ["x", "y", "y"] * 20 for number in range(500)})
    assert len(found.alike) == 499
    assert found.count_singled_out(["c0"], of=["c1"]).adds == {"c1": 0}


@pytest.mark.parametrize("person", [None, "id"])
def test_a_survey_tells_one_progress_of_all_its_passes(tmp_path, person):
    rows = [f"{row % 40};{row % 9};{row % 7}" for row in range(200_000)]
    (tmp_path / "table.csv").write_text("\n".join(["id;age;zip", *rows]) + "\n", encoding="utf-8")
    seen, shares = [], []

    def tell(rows, share):
        seen.append(rows)
        shares.extend([] if share is None else [share])

    with listen(tell):
        survey(tmp_path / "table.csv", person=person)
    assert sum(seen) == len(rows)
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert 0 < shares[0] < 1
