"""Check a sheet of a workbook before its cells are read: its size, and cells that have no value of their own.

`.xlsx` and `.ods` workbooks are zip archives of XML files; their real sizes are checked, not those that they state. An
`.xls` workbook is a stream of records within a compound file. There, calamine reports merged cells. A formula whose
value was not saved looks like one with an empty text, so it is read as a blank cell.

>>> write_cell_name(6, 1), write_cell_name(0, 26), write_cell_name(0, 701)
('B7', 'AA1', 'ZZ1')
>>> parse_cell_name("B7"), parse_cell_name("$ZZ$1")
((6, 1), (0, 701))
"""

from __future__ import annotations

import posixpath
import re
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from string import digits
from xml.parsers import expat
from xml.parsers.expat import XMLParserType
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from PETWorks.errors import CellText, MalformedError, SourceError

MAX_CELLS = 50_000_000  # of the used area; it is held in memory, at about 60 bytes a cell while it is read
MAX_LISTED_CELLS = 5  # most cells that an error names
ALPHABET = 26

Place = tuple[int, int]  # row and column, counted from 0
PROBLEMS = {
    "error": ("an error value such as #N/A", "correct the formula, or clear the cell if the value is missing"),
    "formula": ("a formula whose value was not saved", "open the workbook in Excel or LibreOffice, and save it"),
    "merged": ("merged cells", "unmerge them, and fill in every cell"),
}


def write_cell_name(row: int, column: int) -> str:
    """Return the name of a cell, as Excel shows it."""
    letters, rest = "", column + 1
    while rest:
        rest, letter = divmod(rest - 1, ALPHABET)
        letters = chr(ord("A") + letter) + letters
    return f"{letters}{row + 1}"


def parse_cell_name(name: str) -> Place | None:
    """Return the row and column of a cell by its name; None if the text is not the name of a cell."""
    if not (parts := re.fullmatch(r"\$?([A-Za-z]{1,3})\$?([0-9]{1,7})", name)):
        return None
    column = 0
    for letter in parts[1].upper():
        column = column * ALPHABET + ord(letter) - ord("A") + 1
    return int(parts[2]) - 1, column - 1


@dataclass
class SheetChecks:
    """The cells of a sheet that have no value of their own, and the corners of its used area."""

    found: dict[str, list[str]] = field(default_factory=dict)  # by kind of problem, the first cells
    counts: dict[str, int] = field(default_factory=dict)
    first: Place | None = None
    last: Place = (0, 0)

    def extend_area(self, row: int, column: int, rows: int = 1, columns: int = 1) -> None:
        """Extend the used area by some cells."""
        if rows == columns == 1 and self.first and self.first[1] <= column <= self.last[1] and row == self.last[0]:
            return  # the next cell of a row, in most cases
        top, left = self.first or (row, column)
        self.first = min(top, row), min(left, column)
        self.last = max(self.last[0], row + rows - 1), max(self.last[1], column + columns - 1)

    def add(self, kind: str, row: int, column: int, end: Place | None = None) -> None:
        """Add a cell, or an area, that has a problem."""
        self.counts[kind] = self.counts.get(kind, 0) + 1
        if len(listed := self.found.setdefault(kind, [])) < MAX_LISTED_CELLS:
            listed.append(write_cell_name(row, column) + (f":{write_cell_name(*end)}" if end else ""))

    def add_merged(self, ranges: Sequence[tuple[Place, Place]]) -> None:
        """Add the merged areas that lie within the used area."""
        for (top, left), end in ranges:
            if self.first and top <= self.last[0] and left <= self.last[1]:
                self.add("merged", top, left, end)

    def require_size(self, where: str) -> None:
        """Raise an error if the used area is too large to be read."""
        if self.first is None:
            return
        cells = (self.last[0] - self.first[0] + 1) * (self.last[1] - self.first[1] + 1)
        if cells > MAX_CELLS:
            problem = "the sheet has {cells:,} cells, from {first} to {last}"
            figures = {"cells": cells, "first": write_cell_name(*self.first), "last": write_cell_name(*self.last)}
            hint = f"at most {MAX_CELLS:,} are read; delete what is outside the table, or save it as CSV or Parquet"
            raise SourceError(problem, where=where, hint=hint, figures=figures)

    def require_values(self, where: str) -> None:
        """Raise an error if a cell has no value of its own."""
        for kind, listed in self.found.items():
            what, hint = PROBLEMS[kind]
            more = f" and {self.counts[kind] - len(listed):,} more" if self.counts[kind] > len(listed) else ""
            figures = {"what": what, "cells": CellText(f"{', '.join(listed)}{more}")}
            raise MalformedError("{what}: {cells}", where=where, hint=hint, figures=figures)


MAX_XML_BYTES = 4 * 2**30  # of all XML of a workbook
FREE_XML_BYTES = 2**27  # of a workbook, however small it is
MAX_RATIO = 150  # of the XML to the archive, beyond that
BLOCK = 2**20  # bytes that are decompressed at a time
LOCAL_HEADER = struct.Struct("<4s22xHH")  # signature, …, lengths of the name and of what is before the data
SAVE_AGAIN_HINT = "open it in Excel or LibreOffice, and save it again; or save it as CSV"
Start = Callable[[Mapping[str, str], expat.XMLParserType], None]  # its attributes, and the parser
End = Callable[[expat.XMLParserType], None]


class Archive:
    """A workbook that is a zip archive."""

    def __init__(self, path: Path, name: str) -> None:
        self.name = name
        self._path = path
        try:
            with ZipFile(path) as archive:
                self.members = {one.filename: one for one in archive.infolist()}
        except (BadZipFile, OSError, ValueError, NotImplementedError, struct.error) as error:
            raise self.build_damaged_error(str(error)) from error

    def build_damaged_error(self, reason: str) -> SourceError:
        """Build the error for a workbook that cannot be read."""
        problem, figures = "not readable as an Excel workbook: {reason}", {"reason": CellText(f"{reason:.120}")}
        return SourceError(problem, where=self.name, hint=SAVE_AGAIN_HINT, figures=figures)

    def require_size(self) -> None:
        """Raise an error if the XML is too large, whatever size the archive states."""
        total, packed = 0, sum(one.compress_size for one in self.members.values())
        for name in self.members:
            if name.endswith((".xml", ".rels")):
                for block in self.blocks(name):
                    total += len(block)
                    if total > max(FREE_XML_BYTES, MAX_RATIO * packed):
                        problem = f"the workbook unpacks to more than {MAX_RATIO} times its size"
                        hint = "no table that people filled in does; save it as CSV or Parquet if it is one"
                        raise SourceError(problem, where=self.name, hint=hint)
                    if total > MAX_XML_BYTES:
                        problem = f"the workbook holds more than {MAX_XML_BYTES >> 30} GiB of XML"
                        raise SourceError(problem, where=self.name, hint="save the table as CSV or Parquet")

    def blocks(self, name: str) -> Iterator[bytes]:
        """Yield a file of the archive in pieces; raise an error if it is longer than the archive states."""
        try:
            length = 0
            for block in self._inflate(self.members[name]):
                length += len(block)
                if length > self.members[name].file_size:
                    raise self.build_damaged_error(f"{name} is longer than the archive says")
                yield block
        except (zlib.error, OSError, struct.error, KeyError) as error:
            raise self.build_damaged_error(f"{name} cannot be decompressed") from error

    def _inflate(self, member: ZipInfo) -> Iterator[bytes]:
        if member.compress_type not in (ZIP_STORED, ZIP_DEFLATED) or member.flag_bits & 1:
            raise self.build_damaged_error(f"{member.filename} is encrypted, or compressed in an unusual way")
        with self._path.open("rb") as file:
            file.seek(member.header_offset)
            _, names, extra = LOCAL_HEADER.unpack(file.read(LOCAL_HEADER.size))
            file.seek(names + extra, 1)
            left, inflater = member.compress_size, zlib.decompressobj(-zlib.MAX_WBITS)
            while left and (block := file.read(min(left, BLOCK))):
                left -= len(block)
                while block and member.compress_type == ZIP_DEFLATED:
                    yield inflater.decompress(block, BLOCK)
                    block = inflater.unconsumed_tail
                yield block

    def parse(self, name: str, start: Mapping[str, Start], end: Mapping[str, End] | None = None) -> None:
        """Parse an XML file, and call the function of each element, by its name with its namespace.

        A document type is refused, because it may define entities without end.
        """
        parser = expat.ParserCreate(namespace_separator=" ")
        closing = end or {}

        def start_element(element: str, attributes: dict[str, str]) -> None:
            if call := start.get(element):
                call(attributes, parser)

        def end_element(element: str) -> None:
            if call := closing.get(element):
                call(parser)

        def refuse_doctype(*_: object) -> None:
            raise self.build_damaged_error(f"{name} has a document type")

        parser.StartElementHandler = start_element
        parser.EndElementHandler = end_element if closing else None
        parser.StartDoctypeDeclHandler = refuse_doctype
        try:
            for block in self.blocks(name):
                parser.Parse(block, False)
            parser.Parse(b"", True)
        except SourceError:
            raise
        except (expat.ExpatError, ValueError) as error:
            raise self.build_damaged_error(f"{name} is not valid XML") from error


CONTENT = "content.xml"
OASIS = "urn:oasis:names:tc:opendocument:xmlns"
TABLE, OFFICE = f"{OASIS}:table:1.0 ", f"{OASIS}:office:1.0 "
KIND = OFFICE + "value-type"
SHOWN_KIND = "urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0 value-type"  # LibreOffice's own

Attributes = Mapping[str, str]


def check_ods(archive: Archive, sheet: str) -> SheetChecks:
    """Find the cells of a sheet without a value of their own, and its used area."""
    scan = _OdsScan(sheet)
    start = {
        "table": scan.start_table,
        "table-row": scan.start_row,
        "table-cell": scan.read_cell,
        "covered-table-cell": scan.skip_covered,
    }
    archive.parse(
        CONTENT, {TABLE + element: call for element, call in start.items()}, {TABLE + "table": scan.end_table}
    )
    return scan.checks


class _OdsScan:
    def __init__(self, sheet: str) -> None:
        self.checks = SheetChecks()
        self._sheet = sheet
        self._reading = False
        self._row, self._rows, self._column = 0, 0, 0  # the row, how often it is repeated, and the next column

    def start_table(self, attributes: Attributes, _: XMLParserType) -> None:
        self._reading = attributes.get(TABLE + "name") == self._sheet

    def end_table(self, _: XMLParserType) -> None:
        self._reading = False

    def start_row(self, attributes: Attributes, _: XMLParserType) -> None:
        self._row += self._rows
        self._rows = int(attributes.get(TABLE + "number-rows-repeated", "1")) if self._reading else 0
        self._column = 0

    def skip_covered(self, attributes: Attributes, _: XMLParserType) -> None:
        self._column += int(attributes.get(TABLE + "number-columns-repeated", "1"))

    def read_cell(self, attributes: Attributes, _: XMLParserType) -> None:
        if not self._reading:
            return
        columns = int(attributes.get(TABLE + "number-columns-repeated", "1"))
        across, down = (int(attributes.get(f"{TABLE}number-{way}-spanned", "1")) for way in ("columns", "rows"))
        kind, formula = attributes.get(KIND), TABLE + "formula" in attributes
        if across > 1 or down > 1:
            end = self._row + down - 1, self._column + across - 1
            self.checks.add("merged", self._row, self._column, end)
        if attributes.get(SHOWN_KIND) == "error":
            self.checks.add("error", self._row, self._column)
        elif formula and kind is None:
            self.checks.add("formula", self._row, self._column)
        if kind is not None or formula:
            self.checks.extend_area(self._row, self._column, self._rows, columns)
        self._column += columns


END_OF_CHAIN = 0xFFFFFFFA  # numbers of sectors are less
ENTRY = 128  # bytes of an entry of the directory
STREAMS = ("Workbook", "Book")
BEGINNING, END, SHEET, BOOLEAN_OR_ERROR = 0x0809, 0x000A, 0x0085, 0x0205
FORMULAS = (0x0006, 0x0206, 0x0406)
SPECIAL = b"\xff\xff"  # the end of a formula's value that is no number
ERROR = 2  # the kind of a formula's value
DAMAGED = "open it in Excel or LibreOffice, and save it again; or save it as CSV"


def check_xls(path: Path, number: int, name: str) -> SheetChecks:
    """Find the error cells of a sheet by its number."""
    checks = SheetChecks()
    try:
        stream = _extract_workbook(path.read_bytes())
        starts = [struct.unpack_from("<I", data)[0] for kind, data in _read_records(stream, 0) if kind == SHEET]
        for kind, data in _read_records(stream, starts[number]):
            of_formula = kind in FORMULAS and data[12:14] == SPECIAL and data[6] == ERROR
            if of_formula or (kind == BOOLEAN_OR_ERROR and data[7]):
                checks.add("error", *struct.unpack_from("<HH", data))
    except (struct.error, IndexError, ValueError, OSError) as error:
        raise SourceError("not readable as an Excel workbook: it is damaged", where=name, hint=DAMAGED) from error
    return checks


def _read_records(stream: bytes, start: int) -> Iterator[tuple[int, bytes]]:
    """Yield the kind and content of each record of a part of the stream, without the parts nested in it (charts)."""
    depth = 0
    while start + 4 <= len(stream):
        kind, length = struct.unpack_from("<HH", stream, start)
        depth += (kind == BEGINNING) - (kind == END)
        if depth == 1:
            yield kind, stream[start + 4 : start + 4 + length]
        start += 4 + length
        if depth <= 0:
            return


def _extract_workbook(content: bytes) -> bytes:
    """Return the stream of the workbook."""
    size, small_size = 1 << content[30], 1 << content[32]
    directory, cutoff, small_table, further = (struct.unpack_from("<I", content, at)[0] for at in (48, 56, 60, 68))

    def read_sector(number: int) -> bytes:
        return content[(number + 1) * size : (number + 2) * size]

    lists = list(struct.unpack_from("<109I", content, 76))
    for _ in range(len(content) // size):
        if further >= END_OF_CHAIN:
            break
        *more, further = struct.unpack(f"<{size // 4}I", read_sector(further))
        lists += more
    table = _unpack_numbers(b"".join(read_sector(number) for number in lists if number < END_OF_CHAIN))

    def read_chain(number: int) -> bytes:
        return b"".join(read_sector(one) for one in _follow_chain(table, number))

    entries = read_chain(directory)
    found = {}
    for at in range(0, len(entries) - ENTRY + 1, ENTRY):
        length = max(0, struct.unpack_from("<H", entries, at + 64)[0] - 2)
        found[entries[at : at + length].decode("utf-16-le")] = struct.unpack_from("<II", entries, at + 116)
    first, length = next(found[name] for name in STREAMS if name in found)
    if length >= cutoff:
        return read_chain(first)[:length]
    small = read_chain(found["Root Entry"][0])
    places = _follow_chain(_unpack_numbers(read_chain(small_table)), first)
    return b"".join(small[one * small_size : (one + 1) * small_size] for one in places)[:length]


def _unpack_numbers(content: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<{len(content) // 4}I", content[: len(content) // 4 * 4])


def _follow_chain(table: tuple[int, ...], number: int) -> Iterator[int]:
    """Yield the sectors of a chain, at most as many as the table has."""
    for _ in table:
        if number >= END_OF_CHAIN:
            return
        yield number
        number = table[number]


WORKBOOK = "xl/workbook.xml"
RELATIONS = "xl/_rels/workbook.xml.rels"
MAIN = (
    "http://schemas.openxmlformats.org/spreadsheetml/2006/main ",
    "http://purl.oclc.org/ooxml/spreadsheetml/main ",  # of "Strict Open XML"
)
IDS = (
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships id",
    "http://purl.oclc.org/ooxml/officeDocument/relationships id",
)
RELATION = "http://schemas.openxmlformats.org/package/2006/relationships Relationship"


def check_xlsx(archive: Archive, sheet: str) -> SheetChecks:
    """Find the cells of a sheet without a value of their own, and its used area."""
    scan = _XlsxScan(archive)
    start = {
        "row": scan.start_row,
        "c": scan.start_cell,
        "f": scan.read_formula,
        "v": scan.read_value,
        "is": scan.read_value,
    }
    archive.parse(
        _find_sheet_file(archive, sheet),
        {space + element: call for space in MAIN for element, call in start.items()},
        {space + "c": scan.end_cell for space in MAIN},
    )
    return scan.checks


def _find_sheet_file(archive: Archive, sheet: str) -> str:
    """Return the name of the file that holds a sheet."""
    ids: dict[str, str] = {}
    targets: dict[str, str] = {}

    def record_id(attributes: Attributes, _: XMLParserType) -> None:
        ids[attributes.get("name", "")] = next((attributes[key] for key in IDS if key in attributes), "")

    def record_target(attributes: Attributes, _: XMLParserType) -> None:
        targets[attributes.get("Id", "")] = attributes.get("Target", "")

    archive.parse(WORKBOOK, {space + "sheet": record_id for space in MAIN})
    archive.parse(RELATIONS, {RELATION: record_target})
    file = posixpath.normpath(posixpath.join("/xl", targets.get(ids.get(sheet, ""), ""))).lstrip("/")
    if file not in archive.members:
        raise archive.build_damaged_error(f'there is no file of the sheet "{sheet:.40}"')
    return file


class _XlsxScan:
    """The cell that is being read, and the findings so far."""

    def __init__(self, archive: Archive) -> None:
        self.checks = SheetChecks()
        self._archive = archive
        self._row, self._column = -1, -1
        self._columns: dict[str, int] = {}  # by their letters
        self._kind = ""
        self._has_formula = self._has_value = False

    def start_row(self, attributes: Attributes, _: XMLParserType) -> None:
        number = attributes.get("r", "")
        self._row = int(number) - 1 if number else self._row + 1
        self._column = -1

    def start_cell(self, attributes: Attributes, _: XMLParserType) -> None:
        if name := attributes.get("r"):
            letters = name.rstrip(digits)
            if (column := self._columns.get(letters)) is None:
                if (place := parse_cell_name(name)) is None:
                    raise self._archive.build_damaged_error(f'a cell is called "{name:.20}"')
                column = self._columns[letters] = place[1]
            self._row, self._column = int(name[len(letters) :]) - 1, column
        else:
            self._column += 1
        self._kind = attributes.get("t", "n")
        self._has_formula = self._has_value = False

    def read_formula(self, _: Attributes, __: XMLParserType) -> None:
        self._has_formula = True
        if self._kind == "str":  # the value may be an empty text
            self._has_value = True

    def read_value(self, _: Attributes, parser: XMLParserType) -> None:
        if self._has_formula:
            parser.CharacterDataHandler = self._find_text
        else:
            self._has_value = True

    def _find_text(self, _: str) -> None:
        self._has_value = True

    def end_cell(self, parser: XMLParserType) -> None:
        parser.CharacterDataHandler = None
        if self._kind == "e":
            self.checks.add("error", self._row, self._column)
        elif self._has_formula and not self._has_value:
            self.checks.add("formula", self._row, self._column)
        if self._has_value or self._has_formula:
            self.checks.extend_area(self._row, self._column)
