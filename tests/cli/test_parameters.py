"""Options are built from the parameters of measures: tested for every measure."""

from fractions import Fraction

import pytest

import PETWorks as pw
from PETWorks.cli.parameters import build_measures, collect_parameters, write_option
from PETWorks.cli.parser import parse
from PETWorks.plugin import Limit
from PETWorks.policy.toml import Problems
from support.parameters import find_parameters
from support.process import five_people, petworks_process

PARAMETERS = [(kind, name) for kind in pw.measures().values() for name in find_parameters(kind)]


def asked(*arguments: str) -> tuple[list, Problems]:
    options, problems = parse(["evaluate", "table.csv", *arguments]), Problems()
    return build_measures(options.measures, collect_parameters(options), problems), problems


def typed(kind, name) -> tuple[list[str], object]:  # noqa: C901, PLR0911 (one for each kind of parameter)
    """Return a text to type for a parameter, and the value it is read as."""
    parameter = find_parameters(kind)[name]
    match parameter.kind:
        case "number":
            written = "3" if parameter.whole or name in ("l", "max_ratio") else "2/5"
            return [write_option(name), written], Fraction(written)
        case "word":
            return [write_option(name), parameter.words[-1]], parameter.words[-1]
        case "flag":
            return [f"--no-{write_option(name)[2:]}"], False
        case "table" if parameter.nested:
            row = {"a": Limit.of("2/5"), "b": Limit.of("3/5")}
            return [write_option(name), "no.a=2/5", write_option(name), "no.b=3/5"], {"no": row}
        case "table" if parameter.of_values:
            return [write_option(name), "no=3"], {"no": Limit.of("3")}
        case "table":
            written = "3" if parameter.whole else "2/5"
            return [write_option(name), f"insider={written}"], {"insider": Limit.of(written)}
        case "values" if parameter.names:
            return [write_option(name), "a column", write_option(name), "another"], ("a column", "another")
        case "values":
            return [write_option(name), "low, or so", write_option(name), "high"], ("low, or so", "high")
        case "function" | "model":
            return [write_option(name), "builtins:len"], len
        case "formula":
            return [write_option(name), "income ~ age"], "income ~ age"
    return [write_option(name), "a column, = 'odd'"], "a column, = 'odd'"


@pytest.mark.parametrize(("kind", "name"), PARAMETERS, ids=[f"{kind.name}-{name}" for kind, name in PARAMETERS])
def test_every_parameter_is_an_option_and_read_exactly(kind, name):
    arguments, expected = typed(kind, name)
    needed = [one for one in kind.list_required() if one != name]
    more = {"c": ["--variant", "recursive", "--l", "3"], "variant": ["--l", "3"]}.get(name, []) * (
        kind is pw.LDiversity
    )
    others = [text for one in needed for text in typed(kind, one)[0]]
    (measure,), problems = asked("-m", kind.name, *arguments, *others, *more)
    assert not problems
    found = getattr(measure, name)
    assert getattr(found, "exact", found) == expected
    assert getattr(found, "written", None) is None


@pytest.mark.parametrize("kind", pw.measures().values(), ids=lambda kind: kind.__name__)
def test_measures_are_found_by_names_that_can_be_typed(kind):
    for name in (kind.name, kind.__name__, kind.__name__.casefold(), kind.name.upper()):
        needed = [text for one in kind.list_required() for text in typed(kind, one)[0]]
        (measure,), problems = asked("-m", name, *needed)
        assert isinstance(measure, kind)
        assert not problems


def test_hyphens_do_not_matter():
    assert pw.DeltaPresence.is_called("delta-presence")
    assert pw.AlphaKAnonymity.is_called("alpha-k anonymity")
    assert not pw.KAnonymity.is_called("alpha-k-anonymity")


def test_an_option_goes_to_every_measure_that_has_it():
    measures, problems = asked("-m", "k-anonymity", "-m", "alpha-k-anonymity", "--k", "5", "--alpha", "0.5")
    assert not problems
    assert [str(measure.k) for measure in measures] == ["5", "5"]


def test_a_word_goes_to_the_measures_that_know_it():
    measures, problems = asked("-m", "l-diversity", "-m", "BetaLikeness", "--variant", "entropy")
    assert not problems
    assert [measure.variant for measure in measures] == ["entropy", "basic"]


def test_without_names_those_are_asked_that_take_an_option():
    measures, problems = asked("--k", "5", "--variant", "enhanced")
    assert not problems
    expected = {kind for kind in pw.measures().values() if "k" in find_parameters(kind)} | {pw.BetaLikeness}
    assert {type(measure) for measure in measures} == expected


CONTEXT = ["-m", "context risk", "--risk", "highest", "--adversary", "marketer", "--limit", "0.1"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (
            ["-m", "k-anonymity", "--t", "0.4"],
            "--t was given, but none of the named measures has it\n  measures that have it: t-closeness",
        ),
        (["-m", "t-closness", "--t", "0.4"], 'there is no measure "t-closness"\n  did you mean "t-closeness"?'),
        (["-m", "t-closeness", "--t", "3"], "--t must be at least 0 and at most 1, not '3'"),
        (["-m", "t-closeness", "--t", "x"], "--t must be a finite number, not 'x'"),
        (["-m", "k-anonymity", "--k", "five"], "--k must be a whole number, not 'five'\n  write it in digits, as in 5"),
        (["-m", "k-anonymity", "--k", "2.5"], "--k must be a whole number, not '2.5'\n  write it in digits, as in 5"),
        (["-m", "l-diversity", "--l", "2.5"], "l-diversity: l must be a whole number, not '2.5'"),
        (["-m", "l-diversity", "--variant", "basic"], '--variant of l-diversity cannot be "basic"'),
        (["-m", "profitability"], "profitability needs --cost, --gain, --loss, --benefit"),
        (["--cost", "4"], "profitability also needs --gain, --loss, --benefit"),
        (
            [*CONTEXT, "--attempts", "a=0.05,b=0.27"],
            '--attempts must be NAME=NUMBER, not "a=0.05,b=0.27"\n  write --attempts a=0.05 --attempts b=0.27',
        ),
        (["-m", "utility bias", "--function", "nowhere:f"], '--function: there is no function "nowhere:f"'),
    ],
)
def test_what_is_wrong_with_options(arguments, expected):
    _, problems = asked(*arguments)
    assert [str(one)[: len(expected)] for one in problems] == [expected]


def test_in_a_real_process(tmp_path):
    """t-closeness is exactly 2/5 here: a limit of 0.4 holds, a slightly smaller one does not."""
    five_people(tmp_path)
    table = ["evaluate", "released.csv", "-q", "year", "-q", "place", "-s", "disease", "-m", "t-closeness"]
    value = pw.Release(tmp_path / "released.csv", quasi_identifiers=["year", "place"], sensitive=["disease"]).ask(
        "t-closeness"
    )
    limits = [str(value.exact), str(value.exact - Fraction(1, 10**20))]
    assert [petworks_process(*table, "--t", limit, cwd=tmp_path).returncode for limit in limits] == [0, 1]


def test_a_function_of_the_user_is_found_where_the_command_is_run(tmp_path):
    five_people(tmp_path)
    (tmp_path / "mine.py").write_text("def lines(path):\n    return len(open(path, encoding='utf-8').readlines())\n")
    table = ["evaluate", "released.csv", "--original", "original.csv", "-q", "year", "-m", "utility bias"]
    run = petworks_process(*table, "--function", "mine:lines", "--max-bias", "0", cwd=tmp_path)
    assert (run.returncode, run.stderr) == (0, "")
