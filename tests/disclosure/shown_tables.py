"""Small tables of every kind that disclosure control tells apart, each as a folder with a policy.

Numbers are random, from fixed seeds. Every folder has a file ``policy.toml``, and what it names.
"""

from __future__ import annotations

import csv
import random
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from pathlib import Path

from PETWorks.demo import write_folder

Row = tuple[str, ...]
POLICY = """\
version = 1
title = "{title}"
[data]
released = "released.csv"
{data}
[roles]
quasi_identifiers = {quasi}
sensitive = ["ill"]
{roles}
[[require]]
measure = "k-anonymity"
k = 5
[[require]]
measure = "l-diversity"
l = 2
[[require]]
measure = "t-closeness"
t = "2/5"
[[require]]
measure = "(α,k)-anonymity"
alpha = "4/5"
k = 2
[[require]]
measure = "β-likeness"
beta = 2
[[require]]
measure = "re-identification"
highest = "1/5"
average = "1/10"
{more}
"""
LEVELS = """\
[[require]]
measure = "Precision"
at_least = "1/4"
[[require]]
measure = "granularity"
at_least = "1/4"
"""
ILLS = ("flu", "flu", "flu", "cold", "cold", "ulcer")
AGES = {f"{tens}0s": [f"{tens}{ones}" for ones in (1, 4, 7)] for tens in (2, 3, 4)}
SEXES = ("f", "m")
ORIGINAL = 'original = "original.csv"\nhierarchies = "hierarchies"'


def write_table(path: Path, names: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=";", lineterminator="\n").writerows([names, *rows])


def write_hierarchy(folder: Path) -> None:
    (folder / "hierarchies").mkdir(exist_ok=True)
    rows = [f"{leaf};{group};*" for group, leaves in AGES.items() for leaf in leaves]
    (folder / "hierarchies" / "h_hierarchy_age.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")


def write_policy(folder: Path, title: str, data: str = "", quasi: str = '["age", "sex"]', **more: str) -> None:
    text = POLICY.format(title=title, data=data, quasi=quasi, roles=more.get("roles", ""), more=more.get("more", ""))
    (folder / "policy.toml").write_text(text, encoding="utf-8")


def draw_original(sizes: Mapping[tuple[str, str], int], seed: int) -> list[Row]:
    """Return rows of an original, so many for each group of ages and sex."""
    chance = random.Random(seed)
    return [
        (chance.choice(AGES[age]), sex, chance.choice(ILLS)) for (age, sex), many in sizes.items() for _ in range(many)
    ]


def lift(row: Row) -> Row:
    return f"{row[0][0]}0s", *row[1:]


def write_pair(folder: Path, title: str, original: list[Row], released: list[Row]) -> None:
    names = ("age", "sex", "ill")
    write_table(folder / "original.csv", names, original)
    write_table(folder / "released.csv", names, released)
    write_hierarchy(folder)
    write_policy(folder, title, ORIGINAL, more=LEVELS)


def write_exact(folder: Path) -> None:
    """Every class has five people or more."""
    original = draw_original(dict(zip(product(AGES, SEXES), (12, 7, 9, 30, 5, 11), strict=True)), 1)
    write_pair(folder, "Everything exact", original, list(map(lift, original)))


def write_small_classes(folder: Path) -> None:
    """Some classes are small, and each of them could be another one."""
    chance = random.Random(2)
    places = ("north", "south", "east", "west")
    people = dict(
        zip(
            product(AGES, SEXES, places),
            (9, 12, 6, 1, 14, 0, 2, 8, 11, 7, 0, 9, 3, 8, 13, 6, 0, 1, 9, 12, 7, 10, 6, 2),
            strict=True,
        )
    )
    rows = [(*values, chance.choice(ILLS)) for values, many in people.items() for _ in range(many)]
    write_table(folder / "released.csv", ("age", "sex", "place", "ill"), rows)
    write_policy(folder, "Small classes", quasi='["age", "sex", "place"]')


def write_unlabelled(folder: Path) -> None:
    """One quasi-identifier with a small class, which could be no other."""
    chance = random.Random(3)
    sizes = {"20s": 14, "30s": 3, "40s": 22}
    rows = [(age, chance.choice(ILLS)) for age, many in sizes.items() for _ in range(many)]
    write_table(folder / "released.csv", ("age", "ill"), rows)
    write_policy(folder, "A small class that could be worked out", quasi='["age"]')


def write_mixed_levels(folder: Path) -> None:
    """Some cells of a column are on another level than others, and few people are in some classes."""
    original = draw_original(dict(zip(product(AGES, SEXES), (12, 7, 9, 30, 6, 11), strict=True)), 4)
    released = [row if row[0] in {"21", "44"} else lift(row) for row in original]
    write_pair(folder, "Mixed levels", original, released)


def write_few_suppressed(folder: Path) -> None:
    """Every class has five people or more, but only two rows are suppressed."""
    original = draw_original(dict(zip(product(AGES, SEXES), (12, 7, 9, 30, 2, 11), strict=True)), 5)
    released = [("*", "*", row[2]) if lift(row)[:2] == ("40s", "f") else lift(row) for row in original]
    write_pair(folder, "Few suppressed rows", original, released)


def write_compared(folder: Path) -> None:
    """Two releases of one original: a class of one is small in the finer one only."""
    original = draw_original(dict(zip(product(AGES, SEXES), (12, 17, 9, 30, 3, 11), strict=True)), 7)
    write_pair(folder, "Two releases", original, list(map(lift, original)))
    write_table(folder / "coarse.csv", ("age", "sex", "ill"), [(lift(row)[0], "*", row[2]) for row in original])


def write_several_rows(folder: Path) -> None:
    """People have several rows, some classes have few people."""
    chance = random.Random(6)
    rows = []
    for number in range(45):
        age, sex = chance.choice((*AGES, "20s")), chance.choice("fffm")
        rows += [(f"P{number:02}", age, sex, chance.choice(ILLS)) for _ in range(chance.choice((1, 1, 2, 4)))]
    rows += [("P90", "40s", "x", "ulcer")] * 6
    write_table(folder / "released.csv", ("who", "age", "sex", "ill"), rows)
    roles = 'identifiers = ["who"]'
    write_policy(folder, "Several rows per person", 'person = "who"\nknown = "one"', roles=roles)


def write_adult(folder: Path) -> None:
    """The demonstration: 30,162 rows."""
    write_folder(folder, "en")


TABLES: dict[str, Callable[[Path], None]] = {
    "adult": write_adult,
    "compared": write_compared,
    "exact": write_exact,
    "few_suppressed": write_few_suppressed,
    "mixed_levels": write_mixed_levels,
    "several_rows": write_several_rows,
    "small_classes": write_small_classes,
    "unlabelled": write_unlabelled,
}
COMMANDS = {"compared": ("compare", "--policy", "policy.toml", "released.csv", "coarse.csv")}  # others are checked
