"""Notes as wards and offices write them, made by templates, with the truth on what each holds.

The templates are other ones than those that the rules of premises were found on. Names are drawn from lists of their
own: frequent given names of several decades, also such as the word lists do not hold sign by sign.
"""

from __future__ import annotations

from random import Random
from typing import NamedTuple

SURNAMES = "陳林黃張李王吳劉蔡楊許鄭謝洪郭邱曾廖賴徐周葉蘇莊呂江何蕭羅高潘簡朱鍾游彭詹胡施沈余盧梁趙顏柯翁魏孫戴范"
GIVEN = (
    *(
        [
            "家豪",
            "淑芬",
            "俊傑",
            "雅婷",
            "志明",
            "美玲",
            "怡君",
            "承翰",
            "冠宇",
            "詩涵",
            "宗翰",
            "佳蓉",
            "建宏",
            "麗華",
            "柏翰",
            "郁婷",
            "彥廷",
            "惠雯",
            "品妤",
            "子晴",
            "宥廷",
            "秀英",
            "金龍",
            "春嬌",
        ]
    ),
    *(
        [
            "欣怡",
            "雅雯",
            "文雄",
            "明哲",
            "信宏",
            "玉蘭",
            "素珍",
            "國華",
            "榮輝",
            "瑞敏",
            "思穎",
            "芷瑄",
            "睿恩",
            "宇翔",
            "靜宜",
            "慧君",
            "婉婷",
            "博文",
            "正雄",
            "淑惠",
            "珮瑜",
            "振宇",
            "筱婷",
            "曉薇",
        ]
    ),
)
TITLES = ("先生", "小姐", "女士", "太太", "醫師", "老師", "之母", "的女兒", "阿嬤", "同學")
ROADS = ("中山路", "民生東路二段", "文化一街", "中正路", "建國南路一段", "光復街", "大學路")
PLACES = ("臺北市信義區", "高雄市三民區", "臺南市東區", "花蓮縣吉安鄉", "新竹市")
CLEAN = (
    "血壓{a}/{b}，脈搏{c}，今日已給藥",
    "第{c}床冷氣故障，已報修編號{d}",
    "{m}月{e}日回診，追蹤糖化血色素{e}.{f}%",
    "體溫{g}.{f}度，續觀察，{e}點再量",
    "抽血結果：白血球{d}，血色素{e}.{f}",
    "家屬表示理解並同意治療計畫",
    "個案於{m}月{e}日轉介社區資源，目前已結案",
    "飲食衛教完成，發給單張{f}份",
    "帳單金額{d}元，分{f}期繳納",
    "連絡不上，三天後再試",
    "高血壓及高血脂病史約{e}年",
    "曾於{h}年接受石膏固定，方便行走",
    "康復期間避免游泳，白天多休息",
    "系統版本{f}.{e}.{f}.{f}更新完成",
    "批號{i}的疫苗施打於左上臂",
    "林口院區支援，金門地區轉送",
    "申請輔具補助，文號{j}",
    "搭{f}號公車至{e}號出口，由志工引導",
    "黃疸指數{e}.{f}，白內障術後第{f}週",
    "許多症狀於夏天加重，何時發作不明",
    "處方：普拿疼 {d}mg 每日{f}次",
    "Patient resting, BP {a}/{b}, no complaints today",
    "follow up in {f} weeks, wound clean and dry",
    "檢驗單{i}重印，房間{f}之{f}號房",
)
NAMED = {
    "national_id": ("補辦健保卡，身分證 {id}", "核對{id}無誤", "ID:{id} 已登錄"),
    "mobile": (
        "改打{mobile}聯繫",
        "緊急聯絡電話 {mobile_hyphens}",
        "手機{mobile_blanks}未接",
        "撥 {mobile_abroad} 無人接聽",
    ),
    "landline": ("市話{land}轉{f}", "公司電話({area}){local}", "家電 {land_bare}"),
    "email": ("報告寄至 {mail}", "{mail} 退信"),
    "card": ("以信用卡{card}扣款", "刷卡失敗 {card_blanks}"),
    "address": ("救護車送回{place}{road}{c}號", "寄件{place}{road}{c}巷{f}弄{e}號{f}樓"),
    "titled_name": ("{surname}{title}來院取藥", "已向{surname}{title}說明", "由{surname}{given}{title}代領"),
    "known_name": ("{known}來電詢問報告", "代{known}領取藥袋", "今早{known}情緒平穩", "向{known}說明出院準備"),
    "record": ("併入{record}之舊檔", "舊病歷號{record}", "check chart {record} first"),
    "named_person": (
        "聯絡人{surname}{given}，{m}月{e}日可到院",
        "病患{surname}{given}表示頭暈",
        "家屬{surname}{given}簽署同意書",
        "女兒{surname}{given}陪同",
    ),
}


class Note(NamedTuple):
    """A note, and the kind of identifier that it holds; "" if none."""

    text: str
    kind: str


class People(NamedTuple):
    """The identifiers of the people whom notes are about."""

    names: list[str]
    records: list[str]


def make_people(chance: Random, many: int) -> People:
    """Make names of two or three signs, and record numbers."""
    names = [chance.choice(SURNAMES) + chance.choice(GIVEN) for _ in range(many)]
    return People(names, [f"{chance.randrange(10**7, 10**8):08}" for _ in range(many)])


def make_note(chance: Random, people: People, share: float = 0.5) -> Note:
    """Make a note that holds an identifier with a chance of `share`."""
    kind = chance.choice(list(NAMED)) if chance.random() < share else ""
    template = chance.choice(NAMED[kind] if kind else CLEAN)
    return Note(template.format(**_draw(chance, people)), kind)


def make_notes(seed: int, many: int, share: float = 0.5) -> tuple[People, list[Note]]:
    """Make people, and notes on them."""
    chance = Random(seed)
    people = make_people(chance, max(20, many // 2))
    return people, [make_note(chance, people, share) for _ in range(many)]


def _draw(chance: Random, people: People) -> dict[str, object]:
    tail = f"{chance.randrange(10**8):08}"
    local, area = f"{chance.randrange(2, 9)}{chance.randrange(10**6):06}", chance.choice(("03", "05", "06", "07"))
    card = make_card(chance)
    return {
        "a": chance.randrange(90, 180),
        "b": chance.randrange(50, 110),
        "c": chance.randrange(10, 99),
        "d": chance.randrange(100, 20000),
        "e": chance.randrange(1, 13),
        "f": chance.randrange(1, 9),
        "g": chance.randrange(36, 40),
        "h": chance.randrange(95, 113),
        "m": chance.randrange(1, 13),
        "i": f"LOT{chance.randrange(10**6):06}",
        "j": f"衛字第{chance.randrange(10**9, 10**10)}號",
        "id": make_id(chance),
        "mobile": f"09{tail}",
        "mobile_hyphens": f"09{tail[:2]}-{tail[2:5]}-{tail[5:]}",
        "mobile_blanks": f"09{tail[:2]} {tail[2:5]} {tail[5:]}",
        "mobile_abroad": f"+886-9{tail[:2]}-{tail[2:5]}-{tail[5:]}",
        "land": f"{area}-{local}",
        "land_bare": f"{area}{local}",
        "area": area,
        "local": local,
        "mail": f"{chance.choice(('amy', 'kuo', 'wen'))}{chance.randrange(99)}@mail{chance.randrange(9)}.example.tw",
        "card": card,
        "card_blanks": " ".join(card[start : start + 4] for start in range(0, 16, 4)),
        "surname": chance.choice(SURNAMES),
        "given": chance.choice(GIVEN),
        "title": chance.choice(TITLES),
        "place": chance.choice(PLACES),
        "road": chance.choice(ROADS),
        "known": chance.choice(people.names),
        "record": chance.choice(people.records),
    }


LETTERS = "ABCDEFGHJKLMNPQRSTUVXYWZIO"  # of Taiwan's ID numbers, in the order of their codes, which start with 10


def make_id(chance: Random) -> str:
    """Make a national ID number with its check digit."""
    letter = chance.choice(LETTERS)
    code, digits = LETTERS.index(letter) + 10, [chance.choice((1, 2)), *(chance.randrange(10) for _ in range(7))]
    total = (
        code // 10 + code % 10 * 9 + sum(digit * weight for digit, weight in zip(digits, range(8, 0, -1), strict=True))
    )
    return f"{letter}{''.join(map(str, digits))}{-total % 10}"


def make_card(chance: Random) -> str:
    """Make the number of a payment card of 16 digits, with its check digit."""
    digits = [4, *(chance.randrange(10) for _ in range(14))]
    doubled = [digit * 2 - 9 * (digit > 4) if place % 2 == 0 else digit for place, digit in enumerate(digits)]
    return "".join(map(str, [*digits, -sum(doubled) % 10]))
