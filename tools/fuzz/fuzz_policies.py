"""Random and mutated policies: an error of PETWorks, or an answer."""

from __future__ import annotations

import tempfile
from pathlib import Path
from random import Random

import PETWorks as pw
from support.process import POLICY, five_people

FOLDER = Path(tempfile.mkdtemp(prefix="petworks-fuzz-"))
VALUES = [
    "1",
    "-1",
    "0.5",
    '"2/5"',
    "true",
    "[]",
    "{}",
    '"x"',
    "nan",
    "1e400",
    "1979-05-27",
    '"\\u0000"',
    "9" * 30,
    '["year"]',
]
KEYS = [
    "k",
    "t",
    "l",
    "measure",
    "version",
    "key",
    "released",
    "sensitive",
    "at_least",
    "average",
    "why",
    "encoding",
    "x",
]


def case(seed: int) -> str:
    """Check one policy."""
    chance = Random(seed)
    lines = POLICY.splitlines()
    for _ in range(chance.randint(1, 4)):
        place = chance.randrange(len(lines))
        match chance.randrange(5):
            case 0:
                lines[place] = f"{chance.choice(KEYS)} = {chance.choice(VALUES)}"
            case 1:
                lines.insert(place, f"{chance.choice(KEYS)} = {chance.choice(VALUES)}")
            case 2:
                measure = chance.choice(list(pw.measures()))
                setting = f"{chance.choice(KEYS)} = {chance.choice(VALUES)}"
                lines.append(f'[[require]]\nmeasure = "{measure}"\n{setting}')
            case 3:
                del lines[place]
            case 4:
                at = chance.randrange(len(lines[place]) + 1)
                lines[place] = lines[place][:at] + chance.choice('"[]{}=.\\#\n\0é1') + lines[place][at:]
        lines = lines or ["x = 1"]
    policy = five_people(FOLDER, "\n".join(lines))
    try:
        pw.Policy(policy).check().to_json()
    except pw.PETWorksError:
        return ""
    except Exception as error:  # noqa: BLE001 (the finding)
        return f"{type(error).__name__}: {error}\n" + "\n".join(lines)
    return ""
