"""Templates: policies to start from, with sources, and with blanks that are errors until they are filled in."""

from __future__ import annotations

import tomllib

import pytest

import PETWorks as pw
from PETWorks.errors import PolicyError, UnknownNameError
from PETWorks.policy.requirements import FILL_IN, blanks
from support.output import LANGUAGES, words
from support.process import petworks

PEOPLE = {"year": ["1970", "1970", "1980", "1980"] * 6, "disease": ["flu", "cold", "flu", "cold"] * 6}
ANSWERS = {  # what a user might decide
    "title": '"A release"',
    "released": '"people.csv"',
    "quasi_identifiers": '["year"]',
    "sensitive": '["disease"]',
    "k": "11",
    "t": "0.5",
    "l": "2",
    "beta": "2",
    "at_most": "0",
    "highest": "0.1",
    "limit": "0.05",
    "risk": '"highest"',
    "adversary": '"prosecutor"',
    "attempts.insider": "0.05",
    "attempts.breach": "0.27",
}


@pytest.fixture(params=pw.templates().values(), ids=lambda one: one.name)
def template(request):
    return request.param


def filled(text: str) -> str:
    lines = text.splitlines()
    for blank in blanks(text):
        lines[blank.line - 1] = lines[blank.line - 1].replace(f'"{FILL_IN}"', ANSWERS[blank.key])
    return "\n".join(lines)


def write(folder, text: str):
    rows = ["year,disease", *map(",".join, zip(*PEOPLE.values(), strict=True))]
    (folder / "people.csv").write_text("\n".join(rows), encoding="utf-8")
    (folder / "policy.toml").write_text(text, encoding="utf-8")
    return folder / "policy.toml"


def test_names():
    named = "cms-11 ema-0070 hipaa-expert hipaa-safe-harbor ipc-ontario-2025 tw-public tw-research wp216"
    assert list(pw.templates()) == named.split()
    assert pw.template("wp216") is pw.templates()["wp216"]
    assert str(pw.template("wp216")) == pw.template("wp216").text
    with pytest.raises(UnknownNameError, match='there is no template "wp261"'):
        pw.template("wp261")


def test_every_requirement_has_a_source_and_a_clause(template):
    content = tomllib.loads(template.text)
    assert all(one["source"] and one["clause"] for one in content["require"])
    assert {*template.sources} == {
        one["source"] for one in content["require"] + content["not_shown"] if "source" in one
    }
    for one in content["not_shown"]:
        assert set(one["what"]) == set(LANGUAGES)


def test_every_blank_says_what_is_meant(template):
    assert {blank.line for blank in template.blanks} == {
        number
        for number, line in enumerate(template.text.splitlines(), 1)
        if f'"{FILL_IN}"' in line and not line.startswith("#")
    }
    assert all(" / " in blank.meant for blank in template.blanks)


def test_a_blank_is_an_error_until_it_is_filled_in(template, tmp_path):
    path = write(tmp_path, template.text)
    with pytest.raises(PolicyError) as error:
        pw.Policy(path)
    for blank in template.blanks:
        assert f'policy.toml, line {blank.line}: {blank.key} is still "fill in"' in str(error.value)
        assert blank.meant in str(error.value)
    assert len(error.value.problems) == len(template.blanks)


def test_filled_in_it_is_a_policy(template, tmp_path):
    evaluation = pw.Policy(write(tmp_path, filled(template.text))).check()
    assert evaluation.requirements
    assert all(one.source and one.clause and one.holds is not None for one in evaluation.requirements)
    assert evaluation.not_shown
    told = evaluation.to_dict()
    assert [one["source"] for one in told["requirements"]] == [one.source for one in evaluation.requirements]
    evaluation.save(tmp_path / "saved.json")
    loaded = pw.Evaluation.load(tmp_path / "saved.json")
    for other in (evaluation.guarded(), evaluation.public(), loaded):
        assert other.not_shown == evaluation.not_shown
        assert [one.clause for one in other.requirements] == [one.clause for one in evaluation.requirements]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ('k = "fill in" # the size', [(1, "k", "the size")]),
        ("k = 'fill in'", [(1, "k", "")]),
        (
            'attempts = { a = "fill in", "b" = 1, c="fill in" }# two',
            [(1, "attempts.a", "two"), (1, "attempts.c", "two")],
        ),
        ('q = ["fill in", "x"]', [(1, "q", "")]),
        ('q = [  # columns\n"fill in", # one\n]', [(2, "q", "one")]),
        ('# k = "fill in"', []),
        ('k = "#" # "fill in"', []),
        ('k = "please fill in"', []),
        ('a = "x"\nb.c = "fill in"', [(2, "b.c", "")]),
    ],
)
def test_blanks(line, found):
    assert [tuple(blank) for blank in blanks(line)] == found


def test_a_blank_on_a_line_of_its_own_is_found(tmp_path):
    path = write(tmp_path, filled(pw.template("cms-11").text).replace('["disease"]', '[\n"fill in",\n]'))
    with pytest.raises(PolicyError, match='line 17: sensitive is still "fill in"'):
        pw.Policy(path)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("why = 5", "why must be text, not 5"),
        ('[[not_shown]]\nsource = "x"', 'missing key "what"'),
        ('[[not_shown]]\nwhat = { en = "a contract" }', 'missing key "zh_TW"'),
        ('[[not_shown]]\nwhat = { en = "a", zh_TW = "b", fr = "c" }', 'unknown key "fr"'),
        ('[[not_shown]]\nwhat = "a"\nsauce = "b"', 'unknown key "sauce"'),
        ('[[not_shown]]\nwhat = "a"\nlooks_for = ["fone"]', 'an inspection does not look for "fone"'),
    ],
)
def test_wrong_sources(text, problem, tmp_path):
    policy = filled(pw.template("cms-11").text).partition("[[not_shown]]")[0]
    with pytest.raises(PolicyError) as error:
        pw.Policy(write(tmp_path, policy + ("\n" if text[0] == "[" else "") + text))
    assert problem in str(error.value)


def test_one_text_serves_every_language(tmp_path):
    text = filled(pw.template("cms-11").text).partition("[[not_shown]]")[0] + '[[not_shown]]\nwhat = "a contract"'
    (one,) = pw.Policy(write(tmp_path, text)).not_shown
    assert one.what == dict.fromkeys(LANGUAGES, "a contract")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_command_lists_and_prints(language):
    listed = petworks("templates", "--lang", language).stdout
    for name, one in pw.templates().items():
        assert name in listed
        assert "".join(words(language).templates[name].split()) in "".join(listed.split())
        assert all("".join(source.split()) in "".join(listed.split()) for source in one.sources)
        assert petworks("templates", name, "--lang", language).stdout.rstrip() == one.text.rstrip()
    assert set(words(language).templates) == set(pw.templates())


def test_safe_harbor_lists_what_an_inspection_finds(tmp_path):
    text = filled(pw.template("hipaa-safe-harbor").text)
    text = text.replace('the_rest = "error" ', 'the_rest = "insensitive"')
    path = write(tmp_path, text)
    cells = [f"{row},mail{number}@example.org,*" for number, row in enumerate(["1970,flu"] * 20)]
    (tmp_path / "people.csv").write_text("\n".join(["year,disease,contact,phone", *cells]), encoding="utf-8")
    evaluation = pw.Policy(path).check()
    found = {one.clause: one.found for one in evaluation.not_shown}
    assert found["(F)"] == ("contact",)
    assert found["(D)"] == ()  # a column that is suppressed shows nobody's number
    assert found["(K)"] is None  # nothing is looked for
    for other in (evaluation.guarded(), evaluation.public()):
        assert {one.clause: one.found for one in other.not_shown} == found
    told = petworks("check", path).stdout
    assert "Columns that look like it: contact." in told
    assert "No column looks like it, which is no proof." in " ".join(told.split())
    assert "形似者為欄位 contact。" in petworks("check", path, "--lang", "zh_TW").stdout
    evaluation.save(tmp_path / "saved.json")
    assert pw.Evaluation.load(tmp_path / "saved.json").not_shown == evaluation.not_shown
