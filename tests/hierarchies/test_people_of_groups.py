"""Groups of a hierarchy where people have several rows: everybody counts once in each group."""

import random

import numpy as np
import pytest

from PETWorks import Hierarchy
from PETWorks.hierarchies.spans import arrange_spans
from PETWorks.hierarchies.values import PeopleByValue, count_people, count_people_by_group


def holders(rows):
    """Count who has which value, from rows of value and person."""
    pairs = sorted(set(rows))
    values, people = sorted({value for value, _ in pairs}), sorted({person for _, person in pairs})
    codes = np.array([(values.index(value), people.index(person)) for value, person in pairs], dtype=np.int64)
    return PeopleByValue(values, codes[:, 0], codes[:, 1])


@pytest.mark.parametrize("seed", range(20))
def test_people_of_groups_by_definition(seed):
    draw = random.Random(seed)
    rows = [(str(draw.randrange(40)), draw.randrange(12)) for _ in range(60)]
    counts = holders(rows)
    groups = {value: draw.randrange(4) for value in counts if draw.random() < 0.8}
    found = count_people_by_group(counts, [*groups], np.array([*groups.values()], dtype=np.int64), 4)
    assert found.tolist() == [len({who for value, who in rows if groups.get(value) == group}) for group in range(4)]
    assert dict(counts) == {value: len({who for other, who in rows if other == value}) for value in counts}
    some = draw.sample([*counts], 5)
    assert count_people(counts, some) == len({who for value, who in rows if value in some})
    assert count_people(counts) == len({who for _, who in rows})


def test_coverage_and_drawing_count_everybody_once():
    rows = [(str(20 + age), "A") for age in range(6)] + [(str(30 + age), f"P{age}") for age in range(5)] + [("99", "A")]
    counts = holders(rows)
    tree = Hierarchy("age", [(str(age), f"{age // 10}0s", "*") for age in range(20, 40)])
    coverage = tree.coverage(counts)
    assert (coverage.people, coverage.lacking_people, coverage.lacking) == (6, 1, {"99": 1})
    assert coverage.levels[1].largest == {"30s": 5, "20s": 1}
    drawn = arrange_spans(tree, counts)[1]
    assert [one.value for one in drawn] == ["30s", None]  # the twenties are those of one person
    assert [one.people for one in drawn] == [5, 6]  # as wide as what is below
