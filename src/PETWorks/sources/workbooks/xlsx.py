"""Check a sheet of an .xlsx workbook."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from string import digits
from xml.parsers.expat import XMLParserType

from PETWorks.sources.workbooks.archive import Archive
from PETWorks.sources.workbooks.checks import Checks, place_of

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

Attributes = Mapping[str, str]


def check_xlsx(archive: Archive, sheet: str) -> Checks:
    """Find the cells of a sheet without a value of their own, and its used area."""
    scan = _Scan(archive)
    start = {"row": scan.row, "c": scan.cell, "f": scan.formula, "v": scan.value, "is": scan.value}
    archive.parse(
        _file_of(archive, sheet),
        {space + element: call for space in MAIN for element, call in start.items()},
        {space + "c": scan.end for space in MAIN},
    )
    return scan.checks


def _file_of(archive: Archive, sheet: str) -> str:
    """Return the name of the file that a sheet is in."""
    ids: dict[str, str] = {}
    targets: dict[str, str] = {}

    def named(told: Attributes, _: XMLParserType) -> None:
        ids[told.get("name", "")] = next((told[key] for key in IDS if key in told), "")

    def related(told: Attributes, _: XMLParserType) -> None:
        targets[told.get("Id", "")] = told.get("Target", "")

    archive.parse(WORKBOOK, {space + "sheet": named for space in MAIN})
    archive.parse(RELATIONS, {RELATION: related})
    file = posixpath.normpath(posixpath.join("/xl", targets.get(ids.get(sheet, ""), ""))).lstrip("/")
    if file not in archive.members:
        raise archive.damaged(f'there is no file of the sheet "{sheet:.40}"')
    return file


class _Scan:
    """The cell that is being read, and what was found so far."""

    def __init__(self, archive: Archive) -> None:
        self.checks = Checks()
        self._archive = archive
        self._row, self._column = -1, -1
        self._columns: dict[str, int] = {}  # by their letters
        self._kind = ""
        self._has_formula = self._has_value = False

    def row(self, told: Attributes, _: XMLParserType) -> None:
        number = told.get("r", "")
        self._row = int(number) - 1 if number else self._row + 1
        self._column = -1

    def cell(self, told: Attributes, _: XMLParserType) -> None:
        if name := told.get("r"):
            letters = name.rstrip(digits)
            if (column := self._columns.get(letters)) is None:
                if (place := place_of(name)) is None:
                    raise self._archive.damaged(f'a cell is called "{name:.20}"')
                column = self._columns[letters] = place[1]
            self._row, self._column = int(name[len(letters) :]) - 1, column
        else:
            self._column += 1
        self._kind = told.get("t", "n")
        self._has_formula = self._has_value = False

    def formula(self, _: Attributes, __: XMLParserType) -> None:
        self._has_formula = True
        if self._kind == "str":  # the value may be an empty text
            self._has_value = True

    def value(self, _: Attributes, parser: XMLParserType) -> None:
        if self._has_formula:
            parser.CharacterDataHandler = self._text
        else:
            self._has_value = True

    def _text(self, _: str) -> None:
        self._has_value = True

    def end(self, parser: XMLParserType) -> None:
        parser.CharacterDataHandler = None
        if self._kind == "e":
            self.checks.add("error", self._row, self._column)
        elif self._has_formula and not self._has_value:
            self.checks.add("formula", self._row, self._column)
        if self._has_value or self._has_formula:
            self.checks.use(self._row, self._column)
