"""The front: no point is dominated, each can be had, and no release of its rates and limits is better than all."""

import random
from fractions import Fraction

import pytest

import PETWorks as pw
from PETWorks.anonymization import front as front_module
from PETWorks.anonymization import search
from PETWorks.errors import GoalError, NotAskableError, ParameterError
from support.release_facts import Front

AGES = [(str(age), f"{age // 10 * 10}s", "young" if age < 40 else "old", "*") for age in range(20, 60)]
PLACES = [("Ulm", "north", "*"), ("Bern", "north", "*"), ("Como", "south", "*")]
KS = (2, 3, 4, 5, 10, 15, 20, 50)
RATES = ("0%", "1%", "2%", "5%", "7%", "10%", "20%", "50%", "100%")


def made(seed=3, goals=pw.KAnonymity(4), **asked):
    chance = random.Random(seed)
    people = {
        "age": [str(chance.randrange(20, 60)) for _ in range(120)],
        "place": [chance.choice(["Ulm", "Bern", "Bern", "Como"]) for _ in range(120)],
        "ill": [chance.choice(["flu", "cold", "cough"]) for _ in range(120)],
    }
    given = {"suppress_at_most": "7%", **asked}
    hierarchies = {"age": AGES, "place": PLACES}
    roles = {"quasi_identifiers": ["age", "place"], "sensitive": ["ill"]}
    return pw.anonymize(people, goals=goals, hierarchies=hierarchies, **roles, **given)


def as_good(one, other):
    """Compare (risk, suppressed, -utility)."""
    return all(a <= b for a, b in zip(one, other, strict=True))


def worth(point):
    return point.risk, point.suppressed, round(-point.utility, 12)


def every_optimum(seed, **asked):
    for k in KS:
        for rate in RATES:
            try:
                found = made(seed, goals=[pw.KAnonymity(k)], **{**asked, "suppress_at_most": rate})
            except GoalError:
                continue
            sizes = found.facts.groups(with_values=True).sizes
            if len(sizes):
                yield Fraction(1, int(sizes.min())), found.suppressed, round(-found.utility.value, 12)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("utility", ["granularity", pw.Precision(), pw.AECS()], ids=str)
def test_the_front_is_that_of_all_searches(seed, utility):
    """Every search of its rates and limits is on the front, or a point is as good; and the front has nothing else."""
    front = [worth(point) for point in made(seed, utility=utility).front()]
    found = set(every_optimum(seed, utility=utility))
    assert set(front) == {one for one in found if not any(as_good(other, one) for other in found - {one})}
    assert len(front) == len(set(front))
    assert front == sorted(front)


def test_every_point_can_be_had():
    front = made().front()
    assert len({point.limits["k"] for point in front}) > 2
    assert len({point.rate for point in front}) > 2
    for point in front:
        one = point.make()
        assert one.levels == point.levels
        assert one.suppressed == point.suppressed <= point.rate * 120
        assert one.utility.value == pytest.approx(point.utility)
        measured = one.release.ask(pw.KAnonymity(point.limits["k"]))
        assert measured.holds
        assert Fraction(1, int(measured.value)) == point.risk
        again = made(goals=pw.KAnonymity(point.limits["k"]), suppress_at_most=point.rate)
        assert (again.levels, again.suppressed) == (point.levels, point.suppressed)
        assert again.plan.suppress_at_most == one.plan.suppress_at_most


def test_further_goals_stay():
    goals = [pw.KAnonymity(4), pw.LDiversity(2)]
    for point in made(goals=goals).front():
        assert all(goal.evaluate(point.make().facts).holds for goal in (pw.LDiversity(2), *point.make().plan.goals))


def test_other_goals_keep_their_limits():
    front = made(goals=pw.TCloseness("0.3")).front()
    assert front
    assert {tuple(point.limits.items()) for point in front} == {(("t", "3/10"),)}


def test_a_loss_is_better_if_it_is_small():
    front = made(utility="loss").front()
    for point in front:
        assert point.utility == pytest.approx(point.make().loss)
        better = [one for one in front if one.utility <= point.utility and one is not point]
        assert not [one for one in better if one.risk <= point.risk and one.suppressed <= point.suppressed]


@pytest.mark.parametrize("said", ["local recoding", "microaggregation"])
def test_only_for_level_vectors(said):
    one = made(recoding="local") if said == "local recoding" else means()
    with pytest.raises(NotAskableError, match=f"not for {said}"):
        one.front()


def means():
    numbers = {"age": [str(age) for age in range(40)]}
    return pw.anonymize(numbers, quasi_identifiers=["age"], goals=pw.KAnonymity(5), recoding="microaggregate")


def test_its_work_is_counted_and_the_same_again():
    one = made()
    whole = one.front()
    assert whole.complete
    assert 0 < whole.nodes < whole.work
    for work in range(0, whole.nodes, 5):
        front = one.front(work)
        assert (front.complete, front.nodes, front.work) == (False, work, work)
        assert front == made().front(work=work)
        assert [point.chosen for point in front].count(True) == 1
    assert one.front(whole.nodes).points == whole.points


def test_the_search_stops_at_the_time_limit_of_the_release(monkeypatch):
    one = made(time_limit="60 s")
    whole = one.front()
    assert whole.complete
    assert {point.make().plan.time_limit for point in whole} == {60.0}
    monkeypatch.setattr(front_module, "monotonic", iter([0.0, *[1.0] * 6, *[61.0] * 100]).__next__)
    front = one.front()
    assert not front.complete
    assert 0 < front.nodes < whole.nodes


def test_a_vast_lattice_has_a_front(monkeypatch):
    monkeypatch.setattr(search, "MAX_ARRAY_VECTORS", 3)
    front = made().front()
    assert front.complete
    assert len(front) > 1


@pytest.mark.parametrize("work", [-1, 2.5, True, "many"])
def test_work_is_a_number_of_vectors(work):
    with pytest.raises(ParameterError, match="work must be a whole number"):
        made().front(work)


def test_a_report_shows_the_front_that_is_passed_and_searches_none(monkeypatch, tmp_path):
    one = made()
    front, judged = one.front(), one.evaluate()
    monkeypatch.setattr(front_module, "build_search", None)
    assert "What else could be had" not in judged.to_html()
    assert "What else could be had" in judged.to_html(front=front)
    assert "front" not in judged.provenance.to_dict()
    written = one.write(tmp_path / "released.csv", record=tmp_path / "record.json", front=front)
    assert '"front"' in (tmp_path / "record.json").read_text(encoding="utf-8")
    assert "What else could be had" in written.to_html()
    assert Front.from_dict(front.to_dict()) == front
    with pytest.raises(NotAskableError, match="no front to show"):
        pw.Release({"age": ["1", "1"]}).evaluate().to_html(front=front)


def test_a_front_is_bounded_by_work_that_grows_with_the_table(monkeypatch):
    """Unless the caller names a number: so many vectors that they cost the same on tables of any size."""
    one = made()
    combinations = len(one.facts.combination_labels.table.counts)
    assert one.front().complete
    monkeypatch.setattr(front_module, "FRONT_WORK", 4 * combinations)
    front = made().front()
    assert (front.complete, front.nodes, front.work) == (False, 4, 4)
