"""A table without header: messages quote none of its cells. A table with one: they name its columns."""

import pytest

import PETWorks as pw
from PETWorks.errors import PETWorksError
from PETWorks.tables.opening import open_source
from PETWorks.tables.source import find_showable_names, looks_like_cell
from support.process import petworks

ROWS = [f"{20 + number % 9};{'mf'[number % 2]};A12345678{number % 10};flu" for number in range(40)]
CELLS = ("20", "A123456780", "flu")
POLICY = """version = 1
[data]
released = "t.csv"
{data}
[roles]
{roles}
[[require]]
measure = "k-anonymity"
k = 2
"""


@pytest.fixture
def headerless(tmp_path):
    (tmp_path / "t.csv").write_text("\n".join(ROWS) + "\n", encoding="utf-8")
    return tmp_path


COMMANDS = [
    ["evaluate", "t.csv", "-q", "nope"],
    ["evaluate", "t.csv", "-q", "flo"],
    ["evaluate", "t.csv", "-q", "m", "-s", "nope"],
    ["evaluate", "t.csv", "-q", "m", "--weight", "nope"],
    ["evaluate", "t.csv", "-q", "m", "--person", "nope"],
    ["evaluate", "t.csv", "-q", "m", "--key", "nope", "--original", "t.csv"],
    ["evaluate", "t.csv", "-q", "m", "-m", "l-diversity"],
    ["explain", "t.csv", "k-anonymity", "-q", "nope"],
    ["hierarchy", "t.csv", "flo"],
    ["init", "t.csv", "--yes", "-q", "nope"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_no_cell_is_quoted(headerless, command):
    run = petworks(*command, cwd=headerless)
    assert (run.returncode, run.stdout) == (2, "")
    assert not [cell for cell in CELLS if cell in run.stderr]


@pytest.mark.parametrize(
    ("data", "roles"),
    [
        ("", 'quasi_identifiers = ["nope"]\nthe_rest = "insensitive"'),
        ("", 'quasi_identifiers = ["m"]'),
        ("", 'the_rest = "insensitive"'),
        ('original = "t.csv"\nkey = "nope"', 'quasi_identifiers = ["m"]\nthe_rest = "insensitive"'),
        ('person = "nope"', 'quasi_identifiers = ["m"]\nthe_rest = "insensitive"'),
        ("[hierarchies.nope]\nintervals = [5]", 'quasi_identifiers = ["m"]\nthe_rest = "insensitive"'),
    ],
)
def test_no_cell_is_quoted_for_a_policy(headerless, data, roles):
    (headerless / "p.toml").write_text(POLICY.format(data=data, roles=roles), encoding="utf-8")
    run = petworks("check", "p.toml", cwd=headerless)
    assert (run.returncode, run.stdout) == (2, "")
    assert not [cell for cell in CELLS if cell in run.stderr]


def test_a_release_that_is_made_quotes_none(headerless):
    with pytest.raises(PETWorksError) as raised:
        pw.anonymize(headerless / "t.csv", quasi_identifiers=["m"], goals=pw.KAnonymity(2))
    assert "3 columns" in str(raised.value)
    assert not [cell for cell in CELLS if cell in str(raised.value)]


@pytest.mark.parametrize(
    ("header", "row", "told"),
    [
        ("age;sex", "34;m", True),
        ("name;2019;2020;city", "x;1;2;y", True),  # years may be names
        ("0;1;2", "5;6;7", False),  # nothing but numbers
        ("age;m", "34;m", False),  # the second name is a cell, too
        ("age;0912-345-678", "34;x", False),
        ("age;1990-05-21", "34;x", False),
        ("age;ann@example.org", "34;x", False),
        ("ICD10 code;q17", "A00;x", True),
        ("age", "34", True),
    ],
)
def test_which_names_may_be_told(tmp_path, header, row, told):
    (tmp_path / "t.csv").write_text(f"{header}\n{row}\n", encoding="utf-8")
    source = open_source(tmp_path / "t.csv", "table")
    assert find_showable_names(source) == (source.columns if told else ())


def test_names_of_a_frame_are_names():
    source = open_source({"41": ["41"], "m": ["m"]}, "table")
    assert find_showable_names(source) == ("41", "m")


@pytest.mark.parametrize("name", ["姓名", "income 2019 in TWD", "x1", "T2", "v1.2", "Q4a", "p<0.05", "5 years"])
def test_names_of_columns_are_no_cells(name):
    assert not looks_like_cell(name)


def test_similar_names_of_a_table_with_a_header(tmp_path):
    (tmp_path / "t.csv").write_text("age;sex\n34;m\n", encoding="utf-8")
    assert 'did you mean "age"?' in petworks("evaluate", "t.csv", "-q", "aeg", cwd=tmp_path).stderr
    assert "Known: age, sex" in petworks("evaluate", "t.csv", "-q", "nope", cwd=tmp_path).stderr


TEXTS = {
    "# Notes\n\nOne, two; three.\nFour; five; six\n": "its first line is one cell, but line 3 has 2 cells",
    "# Notes\n\nno marks here\n": "its first line is one cell, which reads like text",
    "We met on Monday to talk.\nNobody came\n": "its first line is one cell, which reads like text",
    "notes\na;b;c\n": "its first line is one cell, but line 2 has 3 cells",
    'notes\n"a\n': "its first line is one cell, but line 2 cannot be read",
}


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_is_no_table(tmp_path, text):
    (tmp_path / "t.md").write_text(text, encoding="utf-8")
    for command in (["evaluate", "t.md", "-q", "age"], ["hierarchy", "t.md", "age"]):
        run = petworks(*command, cwd=tmp_path)
        told, hint = f"error: t.md: this does not look like a table: {TEXTS[text]}", "or what --delimiter says"
        assert (run.returncode, run.stderr.splitlines()[0], run.stderr.endswith(f"{hint}\n")) == (2, told, True)


def test_a_text_in_a_policy(tmp_path):
    (tmp_path / "t.csv").write_text(next(iter(TEXTS)), encoding="utf-8")
    (tmp_path / "p.toml").write_text(POLICY.format(data="", roles='quasi_identifiers = ["age"]'), encoding="utf-8")
    run = petworks("check", "p.toml", cwd=tmp_path)
    assert (run.returncode, "this does not look like a table" in run.stderr) == (2, True)


@pytest.mark.parametrize("header", ["age", "marital status", "How old are you", "年齡"])
def test_one_column_is_a_table(tmp_path, header):
    (tmp_path / "t.csv").write_text(f"{header}\n" + "34\n" * 9, encoding="utf-8")
    assert petworks("evaluate", "t.csv", "-q", header, "-m", "k-anonymity", "--k", "9", cwd=tmp_path).returncode == 0
    told = petworks("evaluate", "t.csv", "-q", "nope", cwd=tmp_path).stderr
    assert told == f'error: t.csv: there is no column "nope" (quasi identifier)\n  Known: {header}\n'


def test_a_ragged_text_that_is_measured_as_it_is(tmp_path):
    (tmp_path / "t.md").write_text(next(iter(TEXTS)), encoding="utf-8")
    told = petworks("evaluate", "t.md", cwd=tmp_path).stderr
    assert "check that this is a table" in told
