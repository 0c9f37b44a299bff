"""Turn the bytes of a file into UTF-8 text, and copy tables that arrive through a pipe.

Decoding decompresses gzip, detects the encoding unless the caller names it, and rejects NUL bytes. Nearly all bytes of
other encodings are characters of CP950, too, so a file is CP950 only if its text reads like Chinese.

A table is read twice: first its header, then its rows. A pipe can be read only once, as in
``cat table.csv | petworks evaluate /dev/stdin`` or ``<(zcat table.csv.gz)``, so it is copied to a temporary file first.
"""

from __future__ import annotations

import codecs
import gzip
import hashlib
import os
import shutil
import stat
import tempfile
import time
import zlib
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import IO, Any, BinaryIO

import numpy as np

from PETWorks.errors import EncodingError, MalformedError, MissingFileError, ParameterError, SourceError, did_you_mean
from PETWorks.progress import report_share
from PETWorks.tables.source import ReadAgainError

BLOCK = 2**23  # bytes read at a time
GZIP = b"\x1f\x8b"
ENCODING_HINT = "save it as UTF-8, or pass the encoding that it was saved in with encoding="
OTHER_ENCODING_HINT = f'{ENCODING_HINT}, for example encoding="cp1252" for Western European text'
UTF_16_HINT = 'if it is a UTF-16 file, pass encoding="utf-16"'
FALLBACK = "cp950"  # the variant of Big5 that Windows uses in Taiwan
FREQUENT = (0xA1, 0xC6)  # the lead bytes of its frequent characters and signs


class TextFile:
    """A text file. It is read as UTF-8; if some bytes are not UTF-8, the whole file is read as CP950.

    All of it must then read like Chinese, which is judged while it is read.
    """

    def __init__(self, path: Path, encoding: str | None = None, name: str = "", *, hashed: bool = False) -> None:
        self.path = path
        self.hashed = hashed  # True: compute the digest whenever the whole file is read
        self.digest: str | None = None  # SHA-256 of the file, if it is known
        self.name = name or path.name
        self.encoding = _normalise_encoding(encoding) if encoding else "utf-8"
        self._may_change = encoding is None
        self._given = encoding is not None
        self._first_line = 1  # the line of the first byte that is not UTF-8
        self._reads_chinese = False  # True: the whole file was read as CP950, and reads like Chinese

    @property
    def small(self) -> bool:
        """True if the whole file is read as one block."""
        try:
            return self.path.stat().st_size <= BLOCK
        except OSError:  # the file is gone; reading it will raise the error
            return False

    def settle(self) -> None:
        """Fix the encoding: characters other than ASCII were already read in it."""
        self._may_change = False

    def blocks(self, size: int | None = None) -> Iterator[bytes]:
        """Yield the text as UTF-8 without byte-order mark; raise ReadAgainError when the encoding changes."""
        decoder = codecs.getincrementaldecoder(self.encoding)()
        judge = _ChineseJudge() if self._is_guessed and not self._reads_chinese else None
        start = 0
        for number, (block, last) in enumerate(self._read_raw(size)):
            if not number and block.startswith(codecs.BOM_UTF8):
                self.settle()  # the byte-order mark says that the text is UTF-8
            try:
                if self.encoding == "utf-8" and block.isascii() and not decoder.getstate()[0]:
                    out = block
                else:
                    before = decoder.getstate()[0]
                    text = decoder.decode(block, last)
                    if judge:
                        judge.count(text, before + block)
                    out = block if self.encoding == "utf-8" else text.encode()
            except UnicodeError as error:
                if not isinstance(error, UnicodeDecodeError):  # for example UTF-16 without byte-order mark
                    problem = f"not {self.encoding.upper()}: {error}"
                    raise EncodingError(problem, where=f"{self.name}, line 1", hint=ENCODING_HINT) from error
                self._change_encoding(self.line_at(start) + error.object[: error.start].count(b"\n"), error)
            if not number:
                out = out.removeprefix(codecs.BOM_UTF8)
            if (nul := out.find(b"\0")) >= 0:
                line = self.line_at(start) + out.count(b"\n", 0, nul)
                raise MalformedError(
                    "the line contains a NUL byte", where=f"{self.name}, line {line}", hint=UTF_16_HINT, figures={}
                )
            start += len(out)
            if judge and last:
                self._require_chinese(judge)
            yield out

    @property
    def _is_guessed(self) -> bool:
        return self.encoding == FALLBACK and not self._given

    def require_plausible(self) -> None:
        """Raise an error if the file is read as CP950 by guess and does not read like Chinese. This reads all of it.

        For readers that stop before the end, such as those of headers, and before another error is raised.
        """
        if self._is_guessed and not self._reads_chinese:
            for _ in self.blocks():
                pass

    def _require_chinese(self, judge: _ChineseJudge) -> None:
        if not judge.is_plausible:
            problem = "the text is not UTF-8, and read as CP950 (Big5) it would not be Chinese"
            raise EncodingError(problem, where=f"{self.name}, line {self._first_line}", hint=OTHER_ENCODING_HINT)
        self._reads_chinese = True

    def line_at(self, start: int) -> int:
        """Return the number of the line at an offset in the UTF-8 text, for errors. This reads the file again."""
        lines = 1
        for block in self.blocks() if start else ():
            lines += block.count(b"\n", 0, start)
            start -= len(block)
            if start <= 0:
                break
        return lines

    def _read_raw(self, size: int | None) -> Iterator[tuple[bytes, bool]]:
        """Yield the file's bytes in blocks of `size`, each with True if it is the last."""
        try:
            with self.path.open("rb") as peek:
                zipped = peek.read(2) == GZIP
            length = self.path.stat().st_size
            size = min(size or BLOCK, BLOCK)
            with self.path.open("rb") as opened:
                raw: Any = _Hashed(opened) if self.hashed and self.digest is None else opened
                with gzip.open(raw) if zipped else nullcontext(raw) as file:
                    block = file.read(size)
                    while block:
                        ahead = file.read(size)
                        yield block, not ahead
                        report_share(opened.tell() / (length or 1))
                        block = ahead
                    if isinstance(raw, _Hashed):
                        self.digest = raw.sha256.hexdigest()
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            hint = "download or compress the file again"
            raise SourceError(f"the gzip file is damaged: {error}", where=self.name, hint=hint) from error
        except OSError as error:
            raise build_unreadable_error(error, self.name) from error

    def _change_encoding(self, line: int, error: UnicodeDecodeError) -> None:
        if self._may_change and self.encoding == "utf-8":
            self.encoding, self._first_line = FALLBACK, line
            raise ReadAgainError from error
        tried = "neither UTF-8 nor CP950 (Big5)" if self._is_guessed else f"not {self.encoding.upper()}"
        byte = f"byte 0x{error.object[error.start]:02x}" if error.object else "the end of the file"
        problem = f"{byte} is {tried}"
        where = f"{self.name}, line {line}"
        marked = error.object.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        raise EncodingError(problem, where=where, hint=UTF_16_HINT if marked else ENCODING_HINT) from error


class _ChineseJudge:
    """Counts the characters that distinguish Chinese text in CP950 from other text whose bytes happen to decode.

    Chinese text has frequent characters, few of them directly after an ASCII letter. "København" read as CP950 has a
    rare character within a word.
    """

    def __init__(self) -> None:
        self.wide = self.frequent = self.behind_letter = 0
        self._last = ""

    def count(self, text: str, encoded: bytes) -> None:
        """Count the two-byte characters of a text, and how many are frequent or follow an ASCII letter."""
        points = np.frombuffer((self._last + text).encode("utf-32-le"), dtype=np.uint32)
        letter = ((points | 0x20) >= ord("a")) & ((points | 0x20) <= ord("z"))
        wide = points > 0x7F  # noqa: PLR2004 (the last character of ASCII)
        self.behind_letter += int((wide[1:] & letter[:-1]).sum())
        wide = wide[len(self._last) :]
        self._last = text[-1:] or self._last
        starts = np.cumsum(wide + 1) - wide - 1
        leads = np.frombuffer(encoded, dtype=np.uint8)[starts[wide]]
        self.wide += len(leads)
        self.frequent += int(((leads >= FREQUENT[0]) & (leads <= FREQUENT[1])).sum())

    @property
    def is_plausible(self) -> bool:
        """True if 80% of the two-byte characters are frequent ones, and at most 20% are behind an ASCII letter."""
        return 5 * self.frequent >= 4 * self.wide and 5 * self.behind_letter <= self.wide


class _Hashed:
    """A file that is read from start to end while its SHA-256 is computed. Large blocks are hashed without the GIL."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.sha256 = hashlib.sha256()

    def read(self, size: int) -> bytes:
        """Read a block, and hash it."""
        block = self._file.read(size)
        self.sha256.update(block)
        return block


def build_unreadable_error(error: OSError, name: str) -> SourceError:
    """Build the error for a file that the operating system cannot read."""
    hint = "check that it is a file and that you have permission to read it"
    return SourceError(f"the file cannot be read: {error.strerror or error}", where=name, hint=hint)


def build_missing_file_error(path: Path, where: str, suffix: str = "") -> MissingFileError:
    """Build the error for a path without a file. It suggests a similar name with this suffix in the same folder."""
    with suppress(OSError, ValueError):  # a name that is too long, or contains a NUL character
        if path.is_symlink():
            hint = f"it leads to {path.readlink()}, where nothing is"
            return MissingFileError("this is a link to a file that does not exist", where=where, hint=hint)
    if str(path) == "-":
        return MissingFileError("there is no such file", where=where, hint="name /dev/stdin to read from a pipe")
    near = list[str]()
    with suppress(OSError, ValueError):
        near = [other.name for other in path.parent.iterdir() if other.name.endswith(suffix)]
    return MissingFileError("there is no such file", where=where, hint=did_you_mean(path.name, near))


def _normalise_encoding(encoding: str) -> str:
    try:
        "".encode(encoding)  # raises for codecs that do not encode text, such as base64
        codecs.getincrementaldecoder(encoding)
        return codecs.lookup(encoding).name
    except (LookupError, ValueError) as error:  # ValueError: the name contains a NUL character
        known = ["utf-8", "cp950", "big5", "big5hkscs", "gb18030", "cp1252", "shift_jis", "utf-16"]
        raise ParameterError(f'there is no encoding "{encoding}"', hint=did_you_mean(encoding, known)) from error


PIPE_TIMEOUT = 10.0  # seconds to wait for a program that writes to the pipe
POLL_INTERVAL = 0.05  # seconds between two attempts to read the pipe
OWN_FILES = Path("/proc/self/fd")  # Linux: by these paths, a file without a name can be opened again


def is_pipe(path: Path) -> bool:
    """Return True for a pipe, a terminal or another device: it can be read only once."""
    with suppress(OSError, ValueError):
        mode = path.stat().st_mode
        return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)
    return False


def copy_pipe(path: Path) -> tuple[IO[bytes], Path]:
    """Copy a pipe to a temporary file. Return the file, which must stay open, and a path by which it can be read."""
    try:
        pipe = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        raise build_unreadable_error(error, str(path)) from error
    with open(pipe, "rb", buffering=0) as arriving:  # noqa: PTH123 (a handle, not a path)
        first = _read_first_bytes(pipe, path)
        if first and stat.S_ISCHR(os.fstat(pipe).st_mode) and not os.isatty(pipe):
            raise SourceError(
                "this is a device, and has no end", where=str(path), hint="name a file, or a pipe", figures={}
            )
        os.set_blocking(pipe, True)
        try:
            copy = tempfile.TemporaryFile() if OWN_FILES.exists() else tempfile.NamedTemporaryFile()  # noqa: SIM115
            copy.write(first)
            shutil.copyfileobj(arriving, copy)
            copy.flush()
        except OSError as error:
            problem = f"the input of the pipe cannot be copied to {tempfile.gettempdir()}: {error.strerror or error}"
            hint = "free space on that disk, or set TMPDIR to another folder"
            raise SourceError(problem, where=str(path), hint=hint) from error
    return copy, OWN_FILES / str(copy.fileno()) if OWN_FILES.exists() else Path(copy.name)


def _read_first_bytes(pipe: int, path: Path) -> bytes:
    """Return the first bytes; raise an error if no program writes to the pipe within PIPE_TIMEOUT seconds."""
    begun = time.monotonic()
    while True:
        try:
            if (found := os.read(pipe, 2**16)) or not stat.S_ISFIFO(os.fstat(pipe).st_mode):
                return found
        except BlockingIOError:  # a program has opened the pipe, and writes nothing yet: wait for it without limit
            return b""
        if time.monotonic() - begun > PIPE_TIMEOUT:
            problem = f"no program wrote anything to this pipe within {PIPE_TIMEOUT:.0f} seconds"
            raise SourceError(problem, where=str(path), hint="start the program that writes to it")
        time.sleep(POLL_INTERVAL)
