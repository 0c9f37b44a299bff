"""The lookup of combinations finds what a search through all of them finds, whatever the sizes of its tables."""

import random
from unittest.mock import patch

import pytest

from PETWorks.tables.counting import tally as tallies
from PETWorks.tables.counting.builder import TallyBuilder
from PETWorks.tables.counting.tally import Coded, Lookup


@pytest.mark.parametrize("seed", range(300))
def test_random_tables(seed):
    chance = random.Random(seed)
    width = chance.randint(1, 6)
    values = [[None, *map(str, range(chance.randint(1, 9)))] for _ in range(width)]
    rows = [tuple(map(chance.choice, values)) for _ in range(chance.randint(1, 40))]
    others = [tuple(chance.choice([*some, "new"]) for some in values) for _ in range(30)]
    builder = TallyBuilder([str(place) for place in range(width)])
    builder.add([Coded.of(column) for column in zip(*rows, strict=True)])
    tally = builder.build()
    combinations = [combination for combination, _ in tally.items()]
    sizes = {
        "CACHED_ENTRIES": chance.choice([1, 8, 2**20]),
        "MAX_ENTRIES": chance.choice([1, 2**24]),
        "DENSE": chance.choice([0, 8]),
    }
    with patch.multiple(tallies, **sizes):
        found = Lookup(tally).find([Coded.of(column) for column in zip(*(rows + others), strict=True)])
    wanted = [combinations.index(row) if row in combinations else -1 for row in rows + others]
    assert found.tolist() == wanted
