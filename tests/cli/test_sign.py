"""A certificate is what may be handed over of a record, signed; whoever has release and public key can check it."""

import json
import shutil
from base64 import b64encode

import pytest

from support.process import five_people, petworks

pytest.importorskip("cryptography", reason="signatures need cryptography")
REPORTS = '[report]\nhtml = "report.html"\nrecord = "record.json"\n'


@pytest.fixture
def settings(tmp_path_factory):
    """The settings folder of a user."""
    return {"XDG_CONFIG_HOME": str(tmp_path_factory.mktemp("settings"))}


@pytest.fixture
def run(tmp_path, settings):
    return lambda *arguments: petworks(*arguments, cwd=tmp_path, env=settings)


@pytest.fixture
def signed(tmp_path, run):
    """Check a release, and sign its certificate; return the public key."""
    text = five_people(tmp_path).read_text()
    (tmp_path / "policy.toml").write_text(text + REPORTS)
    assert run("check", "policy.toml").returncode == 0
    public = run("key", "new", "office", "--signing").stdout.split()[-1]
    found = run("sign", "record.json", "--key", "office", "--report", "report.html")
    assert found.returncode == 0, found.stderr
    return public


def certificate(folder):
    return json.loads((folder / "certificate.json").read_text())


def test_it_is_checked_with_release_and_public_key_alone(tmp_path, run, signed):
    other = tmp_path / "elsewhere"
    other.mkdir()
    for name in ("certificate.json", "released.csv", "report.html"):
        shutil.copy(tmp_path / name, other / name)
    found = run("verify", "elsewhere/certificate.json", "--signer", signed)
    assert (found.returncode, found.stderr) == (0, "")
    lines = found.stdout.splitlines()
    assert lines[0].split() == ["same", "release", "elsewhere/released.csv"]
    assert lines[1].split() == ["same", "report", "elsewhere/report.html"]
    assert "Signed by" in lines[2]
    assert lines[3] == "It does not say whether all requirements hold."  # two of a class of two
    (other / "key.txt").write_text(signed + "\n")
    assert run("verify", "elsewhere/certificate.json", "--signer", "elsewhere/key.txt").returncode == 0


def test_what_may_be_handed_over_is_in_it_and_no_more(tmp_path, signed):
    record = json.loads((tmp_path / "record.json").read_text())
    told = certificate(tmp_path)
    assert signed == told["signed_by"]
    by_role = {one["role"]: one for one in told["files"] if "column" not in one}
    digests = {one["role"]: one["sha256"] for one in record["record"]["tables"]}
    assert by_role["release"] == {"role": "release", "name": "released.csv", "sha256": digests["release"]}
    assert by_role["original"].keys() == {"role", "commitment"}
    text = json.dumps(told)
    secrets = [digests["original"], record["record"]["secret"], record["record"]["policy"]["sha256"]]
    secrets += [one["sha256"] for one in record["record"]["hierarchies"]]
    assert not any(one in text for one in secrets)
    assert [one["measure"] for one in told["requirements"]] == ["k-anonymity", "t-closeness", "Precision"]


def test_a_verdict_that_would_tell_the_size_of_a_small_class_is_withheld(tmp_path, signed):
    """Classes have two and three people: "at least 2" beside "fewer than 5" would say much of them."""
    k, *others = certificate(tmp_path)["requirements"]
    assert (k["holds"], k["withheld"]) == (None, True)
    assert all(one["holds"] for one in others)


@pytest.mark.parametrize("field", ["title", "holds", "files", "reports", "requirements", "signed_at", "signature"])
def test_whatever_is_changed_is_noticed(tmp_path, run, signed, field):
    told = certificate(tmp_path)
    changed = {
        "title": "another",
        "holds": not told["holds"],
        "files": told["files"][1:] + told["files"][:1],
        "reports": [],
        "requirements": told["requirements"][1:],
        "signed_at": "2000-01-01T00:00:00+00:00",
        "signature": b64encode(bytes(64)).decode(),
    }
    text = json.dumps(told | {field: changed[field]}, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    (tmp_path / "certificate.json").write_text(text + "\n")
    found = run("verify", "certificate.json", "--signer", signed)
    assert found.returncode == 1
    assert "NOT signed by the key that you named" in found.stdout
    assert "same" not in found.stdout


@pytest.mark.parametrize("name", ["released.csv", "report.html"])
def test_another_file_is_noticed(tmp_path, run, signed, name):
    (tmp_path / name).write_text((tmp_path / name).read_text() + "\n")
    found = run("verify", "certificate.json", "--signer", signed)
    assert found.returncode == 1
    assert f"DIFFERS  {'release' if name == 'released.csv' else 'report '}  {name}" in found.stdout
    (tmp_path / name).unlink()
    assert run("verify", "certificate.json", "--signer", signed).returncode == 2


def test_another_signer_is_noticed(tmp_path, run, signed):
    other = run("key", "new", "other", "--signing").stdout.split()[-1]
    assert run("verify", "certificate.json", "--signer", other).returncode == 1
    found = run("verify", "certificate.json")
    assert found.returncode == 2
    assert "the expected signer is not named" in found.stderr
    assert run("verify", "certificate.json", "--signer", "AAAA").returncode == 2
    run("sign", "record.json", "--key", "other", "-o", "theirs.json")
    assert run("verify", "theirs.json", "--signer", signed).returncode == 1


def test_what_cannot_be_signed(tmp_path, run, signed):
    (tmp_path / "public.json").write_text('{"schema": "petworks/public/1"}')
    run("key", "new", "secret")
    record = json.loads((tmp_path / "record.json").read_text())
    record["record"]["tables"][0]["sha256"] = None
    (tmp_path / "lacking.json").write_text(json.dumps(record))
    for arguments, problem in [
        (("public.json", "--key", "office"), "not a report of the format"),
        (("record.json", "--key", "nobody"), 'there is no key "nobody"'),
        (("record.json", "--key", "secret"), "a key that signs is needed"),
        (("lacking.json", "--key", "office"), "no digest of the release"),
        (("record.json", "--key", "office", "-o", "record.json"), "this file is an input"),
        (("record.json", "--key", "office", "--report", "none.html"), "there is no such file"),
    ]:
        found = run("sign", *arguments, "-o", "c.json") if "-o" not in arguments else run("sign", *arguments)
        assert found.returncode == 2
        assert problem in found.stderr
    assert not (tmp_path / "c.json").exists()


def test_a_page_is_verified_by_what_it_states(tmp_path, run, signed):
    found = run("verify", "report.html")
    assert (found.returncode, found.stdout.splitlines()[0].split()) == (0, ["same", "release", "released.csv"])
    (tmp_path / "released.csv").write_text((tmp_path / "original.csv").read_text())
    found = run("verify", "report.html")
    assert found.returncode == 1
    assert "NO file here has the SHA-256" in found.stdout
    (tmp_path / "empty.html").write_text("<!DOCTYPE html><p>nothing")
    assert run("verify", "empty.html").returncode == 2


@pytest.mark.parametrize("role", ["release", "original"])
def test_without_a_digest_nothing_is_the_same(tmp_path, run, signed, role):
    """The raw table would pass as the release."""
    record = json.loads((tmp_path / "record.json").read_text())
    next(one for one in record["record"]["tables"] if one["role"] == role)["sha256"] = None
    (tmp_path / "record.json").write_text(json.dumps(record))
    found = run("verify", "record.json")
    assert found.returncode == 2
    assert f"no digest  {role}" in found.stdout
    assert "a file is not recognised" in found.stdout


def test_a_digest_that_stands_twice_is_refused(tmp_path, run, signed):
    text = (tmp_path / "record.json").read_text()
    record = json.loads(text)
    record["record"]["tables"] += record["record"]["tables"][:1]
    (tmp_path / "twice.json").write_text(json.dumps(record))
    (tmp_path / "again.json").write_text(text.replace('"sha256":', '"sha256": "00", "sha256":', 1))
    for name, problem in (("twice.json", "names a file twice"), ("again.json", "a name twice in one object")):
        found = run("verify", name)
        assert found.returncode == 2
        assert problem in found.stderr
