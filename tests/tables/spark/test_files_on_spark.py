"""Files that Spark opens are read as strictly as by our own reader, or more strictly; the results are the same."""

import gzip

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import PETWorks as pw
from PETWorks.errors import EncodingError, MalformedError, MissingFileError, ParameterError, SourceError
from PETWorks.tables.opening import open_source
from PETWorks.tables.spark.errors import build_error
from PETWorks.tables.spark.files import SparkPath
from tables.spark.on_spark import texts
from tables.test_same_numbers import DELIMITED, ORIGINAL, RELEASED, counted


@pytest.fixture
def write(tmp_path, spark):
    def write(content, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return SparkPath(path, spark)

    return write


def tallied(path, **options):
    source = open_source(path, "table", **options)
    return list(source.tally(source.columns).items())


@pytest.mark.parametrize("form", [form for form in DELIMITED if "cp950" not in form])
def test_csv(write, form):
    name = "table.csv.gz" if form == "gzip" else "table.csv"
    path = write(DELIMITED[form](RELEASED), name)
    source = open_source(path, "table")
    assert list(source.tally(source.columns).items()) == counted(RELEASED, RELEASED)
    assert (source.name, source.form[:3], source.digest()) == (
        name,
        ("Spark", "CSV", "UTF-8"),
        open_source(str(path), "").digest(),
    )


@pytest.mark.parametrize(
    "body",
    [
        'a;b\n"x";"y"\r\n "p;q";"r""s"\n',
        'a;b\n"l1\r\nl2";2\n',
        "a;b\n;\n 　;\n",
        'a;b\n1;""\n"";2\n',
        'a;b\n#x;2\n\\;"\\"\n',
        "\ufeff n ,N,`x.y`\n1, 2 ,高雄　\n",
        "a;b\n1;2\n\n \n3;4\n\n",
    ],
)
def test_csv_as_it_is_read_here(write, body):
    path = write(body)
    assert tallied(path) == tallied(str(path))


def test_names_of_files_are_no_patterns(write):
    assert tallied(write("a;b\n1;2\n", "a [1]{2}*%20'.csv")) == [(("1", "2"), 1)]


def test_a_delimiter_that_the_caller_names(write):
    assert tallied(write("a:b;c\n1:2;3\n"), delimiter=":") == [(("1", "2;3"), 1)]


@pytest.mark.parametrize(
    ("content", "kind", "words"),
    [
        ("a;b\n1;2;3\n4\n5;6\n", MalformedError, "2 rows with more or fewer cells"),
        ('a;b\n1;"abc\n2;3\n', MalformedError, "never closed"),
        ('a;b\n"a"b;c\n', SourceError, "after the closing quote"),
        (b"a;b\n\xa4\xa4;1\n1;2\n", EncodingError, "1 line is not UTF-8"),
        (b"a;b\n1;\x002\n", MalformedError, "NUL"),
        ("a\n1\n\n2\n", MalformedError, "one column"),
        ("", MalformedError, "empty"),
        ("a;a\n1;2\n", MalformedError, "same name"),
        ("a;;b\n1;2;3\n", MalformedError, "empty name"),
        ("a;b\n", MalformedError, "no rows"),
        ("a;b\rc;d\n1;2\n", MalformedError, "CR"),
        ('a;"b\n1;2\n', MalformedError, "never closed"),
    ],
)
def test_csv_that_is_wrong(write, content, kind, words):
    with pytest.raises(kind, match=words) as caught:
        tallied(write(content))
    assert (caught.value.where.split(",")[0], bool(caught.value.hint)) == ("table.csv", True)
    assert "\tat " not in str(caught.value)


def test_a_wrong_line_is_told_of_the_file_that_has_it(write):
    right, wrong = write("id;age\n1;a\n2;b\n", "right.csv"), write("id;age\n1;a\n2;b;c\n", "wrong.csv")
    for released, original in ((right, wrong), (wrong, right)):
        with pytest.raises(MalformedError, match="1 row with") as caught:
            pw.Release(released, original=original, key="id", quasi_identifiers=["age"]).ask("Precision")
        assert caught.value.where == "wrong.csv"


def test_another_encoding(write):
    with pytest.raises(ParameterError, match="UTF-8, not cp950"):
        tallied(write("a;b\n1;2\n"), encoding="cp950")


def test_gzip_and_parquet_give_the_same(write, tmp_path, spark):
    zipped = write(gzip.compress(DELIMITED["semicolon"](RELEASED).encode()), "table.csv.gz")
    pq.write_table(pa.table(texts(str(zipped))), tmp_path / "no suffix")
    assert tallied(zipped) == tallied(SparkPath(tmp_path / "no suffix", spark))


def test_a_folder_of_parquet(tmp_path, spark):
    for part in range(3):
        pq.write_table(pa.table({"n": ["1", None], "N": [f"p{part}", "x"]}), tmp_path / f"{part}.parquet")
    source = open_source(SparkPath(tmp_path, spark), "table")
    assert (source.form, source.digest()) == (("Spark", "Parquet", "3 files"), open_source(tmp_path, "").digest())
    assert list(source.tally(["N", "n"]).items()) == list(open_source(tmp_path, "").tally(["N", "n"]).items())


def test_a_folder_split_by_a_column_keeps_it(tmp_path, spark):
    for year in ("007", "008"):
        (tmp_path / "t" / f"year={year}").mkdir(parents=True)
        pq.write_table(pa.table({"age": ["1", "2"]}), tmp_path / "t" / f"year={year}" / "0.parquet")
    assert open_source(SparkPath(tmp_path / "t", spark), "table").columns == ("age", "year")


def test_a_folder_of_csv(tmp_path, spark):
    for part in "ab":
        (tmp_path / f"{part}.csv").write_text("x;y\n1;2\n")
    with pytest.raises(MalformedError, match=r"the folder holds no \.parquet file"):
        open_source(SparkPath(tmp_path, spark), "table")


def test_other_files_of_a_folder(tmp_path, spark):
    """Files that are not Parquet are ignored, as without Spark."""
    pq.write_table(pa.table({"age": ["1", "2"]}), tmp_path / "0.parquet")
    (tmp_path / "README.txt").write_text("about the table")
    assert open_source(SparkPath(tmp_path, spark), "table").tally(["age"]).rows == 2


def test_damaged_parquet(write):
    with pytest.raises(SourceError) as caught:
        open_source(write(b"PAR1 and no more", "t.parquet"), "table")
    assert caught.value.problem == "not readable as Parquet"


def test_no_such_file(tmp_path, spark):
    (tmp_path / "released.csv").write_text("a;b\n")
    with pytest.raises(MissingFileError, match="no such file") as caught:
        open_source(SparkPath(tmp_path / "relesed.csv", spark), "table")
    assert '"released.csv"' in caught.value.hint
    with pytest.raises(MissingFileError) as caught:
        open_source(SparkPath("file:///nowhere/t.parquet", spark), "table")
    assert "all workers" in caught.value.hint


@pytest.mark.parametrize(("address", "hint"), [("hdfs://127.0.0.1:1/t.csv", "address"), ("s3a://b/t.csv", "packages")])
def test_an_address_that_does_not_answer(spark, address, hint):
    with pytest.raises(SourceError, match=r"does not answer|this kind of address") as caught:
        open_source(SparkPath(address, spark), "table")
    assert (hint in caught.value.hint, "\n\tat" in str(caught.value)) == (True, False)


TOO_LARGE = """An error occurred while calling o1.getResult.
: org.apache.spark.SparkException: Exception thrown in awaitResult:
\tat org.apache.spark.util.SparkThreadUtils$.awaitResult(SparkThreadUtils.scala:70)
Caused by: org.apache.spark.SparkException: Job aborted due to stage failure: Total size of serialized results of 1 \
tasks (23.4 MiB) is bigger than spark.driver.maxResultSize (1024.0 KiB)
\tat org.apache.spark.scheduler.DAGScheduler.$anonfun$abortStage$3(DAGScheduler.scala:4568)
"""  # the message of Spark 4.3


def test_a_tally_that_is_too_large_for_the_driver():
    error = build_error(RuntimeError(TOO_LARGE), "release")
    assert (error.where, error.problem) == ("release", "the tally is larger than the driver may receive")
    assert "generalise" in error.hint


def test_the_sidecar_and_the_original_are_found(write, spark):
    released, original = write(DELIMITED["semicolon"](RELEASED), "r.csv"), write(DELIMITED["comma"](ORIGINAL), "o.csv")
    write("DATASET:\n  ATTRIBUTE_TYPE:\n    QUASI_IDENTIFIER: [year]\n    SENSITIVE_ATTRIBUTE: [disease]\n", "r.yaml")
    there, here = pw.Release(released, original=original), pw.Release(str(released), original=str(original))
    assert there.roles == here.roles
    assert there.ask("AECS").to_dict() == here.ask("AECS").to_dict()
