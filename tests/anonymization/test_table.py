"""Facts of a release that could be made are those of a release that was: every measure gives the same result."""

import random
from itertools import product

import numpy as np
import pytest

import PETWorks as pw
from PETWorks.anonymization.table import RawTable
from support.counted_tables import Coded

MEASURES = [
    pw.KAnonymity(3),
    pw.LDiversity(2),
    pw.LDiversity(2, variant="entropy"),
    pw.TCloseness("0.4"),
    pw.TCloseness("0.4", distance="equal"),
    pw.AlphaKAnonymity(alpha="0.6", k=2),
    pw.BetaLikeness(beta=1),
    pw.DeltaDisclosure(delta=1),
    pw.PSensitiveKAnonymity(p=2, k=2),
    pw.ReidentificationRisk(),
    pw.SampleUniqueness(),
    pw.Granularity(),
    pw.Precision(),
    pw.NonUniformEntropy(),
    pw.AECS(),
    pw.Discernibility(),
    pw.Ambiguity(),
    pw.Shares(),
]

AGES = [(str(age), f"{age // 5 * 5}+", "young" if age < 40 else "old", "*") for age in range(20, 60)]
PLACES = [("A", "north", "land"), ("B", "north", "land"), ("C", "south", "land"), (None, None, "land")]
ODD = [("x", "x", "*"), ("y", "z", "*"), ("z", "z", "*")]  # "z" is on two levels
HIERARCHIES = {"age": AGES, "place": PLACES, "odd": ODD}


def tables(seed):
    chance, rows = random.Random(seed), 60
    original = {
        "age": [str(chance.randrange(20, 60)) for _ in range(rows)],
        "place": [chance.choice(["A", "B", "C", None]) for _ in range(rows)],
        "odd": [chance.choice("xyz") for _ in range(rows)],
        "ill": [chance.choice(["flu", "cold", "*", None]) for _ in range(rows)],
        "pay": [str(chance.randrange(4)) for _ in range(rows)],
    }
    levels = [chance.randrange(4), chance.randrange(3), chance.randrange(3)]
    return chance, original, levels


def raw_table(original):
    roles = {"quasi_identifiers": list(HIERARCHIES), "sensitive": ["ill", "pay"]}
    return RawTable.of(
        pw.Release(original, original=original, hierarchies=HIERARCHIES, pairing="position", **roles).facts
    )


@pytest.mark.parametrize("seed", range(12))
def test_measured_as_if_written(seed):
    chance, original, levels = tables(seed)
    raw = raw_table(original)
    labels = raw.look_up_labels(levels)
    suppressed = np.array([chance.random() < seed / 24 for _ in raw.counts])
    facts = raw.build_facts_from_labels(labels, suppressed)

    values = [raw.combinations.columns[name].values for name in HIERARCHIES]
    gone = {
        tuple(column[code] for column, code in zip(values, codes, strict=True))
        for codes in zip(*(codes[suppressed].tolist() for codes in raw.codes), strict=True)
    }
    released = {name: list(cells) for name, cells in original.items()}
    for row, cells in enumerate(zip(*(original[name] for name in HIERARCHIES), strict=True)):
        for name, cell, level in zip(HIERARCHIES, cells, levels, strict=True):
            lifted = next(line for line in HIERARCHIES[name] if line[0] == cell)[level]
            released[name][row] = "*" if cells in gone else lifted
    expected = pw.Release(
        released,
        original=original,
        quasi_identifiers=list(HIERARCHIES),
        sensitive=["ill", "pay"],
        hierarchies=HIERARCHIES,
        pairing="position",
    )
    cells = {
        name: Coded.of(["*" if gone else ladder.labels[code] for code, gone in zip(codes, suppressed, strict=True)])
        for name, ladder, codes in zip(HIERARCHIES, raw.ladders, labels, strict=True)
    }
    for measure, made in product(MEASURES, (facts, raw.build_facts_from_cells(cells))):
        found, wanted = measure.evaluate(made), expected.ask(measure)
        assert (found.value, found.exact, found.holds) == (wanted.value, wanted.exact, wanted.holds), measure
        assert found.failing_rows == wanted.failing_rows
        assert {name: part.exact for name, part in found.parts.items()} == {
            name: part.exact for name, part in wanted.parts.items()
        }
    assert facts.scope.suppressed == expected.facts.scope.suppressed
    assert [facts.classes.values(index) for index in range(len(facts.classes))] == [
        expected.facts.classes.values(index) for index in range(len(facts.classes))
    ]
