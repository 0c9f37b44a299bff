"""What a form asks of the library: is a requirement allowed, does it contradict another, what was it before."""

from fractions import Fraction

import pytest

import PETWorks as pw
from evaluation.comparison.test_compare_people import released
from PETWorks.anonymization.plan import read_search
from PETWorks.errors import PolicyError
from PETWorks.policy.inspection import what_if_known
from PETWorks.policy.policy import Policy, compare_pinned, make_pinned, read_original
from PETWorks.policy.requirements import FILL_IN, WHOLE, Contradiction, faults, find_contradictions

YEARS = [("1970", "197*"), ("1971", "197*"), ("1980", "198*"), ("1981", "198*")]
PEOPLE = {
    "year": ["1970", "1971", "1980", "1981"] * 6,
    "sex": ["f", "m"] * 12,
    "disease": ["flu", "cold", "asthma"] * 8,
}
POLICY = """
version = 1
[data]
original = "people.csv"
released = "released.csv"
[roles]
quasi_identifiers = ["year", "sex"]
sensitive = ["disease"]
[hierarchies.year]
prefixes = [3]
[[require]]
measure = "k-anonymity"
k = 5
"""


@pytest.fixture
def folder(tmp_path):
    rows = [",".join(PEOPLE), *map(",".join, zip(*PEOPLE.values(), strict=True))]
    (tmp_path / "people.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return tmp_path


def policy(folder, more=""):
    (folder / "policy.toml").write_text(POLICY + more, encoding="utf-8")
    return folder / "policy.toml"


@pytest.mark.parametrize(("given", "wrong"), [
    ({"t": "1.2"}, {"t"}), ({"t": "0"}, set()), ({"t": FILL_IN}, set()), ({}, {WHOLE}), ({"t": "half"}, {"t"}),
    ({"t": "0.5", "sensitive": "age"}, {"sensitive"}), ({"t": "0.5", "distance": "far"}, {"distance"}),
])  # fmt: skip
def test_faults_are_told_by_parameter(given, wrong):
    assert set(faults(pw.TCloseness, given, ["disease"])) == wrong


def test_required_parameters_are_faults_until_they_are_there():
    found = faults(pw.Profitability, {"cost": 4, "gain": FILL_IN}, [])
    assert set(found) == {"loss", "benefit"}
    assert faults(pw.Profitability, {"cost": 4, "gain": 3, "loss": 2, "benefit": 1}, []) == {}


def test_a_table_of_attempts_may_be_open_within():
    given = {"attempts": {"insider": FILL_IN}, "risk": "highest", "adversary": "prosecutor", "limit": "0.1"}
    assert faults(pw.ContextRisk, given, []) == {}
    assert set(faults(pw.ContextRisk, {**given, "attempts": {"insider": "2"}}, [])) == {"attempts"}


def test_a_changed_limit_tells_what_it_was_and_why(folder):
    more = """
why = "the agreement"
[[require.changed]]
k = 3
why = "the board asked for more"
[[require.changed]]
k = 4
why = "again"
"""
    (requirement,) = Policy(policy(folder, more), purpose="anonymize").requirements
    assert requirement.why == "the agreement; k 3 → 4: the board asked for more; k 4 → 5: again"
    assert requirement.measure == pw.KAnonymity(5)


@pytest.mark.parametrize(("more", "problem"), [
    ("[[require.changed]]\nk = 3\n", 'missing key "why"'),
    ('[[require.changed]]\nwhy = "so"\n', "nothing is said to have changed"),
    ('[[require.changed]]\nk = 3\nwhy = "so"\nwhere = "here"\n', 'unknown key "where"'),
])  # fmt: skip
def test_a_change_without_a_reason_is_refused(folder, more, problem):
    with pytest.raises(PolicyError) as error:
        Policy(policy(folder, more), purpose="anonymize")
    assert problem in str(error.value)


def test_utility_and_protection_may_contradict(folder):
    original, _ = read_original({"data": {"original": "people.csv"}, "roles": {
        "quasi_identifiers": ["year", "sex"], "sensitive": ["disease"]}, "hierarchies": {"year": {"prefixes": [3]}}},
        folder, {})  # fmt: skip
    fine = read_search([pw.KAnonymity(7), pw.Granularity("0.9")])
    best = pw.anonymize(PEOPLE, quasi_identifiers=["year", "sex"], sensitive=["disease"], goals=pw.KAnonymity(7),
                        hierarchies=[pw.Hierarchy.prefixes("year", [3])])  # fmt: skip
    assert find_contradictions(original, fine) == [Contradiction(1, 0, best.utility.value)]
    reached = Fraction(best.utility.exact)
    assert find_contradictions(original, read_search([pw.KAnonymity(7), pw.Granularity(reached)])) == []
    assert (
        find_contradictions(original, read_search([pw.KAnonymity(7), pw.Granularity(reached + Fraction(1, 10**6))]))
        != []
    )
    hopeless = find_contradictions(original, read_search([pw.KAnonymity(25), pw.Granularity("0.1")]))
    assert hopeless == [Contradiction(0, 0, None)]


def test_an_unfinished_policy_has_an_original(folder):
    with pytest.raises(PolicyError, match="no role is given"):
        read_original({"data": {"original": "people.csv"}, "roles": {"quasi_identifiers": ["year"]}}, folder, {})
    roles = {"quasi_identifiers": ["year"], "insensitive": ["sex", "disease"]}
    found, _ = read_original({"data": {"original": "people.csv"}, "roles": roles}, folder, {})
    assert found.ask(pw.KAnonymity()).value == 6


def test_one_more_known_column_tells_people_apart():
    release = pw.Release(PEOPLE, quasi_identifiers=["year"], sensitive=["disease"], insensitive=["sex"])
    found = {one.column: one.people for one in what_if_known(release)}
    by_hand = {column: sum(size for size in _sizes("year", column) if size < 5) for column in ("disease", "sex")}
    assert found == by_hand
    assert list(found.values()) == sorted(found.values(), reverse=True)


def _sizes(*columns):
    rows = list(zip(*(PEOPLE[column] for column in columns), strict=True))
    return [rows.count(one) for one in dict.fromkeys(rows)]


def test_candidates_are_made_as_they_are_pinned(folder):
    more = """
[anonymize]
coarsest = { year = 0 }
[[anonymize.pinned]]
name = "coarse years"
levels = { year = 1, sex = 0 }
[[anonymize.pinned]]
name = "no sex"
levels = { year = 0, sex = 1 }
suppress_at_most = "50%"
[[anonymize.pinned]]
name = "as it is"
levels = { year = 0, sex = 0 }
[[anonymize.pinned]]
name = "local"
recoding = "local"
levels = {}
"""
    recipe = Policy(policy(folder, more), purpose="anonymize")
    found = [make_pinned(recipe, one) for one in recipe.pinned]
    assert [one.made is not None for one in found] == [True, True, True, True]
    assert [dict(one.made.levels) for one in found[:3]] == [dict(one.levels) for one in recipe.pinned[:3]]
    assert [one.made.plan.recoding for one in found] == ["global", "global", "global", "local"]
    assert found[1].made.plan.suppress_at_most.exact == Fraction(1, 2)
    assert dict(found[3].made.plan.coarsest) == {"year": 0}
    view = compare_pinned(recipe, found).view()
    assert [one.name for one in view.candidates] == ["coarse years", "no sex", "as it is", "local"]


def test_a_candidate_that_cannot_be_made_says_why(folder):
    more = """
[anonymize]
[[anonymize.pinned]]
name = "A"
levels = { year = 0, sex = 0 }
"""
    text = (POLICY + more).replace("k = 5", "k = 7")
    (folder / "policy.toml").write_text(text, encoding="utf-8")
    recipe = Policy(folder / "policy.toml", purpose="anonymize")
    (found,) = [make_pinned(recipe, one) for one in recipe.pinned]
    assert found.made is None
    assert "no level vector meets the goals" in str(found.problem)
    with pytest.raises(pw.errors.ParameterError, match="fewer than two candidates"):
        compare_pinned(recipe, [found])


@pytest.mark.parametrize(("line", "problem"), [
    ('recoding = "lokal"', "recoding cannot be"), ("suppress_at_most = 2", "suppress_at_most"), ("speed = 1", "speed"),
])  # fmt: skip
def test_a_wrong_pin_is_told(folder, line, problem):
    more = f'[anonymize]\n[[anonymize.pinned]]\nname = "A"\n{line}\nlevels = {{ year = 1 }}\n'
    with pytest.raises(PolicyError) as error:
        Policy(policy(folder, more), purpose="anonymize")
    assert problem in str(error.value)


def test_people_in_several_classes_count_once():
    """Everybody has two rows, of different postcodes and diagnoses."""
    found = what_if_known(released(1, person="pid"), 100)
    assert [(one.column, one.people) for one in found] == [("dx", 30)]
