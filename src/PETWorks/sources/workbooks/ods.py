"""Check a sheet of an OpenDocument (.ods) workbook."""

from __future__ import annotations

from collections.abc import Mapping
from xml.parsers.expat import XMLParserType

from PETWorks.sources.workbooks.archive import Archive
from PETWorks.sources.workbooks.checks import Checks

CONTENT = "content.xml"
OASIS = "urn:oasis:names:tc:opendocument:xmlns"
TABLE, OFFICE = f"{OASIS}:table:1.0 ", f"{OASIS}:office:1.0 "
KIND = OFFICE + "value-type"
SHOWN_KIND = "urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0 value-type"  # LibreOffice's own

Attributes = Mapping[str, str]


def check_ods(archive: Archive, sheet: str) -> Checks:
    """Find the cells of a sheet without a value of their own, and its used area."""
    scan = _Scan(sheet)
    start = {"table": scan.table, "table-row": scan.row, "table-cell": scan.cell, "covered-table-cell": scan.covered}
    archive.parse(CONTENT, {TABLE + element: call for element, call in start.items()}, {TABLE + "table": scan.end})
    return scan.checks


class _Scan:
    def __init__(self, sheet: str) -> None:
        self.checks = Checks()
        self._sheet = sheet
        self._reading = False
        self._row, self._rows, self._column = 0, 0, 0  # the row, how often it is repeated, and the next column

    def table(self, told: Attributes, _: XMLParserType) -> None:
        self._reading = told.get(TABLE + "name") == self._sheet

    def end(self, _: XMLParserType) -> None:
        self._reading = False

    def row(self, told: Attributes, _: XMLParserType) -> None:
        self._row += self._rows
        self._rows = int(told.get(TABLE + "number-rows-repeated", "1")) if self._reading else 0
        self._column = 0

    def covered(self, told: Attributes, _: XMLParserType) -> None:
        self._column += int(told.get(TABLE + "number-columns-repeated", "1"))

    def cell(self, told: Attributes, _: XMLParserType) -> None:
        if not self._reading:
            return
        columns = int(told.get(TABLE + "number-columns-repeated", "1"))
        across, down = (int(told.get(f"{TABLE}number-{way}-spanned", "1")) for way in ("columns", "rows"))
        kind, formula = told.get(KIND), TABLE + "formula" in told
        if across > 1 or down > 1:
            end = self._row + down - 1, self._column + across - 1
            self.checks.add("merged", self._row, self._column, end)
        if told.get(SHOWN_KIND) == "error":
            self.checks.add("error", self._row, self._column)
        elif formula and kind is None:
            self.checks.add("formula", self._row, self._column)
        if kind is not None or formula:
            self.checks.use(self._row, self._column, self._rows, columns)
        self._column += columns
