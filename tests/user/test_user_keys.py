"""Keys are in files that only their owner can read, outside every project; no output shows a secret one."""

import json
import os
import sys
from base64 import b64encode
from hashlib import sha256

import pytest

from PETWorks.errors import OutputError, PETWorksError, SettingsError, UnknownNameError
from PETWorks.user.folder import find_folder, write_private
from PETWorks.user.keys import KeyKind, list_keys, new_key, read_key
from support.process import petworks

needs_modes = pytest.mark.skipif(sys.platform == "win32", reason="files have no modes")


@pytest.fixture(autouse=True)
def settings(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("APPDATA", str(tmp_path))
    return tmp_path / "petworks"


def file_of(name):
    return find_folder() / "keys" / f"{name}.json"


@pytest.mark.parametrize("kind", KeyKind)
def test_a_key_is_read_as_it_was_made(kind):
    made = new_key("study-2026", kind)
    assert read_key("study-2026", kind) == made
    assert list_keys() == [made]
    assert len(made.content) == 32
    assert made.fingerprint == sha256(made.public or made.content).hexdigest()[:16]
    assert new_key("other", kind).content != made.content


def test_a_public_key_is_that_of_its_private_key():
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    made = new_key("office", KeyKind.SIGNING)
    private = Ed25519PrivateKey.from_private_bytes(made.content)
    assert made.public == private.public_key().public_bytes_raw()


@needs_modes
def test_only_the_owner_can_read_a_key_whatever_the_mask():
    before = os.umask(0)
    try:
        new_key("study")
    finally:
        os.umask(before)
    assert file_of("study").stat().st_mode & 0o777 == 0o600
    assert file_of("study").parent.stat().st_mode & 0o777 == 0o700


@needs_modes
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o644, 0o777])
def test_a_key_that_others_can_read_or_change_is_not_used(mode):
    new_key("study")
    file_of("study").chmod(mode)
    with pytest.raises(SettingsError, match="other users"):
        read_key("study")


@needs_modes
def test_a_link_is_not_followed(tmp_path):
    made = new_key("study")
    (tmp_path / "elsewhere.json").write_bytes(file_of("study").read_bytes())
    (tmp_path / "elsewhere.json").chmod(0o600)
    file_of("study").unlink()
    file_of("study").symlink_to(tmp_path / "elsewhere.json")
    with pytest.raises(SettingsError, match="symbolic link"):
        read_key("study")
    assert made.content not in (tmp_path / "elsewhere.json").read_bytes()


@needs_modes
def test_a_pipe_or_a_folder_ends_in_an_error():
    find_folder().joinpath("keys").mkdir(parents=True)
    os.mkfifo(file_of("pipe"), 0o600)
    file_of("folder").mkdir()
    for name in ("pipe", "folder"):
        with pytest.raises(SettingsError):
            read_key(name)


@pytest.mark.parametrize("name", ["", ".", "..", "../up", "a/b", "/a", "-n", "a b", "a" * 65, "é", "a\n", "a\0"])
def test_a_name_is_no_path(name):
    for call in (new_key, read_key):
        with pytest.raises(SettingsError, match="no name of a key"):
            call(name)
    assert not find_folder().exists()


@pytest.mark.parametrize("again", ["study", "STUDY"])
def test_a_key_is_never_replaced(again):
    made = new_key("study")
    for kind in KeyKind:
        with pytest.raises(OutputError, match="already"):
            new_key(again, kind)
    assert list_keys() == [made]


def test_a_file_that_appears_meanwhile_is_not_replaced(tmp_path):
    write_private(tmp_path / "one", b"first", new=True)
    with pytest.raises(OutputError, match="exists"):
        write_private(tmp_path / "one", b"second", new=True)
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("one", b"first")]


def test_a_missing_key_names_the_nearest_and_what_to_do():
    new_key("study-2026")
    with pytest.raises(UnknownNameError, match=r'did you mean "study-2026".*petworks key new study-2025'):
        read_key("study-2025")


def test_a_key_is_for_one_purpose():
    new_key("secret")
    new_key("office", KeyKind.SIGNING)
    with pytest.raises(SettingsError, match="makes pseudonyms; a key that signs"):
        read_key("secret", KeyKind.SIGNING)
    with pytest.raises(SettingsError, match="signs; a key that makes pseudonyms"):
        read_key("office")


GOOD = {"kind": "secret", "created": "2026-01-01", "key": b64encode(bytes(32)).decode()}
BAD = [
    *(b"", b"[]", b"null", b"\xff", b"[" * 9999, json.dumps(GOOD)[:-1].encode()),
    *(GOOD | {"key": key} for key in ("", "AAAA", "?" * 44, 7, None)),
    *(GOOD | {"kind": kind} for kind in ("signing", "other", None)),
    GOOD | {"public": GOOD["key"]},
]


@pytest.mark.parametrize("content", BAD, ids=str)
def test_a_damaged_key_is_an_error_without_its_content(content):
    content = content if isinstance(content, bytes) else json.dumps(content).encode()
    write_private(file_of("study"), content)
    with pytest.raises(SettingsError, match="no key that petworks key new wrote") as caught:
        read_key("study")
    assert "AAAA" not in str(caught.value)


def test_a_huge_file_is_not_read_whole():
    write_private(file_of("study"), bytes(2**20 + 1))
    with pytest.raises(SettingsError, match="more than 1,048,576 bytes"):
        read_key("study")


def test_the_command_never_shows_what_is_secret():
    env = {name: os.environ[name] for name in ("XDG_CONFIG_HOME", "APPDATA")}
    runs = [
        petworks("key", "list", env=env),
        petworks("key", "new", "study", env=env),
        petworks("key", "new", "office", "--signing", env=env),
        petworks("key", "list", env=env),
        petworks("key", "new", "study", env=env),
    ]
    assert [run.returncode for run in runs] == [0, 0, 0, 0, 2]
    shown = "".join(run.stdout + run.stderr for run in runs)
    for key in list_keys():
        assert key.fingerprint in shown
        assert all(text not in shown + repr(key) for text in (b64encode(key.content).decode(), key.content.hex()))
    assert runs[3].stdout.splitlines() == [
        f"{key.name.ljust(6)}  {purpose}  {key.fingerprint}  {key.created}  {key.public_text}".rstrip()
        for key, purpose in zip(list_keys(), ["signatures", "pseudonyms"], strict=True)
    ]


@pytest.mark.parametrize("arguments", [["new"], ["list", "study"], ["list", "--signing"], ["make", "a"], []])
def test_a_wrong_call_is_an_error(arguments, settings):
    run = petworks("key", *arguments, env={"XDG_CONFIG_HOME": str(settings.parent)})
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.startswith("error: ")
    assert not settings.exists()


def test_a_key_needs_a_home(monkeypatch):
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.setenv("HOME", "/")
    assert str(find_folder()) == "/.config/petworks"
    monkeypatch.setenv("XDG_CONFIG_HOME", "relative")  # ignored, as its specification says
    assert str(find_folder()) == "/.config/petworks"


def test_without_its_package_a_signature_is_an_error_that_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.asymmetric", None)
    with pytest.raises(PETWorksError, match=r"petworks\[signing\]"):
        new_key("office", KeyKind.SIGNING)
    assert list_keys() == []
