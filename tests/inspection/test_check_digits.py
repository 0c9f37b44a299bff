"""Check digits: public examples, and numbers made and checked by definitions of their own."""

import random

import numpy as np
import pytest

from PETWorks.inspection.values import (
    FINDERS,
    ColumnValues,
    check_business_number,
    check_iban,
    check_luhn,
    check_national_id,
    check_numbers,
    check_resident_id,
    find_matches,
)
from PETWorks.tables.counting.margins import Margin
from support.taiwan import LETTERS
from support.taiwan import national_id as made_id

EXAMPLES = {  # of public documents and test suites
    check_national_id: ["A123456789", "A100000001", "F131104093", "A800000014"],
    check_resident_id: ["FA12345689", "AB12345677"],
    check_business_number: ["04595257", "10458575", "22099131", "12345675"],
    check_luhn: ["4111111111111111", "5500005555555559", "378282246310005", "30569309025904", "4242 4242 4242 4242"],
    check_iban: [
        "GB82WEST12345698765432",
        "DE89370400440532013000",
        "FR1420041010050500013M02606",
        "NO93 8601 1117 947",
    ],
}


@pytest.mark.parametrize("check", EXAMPLES, ids=lambda check: check.__name__)
def test_public_examples_are_right_and_each_other_last_digit_is_wrong(check):
    assert check_numbers(check, EXAMPLES[check]).all()
    for number in EXAMPLES[check]:
        others = [number[:-1] + digit for digit in "0123456789" if digit != number[-1]]
        right = check_numbers(check, others).sum()
        assert right == (check is check_business_number) * right  # two of ten are right since 2023
        assert right <= 3


def naive_business_number(number: str) -> bool:
    products = [int(digit) * weight for digit, weight in zip(number, (1, 2, 1, 2, 1, 2, 4, 1), strict=True)]
    digit_sums = [sum(map(int, str(product))) for product in products]
    if number[6] != "7":
        return sum(digit_sums) % 5 == 0
    others = sum(digit_sums) - digit_sums[6]
    return others % 5 == 0 or (others + 1) % 5 == 0


def naive_luhn(number: str) -> bool:
    digits = [int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(number))]
    return sum(sum(divmod(digit, 10)) for digit in digits) % 10 == 0


def naive_iban(number: str) -> bool:
    return int("".join(str(int(character, 36)) for character in number[4:] + number[:4])) % 97 == 1


@pytest.mark.parametrize(
    ("check", "naive", "make"),
    [
        (check_business_number, naive_business_number, lambda draw: f"{draw.randrange(10**8):08d}"),
        (check_luhn, naive_luhn, lambda draw: f"{draw.randrange(10**13, 10**19)}"),
        (
            check_iban,
            naive_iban,
            lambda draw: f"GB{draw.randrange(100):02d}NWBK{draw.randrange(10 ** draw.randint(7, 20))}",
        ),
    ],
    ids=["business number", "Luhn", "IBAN"],
)
def test_random_numbers_are_judged_as_by_the_definition(check, naive, make):
    draw = random.Random(1)
    numbers = [make(draw) for _ in range(2000)]
    assert check_numbers(check, numbers).tolist() == [naive(number) for number in numbers]


def test_made_id_numbers_are_right_and_a_changed_digit_is_not():
    draw = random.Random(2)
    made = [made_id(draw.choice([*LETTERS]), draw.choice((1, 2, 8, 9)), draw.randrange(10**7)) for _ in range(500)]
    assert check_numbers(check_national_id, made).all()
    changed = [number[:-1] + str((int(number[-1]) + draw.randint(1, 9)) % 10) for number in made]
    assert not check_numbers(check_national_id, changed).any()


def test_no_numbers():
    assert check_numbers(check_luhn, []).tolist() == []


FOUND = {
    "national_id": ["A123456789", "F131104093"],
    "resident_id": ["A800000014"],
    "old_resident_id": ["FA12345689"],
    "id": ["A123456789", "A800000014"],
    "mobile": ["0912345678", "0912-345-678", "+886 912 345 678", "+886912345678"],
    "landline": ["(02)2345-6789", "02-23456789", "037-123456", "0223456789", "+886-2-2345-6789", "04-22334455#123"],
    "email": ["a.b@example.org", "王@例子.台灣"],
    "address": ["臺北市大安區和平東路二段106號", "106 台北市大安區辛亥路1段3號5樓", "花蓮縣吉安鄉中山路9號"],
    "url": ["https://example.org/~wang"],
    "ip_v4": ["192.0.2.1", "255.255.255.255"],
    "ip_v6": ["2001:db8::1", "::1", "fe80:0:0:0:0:0:0:1"],
    "mac": ["00:1B:44:11:3A:B7"],
    "uuid": ["123e4567-e89b-12d3-a456-426614174000"],
    "iban": ["DE89 3704 0044 0532 0130 00", "GB82WEST12345698765432"],
    "card": ["4111-1111-1111-1111", "378282246310005"],
    "business_number": ["04595257", "22099131"],
    "plate": ["ABC-1234", "1234-AB", "AB-1234"],
    "icd": ["E11.9", "B20.0"],
    "atc": ["A10BA02", "N02BE01"],
    "sex": ["Male", "female", "男", "F"],
}
NOTHING = [
    "",
    "12:30:45",
    "256.1.1.1",
    "A323456789",
    "hello",
    "1.2.3",
    "a@b",
    "12345678901",
    "0812345678x",
    "2020-01-01",
]


def values(texts):
    return ColumnValues.of(Margin(texts, np.ones(len(texts), dtype=np.int64)))


@pytest.mark.parametrize("name", FOUND)
def test_forms_are_found(name):
    assert name in [match.finder.name for match in find_matches(values(FOUND[name]))]


def test_every_finder_is_tried():
    assert {finder.name for finder in FINDERS} == {*FOUND}


@pytest.mark.parametrize("text", NOTHING)
def test_other_texts_are_nothing(text):
    assert list(find_matches(values([text]))) == []


def test_a_form_needs_most_people_and_most_check_digits():
    assert list(find_matches(values(["0912345678", "a", "b"]))) == []
    assert list(find_matches(values(["4111111111111111", "4111111111111112", "4111111111111113"]))) == []
    (match, _) = find_matches(values(["A123456789", "A123456780", "A123456781", "A123456782"]))
    assert (match.finder.name, match.share, match.right) == ("national_id", 1.0, 0.25)
