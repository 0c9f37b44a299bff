"""A release in another order than its original: an error, unless the user vouches for the rows."""

from random import Random

import pytest

from support.process import petworks

POLICY = """version = 1
[data]
released = "released.csv"
original = "original.csv"
[roles]
quasi_identifiers = ["year", "place"]
insensitive = ["id"]
[[accept]]
premise = "rest"
columns = ["id"]
why = "a row number that nobody knows"
[[accept]]
premise = "changed"
why = "a test of their order"
[[require]]
measure = "Precision"
at_least = 0.5
[[require]]
measure = "k-anonymity"
k = 2
"""


@pytest.fixture
def folder(tmp_path):
    """Write an original, and its rows in another order, with a key and a policy."""
    chance = Random(1)
    rows = [f"{row};{chance.choice(['1977', '1983'])};{chance.choice('pqr')}" for row in range(60)]
    for name, lines in (("original.csv", rows), ("released.csv", chance.sample(rows, len(rows)))):
        (tmp_path / name).write_text("\n".join(["id;year;place", *lines]) + "\n")
    (tmp_path / "policy.toml").write_text(POLICY)
    return tmp_path


def check(folder, setting=""):
    (folder / "policy.toml").write_text(POLICY.replace("[roles]", f"{setting}\n[roles]"))
    return petworks("check", "policy.toml", cwd=folder)


def test_the_requirement_cannot_be_evaluated(folder):
    run = check(folder)
    assert run.returncode == 2
    assert "ok  k-anonymity" in run.stdout
    assert "the rows of the two tables do not seem to be in the same order" in " ".join(run.stdout.split())
    assert 'pass key = "…", or pairing = "position" if they are in the same order' in " ".join(run.stderr.split())


@pytest.mark.parametrize(("setting", "warned"), [('key = "id"', False), ('pairing = "position"', True)])
def test_a_key_or_the_users_word_settles_it(folder, setting, warned):
    run = check(folder, setting)
    assert (run.returncode, run.stderr) == (0, "")
    assert ("Warning: " in run.stdout) is warned


def test_a_pairing_that_does_not_exist(folder):
    run = check(folder, 'pairing = "postion"')
    assert run.returncode == 2
    assert 'did you mean "position"?' in run.stderr


def test_as_options(folder):
    asked = ("evaluate", "released.csv", "--original", "original.csv", "-q", "year", "-q", "place", "-m", "Precision")
    run = petworks(*asked, cwd=folder)
    assert run.returncode == 2
    assert "pass --key, or --pairing position if they are in the same order" in " ".join(run.stderr.split())
    assert "Warning: " in petworks(*asked, "--pairing", "position", cwd=folder).stdout
    assert "Warning: " not in petworks(*asked, "--key", "id", cwd=folder).stdout


def test_verify_keeps_the_users_word(folder):
    check(folder, 'pairing = "position"')
    petworks("check", "policy.toml", "-o", "report.json", cwd=folder)
    assert petworks("verify", "report.json", cwd=folder).returncode == 0
