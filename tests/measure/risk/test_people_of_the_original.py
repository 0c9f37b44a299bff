"""What a release tells of the people it was made from: random tables beside naive definitions, and what must hold."""

import random
from fractions import Fraction

import pytest

import PETWorks as pw
from oracle import naive_unpaired as naive
from PETWorks.errors import NotAskableError, PairingError, PETWorksError
from PETWorks.measure.formulas.excess import Excess

NAMES = ("sex", "zip", "ill")
KEYS, TARGET = (0, 1), (2,)
VALUES = (["F", "M", "*"], ["x", "y", "z", None, "*"], ["flu", "cold", "hay"])


def draw(chance, rows):
    return [tuple(chance.choice(values) for values in VALUES) for _ in range(rows)]


def table(rows):
    return {name: [row[place] for row in rows] for place, name in enumerate(NAMES)}


def build(released, original, holdout=None, **options):
    roles = {"quasi_identifiers": ["sex", "zip"], "sensitive": ["ill"], "synthetic": True}
    others = {} if holdout is None else {"holdout": table(holdout)}
    return pw.Release(table(released), original=table(original), **others, **(roles | options))


@pytest.fixture(params=range(60))
def tables(request):
    chance = random.Random(request.param)
    return tuple(draw(chance, chance.randint(1, 12)) for _ in range(3))


def count(told, rows):
    return sum(map(told, rows))


def check(result, told, original, holdout):
    """Compare shares, excess, bound and chance of a measure with those of a naive definition."""
    a, b, n, h = count(told, original), count(told, holdout), len(original), len(holdout)
    assert result.parts["hold-out"].exact == Fraction(b, h)
    assert result.parts["excess"].exact == Fraction(a, n) - Fraction(b, h)
    assert result.parts["chance"].exact == naive.compute_chance(a, n, b, h)
    lower = Fraction(a, n) - result.parts["excess at most"].exact
    assert naive.exceeds_binomial(b, h, lower) <= Fraction(1, 20) or lower == 0
    assert naive.exceeds_binomial(b, h, lower + Fraction(1, 10**6)) > Fraction(1, 20)


def test_copies(tables):
    released, original, holdout = tables
    result = build(*tables).ask("ExactCopies")
    told = naive.is_copied(released, KEYS)
    assert result.exact == Fraction(count(told, original), len(original))
    check(result, told, original, holdout)


def test_uniques(tables):
    released, original, holdout = tables
    result = build(*tables).ask("ReplicatedUniques")
    alone = naive.is_replicated(released, original, KEYS)
    assert result.exact == Fraction(count(alone, original), len(original))
    check(result, naive.is_replicated(released, [*original, *holdout], KEYS), original, holdout)


def test_attributes(tables):
    released, original, holdout = tables
    result = build(*tables).ask("AttributeDisclosure")
    told = naive.is_disclosed(released, KEYS, TARGET)
    assert result.exact == Fraction(count(told, original), len(original))
    assert result.parts["CAP"].exact == naive.compute_cap(released, original, KEYS, TARGET)
    assert result.parts["TCAP"].exact == naive.compute_tcap(released, original, KEYS, TARGET)
    check(result, told, original, holdout)


def test_links(tables):
    released, original, holdout = tables
    result = build(*tables).ask(pw.Linkability(first=["sex"], second=["zip", "ill"]))
    ways = [naive.is_disclosed(released, *groups) for groups in (((0,), (1, 2)), ((1, 2), (0,)))]
    check(result, lambda row: any(told(row) for told in ways), original, holdout)


@pytest.mark.parametrize("share", ["0.01", "1/3"])
def test_membership(tables, share):
    released, original, holdout = tables
    rows = naive.match(released, KEYS)
    members, others = ([naive.score(row, rows, [*original, *holdout]) for row in some] for some in (original, holdout))
    result = build(*tables).ask(pw.MembershipRisk(false_positives=share))
    assert result.exact == naive.compute_auc(members, others)
    best = naive.find_true_positives(members, others, Fraction(share) * len(others))
    told = result.parts["TPR"].figures
    assert (told["tp"], told["fp"]) == best


@pytest.mark.parametrize("ways", [1, 2, 3])
def test_margins(tables, ways):
    released, original, _ = tables
    found = [naive.compute_distance(released, original, some) for some in naive.find_sets(3, ways)]
    result = build(*tables).ask(pw.MarginDistance(ways=ways))
    assert result.exact == max(distance for distance, _ in found)
    ratios = [ratio for _, ratio in found if ratio is not None]
    assert result.parts["ratio"].exact == (max(ratios) if ratios else None)


@pytest.mark.parametrize("seed", range(40))
def test_verdicts_are_those_of_exact_binomial_sums(seed):
    chance = random.Random(seed)
    n, h = chance.randint(1, 40), chance.randint(1, 40)
    seen = Excess(chance.randint(0, n), n, chance.randint(0, h), h)
    limit, alpha = Fraction(chance.randint(0, 20), 20), Fraction(chance.randint(1, 9), 20)
    share = Fraction(seen.a, n) - limit
    assert seen.is_at_most(limit, alpha) == (share <= 0 or naive.exceeds_binomial(seen.b, h, share) <= alpha)


def test_an_exact_copy_fails_everything_and_other_people_pass():
    chance = random.Random(7)
    people = [(f"{chance.randint(0, 40)}", f"{chance.randint(0, 40)}", f"{chance.randint(0, 9)}") for _ in range(1500)]
    original, others, strangers = people[:600], people[600:1000], people[1000:]
    asked = [
        pw.ExactCopies(max_excess="0.2"),
        pw.ReplicatedUniques(max_excess="0.2"),
        pw.AttributeDisclosure(max_excess="0.2"),
        pw.Linkability(first=["sex"], second=["zip", "ill"], max_excess="0.2"),
        pw.MembershipRisk(max_auc="0.6"),
    ]
    copied = build(original, original, others).check(*asked)
    assert [one.holds for one in copied.requirements] == [False] * len(asked)
    fresh = build(strangers, original, others).check(*asked)
    assert [one.holds for one in fresh.requirements] == [True] * len(asked)


def test_without_a_hold_out_nothing_is_claimed_about_membership():
    rows = [("F", "x", "flu"), ("M", "y", "hay")]
    release = build(rows, rows)
    result = release.ask("ExactCopies")
    assert set(result.parts) == {"share"}
    assert result.warnings[0].kind == "unknown_others"
    assert "nothing is claimed about membership" in " ".join(result.text().split())
    for measure in (pw.ExactCopies(max_excess=0), pw.MembershipRisk(max_auc="0.6")):
        judged = release.check(measure)
        assert judged.requirements_hold is None
    with pytest.raises(NotAskableError, match="people who took no part"):
        release.ask("MembershipRisk")


def test_a_hold_out_that_is_too_small_says_how_many_are_needed():
    rows = [("F", "x", "flu"), *[("M", "y", "hay")] * 19]
    result = build(rows[:1], rows, [("M", "y", "hay")] * 5).ask(pw.ExactCopies(max_excess="0.01"))
    assert result.holds is False
    note = next(note for note in result.notes if note.kind == "small_holdout")
    needed = note.figures["needed"]
    assert Excess(1, 20, needed // 20, needed).is_at_most(Fraction(1, 100), Fraction(1, 20))
    assert needed > 5


PEOPLE = {"id": ["1", "2", "3"], "sex": ["F", "M", "M"], "zip": ["x", "y", "z"], "ill": ["flu", "hay", "flu"]}


def ask(holdout, measure="ExactCopies", original=PEOPLE, **options):
    released = {name: PEOPLE[name] for name in NAMES}
    given = {"synthetic": True, "identifiers": ["id"], "quasi_identifiers": ["sex", "zip"], "sensitive": ["ill"]}
    return pw.Release(released, original=original, holdout=holdout, **(given | options)).ask(measure)


def test_somebody_in_both_tables_is_an_error_with_their_number():
    with pytest.raises(PairingError, match="1 value is in both tables") as caught:
        ask({name: cells[:1] for name, cells in PEOPLE.items()})
    assert '"1"' not in str(caught.value)
    assert ask({**PEOPLE, "id": ["7", "8", "9"]}).parts["hold-out"].exact == 1  # equal rows are no error


@pytest.mark.parametrize(
    ("holdout", "problem"),
    [
        ({"sex": ["F"], "zip": ["x"]}, '"ill"'),
        ({"sex": [], "zip": [], "ill": []}, "no rows"),
    ],
)
def test_a_hold_out_that_cannot_be_compared(holdout, problem):
    with pytest.raises(PETWorksError, match=problem):
        ask(holdout)


def test_one_row_all_missing_and_numbers_as_text():
    missing = {name: [None, None] for name in NAMES}
    assert ask(missing).parts["hold-out"].exact == 0
    assert ask({"sex": ["F"], "zip": ["x"], "ill": ["flu"]}).parts["hold-out"].exact == 1
    released, original = {"age": ["30", "41.0"]}, {"age": ["30.0", "4.1e1", "50"]}
    result = pw.Release(released, original=original, holdout={"age": ["030"]}, synthetic=True).ask("ExactCopies")
    assert (result.exact, result.parts["hold-out"].exact) == (Fraction(2, 3), 1)
    texts = pw.Release(released, original=original, holdout={"age": ["thirty"]}, synthetic=True).ask("ExactCopies")
    assert texts.exact == 0  # one cell is no number, so texts are compared


def test_people_with_several_rows_count_once():
    original = {"who": ["a", "a", "b"], "sex": ["F", "M", "M"], "zip": ["x", "y", "z"]}
    holdout = {"who": ["c", "c"], "sex": ["F", "F"], "zip": ["x", "x"]}
    released = {"sex": ["F", "M"], "zip": ["x", "y"], "who": ["n", "n"]}
    result = pw.Release(released, original=original, holdout=holdout, synthetic=True, person="who").ask("ExactCopies")
    assert (result.exact, result.parts["hold-out"].exact) == (Fraction(1, 2), 1)


def test_levels_and_bins_make_columns_coarser():
    trees = {"zip": [("x", "u"), ("y", "u"), ("z", "v"), ("*", "*")]}
    rows = {"sex": ["F", "M"], "zip": ["y", "x"], "ill": ["flu", "hay"]}
    people = {"sex": ["F", "M"], "zip": ["x", "y"], "ill": ["flu", "hay"]}
    release = pw.Release(rows, original=people, synthetic=True, hierarchies=trees, quasi_identifiers=["sex", "zip"])
    assert release.ask("ReplicatedUniques").exact == 0
    result = release.ask(pw.ReplicatedUniques(levels={"zip": 1}))
    assert (result.exact, "coarser" in [note.kind for note in result.notes]) == (1, True)
    ages = pw.Release({"age": ["29", "62"]}, original={"age": ["30", "61"]}, synthetic=True)
    assert [ages.ask(pw.ReplicatedUniques(bins=bins)).exact for bins in (None, {"age": 2})] == [0, 1]
    with pytest.raises(NotAskableError, match="no number"):
        release.ask(pw.ReplicatedUniques(bins={"sex": 2}))


def test_the_public_gets_no_precision_and_nothing_of_fewer_than_five():
    chance = random.Random(3)
    rows = [tuple(chance.choice(values[:3]) for values in VALUES) for _ in range(400)]
    released, original, holdout = rows[:150], rows[100:300], rows[300:]
    shown = build(released, original, holdout).evaluate(pw.AttributeDisclosure(max_share="0.9")).public()[0]
    assert all(shown.parts[name].value is None for name in ("precision", "CAP", "TCAP", "certain"))
    few = build(rows[:1], original, holdout).evaluate(pw.ExactCopies(max_share="0.9")).public()[0]
    assert few.value is None
    assert few.withheld
