"""The cases: what is measured, on which tables, compared with what, and the targets."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from data import FOLDER, stored
from layout import DATA, PERSON

Arguments = dict[str, object]
SearchSettings = dict[
    str, Arguments
]  # by contestant, PETWorks first; "floor:original" is the contestant `floor` on the original

THOUSANDS, MILLION, TEN, HUNDRED = 30_162, 1_000_000, 10_000_000, 100_000_000
SIZES = (THOUSANDS, MILLION, TEN, HUNDRED)
GIGABYTE = 1_000_000_000
GROWTH = 1.05  # target for the exponent with which the time grows with the number of rows
READERS = ("duckdb_csv", "pyarrow_csv", "polars_csv")


class Target(NamedTuple):
    """The targets of a case at a size; None means no target."""

    ratio: float | None = None  # at most so many times the baseline
    faster: float | None = None  # at least so many times as fast as the baseline
    seconds: float | None = None
    peak: int | None = None  # bytes
    page: int | None = None  # bytes of the largest page of the application


@dataclass(frozen=True)
class Case:
    """Some work at some sizes. The baseline is the sum of the fastest times of each group of contestants."""

    rows: tuple[int, ...]
    plan: Callable[[int], SearchSettings]
    baseline: tuple[tuple[str, ...], ...]
    targets: dict[int, Target] = field(default_factory=dict)
    fixed: bool = False  # True: the case always runs at its own sizes
    typical: bool = False  # True: the median of the times counts, not the best

    def sizes(self, asked: Iterable[int]) -> list[int]:
        """Return the wanted sizes that the case has; if there is none, the largest wanted size below its largest."""
        if self.fixed:
            return list(self.rows)
        smaller = [rows for rows in asked if rows <= max(self.rows)]
        return [rows for rows in smaller if rows in self.rows] or sorted(smaller)[-1:]


def _classes(rows: int) -> SearchSettings:
    path: Arguments = {"path": str(stored("adult", rows, "parquet"))}
    plan: SearchSettings = {"petworks": path, "floor": path}
    # Larger tables do not fit in memory as pandas data frames.
    return plan if rows > TEN else plan | {"pandas_groupby": path, "pandas_read_groupby": path}


def _independent(rows: int) -> SearchSettings:
    path: Arguments = {"path": str(stored("independent", rows, "parquet"))}
    return {"petworks": path, "floor": path}


def _pair(rows: int) -> SearchSettings:
    original, release = (str(stored(kind, rows, "parquet")) for kind in ("adult", "released"))
    return {
        "petworks": {"path": release, "original": original},
        "floor:original": {"path": original},
        "floor:release": {"path": release},
    }


def _csv(rows: int) -> SearchSettings:
    path = str(stored("adult", rows, "csv"))
    plan: SearchSettings = {"petworks": {"path": path}, "floor": {"path": str(stored("adult", rows, "parquet"))}}
    return plan | {reader: {"paths": [path]} for reader in READERS}


def _pycanon(rows: int) -> SearchSettings:
    path: Arguments = {"path": str(stored("released", rows, "parquet"))}
    return {"petworks_nine": path, "pycanon_nine": path}


def _demo(rows: int) -> SearchSettings:  # noqa: ARG001 (the size of Adult is fixed)
    paths = [str(DATA / name) for name in ("adult.csv", "adult_anonymized.csv")]
    return {"petworks_demo": {}} | {reader: {"paths": paths} for reader in READERS}


def _memory(rows: int) -> SearchSettings:
    path = str(stored("distinct", rows, "parquet"))
    return {"petworks": {"path": path, "memory_limit": "500 MB"}, "floor": {"path": path}}


def _people(**further: object) -> Callable[[int], SearchSettings]:
    def plan(rows: int) -> SearchSettings:
        path: Arguments = {"path": str(stored("visits", rows, "parquet"))}
        return {"petworks_people": {**path, "person": PERSON, **further}, "petworks_people:rows": {**path, **further}}

    return plan


def _unpaired(rows: int) -> SearchSettings:
    made, original = (str(stored(kind, rows, "csv")) for kind in ("twelve_made", "twelve"))
    others = str(stored("twelve_others", rows // 5, "csv"))
    return {
        "petworks_unpaired": {"path": made, "original": original, "holdout": others},
        "petworks_all_columns:original": {"path": original},
        "petworks_all_columns:made": {"path": made},
    }


def _uniques(rows: int) -> SearchSettings:
    path: Arguments = {"path": str(stored("adult", rows, "parquet"))}
    return {"petworks_uniques": path, "petworks_count": path}


def _numbers(rows: int) -> SearchSettings:
    path: Arguments = {"path": str(stored("numbers", rows, "parquet"))}
    return {"petworks_means": path, "floor": path}


def _hierarchy(rows: int) -> SearchSettings:
    return {"petworks_hierarchy": {"values": rows}, "python_counter": {"values": rows}}


def _local(rows: int) -> SearchSettings:
    path: Arguments = {"path": str(stored("adult", rows, "parquet"))}
    return {"petworks_local": path, "floor": path}


def _write(form: str) -> Callable[[int], SearchSettings]:
    def plan(rows: int) -> SearchSettings:
        path = str(stored("adult", rows, form))
        return {
            "petworks_write": {"path": path, "written": str(FOLDER / f"written.{form}")},
            "petworks_count": {"path": path},
        }

    return plan


def _made(contestant: str, **further: object) -> Callable[[int], SearchSettings]:
    def plan(rows: int) -> SearchSettings:
        path = str(stored("adult", rows, "parquet"))
        return {contestant: {"path": path, **further}, "petworks_count": {"path": path}}

    return plan


def _browsed(contestant: str) -> Callable[[int], SearchSettings]:
    def plan(rows: int) -> SearchSettings:
        table = str(stored("adult", rows, "parquet"))
        return {contestant: {"folder": str(FOLDER / f"app-{rows}"), "table": table}}

    return plan


def _clicked(contestant: str) -> Case:
    targets = {THOUSANDS: Target(seconds=0.1), TEN: Target(seconds=0.5)}
    return Case((THOUSANDS, TEN), _browsed(contestant), (), targets, typical=True)


def _search(rate: str, targets: dict[int, float]) -> Case:
    seconds = {rows: Target(seconds=most) for rows, most in targets.items()}
    return Case((THOUSANDS, MILLION), _made("petworks_search", rate=rate), (("petworks_count",),), seconds)


CASES = {
    "classes": Case(
        SIZES,
        _classes,
        (("floor",),),
        {TEN: Target(ratio=1.5, peak=GIGABYTE), HUNDRED: Target(ratio=1.3, peak=3 * GIGABYTE)},
    ),
    "independent": Case((TEN,), _independent, (("floor",),)),
    "pair": Case((TEN,), _pair, (("floor:original",), ("floor:release",)), {TEN: Target(ratio=1.5)}),
    "csv": Case((TEN,), _csv, (READERS, ("floor",)), {TEN: Target(ratio=1.5)}),
    "pycanon": Case(
        (THOUSANDS, MILLION),
        _pycanon,
        (("pycanon_nine",),),
        {THOUSANDS: Target(faster=100), MILLION: Target(faster=500)},
    ),
    "demo": Case((THOUSANDS,), _demo, (READERS,), {THOUSANDS: Target(seconds=0.15, ratio=4)}, fixed=True),
    "write": Case((TEN,), _write("csv"), (("petworks_count",),), {TEN: Target(ratio=2, peak=GIGABYTE)}),
    "write_parquet": Case((TEN,), _write("parquet"), (("petworks_count",),), {TEN: Target(peak=GIGABYTE)}),
    "search_0": _search("0%", {THOUSANDS: 0.015, MILLION: 0.21}),
    "search_2": _search("2%", {THOUSANDS: 0.17, MILLION: 0.35}),
    "search_5": _search("5%", {THOUSANDS: 0.15, MILLION: 0.35}),
    "search_100": _search("100%", {THOUSANDS: 0.30}),
    "thirteen": Case(
        (THOUSANDS,),
        _made("petworks_thirteen", seconds=120),
        (("petworks_count",),),
        {THOUSANDS: Target(seconds=120, peak=GIGABYTE)},
        fixed=True,
    ),
    "front": Case(
        (THOUSANDS,), _made("petworks_front"), (("petworks_count",),), {THOUSANDS: Target(seconds=5)}, fixed=True
    ),
    "make": Case(
        (TEN,),
        _made("petworks_make", written=str(FOLDER / "made.parquet")),
        (("petworks_count",),),
        {TEN: Target(peak=GIGABYTE)},
    ),
    "memory": Case((TEN,), _memory, (("floor",),), {TEN: Target(peak=GIGABYTE)}),
    "people": Case((MILLION, TEN), _people(), (("petworks_people:rows",),), {TEN: Target(ratio=2.5)}),
    "people_memory": Case(
        (TEN,), _people(memory_limit="500 MB"), (("petworks_people:rows",),), {TEN: Target(peak=GIGABYTE)}
    ),
    "unpaired": Case(
        (THOUSANDS, MILLION),
        _unpaired,
        (("petworks_all_columns:original",), ("petworks_all_columns:made",)),
        {MILLION: Target(ratio=3)},
    ),
    "uniques": Case((THOUSANDS,), _uniques, (("petworks_count",),), {THOUSANDS: Target(seconds=2)}),
    "microaggregation": Case(
        (THOUSANDS, MILLION),
        _numbers,
        (("floor",),),
        {THOUSANDS: Target(seconds=0.3), MILLION: Target(seconds=8)},
    ),
    "hierarchy": Case((MILLION,), _hierarchy, (("python_counter",),), {MILLION: Target(seconds=2)}),
    "local": Case(
        (THOUSANDS, MILLION),
        _local,
        (("floor",),),
        {THOUSANDS: Target(seconds=2.5), MILLION: Target(seconds=4)},
    ),
    "app_start": Case(
        (THOUSANDS,), _browsed("app_start"), (), {THOUSANDS: Target(seconds=1, page=150_000)}, typical=True
    ),
    "app_step": _clicked("app_step"),
    "app_limit": _clicked("app_limit"),
}
