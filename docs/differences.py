"""Writes differences.md and differences.zh-TW.md: where results of PETWorks deliberately differ from other tools.

The results of PETWorks are computed, here and in tests. ``python docs/differences.py`` writes the pages; a test fails if
one is out of date.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import PETWorks as pw

PAGE = Path(__file__).with_name("differences.md")
CHINESE_PAGE = Path(__file__).with_name("differences.zh-TW.md")
ARX = "ARX 3.9.2"
PYCANON = "pycanon 1.3.6"
INTRO = """# Where our answer differs

The same table can get another answer from another tool. These differences are deliberate; each is shown on a table small
enough to check by hand. Our side of this page is computed by `docs/differences.py` whenever the tests run. The answers of
{pycanon} were obtained by running it on these tables, those of {arx} by running it on these or on larger tables that show the
same rule at work. What earlier versions answer is how they were defined.
"""

CHINESE_INTRO = """# 答案不同之處

同一份資料表，不同的工具可能給出不同的答案。這裡列出的差異都是刻意的；每一項都以可以手算的小型資料表說明。本頁中我們的答案，於每次測試時由 `docs/differences.py` 計算。{pycanon} 的答案由它在這些資料表上執行得出；{arx} 的答案由它在這些資料表、或在呈現相同規則的較大資料表上執行得出。舊版的答案為其定義所致。
"""
CHINESE_NAMES = {
    "released": "發布資料表",
    "released, ten rows counted": "發布資料表，十列，已計次",
    "original": "原始資料表",
    "original and released": "原始資料表與發布資料表",
    "hierarchy of age": "age 的資料階層",
    "hierarchy of p": "p 的資料階層",
    "hold-out": "對照組",
    "hold-out: people who took no part": "對照組（未參與的人）",
}
CHINESE_ANSWERS = {
    "holds": "滿足",
    "does not hold": "不滿足",
    "Earlier versions": "舊版",
    "above 0": "大於 0",
    "yes": "是",
    "no": "否",
    "not a number": "不是數字（NaN）",
    "no value: it fails for every β": "沒有數值：任何 β 都不滿足",
}

Table = dict[str, list[Any]]


class Chinese(NamedTuple):
    """The Chinese text of a difference, without what is computed."""

    title: str
    question: str
    why: str


@dataclass(frozen=True)
class Difference:
    """One question to which tools give different answers."""

    title: str
    tables: dict[str, Table]
    question: str
    theirs: tuple[str, str] | None  # None: only ours is known
    ours: Callable[[], object]
    why: str
    chinese: Chinese

    def markdown(self) -> str:
        """Write a section: the table, the answer of each tool, and which is right."""
        theirs = "" if self.theirs is None else f" **{self.theirs[0]}**: {self.theirs[1]}."
        answers = f"{self.question}{theirs} **PETWorks**: {self.ours()}.\n"
        return self._section(self.title, {name: f"{name}:" for name in self.tables}, answers, self.why)

    def chinese_markdown(self) -> str:
        """Write the section in Chinese."""
        theirs = "" if self.theirs is None else f"**{in_chinese(self.theirs[0])}**：{in_chinese(self.theirs[1])}。"
        answers = f"{theirs}**PETWorks**：{in_chinese(str(self.ours()))}。"
        names = {name: f"{CHINESE_NAMES[name]}：" for name in self.tables}
        section = self._section(self.chinese.title, names, f"{self.chinese.question}{answers}\n", self.chinese.why)
        return section.replace("(missing)", "（空白）")

    def _section(self, title: str, names: dict[str, str], answers: str, why: str) -> str:
        parts = [f"## {title}\n"]
        for name, table in self.tables.items():
            rows = zip(*table.values(), strict=True)
            cells = [
                " | ".join("(missing)" if cell is None else str(cell).replace("*", "\\*") for cell in row)
                for row in rows
            ]
            parts.append(
                f"{names[name]}\n\n| {' | '.join(table)} |\n|{' --- |' * len(table)}\n"
                + "\n".join(f"| {row} |" for row in cells)
                + "\n"
            )
        return "\n".join([*parts, answers, f"{why}\n"])


def in_chinese(answer: str) -> str:
    """Write an answer in Chinese; numbers stay as they are."""
    if answer in CHINESE_ANSWERS:
        return CHINESE_ANSWERS[answer]
    if answer.startswith("more than "):
        return f"大於 {answer.removeprefix('more than ')}"
    return answer.replace(" and ", " 與 ").replace(", ", "、").replace(" of ", "／")


SALARIES = {"year": ["197*", "197*", "198*", "198*", "198*"], "salary": [3000, 4000, 5000, 6000, 8000]}
COUPLES = {"class": [0, 0, 1, 1], "value": ["a", "a", "b", "b"]}
BANDS = {"age": [("10", "11", "*"), ("11", "11", "*"), ("12", "11", "*")]}
PAIR = {"class": [0, 0], "value": ["a", "b"]}
LONE = {"age": ["30", "30", None]}
HIDDEN = {"age": ["30", "30", "*"]}
STARS = {"p": ["1", "1", "2", "2", "3"], "r": ["*", "x", "x", "*", "y"]}
ALIKE = {"home": ["Taipei", "Taipei", "Tainan"], "work": ["Taipei", "Taipei", "Taipei"]}
DOUBLED = {"p": [("a", "g", "*"), ("a", "g", "*"), ("b", "g", "*"), ("c", "h", "*")]}
TEXT_NUMBERS = {"class": [0, 0, 1, 1], "value": ["1", "2", "10", "10"]}


PATIENTS = {"age": ["30", "40", "50", "60"], "ill": ["flu", "flu", "hay", "hay"]}
DRAWN = {"age": ["30", "30", "50", "50"], "ill": ["flu", "flu", "hay", "hay"]}
CODES = {"zip": ["1", "2", "3", "4", "5", "6"]}
OTHER_CODES = {"zip": ["7", "8", "9", "10", "11", "12"]}
SURPRISED = {"age": ["30", "40", "50", "60"], "ill": ["hay", "flu", "hay", "flu"]}
STRANGERS = {"age": ["30", "50", "70", "80"], "ill": ["flu", "hay", "flu", "hay"]}
ABSENT = {"age": ["30", "40"], "ill": ["flu", "hay"]}
GAPS = {"age": ["30", None, "50"], "ill": ["flu", "hay", "hay"]}
GAPS_DRAWN = {"age": [None, "60"], "ill": ["hay", "flu"]}


def by_class(table: Table) -> pw.Release:
    """Build a release of a table with a class and a sensitive value."""
    quasi, sensitive = table
    return pw.Release(table, quasi_identifiers=[quasi], sensitive=[sensitive])


def attack(tech: str, people: Table, released: Table, key: str, control: Table | None = None) -> Any:  # noqa: ANN401
    """Return what the old door answers for a synthetic table."""
    more = {} if control is None else {"control": control}
    return pw.PETValidation(released, people, tech, **more)[key]


def verdict(result: pw.Result) -> str:
    """Write a verdict as one word."""
    return "holds" if result.holds else "does not hold"


DIFFERENCES = [
    Difference(
        "A limit that is met exactly",
        {"released": SALARIES},
        "The class 197\\* is 3/8 from the whole table. Does t-closeness hold for t = 0.375?",
        (ARX, "does not hold"),
        lambda: verdict(by_class(SALARIES).ask(pw.TCloseness(t=0.375))),
        "3/8 is 0.375, and at most 0.375. Sums of floats come out a little above it; we compare fractions.",
        Chinese(
            "恰好等於門檻",
            "等價類 197\\* 與整個資料表相距 3/8。t = 0.375 時，是否滿足 t-相似性？",
            "3/8 就是 0.375，不超過 0.375。以浮點數加總會略大一些；我們比較的是分數。",
        ),
    ),
    Difference(
        "Two equally likely values",
        {"released": PAIR},
        "What is the entropy l-diversity?",
        (PYCANON, "1"),
        lambda: by_class(PAIR).ask(pw.LDiversity(variant="entropy")).exact,
        "The entropy is ln 2, so l is exp(ln 2) = 2. As a float that is 1.9999…, which pycanon cuts to a whole number.",
        Chinese(
            "兩個機會均等的值",
            "熵形式的 l-多樣性是多少？",
            "熵為 ln 2，故 l = exp(ln 2) = 2。以浮點數計算為 1.9999…，pycanon 將其捨去為整數。",
        ),
    ),
    Difference(
        "One value that dominates",
        {"released, ten rows counted": {"class": [0, 0, 0], "value": ["a", "b", "c"], "rows": [7, 2, 1]}},
        "Which c does recursive (c,3)-diversity need?",
        (PYCANON, "1"),
        lambda: (
            "more than "
            + str(
                by_class({"class": [0] * 10, "value": ["a"] * 7 + ["b"] * 2 + ["c"]})
                .ask(pw.LDiversity(variant="recursive", l=3))
                .exact
            )
        ),
        "The definition asks for 7 < c · 1.",
        Chinese(
            "一個值獨大",
            "遞迴 (c,3)-多樣性需要多大的 c？",
            "定義要求 7 < c · 1。",
        ),
    ),
    Difference(
        "A missing value",
        {"released": LONE},
        "What is k?",
        (PYCANON, "2"),
        lambda: pw.Release(LONE).ask("k-anonymity").exact,
        "The person without an age is alone. Grouping with pandas drops rows with missing values, and with them the very"
        " people who stand out. We take missing for a value of its own.",
        Chinese(
            "空白值",
            "k 是多少？",
            "沒有年齡的人自成一類。以 pandas 分組會捨棄含有空白值的資料列，也就捨棄了最與眾不同的人。我們將空白視為一種獨立的值。",
        ),
    ),
    Difference(
        "A suppressed row",
        {"released": HIDDEN},
        "What is k?",
        (PYCANON, "1"),
        lambda: pw.Release(HIDDEN).ask("k-anonymity").exact,
        "The suppressed row publishes nothing about its person, so it is in no class; every result says how many there are.",
        Chinese(
            "整列遮蔽的資料列",
            "k 是多少？",
            "整列遮蔽的資料列未發布該人的任何資料，故不屬於任何等價類；每項結果都會說明有多少列。",
        ),
    ),
    Difference(
        "A limit that no β satisfies",
        {"released": COUPLES},
        "What is the enhanced β-likeness?",
        (PYCANON, "0.693"),
        lambda: by_class(COUPLES).ask(pw.BetaLikeness(variant="enhanced")).value or "no value: it fails for every β",
        "In each class a value doubles its share of 1/2: an excess of 1, above -ln(1/2) = 0.693. Enhanced β-likeness caps the"
        " excess at -ln p whatever β is, so none will do. pycanon prints the cap.",
        Chinese(
            "任何 β 都不滿足的情形",
            "加強定義的 β-相像性是多少？",
            "在每個等價類中，都有一個值的占比由 1/2 加倍：增幅為 1，超過 -ln(1/2) = 0.693。不論 β 為何，加強定義的增幅都不得超過 -ln p，因此沒有任何 β 可行。pycanon 印出的是這個上限。",
        ),
    ),
    Difference(
        "Numbers that arrive as text",
        {"released": TEXT_NUMBERS},
        "How far is the farthest class?",
        (PYCANON, "0.5"),
        lambda: by_class(TEXT_NUMBERS).ask("t-closeness").exact,
        "A CSV file holds text; 1, 2 and 10 are numbers all the same, with an order. The equal distance, 1/2, is for values"
        ' without one (`distance="equal"` asks for it).',
        Chinese(
            "以文字讀入的數字",
            "距離最大的等價類有多遠？",
            'CSV 檔中都是文字；但 1、2、10 仍是數字，有其順序。等距的 1/2 適用於沒有順序的值（可用 `distance="equal"` 指定）。',
        ),
    ),
    Difference(
        "A row whose cells are all the same text",
        {"released": ALIKE},
        "How many rows are suppressed?",
        (ARX, "2"),
        lambda: pw.Release(ALIKE).ask("k-anonymity").scope.suppressed,
        "Somebody who lives and works in Taipei is not suppressed. Only a row of nothing but `*` is.",
        Chinese(
            "各儲存格文字都相同的資料列",
            "有多少列遭整列遮蔽？",
            "在台北居住、也在台北工作的人，並沒有被遮蔽。只有全部為 `*` 的資料列才是。",
        ),
    ),
    Difference(
        "A value that is on two levels",
        {
            "original": {"age": ["10", "12"]},
            "released": {"age": ["11", "11"]},
            "hierarchy of age": {"level 0": ["10", "11", "12"], "level 1": ["11"] * 3, "level 2": ["*"] * 3},
        },
        "What is the Precision?",
        (ARX, "1"),
        lambda: (
            pw.Release({"age": ["11", "11"]}, original={"age": ["10", "12"]}, hierarchies=BANDS).ask("Precision").exact
        ),
        "11 is a leaf, but here it stands for the band of 10 and 12: level 1 of 2. We look at the original; by the value alone"
        " nothing would seem lost.",
        Chinese(
            "同時在兩個層級的值",
            "精準度是多少？",
            "11 是葉節點，但在此代表 10 與 12 所屬的組：第 1 層／共 2 層。我們參照原始資料表；若只看值，會以為什麼都沒有損失。",
        ),
    ),
    Difference(
        "A hierarchy with a row twice",
        {
            "original": {"p": ["a", "b", "c"]},
            "released": {"p": ["g", "g", "h"]},
            "hierarchy of p": {"level 0": ["a", "a", "b", "c"], "level 1": ["g", "g", "g", "h"], "level 2": ["*"] * 4},
        },
        "How many of its leaves does g stand for?",
        (ARX, "3 of 4"),
        lambda: (
            f"{len(pw.Hierarchy('p', DOUBLED['p']).under('g', 1))} of {len(pw.Hierarchy('p', DOUBLED['p']).leaves)}"
        ),
        "A leaf is a value; written twice it is still one. Granularity and Ambiguity depend on it.",
        Chinese(
            "資料階層中重複的列",
            "g 代表其葉節點中的幾個？（代表的葉節點數／全部葉節點數）",
            "葉節點是一個值，寫兩次仍是一個。粒度與模糊度都取決於此。",
        ),
    ),
    Difference(
        "Suppressed cells and what a column reveals",
        {"released": STARS},
        "What are distinction and separation of r?",
        (ARX, "2/3 and 2/3"),
        lambda: "{} and {}".format(*_risk("r")),
        "All five rows are published, so every subset of columns is judged on the same five; ARX leaves out rows that are"
        " suppressed in the subset, and its figures for different subsets are then about different people.",
        Chinese(
            "遮蔽的儲存格，與欄位透露的資訊",
            "r 的區別度與分離度是多少？",
            "五列都已發布，因此各欄位子集都以相同的五列判斷；ARX 會略去在該子集中遭遮蔽的列，不同子集的數字就分屬不同的人。",
        ),
    ),
    Difference(
        "An attack that just breaks even",
        {"released": {"year": ["197*", "197*", "197*"]}},
        "An attack costs 100 and brings 300, the publisher loses 1,000,000 and gains 1,200. Is it profitable to publish?",
        (ARX, "yes"),
        lambda: "yes" if _breaking_even().holds else "no",
        "The expected gain, 300/3, equals the cost. ARX takes it that nobody attacks; we take it that somebody might.",
        Chinese(
            "恰好不賺不賠的攻擊",
            "攻擊的成本為 100、收益為 300，發布者損失 1,000,000、收益 1,200。發布是否划算？",
            "收益期望值 300/3 等於成本。ARX 認為沒有人會攻擊；我們認為可能有人會。",
        ),
    ),
    Difference(
        "A table of equal rows",
        {"original and released": {"age": ["30", "30"], "sex": ["f", "f"]}},
        "What are AECS, discernibility and Non-Uniform Entropy?",
        (ARX, "not a number"),
        lambda: ", ".join(
            _number(result) for result in _same().evaluate("AECS", "discernibility", "Non-Uniform Entropy")
        ),
        "Nothing could be lost and nothing was: 1.",
        Chinese(
            "資料列全都相同的資料表",
            "平均等價類大小、可辨識度與非均勻熵是多少？",
            "沒有什麼可以損失，也沒有損失：1。",
        ),
    ),
    Difference(
        "An attack that finds nobody",
        {"original": PATIENTS, "released": DRAWN},
        "What is the success rate of singling out?",
        ("Earlier versions", "above 0"),
        lambda: Fraction(attack("SinglingOutRisk", PATIENTS, DRAWN, "Success rate of main attack")),
        "Nobody of the original occurs exactly once in the release. The rate that was printed is the centre of an interval"
        " around the share of drawn attacks that were right; of 0, it is above 0, and the fewer attacks, the farther. We"
        " try everybody, print the share, and beside it how far it may exceed that of people who took no part.",
        Chinese(
            "找不到任何人的攻擊",
            "單獨識別的成功率是多少？",
            "原始資料中沒有任何人在發布資料表中恰好出現一次。舊版印出的成功率，是抽樣攻擊成功比例的區間中點；比例為 0 時，中點仍大於 0，抽樣越少，偏離越多。"
            "我們檢視每一個人，印出比例，並列出它最多可超出未參與者多少。",
        ),
    ),
    Difference(
        "A copy of the original",
        {"original and released": CODES, "hold-out": OTHER_CODES},
        "Was the table made with differential privacy?",
        ("Earlier versions", "Possibly Yes"),
        lambda: attack(
            "MIATest", CODES, CODES, "Does the data processed with differential privacy", control=OTHER_CODES
        ),
        "Everybody of the original scores higher than everybody else: they were in it. A table can refute such a claim, and"
        ' never prove it: "Possibly Yes" says that nothing was found.',
        Chinese(
            "原始資料的副本",
            "資料表是否以差分隱私產生？",
            "原始資料中每個人的分數都高於其他人，可見他們在其中。資料表可以推翻這種宣稱，但無法證明：「Possibly Yes」表示沒有發現什麼。",
        ),
    ),
    Difference(
        "More right about strangers",
        {"original": SURPRISED, "released": DRAWN, "hold-out: people who took no part": STRANGERS},
        "By how much is the release more often right about the illness of its people than of others?",
        None,
        lambda: (
            pw.Release(
                DRAWN,
                original=SURPRISED,
                holdout=STRANGERS,
                synthetic=True,
                quasi_identifiers=["age"],
                sensitive=["ill"],
            )
            .ask("AttributeDisclosure")
            .parts["excess"]
            .exact
        ),
        "It names the right illness of one of four of its people, and of two of four others. The difference is below zero"
        " and stays so: cut at zero, or divided by what the others leave, it would look like a result of its own.",
        Chinese(
            "對未參與者說中更多",
            "發布資料表說中自己人的疾病，比說中其他人多多少？",
            "四人中說中一人，其他四人中說中兩人。差為負數，我們照實呈現：若截為 0，或再除以其他人所餘的比例，就會像是另一種結果。",
        ),
    ),
    Difference(
        "A missing value that is guessed",
        {"original": GAPS, "released": GAPS_DRAWN},
        "Of how many people does the release give the illness away?",
        None,
        lambda: (
            pw.Release(GAPS_DRAWN, original=GAPS, synthetic=True, quasi_identifiers=["age"], sensitive=["ill"])
            .ask("AttributeDisclosure")
            .exact
        ),
        "Missing is a value as any other: the person without an age is found by that, and their illness with it. Leaving"
        " such rows out would say that nobody is found.",
        Chinese(
            "猜中空白的人",
            "發布資料表透露了多少人的疾病？",
            "空白與其他值一樣是值：沒有年齡的人因此被找到，疾病也隨之透露。略去這些資料列，就會以為沒有任何人被找到。",
        ),
    ),
]


def _number(result: pw.Result) -> str:
    return str(Fraction(result.value or 0))


def _same() -> pw.Release:
    table = {"age": ["30", "30"], "sex": ["f", "f"]}
    return pw.Release(table, original=table)


def _risk(name: str) -> tuple[object, object]:
    part = pw.Release(STARS).ask("attribute risk").parts[name]
    return part.exact, part.figures["separation"]


def _breaking_even() -> pw.Result:
    question = pw.Profitability(cost=100, gain=300, loss=1_000_000, benefit=1200)
    return pw.Release({"year": ["197*", "197*", "197*"]}).ask(question)


LARGE = """## Large tables

Counts must not overflow. In a million rows, a class of 10,000 whose hierarchical distance is about 0.4 passes t = 0.05 in
{arx}, because products of counts leave 32 bits. We multiply in 64 bits, and in Python's own integers where these do not do.

## Population uniqueness

{arx} misprints both equations of the SNB model: for the Adult data, eight quasi-identifiers and a population of 33,513, it
gives 0.3794, the equations as published 0.3832. Where a model finds no solution it prints 0, as if nobody were unique; we
print no value, and why.

## Scripts of old

The predecessor let a YAML file beside the data override what the script said, read with a loader that can run code. Here
the script wins, and YAML is only data. Its t-closeness was decided in 32-bit floats; ours is exact.
"""
CHINESE_LARGE = """## 大型資料表

次數不得溢位。在一百萬列的資料表中，{arx} 會讓一個 10,000 列、階層距離約 0.4 的等價類通過 t = 0.05，因為次數的乘積超出 32 位元。我們以 64 位元相乘；不敷使用時，改用 Python 本身的整數。

## 母體唯一性

{arx} 的 SNB 模型兩個方程式都寫錯了：以 Adult 資料、八個準識別屬性、母體 33,513 人計算，它得到 0.3794，依論文的方程式則為 0.3832。模型無解時，它印出 0，彷彿沒有人獨一無二；我們則不提供數值，並說明原因。

## 舊程式

舊版讓資料旁的 YAML 檔覆寫程式所寫的內容，而且讀取方式可以執行程式碼。在此以程式為準，YAML 只當作資料讀取。舊版的 t-相似性以 32 位元浮點數判定；我們的判定是精確的。
"""


def page() -> str:
    """Write the whole page."""
    return _page([INTRO, *(difference.markdown() for difference in DIFFERENCES), LARGE])


def chinese_page() -> str:
    """Write the whole page in Chinese."""
    return _page([CHINESE_INTRO, *(difference.chinese_markdown() for difference in DIFFERENCES), CHINESE_LARGE])


def _page(sections: list[str]) -> str:
    return "\n".join(sections).replace("{arx}", ARX).replace("{pycanon}", PYCANON)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    CHINESE_PAGE.write_text(chinese_page(), encoding="utf-8")
