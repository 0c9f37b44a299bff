"""Commitments: reports state them in place of the digests of files, and the record can open them.

Somebody who knows all but a few rows of a file could try the rest until its SHA-256 fits. So only the record has the
digests of the original, the population, the hierarchies and the policy, together with a *secret* of 32 random bytes. A
report has HMAC-SHA-256 in place of each digest: the key is the secret, the message is the 32 bytes of the file's
SHA-256. Without the secret nobody can try rows; with the record everybody can verify what was measured.
"""

from __future__ import annotations

import hmac
import json
import re
import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

SECRET_BYTES = 32
SECRET = re.compile(rf"[0-9a-f]{{{2 * SECRET_BYTES}}}")
RELEASE = "release"  # the role of the table that is published, and may have its own digest


class FileDigest(NamedTuple):
    """The SHA-256 of a file that a record names."""

    role: str  # of a table, "hierarchy" or "policy"
    column: str | None  # of a hierarchy
    digest: str

    @property
    def is_release(self) -> bool:
        """True if the file is the one that is published."""
        return self.role == RELEASE


class Commitment(NamedTuple):
    """What a report states of a file: the SHA-256 of the release, or a commitment to the digest of another file."""

    role: str  # of a table, "hierarchy" or "policy"
    column: str | None  # of a hierarchy
    value: str  # 64 hexadecimal digits

    @property
    def is_digest(self) -> bool:
        """True if the value is the SHA-256 of the file itself."""
        return self.role == RELEASE

    @property
    def method(self) -> str:
        """The name of the function that the value is computed with."""
        return "SHA-256" if self.is_digest else "HMAC-SHA-256"

    def to_dict(self) -> dict[str, str]:
        """Return the commitment as plain values for JSON."""
        column = {} if self.column is None else {"column": self.column}
        return {"role": self.role, **column, "sha256" if self.is_digest else "commitment": self.value}


def draw_secret() -> str:
    """Return 32 new random bytes, as hexadecimal digits."""
    return secrets.token_hex(SECRET_BYTES)


def is_secret(given: object) -> bool:
    """Return True if something read from a record is a secret."""
    return isinstance(given, str) and bool(SECRET.fullmatch(given))


def compute_commitment(secret: str, digest: str) -> str:
    """Return HMAC-SHA-256 of the bytes of a digest, with the bytes of the secret as the key."""
    return hmac.digest(bytes.fromhex(secret), bytes.fromhex(digest), "sha256").hex()


def list_commitments(record: Mapping[str, Any]) -> Iterator[Commitment]:
    """Yield what a report states of the files of a record, in order; files without a digest are left out."""
    for one in list_digests(record):
        if one.is_release:
            yield Commitment(*one)
        elif secret := record.get("secret"):
            yield Commitment(one.role, one.column, compute_commitment(secret, one.digest))


def list_digests(record: Mapping[str, Any]) -> Iterator[FileDigest]:
    """Yield the digest of each file of a record that has one, in order."""
    files = [FileDigest(one["role"], None, one["sha256"]) for one in record["tables"]]
    files += [FileDigest("hierarchy", one["column"], one["sha256"]) for one in record["hierarchies"]]
    files += [FileDigest("policy", None, one["sha256"]) for one in [record["policy"]] if one]
    yield from (one for one in files if one.digest)


def find_secret(path: Path, record: Mapping[str, Any]) -> str | None:
    """Return the secret of the record at a path, if it is a record of the same files; else None.

    A secret that somebody may know must not be used for other files: that person could try their rows.
    """
    try:
        before = json.loads(path.read_bytes())["record"]
        if is_secret(before["secret"]) and _select_inputs(before) == _select_inputs(record):
            return str(before["secret"])
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None
    return None


def _select_inputs(record: Mapping[str, Any]) -> list[FileDigest]:
    """Return the digests of the files with rows or values, without the policy, which changes with every edit."""
    return [one for one in list_digests(record) if one.role not in (RELEASE, "policy")]
