"""The best level vector by definition: every vector is tried on real rows, judged and scored as any release is."""

from fractions import Fraction
from itertools import product

import PETWorks as pw
from PETWorks.plugin import Privacy


def lifted(rows, levels, original):
    """Return the table with every quasi-identifier at its level."""
    table = {name: list(cells) for name, cells in original.items()}
    for name, level in levels.items():
        tree = {row[0]: row for row in rows[name]}
        table[name] = [tree[cell][level] if cell in tree else "*" if level else cell for cell in original[name]]
    return table


def release(table, original, hierarchies, sensitive):
    return pw.Release(
        table,
        original=original,
        quasi_identifiers=list(hierarchies),
        sensitive=sensitive,
        hierarchies=hierarchies,
        pairing="position",
        unknown_values="generalised",
    )


def classes_of(table, names):
    """Return the rows of each class, without suppressed rows; classes in the order of their values."""
    found = {}
    for row, cells in enumerate(zip(*(table[name] for name in names), strict=True)):
        if any(cell != "*" for cell in cells):
            found.setdefault(cells, []).append(row)
    return [found[key] for key in sorted(found, key=lambda cells: [(cell is None, cell or "") for cell in cells])]


def suppressed(table, names, rows):
    """Return the table with the quasi-identifiers of some rows suppressed."""
    changed = {name: list(cells) for name, cells in table.items()}
    for name in names:
        for row in rows:
            changed[name][row] = "*"
    return changed


def at_vector(original, hierarchies, sensitive, levels, goals, *, allowed, crowd):
    """Return the release at a vector with what must be suppressed, or None; the procedure of the specification."""
    names, rows = list(hierarchies), len(next(iter(original.values())))
    table = lifted(hierarchies, levels, original)
    groups = classes_of(table, names)

    def measured(changed):
        return release(changed, original, hierarchies, sensitive)

    fails = failing(measured(table), goals, groups)
    while True:
        gone = set(range(rows)) - {row for group, bad in zip(groups, fails, strict=True) if not bad for row in group}
        if len(gone) > allowed:
            return None
        if 0 < len(gone) < crowd:
            if all(fails):
                return None
            fails = with_smallest(fails, groups)
            continue
        made = suppressed(table, names, gone)
        judged = measured(made)
        unmet = [goal for goal in goals if judged.ask(goal).holds is not True]
        if not unmet:
            return made, len(gone)
        if all(fails):
            return None
        again = failing(judged, unmet, groups)
        more = [one or other for one, other in zip(fails, again, strict=True)]
        fails = more if sum(more) > sum(fails) else with_smallest(fails, groups)


def failing(measured, goals, groups):
    """Return which classes fail, by the rows of failing classes."""
    bad = set()
    for goal in goals:
        if isinstance(goal, Privacy):
            bad |= set(measured.ask(goal).failing_positions().tolist())
    return [bool(bad.intersection(group)) for group in groups]


def with_smallest(fails, groups):
    """Suppress the smallest of the other classes, too."""
    index = min((index for index, bad in enumerate(fails) if not bad), key=lambda index: (len(groups[index]), index))
    return [bad or index == place for place, bad in enumerate(fails)]


def best(original, hierarchies, sensitive, goals, *, allowed, crowd, loss):
    """Return loss, levels and suppressed rows of the best vector; None if there is none."""
    names = list(hierarchies)
    heights = [range(len(hierarchies[name][0])) for name in names]
    found = []
    for vector in product(*heights):
        levels = dict(zip(names, vector, strict=True))
        made = at_vector(original, hierarchies, sensitive, levels, goals, allowed=allowed, crowd=crowd)
        if made is not None:
            table, gone = made
            lost = loss(release(table, original, hierarchies, sensitive))
            found.append((lost, gone, sum(vector), vector[::-1]))
    if not found:
        return None
    lost, gone, _, backwards = min(found)
    return lost, dict(zip(names, backwards[::-1], strict=True)), gone


def geometric(measured):
    """Return the product over columns of one plus the share that each lost: larger if the loss is."""
    parts = measured.ask(pw.Granularity()).parts.values()
    lost = Fraction(1)
    for part in parts:
        figures = part.figures
        possible = Fraction(figures["possible"])
        lost *= 1 + (Fraction(figures["lost"]) / possible if possible else 0)
    return lost


def missed(measure):
    """Return the loss of a utility measure: what is missing from 1."""

    def loss(measured):
        result = measured.ask(measure)
        return 1 - (result.exact if result.exact is not None else Fraction(result.value).limit_denominator(10**12))

    return loss
