"""Hints on the command line name options, or keys of a policy: no arguments and no calls of Python."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import PETWorks
from PETWorks.app.responses import advise
from PETWorks.cli.errors import ARGUMENT, reword_hint
from PETWorks.errors import PETWorksError
from support.process import petworks
from support.rules import find_rule_kinds

PYTHON = re.compile(r"\w=|\bpw\.|\b(?:Hierarchy|Release)\b|[A-Za-z]\(|\{'|\w\[")
SOURCES = Path(PETWorks.__file__).parent
NAMED = re.compile(r'\b([a-z_]+)=(?=["\s,.:;)]|$)')
QUOTED = re.compile(r"`[^`]*`")
PYTHON_ONLY = {"library", "roles", "goals", "control"}  # named where nobody arrives by a command
ELSEWHERE = ("render", "app", "legacy")  # words, pages, and the functions of old


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"{20 + one % 30};{'mf'[one % 2]};{1000 + one};{['flu', 'hiv'][one % 2]};p{one // 2}" for one in range(60)]
    (tmp_path / "a.csv").write_text("\n".join(["age;sex;zip;ill;pid", *rows]) + "\n", encoding="utf-8")
    return "a.csv"


AS_OPTIONS = {
    "widths": (["age", "--widths", "10,25"], "one before, as in --widths 5,10,20 --bottom 15 --top 95"),
    "no widths": (["age", "--widths", ","], "as in --widths 5,10,20 --bottom 15 --top 95"),
    "parts": (["age", "--parts", "1"], "as in --parts 8,4,2"),
    "keep": (["zip", "--keep", "0"], "as in --keep 3,1; the top is always *"),
    "dates": (["age", "--dates", ","], "as in --dates month,year,decade"),
    "order": (["ill", "--order", "flu,hiv", "--sizes", "0"], "as in --order S,M,L,XL --sizes 2"),
    "share": (["ill", "--share", "5%,1%"], "as in --share 1%,5%"),
    "label": (["ill", "--share", "5%", "--label", " "], "pass --label other"),
    "places": (["ill", "--places", "region,county"], "as in --places district,county,region"),
    "alone": (["ill", "--order", "flu,hiv"], "error: --order needs --sizes as in --order S,M,L,XL --sizes 2"),
    "together": (["zip", "--keep", "1", "--top", "5"], "error: --top does not go with --keep beside --keep: --mask"),
    "none beside": (["age", "--parts", "2", "--top", "5"], "error: --top does not go with --parts leave it out"),
}


@pytest.mark.parametrize("case", AS_OPTIONS)
def test_hints_of_hierarchies_name_options(table, case):
    arguments, told = AS_OPTIONS[case]
    run = petworks("hierarchy", table, *arguments)
    assert (run.returncode, run.stdout) == (2, "")
    assert told in " ".join(run.stderr.split())
    assert not PYTHON.search(run.stderr)


def test_a_digit_is_a_mask(table):
    assert petworks("hierarchy", table, "age", "--keep", "1", "--mask", "0").returncode == 2  # 20 has it
    assert petworks("hierarchy", table, "sex", "--keep", "1", "--mask", "0").returncode == 0


IN_A_POLICY = {
    "intervals = [10, 25]": "as in intervals = [5, 10, 20], bottom = 15, top = 95",
    "parents = 3": 'as in parents = { MA = "graduate", PhD = "graduate" }',
    'ordered = ["20", "21"]': 'as in ordered = ["S", "M", "L", "XL"], sizes = [2]',
    'rare_last = ["5%"]\nlabel = " "': 'pass label = "other"',
}


@pytest.mark.parametrize("rule", IN_A_POLICY)
def test_hints_of_hierarchies_name_keys_of_a_policy(table, tmp_path, rule):
    known = '[roles]\nquasi_identifiers = ["age"]\nthe_rest = "insensitive"\n'
    asked = '[[require]]\nmeasure = "k-anonymity"\nk = 2\n'
    text = f'version = 1\n[data]\noriginal = "{table}"\n{known}{asked}[hierarchies.age]\n{rule}\n'
    (tmp_path / "p.toml").write_text(text, encoding="utf-8")
    run = petworks("anonymize", "p.toml", "-o", "b.csv")
    assert run.returncode == 2
    assert IN_A_POLICY[rule] in " ".join(run.stderr.split())


MEASURED = [
    (["-s", "ill", "-m", "t-closeness", "--distance", "hierarchical"], "pass one in --hierarchies"),
    (["-s", "ill", "-m", "t-closeness", "--distance", "ordered"], "pass its values in order: --order"),
    (["-s", "ill", "-m", "t-closeness", "--distance", "ordered", "--order", "flu"], "the order lacks values of"),
    (["--known", "all"], "no column of persons is named"),
    (["-m", "population uniqueness"], "pass --population, or say how large it is: --population-size or"),
    (
        ["-m", "population uniqueness", "--sampling-fraction", "0.5", "--person", "pid", "--at-most", "0.1"],
        "pass --known all, --population, or leave out --at-most",
    ),
    (["-s", "ill", "-m", "l-diversity", "--l", "2", "--c", "3"], "leave out --c, or pass --variant recursive"),
]


@pytest.mark.parametrize(("options", "told"), MEASURED)
def test_hints_of_measures_name_options(table, options, told):
    run = petworks("evaluate", table, "-q", "age", "-q", "sex", *options)
    assert (run.returncode, run.stdout) == (2, "")
    assert told in " ".join(run.stderr.split())
    assert not PYTHON.search(run.stderr)


def test_memory_is_an_option_also_beside_a_policy():
    assert reword_hint("raise it with memory_limit=", policy=True) == "raise it with --memory-limit"


@pytest.mark.parametrize("kind", find_rule_kinds().values())
def test_examples_of_rules_are_worded_everywhere(kind):
    hint = f"write it as in {kind.example()}"
    assert not PYTHON.search(reword_hint(hint, policy=False))
    assert not PYTHON.search(reword_hint(hint, policy=True))
    assert advise(PETWorksError("x", hint=kind.example())) == ""


def texts() -> Iterator[tuple[str, str]]:
    """Yield every text in the sources that is no docstring, with its place; what is filled in reads {}."""
    for path in sorted(SOURCES.rglob("*.py")):
        if path.relative_to(SOURCES).parts[0] in ELSEWHERE:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        parts = {id(one) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for one in node.values}
        parts |= {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if id(node) in parts or not isinstance(node, ast.Constant | ast.JoinedStr):
                continue
            values = node.values if isinstance(node, ast.JoinedStr) else [node]
            yield f"{path.name}:{node.lineno}", "".join(getattr(one, "value", "{}") for one in values if _is_text(one))


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def test_every_argument_that_a_text_names_has_an_option_or_a_key():
    """A hint that names another argument of Python would be printed as it is: add it to `ARGUMENTS`."""
    unknown = {
        (place, name)
        for place, text in texts()
        for name in NAMED.findall(QUOTED.sub("", text))
        if " " in text and not ARGUMENT.fullmatch(f"{name}=") and name not in PYTHON_ONLY
    }
    assert not unknown
