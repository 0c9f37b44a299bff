"""Each measure is computed once for each `Facts`, however many callers need it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import PETWorks as pw
from laws.samples import SAMPLES
from PETWorks.plugin import Figures, Privacy, TableSource, Utility
from support.process import main

YIELDS = {Privacy: "bounds", Utility: "losses", Figures: "figures"}


@pytest.fixture
def work(monkeypatch):
    """Count how often each measure was computed on each `Facts`, and the number of evaluations."""
    done: Counter[tuple] = Counter()

    def watch(kind, name):
        original = getattr(kind, name)

        def watched(self, facts):
            done[self, facts] += 1
            return original(self, facts)

        monkeypatch.setattr(kind, name, watched)

    for kind in pw.measures().values():
        watch(kind, next(name for family, name in YIELDS.items() if issubclass(kind, family)))
    return done


def privacy(work: Counter) -> list:
    return [measure for measure, _ in work if isinstance(measure, Privacy)]


def test_everything_of_a_release(work):
    release = SAMPLES[0].release()
    first = release.evaluate()
    again = release.evaluate()
    assert [one is other for one, other in zip(first, again, strict=True)] == [True] * len(first)
    assert [str(one.explain("zh_TW")) for one in first]
    first.to_html()
    first.guarded().to_json()
    assert set(work.values()) == {1}


def test_a_check_with_its_report(work, tmp_path, monkeypatch):
    """Requirements, remedies, explanations and the page share the computed results."""
    monkeypatch.chdir(tmp_path)
    assert main(["demo", "folder"]) == 0
    work.clear()
    assert main(["check", "folder/policy.toml"]) == 1
    assert set(work.values()) == {1}
    required = {"k-anonymity", "l-diversity", "t-closeness", "profitability"}
    times = Counter(measure.name for measure in privacy(work))
    others = [kind for kind in pw.measures().values() if issubclass(kind, Privacy) and kind.name not in required]
    assert times["l-diversity"] == times["profitability"] == 1 + 2  # they hold, and merging classes keeps that
    assert times["t-closeness"] <= times["k-anonymity"] == 1 + 2 + 11 + 2  # as released, suppressed, lifted, combined
    assert sum(times.values()) <= 2 * 3 + 2 * 16 + len(others)


def test_tables_are_opened_and_read_once(monkeypatch, tmp_path):
    """A check with its report opens each table once, and reads its rows once, for measures and premises."""
    monkeypatch.chdir(tmp_path)
    assert main(["demo", "folder"]) == 0
    opened: Counter[str] = Counter()
    read: Counter[str] = Counter()
    for kind in TableSource.__subclasses__():

        def made(self, path, *more, made=kind.__init__):
            opened[Path(path).name] += 1
            made(self, path, *more)

        def batches(self, columns, batches=kind.batches):
            read[self.name] += 1
            return batches(self, columns)

        monkeypatch.setattr(kind, "__init__", made)
        monkeypatch.setattr(kind, "batches", batches)
    assert main(["check", "folder/policy.toml"]) == 1
    assert opened == {"adult.csv": 1, "adult_released.csv": 1}
    assert read == {"adult.csv": 1, "adult_released.csv": 1}
