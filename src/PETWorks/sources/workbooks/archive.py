"""The XML files within a workbook, which is a zip archive. How large they are is checked, not believed."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from xml.parsers import expat
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from PETWorks.errors import SourceError

MOST_BYTES = 4 * 2**30  # of all XML of a workbook
BLOCK = 2**20  # bytes that are decompressed at a time
LOCAL_HEADER = struct.Struct("<4s22xHH")  # signature, …, lengths of the name and of what is before the data
AGAIN = "open it in Excel or LibreOffice, and save it again; or save it as CSV"
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
            raise self.damaged(str(error)) from error

    def damaged(self, reason: str) -> SourceError:
        """Return the error for a workbook that cannot be read."""
        return SourceError(f"not readable as an Excel workbook: {reason:.120}", where=self.name, hint=AGAIN)

    def require_size(self) -> None:
        """Raise an error if the XML is too large, whatever the archive says of its size."""
        total = 0
        for name in self.members:
            if name.endswith((".xml", ".rels")):
                for block in self.blocks(name):
                    total += len(block)
                    if total > MOST_BYTES:
                        problem = f"the workbook holds more than {MOST_BYTES >> 30} GiB of XML"
                        raise SourceError(problem, where=self.name, hint="save the table as CSV or Parquet")

    def blocks(self, name: str) -> Iterator[bytes]:
        """Yield a file of the archive in pieces; raise an error if it is not as long as the archive says."""
        try:
            length = 0
            for block in self._inflated(self.members[name]):
                length += len(block)
                if length > self.members[name].file_size:
                    raise self.damaged(f"{name} is longer than the archive says")
                yield block
        except (zlib.error, OSError, struct.error, KeyError) as error:
            raise self.damaged(f"{name} cannot be decompressed") from error

    def _inflated(self, member: ZipInfo) -> Iterator[bytes]:
        if member.compress_type not in (ZIP_STORED, ZIP_DEFLATED) or member.flag_bits & 1:
            raise self.damaged(f"{member.filename} is encrypted, or compressed in an unusual way")
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
        """Parse an XML file, and call the functions of its elements, which are named by their namespaces too.

        A document type is refused: it may define entities without end.
        """
        parser = expat.ParserCreate(namespace_separator=" ")
        closing = end or {}

        def started(element: str, attributes: dict[str, str]) -> None:
            if call := start.get(element):
                call(attributes, parser)

        def ended(element: str) -> None:
            if call := closing.get(element):
                call(parser)

        def refused(*_: object) -> None:
            raise self.damaged(f"{name} has a document type")

        parser.StartElementHandler = started
        parser.EndElementHandler = ended if closing else None
        parser.StartDoctypeDeclHandler = refused
        try:
            for block in self.blocks(name):
                parser.Parse(block, False)
            parser.Parse(b"", True)
        except SourceError:
            raise
        except (expat.ExpatError, ValueError) as error:
            raise self.damaged(f"{name} is not valid XML") from error
