"""What stays the same about a table while columns are generalised and classes suppressed."""

from __future__ import annotations

from PETWorks.counting.tally import Coded
from PETWorks.facts.facts import Facts
from PETWorks.hierarchies.hierarchy import TOP, Hierarchy


def people_stay_together(facts: Facts) -> bool:
    """Return True if the classes of a less detailed release are unions of classes, of people who are in no other.

    Then what is true of the people of some classes is true of those of the class that they are merged to. It is not
    where somebody is in several classes: merged, the person's rows are those of one member, who holds all their values.
    """
    return facts.persons is None or facts.known == "all" or facts.one_class_each


def overall_is_fixed(facts: Facts, only: str | None = None) -> bool:
    """Return True if no cell of the sensitive attributes (or of `only` one) is suppressed.

    A suppressed cell leaves the overall distribution of its attribute when its row is suppressed, too.
    """
    return not any(spread.unpublished or facts.marker in spread.values for spread in facts.spreads(only))


def population_nests(facts: Facts) -> bool:
    """Return True if a class of the population is always a union of its classes in more detailed releases.

    The level of a release is read from the values that are left in it. It does not matter which level that is, if every
    value stands for the same leaves on all levels that have it, and a suppressed cell for all leaves.
    """
    columns = {name: facts.released.columns[name] for name in facts.roles.quasi_identifiers}
    return all(_nests(facts.hierarchies.get(name), column, facts.marker) for name, column in columns.items())


def _nests(tree: Hierarchy | None, released: Coded, marker: str) -> bool:
    if tree is None:
        return marker == TOP
    if marker in released.values and marker != tree.top:
        return False
    means_all = marker not in tree.lowest or tree.size(marker, tree.lowest[marker]) == len(tree.leaves)
    return tree.one_meaning and means_all
