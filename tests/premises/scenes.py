"""A small project in which all premises hold, and for each premise a change of it after which that one fails."""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from pathlib import Path

ROWS = 40
HAN = "春夏秋冬風花雪月山水雲雨日星石木竹蘭梅菊"
BASE = {
    "sex": ["F" if row % 2 else "M" for row in range(ROWS)],
    "age": ["20-39" if row < ROWS // 2 else "40-59" for row in range(ROWS)],
    "diag": [("flu", "gout", "asthma")[row % 3] for row in range(ROWS)],
    "ward": ["A" if row % 4 < 2 else "B" for row in range(ROWS)],
}
RAW = {**BASE, "age": [str((20 if row < ROWS // 2 else 40) + row % 20) for row in range(ROWS)]}
TREE = [(str(age), "20-39" if age < 40 else "40-59", "*") for age in range(20, 60)]
POLICY = """\
version = 1
title = "A scene"
[data]
released = "released.csv"
original = "original.csv"
hierarchies = "trees"
[roles]
quasi_identifiers = ["sex", "age"]
{roles}
the_rest = "insensitive"
{require}
{more}
[anonymize]
levels = {{ sex = 0, age = 1 }}
"""
K5, L2 = '[[require]]\nmeasure = "k-anonymity"\nk = 5\n', '[[require]]\nmeasure = "l-diversity"\nl = 2\n'


@dataclass(frozen=True)
class Scene:
    """What is changed of the project, and the acceptance after which the premise stands."""

    released: dict = field(default_factory=dict)  # columns in place of those of the base; None: left out
    original: dict = field(default_factory=dict)
    roles: str = 'sensitive = ["diag"]'
    require: str = K5 + L2
    more: str = ""
    accept: str = ""
    told: str = ""  # what the text says of it, in English
    made: bool = True  # True: a release that is made of the original fails, too


def lone(prefix):
    return [f"{prefix}{row}" for row in range(ROWS)]


def some(value, other, rows):
    return [value if row in rows else other for row in range(ROWS)]


NOTES = [
    f"the {HAN[row % 20]}{HAN[row // 20]} complains about pain and fever today {'again ' * (row % 3)}"
    for row in range(ROWS)
]
CALLS = some("please call 0912-345-678", "nothing", range(8))
FEES = [str(1000 + 7 * row) for row in range(ROWS)]
PATIENTS = [f"P{row // 2}" for row in range(ROWS)]
FEW = some("B", "A", (0, 2, 4))

SCENES = {
    "requirement": Scene(
        require=K5.replace("5", "1"),
        more='[[accept]]\npremise = "covered"\ncolumns = ["diag"]\nwhy = "everybody knows it"\n',
        accept='premise = "requirement"',
        told="that a table can fail",
    ),
    "identifiers": Scene(
        released={"name": lone("x")},
        original={"name": lone("n")},
        roles='sensitive = ["diag"]\nidentifiers = ["name"]',
        accept='premise = "identifiers"\ncolumns = ["name"]\nat_most = 40',
        told="name: 40 rows have a value",
        made=False,
    ),
    "columns": Scene(
        released={"added": ["x"] * ROWS},
        accept='premise = "columns"\ncolumns = ["added"]',
        told="added is not in the original",
        made=False,
    ),
    "contents": Scene(
        released={"note": CALLS},
        original={"note": CALLS},
        accept='premise = "contents"\ncolumns = ["note"]\nof = ["mobile"]\nat_most = 8',
        told="note: mobile numbers in 8 rows",
    ),
    "free_text": Scene(
        released={"note": NOTES},
        original={"note": NOTES},
        more='[[accept]]\npremise = "rest"\ncolumns = ["note"]\nwhy = "nobody outside knows the notes"\n',
        accept='premise = "free_text"\ncolumns = ["note"]',
        told="note: 40 of 40 cells",
    ),
    "people": Scene(
        released={"patient_id": ["*"] * ROWS},
        original={"patient_id": PATIENTS},
        roles='sensitive = ["diag"]\nidentifiers = ["patient_id"]',
        accept='premise = "people"',
        told="patient_id: 40 rows, 20 values",
    ),
    "covered": Scene(
        require=K5, accept='premise = "covered"\ncolumns = ["diag"]', told="diag: 3 values, and no requirement"
    ),
    "fingerprint": Scene(
        released={"fee": FEES},
        original={"fee": FEES},
        roles='sensitive = ["diag", "fee"]',
        accept='premise = "fingerprint"\ncolumns = ["fee"]',
        told="fee: 40 of 40 people have a value that nobody else has",
    ),
    "rest": Scene(
        released={"code": FEES},
        original={"code": FEES},
        accept='premise = "rest"\ncolumns = ["code"]\nat_most = 40',
        told="40 of 40 people are alone",
    ),
    "adversaries": Scene(
        released={"ward": FEW},
        original={"ward": FEW},
        more='[[adversary]]\nname = "neighbour"\nknows = ["ward"]\n',
        accept='premise = "adversaries"\ncolumns = ["neighbour"]\nat_most = 3',
        told="neighbour finds 3 of 40 people",
    ),
    "changed": Scene(
        original={"age": BASE["age"]},
        accept='premise = "changed"',
        told="40 rows, the same as those of the original",
        made=False,
    ),
}
REASON = "read by two people on 2026-11-18"


def write_scene(folder: Path, scene: Scene, *, accepted: bool = False) -> Path:
    """Write the project of a scene; return the path of its policy."""
    tables = {"released.csv": BASE | scene.released, "original.csv": RAW | scene.original}
    for name, table in tables.items():
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([list(table), *zip(*table.values(), strict=True)])
    (folder / "trees").mkdir(exist_ok=True)
    same = scene.original.get("age") == BASE["age"]
    rows = [("20-39", "*"), ("40-59", "*")] if same else TREE
    (folder / "trees" / "t_hierarchy_age.csv").write_text("\n".join(map(";".join, rows)) + "\n", encoding="utf-8")
    accept = f'[[accept]]\n{scene.accept}\nwhy = "{REASON}"\n' if accepted else ""
    text = POLICY.format(roles=scene.roles, require=scene.require, more=scene.more + accept)
    path = folder / "policy.toml"
    path.write_text(text, encoding="utf-8")
    return path
