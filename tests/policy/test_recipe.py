"""The section [anonymize]: the same file says how a release is made, and is judged."""

from fractions import Fraction
from inspect import signature

import pytest

import PETWorks as pw
from PETWorks.errors import PolicyError
from PETWorks.policy.data import PARAMETERS
from PETWorks.policy.policy import Policy
from support.process import POLICY, five_people

ORIGINAL = (
    "id;year;place;disease\n1;1970;Berlin;flu\n2;1977;Bonn;cold\n3;1983;Paris;flu\n4;1988;Lyon;cold\n5;1985;Paris;flu\n"
)
ROLES = POLICY.replace('sensitive = ["disease"]', 'sensitive = ["disease"]\nidentifiers = ["id"]')


def raw(folder, section="", policy=ROLES):
    """Write a policy with an original that has all columns, and without a release."""
    path = five_people(folder, policy + section)
    (folder / "original.csv").write_text(ORIGINAL)
    (folder / "released.csv").unlink()
    return path


def problems(path, purpose="anonymize"):
    with pytest.raises(PolicyError) as caught:
        Policy(path, purpose=purpose)
    return [str(one).splitlines()[0].removeprefix("policy.toml, ") for one in caught.value.problems]


def test_the_release_need_not_exist(tmp_path):
    made = Policy(raw(tmp_path), purpose="anonymize").anonymize()
    assert (made.levels, made.suppressed, made.proven) == ({"year": 1, "place": 1}, 0, True)
    assert [goal.name for goal in made.plan.goals] == ["k-anonymity", "t-closeness", "Precision"]


def test_parameters_have_the_names_of_python(tmp_path):
    assert set(PARAMETERS) < set(signature(pw.anonymize).parameters)
    section = """[anonymize]
suppress_at_most = 0.05
utility = "loss"
suppressed_rows = "remove"
order = "shuffled"
seed = 7
drop_identifiers = true
time_limit = 1.5
output_encoding = "utf-8-sig"
[anonymize.coarsest]
year = 1
[anonymize.weights]
year = 0.1
[[anonymize.pinned]]
name = "A"
levels = { year = 2 }
"""
    recipe = Policy(raw(tmp_path, section), purpose="anonymize")
    plan = recipe.plan
    assert plan.suppress_at_most.exact == Fraction(1, 20)
    assert (plan.utility, plan.suppressed_rows, plan.order, plan.seed) == (None, "remove", "shuffled", 7)
    assert (plan.drop_identifiers, plan.time_limit, plan.coarsest) == (True, 1.5, {"year": 1})
    assert plan.output_encoding == "utf-8-sig"
    assert plan.weights == {"year": Fraction(1, 10)}
    assert [(one.name, one.levels) for one in recipe.pinned] == [("A", {"year": 2})]


def test_what_a_pinned_candidate_may_have_of_its_own(tmp_path):
    section = '[anonymize]\n[[anonymize.pinned]]\nname = "A"\nrecoding = "local"\nsuppress_at_most = 0.01\n'
    (pinned,) = Policy(raw(tmp_path, section), purpose="anonymize").pinned
    assert dict(pinned.given) == {"recoding": "local", "suppress_at_most": "0.01"}
    wrong = (
        section.replace("local", "lokal") + '[[anonymize.pinned]]\nname = "A"\nsuppress_at_most = 7\nutility = "loss"\n'
    )
    assert problems(raw(tmp_path, wrong)) == [
        '[[anonymize.pinned]] 1: recoding cannot be "lokal"',
        '[[anonymize.pinned]] 2: unknown key "utility"',
        "[[anonymize.pinned]] 2: suppress_at_most must be a share of the rows, from 0 to 1, not 7",
        '[anonymize]: two candidates are pinned as "A"',
    ]


def test_what_is_given_beside_the_file_takes_precedence(tmp_path):
    recipe = Policy(
        raw(tmp_path, "[anonymize]\ntime_limit = 9\n"), instead={"time_limit": "2 min"}, purpose="anonymize"
    )
    assert recipe.plan.time_limit == 120


WRONG = """[anonymize]
suppress_at_most = "105%"
recoding = "gobal"
utilty = "granularity"
drop_identifiers = "yes"
seed = -4
weights = 3
[anonymize.coarsest]
yeer = 0
year = "2"
place = 9
[[anonymize.pinned]]
levels = { place = 9, disease = 1 }
nam = "A"
"""


def test_all_problems_at_once(tmp_path):
    found = [
        "[anonymize]: weights must be a table, [anonymize.weights], not 3",
        '[[anonymize.pinned]] 1: missing key "name"',
        '[[anonymize.pinned]] 1: unknown key "nam"',
        '[[anonymize.pinned]] 1: levels: "place" has no level 9',
        '[[anonymize.pinned]] 1: levels: "disease" is not a quasi-identifier',
        '[anonymize]: unknown key "utilty"',
        "[anonymize]: suppress_at_most must be a share of the rows, from 0 to 1, not '105%'",
        "[anonymize]: recoding cannot be 'gobal'",
        "[anonymize]: drop_identifiers must be True or False, not 'yes'",
        "[anonymize]: seed must be a whole number from 0, not -4",
        '[anonymize.coarsest]: coarsest: "yeer" is not a quasi-identifier',
        "[anonymize.coarsest]: coarsest: the level of \"year\" must be a whole number, not '2'",
        '[anonymize.coarsest]: coarsest: "place" has no level 9',
    ]
    assert problems(raw(tmp_path, WRONG)) == found
    path = five_people(tmp_path, POLICY + WRONG)
    assert problems(path, "check") == [one for one in found if "no level" not in one]


@pytest.mark.parametrize(
    ("section", "expected"),
    [
        ("finest = { year = 2 }\ncoarsest = { year = 1 }\n", "is allowed: at most 1, and at least 2"),
        ("seed = 3\n", "a seed is for a shuffled order only"),
        ('utility = "Precision"\nweights = { year = 1 }\n', "weights do not go with Precision"),
        ("polish_rounds = 1.5\n", "polish_rounds must be a whole number from 0, not '1.5'"),
        ("parts = 1\n", "parts must be True or False, not 1"),
        ("parts = true\n", "parts is for local recoding only"),
        ("levels = 3\n", "levels must be a table, [anonymize.levels], not 3"),
        ("weights = { year = 2 }\n", 'the weight of "year" must be from 0 to 1, not 2'),
        ('utility = ""\n', 'there is no measure ""'),
        ('time_limit = "soon"\n', "time_limit cannot be 'soon'"),
    ],
)
def test_each_problem_has_its_place(tmp_path, section, expected):
    (found,) = problems(raw(tmp_path, f"[anonymize]\n{section}"))
    assert found.startswith("[anonymize")
    assert expected in found


def test_columns_without_a_role_are_told_with_the_rest(tmp_path):
    path = raw(tmp_path, "[anonymize]\nsuppress_at_most = 2\n", POLICY)
    assert [one.split(":")[0] for one in problems(path)] == ["[roles]", "[anonymize]"]


def test_without_an_original_nothing_can_be_made(tmp_path):
    path = raw(tmp_path, policy=ROLES.replace('original = "original.csv"\n', ""))
    assert problems(path)[0] == '[data]: missing key "original"'


def test_problems_of_the_rows_are_told_with_the_rest(tmp_path):
    path = raw(tmp_path, "[anonymize]\nseed = -1\n")
    (tmp_path / "original.csv").write_text(ORIGINAL.replace("1970", "1066"))
    with pytest.raises(PolicyError) as caught:
        Policy(path, purpose="anonymize")
    assert [one.problem for one in caught.value.problems][1].startswith("1 value is not")


def test_a_release_may_lack_identifiers(tmp_path):
    path = five_people(tmp_path, ROLES)
    (tmp_path / "original.csv").write_text(ORIGINAL)
    assert Policy(path).release.roles.identifiers == ()
    assert Policy(path).check().holds
    path.write_text(ROLES.replace('["id"]', '["ident"]'))
    assert problems(path, "check") == ['[roles]: released.csv has no column "ident" (identifiers)']
    path.write_text(ROLES.replace('["id"]', '["ident"]').replace('original = "original.csv"\n', ""))
    assert Policy(path).release.roles.identifiers == ()


def test_missing_values_have_a_row_where_the_policy_makes_the_release(tmp_path):
    path = five_people(tmp_path, POLICY + "[anonymize]\n")
    for name, cells in (("original.csv", ["1977;Bonn", ";Bonn"]), ("released.csv", ["197*;Germany", ";Germany"])):
        table = (tmp_path / name).read_text()
        (tmp_path / name).write_text(table.replace(*cells).replace("1970;", ";").replace("197*;", ";", 1))
    precision = Policy(path).check().requirements[2]
    assert precision.problem is None
    assert precision.result.parts["year"].value > 0.5
    path.write_text(POLICY)
    assert Policy(path).check().requirements[2].problem is not None


@pytest.mark.parametrize(
    ("section", "done"),
    [
        ('suppressed_rows = "remove"\n', "removed"),
        ('order = "shuffled"\n', "shuffled"),
        ('order = "shuffled"\nsuppressed_rows = "remove"\n', "removed and shuffled"),
    ],
)
def test_rows_that_do_not_pair_by_position_need_a_key(tmp_path, section, done):
    path = raw(tmp_path, "[anonymize]\n" + section, POLICY.replace('["disease"]', '["disease"]\ninsensitive = ["id"]'))
    released = "id;year;place;disease\n3;198*;France;flu\n2;197*;Germany;cold\n1;197*;Germany;flu\n4;198*;France;cold\n"
    released += "" if "remove" in section else "5;198*;France;flu\n"
    (tmp_path / "released.csv").write_text(released)
    evaluation = Policy(path).check()
    assert [one.holds for one in evaluation.requirements] == [True, True, None]
    told = evaluation.requirements[2].problem.figures
    assert f"rows do not pair with those of original.csv by position, since some were {done}" in told["text"]
    assert "as key=" in told["hint"]
    path.write_text(path.read_text().replace("[data]", '[data]\nkey = "id"'))
    assert Policy(path).check().requirements_hold
    (tmp_path / "released.csv").write_text(released.replace("\n3;", "\n7;"))
    assert "1 value" in Policy(path).check().requirements[2].problem.figures["text"] or "remove" not in section
