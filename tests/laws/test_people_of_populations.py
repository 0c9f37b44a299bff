"""A population that does not say whose rows it has: every measure that looks at it says so, and no other does."""

import pytest

import PETWorks as pw
from laws.samples import questions
from PETWorks.errors import NotAskableError
from support.process import petworks

VISITS = {
    "pid": ["A", "A", "A", "B", "B", "C", "D", "E", "E", "F"],
    "zip": ["1", "1", "2", "1", "2", "1", "2", "3", "3", "3"],
    "dx": ["flu", "cold", "flu", "flu", "tb", "cold", "flu", "tb", "flu", "cold"],
    "salary": ["1"] * 10,
    "w": ["20"] * 10,
}
MORE = {"pid": ["G", "H", "I"], "zip": ["1", "2", "3"]}
ROLES = {"quasi_identifiers": ["zip"], "sensitive": ["dx"], "insensitive": ["salary"]}
MONEY = {"cost": 4, "gain": 300, "loss": 300, "benefit": 1200}
CONTEXT = {"attempts": "public", "risk": "average", "limit": "0.09"}
SPECIAL = [
    pw.Profitability(**MONEY, attacker="journalist"),
    *(pw.ContextRisk(**CONTEXT, adversary=adversary) for adversary in ("prosecutor", "journalist", "marketer")),
]
ASKED = [*(one for kind in pw.measures().values() for one in questions(kind)), *SPECIAL]


def people_of(*tables, with_persons=True):
    names = ("pid", "zip") if with_persons else ("zip",)
    return {name: [cell for table in tables for cell in table[name]] for name in names}


def release(population, **more):
    table = {name: cells for name, cells in VISITS.items() if name != "pid"}
    return pw.Release(table, original=VISITS, population=population, person="pid", weight="w", **ROLES, **more)


RELEASES = {
    "rows": release(people_of(VISITS, with_persons=False)),
    "more rows": release(people_of(VISITS, MORE, with_persons=False)),
    "people": release(people_of(VISITS)),
}


def told(name, measure):
    result = RELEASES[name].ask(measure)
    values = {part: (one.exact, one.value, one.holds) for part, one in result.parts.items()}
    return values, [note.warning for note in result.notes if note.kind == "population_rows"]


@pytest.mark.parametrize("measure", ASKED, ids=repr)
def test_who_looks_at_the_population_says_who_its_people_are(measure):
    try:
        told("rows", measure)
    except NotAskableError:
        pytest.skip("it needs what is not there")
    (values, warned), (others, _), (_, named) = (told(name, measure) for name in RELEASES)
    assert values == others or measure.uses_population
    assert (warned, named) == ([True] * measure.uses_population, [])


@pytest.mark.parametrize(("language", "sentence"), [("en", "taken for one person"), ("zh_TW", "每一列視為一人")])
@pytest.mark.parametrize("form", ["text", "markdown", "junit", "html", "json"])
def test_every_format_says_it(tmp_path, form, language, sentence):
    tables = {"visits": VISITS, "people": people_of(VISITS, with_persons=False)}
    for name, table in tables.items():
        rows = [",".join(table), *map(",".join, zip(*table.values(), strict=True))]
        (tmp_path / f"{name}.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    about = ["-q", "zip", "-s", "dx", "--person", "pid", "--population", "people.csv", "-m", "k-map", "--k", "2"]
    done = petworks("evaluate", "visits.csv", *about, "--format", form, "--lang", language, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert ("population_rows" if form == "json" else sentence) in " ".join(done.stdout.split())
