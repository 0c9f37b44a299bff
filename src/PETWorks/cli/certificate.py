"""Certificates: the part of a record that may be handed over, signed. A release and a public key suffice to check one.

A certificate has the digests of the release and of reports, commitments to all other files, and the verdicts. What the
public must not know of few people is not in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from PETWorks.cli.repeat import Document, Files, compute_path_digest
from PETWorks.disclosure.certificate import disclose_verdict
from PETWorks.errors import MissingFileError, NotAskableError, ParameterError, SignatureError
from PETWorks.facts.commitment import RELEASE, is_secret, list_commitments
from PETWorks.tables.decoding import build_missing_file_error, build_unreadable_error
from PETWorks.tables.source import compute_digest
from PETWorks.user.keys import Key, compute_fingerprint
from PETWorks.user.signing import decode_bytes, read_canonical, sign

SCHEMA = "petworks/certificate/1"
MAX_BYTES = 2**24
FIELDS = {
    *("schema", "version", "signed_at", "title", "files", "reports", "holds", "requirements", "premises"),
    *("signed_by", "signature"),
}


class CheckedFile(NamedTuple):
    """A file that a certificate names: its kind, the path where it was found, and whether it is the same."""

    what: str
    path: Path
    is_same: bool


def build_certificate(record: Document, reports: Sequence[Path], key: Key) -> Document:
    """Return the signed certificate of a record and of the reports that are handed over with it."""
    files = record["record"]
    if not is_secret(files.get("secret")):
        hint = "name the record: the file that petworks check or anonymize wrote as record or JSON"
        raise NotAskableError("the file has no secret, so it is not a record", hint=hint)
    released = [one for one in files["tables"] if one["role"] == RELEASE]
    if len(released) != 1 or not released[0]["sha256"]:
        hint = "write the release to a file, and record that"
        raise NotAskableError("the record has no digest of the release, so nothing can be certified", hint=hint)
    names = {RELEASE: {"name": Path(released[0]["name"]).name}}
    verdicts = [disclose_verdict(one, record["results"]) for one in record["requirements"]]
    known = [one["holds"] for one in verdicts]
    certificate = {
        "schema": SCHEMA,
        "version": version("petworks"),
        "signed_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "title": record.get("title", ""),
        "files": [one.to_dict() | names.get(one.role, {}) for one in list_commitments(files)],
        "reports": [{"name": path.name, "sha256": _compute_digest(path)} for path in reports],
        "holds": None if None in known or not known else all(known),
        "requirements": verdicts,
        **({"premises": _select_premises(record["premises"])} if record.get("premises") else {}),
    }
    return sign(certificate, key)


def _select_premises(premises: Any) -> list[dict[str, Any]]:  # noqa: ANN401 (JSON)
    """Return the name and the verdict of each premise, without findings and reasons."""
    return [{name: one[name] for name in ("premise", "verdict") if name in one} for one in premises]


def read_certificate(path: Path) -> Document | None:
    """Return a certificate; None if the file is no certificate. One that was changed after signing is an error."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except FileNotFoundError as error:
        raise build_missing_file_error(path, str(path), ".json") from error
    except OSError as error:
        raise build_unreadable_error(error, str(path)) from error
    if b'"petworks/certificate/' not in content:
        return None
    certificate = read_canonical(content, path.name)
    if certificate.get("schema") != SCHEMA or not FIELDS >= certificate.keys() >= FIELDS - {"premises"}:
        raise SignatureError(f'this is no certificate of the format "{SCHEMA}"', where=path.name)
    return certificate


def find_fingerprint(certificate: Document) -> str:
    """Return the fingerprint of the key that a certificate names; "" if it names none."""
    public = decode_bytes(certificate.get("signed_by"), 32)
    return compute_fingerprint(public) if public else ""


def check_files(certificate: Document, folders: Sequence[Path]) -> Iterator[CheckedFile]:
    """Yield the release and the reports of a certificate, each found by name and compared by digest."""
    named = [(RELEASE, one) for one in certificate["files"] if one.get("role") == RELEASE]
    if len(named) != 1:
        raise SignatureError("the certificate does not have one digest of one release")
    for what, one in [*named, *(("report", one) for one in certificate["reports"])]:
        path = Files({}, folders).find(one["name"], one["sha256"])
        yield CheckedFile(what, path, compute_path_digest(path) == one["sha256"])


def _compute_digest(path: Path) -> str:
    if not path.is_file():
        raise MissingFileError("there is no such file", where=str(path), hint="name a report that was written")
    return compute_digest(path)


def require_signer(signer: str | None) -> str:
    """Return the public key of the signer from the options; the key in the certificate proves nothing by itself."""
    if not signer:
        hint = "add --signer and the public key, which you got on another way than the certificate"
        raise ParameterError("the expected signer is not named, and anybody can sign a certificate", hint=hint)
    return signer
