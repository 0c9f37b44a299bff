"""Recodings and rows for tests of the writing pass, row by row and without the library's own arithmetic."""

import random
from collections.abc import Mapping, Sequence

import numpy as np

from PETWorks.anonymization.release_facts import RecodingMap
from PETWorks.anonymization.writing import ReleaseWriter
from PETWorks.plugin import TableSource
from support.counted_tables import Coded, Tally
from support.release_facts import Roles

LABELS = ["*", "1*", "[20, 30[", 'say "x"', "高雄;台南", "a\nb", "1\t2|3", None]


def recoded(before: Tally, seed: int) -> RecodingMap:
    """Return a recoding that gives each combination any labels, and suppresses some."""
    chance = random.Random(seed)
    cells = [[chance.choice(LABELS) for _ in before.columns] for _ in before.counts]
    suppressed = [chance.random() < 0.2 for _ in cells]
    cells = [["*"] * len(row) if hidden else row for row, hidden in zip(cells, suppressed, strict=True)]
    columns = zip(map(str, before.columns), zip(*cells, strict=True), strict=True)
    return RecodingMap(before, {name: Coded.of(column) for name, column in columns}, np.array(suppressed))


def writing(source: TableSource, quasi_identifiers: Sequence[str], named: Sequence[str] = (), labels=0, **options):
    """Return the writing pass of a source with any recoding of its quasi-identifiers."""
    rest = [name for name in source.columns if name not in (*quasi_identifiers, *named)]
    roles = Roles(tuple(quasi_identifiers), (), tuple(named), tuple(rest))
    return ReleaseWriter(source, roles, recoded(source.tally(quasi_identifiers), labels), **options)


def expected(passes: ReleaseWriter, rows: Sequence[Mapping[str, object]], known: Sequence[Mapping[str, str | None]]):
    """Return the released rows: `rows` are the original's cells, `known` the text form of its quasi-identifiers."""
    recoding, names = passes.recoding, [str(key) for key in passes.recoding.before.columns]
    after = {}
    for number, (values, _) in enumerate(recoding.before.items()):
        cells = {name: recoding.after[name].values[recoding.after[name].codes[number]] for name in names}
        after[values] = cells, bool(recoding.suppressed[number])
    released = []
    for row, texts in zip(rows, known, strict=True):
        cells, suppressed = after[tuple(texts[name] for name in names)]
        if suppressed and passes.suppressed_rows == "remove":
            continue
        marks = dict.fromkeys(passes.roles.identifiers, passes.marker)
        whole = {**row, **cells, **marks}
        gone = passes.roles.identifiers if passes.identifiers == "drop" else ()
        released.append({name: cell for name, cell in whole.items() if name not in gone})
    return released
