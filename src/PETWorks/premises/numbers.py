"""Direct identifiers that are recognised by their form: ID and telephone numbers, addresses, accounts, number plates.

A number must not be next to another digit, a letter or a decimal point.

>>> [kind for kind in FORMS if any(FORMS[kind].find("call 0912-345-678 or ann@example.org"))]
['mobile', 'email']
>>> list(FORMS["mobile"].find("A0912345678")), list(FORMS["ip"].find("10.0.0.12, not 2.3.1.4"))
([], ['10.0.0.12'])
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import NamedTuple

from PETWorks.inspection.values import (
    BYTE,
    Check,
    check_iban,
    check_luhn,
    check_national_id,
    check_resident_id,
)
from PETWorks.inspection.values import FINDERS as VALUE_FINDERS
from PETWorks.premises.words import HAN

FREE = r"(?<![0-9A-Za-z])(?<![0-9]\.)"  # what stands before a number, and after it
END = r"(?![0-9A-Za-z])(?!\.[0-9])"
NUMERAL = "(?:[0-9]{1,5}|[一二三四五六七八九十百千零〇○]{1,7})"
PLATE = next(one.form for one in VALUE_FINDERS if one.name == "plate")[1:-1]

NATIONAL_ID = re.compile(rf"{FREE}([A-Z][1289][0-9]{{8}}){END}", re.IGNORECASE)
OLD_RESIDENT_ID = re.compile(rf"{FREE}([A-Z][A-D][0-9]{{8}}){END}", re.IGNORECASE)
MOBILE = re.compile(rf"{FREE}(?:0|\+886[ -]?(?:\(0\)|0)?)9[0-9]{{2}}[ -]?[0-9]{{3}}[ -]?[0-9]{{3}}{END}")
LANDLINE = re.compile(
    rf"{FREE}(?:\((0[2-8][0-9]{{0,2}})\)[ -]?|(0[2-8][0-9]{{0,2}})-|\+886-([2-8][0-9]{{0,2}})[ -]?)"
    rf"([0-9]{{2,4}}[ -]?[0-9]{{3,4}}){END}"
)
CALLED = re.compile(
    rf"(?:電話|市話|家電|tel|聯絡)[^0-9A-Za-z]{{0,4}}(0[2-8][0-9]{{7,8}}|0[2-8][ -]?[0-9]{{3,4}}[ -]?[0-9]{{4}}){END}",
    re.IGNORECASE,
)
EMAIL = re.compile(r"[0-9A-Za-z._%+-]+@[0-9A-Za-z](?:[0-9A-Za-z-]*\.)+[A-Za-z][0-9A-Za-z-]+")
URL = re.compile(r"(?:https?|ftp)://[^\s/]", re.IGNORECASE)
IP = re.compile(rf"(?<![0-9A-Za-z.])((?:{BYTE}\.){{3}}{BYTE})(?![0-9A-Za-z])(?!\.[0-9])")
NO_ADDRESS = "(?!線|公車|出口|房|床|病房)"
ADDRESS = re.compile(
    rf"[{HAN}]{{1,8}}(?:路|街|大道)\s?(?:{NUMERAL}\s?段\s?)?(?:{NUMERAL}\s?巷\s?)?(?:{NUMERAL}\s?弄\s?)?"
    rf"{NUMERAL}(?:[-之]{NUMERAL})?\s?號{NO_ADDRESS}"
    rf"|[{HAN}]{{1,8}}(?:村|(?<!公)里|部落)\s?(?:{NUMERAL}\s?鄰\s?)?{NUMERAL}(?:[-之]{NUMERAL})?\s?號{NO_ADDRESS}"
)
CARD = re.compile(rf"{FREE}[2-6](?:[ -]?[0-9]){{12,}}(?![0-9A-Za-z])")
IBAN = re.compile(rf"{FREE}[A-Z]{{2}}[0-9]{{2}}(?: ?[A-Z0-9]){{11,}}(?![A-Za-z0-9])")
NAMED_PLATE = re.compile(rf"(?:車牌|車號|汽車|機車|牌照)(?:號碼|號)?[^0-9A-Za-z]{{0,3}}(?:{PLATE}){END}", re.IGNORECASE)
WHOLE_PLATE = re.compile(rf"(?:{PLATE})", re.IGNORECASE)
LOST_MOBILE = re.compile("9[0-9]{8}")
BARE_LANDLINE = re.compile("0[2-8][0-9]{7,8}")

AREAS = {  # of landlines: how many digits follow the area code
    "02": {8},
    "03": {7},
    "037": {6},
    "04": {7, 8},
    "049": {7},
    "05": {7},
    "06": {7},
    "07": {7},
    "08": {7},
    "082": {6},
    "0826": {5},
    "0836": {5},
    "089": {6},
}
CARDS = re.compile(  # prefixes and lengths of payment cards
    "4(?:[0-9]{12}|[0-9]{15}|[0-9]{18})"
    "|(?:5[1-5][0-9]{2}|222[1-9]|22[3-9][0-9]|2[3-6][0-9]{2}|27[01][0-9]|2720)[0-9]{12}"
    "|3[47][0-9]{13}|35(?:2[89]|[3-8][0-9])[0-9]{12}|3(?:0[0-5]|[68][0-9])[0-9]{11}"
    "|(?:6011|65[0-9]{2}|64[4-9][0-9])[0-9]{12}|62[0-9]{14,17}"
)
LEAST_BYTES, LARGE_BYTE = 2, 10  # an IP address has so many bytes of at least this size: versions do not
IBAN_LENGTHS = range(15, 35)


class IdentifierForm(NamedTuple):
    """A kind of identifier: the pattern of its form, and a cheap expression that every match also matches."""

    find: Callable[[str], Iterable[str]]
    hint: str  # in the syntax of Arrow
    check: Check | None = None  # the check of what was found: its digits, in the form of `check_numbers`
    by_halves: bool = False  # True: a column counts only if enough of its cells with the form are right
    is_digits: bool = False  # True: a cell of nothing but digits can have it; half of these in the column must


def _find(form: re.Pattern[str], text: str) -> Iterator[str]:
    return (one[1].upper() if form.groups else one[0] for one in form.finditer(text))


def _find_landlines(text: str) -> Iterator[str]:
    for one in LANDLINE.finditer(text):
        area = one[1] or one[2] or f"0{one[3]}"
        digits = area + "".join(filter(str.isdigit, one[4]))
        if any(digits.startswith(code) and len(digits) - len(code) in lengths for code, lengths in AREAS.items()):
            yield digits
    yield from (one[1] for one in CALLED.finditer(text))
    if BARE_LANDLINE.fullmatch(text):
        yield text


def _find_ips(text: str) -> Iterator[str]:
    for one in IP.finditer(text):
        if sum(int(byte) >= LARGE_BYTE for byte in one[1].split(".")) >= LEAST_BYTES:
            yield one[1]


def _find_cards(text: str) -> Iterator[str]:
    for one in CARD.finditer(text):
        groups = re.split("[ -]", one[0])
        for start in range(len(groups)):
            for end in range(start + 1, len(groups) + 1):
                if CARDS.fullmatch(digits := "".join(groups[start:end])):
                    yield digits


def _find_ibans(text: str) -> Iterator[str]:
    for one in IBAN.finditer(text):
        groups = one[0].split(" ")
        for end in range(1, len(groups) + 1):
            if len(number := "".join(groups[:end])) in IBAN_LENGTHS:
                yield number


FORMS = {
    "national_id": IdentifierForm(
        partial(_find, NATIONAL_ID), "[A-Za-z][1289][0-9]{8}", check_national_id, by_halves=True
    ),
    "old_resident_id": IdentifierForm(
        partial(_find, OLD_RESIDENT_ID), "[A-Za-z][A-Da-d][0-9]{8}", check_resident_id, by_halves=True
    ),
    "mobile": IdentifierForm(partial(_find, MOBILE), "[09].{0,5}[0-9]{2}[ -]?[0-9]{3}[ -]?[0-9]{3}", is_digits=True),
    "landline": IdentifierForm(_find_landlines, "[0-9]{2,4}[ -]?[0-9]{3,4}", is_digits=True),
    "email": IdentifierForm(partial(_find, EMAIL), "@"),
    "url": IdentifierForm(partial(_find, URL), "://"),
    "ip": IdentifierForm(_find_ips, r"[0-9]\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]"),
    "address": IdentifierForm(partial(_find, ADDRESS), "號"),
    "card": IdentifierForm(_find_cards, "[2-6](?:[ -]?[0-9]){12}", check_luhn, by_halves=True, is_digits=True),
    "iban": IdentifierForm(_find_ibans, "[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]){11}", check_iban),
    "plate": IdentifierForm(partial(_find, NAMED_PLATE), "[車機牌]"),
}
