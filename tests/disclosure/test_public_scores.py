"""A score of classes is public only if it is no clue to fewer than five people; otherwise, its verdict alone is."""

from __future__ import annotations

import random
from collections import Counter
from itertools import chain

import pytest

import PETWorks as pw
from PETWorks.disclosure.comparison import disclose_comparison
from PETWorks.plugin import THRESHOLD, Privacy
from support.attacks import attack_seeds
from support.release_facts import CountBand

SCORES = (
    pw.TCloseness("0.2"),
    pw.LDiversity(2),
    pw.LDiversity("1.5", variant="entropy"),
    pw.LDiversity(2, c=2, variant="recursive"),
    pw.PSensitiveKAnonymity(p=2, k=2),
    pw.AlphaKAnonymity(alpha="0.5", k=2),
    pw.BetaLikeness(1),
    pw.DeltaDisclosure(1),
)
BY_SIZE = (pw.KAnonymity(3), pw.ReidentificationRisk(highest="0.2"))


def draw_table(seed: int) -> dict[str, list[str]]:
    """Return a table of two quasi-identifiers and a sensitive attribute, whose values are rare, or all frequent."""
    chance = random.Random(seed)
    rows, rare = chance.choice((12, 30, 60, 120)), chance.random() < 0.5
    return {
        "sex": [chance.choice("fm") for _ in range(rows)],
        "zip": [chance.choice("1112") for _ in range(rows)],
        "ill": [chance.choices("wxyz", (8, 4, 2, 1) if rare else (1, 1, 0, 0))[0] for _ in range(rows)],
    }


def is_told(seed: int) -> bool:
    """Check a table; return True if its public evaluation has a score of classes."""
    table = draw_table(seed)
    evaluation = pw.Release(table, quasi_identifiers=["sex", "zip"], sensitive=["ill"]).check(*SCORES, *BY_SIZE)
    classes = Counter(zip(table["sex"], table["zip"], strict=True))
    holders = Counter(zip(*table.values(), strict=True))
    public = evaluation.public()
    told = [
        part
        for result in public
        if isinstance(result.measure, Privacy)
        for name, part in (*result.parts.items(), ("", result))
        if part.value is not None and name not in result.measure.people_parts
    ]
    for one in ("re-identification", "t-closeness", "β-likeness"):
        assert public[one].holds is not None
    if min(classes.values()) < THRESHOLD:
        assert told == []
        assert public["re-identification"].value is None
    if min(classes.values()) >= THRESHOLD <= min(holders.values()):
        assert len(told) >= len(SCORES)
    return bool(told)


def test_scores_of_classes_of_few_people_are_not_public():
    found = Counter(is_told(seed) for seed in attack_seeds(60))
    assert min(found[True], found[False]) >= 10


def ill(*people: int) -> pw.Release:
    """A release of two equal classes, with so many people of each illness."""
    cells = list(chain.from_iterable([f"ill {one}"] * many for one, many in enumerate(people)))
    table = {"sex": ["f"] * len(cells) + ["m"] * len(cells), "ill": cells * 2}
    return pw.Release(table, quasi_identifiers=["sex"], sensitive=["ill"])


@pytest.mark.parametrize("measure", SCORES[:4], ids=lambda one: f"{one.name} {getattr(one, 'variant', '')}")
@pytest.mark.parametrize(("people", "told"), [((5, 5), True), ((5, 4), False), ((9, 5, 1), False)])
def test_a_score_is_public_if_five_people_have_every_value_that_decides_it(measure, people, told):
    evaluation = ill(*people).check(measure)
    for public in (evaluation.public(), evaluation.guarded().public()):
        assert (public[0].value is not None) == told
        assert public[0].withheld == (not told)
        assert public[0].holds == evaluation[0].holds
        assert public[0].exact is None


def test_only_values_that_decide_a_score_count():
    """The largest share of a class is that of five people, whoever has the other values."""
    assert ill(5, 1, 1).check(pw.AlphaKAnonymity(alpha="0.9", k=2)).public()[0].value == pytest.approx(0.714)


@pytest.mark.parametrize(("size", "value"), [(4, None), (5, 5), (7, 7), (23, 23)])
def test_a_size_of_five_or_more_is_exact(size, value):
    release = pw.Release({"sex": ["f"] * size + ["m"] * 30}, quasi_identifiers=["sex"])
    public = release.check(pw.KAnonymity(3)).public()[0]
    assert public.value == value
    assert public.band == (CountBand(0, 4) if value is None else None)


def test_of_equal_scores_none_may_be_of_few():
    """A class of five and one of four have the same score: it is a clue to the small one as well."""
    table = {"sex": ["f"] * 6 + ["m"] * 8, "ill": ["a"] * 5 + ["b"] + ["a"] * 5 + ["b"] * 3}
    release = pw.Release(table, quasi_identifiers=["sex"], sensitive=["ill"])
    assert release.check(pw.AlphaKAnonymity(alpha="0.9", k=2)).public()[0].value is not None
    table = {"sex": ["f"] * 6 + ["m"] * 12, "ill": [*"aaabbb", *"aaaaaabbbbbb"]}
    release = pw.Release(table, quasi_identifiers=["sex"], sensitive=["ill"])
    assert release.check(pw.AlphaKAnonymity(alpha="0.9", k=2)).public()[0].value is None


def test_a_public_comparison_has_a_score_of_classes_only_if_that_of_every_release_is_public():
    original = {"zip": ["11"] * 10 + ["12"] * 14}
    options = {"original": original, "hierarchies": {"zip": [("11", "1*", "*"), ("12", "1*", "*")]}}
    ills = [*"aaaaaaaaab", *"aaaaaaaaabbbbb"]
    few, many = (
        pw.Release({"zip": cells, "ill": ills}, quasi_identifiers=["zip"], sensitive=["ill"], **options)
        for cells in (original["zip"], ["1*"] * 24)
    )
    measure = pw.TCloseness("0.9")
    alone = [one.check(measure).public()[0] for one in (few, many)]
    assert [one.value is None for one in alone] == [True, False]
    shown = pw.compare(few, many, requirements=[measure])
    rows = {(row.measure.name, row.part): row.cells for row in disclose_comparison(shown, "public").rows}
    (cells,) = [cells for (name, _), cells in rows.items() if name == "t-closeness"]
    assert [(cell.value, cell.withheld, cell.holds) for cell in cells] == [(None, True, True)] * 2
