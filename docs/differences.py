"""Writes differences.md: where our answer deliberately differs from other tools. Our side is computed, here and in tests.

``python docs/differences.py`` writes the page anew; a test fails when it is out of date.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import PETWorks as pw

PAGE = Path(__file__).with_name("differences.md")
ARX = "ARX 3.9.2"
PYCANON = "pycanon 1.3.6"
INTRO = """# Where our answer differs

The same table can get another answer from another tool. These differences are deliberate; each is shown on a table small
enough to check by hand. Our side of this page is computed by `docs/differences.py` whenever the tests run. The answers of
{pycanon} were obtained by running it on these tables, those of {arx} by running it on these or on larger tables that show the
same rule at work.
"""

Table = dict[str, list[Any]]


@dataclass(frozen=True)
class Difference:
    """One question to which tools give different answers."""

    title: str
    tables: dict[str, Table]
    question: str
    theirs: tuple[str, str]
    ours: Callable[[], object]
    why: str

    def markdown(self) -> str:
        """Write a section: the table, the answers, who is right."""
        parts = [f"## {self.title}\n"]
        for name, table in self.tables.items():
            rows = zip(*table.values(), strict=True)
            cells = [
                " | ".join("(missing)" if cell is None else str(cell).replace("*", "\\*") for cell in row)
                for row in rows
            ]
            parts.append(
                f"{name}:\n\n| {' | '.join(table)} |\n|{' --- |' * len(table)}\n"
                + "\n".join(f"| {row} |" for row in cells)
                + "\n"
            )
        who, answer = self.theirs
        parts.append(f"{self.question} **{who}**: {answer}. **PETWorks**: {self.ours()}.\n")
        return "\n".join([*parts, f"{self.why}\n"])


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


def by_class(table: Table) -> pw.Release:
    """Make a release of a table with a class and a sensitive value."""
    quasi, sensitive = table
    return pw.Release(table, quasi_identifiers=[quasi], sensitive=[sensitive])


def verdict(result: pw.Result) -> str:
    """Write a verdict in a word."""
    return "holds" if result.holds else "does not hold"


DIFFERENCES = [
    Difference(
        "A limit that is met exactly",
        {"released": SALARIES},
        "The class 197\\* is 3/8 from the whole table. Does t-closeness hold for t = 0.375?",
        (ARX, "does not hold"),
        lambda: verdict(by_class(SALARIES).ask(pw.TCloseness(t=0.375))),
        "3/8 is 0.375, and at most 0.375. Sums of floats come out a little above it; we compare fractions.",
    ),
    Difference(
        "Two equally likely values",
        {"released": PAIR},
        "What is the entropy l-diversity?",
        (PYCANON, "1"),
        lambda: by_class(PAIR).ask(pw.LDiversity(variant="entropy")).exact,
        "The entropy is ln 2, so l is exp(ln 2) = 2. As a float that is 1.9999…, which pycanon cuts to a whole number.",
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
    ),
    Difference(
        "A missing value",
        {"released": LONE},
        "What is k?",
        (PYCANON, "2"),
        lambda: pw.Release(LONE).ask("k-anonymity").exact,
        "The person without an age is alone. Grouping with pandas drops rows with missing values, and with them the very"
        " people who stand out. We take missing for a value of its own.",
    ),
    Difference(
        "A suppressed row",
        {"released": HIDDEN},
        "What is k?",
        (PYCANON, "1"),
        lambda: pw.Release(HIDDEN).ask("k-anonymity").exact,
        "The suppressed row publishes nothing about its person, so it is in no class; every result says how many there are.",
    ),
    Difference(
        "A limit that no β satisfies",
        {"released": COUPLES},
        "What is the enhanced β-likeness?",
        (PYCANON, "0.693"),
        lambda: by_class(COUPLES).ask(pw.BetaLikeness(variant="enhanced")).value or "no value: it fails for every β",
        "In each class a value doubles its share of 1/2: an excess of 1, above -ln(1/2) = 0.693. Enhanced β-likeness caps the"
        " excess at -ln p whatever β is, so none will do. pycanon prints the cap.",
    ),
    Difference(
        "Numbers that arrive as text",
        {"released": TEXT_NUMBERS},
        "How far is the farthest class?",
        (PYCANON, "0.5"),
        lambda: by_class(TEXT_NUMBERS).ask("t-closeness").exact,
        "A CSV file holds text; 1, 2 and 10 are numbers all the same, with an order. The equal distance, 1/2, is for values"
        ' without one (`distance="equal"` asks for it).',
    ),
    Difference(
        "A row whose cells are all the same text",
        {"released": ALIKE},
        "How many rows are suppressed?",
        (ARX, "2"),
        lambda: pw.Release(ALIKE).ask("k-anonymity").scope.suppressed,
        "Somebody who lives and works in Taipei is not suppressed. Only a row of nothing but `*` is.",
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
    ),
    Difference(
        "Suppressed cells and what a column reveals",
        {"released": STARS},
        "What are distinction and separation of r?",
        (ARX, "2/3 and 2/3"),
        lambda: "{} and {}".format(*_risk("r")),
        "All five rows are published, so every subset of columns is judged on the same five; ARX leaves out rows that are"
        " suppressed in the subset, and its figures for different subsets are then about different people.",
    ),
    Difference(
        "An attack that just breaks even",
        {"released": {"year": ["197*", "197*", "197*"]}},
        "An attack costs 100 and brings 300, the publisher loses 1,000,000 and gains 1,200. Is it profitable to publish?",
        (ARX, "yes"),
        lambda: "yes" if _breaking_even().holds else "no",
        "The expected gain, 300/3, equals the cost. ARX takes it that nobody attacks; we take it that somebody might.",
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


def page() -> str:
    """Write the whole page."""
    sections = [INTRO, *(difference.markdown() for difference in DIFFERENCES), LARGE]
    return "\n".join(sections).replace("{arx}", ARX).replace("{pycanon}", PYCANON)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
