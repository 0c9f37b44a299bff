"""Damaged Parquet files: an error of PETWorks or the right numbers, never a crash, never another exception."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq

from PETWorks.errors import PETWorksError
from PETWorks.tables.opening import open_source

FOLDER = Path(tempfile.mkdtemp(prefix="petworks-fuzz-"))
COLUMNS = {"a": [str(number % 7) for number in range(500)], "b": list(range(500)), "c": [None, "x"] * 250}


def case(seed: int) -> str:
    """Damage one file in a few places, and read it in a process of its own, which may crash."""
    chance, path = Random(seed), FOLDER / "table.parquet"
    options = {"compression": chance.choice(["snappy", "zstd", "none"]), "use_dictionary": chance.random() < 0.5}
    pq.write_table(pa.table(COLUMNS), path, write_page_checksum=True, **options)
    content = bytearray(path.read_bytes())
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")  # only pages have checksums
    for _ in range(chance.randint(1, 4)):
        content[chance.randrange(4, footer)] = chance.randrange(256)
    path.write_bytes(content[: chance.choice([len(content)] * 4 + [chance.randrange(len(content))])])
    child = os.fork()
    if not child:
        os._exit(_outcome(path))
    status = os.waitpid(child, 0)[1]
    outcome = os.waitstatus_to_exitcode(status)
    words = {1: "the numbers are wrong", 2: "an exception that is none of PETWorks"}
    return "" if outcome == 0 else words.get(outcome, f"the process ended with {outcome}")


def _outcome(path: Path) -> int:
    try:
        source = open_source(path, "t")
        tally = source.tally(source.columns)
    except PETWorksError:
        return 0
    except BaseException:  # noqa: BLE001 (told to the parent process)
        return 2
    rows = zip(*([None if cell is None else str(cell) for cell in column] for column in COLUMNS.values()), strict=True)
    return 0 if tally.rows == len(COLUMNS["a"]) and {values for values, _ in tally.items()} == set(rows) else 1
