"""Run the benchmark: ``python bench/run.py [--sizes ROWS ...] [--cases NAME ...]``.

Every contestant runs in a process of its own. First each runs once, to measure the peak of its memory. Then they take
turns, so that other work on the machine slows all of them equally. The results of all cases at all sizes are saved in
``bench/results.json`` and published; those of a smaller run are only printed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import environment
import machine
import publish
from cases import CASES, SIZES, Arguments
from data import FOLDER

HERE = Path(__file__).parent
ONCE = ("pycanon_nine",)  # contestants that run only once, since they take minutes
PATIENCE = 7200  # seconds after which a process is stopped
LAST = 200  # most characters of an error message that are kept


def one(contestant: str, arguments: Arguments, times: int) -> dict[str, Any]:
    """Run a contestant in its own process. If it fails, return the reason, so that the others still run."""
    name = contestant.partition(":")[0]
    job = json.dumps({"contestant": name, "arguments": arguments, "times": times})
    try:
        python = environment.python() if name == "pycanon_nine" else sys.executable
        command = [str(python), str(HERE / "contestants.py"), job]
        done = subprocess.run(command, check=True, capture_output=True, encoding="utf-8", timeout=PATIENCE)  # noqa: S603
    except environment.UnavailableError as error:
        return {"skipped": str(error)}
    except subprocess.CalledProcessError as error:
        said = (error.stderr or "").strip().splitlines() or [f"exit code {error.returncode}"]
        return {"failed": said[-1].replace(str(HERE.parent), ".").replace("|", "/")[:LAST]}
    except subprocess.TimeoutExpired:
        return {"failed": f"not done after {PATIENCE} seconds"}
    came: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return came


def take_turns(name: str, rows: int, rounds: int, times: int) -> dict[str, Any]:
    """Run the contestants of a case in rounds, and return their times and peaks of memory."""
    contestants: dict[str, dict[str, Any]] = {}
    plan = CASES[name].plan(rows)
    for number in range(rounds + 1):
        print(f"{name}, {rows:,} rows, round {number} of {rounds}:", end="", flush=True)
        for contestant, arguments in plan.items():
            kept = contestants.setdefault(contestant, {})
            if number and ("seconds" not in kept or contestant in ONCE):
                continue
            came = one(contestant, arguments, times if number else 1)
            if number:
                for key in ("seconds", "processor"):
                    kept[key] += came.get(key, [])
            else:
                kept.update(came)
            best = min(came["seconds"]) if "seconds" in came else "; ".join(f"{key}: {came[key]}" for key in came)
            print(f"  {contestant} {best:.3f} s" if isinstance(best, float) else f"  {contestant} {best}", end="")
            sys.stdout.flush()
        print()
    return {"case": name, "rows": rows, "contestants": contestants}


def run(cases: Iterable[str], sizes: Iterable[int], rounds: int, times: int) -> dict[str, Any]:
    """Run the cases, each at its smallest size first."""
    chosen = [(rows, name) for name in cases for rows in CASES[name].sizes(sizes)]
    facts = machine.facts(pycanon="pycanon" in cases) | {"rounds": rounds, "times": times}
    order = list(CASES)
    work = sorted(chosen, key=lambda one: (order.index(one[1]), one[0]))
    return {"machine": facts, "results": [take_turns(name, rows, rounds, times) for rows, name in work]}


def main(words: list[str] | None = None) -> None:
    """Run the chosen cases and print the results; publish them if these are all cases at all sizes."""
    parser = argparse.ArgumentParser(description="Compare the speed of PETWorks with that of other packages.")
    parser.add_argument("--sizes", nargs="+", type=int, default=list(SIZES), metavar="ROWS", help="sizes of the tables")
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES), help="cases to run")
    parser.add_argument("--rounds", type=int, default=2, help="number of rounds after the first")
    parser.add_argument("--times", type=int, default=3, help="number of runs of each contestant in a round")
    asked = parser.parse_args(words)
    came = run(asked.cases, asked.sizes, asked.rounds, asked.times)
    everything = set(asked.cases) == set(CASES) and set(asked.sizes) >= set(SIZES)
    path = publish.RESULTS if everything else FOLDER / "results.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(came, indent=1) + "\n", encoding="utf-8")
    print(f"\n{publish.table(came, 'en')}\n")
    if everything:
        publish.main()


if __name__ == "__main__":
    main()
