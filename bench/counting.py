"""Time to count a Parquet file here and in DuckDB, as a ratio in one run: ``python bench/counting.py [rows]``.

The table is Adult, resampled with a fixed seed. The floor is a bare ``GROUP BY … COUNT(*)`` of the same nine columns in
DuckDB, fetched as one Arrow table.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from PETWorks.sources import Paired, open_source
from PETWorks.sources.delimited import DelimitedSource
from PETWorks.sources.source import Source

DATA = Path(__file__).parents[1] / "data"
TIMES = 5


def resampled(name: str, rows: np.ndarray, folder: Path) -> Path:
    """Write chosen rows of a CSV as Parquet."""
    source = DelimitedSource(DATA / name)
    batches = list(source.batches(source.columns))
    columns = [
        pa.concat_arrays([pa.array(np.array(part[place].values, dtype=object)[part[place].codes]) for part in batches])
        for place in range(len(source.columns))
    ]
    path = folder / f"{Path(name).stem}.parquet"
    pq.write_table(pa.table(dict(zip(source.columns, columns, strict=True))).take(rows), path)
    return path


def best(work: Callable[[], object]) -> float:
    """Time some work, several times, and give the best."""
    times = []
    for _ in range(TIMES):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def floor(source: Source, path: Path) -> float:
    """Time DuckDB's own counting."""
    names = ", ".join(f'"{name}"' for name in source.columns)
    query = f"SELECT {names}, COUNT(*) FROM '{path}' GROUP BY ALL"  # noqa: S608 (our own names)
    return best(lambda: duckdb.sql(query).to_arrow_table())


def main(size: int) -> None:
    """Compare a table, and a pair of tables, with the floor."""
    with tempfile.TemporaryDirectory() as folder:
        rows = np.random.default_rng(1).integers(0, 30_162, size)
        paths = [resampled(name, rows, Path(folder)) for name in ("adult.csv", "adult_anonymized.csv")]
        original, release = (open_source(path, path.name) for path in paths)
        floors = [floor(source, path) for source, path in zip((original, release), paths, strict=True)]
        alone = best(lambda: original.tally(original.columns))
        both = best(lambda: Paired(original, release).tally(original.columns, release.columns))
        print(f"{size:,} rows, 9 columns; floor {floors[0]:.3f} s and {floors[1]:.3f} s")
        print(f"one table: {alone:.3f} s, {alone / floors[0]:.2f} x its floor")
        print(f"a pair:    {both:.3f} s, {both / sum(floors):.2f} x the sum of the two floors")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000)
