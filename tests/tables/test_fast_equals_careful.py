"""Delimited text is read as RFC 4180 describes, wherever slabs end and whichever of the two parsers reads it.

Both are compared with a third parser, below: simple, slow, written from the RFC alone.
"""

import re
from collections.abc import Iterator
from unittest.mock import patch

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from PETWorks.errors import MalformedError
from PETWorks.tables import decoding
from PETWorks.tables.formats import delimited
from PETWorks.tables.formats.delimited import DelimitedSource

SLOW = settings(max_examples=250, deadline=None, database=None)
HEADERS = {1: "a\n", 2: "a{0}b\n", 3: 'a{0}"b{0}\nb"{0}c\n'}  # the last one takes two lines


class RefusedError(Exception):
    """The text breaks a rule in the record that starts on this line."""


def cell_at(text: str, start: int, delimiter: str, line: int) -> tuple[str, int]:
    """Return a cell, and where it ends."""
    while text.startswith(" ", start):
        start += 1
    if not text.startswith('"', start):
        end = re.compile(f"[{re.escape(delimiter)}\r\n]|$(?!\n)").search(text, start).start()
        return text[start:end], end
    closed = re.compile('"((?:[^"]|"")*)"').match(text, start)
    if closed is None:
        raise RefusedError(line)
    return closed[1].replace('""', '"'), closed.end()


def reference_records(text: str, delimiter: str, line: int) -> Iterator[tuple[int, list[str]]]:
    """Yield the records with the lines they start on; a blank line has no cells."""
    place, line_end = 0, re.compile("\r*\n|\r*$(?!\n)")
    while place < len(text):
        start, cells = place, []
        while True:
            cell, place = cell_at(text, place, delimiter, line)
            cells.append(cell)
            if not text.startswith(delimiter, place):
                break
            place += 1
        ended = line_end.match(text, place)
        if ended is None:  # text follows a closing quote, or a carriage return has no line feed
            raise RefusedError(line)
        place = ended.end()
        blank = len(cells) == 1 and not text[start:place].strip()
        yield line, [] if blank else cells
        line += text.count("\n", start, place)


def reference(text: str, delimiter: str, width: int, line: int) -> list[tuple[str | None, ...]]:
    rows, blanks = [], 0
    for number, cells in reference_records(text, delimiter, line):
        if not cells:
            blanks += width == 1
            continue
        if len(cells) != width:
            raise RefusedError(number)
        rows += [(None,)] * blanks
        rows.append(tuple(cell.strip() or None for cell in cells))
        blanks = 0
    return rows


def read(source: DelimitedSource) -> list[tuple[str | None, ...]]:
    rows = []
    for batch in source.batches(source.columns):
        cells = [[column.values[code] for code in column.codes.tolist()] for column in batch]
        rows += zip(*cells, strict=True)
    return rows


def outcome_of(call, *arguments) -> object:
    """Return the rows, or the line of the error."""
    try:
        return call(*arguments)
    except RefusedError as error:
        return f"line {error}"
    except MalformedError as error:
        return error.where.partition(", ")[2]


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("delimited") / "table.csv"


def agree(path, text: tuple[str, str, int], block: int):
    body, delimiter, width = text
    header = HEADERS[width].format(delimiter)
    path.write_bytes((header + body).encode())
    expected = outcome_of(reference, body, delimiter, width, 1 + header.count("\n"))
    with patch.object(decoding, "BLOCK", block), patch.object(delimited, "STRICT_BATCH_ROWS", 3):
        assert outcome_of(read, DelimitedSource(path, delimiter, None, path.name)) == expected


delimiters = st.sampled_from(";,\t|")
blocks = st.sampled_from([1, 2, 3, 5, 8, 13, 40, 2**24])
ATOMS = [
    "a",
    "bc",
    "年",
    '"',
    '""',
    '"',
    " ",
    "　",
    "\t",
    "\n",
    "\n",
    "\r\n",
    "\x0b",
    "\x1c",
    "\x85",
    "\u2028",
    ";",
    ",",
    "|",
]


@st.composite
def noise(draw):
    """Draw text from the characters that matter to the parsers, in any order."""
    delimiter = draw(delimiters)
    atoms = draw(st.lists(st.sampled_from([*ATOMS, delimiter, delimiter]), max_size=30))
    return "".join(atoms), delimiter, draw(st.sampled_from([1, 2, 3]))


@st.composite
def tables(draw):
    """Draw rows as people write them: mostly well-formed, with and without quotes, padding and blank lines."""
    delimiter, width = draw(delimiters), draw(st.sampled_from([1, 2, 3]))
    plain = st.text("ab年　 ", max_size=3)
    inside = st.text(f'a{delimiter}\n" ;,', max_size=5).map(lambda cell: '"' + cell.replace('"', '""') + '"')
    padded = st.tuples(st.sampled_from(["", "", " ", "  "]), inside).map("".join)
    row = st.lists(st.one_of(plain, inside, padded), min_size=width, max_size=width).map(delimiter.join)
    odd = st.sampled_from(
        ["", "  ", "　", '""', 'a"b', 'a "b"', '"a"b', '"a" ', delimiter, delimiter * 2, delimiter * 3]
    )
    line = st.one_of(row, row, row, row, row, odd)
    lines = draw(st.lists(st.tuples(line, st.sampled_from(["\n", "\r\n"])).map("".join), max_size=8))
    last = draw(st.one_of(st.just(""), line))
    return "".join(lines) + last, delimiter, width


@SLOW
@given(noise(), blocks)
@example(('x;5";\n"";a\n', ";", 3), 3)
@example(('1;"x";"y\n";\n', ";", 2), 1)
def test_any_text(path, text, block):
    agree(path, text, block)


@SLOW
@given(tables(), blocks)
def test_tables(path, table, block):
    agree(path, table, block)


@settings(SLOW, max_examples=100)
@given(tables(), st.data(), blocks)
def test_a_lone_carriage_return_ends_no_line(path, table, data, block):
    """CR alone is not a line end (CRLF and LF are): it is an error outside quotes, and part of the cell inside."""
    body, delimiter, width = table
    place = data.draw(st.integers(0, len(body)))
    agree(path, (f"{body[:place]}\r{body[place:]}", delimiter, width), block)


@settings(SLOW, max_examples=100)
@given(st.lists(st.sampled_from(["\ufeff", "a", ";", "\n", "1;2\n"]), max_size=12).map("".join), blocks)
@example("\ufeff1;2\n", 2**24)
def test_a_byte_order_mark_is_cut_at_the_start_of_the_file_only(path, body, block):
    agree(path, (body, ";", 2), block)


@pytest.mark.parametrize("body", ["1;2\n3;4\n", '1;"2\n"\n"3";4\n', "1;2\r\n\r\n3;4"])
def test_ordinary_text_takes_the_fast_way(path, body):
    """Arrow's parser reads ordinary text: otherwise the tests above would test the strict parser only."""
    path.write_text(f"a;b\n{body}", newline="")
    with patch.object(DelimitedSource, "_parse_strictly", side_effect=AssertionError("the careful way")):
        assert len(read(DelimitedSource(path, None, None, path.name))) == 2


@pytest.mark.parametrize(
    "body",
    [
        "1;2\n",
        '1; "x;y"\n',
        '"a ""quoted"" word";2\n',
        '"many\nlines\n";2\n',
        "\n \n1;2\n",
        "1;2\r\n3;4\n5;6",
        "1;2;3\n",
        '1;"2\n',
        '1;"2"x\n',
        '"";""\n',
        "1\n",
        '5" disk;7" disk\n',
    ],
)
@pytest.mark.parametrize("block", range(1, 12))
def test_every_place_to_cut(path, body, block):
    agree(path, (f"1;2\n{body}9;9\n", ";", 2), block)
