"""The value that loses most: named only if it is the one; never said to be none where some value lost rows."""

import json
import random
from collections import Counter

import pytest

from evaluation.comparison.test_compare import AGES, compared, lifted, people
from PETWorks.disclosure import Audience
from PETWorks.disclosure.comparison import Loser, NoLoser, disclose_comparison


def naive(table, original):
    """Return the smallest share of rows that any value of the original, at the level of the release, has left."""
    decades = {row[0]: row[1] for row in AGES["age"]}
    shares = {}
    for column, up in (("age", decades.get), ("sex", str)):
        if set(table[column]) == {"*"}:
            continue
        before, after = Counter(map(up, original[column])), Counter(table[column])
        shares |= {(column, value): after[value] / many for value, many in before.items()}
    return min(shares.items(), key=lambda one: one[1], default=(None, 1))


def tables(seed):
    """Draw an original, and two releases that suppress rows: at random, or all of a decade."""
    draw, original = random.Random(seed), people(seed)
    ages = original["age"]
    hidden = [
        {row for row in range(400) if ages[row][0] == "2" and draw.random() < draw.choice([0.5, 1])},
        {row for row in range(400) if ages[row][0] == "3"} if seed % 2 else set(),
        {row for row in range(400) if draw.random() < 0.1},
    ]
    return original, *(lifted(original, hidden=one) for one in draw.sample(hidden, 2))


@pytest.mark.parametrize("small", [True, False])
@pytest.mark.parametrize("seed", range(20))
def test_it_is_named_only_if_no_other_lost_more(seed, small):
    original, *releases = tables(seed)
    found = compared(*releases, original=original)
    view = disclose_comparison(found, Audience.ANALYST if small else Audience.INTERNAL)
    for table, one in zip(releases, view.candidates, strict=True):
        (column_value, share), loser = naive(table, original), one.rows_loser
        suppressed = sum(age == sex == "*" for age, sex in zip(table["age"], table["sex"], strict=True))
        assert (loser is NoLoser.NONE) == (not suppressed)
        if isinstance(loser, Loser):
            assert ((loser.column, loser.value), loser.share) == (column_value, pytest.approx(share))
        elif small and suppressed:
            assert (loser, share) == (NoLoser.GONE, 0)
        assert one.detail_loser is NoLoser.LEVEL


@pytest.mark.parametrize(("language", "words"), [("en", "one that no published row has"), ("zh_TW", "已無任何")])
def test_a_value_that_is_gone_is_told_and_not_named(language, words):
    original = people(3)
    gone = {row for row in range(400) if original["age"][row][0] == "3"}
    found = compared(lifted(original), lifted(original, hidden=gone), original=original)
    assert words in " ".join(found.text(language=language).split())
    assert json.loads(found.to_json())["releases"][1]["loses_most_rows"] == "gone"
