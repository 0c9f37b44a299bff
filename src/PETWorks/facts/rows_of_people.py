"""The rows of people who are in some classes, where all rows of a person are known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from PETWorks.counting.tally import Coded, Key, Mask, Tally, Value
from PETWorks.errors import NotAskableError

if TYPE_CHECKING:
    from PETWorks.facts.facts import Facts


def records_of(facts: Facts, classes: Mask) -> Tally:
    """Return the combinations of quasi-identifiers and person that the rows of some classes have."""
    person, names = facts.named_persons
    shown, published = facts.published_persons, facts.published
    if person is None or shown is None:
        hint = "release the column of the persons, or look at the failing classes in place of their rows"
        problem = "the rows are not known: whose rows they are stands in the original only"
        raise NotAskableError(problem, where=facts.name, hint=hint)
    chosen = classes[facts.known_classes.of_pairs(shown)]
    labels: list[Value] = [*names, None, facts.marker]
    known = np.minimum(shown.of_person[chosen], len(names))  # who has a number beyond the names was not named
    nameless = np.array([name is None or name == facts.marker for name in names] + [True], dtype=bool)[known]
    entries = shown.of_entry[chosen]
    places = np.concatenate([entries, entries[nameless], entries[nameless]])
    cells = np.concatenate([known, np.full(nameless.sum(), len(names)), np.full(nameless.sum(), len(names) + 1)])
    columns: dict[Key, Coded] = {name: published.columns[name].take(places) for name in facts.roles.quasi_identifiers}
    order = {label: code for code, label in enumerate(dict.fromkeys(labels))}
    again = np.array([order[label] for label in labels], dtype=np.int64)
    return Tally({**columns, person: Coded(again[cells], list(order))}, np.ones(len(places), dtype=np.int64))
