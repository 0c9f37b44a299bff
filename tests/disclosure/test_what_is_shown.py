"""Each audience is shown what it was shown, of every kind of table and in every format.

A change of what is shown changes a file of `expected`; ``python tests/disclosure/outputs.py`` renews them. A figure
that was not shown before has to be accepted by itself (`shown.json`).
"""

from itertools import product

import pytest

from disclosure.outputs import AUDIENCES, EXPECTED, build_output, expected_path, list_figures, read_shown
from disclosure.shown_tables import TABLES

EVERY = list(product(TABLES, AUDIENCES))


@pytest.mark.parametrize(("table", "audience"), EVERY)
def test_outputs_are_as_they_were(table, audience):
    output = build_output(table, audience)
    assert output.splitlines() == expected_path(table, audience).read_text("utf-8").splitlines()


@pytest.mark.parametrize(("table", "audience"), EVERY)
def test_no_output_shows_a_figure_that_nobody_accepted(table, audience):
    path = expected_path(table, audience)
    assert list_figures(path.read_text("utf-8")) - set(read_shown()[path.stem]) == set()


def test_no_file_is_left_over():
    names = {f"{table}.{audience}" for table, audience in EVERY}
    assert {path.stem for path in EXPECTED.iterdir()} == names == set(read_shown())
