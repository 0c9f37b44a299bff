"""A strict parser of delimited text (RFC 4180). It is slow, but its errors name the line."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from PETWorks.errors import CellText, MalformedError, ParameterError

DELIMITERS = ";,\t|"
LINE_LIMIT = 2**23  # longest record, in bytes
QUOTE_HINT = 'write a quote inside quotes as ""'  # the hint of several errors


class DelimitedRow(NamedTuple):
    """A record: the number of its first line, its cells, and its text with the line end."""

    line: int
    cells: list[str]
    text: str = ""

    def split_raw(self, delimiter: str) -> list[str]:
        """Return the cells as written in the text, with blanks and quotes."""
        mark = re.escape(delimiter)
        raw = re.findall(rf'(?:^|{mark})( *"(?:[^"]|"")*"|[^{mark}]*)', self.text.rstrip("\r\n"))
        return raw if len(raw) == len(self.cells) else [quote_cell(cell, delimiter) for cell in self.cells]


def quote_cell(cell: str, marks: str) -> str:
    """Return the cell in quotes if it contains a quote, a line end, or one of the marks.

    >>> quote_cell("a;b", ";"), quote_cell("a,b", ";")
    ('"a;b"', 'a,b')
    """
    if not any(mark in cell for mark in (*marks, '"', "\r", "\n")):
        return cell
    doubled = cell.replace('"', '""')
    return f'"{doubled}"'


def find_delimiter(line: str) -> str:
    """Return the delimiter that is most frequent outside quotes; of equally frequent ones, the first of ``; , tab |``.

    >>> find_delimiter('"a,b,c";d')
    ';'
    """
    outside = "".join(line.split('"')[::2])
    return max(DELIMITERS, key=outside.count)


def read_header(text: str, delimiter: str | None, name: str) -> tuple[str, DelimitedRow]:
    """Return the delimiter, detected if the caller passes none, and the first record."""
    where = f"{name}, line 1"
    if delimiter is not None and (len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\0'):
        problem = f"the delimiter must be one ASCII character, not {delimiter!r}"
        raise ParameterError(problem, hint='pass for example delimiter=";"')
    if text.count('"') % 2:
        raise MalformedError("a quote is opened and never closed", where=where, hint=QUOTE_HINT, figures={})
    line = text.removesuffix("\n").removesuffix("\r")
    found_delimiter = find_delimiter(line)
    if delimiter and delimiter not in line and len(line.split(found_delimiter)) > 2:  # noqa: PLR2004 (three columns)
        problem = f"no cell ends with the delimiter {delimiter!r}: the whole line would be the name of one column"
        raise MalformedError(problem, where=where, hint=f'leave it out, or pass delimiter="{found_delimiter}"')
    delimiter = delimiter or found_delimiter
    quoted = rf'(?:^|(?<={re.escape(delimiter)})) *"(?:[^"]|"")*"(?={re.escape(delimiter)}|$)'
    if '"' in re.sub(quoted, "", line):
        raise MalformedError("there is a quote inside the name of a column", where=where, hint=QUOTE_HINT, figures={})
    found = next(read_records(io.StringIO(line, newline="\n"), delimiter, name), DelimitedRow(1, []))
    return delimiter, DelimitedRow(1, found.cells or [""], text)


def build_too_long_error(where: str) -> MalformedError:
    """Build the error for a line that is too long."""
    problem = f"the line is longer than {LINE_LIMIT >> 20} MiB"
    return MalformedError(problem, where=where, hint="check that the file is a table and that every quote is closed")


def read_records(lines: Iterable[str], delimiter: str, name: str, first_line: int = 1) -> Iterator[DelimitedRow]:
    """Yield the records. A blank line is a record without cells.

    Blanks before an opening quote are ignored. The cells are not trimmed.
    """
    csv.field_size_limit(max(csv.field_size_limit(), LINE_LIMIT))
    taken: list[str] = []

    def remember_lines() -> Iterator[str]:
        for line in lines:
            taken.append(line)
            yield line

    reader = csv.reader(remember_lines(), delimiter=delimiter, skipinitialspace=True, strict=True)
    line = first_line
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise _explain_error(error, f"{name}, line {line}") from error
        blank = len(cells) <= 1 and not taken[-1].strip()
        yield DelimitedRow(line, [] if blank else cells, "".join(taken))
        taken.clear()
        line = first_line + reader.line_num


def _explain_error(error: csv.Error, where: str) -> MalformedError:
    if "unexpected end of data" in str(error):
        return MalformedError(
            "a quote is opened and never closed", where=where, hint='write a quote inside quotes as ""', figures={}
        )
    if "expected after" in str(error):
        problem = "there is text after the closing quote of a cell"
        return MalformedError(problem, where=where, hint=QUOTE_HINT)
    if "new-line character" in str(error):
        problem = "the line contains a carriage return (CR) without line feed (LF)"
        return MalformedError(problem, where=where, hint="end lines with LF or CRLF")
    if "field limit" in str(error):
        problem = f"a cell is longer than {LINE_LIMIT >> 20} MiB"
        return MalformedError(problem, where=where, hint="check that every quote is closed")
    hint, figures = "write it as RFC 4180 describes", {"reason": CellText(str(error))}
    return MalformedError("the line cannot be read: {reason}", where=where, hint=hint, figures=figures)
