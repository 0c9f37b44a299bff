"""Whatever the library returns can be pickled, and has the same output in another process."""

from __future__ import annotations

import pickle
import re
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

import PETWorks as pw
from laws.samples import SAMPLES, questions

ROLES = {"quasi_identifiers": ["age", "zip"], "sensitive": ["disease"]}
AGES = [(str(age), f"{age // 10}x", "*") for age in range(20, 60)]
ZIPS = [(str(code), f"{code // 10}*", "*") for code in range(100, 140)]
TREES = {"age": AGES, "zip": ZIPS}
PATIENTS = {
    "who": [str(row // 2) for row in range(24)],
    "age": [str(20 + row * 7 % 40) for row in range(24)],
    "zip": [str(100 + row * 5 % 40) for row in range(24)],
    "disease": [("flu", "cold", "ulcer")[row % 3] for row in range(24)],
}
COARSE = {
    **PATIENTS,
    "age": [f"{age[0]}x" for age in PATIENTS["age"]],
    "zip": [f"{code[:2]}*" for code in PATIENTS["zip"]],
}
MARKED = {**COARSE, **{name: ["*", "*", *COARSE[name][2:]] for name in ("age", "zip")}}  # two rows are suppressed
PEOPLE = {"person": "who", **ROLES}
STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S{6}")  # when a page was written


def write_csv(table, path):
    pd.DataFrame(table).to_csv(path, index=False)
    return path


def write_parquet(table, path):
    parquet.write_table(pa.table(table), path)
    return path


KINDS = {
    "dict": lambda table, _: table,
    "pandas": lambda table, _: pd.DataFrame(table),
    "polars": lambda table, _: pl.DataFrame(table),
    "polars query": lambda table, _: pl.LazyFrame(table),
    "Arrow": lambda table, _: pa.table(table),
    "CSV": lambda table, path: write_csv(table, path.with_suffix(".csv")),
    "gzip": lambda table, path: write_csv(table, path.with_suffix(".csv.gz")),
    "Parquet": lambda table, path: write_parquet(table, path.with_suffix(".parquet")),
}


@pytest.fixture(scope="module")
def elsewhere():
    """Return the function that calls a function in a process that has imported nothing of this one."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        yield lambda function, *given: pool.submit(function, *given).result(timeout=120)


def write_evaluation(evaluation):
    """Return all that can be written of an evaluation."""
    return [
        *(evaluation.text(language) for language in ("en", "zh_TW")),
        *(one.to_json() for one in (evaluation, evaluation.guarded(), evaluation.public())),
        STAMP.sub("", evaluation.to_html(show_small_classes=True)),
        *(write_result(result) for result in evaluation),
    ]


def write_result(result):
    """Return all that can be written of a result."""
    return [result.to_dict(), str(result), *(str(result.explain(language)) for language in ("en", "zh_TW"))]


def write_release(release):
    """Evaluate a release; return all that can be written of it."""
    classes = release.classes(pw.KAnonymity(k=3), library="pyarrow").to_pylist()
    return [repr(release), classes, write_evaluation(release.evaluate(pw.LDiversity(l=2), others=True))]


def write_anonymized(made):
    """Return all that can be written of an anonymised table."""
    told = [repr(made), *(str(of(language)) for of in (made.text, made.explain) for language in ("en", "zh_TW"))]
    figures = [made.proven, made.bound, made.proof, made.worth, made.provenance.to_dict()]
    return [told, figures, made.frame("pyarrow").to_pylist(), write_evaluation(made.release.evaluate())]


def write_comparison(compared):
    """Return all that can be written of a comparison."""
    page = STAMP.sub("", compared.to_html())
    told = [page, compared.text("zh_TW"), compared.to_markdown(), compared.to_json()]
    return [*told, compared.front, compared.to_frame("pyarrow").to_pylist()]


@pytest.mark.parametrize("kind", KINDS)
def test_a_release_is_the_same_elsewhere(kind, tmp_path, elsewhere):
    released, original = KINDS[kind](MARKED, tmp_path / "released"), KINDS[kind](PATIENTS, tmp_path / "original")
    release = pw.Release(released, original=original, hierarchies=TREES, **PEOPLE)
    release.hash_while_reading()
    fresh = elsewhere(write_release, release)
    assert fresh == write_release(release)
    assert elsewhere(write_release, release) == fresh  # with what was counted here
    assert elsewhere(write_release, release.with_roles(quasi_identifiers=["age"])) != fresh


@pytest.mark.parametrize("options", [{}, {"person": "who", "known": "one"}, {"person": "who", "known": "all"}], ids=str)
def test_an_evaluation_is_the_same_elsewhere(options, elsewhere):
    everybody = {name: [*cells, *cells] for name, cells in PATIENTS.items()}
    release = pw.Release(MARKED, original=PATIENTS, population=everybody, hierarchies=TREES, **ROLES, **options)
    for evaluation in (release.check(pw.KAnonymity(k=4), pw.TCloseness(t="1/4")), release.evaluate()):
        assert elsewhere(write_evaluation, evaluation) == write_evaluation(evaluation)
        for one in (evaluation.guarded(), evaluation.public()):
            assert elsewhere(str, one) == str(one)


def test_each_result_is_the_same_elsewhere(elsewhere):
    results, errors = [], []
    for sample in SAMPLES:
        release = sample.release()
        for question in (one for kind in pw.measures().values() for one in questions(kind)):
            try:
                results.append(release.ask(question))
            except pw.PETWorksError as error:
                errors.append(error)
    assert {one.measure.name for one in results} >= {kind.name for kind in pw.measures().values()} - {"utility bias"}
    assert elsewhere(write_results, results) == write_results(results)
    again = pickle.loads(pickle.dumps(errors))
    assert [(type(one), vars(one)) for one in again] == [(type(one), vars(one)) for one in errors] != []


def write_results(results):
    return [write_result(one) for one in results]


def test_sizes_stay_known_if_the_combinations_do_not_fit(count_only_sizes):
    count_only_sizes()
    evaluation = pw.Release(MARKED, original=PATIENTS, hierarchies=TREES, **ROLES).evaluate()
    again = pickle.loads(pickle.dumps(evaluation))
    assert again["k-anonymity"].value == evaluation["k-anonymity"].value
    assert write_evaluation(again) == write_evaluation(evaluation)


WAYS = {
    "levels": {"suppress_at_most": "25%"},
    "given levels": {"levels": {"age": 2}},
    "loss": {"utility": "loss", "suppress_at_most": "10%", "suppressed_rows": "remove"},
    "shuffled": {"order": "shuffled", "seed": 1},
    "local": {"recoding": "local", "suppress_at_most": "10%"},
    "means": {"recoding": "microaggregate", "hierarchies": None},
    "people": {"person": "who", "known": "all"},
}


@pytest.mark.parametrize("way", WAYS)
def test_an_anonymised_table_is_the_same_elsewhere(way, elsewhere):
    asked = {"goals": [pw.KAnonymity(k=2)], "hierarchies": TREES, "the_rest": "insensitive", **ROLES, **WAYS[way]}
    made = pw.anonymize(PATIENTS, **asked)
    fresh = elsewhere(write_anonymized, made)
    assert fresh == write_anonymized(made)
    assert elsewhere(write_anonymized, made) == fresh  # with what was found here
    judged = made.release.check(pw.KAnonymity(k=2))
    assert elsewhere(write_evaluation, judged) == write_evaluation(judged)


def test_the_front_is_the_same_elsewhere(elsewhere):
    made = pw.anonymize(PATIENTS, goals=[pw.KAnonymity(k=2)], hierarchies=TREES, the_rest="insensitive", **ROLES)
    before = made.front()
    point = before[0]
    assert elsewhere(type(made).front, made) == before == pickle.loads(pickle.dumps(before))
    with pytest.raises(pw.PETWorksError, match="only the figures"):
        pickle.loads(pickle.dumps(point)).make()
    assert elsewhere(write_anonymized, point.make()) == write_anonymized(point.make())


def test_a_comparison_is_the_same_elsewhere(elsewhere):
    made = pw.anonymize(PATIENTS, goals=[pw.KAnonymity(k=2)], hierarchies=TREES, the_rest="insensitive", **ROLES)
    release = pw.Release(MARKED, original=PATIENTS, hierarchies=TREES, insensitive=["who"], **ROLES)
    compared = pw.compare(made, release)
    fresh = elsewhere(write_comparison, compared)
    assert fresh == write_comparison(compared)
    assert elsewhere(write_comparison, compared) == fresh


def test_an_inspection_is_the_same_elsewhere(elsewhere):
    looked = pw.inspect(PATIENTS)
    assert elsewhere(str, looked) == str(looked)
    assert elsewhere(type(looked).text, looked, "zh_TW") == looked.text("zh_TW")


POLICY = """version = 1
[data]
released = "released.csv"
original = "original.csv"
[roles]
quasi_identifiers = ["age", "zip"]
sensitive = ["disease"]
the_rest = "insensitive"
[hierarchies.age]
intervals = [10, 40]
[[require]]
measure = "k-anonymity"
k = 2
"""


def test_a_policy_is_the_same_elsewhere(tmp_path, elsewhere):
    write_csv(MARKED, tmp_path / "released.csv")
    write_csv(PATIENTS, tmp_path / "original.csv")
    (tmp_path / "policy.toml").write_text(POLICY)
    policy = pw.Policy(tmp_path / "policy.toml")
    judged = elsewhere(pw.Policy.check, policy)
    assert write_evaluation(judged) == write_evaluation(policy.check()) == elsewhere(write_evaluation, policy.check())


def test_hierarchies_are_the_same_elsewhere(elsewhere):
    rule = pw.Hierarchy.intervals("age", [10, 20])
    tree = rule.build(PATIENTS["age"])
    assert elsewhere(list_rows, rule, PATIENTS["age"]) == [*tree.rows()]
    assert elsewhere(str, tree.coverage({"20": 7, "99": 5})) == str(tree.coverage({"20": 7, "99": 5}))


def list_rows(rule, values):
    return [*rule.build(values).rows()]


@pytest.mark.parametrize("role", ["table", "original", "population"])
def test_a_query_of_this_process_says_why_it_cannot_be_pickled(role):
    connection = duckdb.connect()
    connection.register("patients", pa.table(PATIENTS))
    tables = {"table": COARSE, "original": PATIENTS, "population": PATIENTS} | {role: connection.table("patients")}
    release = pw.Release(**tables, **ROLES)
    with pytest.raises(pw.PETWorksError, match="a DuckDB relation cannot be pickled") as caught:
        pickle.dumps(release)
    assert "Arrow table" in caught.value.hint
    with pytest.raises(pw.PETWorksError, match="a DuckDB relation cannot be pickled"):
        pickle.dumps(release.evaluate())
    guarded = release.evaluate().guarded()
    assert str(pickle.loads(pickle.dumps(guarded))) == str(guarded)
