"""Run one contestant in a process of its own: ``python bench/contestants.py '{"contestant": "floor", …}'``.

It does its work a few times and prints, as JSON, the elapsed time and the processor time of each run, the peak of its
memory, and the result of the work.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import browsing
import makers
from layout import COLUMNS, DATA, DELIMITER, KNOWN, SENSITIVE

Work = Callable[[], object]
PATIENCE = 30  # seconds after which the work is not repeated any more
KIBIBYTE = 1024
SMALLEST = 2  # combinations of fewer rows are suppressed in what is written


# --- PETWorks ---------------------------------------------------------------------------------------------------------


def petworks(path: str, original: str | None = None, memory_limit: str | None = None) -> Work:
    """Evaluate all measures on a release; with an original, also those that need hierarchies."""
    from PETWorks import Release

    def everything() -> int:
        release = Release(
            path,
            original=original,
            hierarchies=DATA / "adult_hierarchy" if original else None,
            quasi_identifiers=KNOWN,
            sensitive=[SENSITIVE],
            memory_limit=memory_limit,
        )
        return len(release.evaluate())

    return everything


def petworks_people(path: str, person: str | None = None, memory_limit: str | None = None) -> Work:
    """Count the classes of a table whose people have several rows: by people or, without `person`, by rows."""
    import PETWorks as pw

    def count() -> None:
        roles = {"quasi_identifiers": KNOWN, "sensitive": [SENSITIVE]}
        release = pw.Release(path, **roles, person=person, memory_limit=memory_limit)
        release.ask(pw.ClassSizes())

    return count


def petworks_all_columns(path: str) -> Work:
    """Read a table and count its combinations of all columns."""
    from PETWorks.tables.opening import open_source

    def count() -> None:
        source = open_source(path, "original")
        source.tally(source.columns)

    return count


def petworks_unpaired(path: str, original: str, holdout: str) -> Work:
    """Evaluate what a synthetic table tells of people, and its margins, but for membership."""
    import PETWorks as pw

    asked = [
        pw.ExactCopies(),
        pw.ReplicatedUniques(),
        pw.AttributeDisclosure(),
        pw.Linkability(first=["age", "sex"], second=["occupation"]),
        pw.MarginDistance(),
        pw.RegressionOverlap("hours ~ age + region"),
    ]

    def evaluate() -> None:
        roles = {"quasi_identifiers": KNOWN[:6], "sensitive": ["occupation"]}
        release = pw.Release(path, original=original, holdout=holdout, synthetic=True, **roles)
        for measure in asked:
            release.ask(measure)

    return evaluate


def petworks_uniques(path: str) -> Work:
    """Find all minimal sample uniques."""
    import PETWorks as pw

    return lambda: pw.Release(path, quasi_identifiers=COLUMNS).ask(pw.SpecialUniques()) and None


def petworks_nine(path: str) -> Work:
    """Evaluate on a data frame the nine measures that pycanon has."""
    import pandas as pd

    import PETWorks as pw

    frame = pd.read_parquet(path)
    nine = (
        pw.KAnonymity(),
        pw.AlphaKAnonymity(),
        pw.LDiversity(),
        pw.LDiversity(variant="entropy"),
        pw.LDiversity(variant="recursive", l=2),
        pw.BetaLikeness(),
        pw.BetaLikeness(variant="enhanced"),
        pw.TCloseness(),
        pw.DeltaDisclosure(),
    )
    return lambda: len(pw.Release(frame, quasi_identifiers=KNOWN, sensitive=[SENSITIVE]).evaluate(*nine))


def petworks_demo() -> Work:
    """Evaluate Precision, AECS, Non-Uniform Entropy, profitability and t-closeness of a release of Adult."""
    import PETWorks as pw

    def evaluate() -> int:
        hierarchies = DATA / "adult_hierarchy"
        release = pw.Release(DATA / "adult_anonymized.csv", original=DATA / "adult.csv", hierarchies=hierarchies)
        others = [name for name in release.roles.quasi_identifiers if name != "salary-class"]
        four = release.evaluate(
            "Precision", "AECS", "Non-Uniform Entropy", pw.Profitability(cost=4, gain=300, loss=300, benefit=1200)
        )
        by_salary = release.with_roles(quasi_identifiers=others, sensitive=["salary-class"])
        return len([*four, by_salary.ask(pw.TCloseness())])

    return evaluate


def petworks_means(path: str) -> Work:
    """Group people by all columns, which are numbers, and compute the means of the groups."""
    import PETWorks as pw

    def microaggregate() -> None:
        pw.anonymize(path, goals=pw.KAnonymity(5), the_rest="quasi_identifier", recoding="microaggregate")

    return microaggregate


def petworks_hierarchy(values: int) -> Work:
    """Build a hierarchy of intervals on so many distinct numbers."""
    from PETWorks import Hierarchy

    rule = Hierarchy.intervals("amount", widths=[10, 100, 1000])
    counts = {str(number): 1 for number in range(values)}

    def build() -> None:
        rule.build(counts)

    return build


def petworks_local(path: str) -> Work:
    """Make a release by local recoding, without polishing; nobody is suppressed."""
    import PETWorks as pw

    def recode() -> None:
        pw.anonymize(
            path,
            goals=pw.KAnonymity(5),
            quasi_identifiers=COLUMNS,
            hierarchies=DATA / "adult_hierarchy",
            recoding="local",
            polish_rounds=0,
        )

    return recode


def petworks_write(path: str, written: str) -> Work:
    """Write a release, after the original was counted: ages are generalised, rare combinations suppressed."""
    import numpy as np
    from people import lifted

    from PETWorks.anonymization.release_facts import RecodingMap
    from PETWorks.anonymization.writing import ReleaseWriter
    from PETWorks.facts.roles import Roles
    from PETWorks.tables.counting.tally import Coded
    from PETWorks.tables.opening import open_source

    source = open_source(path, "original")
    before = source.tally(KNOWN)
    suppressed = before.counts < SMALLEST
    after = {}
    for name in KNOWN:
        codes, leaves = before.columns[name].codes, before.columns[name].values  # noqa: PD011 (not of pandas)
        cells = lifted(name, tuple(map(str, leaves)))
        values = [*dict.fromkeys(cells), "*"]
        moved = np.array([values.index(cell) for cell in cells])[codes]
        after[name] = Coded(np.where(suppressed, len(values) - 1, moved), values)
    passes = ReleaseWriter(source, Roles(tuple(KNOWN), (SENSITIVE,)), RecodingMap(before, after, suppressed))
    return lambda: passes.write(written, lambda _: None) and None


def petworks_count(path: str) -> Work:
    """Read a table and count its combinations of quasi-identifiers."""
    from PETWorks.tables.opening import open_source

    return lambda: open_source(path, "original").tally(KNOWN) and None


# --- baselines --------------------------------------------------------------------------------------------------------


def floor(path: str) -> Work:
    """Count all combinations of a file in DuckDB, and return them as one Arrow table."""
    import duckdb

    query = f"SELECT *, COUNT(*) FROM '{path}' GROUP BY ALL"  # noqa: S608 (our own path)
    return lambda: duckdb.sql(query).to_arrow_table().num_rows


def pandas_groupby(path: str) -> Work:
    """Count all combinations of a data frame in pandas, without reading the file."""
    import pandas as pd

    frame = pd.read_parquet(path)
    return lambda: len(frame.groupby(COLUMNS, sort=False).size())


def pandas_read_groupby(path: str) -> Work:
    """Read the file and count all combinations in pandas."""
    import pandas as pd

    return lambda: len(pd.read_parquet(path).groupby(COLUMNS, sort=False).size())


def pycanon_nine(path: str) -> Work:
    """Evaluate all measures of pycanon on a data frame, with pycanon; this runs in pycanon's own environment."""
    import pandas as pd
    from pycanon import anonymity

    frame = pd.read_parquet(path)
    by_class = (
        anonymity.alpha_k_anonymity,
        anonymity.l_diversity,
        anonymity.entropy_l_diversity,
        anonymity.recursive_c_l_diversity,
        anonymity.basic_beta_likeness,
        anonymity.enhanced_beta_likeness,
        anonymity.t_closeness,
        anonymity.delta_disclosure,
    )

    def nine() -> int:
        anonymity.k_anonymity(frame, KNOWN)
        return 1 + len([measure(frame, KNOWN, [SENSITIVE]) for measure in by_class])

    return nine


def duckdb_csv(paths: Sequence[str]) -> Work:
    """Read CSV files into memory as text, with DuckDB."""
    import duckdb

    def read(path: str) -> int:
        relation = duckdb.read_csv(path, delimiter=DELIMITER, header=True, all_varchar=True)
        return int(relation.to_arrow_table().num_rows)

    return lambda: sum(map(read, paths))


def python_counter(values: int) -> Work:
    """Count distinct values in a dict."""
    from collections import Counter

    texts = [str(number) for number in range(values)]

    def count() -> None:
        Counter(texts)

    return count


def pyarrow_csv(paths: Sequence[str]) -> Work:
    """Read CSV files into memory as text, with Arrow."""
    import pyarrow as pa
    from pyarrow import csv

    def read(path: str) -> int:
        with Path(path).open(encoding="ascii") as file:
            names = file.readline().rstrip("\n").split(DELIMITER)
        text = csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()))
        return int(
            csv.read_csv(path, parse_options=csv.ParseOptions(delimiter=DELIMITER), convert_options=text).num_rows
        )

    return lambda: sum(map(read, paths))


def polars_csv(paths: Sequence[str]) -> Work:
    """Read CSV files into memory as text, with polars."""
    import polars as pl

    return lambda: sum(len(pl.read_csv(path, separator=DELIMITER, infer_schema=False)) for path in paths)


CONTESTANTS: dict[str, Callable[..., Work | browsing.Browsed]] = {
    contestant.__name__: contestant
    for contestant in (
        petworks,
        petworks_nine,
        petworks_demo,
        petworks_means,
        petworks_people,
        petworks_uniques,
        petworks_all_columns,
        petworks_unpaired,
        petworks_hierarchy,
        petworks_local,
        petworks_write,
        petworks_count,
        makers.petworks_search,
        makers.petworks_thirteen,
        makers.petworks_front,
        makers.petworks_make,
        browsing.app_start,
        browsing.app_step,
        browsing.app_limit,
        floor,
        pandas_groupby,
        pandas_read_groupby,
        pycanon_nine,
        duckdb_csv,
        pyarrow_csv,
        polars_csv,
        python_counter,
    )
}

# --- run one contestant -----------------------------------------------------------------------------------------------


def peak() -> int:
    """Return the peak of this process's memory in bytes.

    On Linux, `ru_maxrss` may include the peak of the parent process, so /proc is read instead.
    """
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text(encoding="ascii").splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * KIBIBYTE
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * KIBIBYTE


def repeated(work: Work, times: int) -> dict[str, object]:
    """Do the work a few times, and return the times, the peak of memory and the last result."""
    seconds: list[float] = []
    processor: list[float] = []
    gave: object = None
    while len(seconds) < times and sum(seconds) < PATIENCE:
        start, used = time.perf_counter(), time.process_time()
        gave = work()
        seconds.append(time.perf_counter() - start)
        processor.append(time.process_time() - used)
    return {"seconds": seconds, "processor": processor, "peak": peak(), "gave": gave}


def main(job: str) -> None:
    """Run the job, and print its times and result as JSON."""
    wanted = json.loads(job)
    work = CONTESTANTS[wanted["contestant"]](**wanted["arguments"])
    timed = work.repeated(wanted["times"]) if isinstance(work, browsing.Browsed) else repeated(work, wanted["times"])
    print(json.dumps(timed))


if __name__ == "__main__":
    main(sys.argv[1])
