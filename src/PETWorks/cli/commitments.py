"""Check that the commitments in reports open to the digests of a record."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from PETWorks.cli import FAILS, HOLDS, NOT_EVALUATED
from PETWorks.cli.repeat import Document
from PETWorks.errors import NotAskableError
from PETWorks.facts.commitment import Commitment, is_secret, list_commitments
from PETWorks.measure.steps import Name
from PETWorks.render.lines import LineWriter
from PETWorks.shown import Exact
from PETWorks.tables.decoding import build_missing_file_error, build_unreadable_error

# A value in a page, text, Markdown or JUnit file, and in a JSON document.
STATED = re.compile(r'(HMAC-SHA-256|(?<!HMAC-)SHA-256|"commitment":|"sha256":)\s+"?([0-9a-f]{64})(?![0-9a-f])')
IS_DIGEST = {"HMAC-SHA-256": False, "SHA-256": True, '"commitment":': False, '"sha256":': True}
Stated = tuple[bool, str]  # True: the digest of the file itself; and the value


def open_reports(record: Document, paths: Sequence[str], language: str) -> tuple[list[str], int]:
    """Return a line for each report, and the exit code: whether its commitments open to the digests of the record."""
    if not paths:
        return [], HOLDS
    files = record["record"]
    if not is_secret(files.get("secret")):
        hint = "name the record that was written together with the report"
        raise NotAskableError("the record has no secret, so it opens no commitments", hint=hint)
    expected, writer = list(list_commitments(files)), LineWriter(language)
    answers = [_open_report(expected, Path(path), writer) for path in paths]
    codes = {code for _, code in answers}
    return [line for line, _ in answers], combine_codes(*codes)


def combine_codes(*codes: int) -> int:
    """Return the exit code of several answers: what fails comes before what could not be evaluated."""
    return FAILS if FAILS in codes else max(codes, default=HOLDS)


def _open_report(expected: Sequence[Commitment], path: Path, writer: LineWriter) -> tuple[str, int]:
    found = list(_read_stated(path))
    if all(is_digest for is_digest, _ in found):
        return writer.say("verify_no_commitments", file=Name(path.name)), NOT_EVALUATED
    if found == [(one.is_digest, one.value) for one in expected]:
        return writer.say("verify_opens", file=Name(path.name), files=Exact(len(found))), HOLDS
    missing = [one for one in expected if (one.is_digest, one.value) not in found]
    if not missing:  # others as well, or in another order
        return writer.say("verify_opens_more", file=Name(path.name)), FAILS
    kinds = [writer.write_file_kind(one) for one in missing]
    return writer.say("verify_opens_not", file=Name(path.name), kinds=list(map(Name, kinds))), FAILS


def is_page(path: Path) -> bool:
    """Return True if a file is an HTML page."""
    with suppress(OSError), path.open("rb") as file:
        return file.read(100).lstrip(b"\xef\xbb\xbf \r\n\t").lower().startswith((b"<!doctype html", b"<html"))
    return False


def read_release_digest(path: Path) -> str:
    """Return the SHA-256 of the release that an HTML page states; raise an error unless there is exactly one."""
    found = {value for is_digest, value in _read_stated(path) if is_digest}
    if len(found) != 1:
        problem = "the report states no SHA-256 of a release" if not found else "the report states several digests"
        hint = "verify the record, or a report that was written from a release in a file"
        raise NotAskableError(problem, where=path.name, hint=hint)
    return found.pop()


def _read_stated(path: Path) -> Iterator[Stated]:
    """Yield the digests and commitments in a report, in order."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError as error:
        raise build_missing_file_error(path, str(path), ".html") from error
    except OSError as error:
        raise build_unreadable_error(error, str(path)) from error
    yield from ((IS_DIGEST[method], value) for method, value in STATED.findall(text))
