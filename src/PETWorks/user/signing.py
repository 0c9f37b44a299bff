r"""Canonical JSON, and Ed25519 signatures of it.

A signed document is one line of canonical JSON (sorted keys, no blanks, UTF-8, a line feed). `signed_by` is the raw
public key and `signature` the signature, both in base64; what is signed is the line without `signature`.

>>> write_canonical({"b": [1, "é"], "a": None})
b'{"a":null,"b":[1,"\xc3\xa9"]}\n'
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PETWorks.errors import ParameterError, SettingsError, SignatureError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric import ed25519

    from PETWorks.user.keys import Key

KEY_BYTES = 32  # of a private and of a public key
SIGNATURE_BYTES = 64
MAX_KEY_FILE_BYTES = 4096
Document = Mapping[str, Any]


def write_canonical(document: Document) -> bytes:
    """Write a document as one line of canonical JSON."""
    try:
        text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        return f"{text}\n".encode()
    except (ValueError, TypeError, RecursionError) as error:
        problem = "cannot be written as canonical JSON: a number is not finite, or a text is no Unicode"
        raise SignatureError(problem) from error


def read_canonical(line: bytes, where: str = "") -> dict[str, Any]:
    """Read a line of canonical JSON; any other spelling of the same document is an error."""
    try:
        document = json.loads(line.decode())
        canonical = isinstance(document, dict) and write_canonical(document) == line
    except (ValueError, RecursionError) as error:
        raise SignatureError("this is no JSON", where=where) from error
    if not canonical:
        hint = "it is one line with sorted keys and no blanks; was the file edited or formatted?"
        raise SignatureError("this is no canonical JSON", where=where, hint=hint)
    return dict(document)


def sign(document: Document, key: Key) -> dict[str, Any]:
    """Return a copy of a document with `signed_by` and `signature`."""
    unsigned = {**document, "signed_by": key.public_text}
    unsigned.pop("signature", None)
    signature = _load_private(key.content).sign(write_canonical(unsigned))
    return {**unsigned, "signature": b64encode(signature).decode()}


def is_signed_by(document: Document, signer: bytes) -> bool:
    """Return True if a document names this public key and has a valid signature by it."""
    public = _load_public(signer)
    from cryptography.exceptions import InvalidSignature

    unsigned = {name: value for name, value in document.items() if name != "signature"}
    signature = decode_bytes(document.get("signature"), SIGNATURE_BYTES)
    if signature is None or decode_bytes(document.get("signed_by"), KEY_BYTES) != signer:
        return False
    try:
        public.verify(signature, write_canonical(unsigned))
    except InvalidSignature:
        return False
    return True


def read_public_key(given: str) -> bytes:
    """Return the raw public key from base64, or from a file that contains nothing else."""
    public = decode_bytes(given, KEY_BYTES)
    if public is None:
        with suppress(OSError, ValueError):  # no such file, or no name of one
            if Path(given).is_file():
                with Path(given).open("rb") as file:
                    public = decode_bytes(file.read(MAX_KEY_FILE_BYTES).decode("ascii", "replace").strip(), KEY_BYTES)
    if public is None:
        hint = "pass the 44 characters that petworks key list shows, or a file with them"
        raise ParameterError("this is neither a public key nor a file with one", where=given[:80], hint=hint)
    return public


def decode_bytes(text: object, length: int) -> bytes | None:
    """Decode base64; None if it is not the canonical base64 of this number of bytes."""
    if not isinstance(text, str):
        return None
    try:
        content = b64decode(text, validate=True)
    except (Base64Error, ValueError):
        return None
    return content if len(content) == length and b64encode(content).decode() == text else None


def derive_public_key(content: bytes) -> bytes:
    """Return the raw public key of a private key."""
    return _load_private(content).public_key().public_bytes_raw()


def _load_private(content: bytes) -> ed25519.Ed25519PrivateKey:
    return _import_keys()[0].from_private_bytes(content)


def _load_public(content: bytes) -> ed25519.Ed25519PublicKey:
    return _import_keys()[1].from_public_bytes(content)


def _import_keys() -> tuple[type[ed25519.Ed25519PrivateKey], type[ed25519.Ed25519PublicKey]]:
    try:
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError as error:
        hint = 'install it with: pip install "petworks[signing]"'
        raise SettingsError("signatures need the package cryptography", hint=hint) from error
    return ed25519.Ed25519PrivateKey, ed25519.Ed25519PublicKey
