"""Put tables on the cluster, and measure releases both there and on this machine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import PETWorks as pw
from PETWorks.tables.opening import open_source
from PETWorks.tables.paired import read_columns

MASTER = "local-cluster[2,1,1024]"  # two workers, each a process with one core and 1024 MB
UNVERIFIED = "-XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"  # the classes are those of Spark
FAST = f"-XX:TieredStopAtLevel=1 -XX:+UseSerialGC {UNVERIFIED}"  # faster for a Java process that runs only for minutes
SMALL = {
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.codegen.wholeStage": "false",  # compiling each of many small queries is slower than running it
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
KEY = "the row's key"
ROLES = ("roles", "quasi_identifiers", "sensitive", "identifiers", "insensitive")


def spark_home(folder: Path) -> Path:
    """Build a SPARK_HOME of links to the real one, in which a local cluster may write the logs of its workers.

    It has no Python, so the workers cannot run any: this proves that they need no code of PETWorks.
    """
    import pyspark

    home = folder / "home"
    home.mkdir()
    for name in ("bin", "jars"):
        (home / name).symlink_to(Path(pyspark.__file__).parent / name)
    return home


def spark_settings(folder: Path) -> Path:
    """Write the settings of a small session where SPARK_CONF_DIR finds them."""
    settings = folder / "conf"
    settings.mkdir()
    (settings / "spark-defaults.conf").write_text("".join(f"{name} {value}\n" for name, value in SMALL.items()))
    return settings


def texts(table: Any, delimiter: str | None = None) -> dict[str, list[str | None]]:
    """Read any table as it is read on this machine."""
    source = open_source(table, "table", delimiter)
    columns = zip(source.columns, read_columns(source, source.columns), strict=True)
    return {name: [column.values[code] for code in column.codes] for name, column in columns}


def to_spark(spark: Any, table: dict[str, list[str | None]]) -> Any:
    """Put a table on the cluster: first with numbers as names, since Spark does not accept all names there."""
    numbered = {f"c{place}": pa.array(cells, pa.string()) for place, cells in enumerate(table.values())}
    return spark.createDataFrame(pa.table(numbered)).toDF(*table)


class Both:
    """A release that is measured here and, with a key column added, on the cluster; both results must be the same."""

    spark: Any = None
    room: Path
    placed_before: dict[str, Any]
    made: dict[str, tuple[pw.Release, pw.Release]]

    def __init__(self, table: Any, **options: Any) -> None:
        known = repr((table, sorted(options.items())))
        if known not in self.made:
            self.made[known] = pw_release(table, **options), self.there(table, **options)
        self.here, self.on_cluster = self.made[known]

    def there(self, table: Any, *, original: Any = None, population: Any = None, **options: Any) -> pw.Release:
        if not any(options.get(name) for name in ROLES):
            options["quasi_identifiers"] = list(open_source(table, "table").columns)
        tables = {"original": original, "population": population}
        placed = {name: self.placed(given) for name, given in tables.items() if given is not None}
        if "pairing" in options:  # the caller vouches for the rows; here they pair by the key
            options["pairing"] = "key"
        return pw_release(self.placed(table), **placed, key=KEY, **options)

    def placed(self, given: Any) -> Any:
        """Write a table with a key column to Parquet files for Spark, once, with the rows in another order."""
        if (known := repr(given)) not in self.placed_before:
            path = self.room / f"{len(self.placed_before)}.parquet"
            path.mkdir()
            table = pa.table({name: pa.array(cells, pa.string()) for name, cells in texts(given).items()})
            table = table.append_column(KEY, pa.array(map(str, range(len(table)))))
            half = len(table) // 2 or 1
            for part, rows in enumerate((table.slice(half), table.slice(0, half))):
                pq.write_table(rows, path / f"{part}.parquet")
            self.placed_before[known] = self.spark.read.parquet(str(path))
        return self.placed_before[known]

    @property
    def roles(self) -> Any:
        return self.here.roles

    def ask(self, measure: Any) -> pw.Result:
        ours, theirs = self.here.ask(measure), self.on_cluster.ask(measure)
        assert told(theirs) == told(ours)
        return ours

    def evaluate(self, *asked: Any) -> pw.Evaluation:
        ours, theirs = self.here.evaluate(*asked), self.on_cluster.evaluate(*asked)
        assert [told(one) for one in theirs] == [told(one) for one in ours]
        return ours


pw_release = pw.Release  # the real class: the golden tests replace pw.Release by `Both`


def told(result: pw.Result) -> str:
    """Return everything in a result, except the name and the encoding of the file."""
    answer = result.to_dict()
    answer["scope"].pop("name")
    answer["notes"] = [note for note in answer["notes"] if note["kind"] not in ("encoding", "sidecar")]
    return json.dumps(answer, ensure_ascii=False, indent=1)
