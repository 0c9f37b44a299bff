"""The same tables with other roles give the same results as new releases, without being read again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import PETWorks as pw
from PETWorks.facts.tallies import find_tables
from support.output import listen
from support.strategies import brute, release_of, tables


def answers(evaluation) -> list:
    return [result.to_dict() for result in evaluation]


@brute
@given(tables(original=True, least_sensitive=1), st.booleans())
def test_other_roles(tables, first):
    release = release_of(tables)
    if first:
        release.evaluate()
    names = list(tables.quasi_identifiers)
    roles = {"quasi_identifiers": names[:1], "sensitive": [*names[1:], *tables.sensitive]}
    table, original = find_tables(release.facts).given
    anew = pw.Release(
        table,
        original=original,
        hierarchies=release._hierarchies,
        suppressed=tables.marker,
        pairing="position",
        **roles,
    )
    assert answers(release.with_roles(**roles).evaluate()) == answers(anew.evaluate())


def test_rows_are_not_read_again():
    table = {"a": ["x", "y", "x"], "b": ["1", "2", "1"]}
    release, rows = pw.Release(table, original=table), []
    with listen(lambda read, _: rows.append(read)):
        release.evaluate()
        release.with_roles(quasi_identifiers=["a"], sensitive=["b"]).evaluate()
    assert sum(rows) == 3


def test_rows_are_not_read_again_for_a_third_view():
    table = {"a": ["x", "y", "x"], "b": ["1", "2", "1"], "c": ["u", "u", "v"]}
    release, rows = pw.Release(table, original=table), []
    with listen(lambda read, _: rows.append(read)):
        release.evaluate()
        other = release.with_roles(quasi_identifiers=["a"], sensitive=["b"])
        other.evaluate()
        other.with_roles(quasi_identifiers=["b", "c"]).evaluate()
        release.with_roles(quasi_identifiers=["c"]).with_roles(quasi_identifiers=["a", "c"]).evaluate()
    assert sum(rows) == 3


def test_a_column_that_is_not_there():
    with pytest.raises(pw.PETWorksError, match="agee"):
        pw.Release({"age": [1]}).with_roles(quasi_identifiers=["agee"])
