"""Time the premises of hospital visits with notes against counting them: ``python bench/premises.py [ROWS]``.

Prints seconds of processor time: of evaluating k-anonymity, and of a check that also judges the premises, whose rows
are read in the same pass; and microseconds for each distinct text.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import TypeVar

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import PETWorks as pw
from PETWorks.premises.contents import find_identifiers
from PETWorks.premises.known_values import KnownValues
from support.notes import CLEAN, make_note, make_people

T = TypeVar("T")
ROWS = 1_000_000
SHORT = ("無", "同前", "已回電", "家屬陪同", "拒絕抽血")
ROLES = {
    "quasi_identifiers": ["sex", "age", "town", "ward"],
    "sensitive": ["diagnosis"],
    "insensitive": ["visit", "fee", "drug", "nurse", "note"],
}


def write_visits(path: Path, rows: int, own: float = 0.1) -> None:
    """Write visits, of which a share has a note of its own."""
    chance = Random(1)  # noqa: S311 (a table, not a secret)
    people = make_people(chance, 1000)
    with path.open("w", encoding="utf-8") as file:
        file.write("sex,age,town,ward,diagnosis,visit,fee,drug,nurse,note\n")
        for row in range(rows):
            text = make_note(chance, people, 0.01).text if chance.random() < own else chance.choice(SHORT)
            cells = (
                *("MF"[row % 2], 10 * chance.randrange(9), f"T{chance.randrange(20)}", f"W{chance.randrange(12)}"),
                *(f"D{chance.randrange(40)}", f"2024-{chance.randrange(1, 13):02}", 50 * chance.randrange(40)),
                *(f"N02BE{chance.randrange(60):02}", f"S{chance.randrange(30)}", f'"{text}"'),
            )
            file.write(",".join(map(str, cells)) + "\n")


def measure(path: Path, work: Callable[[pw.Release], T]) -> tuple[float, float, T]:
    """Return the processor time and the time by the clock that work on a release takes, and its result."""
    processor, clock = time.process_time(), time.perf_counter()
    result = work(pw.Release(path, **ROLES))
    return time.process_time() - processor, time.perf_counter() - clock, result


def main(rows: int) -> None:
    """Write the table, then measure and check it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "visits.csv"
        write_visits(path, rows)
        pw.Release({"note": list(CLEAN)}).check(pw.KAnonymity(k=1)).premises  # noqa: B018 (imports what it needs)
        counting, counting_clock, _ = measure(path, lambda release: release.evaluate(pw.KAnonymity(k=5)))
        checking, checking_clock, premises = measure(path, lambda release: release.check(pw.KAnonymity(k=5)).premises)
        print(f"{rows:,} rows: counting {counting:.2f} s, with premises {checking:.2f} s of processor time")
        texts = sorted({make_note(Random(row), make_people(Random(1), 50), 0.5).text for row in range(20_000)})  # noqa: S311
        start = time.process_time()
        find_identifiers("note", texts, KnownValues.of([]))
        each = 1e6 * (time.process_time() - start) / len(texts)
        print(f"premises take {checking / counting - 1:.2f} of counting; {each:.1f} µs for each text")
        print(f"by the clock: {counting_clock:.2f} s and {checking_clock:.2f} s")
        for one in premises:
            print(one.name, one.verdict, dict(list(one.columns.items())[:4]), dict(one.counts))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else ROWS)
