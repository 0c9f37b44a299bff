"""Where people have several rows, figures that count people say so, in both languages."""

import random

import pytest

import PETWorks as pw

VISITS = {  # the page on several rows per person, with ages, weights and households
    "person": ["A", "A", "A", "B", "B", "B", "C", "D", "E", "E"],
    "zip": ["100", "100", "200", "100", "100", "200", "100", "100", "300", "300"],
    "age": ["1", "2", "1", "1", "1", "1", "2", "2", "1", "1"],
    "w": ["2"] * 3 + ["3"] * 3 + ["4", "5", "6", "6"],
}
MONEY = {"cost": 4, "gain": 300, "loss": 300, "benefit": 1200}
OF_ROWS = {
    "en": ("of the rows", "one of the rows", "Per row", "A row stands", "no row has", "over the published rows"),
    "zh_TW": ("資料列風險", "的資料列占", "筆在母體", "猜測一筆", "每筆資料列", "以發布的資料列平均"),
}
ASKED = [
    pw.SpecialUniques(threshold="0.01"),
    pw.IndividualRisk(threshold="0.1"),
    pw.ReidentificationRisk(),
    pw.Profitability(**MONEY),
    pw.ContextRisk(attempts="public", risk="average", adversary="journalist", limit="0.09"),
]


@pytest.mark.parametrize("language", OF_ROWS)
@pytest.mark.parametrize("measure", ASKED, ids=lambda one: one.name)
def test_no_row_is_counted_for_a_person(measure, language):
    release = pw.Release(VISITS, quasi_identifiers=["zip", "age"], person="person", weight="w")
    result = release.ask(measure)
    written = (str(result.explain(language)) + result.text(language)).replace("\n     ", "").replace("\n", "")
    for words in OF_ROWS[language]:
        assert words not in written.replace("  ", " "), words


def test_pairs_of_class_and_person_are_not_called_people():
    release = pw.Release(VISITS, quasi_identifiers=["zip", "age"], person="person", weight="w")
    (step,) = [one for one in release.ask(pw.SpecialUniques()).steps if one.kind.startswith("file")]
    assert (step.kind, step.figures["unique"], step.figures["pairs"]) == ("file_people", 1, 4)


@pytest.mark.parametrize(("known", "words"), [("one", "each record of a person once"), ("all", "sets of records ÷")])
def test_the_page_says_what_columns_are_compared_by(known, words):
    release = pw.Release(VISITS, quasi_identifiers=["zip", "age"], person="person", known=known)
    page = release.evaluate().to_html()
    assert words in page
    assert "pairs of rows" not in page


def made(suppress):
    chance = random.Random(1)
    rows = [(f"p{i}", str(chance.randrange(100, 112))) for i in range(60) for _ in range(chance.choice([1, 2]))]
    table = dict(zip(("pid", "zip"), map(list, zip(*rows, strict=True)), strict=True))
    tree = {"zip": [(str(code), f"{code // 4}*", "*") for code in range(100, 112)]}
    about = {"quasi_identifiers": ["zip"], "person": "pid", "suppress": suppress, "suppress_at_most": "90%"}
    return pw.anonymize(table, goals=[pw.KAnonymity(6)], hierarchies=tree, **about)


@pytest.mark.parametrize(("suppress", "words"), [("rows", "too many rows"), ("people", "too many people")])
def test_what_was_made_tells_people_and_what_is_known(suppress, words):
    release = made(suppress)
    told = [" ".join(str(one).split()) for one in (release, release.explain())]
    crowd = release.facts.scope.people
    assert all('known="one"' in one and f"Of 60 people, {crowd.suppressed} have" in one for one in told)
    assert words in told[1]
    assert f"過多{'人' if suppress == 'people' else '資料列'}" in "".join(str(release.explain("zh_TW")).split())
