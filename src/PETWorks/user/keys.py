"""Named keys of the user: secret keys, and signing keys.

A key is 32 random bytes in `keys/NAME.json` of the user's settings folder. Other files refer to it by its fingerprint:
the first 16 hexadecimal digits of a SHA-256 of the secret key, or of the public key of a signing key. A key is never
replaced, and a lost one cannot be made again.

>>> Key("study-2026", KeyKind.SECRET, "2026-01-01", bytes(32)).fingerprint
'66687aadf862bd77'
"""

from __future__ import annotations

import json
import re
import secrets
from base64 import b64decode, b64encode
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from hashlib import sha256
from pathlib import Path

from PETWorks.errors import OutputError, SettingsError, UnknownNameError, did_you_mean
from PETWorks.user.folder import find_folder, read_private, write_private
from PETWorks.user.signing import KEY_BYTES, derive_public_key

FINGERPRINT_DIGITS = 16
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
ENDING = ".json"


class KeyKind(StrEnum):
    """The purpose of a key."""

    SECRET = "secret"  # noqa: S105 (a kind, no password)
    SIGNING = "signing"


@dataclass(frozen=True)
class Key:
    """A key of the user. Its `repr` does not show the bytes."""

    name: str
    kind: KeyKind
    created: str  # the date
    content: bytes = field(repr=False)
    public: bytes = b""  # the raw public key, of a key that signs

    @property
    def fingerprint(self) -> str:
        """The hexadecimal digits that identify the key in other files."""
        return compute_fingerprint(self.public or self.content)

    @property
    def public_text(self) -> str:
        """The public key as it is handed to others, in base64."""
        return b64encode(self.public).decode()


def compute_fingerprint(content: bytes) -> str:
    """Return the fingerprint of a secret key, or of a public key."""
    return sha256(content).hexdigest()[:FINGERPRINT_DIGITS]


def new_key(name: str, kind: KeyKind = KeyKind.SECRET) -> Key:
    """Make a key and store it under a name that is not in use."""
    _require_name(name)
    path = _find_path(name)
    if taken := [one for one in _list_names() if one.casefold() == name.casefold()]:
        hint = "choose another name; what was made with the old key needs the old key"
        raise OutputError(f'there is a key "{taken[0]}" already', where=str(path), hint=hint)
    content = secrets.token_bytes(KEY_BYTES)
    public = derive_public_key(content) if kind is KeyKind.SIGNING else b""
    key = Key(name, kind, datetime.now(UTC).date().isoformat(), content, public)
    document = {"kind": kind.value, "created": key.created, "key": b64encode(content).decode()}
    document |= {"public": key.public_text} if public else {}
    write_private(path, json.dumps(document).encode() + b"\n", new=True)
    return key


def read_key(name: str, kind: KeyKind = KeyKind.SECRET) -> Key:
    """Return the key of a name; raise an error if there is none, or if it has another purpose."""
    _require_name(name)
    path = _find_path(name)
    if (content := read_private(path)) is None:
        option = " --signing" if kind is KeyKind.SIGNING else ""
        known = [one.name for one in list_keys() if one.kind is kind]
        hint = f"{did_you_mean(name, known)}; to make one: petworks key new {name}{option}"
        raise UnknownNameError(f'there is no key "{name}"', where=str(path), hint=hint)
    key = _parse(name, path, content)
    if key.kind is not kind:
        purpose = {KeyKind.SECRET: "makes pseudonyms", KeyKind.SIGNING: "signs"}
        problem = f'the key "{name}" {purpose[key.kind]}; a key that {purpose[kind]} is needed'
        raise SettingsError(problem, where=str(path), hint="petworks key list names all keys")
    return key


def list_keys() -> list[Key]:
    """Return all keys of the user, by name."""
    keys = []
    for name in _list_names():
        path = _find_path(name)
        if (content := read_private(path)) is not None:
            keys.append(_parse(name, path, content))
    return keys


def _find_path(name: str) -> Path:
    return find_folder() / "keys" / f"{name}{ENDING}"


def _list_names() -> list[str]:
    try:
        names = [path.name.removesuffix(ENDING) for path in (find_folder() / "keys").iterdir() if path.suffix == ENDING]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise SettingsError(f"cannot be read: {error.strerror or error}", where=str(find_folder() / "keys")) from error
    return sorted(name for name in names if NAME.fullmatch(name))


def _require_name(name: str) -> None:
    if not NAME.fullmatch(name):
        hint = "1 to 64 letters a to z, digits, and - _ . behind the first character; not a path"
        raise SettingsError("this is no name of a key", where=name[:80], hint=hint)


def _parse(name: str, path: Path, content: bytes) -> Key:
    try:
        plain = json.loads(content)
        kind, public = KeyKind(plain["kind"]), b64decode(plain.get("public", ""), validate=True)
        key = Key(name, kind, str(plain["created"]), b64decode(plain["key"], validate=True), public)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise SettingsError("this is no key that petworks key new wrote", where=str(path)) from error
    if len(key.content) != KEY_BYTES or len(public) != (KEY_BYTES if kind is KeyKind.SIGNING else 0):
        raise SettingsError("this is no key that petworks key new wrote", where=str(path))
    return key
