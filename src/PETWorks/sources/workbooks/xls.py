"""Check a sheet of an old Excel workbook (.xls): a stream of records within a compound file.

Merged cells are told by calamine. A formula whose value was not saved looks like one with an empty text, so it is read
as a blank cell.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

from PETWorks.errors import SourceError
from PETWorks.sources.workbooks.checks import Checks

END_OF_CHAIN = 0xFFFFFFFA  # numbers of sectors are less
ENTRY = 128  # bytes of an entry of the directory
STREAMS = ("Workbook", "Book")
BEGINNING, END, SHEET, BOOLEAN_OR_ERROR = 0x0809, 0x000A, 0x0085, 0x0205
FORMULAS = (0x0006, 0x0206, 0x0406)
SPECIAL = b"\xff\xff"  # the end of a formula's value that is no number
ERROR = 2  # the kind of a formula's value
DAMAGED = "open it in Excel or LibreOffice, and save it again; or save it as CSV"


def check_xls(path: Path, number: int, name: str) -> Checks:
    """Find the error cells of a sheet, given by its number."""
    checks = Checks()
    try:
        stream = _workbook(path.read_bytes())
        starts = [struct.unpack_from("<I", data)[0] for kind, data in _records(stream, 0) if kind == SHEET]
        for kind, data in _records(stream, starts[number]):
            of_formula = kind in FORMULAS and data[12:14] == SPECIAL and data[6] == ERROR
            if of_formula or (kind == BOOLEAN_OR_ERROR and data[7]):
                checks.add("error", *struct.unpack_from("<HH", data))
    except (struct.error, IndexError, ValueError, OSError) as error:
        raise SourceError("not readable as an Excel workbook: it is damaged", where=name, hint=DAMAGED) from error
    return checks


def _records(stream: bytes, start: int) -> Iterator[tuple[int, bytes]]:
    """Yield the kind and the content of the records of a part of the stream, without the parts within it (charts)."""
    depth = 0
    while start + 4 <= len(stream):
        kind, length = struct.unpack_from("<HH", stream, start)
        depth += (kind == BEGINNING) - (kind == END)
        if depth == 1:
            yield kind, stream[start + 4 : start + 4 + length]
        start += 4 + length
        if depth <= 0:
            return


def _workbook(content: bytes) -> bytes:
    """Return the stream of the workbook."""
    size, small_size = 1 << content[30], 1 << content[32]
    directory, cutoff, small_table, further = (struct.unpack_from("<I", content, at)[0] for at in (48, 56, 60, 68))

    def sector(number: int) -> bytes:
        return content[(number + 1) * size : (number + 2) * size]

    lists = list(struct.unpack_from("<109I", content, 76))
    for _ in range(len(content) // size):
        if further >= END_OF_CHAIN:
            break
        *more, further = struct.unpack(f"<{size // 4}I", sector(further))
        lists += more
    table = _numbers(b"".join(sector(number) for number in lists if number < END_OF_CHAIN))

    def chain(number: int) -> bytes:
        return b"".join(sector(one) for one in _chain(table, number))

    entries = chain(directory)
    found = {}
    for at in range(0, len(entries) - ENTRY + 1, ENTRY):
        length = max(0, struct.unpack_from("<H", entries, at + 64)[0] - 2)
        found[entries[at : at + length].decode("utf-16-le")] = struct.unpack_from("<II", entries, at + 116)
    first, length = next(found[name] for name in STREAMS if name in found)
    if length >= cutoff:
        return chain(first)[:length]
    small = chain(found["Root Entry"][0])
    places = _chain(_numbers(chain(small_table)), first)
    return b"".join(small[one * small_size : (one + 1) * small_size] for one in places)[:length]


def _numbers(content: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<{len(content) // 4}I", content[: len(content) // 4 * 4])


def _chain(table: tuple[int, ...], number: int) -> Iterator[int]:
    """Yield the sectors of a chain, of which there are no more than the table has."""
    for _ in table:
        if number >= END_OF_CHAIN:
            return
        yield number
        number = table[number]
