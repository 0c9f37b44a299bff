"""Draw random releases in which people have several rows, and populations that they are samples of."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from hypothesis import strategies as st

import PETWorks as pw
from oracle.naive import Rows, Tables, Value, is_suppressed
from oracle.naive_people import Folk, World, identified
from support.strategies import FORMS, MARKERS, NAMES, TEXTS, columns_of, hierarchy, made_tables, rows_of, some
from support.strategies_family import released_column

PERSON = "the person"
LABELS = ["A", "B", "1", "1.0", "01", "王", "a b", "a", "n", "0", "-", "é"]  # different texts are different people
MODELS = ["one", "all"]

models = st.sampled_from(MODELS)


@dataclass(frozen=True)
class Peopled:
    """A release, the cell that says whose row each is (None: missing), and how rows without a person count."""

    tables: Tables
    cells: list[Value]
    unknown: str | None = None

    def folk(self, known: str = "one") -> Folk:
        """Return what the oracle takes."""
        return Folk(self.tables, identified(self.cells, self.unknown or "together", self.tables.marker), known)

    def release(self, known: str | None = "one", form: str = "dict", **options: object) -> pw.Release:
        """Build the release; without `known`, as one in which every row is a person."""
        table = columns_of(self.tables.released) | ({PERSON: self.cells} if PERSON not in options else {})
        if known is not None:
            options |= {"person": PERSON, "known": known}
            options |= {} if self.unknown is None else {"unknown_person": self.unknown}
        return pw.Release(
            FORMS[form](table),
            original=None if self.tables.original is None else FORMS[form](columns_of(self.tables.original)),
            hierarchies=self.tables.hierarchies,
            suppressed=self.tables.marker,
            pairing="position",
            quasi_identifiers=self.tables.quasi_identifiers,
            sensitive=self.tables.sensitive,
            identifiers=[PERSON],
            sidecar=False,
            **options,
        )

    def picked(self, order: list[int]) -> Peopled:
        """Return the rows in another order, or some of them several times."""
        original = self.tables.original and [self.tables.original[place] for place in order]
        released = [self.tables.released[place] for place in order]
        tables = replace(self.tables, released=released, original=original)
        return replace(self, tables=tables, cells=[self.cells[place] for place in order])


def peopled(
    *, least_sensitive: int = 0, most_sensitive: int = 2, original: bool = False, unknown: bool = True
) -> st.SearchStrategy[Peopled]:
    """Draw a release of 1 to 8 people with up to three rows each; `unknown`: some rows may have no person."""
    return st.builds(
        made_people,
        st.randoms(use_true_random=True),
        people=st.sampled_from([1, 2, 3, 4, 5, 6, 7, 8, 5, 6, 7, 8]),
        quasi=st.integers(1, 3),
        sensitive=st.integers(least_sensitive, most_sensitive),
        original=st.just(original),
        unknown=st.just(unknown),
    )


def made_people(chance: Random, *, people: int, quasi: int, sensitive: int, original: bool, unknown: bool) -> Peopled:
    """Draw a few rows and a few histories of these; each person has one of the histories, with values of their own."""
    patterns = chance.choice([1, 2, 3, 4, 5, 6, 6, 7])
    shape = {"rows": patterns, "quasi": quasi, "sensitive": sensitive, "original": original}
    base = made_tables(chance, **shape)
    while all(is_suppressed(base, row) for row in base.released) and chance.random() < 0.8:
        base = made_tables(chance, **shape)
    histories = [chance.choices(range(patterns), k=chance.choice([1, 2, 2, 3, 4])) for _ in range(chance.randint(1, 4))]
    rows = [(label, place) for label in chance.sample(LABELS, people) for place in chance.choice(histories)]
    chance.shuffle(rows)
    varied = chance.choice([0.2, 0.5, 1])
    released = []
    for _, place in rows:
        own = [name for name in base.sensitive if chance.random() < varied]
        released.append(base.released[place] | {name: chance.choice(base.released)[name] for name in own})
    tables = replace(base, released=released, original=base.original and [base.original[place] for _, place in rows])
    lost = chance.choice([0, 0, 0, 0.25]) if unknown else 0
    cells = [chance.choice([None, None, tables.marker]) if chance.random() < lost else label for label, _ in rows]
    if all(cell in (None, tables.marker) for cell in cells):
        return Peopled(tables, [label for label, _ in rows])
    absent = any(cell in (None, tables.marker) for cell in cells)
    return Peopled(tables, cells, chance.choice(["together", "each"]) if absent else None)


# Populations.


@dataclass(frozen=True)
class Sampled:
    """A release, the population that it is a sample of, and the person of each row; None: each row is a person."""

    sample: Peopled
    population: Rows
    persons: list[Value] | None

    def world(self, known: str) -> World:
        """Return what the oracle takes."""
        persons = list(range(len(self.population))) if self.persons is None else self.persons
        return World(self.sample.folk(known), self.population, persons)

    def release(self, known: str, form: str = "dict") -> pw.Release:
        more = {} if self.persons is None else {PERSON: self.persons}
        return self.sample.release(known, form, population=FORMS[form](columns_of(self.population) | more))


def sampled(known: str | None = None) -> st.SearchStrategy[Sampled]:
    """Draw a population and a sample: people with all of their rows, or single rows."""
    return st.builds(
        made_sample_of_people,
        st.randoms(use_true_random=True),
        people=st.integers(1, 9),
        quasi=st.integers(1, 2),
        named=st.just(True) if known == "all" else st.sampled_from([True, True, True, False]),
    )


def made_sample_of_people(chance: Random, *, people: int, quasi: int, named: bool) -> Sampled:
    names, marker = chance.sample(NAMES, quasi), chance.choice(MARKERS)
    pools = {name: some(chance, TEXTS) for name in names}
    trees = {name: hierarchy(chance, [*pool, "spare"]) for name, pool in pools.items() if chance.random() < 0.7}
    patterns = [{name: chance.choice(pool) for name, pool in pools.items()} for _ in range(chance.randint(1, 4))]
    histories = [chance.choices(patterns, k=chance.choice([1, 1, 2, 3])) for _ in range(chance.randint(1, 3))]
    lives = {label: chance.choice(histories) for label in chance.sample(LABELS, people)}
    everybody = [(label, row) for label, rows in lives.items() for row in rows]
    chance.shuffle(everybody)
    chosen = chance.sample(list(lives), chance.randint(1, people))
    drawn = [pair for pair in everybody if pair[0] in chosen]
    if chance.random() < 0.3:
        drawn = chance.sample(drawn, chance.randint(1, len(drawn)))
    population = [row for _, row in everybody]
    known = Tables([row for _, row in drawn], names, [], population, trees, marker)
    share = chance.choice([0, 0, 0, 0.2])
    gone = [chance.random() < share for _ in drawn]
    after = {name: released_column(chance, known, name, gone) for name in names}
    tables = replace(known, released=rows_of(after), original=None)
    sample = Peopled(tables, [label for label, _ in drawn])
    return Sampled(sample, population, [label for label, _ in everybody] if named else None)
