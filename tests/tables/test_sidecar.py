"""The YAML file beside a table: defaults for roles and hierarchies; no code in it is run."""

import tracemalloc
from fractions import Fraction

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from PETWorks import Release
from PETWorks.errors import HierarchyError, PETWorksError, RoleError, SidecarError
from PETWorks.tables import decoding
from support.release_facts import Roles

ROLES = """\
DATASET:
  ATTRIBUTE_TYPE:
    QUASI_IDENTIFIER: [year]
    SENSITIVE_ATTRIBUTE: [disease]
"""
BOTH = f"{ROLES}  HIERARCHY: levels\n"
FROM_YAML = Roles(("year",), ("disease",), (), ("name",))


@pytest.fixture
def table(write):
    """Write a release with its YAML, and a folder of hierarchies under which its Precision is 1/2."""

    def table(yaml=None, name="release.csv"):
        write("1977;197*;*\n1983;198*;*\n", "levels/x_hierarchy_year.csv")
        if yaml is not None:
            write(yaml, f"{name.partition('.')[0]}.yaml")
        return write("name;year;disease\nann;197*;flu\nbob;198*;cold\n", name)

    return table


def complaint(call, kind=SidecarError):
    with pytest.raises(kind) as caught:
        call()
    return caught.value


# What it supplies


def test_without_yaml(table):
    assert Release(table()).roles == Roles(("name", "year", "disease"))


def test_roles(table):
    assert Release(table(ROLES)).roles == FROM_YAML


def test_all_four_roles(table):
    yaml = """
DATASET:
  ATTRIBUTE_TYPE:
    IDENTIFIER: [name]
    QUASI_IDENTIFIER:
      - year
    INSENSITIVE_ATTRIBUTE: [disease]
"""
    assert Release(table(yaml)).roles == Roles(("year",), (), ("name",), ("disease",))


@pytest.mark.parametrize(
    "spelling", ["QUASI_IDENTIFYING_ATTRIBUTE", "quasi_identifier", "AttributeType.QUASI_IDENTIFIER"]
)
def test_spellings(table, spelling):
    assert Release(table(ROLES.replace("QUASI_IDENTIFIER", spelling))).roles == FROM_YAML


def test_a_folder_of_hierarchies_relative_to_the_yaml(table, tmp_path, monkeypatch):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    path = table(BOTH)
    monkeypatch.chdir(elsewhere)
    assert Release(path).ask("Precision").exact == Fraction(1, 2)


def test_an_absolute_folder_of_hierarchies(table, tmp_path):
    assert Release(table(f"{ROLES}  HIERARCHY: {tmp_path}/levels\n")).ask("Precision").exact == Fraction(1, 2)


def test_hierarchies_alone(table):
    release = Release(table("DATASET: {HIERARCHY: levels}"))
    assert (release.roles, release.ask("shares").parts["year"].value) == (Roles(("name", "year", "disease")), 1)


def test_the_result_says_that_it_was_used(table):
    notes = Release(table(BOTH)).ask("Precision").notes
    assert [note.figures for note in notes if note.kind == "sidecar"] == [{"file": "release.yaml"}]


@pytest.mark.parametrize("name", ["release.csv", "release.tsv", "release.csv.gz", "release"])
def test_its_name_is_the_stem_of_the_table(table, name):
    """All these files are plain text, also the one named .gz: the first bytes decide what a file is."""
    assert Release(table(ROLES, name)).roles == FROM_YAML


def test_beside_a_table_with_dots_in_its_name(write):
    write(ROLES, "release.v2.yaml")
    assert Release(write("name;year;disease\na;1;x\n", "release.v2.csv")).roles == FROM_YAML


def test_beside_a_folder_of_parquet(write, tmp_path):
    write(ROLES, "release.yaml")
    (tmp_path / "release").mkdir()
    pq.write_table(pa.table({"name": ["a"], "year": ["1"], "disease": ["x"]}), tmp_path / "release" / "1.parquet")
    assert Release(tmp_path / "release").roles == FROM_YAML


def test_path_as_text(table):
    assert Release(str(table(ROLES))).roles == FROM_YAML


# The caller's arguments override the file


def test_the_callers_roles_win(table):
    assert Release(table(BOTH), quasi_identifiers=["name"]).roles == Roles(("name",), (), (), ("year", "disease"))


def test_hierarchies_of_the_yaml_go_with_the_callers_roles(table):
    assert Release(table(BOTH), quasi_identifiers=["year"]).ask("Precision").exact == Fraction(1, 2)


def test_the_callers_hierarchies_win(table):
    rows = [("1977", "197*", "19**", "*"), ("1983", "198*", "19**", "*")]
    release = Release(table(BOTH), hierarchies={"year": rows})
    assert (release.roles, release.ask("Precision").exact) == (FROM_YAML, Fraction(2, 3))


def test_a_missing_folder_is_no_matter_where_the_callers_hierarchies_win(table):
    release = Release(table(f"{ROLES}  HIERARCHY: nowhere\n"), hierarchies={"year": [("1", "197*"), ("2", "198*")]})
    assert release.ask("Precision").exact == Fraction(1, 2)


def test_it_can_be_left_alone(table):
    assert Release(table(BOTH), sidecar=False).roles == Roles(("name", "year", "disease"))


def test_a_bad_one_can_be_left_alone(table):
    assert Release(table("nonsense"), sidecar=False).roles == Roles(("name", "year", "disease"))


def test_the_releases_comes_before_the_originals(table):
    original = table(ROLES.replace("year", "name"), "original.csv")
    assert Release(table(ROLES), original=original).roles == FROM_YAML


def test_the_originals_is_used_where_the_release_has_none(table):
    original = table(ROLES, "original.csv")
    assert Release(table(), original=original).roles == FROM_YAML


def test_the_originals_is_used_with_a_release_in_memory(table):
    released = {"name": ["a"], "year": ["1977"], "disease": ["x"]}
    assert Release(released, original=table(ROLES, "original.csv")).roles == FROM_YAML


# What is wrong with it


BAD = {  # content, where, words of the problem
    "empty": ("", "release.yaml", ("mapping",)),
    "a text": ("nonsense", "release.yaml", ("mapping", "nonsense")),
    "a list": ("- a\n- b\n", "release.yaml", ("mapping",)),
    "no dataset": ("DATASET:\n", "release.yaml, DATASET", ("mapping",)),
    "dataset is a list": ("DATASET: [a]", "release.yaml, DATASET", ("mapping",)),
    "types are a list": ("DATASET: {ATTRIBUTE_TYPE: [year]}", "release.yaml, ATTRIBUTE_TYPE", ("mapping",)),
    "unknown key": ("DATASETS: {}", "release.yaml", ('unknown key "DATASETS"',)),
    "unknown key inside": ("DATASET: {HIERARCHIES: x}", "release.yaml, DATASET", ('unknown key "HIERARCHIES"',)),
    "unknown role": (ROLES.replace("QUASI", "QUASY"), "release.yaml, ATTRIBUTE_TYPE", ('"QUASY_IDENTIFIER" is no',)),
    "one name in place of a list": (ROLES.replace("[year]", "year"), "release.yaml", ("QUASI_IDENTIFIER", "list")),
    "a mapping in place of one": (ROLES.replace("[year]", "{year: 1}"), "release.yaml", ("QUASI_IDENTIFIER", "list")),
    "nested names": (ROLES.replace("[year]", "[[year]]"), "release.yaml", ("QUASI_IDENTIFIER",)),
    "a folder that is a list": ("DATASET: {HIERARCHY: [levels]}", "release.yaml", ("HIERARCHY", "folder")),
    "bad indentation": ("DATASET:\n\tATTRIBUTE_TYPE: {}\n", "release.yaml, line 2", ("not readable",)),
    "open bracket": ("DATASET: {ATTRIBUTE_TYPE: [\n", "release.yaml, line 2", ("not readable",)),
    "two documents": (f"{ROLES}---\n{ROLES}", "release.yaml, line 5", ("not readable",)),
    "no text": (b"\xff\xfe\xff", "release.yaml", ("not readable",)),
    "a control character": ("DATASET: \x07", "release.yaml", ("not readable",)),
    "the same key twice": (f"{ROLES}    QUASI_IDENTIFIER: [name]\n", "release.yaml, line 5", ("QUASI_IDENTIFIER",)),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_where_and_what(table, case):
    content, where, words = BAD[case]
    path = table(content)
    error = complaint(lambda: Release(path))
    assert error.where == where
    for word in words:
        assert word in error.problem


@pytest.mark.parametrize("case", BAD)
def test_what_to_do(table, case):
    path = table(BAD[case][0])
    assert complaint(lambda: Release(path)).hint


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("unknown key", 'did you mean "DATASET"?'),
        ("unknown key inside", 'did you mean "HIERARCHY"?'),
        ("unknown role", 'did you mean "quasi_identifier"?'),
        ("a text", "QUASI_IDENTIFIER: [zip, age]"),
    ],
)
def test_the_way_out(table, case, words):
    path = table(BAD[case][0])
    assert words in complaint(lambda: Release(path)).hint


@pytest.mark.parametrize(
    "evil",
    [
        '!!python/object/apply:os.system ["touch {0}"]',
        '!!python/object/new:os.system ["touch {0}"]',
        "!!python/object/apply:pathlib.Path.touch [!!python/object/apply:pathlib.Path [{0}]]",
        "!!python/name:os.system",
        "!!python/module:os",
        '!!python/tuple ["{0}"]',
    ],
)
def test_tags_that_construct_objects(table, tmp_path, evil):
    mark = tmp_path / "mark"
    path = table(f"DATASET: {evil.format(mark)}")
    error = complaint(lambda: Release(path))
    assert error.where == "release.yaml, line 1"
    assert "write only plain mappings, lists and text" in error.hint
    assert not mark.exists()


def test_aliases_that_grow_are_harmless(monkeypatch, table):
    """Aliases make nine lists of nine lists of …: small in the file and in memory, but far too large to print."""
    lists = ["- &a0 [x]", *(f"- &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 7))]
    path = table("\n".join(lists))
    monkeypatch.setattr(decoding, "BLOCK", 2**10)  # only the YAML is measured here
    complaint(lambda: Release(path))  # so that imports on first use are not counted
    tracemalloc.start()
    complaint(lambda: Release(path))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**20


def test_a_missing_folder_of_hierarchies(table):
    path = table(f"{ROLES}  HIERARCHY: level\n")
    error = complaint(lambda: Release(path), HierarchyError)
    assert ("level" in error.where, 'did you mean "levels"?' in error.hint) == (True, True)


def test_a_column_that_is_not_there(table):
    path = table(ROLES.replace("[year]", "[yeer]"))
    error = complaint(lambda: Release(path), RoleError)
    assert (error.where, '"yeer"' in error.problem, 'did you mean "year"?' in error.hint) == (
        "release.yaml",
        True,
        True,
    )


def test_two_roles_for_one_column(table):
    path = table(ROLES.replace("[disease]", "[disease, year]"))
    error = complaint(lambda: Release(path), RoleError)
    assert (error.where, '"year"' in error.problem, "two roles" in error.problem) == ("release.yaml", True, True)


@pytest.mark.parametrize("name", ["no", "on", "null", "007", "1.10", "2026-05-01"])
def test_names_that_yaml_takes_for_something_else(write, name):
    """YAML would read `no` as a boolean and `007` as a number, but column names are text."""
    path = write(f"{name};age\n1;2\n")
    write(f"DATASET: {{ATTRIBUTE_TYPE: {{QUASI_IDENTIFIER: [{name}]}}}}", "release.yaml")
    assert Release(path).roles == Roles((name,), (), (), ("age",))


def test_a_folder_whose_name_yaml_takes_for_a_number(write):
    write("1;*\n2;*\n", "2026/x_hierarchy_a.csv")
    write("DATASET: {HIERARCHY: 2026}", "release.yaml")
    assert Release(write("a\n1\n*\n")).ask("Precision").exact == Fraction(1, 2)


def test_a_folder_named_as_the_yaml_is_no_matter(write):
    write("x", "release.yaml/x")
    assert Release(write("a\n1\n")).roles == Roles(("a",))


def test_every_error_is_one_of_ours(table):
    path = table("DATASET: {1: 2, [a]: b}")
    complaint(lambda: Release(path), PETWorksError)
