"""Errors hold counts of people and content of tables as figures, so that each output decides what it shows of them."""

from __future__ import annotations

import ast
import inspect
import pickle
from collections.abc import Iterator
from functools import cache

import pytest

from PETWorks import errors
from PETWorks.errors import CellText, PETWorksError, Quantity
from PETWorks.facts.saved import dump_error, load_error
from PETWorks.shown import write_public_error
from support.places import ROOT

KINDS = {name: one for name, one in vars(errors).items() if inspect.isclass(one) and issubclass(one, PETWorksError)}
ABOUT_TABLES = [name for name, kind in KINDS.items() if kind.about_tables]
HARMLESS = {  # counts of things that tell nothing of people, by file
    "anonymization/compare.py": ["release"],
    "anonymization/full_domain.py": ["person", "row"],  # that may be suppressed: follows from the limit
    "cli/errors.py": ["problem"],
    "policy/toml.py": ["problem"],
    "tables/formats/delimited.py": ["cell", "column"],
    "tables/source.py": ["column", "other name"],
}
COUNTING = {"len", "sum", "int", "plural", "count_units"}


@cache
def read_modules() -> list[tuple[str, ast.Module]]:
    package = ROOT / "src" / "PETWorks"
    paths = sorted(one for one in package.rglob("*.py") if one.name != "errors.py" or one.parent.name == "cli")
    return [(path.relative_to(package).as_posix(), ast.parse(path.read_text(encoding="utf-8"))) for path in paths]


def test_counts_of_people_are_figures():
    """`plural` writes a count that no output can take back, so only what is declared here is written with it."""
    found: dict[str, list[str]] = {}
    for name, module in read_modules():
        for call in ast.walk(module):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "plural":
                noun = call.args[1]
                found.setdefault(name, []).append(noun.value if isinstance(noun, ast.Constant) else ast.unparse(noun))
    assert {name: sorted(nouns) for name, nouns in found.items()} == HARMLESS


def find_counts(function: ast.AST, text: ast.expr) -> Iterator[str]:
    """Yield the parts of a text that write a count: a call that counts, or a number with separators."""
    if isinstance(text, ast.Name):
        for one in ast.walk(function):
            if isinstance(one, ast.Assign) and any(ast.unparse(target) == text.id for target in one.targets):
                yield from find_counts(function, one.value)
    for one in ast.walk(text):
        if isinstance(one, ast.FormattedValue):
            called = {getattr(call.func, "id", "") for call in ast.walk(one.value) if isinstance(call, ast.Call)}
            separated = one.format_spec is not None and "," in ast.unparse(one.format_spec)
            if called & COUNTING or separated:
                yield ast.unparse(one.value)


def test_errors_about_tables_have_no_count_in_plain_text():
    found = []
    for name, module in read_modules():
        for function in ast.walk(module):
            if not isinstance(function, ast.FunctionDef):
                continue
            for call in ast.walk(function):
                if isinstance(call, ast.Call) and getattr(call.func, "id", "") in ABOUT_TABLES:
                    given = {one.arg: one.value for one in call.keywords}
                    texts = [*call.args[:1], *(given[one] for one in ("hint",) if one in given)]
                    if "figures" not in given:
                        found += [(name, one) for text in texts for one in find_counts(function, text)]
    assert found == []


def test_the_law_finds_what_it_looks_for():
    lines = ["def f():", 'problem = f"{len(rows)} of {all_rows:,} rows of {name}"', "raise SourceError(problem)"]
    function = ast.parse("\n    ".join(lines)).body[0]
    assert [*find_counts(function, ast.Name("problem"))] == ["len(rows)", "all_rows"]


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_an_error_keeps_its_figures(kind):
    figures = {"rows": Quantity(3, "row has", "rows have"), "cell": CellText("Ann"), "table": "{a}.csv"}
    error = kind("{rows} {cell} in {table}", where="x", hint="see {table}", listed='"Ann"', figures=figures)
    text = "3 rows have Ann in {a}.csv"
    assert (error.problem, error.hint, str(error)) == (text, "see {a}.csv", f'x: {text}: "Ann"\n  see {{a}}.csv')
    for other in (pickle.loads(pickle.dumps(error)), load_error(dump_error(error)), error.convert(kind)):
        assert type(other) is kind
        assert str(other) == str(error)
        assert write_public_error(other) == ("x: fewer than 5 rows have … in {a}.csv", "see {a}.csv")


@pytest.mark.parametrize(
    ("number", "told"),
    [
        (0, "fewer than 5"),
        (1, "fewer than 5"),
        (4, "fewer than 5"),
        (5, "5-9"),
        (27, "20-49"),
        (29, "20-49"),
    ],
)
def test_the_public_sees_a_band(number, told):
    """Two exact counts would tell their difference, which may be of a few people."""
    error = errors.PairingError("{rows} there", figures={"rows": Quantity(number, "row")})
    assert write_public_error(error) == (f"{told} rows there", "")


@pytest.mark.parametrize("kind", ABOUT_TABLES)
def test_plain_text_about_a_table_is_not_public(kind):
    error = KINDS[kind]("do so", where="a.csv", hint="do")
    assert write_public_error(error) == ("", "")
    assert write_public_error(error.convert(errors.PolicyError)) == ("", "")  # nor as a problem of a policy
    known = KINDS[kind]("do so", where="a.csv", hint="do", figures={})
    assert write_public_error(known) == ("a.csv: do so", "do")


def test_what_the_caller_wrote_is_public():
    error = errors.ParameterError('k must be a whole number from 1, not "0"')
    assert write_public_error(error)[0] == error.problem
