"""A made table of patients in Taiwan: valid and invalid ID numbers, birthdays by the years of the Republic of China."""

from __future__ import annotations

import random
from itertools import count
from pathlib import Path

LETTERS = {letter: 10 + place for place, letter in enumerate("ABCDEFGHJKLMNPQRSTUVXYWZIO")}
HEADER = "病歷號,身分證字號,姓名,出生年月日,性別,縣市,鄉鎮市區,手機,就診日期,診斷碼,月薪,滿意度,院區"
TOWNS = {
    "臺北市": ["中正區", "大安區", "信義區", "士林區"],
    "新北市": ["板橋區", "三重區", "新店區", "淡水區"],
    "臺中市": ["西屯區", "北屯區", "豐原區"],
    "臺南市": ["東區", "永康區", "安平區"],
    "高雄市": ["三民區", "左營區", "鳳山區"],
    "花蓮縣": ["花蓮市", "吉安鄉", "玉里鎮"],
    "金門縣": ["金城鎮", "烏坵鄉"],
}
ILLNESSES = ["E11.9", "I10.0", "J45.9", "M54.5", "F32.9", "B20.0"]
SURNAMES, GIVEN = "陳林黃張李王吳劉蔡楊", "家怡志雅建淑俊美文宏婷豪"
ROWS = 2000
INVALID = 40  # one ID number in so many has a wrong check digit


def national_id(letter: str, sex: int, number: int) -> str:
    """Write an ID number with its check digit, by the definition: weights 1, 9 for the letter, then 8 down to 1."""
    body = f"{sex}{number:07d}"
    code = LETTERS[letter]
    total = (
        code // 10
        + code % 10 * 9
        + sum(int(digit) * weight for digit, weight in zip(body, range(8, 0, -1), strict=True))
    )
    return f"{letter}{body}{-total % 10}"


def rows(many: int = ROWS) -> list[list[str]]:
    """Make the rows; the same ones each time."""
    draw, numbers = random.Random(886), count(1)
    made = []
    for row in range(many):
        sex = draw.choice((1, 2))
        city = draw.choices([*TOWNS], [9, 9, 6, 5, 6, 2, 1])[0]
        identity = national_id(draw.choice([*LETTERS]), sex, draw.randrange(10**7))
        if row % INVALID == 0:
            identity = identity[:-1] + str((int(identity[-1]) + 1) % 10)
        birth = f"{draw.randint(25, 105)}/{draw.randint(1, 12):02d}/{draw.randint(1, 28):02d}"
        name = draw.choice(SURNAMES) + draw.choice(GIVEN) + draw.choice(GIVEN)
        phone = f"09{draw.randrange(10**8):08d}"
        visit = f"114-{draw.randint(1, 3):02d}-{draw.randint(1, 28):02d}"
        pay = str(draw.randrange(28, 90) * 1000)
        person = [
            f"P{next(numbers):06d}",
            identity,
            name,
            birth,
            "男女"[sex - 1],
            city,
            draw.choice(TOWNS[city]),
            phone,
        ]
        illness = draw.choices(ILLNESSES, [9, 9, 5, 5, 3, 1])[0]
        made.append([*person, visit, illness, pay, str(draw.randint(1, 5)), "A"])
    return made


def write(path: Path, encoding: str = "cp950") -> Path:
    """Write the table as CSV, by default in Big5, as many offices in Taiwan do."""
    text = "\n".join([HEADER, *(",".join(row) for row in rows())]) + "\n"
    path.write_text(text, encoding=encoding)
    return path
