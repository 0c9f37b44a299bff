"""The tables to measure, as Parquet and CSV. Each is written once, when it is first needed.

They are in ``bench/.data``, which git ignores. Beside each file is a stamp file that describes its content.
``python bench/data.py --sizes ROWS ...`` writes all kinds at some sizes in advance.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import people
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from layout import DELIMITER

FOLDER = Path(os.environ.get("PETWORKS_BENCH_DATA", Path(__file__).parent / ".data"))


def stored(kind: str, rows: int, form: str) -> Path:
    """Return the path of a table; write it first if it does not exist or has another version."""
    path = FOLDER / f"{kind}-{rows}.{form}"
    stamp = path.with_name(f"{path.name}.stamp")
    wanted = {"kind": kind, "rows": rows, "seed": people.SEED, "version": people.VERSION}
    if path.exists() and stamp.exists() and json.loads(stamp.read_text()) == wanted:
        return path
    print(f"writing {path.name} …", end=" ", flush=True, file=sys.stderr)
    start = time.perf_counter()
    FOLDER.mkdir(parents=True, exist_ok=True)
    stamp.unlink(missing_ok=True)
    part = path.with_name(f"{path.name}.part")
    {"parquet": _write_parquet, "csv": _write_csv}[form](people.table(kind, rows), part)
    part.replace(path)
    stamp.write_text(json.dumps(wanted))
    print(f"{path.stat().st_size / 1e6:,.0f} MB, {time.perf_counter() - start:.0f} s", file=sys.stderr)
    return path


def _arrow(table: people.Table) -> Iterator[pa.Table]:
    """Yield the chunks as Arrow tables with dictionary columns."""
    for codes in table.chunks():
        columns = [
            pa.DictionaryArray.from_arrays(pa.array(column.astype("int32")), pa.array(values))
            if values
            else pa.array(column)
            for column, values in zip(codes.T, table.values, strict=True)
        ]
        yield pa.table(dict(zip(table.columns, columns, strict=True)))


def _write_parquet(table: people.Table, path: Path) -> None:
    """Write Parquet with dictionary pages. The schema does not mention dictionaries, so readers return plain text."""
    writer = None
    for chunk in _arrow(table):
        writer = writer or pq.ParquetWriter(path, chunk.schema, compression="snappy", store_schema=False)
        writer.write_table(chunk)
    if writer:
        writer.close()


def _write_csv(table: people.Table, path: Path) -> None:
    """Write CSV in the format of adult.csv."""
    with path.open("wb") as file:
        for number, chunk in enumerate(_arrow(table)):
            frame = pl.DataFrame(chunk)
            frame.write_csv(
                file, include_header=number == 0, separator=DELIMITER, line_terminator="\r\n", quote_style="never"
            )


def main() -> None:
    """Write tables of all kinds."""
    parser = argparse.ArgumentParser(description="Write the tables that the benchmark measures.")
    parser.add_argument("--sizes", nargs="+", type=int, default=[30_162, 1_000_000, 10_000_000], metavar="ROWS")
    parser.add_argument("--csv-up-to", type=int, default=10_000_000, metavar="ROWS", help="larger ones as Parquet only")
    asked = parser.parse_args()
    for rows in asked.sizes:
        for kind in people.KINDS:
            for form in ("parquet", "csv") if rows <= asked.csv_up_to else ("parquet",):
                stored(kind, rows, form)


if __name__ == "__main__":
    main()
