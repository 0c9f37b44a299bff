"""The policy file: allowed content, and the errors for everything that can be wrong."""

import pickle
import random
import re
from contextlib import suppress

import pytest

import PETWorks as pw
from PETWorks.errors import MissingFileError, PolicyError
from PETWorks.policy.policy import Policy
from support.process import POLICY, five_people
from support.wrong_policies import WRONG
from tables.passes import list_passes


def problems(path) -> list[str]:
    with pytest.raises(PolicyError) as caught:
        Policy(path)
    assert all(isinstance(one, pw.PETWorksError) for one in caught.value.problems)
    return [str(one) for one in caught.value.problems]


def test_check_in_python(tmp_path):
    policy = pw.Policy(five_people(tmp_path))
    evaluation = policy.check()
    assert evaluation.holds is True
    assert evaluation.title == policy.title == "Five people"
    assert [one.measure.name for one in evaluation.requirements] == ["k-anonymity", "t-closeness", "Precision"]
    assert repr(policy) == "<Policy policy.toml: k-anonymity, t-closeness, Precision>"


def test_rows_are_read_once(tmp_path, monkeypatch):
    passes = list_passes(monkeypatch)
    pw.Policy(five_people(tmp_path)).check()
    assert sorted(name for name, _ in passes) == ["original.csv", "released.csv"]


def test_why_and_order_are_kept(tmp_path):
    policy = POLICY.replace("k = 2", 'k = 2\nwhy = "rule 7"')
    requirements = Policy(five_people(tmp_path, policy)).check().requirements
    assert [one.why for one in requirements] == ["rule 7", "", ""]


@pytest.mark.parametrize("written", ["0.4", '"2/5"', '"0.40"', "4e-1", "{ at_most = 0.4 }", '{ at_most = "2/5" }'])
def test_limits_are_exact(tmp_path, written):
    policy = Policy(five_people(tmp_path, POLICY.replace('"2/5"', written)))
    assert str(policy.requirements[1].measure.t) == "0.4"
    assert policy.requirements[1].measure.t.written is None


def test_a_byte_order_mark_and_crlf_do_not_matter(tmp_path):
    path = five_people(tmp_path)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert Policy(path).check().holds


OUTSIDE = 'text that is not ASCII must be in straight quotes: write "性別"'


def test_the_rest(tmp_path):
    roles = 'quasi_identifiers = ["year", "place"]\nsensitive = ["disease"]\n'
    hint = 'list them under a role, or add the_rest = "insensitive"'
    assert problems(five_people(tmp_path, POLICY.replace(roles, 'sensitive = ["disease"]\n'))) == [
        f'policy.toml, [roles]: no role is given to "year", "place"\n  {hint}',
        "policy.toml, [roles]: no column is a quasi-identifier\n  name at least one of: year, place, disease",
    ]
    rest = 'sensitive = ["disease"]\nthe_rest = "quasi_identifier"\n'
    assert Policy(five_people(tmp_path, POLICY.replace(roles, rest))).release.roles.quasi_identifiers == (
        "year",
        "place",
    )
    rest = 'sensitive = ["disease"]\nquasi_identifiers = ["year"]\nthe_rest = "insensitive"\n'
    assert Policy(five_people(tmp_path, POLICY.replace(roles, rest))).release.roles.insensitive == ("place",)
    rest = rest.replace("insensitive", "identifier")
    assert Policy(five_people(tmp_path, POLICY.replace(roles, rest))).release.roles.identifiers == ("place",)
    rest = rest.replace('identifier"\n', 'identifiers"\n')
    assert 'did you mean "identifier"?' in problems(five_people(tmp_path, POLICY.replace(roles, rest)))[0]


def test_a_yaml_beside_the_table_says_nothing(tmp_path):
    path = five_people(tmp_path)
    (tmp_path / "released.yaml").write_text("DATASET:\n  ATTRIBUTE_TYPE:\n    IDENTIFIER: [year]\n")
    assert Policy(path).release.roles.quasi_identifiers == ("year", "place")


@pytest.mark.parametrize(("old", "new", "expected"), WRONG, ids=[f"{old} > {new}" for old, new, _ in WRONG])
def test_each_problem_has_its_place_and_a_way_out(tmp_path, old, new, expected):
    assert old in POLICY
    found = problems(five_people(tmp_path, POLICY.replace(old, new, 1)))
    assert any(expected in one for one in found), found


def test_nothing_required(tmp_path):
    assert problems(five_people(tmp_path, POLICY.partition("[[require]]")[0])) == [
        'policy.toml: there is no requirement\n  add [[require]] with measure = "k-anonymity" and k = 5, for example'
    ]


def test_all_problems_at_once(tmp_path):
    policy = POLICY.replace("title", "titel").replace('["disease"]', '["diseas"]').replace("k = 2", "k = 0")
    policy = policy.replace("at_least = 0.5", "at_least = 2").replace("original.csv", "orginal.csv")
    with pytest.raises(PolicyError) as caught:
        Policy(five_people(tmp_path, policy))
    found = [one.where.removeprefix(str(tmp_path)) for one in caught.value.problems]
    places = ["", ", [roles]", ", [roles]", ", [[require]] 1", ", [[require]] 3"]
    assert sorted(found) == sorted(["/orginal.csv", *(f"policy.toml{place}" for place in places)])
    assert str(caught.value).startswith("policy.toml: 6 problems\n  ")
    assert isinstance(caught.value, ValueError)
    travelled = pickle.loads(pickle.dumps(caught.value))
    assert str(travelled) == str(caught.value)
    assert list(map(str, travelled.problems)) == list(map(str, caught.value.problems))


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (b"version = \n", "policy.toml, line 1, column 11: not valid TOML: Invalid value"),
        (b"version = 1\nk = = 2\n", "policy.toml, line 2, column 5: not valid TOML: Invalid value"),
        (b"a = 1\na = 2\n", "policy.toml, line 2, column 6: not valid TOML: Cannot overwrite a value"),
        (b'title = "x', "policy.toml: not valid TOML: "),
        ("[levels]\n性別 = 0\n".encode(), f"line 2, column 1: not valid TOML: Invalid statement\n  {OUTSIDE}"),
        ("version = 1\nk = “5”\n".encode(), f"line 2, column 5: not valid TOML: Invalid value\n  {OUTSIDE}"),
        (b"version = 1\ntitle = '\xe9'\n", "policy.toml, line 2: the file is not UTF-8\n  save it as UTF-8"),
        (b"a = " + b"[" * 5000, "policy.toml: lists or tables are nested too deeply"),
        (b"a = " + b"9" * 5000, "policy.toml, line 1: a number has too many digits"),
    ],
    ids=["value", "twice", "overwritten", "end", "name", "quotes", "bytes", "deep", "digits"],
)
def test_files_that_are_no_toml(tmp_path, written, expected):
    path = tmp_path / "policy.toml"
    path.write_bytes(written)
    with pytest.raises(PolicyError) as caught:
        Policy(path)
    assert expected in str(caught.value)


def test_missing_and_unreadable(tmp_path):
    five_people(tmp_path)
    with pytest.raises(MissingFileError, match=r'did you mean "policy\.toml"'):
        Policy(tmp_path / "polcy.toml")
    with pytest.raises(pw.PETWorksError, match="cannot be read"):
        Policy(tmp_path)


def test_torn_policies_are_errors_of_ours(tmp_path):
    """However parts of a policy are cut and moved, it is judged or a PolicyError is raised: no other error."""
    chance = random.Random(4)
    lines = POLICY.splitlines()
    for _ in range(150):
        torn = lines.copy()
        for _ in range(chance.randint(1, 4)):
            line = torn.pop(chance.randrange(len(torn)))
            if chance.random() < 0.5:
                torn.insert(chance.randrange(len(torn)), re.sub(r"\w", lambda _: chance.choice("ab1"), line, count=1))
        path = five_people(tmp_path, "\n".join(torn))
        with suppress(pw.PETWorksError):
            Policy(path).check()
