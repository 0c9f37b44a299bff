"""Fuzzers: ``make fuzz MINUTES=5``, or ``python tools/fuzz --minutes 5 --seed 1 csv parquet``.

Each fuzzer is a function that takes a seed, runs one case, and returns what is wrong with it, or "" if nothing is. A
case that failed is run again by ``--seed N --cases 1``. Further fuzzers register themselves in `FUZZERS`.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections.abc import Callable
from importlib import import_module
from itertools import count
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[2] / "tests")]

FUZZERS = {  # name: module and function; the module is imported when its turn comes
    "tables": "fuzz_tables:case",
    "extremes": "fuzz_extremes:case",
    "csv": "fuzz_csv:case",
    "parquet": "fuzz_parquet:case",
    "policies": "fuzz_policies:case",
    "guard": "laws.attack:attack",
}
SHOWN = 3  # most findings that are printed for each fuzzer


def run(name: str, seconds: float, first: int, cases: int | None) -> int:
    """Run a fuzzer until the time is up; print how many cases it ran and what it found, and return how many failed."""
    module, _, function = FUZZERS[name].partition(":")
    try:
        case: Callable[[int], str | None] = getattr(import_module(module), function)
    except ModuleNotFoundError as error:
        print(f"{name}: not run ({error})")
        return 0
    end, ran, found = time.monotonic() + seconds, 0, list[tuple[int, str]]()
    for seed in count(first):
        if (time.monotonic() > end) if cases is None else (ran >= cases):
            break
        try:
            wrong = case(seed)
        except Exception:  # noqa: BLE001 (a finding like any other)
            wrong = traceback.format_exc()
        if wrong:
            found.append((seed, str(wrong)))
        ran += 1
    print(f"{name}: {ran:,} cases from seed {first}, {len(found):,} failed")
    for seed, wrong in found[:SHOWN]:
        print(f"  seed {seed}: {wrong}")
    return len(found)


def main() -> int:
    """Run the named fuzzers, or all; return 1 if one of them found something."""
    parser = argparse.ArgumentParser(description="Run the fuzzers, one after the other.")
    parser.add_argument("names", nargs="*", choices=[*FUZZERS, []], help=f"{', '.join(FUZZERS)} (default: all)")
    parser.add_argument("--minutes", type=float, default=5, help="for all of them together (default: 5)")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="of the first case (default: the time)")
    parser.add_argument("--cases", type=int, help="how many cases of each, whatever the time")
    options = parser.parse_args()
    names = options.names or list(FUZZERS)
    seconds = options.minutes * 60 / len(names)
    return 1 if sum(run(name, seconds, options.seed, options.cases) for name in names) else 0


if __name__ == "__main__":
    sys.exit(main())
