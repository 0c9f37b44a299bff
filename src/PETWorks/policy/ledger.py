"""The ledger: every release of a dataset, one line each, chained by digests; nothing is ever changed or taken out.

A line is canonical JSON. It has its number `n`, from 1, and `previous`, the SHA-256 of the bytes of the line before. So
a line that was changed, taken out or moved is seen by the next one. The end is seen only by who knows the head, the
number and digest of the last line: a record of the next release has it, and `petworks release` prints it.

>>> chain = [build_line({"to": "public"}, [])]
>>> chain.append(build_line({"to": "institute"}, chain))
>>> check_chain(chain), check_chain(chain[:1], head=Head(2, "0" * 64)).state
(ChainCheck(state='ok', line=2), 'truncated')
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

from PETWorks.errors import MissingFileError, OutputError, ParameterError, SignatureError, SourceError
from PETWorks.tables.source import compute_digest
from PETWorks.user.keys import Key
from PETWorks.user.signing import is_signed_by, read_canonical, read_public_key, sign, write_canonical

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

T = TypeVar("T")
NOTHING_BEFORE = "0" * 64
BINARY = getattr(os, "O_BINARY", 0)
WAIT = 30.0  # seconds that an entry waits for another one
State = Literal["ok", "malformed", "interrupted", "order", "changed", "truncated", "signature"]
NOT_WHOLE = "restore the ledger from a copy; nothing is repaired without you"
ADD_NEWLINE = "the last entry was interrupted: look at it, and cut the line without its end off yourself"


class Head(NamedTuple):
    """The number of the last line, and the SHA-256 of its bytes."""

    n: int
    sha256: str

    @classmethod
    def read(cls, text: str) -> Head:
        """Read it as it is written: the number, a colon, and the digest."""
        number, _, digest = text.partition(":")
        if not number.isdecimal() or len(digest) != len(NOTHING_BEFORE):
            raise ParameterError("this is no head of a ledger", hint="write it as petworks release did: 3:5e43b52d…")
        return cls(int(number), digest.casefold())

    def __str__(self) -> str:
        """Write it."""
        return f"{self.n}:{self.sha256}"


class ChainCheck(NamedTuple):
    """What is wrong with a ledger first, and the line where; "ok" and its last line if nothing is."""

    state: State
    line: int


def compute_head(lines: Sequence[bytes]) -> Head:
    """Return the head of a ledger."""
    return Head(len(lines), sha256(lines[-1].rstrip(b"\n")).hexdigest() if lines else NOTHING_BEFORE)


def build_line(entry: Mapping[str, Any], lines: Sequence[bytes], key: Key | None = None) -> bytes:
    """Return the next line of a ledger, signed if there is a key."""
    head = compute_head(lines)
    document = {**entry, "n": head.n + 1, "previous": head.sha256}
    return write_canonical(sign(document, key) if key else document)


def check_chain(lines: Sequence[bytes], head: Head | None = None, signers: Sequence[bytes] = ()) -> ChainCheck:
    """Check every line against the one before, the end against a head, and signatures by keys that are trusted."""
    before = NOTHING_BEFORE
    for number, line in enumerate(lines, 1):
        if (state := _check_line(line, number, before, signers)) != "ok":
            return ChainCheck(state, max(number - 1, 1) if state == "changed" else number)
        before = sha256(line.rstrip(b"\n")).hexdigest()
    if head is not None and len(lines) < head.n:
        return ChainCheck("truncated", len(lines))
    if head is not None and head.n and compute_head(lines[: head.n]).sha256 != head.sha256:
        return ChainCheck("changed", head.n)
    return ChainCheck("ok", len(lines))


def _check_line(line: bytes, number: int, before: str, signers: Sequence[bytes]) -> State:
    try:
        entry = read_canonical(line.rstrip(b"\n") + b"\n")
    except SignatureError:
        return "malformed"
    if entry.get("n") != number:
        return "order"
    if entry.get("previous") != before:
        return "changed"
    return "signature" if signers and not any(is_signed_by(entry, one) for one in signers) else "ok"


def split_lines(content: bytes) -> tuple[list[bytes], bool]:
    """Return the complete lines, and whether something without a newline follows them."""
    lines = content.split(b"\n")
    return [line + b"\n" for line in lines[:-1]], bool(lines[-1])


@dataclass(frozen=True)
class Ledger:
    """A ledger that was read: its file, and its lines as they stand there."""

    path: Path
    lines: tuple[bytes, ...]

    @property
    def entries(self) -> list[dict[str, Any]]:
        """The entries, oldest first."""
        return [read_canonical(line, self.path.name) for line in self.lines]

    @property
    def head(self) -> Head:
        """The number and the digest of the last line."""
        return compute_head(self.lines)

    def list_files(self) -> Iterator[tuple[int, Path, str]]:
        """Yield the number of the entry, the path and the digest of every file that is pinned."""
        for entry in self.entries:
            for one in (*entry.get("files", ()), entry.get("key_file")):
                if one:
                    yield entry["n"], self.path.parent / one["name"], one["sha256"]

    def check_files(self) -> tuple[int, Path] | None:
        """Return the entry and the path of a pinned file that is missing or different; None if all are there."""
        for number, path, digest in self.list_files():
            if not path.is_file() or compute_digest(path) != digest:
                return number, path
        return None

    def require_free(self, target: Path) -> None:
        """Raise an error if a file is pinned: by its real path, or by its content under any name."""
        digest = compute_digest(target) if target.is_file() else None
        for number, path, pinned in self.list_files():
            if os.path.realpath(path) == os.path.realpath(target) or digest == pinned:
                problem = f"this file was released: entry {number} of {self.path.name} pins it"
                raise OutputError(problem, where=str(target), hint="write to another name; what is out stays as it is")


def read_ledger(path: Path) -> Ledger:
    """Read a ledger; an error if a line is wrong, or if its last line was interrupted. A missing file is empty."""
    lines, cut = split_lines(_read(path))
    _require_whole(path, lines, cut=cut)
    return Ledger(path, tuple(lines))


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise SourceError(f"cannot be read: {error.strerror or error}", where=str(path)) from error


def _require_whole(path: Path, lines: Sequence[bytes], *, cut: bool) -> None:
    if cut:
        figures = {"line": len(lines) + 1}
        raise SourceError("line {line} has no end", where=path.name, hint=ADD_NEWLINE, figures=figures)
    if (found := check_chain(lines)).state != "ok":
        raise SourceError(f"line {found.line} is not as it was entered: {found.state}", where=path.name, hint=NOT_WHOLE)


def verify_ledger(path: Path, head: Head | None = None, signers: Sequence[str] = ()) -> ChainCheck:
    """Check a ledger, whatever is wrong with it; a last line without its end is told as interrupted."""
    if not path.is_file():
        raise MissingFileError("there is no such file", where=str(path), hint="name the ledger: releases.jsonl")
    lines, cut = split_lines(_read(path))
    found = check_chain(lines, head, [read_public_key(one) for one in signers])
    return ChainCheck("interrupted", len(lines) + 1) if cut and found.state in ("ok", "truncated") else found


def append_entry(path: Path, entry: Mapping[str, Any], key: Key | None = None) -> Head:
    """Append an entry, and return the head before it. Whole or not at all: an error leaves the ledger as it was."""
    entry = {"at": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"), **entry}
    try:
        number = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | BINARY, 0o600)
    except OSError as error:
        raise OutputError(f"cannot be written: {error.strerror or error}", where=str(path)) from error
    try:
        with _lock(number, path):
            lines, cut = split_lines(_read(path))
            _require_whole(path, lines, cut=cut)
            _require_same_dataset(path, lines, entry)
            size = os.fstat(number).st_size
            try:
                _write(number, build_line(entry, lines, key))
                os.fsync(number)
            except OSError as error:
                with suppress(OSError):
                    os.ftruncate(number, size)
                    os.fsync(number)
                raise OutputError(f"cannot be written: {error.strerror or error}", where=str(path)) from error
            _sync_folder(path.parent)
            return compute_head(lines)
    finally:
        os.close(number)


def _require_same_dataset(path: Path, lines: Sequence[bytes], entry: Mapping[str, Any]) -> None:
    known = read_canonical(lines[0], path.name).get("dataset") if lines else entry.get("dataset")
    if known != entry.get("dataset"):
        problem = f'this is the ledger of the dataset "{known}", not of "{entry.get("dataset")}"'
        raise ParameterError(
            problem, where=path.name, hint="every dataset has a ledger of its own: file under [ledger]"
        )


def _write(number: int, line: bytes) -> None:
    while line:
        written = os.write(number, line)
        if not written:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        line = line[written:]


@contextmanager
def _lock(number: int, path: Path) -> Iterator[None]:
    """Keep other writers out; wait for them, but not for ever."""
    if os.name == "nt":
        lock = path.with_name(f"{path.name}.lock")
        held = _wait(lambda: os.open(lock, os.O_CREAT | os.O_EXCL), path)
        try:
            yield
        finally:
            os.close(held)
            lock.unlink()
        return
    _wait(lambda: fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB), path)
    try:
        yield
    finally:
        fcntl.flock(number, fcntl.LOCK_UN)


def _wait(take: Callable[[], T], path: Path) -> T:
    until = time.monotonic() + WAIT
    while True:
        try:
            return take()
        except (BlockingIOError, FileExistsError) as error:
            if time.monotonic() > until:
                hint = "wait until it has ended, and enter again"
                raise OutputError("another entry is being made", where=str(path), hint=hint) from error
            time.sleep(0.01)


def _sync_folder(folder: Path) -> None:
    with suppress(OSError):  # not every system can
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


def describe_file(path: Path, folder: Path) -> dict[str, Any]:
    """Return the name of a file, as seen from the folder of the ledger, and its SHA-256."""
    return {"name": Path(os.path.relpath(path, folder)).as_posix(), "sha256": compute_digest(path)}


def list_editions(ledger: Ledger, dataset: str) -> list[dict[str, Any]]:
    """Return every release of a ledger as an earlier one; an error names a file that is missing or different."""
    found = []
    for entry in ledger.entries:
        if entry.get("dataset") != dataset:
            problem = f'entry {entry["n"]} is of the dataset "{entry.get("dataset")}", not of "{dataset}"'
            raise SourceError(problem, where=ledger.path.name, hint="name the ledger of this dataset under [ledger]")
        if not entry.get("files"):
            continue  # it withdraws another one, which stays counted: it was out
        (released, *_), keys, original = entry["files"], entry.get("key_file"), entry.get("original")
        edition: dict[str, Any] = {"released": _find(ledger, entry, released)}
        if keys:
            edition["key_file"] = _find(ledger, entry, keys)
        elif original and entry.get("key"):
            edition |= {"original": _find(ledger, entry, original), "key": entry["key"]}
        else:
            problem = f"entry {entry['n']} has neither a key file nor an original with a key"
            raise SourceError(problem, where=ledger.path.name, hint="nothing says who its rows are of")
        found.append({**edition, **entry.get("roles", {})})
    return [{name: value for name, value in one.items() if value not in (None, [])} for one in found]


def _find(ledger: Ledger, entry: Mapping[str, Any], pinned: Mapping[str, Any]) -> Path:
    path = ledger.path.parent / str(pinned["name"])
    state = "missing" if not path.is_file() else "another one" if compute_digest(path) != pinned["sha256"] else ""
    if state:
        problem = f"entry {entry['n']} of {ledger.path.name} needs this file, and it is {state}"
        raise MissingFileError(problem, where=str(path), hint="put it back; an entry is never left out")
    return path


def is_ledger(path: Path) -> bool:
    """Return True if a file is a ledger, by its ending, or by its first line."""
    if path.suffix == ".jsonl":
        return True
    with suppress(OSError), path.open("rb") as file:
        first = file.readline(2**20)
        return first.startswith(b"{") and b'"previous":"' in first and b'"n":' in first
    return False
