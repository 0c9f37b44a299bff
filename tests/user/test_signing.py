"""Signatures: any change of a signed document shows, and only the key that is named signs."""

import json
from base64 import b64decode, b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from PETWorks.errors import ParameterError, SignatureError
from PETWorks.user.keys import Key, KeyKind
from PETWorks.user.signing import (
    derive_public_key,
    is_signed_by,
    read_canonical,
    read_public_key,
    sign,
    write_canonical,
)

SEED = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")  # RFC 8032, 7.1, test 1
PUBLIC = bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
KEY = Key("office", KeyKind.SIGNING, "2026-01-01", SEED, PUBLIC)
OTHER = Key("other", KeyKind.SIGNING, "2026-01-01", bytes(32), derive_public_key(bytes(32)))
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
DOCUMENTS = st.dictionaries(st.text(), PLAIN, max_size=4)
NO_SURROGATES = st.characters(exclude_categories=["Cs"])


def test_the_public_key_is_that_of_the_standard():
    assert derive_public_key(SEED) == PUBLIC


@given(DOCUMENTS)
def test_canonical_json_is_read_as_it_was_written_and_in_no_other_spelling(document):
    try:
        line = write_canonical(document)
    except SignatureError:
        with pytest.raises(UnicodeEncodeError):
            json.dumps(document, ensure_ascii=False).encode()
        return
    assert read_canonical(line) == document
    assert line.count(b"\n") == 1
    shuffled = dict(reversed(document.items()))
    assert write_canonical(shuffled) == line
    for other in (line[:-1], b" " + line, b"{ " + line[1:], line + b"\n"):
        if other != line:
            with pytest.raises(SignatureError):
                read_canonical(other)


@pytest.mark.parametrize(
    "line", [b"", b"{", b"[1]\n", b'{"a":1,"a":1}\n', b'{"a":NaN}\n', b"\xff\n", b'{"a":1.0e1}\n', b'{"a":"\\u00e9"}\n']
)
def test_what_is_not_canonical_is_an_error(line):
    with pytest.raises(SignatureError):
        read_canonical(line)


@given(st.dictionaries(st.text(NO_SURROGATES), st.integers() | st.text(NO_SURROGATES), max_size=4), st.data())
def test_any_change_of_a_signed_document_shows(document, data):
    signed = sign(document, KEY)
    assert is_signed_by(signed, PUBLIC)
    assert not is_signed_by(signed, OTHER.public)
    line = write_canonical(signed)
    place = data.draw(st.integers(0, len(line) - 2))
    changed = line[:place] + bytes([line[place] ^ 1]) + line[place + 1 :]
    try:
        read = read_canonical(changed)
    except SignatureError:
        return
    assert not is_signed_by(read, PUBLIC)


def test_a_signature_of_somebody_else_in_the_name_of_the_signer_is_none():
    forged = sign({"holds": True}, OTHER)
    assert is_signed_by(forged, OTHER.public)
    assert not is_signed_by({**forged, "signed_by": KEY.public_text}, PUBLIC)
    assert not is_signed_by({"holds": True, "signed_by": KEY.public_text}, PUBLIC)
    for wrong in (None, 7, "", "A", forged["signature"][:-1], b64encode(bytes(63)).decode()):
        assert not is_signed_by({**forged, "signature": wrong}, OTHER.public)


def test_a_second_signature_replaces_the_first():
    again = sign(sign({"n": 1}, OTHER), KEY)
    assert is_signed_by(again, PUBLIC)
    assert b64decode(again["signed_by"]) == PUBLIC


def test_a_public_key_is_read_from_its_text_or_a_file(tmp_path):
    (tmp_path / "office.pub").write_text(KEY.public_text + "\n")
    assert read_public_key(KEY.public_text) == read_public_key(str(tmp_path / "office.pub")) == PUBLIC
    (tmp_path / "long.pub").write_bytes(bytes(10**6))
    for wrong in ("", "office", KEY.public_text[:-1], str(tmp_path), str(tmp_path / "long.pub"), "x" * 9999, "a\0b"):
        with pytest.raises(ParameterError, match="neither a public key"):
            read_public_key(wrong)
