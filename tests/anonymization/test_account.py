"""The account of how a release was made: its figures are those of the search, and it names no value."""

import random
from dataclasses import replace
from itertools import product

import pytest

import PETWorks as pw
from support.output import WIDTH, display_width

AGES = [(str(age), f"{age // 10 * 10}s", "young" if age < 40 else "old", "*") for age in range(20, 60)]
PLACES = [("Ulm", "north", "*"), ("Bern", "north", "*"), ("Como", "south", "*")]
HEIGHTS = {"age": 3, "place": 2}
LANGUAGES = ("en", "zh_TW")


def people(seed=4, rows=150):
    chance = random.Random(seed)
    return {
        "age": [str(chance.randrange(20, 60)) for _ in range(rows)],
        "place": [chance.choice(["Ulm", "Bern", "Bern", "Como"]) for _ in range(rows)],
    }


def made(**asked):
    given = {"goals": pw.KAnonymity(8), "suppress_at_most": "2%", **asked}
    return pw.anonymize(
        people(), quasi_identifiers=["age", "place"], hierarchies={"age": AGES, "place": PLACES}, **given
    )


def step(account, *kinds):
    [found] = [one for one in account.steps if one.kind in kinds]
    return found.figures


def every_vector(**asked):
    """Make the release of every level vector that meets the goals; the best first."""
    found = []
    for levels in product(*(range(height + 1) for height in HEIGHTS.values())):
        try:
            found.append(made(levels=dict(zip(HEIGHTS, levels, strict=True)), **asked))
        except pw.PETWorksError:
            continue
    return sorted(found, key=lambda one: (-one.utility.value, one.suppressed))


def test_what_was_allowed_and_done():
    subject = made()
    account = subject.explain()
    assert step(account, "allowed") == {"rate": subject.plan.suppress_at_most.exact, "allowed": 3, "all": 150}
    lines = {line.figures["column"]: line.figures for one in account.steps for line in one.lines}
    assert {name: figures["level"] for name, figures in lines.items()} == subject.levels
    assert {name: figures["height"] for name, figures in lines.items()} == HEIGHTS


@pytest.mark.parametrize("weights", [{}, {"age": "1/4"}])
def test_columns_share_the_loss_the_largest_first(weights):
    subject = made(weights=weights)
    [lines] = [one.lines for one in subject.explain().steps if one.lines]
    lost = {loss.part: loss.lost for loss in pw.Granularity().losses(subject.facts)}
    costs = {name: float(lost[name] * subject.plan.weights.get(name, 1)) for name in lost}
    shares = [line.figures["share"] for line in lines]
    assert shares == sorted(shares, reverse=True)
    assert {line.figures["column"]: line.figures["share"] for line in lines} == pytest.approx(
        {name: cost / sum(costs.values()) for name, cost in costs.items()}
    )


def test_a_loss_of_the_whole_table_is_not_shared_out():
    text = str(made(utility=pw.AECS()).explain())
    assert "level 2 of 3" in text or "level 1 of 3" in text or "level 3 of 3" in text
    assert "share" not in text


def test_all_vectors_are_accounted_for():
    figures = step(made().explain(), "proven")
    assert figures["vectors"] == 12 == figures["evaluated"] + figures["by_goals"] + figures["by_bound"]


@pytest.mark.parametrize(
    "asked", [{}, {"suppress_at_most": "10%"}, {"suppress_at_most": "60%"}, {"goals": pw.KAnonymity(3)}]
)
def test_the_next_best_is_the_best_of_all_others(asked):
    figures = step(made(**asked).explain(), "next_best")
    best, second, *_ = every_vector(**asked)
    changed = {lift.column: lift.level for lift in figures["levels"]}
    assert {**best.levels, **changed} == second.levels
    assert figures["rows"] == second.suppressed
    assert figures["value"] == pytest.approx(second.utility.value)
    assert figures["best"] == pytest.approx(best.utility.value)


def test_one_that_is_alone():
    assert not {"next_best", "no_other"} & {one.kind for one in made(levels={"age": 2, "place": 1}).explain().steps}
    few = made(goals=pw.KAnonymity(60), suppress_at_most=0, coarsest={"age": 2})
    assert "no_other" in [one.kind for one in few.explain().steps]


def test_a_next_best_that_is_not_proven():
    subject = made()
    for bound, kind in (({}, "no_other_found"), ({"place": 1}, "next_best_found")):
        late = replace(subject, plan=replace(subject.plan, time_limit=1e-9, coarsest=bound, finest=bound))
        assert kind in [one.kind for one in late.explain().steps]


@pytest.mark.parametrize("percent", [0, 1, 8, 9, 10, 50])
def test_what_one_more_percent_brings(percent):
    before, after = made(suppress_at_most=f"{percent}%"), made(suppress_at_most=f"{percent + 1}%")
    account = before.explain()
    assert (before.levels == after.levels) == (percent != 9)
    if percent != 9:
        assert step(account, "more_nothing").keys() == {"rate", "before"}
        return
    figures = step(account, "more")
    assert {**before.levels, **{lift.column: lift.level for lift in figures["levels"]}} == after.levels
    assert figures["value"] == pytest.approx(after.utility.value)
    assert figures["rows"] == after.suppressed
    assert figures["value"] > figures["best"]


def test_nothing_more_than_everything():
    kinds = [one.kind for one in made(suppress_at_most="100%").explain().steps]
    assert not {"more", "more_nothing", "more_not_found"} & set(kinds)


def not_proven(subject):
    proof = replace(subject.outcome.proof, evaluated=2, by_bound=1, by_goals=1)
    return replace(subject, outcome=replace(subject.outcome, proven=False, proof=proof, bound=0.91234))


@pytest.mark.parametrize(
    ("utility", "word"), [("granularity", "utility above 0.9124;"), ("loss", "loss below 0.9123;")]
)
def test_not_proven(utility, word):
    subject = not_proven(made(utility=utility))
    text = " ".join(str(subject.explain()).split())
    assert "Not proven" in text
    assert word in text
    assert "8 are open" in text
    assert "Not proven" in str(subject)


def local():
    return made(recoding="local", polish_rounds=1)


def means():
    numbers = {"age": people()["age"]}
    return pw.anonymize(numbers, quasi_identifiers=["age"], goals=pw.KAnonymity(5), recoding="microaggregate")


def test_rows_of_different_levels():
    subject = local()
    text = str(subject.explain())
    for name, levels in subject.levels.items():
        assert f"{name}: {', '.join(f'{level}={rows}' for level, rows in levels.items())}; " in text
    assert f"improved in {subject.outcome.rounds} round" in text


def test_means_of_groups():
    account = means().explain()
    assert [one.kind for one in account.steps] == ["means", "proven_groups"]


SUBJECTS = {
    "granularity": made,
    "loss": lambda: made(utility="loss"),
    "weighted": lambda: made(weights={"age": "1/2"}),
    "whole table": lambda: made(utility=pw.Discernibility(), suppress_at_most=0),
    "not proven": lambda: not_proven(made()),
    "all suppressed": lambda: made(goals=pw.KAnonymity(50), levels={"age": 0, "place": 0}, suppress_at_most=1),
    "removed": lambda: made(suppressed_rows="remove", suppress_at_most="10%"),
    "local": local,
    "means": means,
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("subject", SUBJECTS.values(), ids=SUBJECTS)
def test_texts(subject, language):
    """Both texts fit a terminal, name no value, and are also drawn for terminals and notebooks."""
    one = subject()
    account = one.explain(language)
    for text in (one.text(language), str(account)):
        assert max(map(display_width, text.splitlines())) <= WIDTH
        assert not [value for value in ("Ulm", "Bern", "Como", "north", "south", "young", "20s") if value in text]
        assert "{" not in text
    assert account._repr_html_().count("<li>") >= len(account.steps)
    assert one.__rich__()
    assert account.__rich__()


def test_a_summary():
    subject = made()
    text = str(subject)
    assert text.splitlines()[0].startswith(f"Made from {subject.facts.name}: 150 rows, {subject.suppressed} suppressed")
    assert "k-anonymity: " in text
    assert f"Levels: age {subject.levels['age']}, place {subject.levels['place']}" in text
    assert "Proven: of 12 level vectors, none is better." in text
    assert repr(subject).startswith("<Made from ")


def test_the_figure_that_was_looked_for_is_told_first():
    loss, weighted = made(utility="loss"), made(weights={"age": "1/4"})
    for account in (loss.explain(), loss._subject()):
        assert account.remarks[0].figures == {"value": loss.loss}
    [kept] = weighted.explain().remarks
    assert kept.figures["value"] == pytest.approx(step(weighted.explain(), "next_best", "no_other")["best"])
    assert not made().explain().remarks


@pytest.mark.parametrize("recoding", ["global", "local"])
def test_columns_without_a_hierarchy_are_named(recoding):
    subject = pw.anonymize(
        people(),
        quasi_identifiers=["age", "place"],
        hierarchies={"age": AGES},
        goals=pw.KAnonymity(8),
        recoding=recoding,
    )
    assert subject.without_hierarchy == ("place",)
    for text in (str(subject), str(subject.explain())):
        assert "No hierarchy for place: values are kept, or become *." in text
    assert "place 沒有資料階層" in subject.text("zh_TW")
    assert subject.record["making"]["without_hierarchy"] == ["place"]
    assert made().without_hierarchy == means().without_hierarchy == ()


def test_no_time_at_all():
    with pytest.raises(pw.PETWorksError, match="among those that were tried in time"):
        made(time_limit=1e-9)


def test_an_unknown_language():
    with pytest.raises(pw.PETWorksError, match='no language "fr"'):
        str(made().explain("fr"))


def test_goals_that_cannot_be_met_are_named():
    """Where all is generalised, every goal costs everybody; the one that no vector meets is named all the same."""
    table = {**people(), "disease": ["flu", "asthma", "hiv"] * 50}
    with pytest.raises(pw.PETWorksError, match="\n  l-diversity costs most there: alone it would suppress 150;"):
        pw.anonymize(
            table,
            quasi_identifiers=["age", "place"],
            sensitive=["disease"],
            hierarchies={"age": AGES, "place": PLACES},
            goals=[pw.KAnonymity(3), pw.LDiversity(4)],
        )


def test_a_goal_of_the_whole_table_that_cannot_be_met_is_named():
    with pytest.raises(pw.PETWorksError, match="does not meet Precision\n  relax it or other goals,"):
        made(goals=[pw.KAnonymity(8), pw.Precision(at_least="0.99")])


FEW = {"zip": list("1112223334"), "dx": list("ababababab"), "who": [str(one) for one in range(10)]}


def of_few(**options):
    """Make a release of a table in which one row is like no other, with k = 3."""
    options = {"quasi_identifiers": ["zip"], "sensitive": ["dx"], "levels": {"zip": 0}} | options
    identifiers = {} if "person" in options else {"identifiers": ["who"]}
    return pw.anonymize(FEW, goals=[pw.KAnonymity(3)], **identifiers, **options)


@pytest.mark.parametrize("options", [{}, {"person": "who"}, {"person": "who", "suppress": "people"}])
def test_few_suppressed_rows_are_named_as_the_reason(options):
    """One row may be suppressed and one would be; three must be, or none, and what is offered works."""
    told = "would leave 1 suppressed in the release, fewer than 3: a person known to be in the table"
    with pytest.raises(pw.PETWorksError, match=told) as raised:
        of_few(suppress_at_most="10%", **options)
    assert "let suppress_at_most allow 4, " in str(raised.value)
    assert of_few(suppress_at_most="40%", **options).suppressed == 4
    if not options:
        assert 'leave them out with suppressed_rows="remove", ' in str(raised.value)
        assert of_few(suppress_at_most="10%", suppressed_rows="remove").suppressed == 1
        with pytest.raises(pw.PETWorksError, match="would suppress 1 of 10"):
            of_few()


def test_of_two_goals_of_one_measure_the_costlier_is_told():
    goals = [pw.KAnonymity(40), pw.KAnonymity(2)]
    for order in (goals, goals[::-1]):
        with pytest.raises(pw.PETWorksError, match=r"k-anonymity costs most there: alone it would suppress 1\d\d;"):
            pw.anonymize(
                people(),
                quasi_identifiers=["age", "place"],
                the_rest="insensitive",
                hierarchies={"age": AGES, "place": PLACES},
                coarsest={"age": 1, "place": 1},
                goals=order,
            )
