"""Evaluating all measures: which have results, which are skipped and why, and how often rows are read."""

import errno
import pickle

import pytest

import PETWorks as pw
from laws.samples import SAMPLES, sample
from PETWorks.plugin import TableSource
from support.counted_tables import PairedSources


@pytest.fixture
def tallies(monkeypatch):
    """Names of the tables that were counted."""
    counted = []
    for kind in (TableSource, PairedSources):
        original = kind.tally

        def tally(self, *args, original=original):
            counted.append(getattr(self, "name", "pair"))
            return original(self, *args)

        monkeypatch.setattr(kind, "tally", tally)
    return counted


def test_everything_is_read_once(tallies):
    evaluation = SAMPLES[0].release(earlier=[]).evaluate()
    assert sorted(tallies) == ["pair", "population"]
    measures = [kind for kind in pw.measures().values() if not kind.for_unpaired and not kind.for_editions]
    assert len(evaluation) + len(evaluation.skipped) == len(measures)


def test_rows_are_read_once_without_an_original(tallies):
    pw.Release(SAMPLES[0].released).evaluate()
    assert tallies == ["release"]


def test_a_measure_reads_only_what_it_needs(tallies):
    SAMPLES[0].release().ask("k-anonymity")
    assert tallies == ["release"]


def test_what_is_skipped_says_why():
    evaluation = pw.Release(SAMPLES[0].released, quasi_identifiers=["disease"]).evaluate()
    reasons = {"AECS": "original=", "t-closeness": "sensitive=", "k-map": "population=", "profitability": "cost="}
    for name, reason in reasons.items():
        assert reason in str(evaluation.skipped[name])
    assert all(str(why).strip() for why in evaluation.skipped.values())
    with pytest.raises(pw.PETWorksError, match=r"original="):
        evaluation["AECS"]


def test_no_verdict_without_limits():
    assert SAMPLES[0].release().evaluate().holds is None


def test_one_measure_that_fails_does_not_stop_the_others():
    one = SAMPLES[0]
    shorter = one.rows(list(range(39)))
    release = pw.Release(one.released, original=shorter.original, quasi_identifiers=["age", "zip"])
    evaluation = release.evaluate()
    assert "39 rows" in str(evaluation.skipped["Precision"])
    assert evaluation["AECS"].value is not None


def test_print_everything():
    text = str(SAMPLES[0].release().evaluate())
    assert "k-anonymity" in text
    assert "Not evaluated" in text


def test_unknown_measure_has_a_nearest_name():
    with pytest.raises(pw.PETWorksError, match="t-closeness"):
        sample(1).release().ask("t-closness")


def test_a_failure_is_not_looked_for_again(tallies):
    """Rows are read only once to find that they do not pair, however many measures need pairs."""
    one = SAMPLES[1]
    shorter = one.rows(list(range(39)))
    pw.Release(one.released, original=shorter.original, quasi_identifiers=["age", "zip"]).evaluate()
    assert sorted(tallies) == ["original", "pair", "release"]


def test_warnings_are_told_with_everything():
    release = pw.Release({"age": ["11", "12"]}, original={"age": ["12", "11"]}, pairing="position")
    assert "2 of 2 cells of age hold a value that is no generalisation" in str(release.evaluate())


def test_an_evaluation_is_a_collection_of_names_and_results():
    evaluation = SAMPLES[0].release().evaluate("Precision", pw.KAnonymity)
    assert "precision" in evaluation
    assert "NonUniformEntropy" not in evaluation
    assert evaluation["KAnonymity"] is evaluation[1]
    assert evaluation[0] in evaluation
    assert "精準度" in evaluation.text("zh_TW")
    assert repr(evaluation).startswith("Precision")


@pytest.mark.parametrize(
    "options",
    [
        {"suppressed": 0},
        {"suppressed": " "},
        {"suppressed": None},
        {"quasi_identifiers": 3},
        {"quasi_identifiers": "age"},
        {"roles": ["age"]},
        {"hierarchies": 3},
        {"delimiter": 3},
        {"encoding": 3},
        {"key": 3},
        {"unknown_values": "ignore"},
    ],
)
def test_what_the_front_door_refuses(options):
    with pytest.raises(pw.PETWorksError, match=next(iter(options))):
        pw.Release({"age": ["30"]}, **options)


@pytest.mark.parametrize("asked", [3, [pw.KAnonymity(k=2)], None, pw.Profitability, dict])
def test_what_is_no_measure(asked):
    with pytest.raises(pw.PETWorksError):
        pw.Release({"age": ["30"]}).ask(asked)


def test_the_marker_is_trimmed_like_every_cell():
    assert pw.Release({"age": ["30", "x"]}, suppressed=" x ").ask("k-anonymity").scope.suppressed == 1


def test_errors_travel_between_processes():
    with pytest.raises(pw.PETWorksError) as caught:
        pw.Release("nowhere.csv")
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), str(again)) == (type(caught.value), str(caught.value))
    assert caught.value.errno == errno.ENOENT


def test_many_columns_are_no_matter():
    """With 150 columns, not all subsets of three are counted, and a note says so."""
    table = {f"c{number}": [str(row % (number + 2)) for row in range(900)] for number in range(150)}
    result = pw.Release(table).ask("attribute risk")
    assert [note.figures["most"] for note in result.notes] == [2]
    assert len(result.parts) == 150 + 150 * 149 // 2
    assert "more" in str(result)


def test_a_release_that_cannot_be_read_is_an_error_of_its_own(tmp_path):
    (tmp_path / "t.csv").write_text("a;b\n1\n")
    with pytest.raises(pw.PETWorksError, match=r"t\.csv, line 2"):
        pw.Release(tmp_path / "t.csv").evaluate()


def test_people_of_a_population_are_counted_among_themselves():
    """Both classes of the population fail, though only one has released rows."""
    release = pw.Release({"c": ["x"]}, population={"c": ["x", "y", "y", "y"]})
    result = release.ask(pw.DeltaPresence(d_min="1/4", d_max="1/2"))
    assert (result.failing_classes, result.judged_classes) == (2, 2)
    assert "2 of 2 classes, with 4 of 4 people" in str(result)
