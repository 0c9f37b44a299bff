"""Numbers of full length, outliers, rates as floats, limits of twenty digits, unknown values, labels on two levels.

Each case makes or measures a small table and compares the answer with one from the definition: with exact fractions, or
with every level vector tried one by one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import chdir, suppress
from fractions import Fraction
from itertools import combinations, pairwise, product
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import PETWorks as pw
from PETWorks.errors import PETWorksError
from support.process import petworks

RANGE = re.compile(r"(-?\d+)(?:-(-?\d+))?")


def case(seed: int) -> str:
    """Run one case of one kind."""
    chance = Random(seed)
    kind: Callable[[Random], str] = chance.choice(KINDS)
    wrong = kind(chance)
    return f"{kind.__name__}: {wrong}" if wrong else ""


def draw_numbers(chance: Random) -> list[str]:
    """Draw numbers as a table has them: of one or two sorts, short, of full length, very large or very small."""
    sorts: tuple[Callable[[], str], ...] = (
        lambda: str(chance.randrange(-40, 40)),
        lambda: str(chance.randrange(-80, 80) / 10),
        lambda: repr(chance.gauss(0, 5)),
        lambda: repr(chance.random()),
        lambda: f"0.{chance.randrange(10**18):018}",
        lambda: f"{chance.randrange(10**6)}.{chance.randrange(10**18):018}",
        lambda: f"{chance.choice('-+ ').strip()}{chance.randrange(1, 10)}e{chance.randrange(10, 18)}",
    )
    chosen = chance.sample(sorts, chance.choice((1, 2, 2)))
    return sorted({chance.choice(chosen)() for _ in range(chance.randrange(2, 30))})


def check_intervals(chance: Random) -> str:
    """Check that every number lies in its interval."""
    numbers = draw_numbers(chance)
    width = chance.choice((1, 2, 10))
    bottom, top = -width * chance.randrange(1, 9), width * chance.randrange(1, 9)
    rule = pw.Hierarchy.intervals("z", widths=[width], bottom=bottom, top=top)
    roles: dict[str, Any] = {"quasi_identifiers": ["z"], "hierarchies": [rule], "levels": {"z": 1}}
    made = pw.anonymize({"z": numbers}, goals=pw.KAnonymity(1), **roles).frame("pyarrow").to_pydict()["z"]
    for number, label in zip(numbers, made, strict=True):
        value = Fraction(number)
        if found := RANGE.fullmatch(label):  # of whole numbers
            fits = Fraction(found[1]) <= value <= Fraction(found[2] or found[1])
        elif not label.startswith("["):
            fits = value < bottom if label.startswith("<") else value >= top
        else:
            low, high = (Fraction(end) for end in label.strip("[)").split(", "))
            fits = low <= value < high
        if not fits:
            return f"{number} is not in {label}"
    return ""


def check_means(chance: Random) -> str:
    """Check that groups of one column have the least squared error of all ranges; equal numbers stay together."""
    numbers = [str(chance.randrange(30)) for _ in range(chance.randrange(4, 9))]
    numbers += [chance.choice(("1e17", "-1e17", "123456789012345678", "0.1"))] * chance.randrange(1, 3)
    made = pw.anonymize({"z": numbers}, quasi_identifiers=["z"], goals=pw.KAnonymity(2), recoding="microaggregate")
    values = sorted(map(Fraction, numbers))

    def measure_cost(some: list[Fraction]) -> Fraction:
        mean = sum(some) / len(some)
        return sum(((one - mean) ** 2 for one in some), Fraction())

    size, best = len(values), None
    for many in range(size // 2):
        for cuts in combinations(range(2, size - 1), many):
            ends = [0, *cuts, size]
            if any(values[cut - 1] == values[cut] for cut in cuts):
                continue
            parts = [values[start:end] for start, end in pairwise(ends)]
            if min(map(len, parts)) >= 2:
                cost = sum(map(measure_cost, parts))
                best = cost if best is None else min(best, cost)
    groups: dict[str, list[Fraction]] = {}
    for number, label in zip(numbers, made.frame("pyarrow").to_pydict()["z"], strict=True):
        groups.setdefault(str(label), []).append(Fraction(number))
    found = sum(map(measure_cost, groups.values()))
    return "" if found == best else f"{numbers}: {float(found)} where {float(best or 0)} is possible"


def check_rates(chance: Random) -> str:
    """Check that a rate as a float suppresses what its fraction suppresses."""
    rows = chance.randrange(2, 12)
    table = {"a": [chance.choice("xyz") for _ in range(rows)]}
    part = chance.randrange(1, rows + 1)
    found = []
    for rate in (part / rows, f"{part}/{rows}"):
        try:
            goals = pw.KAnonymity(2)
            found.append(pw.anonymize(table, goals=goals, quasi_identifiers=["a"], suppress_at_most=rate).suppressed)
        except PETWorksError:
            found.append(-1)
    return "" if found[0] == found[1] else f"{table}, {part}/{rows}: {found}"


def check_limits(chance: Random) -> str:
    """Check that a limit of many digits gets a verdict, which is that of the fraction."""
    rows = chance.randrange(2, 20)
    table = {"a": [chance.choice("xy") for _ in range(rows)], "s": [chance.choice("123") for _ in range(rows)]}
    limit = f"{chance.randrange(10)}e-{chance.randrange(1, 25)}"
    result = pw.Release(table, quasi_identifiers=["a"], sensitive=["s"]).ask(pw.TCloseness(t=limit))
    wrong = result.exact is not None and result.holds is not (Fraction(result.exact) <= Fraction(limit))
    return f"{table}, t {limit}: {result.exact} holds {result.holds}" if wrong else ""


def draw_tree(chance: Random) -> list[tuple[str, ...]]:
    """Draw a hierarchy in which a label may stand on two levels."""
    leaves = [str(number) for number in range(chance.randrange(2, 6))]
    middle = [chance.choice(("low", leaves[0], "high")) for _ in leaves]
    middle[0] = chance.choice(("low", leaves[0]))
    if chance.random() < 0.3:
        middle = [chance.choice(("low", "30"))] * len(leaves)
    top = chance.choice(("*", "top", "50"))
    return [(leaf, label, top) for leaf, label in zip(leaves, middle, strict=True)]


def check_vectors(chance: Random) -> str:
    """Check that what is called proven is the best of all vectors, with unknown values and with a population."""
    tree = draw_tree(chance)
    leaves = [row[0] for row in tree]
    with_population, rows = chance.random() < 0.4, chance.randrange(2, 12)
    known = [*leaves, *(["strange"] if not with_population and chance.random() < 0.5 else [])]
    table = {"a": [chance.choice(known) for _ in range(rows)], "b": [chance.choice("xy") for _ in range(rows)]}
    asked: dict[str, Any] = {
        "quasi_identifiers": ["a", "b"],
        "hierarchies": {"a": tree},
        "goals": pw.KMap(k=3) if with_population else pw.KAnonymity(2),
        "suppress_at_most": chance.choice((0, "20%", 0.5)),
    }
    if with_population:
        more = [(chance.choice(leaves), chance.choice("xy")) for _ in range(20)]
        asked["population"] = {"a": [*table["a"], *(a for a, _ in more)], "b": [*table["b"], *(b for _, b in more)]}
    else:
        asked["unknown_values"] = "generalised"
    worths = []
    for vector in product(range(3), range(2)):
        try:
            one = pw.anonymize(table, levels=dict(zip("ab", vector, strict=True)), **asked)
            worths.append(one.worth)
        except PETWorksError:
            continue
    try:
        made = pw.anonymize(table, **asked)
    except PETWorksError as error:
        return f"{table}, {asked}: {error}, where {len(worths)} vectors do" if worths else ""
    if made.proven and worths and made.worth < max(worths) - 1e-12:
        return f"{table}, {asked}: {made.worth} is called the best, where {max(worths)} is possible"
    return ""


def check_pairing(chance: Random) -> str:
    """Check that Precision of a release with labels on two levels is the mean of the lowest levels that fit."""
    tree = draw_tree(chance)
    rows = chance.randrange(1, 5)
    original = [chance.choice(tree) for _ in range(rows)]
    released = [row[chance.randrange(3)] for row in original]
    asked = pw.Release({"a": released}, original={"a": [row[0] for row in original]}, hierarchies={"a": tree})
    found = asked.ask("Precision").exact
    levels = [row.index(label) for row, label in zip(original, released, strict=True)]
    expected = 1 - Fraction(sum(levels), 2 * rows)
    return "" if found == expected else f"{tree}, {released} of {original}: {found}, not {expected}"


def check_declared_codes(chance: Random) -> str:
    """Check that each value that a file of SPSS declares as missing is a value of its own."""
    import pandas as pd
    import pyreadstat

    declared = sorted(chance.sample(range(5, 10), chance.randrange(1, 4)))
    cells = [chance.choice([1, 2, 3, *declared, None]) for _ in range(chance.randrange(1, 12))]
    frame = pd.DataFrame({"a": pd.array(cells, dtype="Float64").astype(float)})
    with TemporaryDirectory() as folder:
        path = Path(folder) / "t.sav"
        pyreadstat.write_sav(frame, path, missing_ranges={"a": declared})
        found = pw.Release(path, quasi_identifiers=["a"]).ask(pw.KAnonymity(k=1)).value
    expected = min(map(cells.count, cells))
    return "" if found == expected else f"{cells}, {declared} declared: k is {found}, not {expected}"


def check_nothing_left(chance: Random) -> str:
    """Check that releases of which nothing is left are worth nothing, and no loss is above 1."""
    rows = chance.randrange(1, 6)
    table = {name: [chance.choice("123") for _ in range(rows)] for name in "ab"}
    weights = {name: chance.choice((0, 1, 2.5)) for name in "ab"}
    recoding: Any = chance.choice(("global", "local", "microaggregate"))
    asked: dict[str, Any] = {"suppress_at_most": 1.0} if recoding != "microaggregate" else {}
    asked |= {"suppressed_rows": chance.choice(("keep", "remove")), "order": chance.choice(("original", "shuffled"))}
    try:
        goals = pw.KAnonymity(chance.randrange(1, 8))
        made = pw.anonymize(
            table, goals=goals, quasi_identifiers=["a", "b"], weights=weights, recoding=recoding, **asked
        )
    except PETWorksError:
        return ""
    made.frame("pyarrow")
    if not 0 <= made.worth <= 1 or (made.bound is not None and not 0 <= made.bound <= 1):
        return f"{table}, {weights}, {recoding}, {asked}: worth {made.worth}, bound {made.bound}"
    gone = made.suppressed == rows and recoding == "global" and all(weights.values())
    return f"{table}, {asked}: nothing is left, and it is worth {made.worth}" if gone and made.worth else ""


ODD = ("\ud800", "a\udfffb", "9" * 4400, "-" + "1" * 5000, "0." + "3" * 4500, "1e400", "é", "\u0301", "", " ", "x")


def check_odd_cells(chance: Random) -> str:
    """Check that cells that are no text, or numbers of thousands of digits, get an answer or a clear error."""
    cells = [chance.choice(ODD) for _ in range(chance.randrange(1, 6))]
    given: dict[str, Any] = {"quasi_identifiers": ["a"]}
    works: tuple[Callable[[], object], ...] = (
        lambda: pw.Release({"a": cells}, **given).classes(),
        lambda: pw.Release({"a": cells}, original={"a": cells}, **given).evaluate("Precision", "k-anonymity"),
        lambda: pw.anonymize({"a": cells}, goals=pw.KAnonymity(2), suppress_at_most=1.0, **given).frame("pyarrow"),
        lambda: pw.anonymize({"a": cells}, goals=pw.KAnonymity(1), recoding="microaggregate", **given),
        lambda: pw.inspect({"a": cells}),
        lambda: pw.Release({"a": cells}, **given).check(pw.KAnonymity(1)).to_json(),
    )
    with suppress(PETWorksError):
        chance.choice(works)()
    return ""


def check_records(chance: Random) -> str:
    """Check that what is changed in a record is noticed when it is verified."""
    rows = [f"{chance.randrange(3)},{chance.randrange(2)}" for _ in range(chance.randrange(2, 8))]
    with TemporaryDirectory() as folder:
        table, record = Path(folder) / "t.csv", Path(folder) / "record.json"
        table.write_text("\n".join(["a,b", *rows]) + "\n", encoding="utf-8")
        tree = {"a": [("0", "*"), ("1", "*"), ("2", "*")]}
        release = pw.Release(table, quasi_identifiers=["a", "b"], hierarchies=tree)
        release.evaluate(pw.KAnonymity(1)).write_record(record)
        document = json.loads(record.read_text(encoding="utf-8"))
        kept = document["record"]
        place, key, value = chance.choice(
            [
                (kept["tables"][0], "columns", kept["tables"][0]["columns"] + 1),
                (kept["hierarchies"][0], "height", kept["hierarchies"][0]["height"] + 1),
                (document["results"][0], "value", 77),
            ]
        )
        place[key] = value
        record.write_text(json.dumps(document), encoding="utf-8")
        with chdir(folder):
            run = petworks("verify", "record.json")
    return "" if run.returncode else f"{key} was changed to {value} in the record, and nobody noticed: {run.stdout}"


KINDS = (
    *(check_intervals, check_means, check_rates, check_limits, check_vectors, check_pairing),
    *(check_declared_codes, check_nothing_left, check_odd_cells, check_records),
)
