"""A release in which every value shows by its prefix whether it may be published.

ZZ and 888..: values of the original or the population that the release does not have. QQ: identifiers, cells of
insensitive columns, and values of quasi-identifiers that occur only in classes of fewer than five people. XX and
987654: sensitive values that fewer than five people of any class have.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

NEVER = ("ZZ", "NameQQ", "NoteQQ", *(f"888{number:02}" for number in range(1, 49)))
GUARDED = ("QQ", "XX", "987654")

Person = tuple[str, str, str, str]  # place, age, illness, salary
CLASSES: dict[tuple[str, str], dict[str, int]] = {
    ("Bigtown", "88800-88849"): {"flu": 30, "cold": 23, "ulcer": 5, "RareXX": 3},
    ("Midtown", "88800-88849"): {"flu": 20, "cold": 17, "ThinXX": 4},
    ("Bigtown", "88850-88899"): {"flu": 9, "ulcer": 7, "ThinXX": 4, "RareXX": 3},
    ("Midtown", "88850-88899"): {"flu": 2, "cold": 3, "ThinXX": 2},
    ("TinyQQ1", "88800-88849"): {"flu": 1},
    ("TinyQQ2", "88800-88849"): {"cold": 2, "SoleXX": 2},
    ("SpreadQQ", "88800-88849"): {"flu": 3},
    ("SpreadQQ", "88850-88899"): {"flu": 2, "OnlyXX": 2},
    ("*", "*"): {"flu": 1, "GoneXX": 2},
}
ILLNESSES = [
    *((one, "lung", "any") for one in ("flu", "cold", "ThinXX")),
    *((one, "stomach", "any") for one in ("ulcer", "SoleXX")),
    *((one, f"Node{one}", "any") for one in ("RareXX", "OnlyXX", "GoneXX")),
]
POLICY = """\
version = 1
title = "Seeded"
[data]
released = "released.csv"
original = "original.csv"
population = "population.csv"
hierarchies = "hierarchies"
[roles]
identifiers = ["name"]
quasi_identifiers = ["place", "age"]
sensitive = ["illness", "salary"]
the_rest = "insensitive"
[[require]]
measure = "k-anonymity"
k = 5
[[require]]
measure = "t-closeness"
t = 0.01
[[require]]
measure = "l-diversity"
l = 4
[[require]]
measure = "Precision"
at_least = 0.9
"""


def people() -> list[Person]:
    found = []
    for (place, age), illnesses in CLASSES.items():
        for illness, many in illnesses.items():
            rare = "XX" in illness or "QQ" in place
            found += [(place, age, illness, f"987654{row}" if rare else str(1000 * (row % 2))) for row in range(many)]
    return found


def write(folder: Path, policy: str = POLICY) -> Path:
    """Write tables, hierarchies and the policy; return the path of the policy."""
    rows = people()
    streets = [f"StreetZZ{number}" for number in range(len(rows))]
    ages = [f"888{number % 48 + 1 + 50 * (age[:5] == '88850'):02}" for number, (_, age, *_) in enumerate(rows)]
    table = [(f"NameQQ{number}", *person[:2], f"NoteQQ{number}", *person[2:]) for number, person in enumerate(rows)]
    places = {
        street: person[0] if person[0] != "*" else "Bigtown" for street, person in zip(streets, rows, strict=True)
    }
    (folder / "hierarchies").mkdir()
    _csv(folder / "released.csv", ["name", "place", "age", "note", "illness", "salary"], table)
    _csv(folder / "original.csv", ["place", "age"], zip(streets, ages, strict=True))
    strangers = [("StrangerZZ", "88899"), ("StrangerZZ", "88801")]
    _csv(folder / "population.csv", ["place", "age"], [*zip(streets, ages, strict=True), *strangers])
    trees = {
        "place": [*((street, place, "*") for street, place in places.items()), ("StrangerZZ", "AbsentQQ", "*")],
        "age": [(f"888{year:02}", "88800-88849" if year < 50 else "88850-88899", "*") for year in range(100)],
        "illness": ILLNESSES,
    }
    for name, lines in trees.items():
        _csv(folder / "hierarchies" / f"seeded_hierarchy_{name}.csv", None, lines)
    (folder / "policy.toml").write_text(policy, encoding="utf-8")
    return folder / "policy.toml"


def _csv(path: Path, header: Sequence[str] | None, rows: Iterable[Sequence[str]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=";").writerows([*([header] if header else []), *rows])
