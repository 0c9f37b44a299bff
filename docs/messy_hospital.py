"""Write the messy table of a hospital that the pages on preparing and treating use: ``hospital.csv`` and ``hospital.xlsx``.

The table is made up. It has what files of hospitals have: two lines above the header, a line with sums, repeated rows,
dates in five spellings, amounts with units, 台 and 臺, six spellings of two sexes, and notes with telephone numbers.

    python docs/messy_hospital.py FOLDER
"""

from __future__ import annotations

import csv
import io
import random
import sys
from datetime import date, timedelta
from pathlib import Path

HEADER = ["病歷號碼", "性別", "生日", "就診日期", "縣市", "鄉鎮市區", "診斷碼", "費用(元)", "備註"]
PLACES = [("台北市", "中正區"), ("臺北市", "大安區"), ("臺中市", "西屯區"), ("台中市", "北區"), ("高雄市", "左營區")]
CODES = ["E11.9", "e119", "I10", "J45.9", "j459"]
SEXES = [("男", "M", "1"), ("女", "F", "2")]
PEOPLE = 400


def write_date(day: date, form: int) -> str:
    """Write a date in one of the spellings of the file."""
    year = day.year - 1911
    return [
        f"{year:03}{day.month:02}{day.day:02}",
        f"民國{year}年{day.month}月{day.day}日",
        f"{day.year}/{day.month}/{day.day}",
        day.isoformat(),
        f"{day.year}.{day.month:02}.{day.day:02}",
    ][form % 5]


def build_rows() -> list[list[str]]:
    """Return the rows of visits, one person after the other."""
    chance, rows = random.Random(2026), []  # noqa: S311 (no secret)
    for number in range(PEOPLE):
        sex, born = chance.randrange(2), date(1940, 1, 1) + timedelta(chance.randrange(60 * 365))
        place, first = chance.choice(PLACES), date(2025, 1, 1) + timedelta(chance.randrange(200))
        for visit in range(chance.choice([1, 1, 2, 3])):
            day, fee = first + timedelta(visit * chance.randrange(7, 40)), chance.randrange(100, 4000)
            amount = chance.choice([f"{fee:,}", f"{fee}元", f"NT$ {fee:,}", str(fee)])
            note = f"電話 0912-{number:03}-{visit:03}" if chance.randrange(5) == 0 else "追蹤"
            cells = [f"H{number:06}", chance.choice(SEXES[sex]), write_date(born, visit + number)]
            rows.append([*cells, write_date(day, visit), *place, chance.choice(CODES), amount, note])
    return [*rows, rows[3], rows[7]]


def build_lines() -> list[list[str]]:
    """Return all lines of the file."""
    rows = build_rows()
    return [["某醫院門診費用明細"], ["製表日期 115/01/05"], HEADER, *rows, ["合計", f"{len(rows)} 筆"]]


def write_tables(folder: Path) -> None:
    """Write the table in Big5, and as a workbook with merged titles."""
    import xlsxwriter

    text, lines = io.StringIO(), build_lines()
    csv.writer(text).writerows(lines)
    (folder / "hospital.csv").write_bytes(text.getvalue().encode("cp950"))
    with xlsxwriter.Workbook(folder / "hospital.xlsx", {"in_memory": True}) as book:
        sheet = book.add_worksheet("明細")
        sheet.merge_range(0, 0, 0, len(HEADER) - 1, lines[0][0])
        for number, cells in enumerate(lines[1:], 1):
            sheet.write_row(number, 0, cells)


if __name__ == "__main__":
    write_tables(Path(sys.argv[1]))
