"""A release that was made is what its file says: read again, it measures the same, and its goals hold."""

import pytest

import PETWorks as pw
from PETWorks.making.writing import Writing
from support.places import ROOT

DATA = ROOT / "data"
KNOWN = ["sex", "age", "education", "workclass"]


@pytest.mark.parametrize("name", ["released.csv", "released.csv.gz", "released.parquet", "frame"])
@pytest.mark.parametrize("suppressed_rows", ["keep", "remove"])
def test_adult(tmp_path, name, suppressed_rows):
    roles = {"quasi_identifiers": KNOWN, "sensitive": ["salary-class"]}
    others = ["race", "marital-status", "native-country", "occupation"]
    hierarchies, goal = DATA / "adult_hierarchy", pw.KAnonymity(5)
    made = pw.anonymize(
        DATA / "adult.csv", hierarchies=hierarchies, goals=[goal], suppress_at_most="2%", insensitive=others, **roles
    )
    passes = Writing(made.original._tables.release, made.original.roles, made.recoding, suppressed_rows=suppressed_rows)
    checked = []

    def check(table):
        released = pw.Release(table, hierarchies=hierarchies, **roles)
        assert released.check(goal).holds
        assert released.classes(library="pyarrow").equals(made.release.classes(library="pyarrow"))
        checked.append(released)

    if name == "frame":
        check(passes.frame())
    else:
        passes.write(tmp_path / name, check)
        assert checked
