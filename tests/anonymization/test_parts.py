"""Local recoding in parts: labels may depend on sensitive values, and goals hold in what is written."""

import random
from collections import Counter, defaultdict
from contextlib import suppress
from itertools import pairwise

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pytest

import PETWorks as pw
from anonymization.test_local import adult, losses_of
from anonymization.test_table import HIERARCHIES, raw_table
from PETWorks.anonymization.local.judge import ClassJudge, Distance
from PETWorks.anonymization.local.parts import Draw, PartStages
from PETWorks.anonymization.local.polish import Polish
from PETWorks.anonymization.table import DividedTable
from PETWorks.errors import GoalError, NotAskableError, ParameterError, SourceError
from PETWorks.tables.rewriting.cells import DividedRewriting
from support.counted_tables import open_source
from support.output import WIDTH, display_width

GOALS = [
    [pw.LDiversity("2.5", variant="entropy", sensitive="ill")],
    [pw.LDiversity(2, c="1.5", variant="recursive")],
    [pw.LDiversity(3)],
    [pw.TCloseness("0.25", distance="equal")],
    [pw.TCloseness("0.2", sensitive="pay")],
    [pw.AlphaKAnonymity(alpha="0.5", k=3)],
    [pw.BetaLikeness("0.8")],
    [pw.BetaLikeness(1, variant="enhanced", sensitive="ill")],
    [pw.DeltaDisclosure("1.5")],
    [pw.PSensitiveKAnonymity(p=3, k=3)],
    [pw.KAnonymity(3), pw.TCloseness("0.3", sensitive="pay"), pw.ReidentificationRisk(average="0.4")],
]
LANGUAGES = ("en", "zh_TW")
KNOWN, SENSITIVE = list(HIERARCHIES), ["ill", "pay"]


def people(seed, rows=80):
    """Few combinations, so that many rows are equal, and sensitive values that depend on them."""
    chance = random.Random(seed)
    ages = [chance.choice(["23", "24", "31", "38", "52"]) for _ in range(rows)]
    return {
        "number": [str(number) for number in range(rows)],
        "age": ages,
        "place": [chance.choice(["A", "B", "C", None]) for _ in range(rows)],
        "odd": [chance.choice("xyz") for _ in range(rows)],
        "ill": [chance.choice(["flu", "flu", "cold", "*", None]) for _ in range(rows)],
        "pay": [str(min(3, int(age) // 15 + chance.randrange(2))) for age in ages],
    }


def made(original, goals, **further):
    asked = {
        "quasi_identifiers": KNOWN,
        "sensitive": SENSITIVE,
        "the_rest": "insensitive",
        "hierarchies": HIERARCHIES,
        "recoding": "local",
        "parts": True,
    }
    return pw.anonymize(original, **(asked | further), goals=goals)


def attempt(*original_and_goals, **asked):
    """Return what was made, or None if nothing meets the goals."""
    with suppress(GoalError):
        return made(*original_and_goals, **asked)
    return None


def as_columns(path):
    if path.suffix == ".parquet":
        return pq.read_table(path).to_pydict()
    frame = pd.read_csv(path, dtype=str, keep_default_na=False, na_values={name: [""] for name in ["place", "ill"]})
    return {name: [None if pd.isna(cell) else cell for cell in frame[name]] for name in frame}


def assert_generalises(released, original):
    """Every cell is on the way up from its original, or suppressed with the whole row; all others are as they were."""
    row_of = {number: row for row, number in enumerate(original["number"])}
    for row, number in enumerate(released["number"]):
        before = row_of[number]
        cells = [released[name][row] for name in KNOWN]
        for name, cell in zip(KNOWN, cells, strict=True):
            above = next(line for line in HIERARCHIES[name] if line[0] == original[name][before])
            assert cell in above or set(cells) == {"*"}
        assert all(released[name][row] == original[name][before] for name in SENSITIVE)


def assert_holds(released, goals):
    release = pw.Release(released, quasi_identifiers=KNOWN, sensitive=SENSITIVE, hierarchies=HIERARCHIES)
    for goal in goals:
        assert release.ask(goal).holds


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("goals", GOALS, ids=lambda goals: " ".join(goal.name for goal in goals))
def test_the_law_of_parts(tmp_path, goals, seed):
    """What is written meets its goals and generalises every cell, and loses no more than without parts."""
    chance = random.Random(f"{goals} {seed}")
    original, rate = people(seed, chance.choice([40, 80, 120])), chance.choice([0, "10%"])
    path = tmp_path / f"released{chance.choice(['.csv', '.csv.gz', '.parquet'])}"
    order = chance.choice([{}, {"order": "shuffled", "seed": 3}, {"suppressed_rows": "remove"}])
    asked = {"suppress_at_most": rate, **order}
    without, subject = (attempt(original, goals, parts=parts, **asked) for parts in (False, True))
    if subject is None:
        assert without is None
        return
    assert without is None or subject.worth >= without.worth - 1e-12
    assert not subject.proven
    assert subject.bound >= subject.worth
    subject.write(path)
    released = as_columns(path)
    assert_generalises(released, original)
    assert_holds(released, [goal for goal in goals if not goal.pairs])
    assert subject.suppressed <= subject.plan.allowed(len(original["age"]))
    if not order:
        release = pw.Release(released, original=original, quasi_identifiers=KNOWN, hierarchies=HIERARCHIES)
        assert release.ask(pw.Granularity()).value == pytest.approx(subject.utility.value)


def test_parts_pay():
    """Pay depends on age, so whole combinations are far from the table; parts of them need not be."""
    goals = [pw.KAnonymity(3), pw.TCloseness("0.25", sensitive="pay")]
    better = 0
    for seed in range(3):
        original = people(seed, 120)
        without, within = (made(original, goals, parts=parts) for parts in (False, True))
        better += within.worth > without.worth + 0.005
        assert within.divided == (within.worth > without.worth)
        assert not without.divided
    assert better >= 2


@pytest.mark.parametrize("kind", [dict, pd.DataFrame, pl.DataFrame, lambda table: pl.DataFrame(table).lazy()])
def test_tables_in_memory(kind):
    original, goals = people(1, 200), [pw.TCloseness("0.25", sensitive="pay")]
    subject = made(kind(original), goals)
    assert subject.divided
    released = subject.frame("polars").to_dict(as_series=False)
    released = {name: [None if cell is None else str(cell) for cell in cells] for name, cells in released.items()}
    assert_generalises(released, original)
    assert_holds(released, goals)
    assert all(subject.release.ask(goal).holds for goal in goals)


@pytest.mark.parametrize("source", ["o.csv", "o.parquet", "duckdb"])
@pytest.mark.parametrize("target", ["r.csv", "r.parquet"])
def test_tables_in_files(tmp_path, source, target):
    original, goals = people(1, 120), [pw.TCloseness("0.25", sensitive="pay")]
    original["ill"] = ["none" if cell is None else cell for cell in original["ill"]]
    frame = pd.DataFrame(original)
    frame.to_csv(tmp_path / "o.csv", index=False)
    frame.assign(pay=frame["pay"].astype(int)).to_parquet(tmp_path / "o.parquet")
    table = tmp_path / source
    if source == "duckdb":
        table = duckdb.connect().read_csv(str(tmp_path / "o.csv"), all_varchar=True)
    made(table, goals).write(tmp_path / target)
    released = as_columns(tmp_path / target)
    released["pay"] = [str(cell) for cell in released["pay"]]
    assert_generalises(released, original)
    assert_holds(released, goals)


def test_equal_rows_get_their_labels_in_order():
    """Of rows with equal quasi-identifiers and sensitive values, the first ones have one label, the next another."""
    original = people(1, 400)
    subject = made(original, [pw.TCloseness("0.25", sensitive="pay")])
    released = subject.frame("pandas")
    labels = defaultdict(list)
    for row in range(400):
        alike = tuple(original[name][row] for name in [*KNOWN, *SENSITIVE])
        labels[alike].append(tuple(released[name][row] for name in KNOWN))
    changes = {alike: sum(one != other for one, other in pairwise(found)) for alike, found in labels.items()}
    assert max(changes.values()) > 0
    assert all(many == len(set(labels[alike])) - 1 for alike, many in changes.items())
    by_combination = defaultdict(set)
    for row in range(400):
        by_combination[tuple(original[name][row] for name in KNOWN)].add(tuple(released[name][row] for name in KNOWN))
    assert max(map(len, by_combination.values())) > 1


def test_the_same_bytes_whatever_the_batches(tmp_path, monkeypatch):
    original, goals = people(2, 400), [pw.TCloseness("0.25", sensitive="pay")]
    pd.DataFrame(original).to_csv(tmp_path / "o.csv", index=False)
    written = []
    for block in (2**20, 700):
        monkeypatch.setattr("PETWorks.tables.formats.delimited.BLOCK", block)
        made(tmp_path / "o.csv", goals).write(tmp_path / f"{block}.csv")
        written.append((tmp_path / f"{block}.csv").read_bytes())
    assert written[0] == written[1]


@pytest.mark.parametrize("stop", [0, 1, 2, 4])
def test_as_many_rounds_give_the_same_release(monkeypatch, stop):
    """Whether time is up without parts or with them, or not at all."""
    original, goals = people(4, 150), [pw.TCloseness("0.2", sensitive="pay")]
    real, rounds = Polish.run_round, []

    def stopped(self, deadline):
        rounds.append(deadline)
        return len(rounds) <= stop and real(self, deadline)

    with monkeypatch.context() as patched:
        patched.setattr(Polish, "run_round", stopped)
        first = made(original, goals)
    again = made(original, goals, polish_rounds=first.outcome.rounds)
    assert first.frame("pyarrow").equals(again.frame("pyarrow"))
    assert again.outcome.rounds == first.outcome.rounds <= stop


@pytest.mark.parametrize("when", ["_sweep", "_place"])
def test_ctrl_c_before_everybody_is_placed(monkeypatch, when):
    """What was found without parts is polished; parts are still placed, as they are when it is made again."""
    original, goals = people(4, 150), [pw.TCloseness("0.2", sensitive="pay")]
    real, calls = getattr(PartStages, when), []

    def interrupted(self):
        calls.append(when)
        if len(calls) == 1:
            raise KeyboardInterrupt
        real(self)

    with monkeypatch.context() as patched:
        patched.setattr(PartStages, when, interrupted)
        first = made(original, goals)
    again = made(original, goals, polish_rounds=first.outcome.rounds)
    assert first.frame("pyarrow").equals(again.frame("pyarrow"))


def test_a_table_that_changes_is_not_written(tmp_path):
    original = people(5, 200)
    path = tmp_path / "o.csv"
    pd.DataFrame(original).to_csv(path, index=False)
    subject = made(path, [pw.TCloseness("0.25", sensitive="pay")])
    _ = subject.recoding
    original["pay"][0] = str((int(original["pay"][0]) + 1) % 4)
    pd.DataFrame(original).to_csv(path, index=False)
    with pytest.raises(SourceError, match="changed"):
        subject.write(tmp_path / "r.csv")
    assert not (tmp_path / "r.csv").exists()


def test_more_equal_rows_than_were_counted():
    """The number of rows is the same, but there is one more of one kind and one fewer of another."""
    counted = {"age": ["1", "1", "2", "2"], "ill": ["a", "a", "a", "a"]}
    known = open_source(counted, "original").tally(["age", "ill"])
    order = np.array([0, 0, 1])
    before = type(known)({name: one.take(order) for name, one in known.columns.items()}, np.array([1, 1, 2]))
    changed = {"age": ["1", "1", "1", "2"], "ill": ["a", "a", "a", "a"]}
    rewriting = DividedRewriting(open_source(changed, "original"), before, {"age": before.columns["age"]})
    with pytest.raises(SourceError, match="not those that were counted"):
        list(rewriting.check_batches((batch, None) for batch in rewriting.source.batches(["age", "ill"])))


@pytest.mark.parametrize("seed", range(5))
def test_a_divided_table_measures_the_same(seed):
    """However entries are divided: pieces that have the same labels are the table as it was."""
    whole, chance = raw_table(people(seed)), np.random.default_rng(seed)
    entries = whole.facts.released.counts
    entry = np.repeat(np.arange(len(entries)), entries)
    keys = entry * 2 + chance.integers(0, 2, len(entry))
    pieces, counts = np.unique(keys, return_counts=True)
    table = DividedTable.divide(whole, pieces // 2, counts)
    levels = [chance.integers(0, ladder.height + 1) for ladder in whole.ladders]
    one, other = (each.build_facts_from_labels(each.look_up_labels(levels)) for each in (whole, table))
    for measure in [goal for goals in GOALS for goal in goals] + [pw.Granularity(), pw.NonUniformEntropy(), pw.AECS()]:
        first, second = measure.evaluate(one), measure.evaluate(other)
        assert (first.value, first.holds) == (second.value, second.holds)
    assert one.scope == other.scope


@pytest.mark.parametrize("distance", ["equal", "ordered"])
def test_no_part_is_nearer(distance):
    """Of random cells, random parts are not nearer to the table than any part is said to be at most."""
    chance = np.random.default_rng(3)
    goal = pw.TCloseness("0.1", sensitive="pay", distance=distance)
    judge = ClassJudge(DividedTable.divide_by_entry(raw_table(people(3))), [goal])
    measured = Distance.of(goal, judge.attributes["pay"].spread, judge.table.facts)
    cells = chance.integers(0, 6, (300, len(measured.shares))).astype(float)
    parts = np.floor(cells * chance.random(cells.shape) + 0.5)
    parts, cells = parts[parts.any(axis=1)], cells[parts.any(axis=1)]
    sizes = parts.sum(axis=1)
    least = np.array([measured.bound_parts(cell[None], size)[0] for cell, size in zip(cells, sizes, strict=True)])
    assert (measured.measure_classes(sizes, parts) >= least - 1e-12).all()
    assert (least > 0.1).any()


def test_the_largest_part_is_drawn():
    """A quarter of the table earns 2. If ten of a cell earn 1 and two earn 2, ten rows are as near as is asked."""
    alike = {"age": ["23"] * 12, "place": ["A"] * 12, "odd": ["x"] * 12, "ill": ["flu"] * 12}
    raw = raw_table({**alike, "pay": ["1"] * 9 + ["2"] * 3})
    goals = [pw.TCloseness("0.05", sensitive="pay", distance="equal"), pw.KAnonymity(2)]
    draw = Draw.of(ClassJudge(DividedTable.divide_by_entry(raw), goals))
    order = np.argsort(-draw.weights)
    assert draw.weights[order].tolist() == [0.75, 0.25]
    cells = np.array([[10.0, 2], [6, 1], [5, 0], [0, 4]])
    drawn = draw.draw_parts(cells[:, np.argsort(order)])[:, order]
    assert drawn.tolist() == [[8, 2], [4, 1], [0, 0], [0, 0]]


def test_said_everywhere():
    subject = made(people(1, 200), [pw.TCloseness("0.25", sensitive="pay")])
    assert "parts" in [step.kind for step in subject.explain().steps]
    assert "Labels depend on sensitive values" in str(subject)
    assert "minimality attack" in " ".join(str(subject.explain()).split())
    assert "最小性攻擊" in str(subject.explain("zh_TW"))
    assert (subject.record["making"]["plan"]["parts"], subject.record["making"]["divided"]) == (True, True)
    page = subject.release.check(*subject.plan.goals).to_html()
    assert "minimality attack" in page
    assert "最小性攻擊" in page
    for language in LANGUAGES:
        for text in (subject.text(language), str(subject.explain(language))):
            assert max(map(display_width, text.splitlines())) <= WIDTH
            assert "{" not in text


def test_said_if_nothing_depends_on_it():
    subject = made(people(1, 80), [pw.LDiversity(1)])
    assert not subject.divided
    assert "parts_not_needed" in [step.kind for step in subject.explain().steps]
    assert "Labels depend" not in str(subject)
    assert subject.record["making"]["divided"] is False


@pytest.mark.parametrize(
    ("goals", "asked", "error", "told"),
    [
        ([pw.LDiversity(2)], {"recoding": "global"}, ParameterError, "parts is for local recoding only"),
        ([pw.LDiversity(2)], {"recoding": "microaggregate"}, ParameterError, "parts is for local recoding only"),
        ([pw.LDiversity(2)], {"parts": "yes"}, ParameterError, "parts must be True or False, not 'yes'"),
        ([pw.KAnonymity(2)], {}, ParameterError, "but no goal looks at any"),
        ([pw.LDiversity(2, others="join")], {}, NotAskableError, "parts does not go with l-diversity here"),
    ],
)
def test_what_does_not_go_together(goals, asked, error, told):
    with pytest.raises(error, match=told):
        made(people(1), goals, **asked)


def test_too_many_sensitive_values(monkeypatch):
    monkeypatch.setattr("PETWorks.anonymization.local.parts.DENSE", 100)
    with pytest.raises(NotAskableError, match="different combinations occur: too many"):
        made(people(1), [pw.LDiversity(2)])


FIGURES = {  # goals, rounds of polishing with parts, and the granularity that is reached with nobody suppressed
    "k and t": ([pw.KAnonymity(5), pw.TCloseness("0.3", distance="equal")], 3, 0.799),
    "t": ([pw.TCloseness("0.2", distance="hierarchical")], 1, 0.773),
    "entropy": ([pw.LDiversity(4, variant="entropy")], 3, 0.931),
}


@pytest.mark.parametrize("case", FIGURES)
def test_granularity_of_adult_in_parts(case):
    goals, rounds, least = FIGURES[case]
    raw = adult("occupation")
    search = PartStages(raw, goals, losses_of(raw), ranges=None, allowed=0, crowd=0, removes=False)
    *_, last = search.iterate_stages(rounds, None, 0)
    facts = last.table.build_facts_from_labels(last.table.look_up_labels(last.levels), last.suppressed)
    assert facts.scope.suppressed == 0
    assert all(goal.evaluate(facts).holds for goal in goals)
    assert pw.Granularity().evaluate(facts).value >= least
    counted = Counter(dict(enumerate(raw.facts.released.counts.tolist())))
    for entry, rows in zip(last.table.entry.tolist(), last.table.counts.tolist(), strict=True):
        counted[entry] -= rows
    assert not any(counted.values())
