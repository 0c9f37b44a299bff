"""A release is written to CSV as if row by row: quasi-identifiers recoded, identifiers marked, all else as it was."""

import random
from unittest.mock import patch

import pytest

from anonymization.recodings import expected, writing
from PETWorks.tables.formats import delimited
from PETWorks.tables.opening import open_source

CELLS = ["", " ", "a", "1.0", " 39", "x ", "高雄", "，", "0012", "　台北　"]
ODD = ['say "x"', "a;b", "a,b", "a\tb", "two\nlines", "two\r\nlines", '"', ",", ";"]


def text_of(rows, delimiter, end, chance, style):
    """Write rows with quotes where they are needed; unless plain, some where they are not; if odd, after blanks."""

    def cell(text, alone):
        needed = any(mark in text for mark in (delimiter, '"', "\n", "\r")) or (alone and not text.strip())
        if not needed and (style == "plain" or chance.random() < 0.5):
            return text
        lead = "  " if style == "odd" and chance.random() < 0.2 else ""
        return lead + '"' + text.replace('"', '""') + '"'

    return "".join(delimiter.join(cell(text, len(row) == 1) for text in row) + end for row in rows)


def raw_reader(text, delimiter):
    """Parse as `csv` does, but keep blanks of cells without quotes."""
    cells, cell, place = [[]], "", 0
    while place < len(text):
        lead = len(text[place:]) - len(text[place:].lstrip(" "))
        if text[place + lead] == '"':
            end = place + lead + 1
            while text[end] != '"' or text[end + 1 : end + 2] == '"':
                end += 2 if text[end] == '"' else 1
            cell, place = text[place + lead + 1 : end].replace('""', '"'), end + 1
        else:
            end = min(found for mark in (delimiter, "\r\n", "\n") if (found := text.find(mark, place)) >= 0)
            cell, place = text[place:end], end
        cells[-1].append(cell)
        if text.startswith(delimiter, place):
            place += 1
        else:
            place += 2 if text.startswith("\r\n", place) else 1
            cells.append([])
    return cells[:-1]


@pytest.mark.parametrize("seed", range(150))
def test_random_tables(tmp_path, seed):
    chance = random.Random(seed)
    delimiter, end = chance.choice(";,\t|"), chance.choice(["\n", "\r\n"])
    style, width = chance.choice(["plain", "quoted", "odd"]), chance.randint(1, 6)
    header = [f"c{place}" for place in range(width)]
    header[-1] = chance.choice([header[-1], "x,y;z|w"])
    pool = CELLS if style == "plain" else CELLS + ODD
    rows = [[chance.choice(pool) for _ in header] for _ in range(chance.randint(1, 40))]
    path, target = tmp_path / "original.csv", tmp_path / "released.csv"
    text = text_of([header, *rows], delimiter, end, chance, style)
    if style == "quoted" and width > 1:
        text = text.replace(end, end * 2, 1)  # a blank line is no row
    path.write_bytes(text.encode(chance.choice(["utf-8", "utf-8-sig", "cp950"])))
    names, half = chance.sample(header, width), max(1, width // 2)
    known, named = names[:half], names[half : half + 1]
    options = {
        "identifiers": chance.choice(["mark", "drop"]),
        "suppressed_rows": chance.choice(["keep", "remove"]),
    }
    with patch.object(delimited, "BLOCK", chance.choice([64, 2**23])):
        passes = writing(open_source(path, "original", delimiter), known, named, seed, **options)
        passes.write(target, lambda _: None)
    cells = [dict(zip(header, row, strict=True)) for row in rows]
    wanted = expected(passes, cells, [{name: row[name].strip() or None for name in known} for row in cells])
    columns = [name for name in header if name not in named or options["identifiers"] == "mark"]
    written = target.read_bytes().decode("utf-8-sig")
    assert raw_reader(written, delimiter) == [columns, *([row[name] or "" for name in columns] for row in wanted)]
    again = open_source(target, "release")  # its delimiter is detected
    assert again.columns == tuple(columns)
    if wanted:
        assert again.tally(columns).rows == len(wanted)
