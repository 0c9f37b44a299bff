"""A policy whose original is a query: what it reads, what it refuses, and that verify computes it again."""

from __future__ import annotations

import json
import pickle

import pytest

import PETWorks as pw
from PETWorks.errors import PETWorksError, PolicyError, SourceError
from PETWorks.tables.query import Query
from support.process import petworks

pytest.importorskip("duckdb")
QUERY = "SELECT sex, age, ward FROM 'people.csv' JOIN 'sub/visits.csv' USING (id) ORDER BY CAST(id AS INT)"
REST = """
released = "released.csv"
[roles]
quasi_identifiers = ["sex", "age"]
insensitive = ["ward"]
[hierarchies.age]
intervals = [10, 20]
[[require]]
measure = "k-anonymity"
k = 3
[anonymize]
order = "original"
[report]
json = "record.json"
"""
PREPARED = REST + "[prepare.age]\nnumber = true\n"
CELL = "Ann Lee"


@pytest.fixture
def folder(tmp_path):
    home = tmp_path / "project"
    (home / "sub").mkdir(parents=True)
    people = "".join(f"{i},{'fm'[i % 2]},{20 + i % 4 * 10},{CELL}\n" for i in range(60))
    (home / "people.csv").write_text("id,sex,age,name\n" + people)
    (home / "sub" / "visits.csv").write_text("id,ward\n" + "".join(f"{i},007\n" for i in range(60)))
    (tmp_path / "outside.csv").write_text("id,sex,age\n1,f,20\n")
    (home / "link.csv").symlink_to(tmp_path / "outside.csv")
    (home / "big5.csv").write_bytes("id,name\n1,王小明\n".encode("big5"))
    return home


def write(folder, query=QUERY, rest=REST):
    path = folder / "policy.toml"
    path.write_text(f"version = 1\n[data]\nquery = {json.dumps(query, ensure_ascii=False)}{rest}", encoding="utf-8")
    return path


def rows(query, folder, **options):
    source = Query(query, folder, **options).open()
    return [
        tuple(one.values[code] for one, code in zip(batch, codes, strict=True))
        for batch in source.batches(source.columns)
        for codes in zip(*(one.codes.tolist() for one in batch), strict=True)
    ]


def test_from_the_query_to_verify(folder):
    petworks("anonymize", write(folder))
    written = (folder / "released.csv").read_text().splitlines()
    assert (len(written), written[1].rpartition(",")[2]) == (61, "007")
    tables = json.loads((folder / "record.json").read_text())["record"]["tables"]
    assert [(one["name"], one["form"]) for one in tables[1:]] == [("query", "DuckDB query")]
    same = petworks("verify", folder / "record.json")
    assert (same.returncode, "original    query" in same.stdout) == (0, True)
    people = folder / "people.csv"
    people.write_text(people.read_text().replace("3,m,50", "3,f,50", 1))
    differs = petworks("verify", folder / "record.json")
    assert (differs.returncode, "DIFFERS  original    query" in differs.stdout) == (1, True)
    assert CELL not in differs.stdout + differs.stderr


def test_the_rows_are_those_of_the_files_joined_by_hand(folder):
    expected = [("fm"[i % 2], str(20 + i % 4 * 10), "007") for i in range(60)]
    assert rows(QUERY, folder) == expected
    assert rows(QUERY, folder, memory={"memory_limit": "1 GB"}) == expected
    assert rows("WITH f AS (FROM 'people.csv' WHERE sex = 'f') SELECT count(*) AS n FROM f", folder) == [("30",)]


def test_the_result_is_prepared_as_a_file_is(folder):
    query = "SELECT sex, age || '元' AS age, ward FROM 'people.csv' JOIN 'sub/visits.csv' USING (id)"
    for policy in (pw.Policy(write(folder)), pw.Policy(write(folder, query, PREPARED))):
        found = policy.original.ask(pw.KAnonymity())
        assert found.value == 15


def test_the_same_rows_have_the_same_digest_and_no_pickle(folder):
    source, again = Query(QUERY, folder).open(), Query(QUERY, folder).open()
    assert source.digest() == again.digest()
    other = Query(QUERY.replace("sex, age", "age, sex"), folder).open()
    assert other.digest() != source.digest()
    with pytest.raises(SourceError, match="the result of a query cannot be pickled"):
        pickle.dumps(source)


def test_files_outside_are_read_if_that_is_allowed(folder):
    for name in ("../outside.csv", "link.csv", str(folder.parent / "outside.csv")):
        query = f"SELECT sex, age FROM '{name}'"  # noqa: S608 (a test)
        with pytest.raises(SourceError, match="outside the folder"):
            Query(query, folder).open()
        assert rows(query, folder, read_outside=True) == [("f", "20")]
    path = write(folder, QUERY.replace("people.csv", "../outside.csv"), REST.replace("k = 3", "k = 1"))
    refused, allowed = petworks("anonymize", path), petworks("anonymize", path, "--read-outside")
    assert (refused.returncode, "--read-outside" in refused.stderr) == (2, True)
    assert "--read-outside" not in allowed.stderr
    assert (folder / "released.csv").exists()


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("SELEC 1", "not valid SQL"),
        ("SELECT 1; SELECT 2", "one SELECT, not 2 statements"),
        ("COPY (SELECT 1) TO 'made.csv'", "one SELECT, not COPY"),
        ("CREATE TABLE made AS SELECT 1", "one SELECT, not CREATE"),
        ("ATTACH 'made.db'", "one SELECT, not ATTACH"),
        ("SET threads = 4", "one SELECT, not"),
        ("SELECT * FROM 'nobody.csv'", 'no file that the query calls "nobody.csv"'),
        ("SELECT * FROM folder", 'no file that the query calls "folder"'),
        ("SELECT * FROM 'https://example.org/people.csv'", "no file that the query calls"),
        ("SELECT * FROM read_csv('people.csv')", "in a way that is not allowed"),
        ("SELECT * FROM read_text('/etc/hostname')", "in a way that is not allowed"),
        ("SELECT * FROM glob('*')", "in a way that is not allowed"),
        ("SELECT * FROM query('COPY (SELECT 1) TO ''made.csv''')", "not valid SQL"),
        ("SELECT years FROM 'people.csv'", 'a column that its tables do not have: "years"'),
        ("SELECT made(age) FROM 'people.csv'", 'does not exist: "made"'),
        ("SELECT CAST(name AS INT) FROM 'people.csv'", "cannot be computed"),
        ("SELECT error(name) FROM 'people.csv'", "cannot be computed"),
        ("SELECT * FROM 'big5.csv'", "cannot be computed"),
        ("SELECT [name] AS name FROM 'people.csv'", "a type that is not supported"),
    ],
)
def test_what_is_refused_without_content_of_rows(folder, query, problem):
    before = sorted(folder.rglob("*"))
    with pytest.raises(PETWorksError) as refused:
        Query(query, folder).open()
    told = f"{refused.value} {refused.value.hint} {refused.value.listed}"
    assert problem in told
    assert CELL not in told
    assert sorted(folder.rglob("*")) == before


def test_a_query_beside_an_original(folder):
    with pytest.raises(PolicyError, match="both say what the original is"):
        pw.Policy(write(folder, rest=f'\noriginal = "people.csv"{REST}'))
