"""Releases whose people have several rows, side by side: who is counted is said, and is the same of all of them."""

import json

import pytest

import PETWorks as pw
from PETWorks.errors import ParameterError

ZIPS = {"zip": [("101", "10*", "*"), ("102", "10*", "*"), ("201", "20*", "*")]}
ORIGINAL = {
    "pid": [str(row // 2) for row in range(60)],
    "zip": [("101", "102", "201")[row % 3] for row in range(60)],
    "dx": [("flu", "cold")[row % 2] for row in range(60)],
}
ONE_ROW = {"en": "One row is taken to be one person.", "zh_TW": "一筆資料列視為一人。"}


def released(level, **about):
    lift = {row[0]: row[level] for row in ZIPS["zip"]}
    table = {"zip": [lift[code] for code in ORIGINAL["zip"]], "dx": ORIGINAL["dx"]}
    roles = {"quasi_identifiers": ["zip"], "sensitive": ["dx"]}
    return pw.Release(table, original=ORIGINAL, hierarchies=ZIPS, **roles, **about)


def outputs(comparison):
    pages = {language: comparison.to_html(language=language) for language in ONE_ROW}
    written = [comparison.to_json(), *pages.values()]
    return written + [write(one) for one in ONE_ROW for write in (comparison.text, comparison.to_markdown)]


@pytest.mark.parametrize("known", ["one", "all"])
def test_every_format_names_what_is_known(known):
    comparison = pw.compare(released(1, person="pid", known=known), released(0, person="pid", known=known))
    for written in outputs(comparison):
        plain = written.replace("&#34;", '"').replace("\n", " ").replace(r"\"", '"')
        assert f'known="{known}"' in plain or f'"known": "{known}"' in plain
        assert not any(sentence in plain for sentence in ONE_ROW.values())
    told = json.loads(comparison.to_json())["releases"][0]
    assert (told["rows"], told["people"]["people"]) == (60, 30)


def test_rows_are_people_where_nobody_has_several():
    comparison = pw.compare(released(1), released(0))
    assert all(sentence in comparison.to_html() for sentence in ONE_ROW.values())
    assert not any("known" in written for written in (comparison.text(), comparison.to_markdown()))
    assert "people" not in json.loads(comparison.to_json())["releases"][0]


@pytest.mark.parametrize("other", [{}, {"person": "pid", "known": "all"}])
def test_what_is_counted_differently_is_not_compared(other):
    with pytest.raises(ParameterError, match=r'do not count alike: person="pid", known="one", and'):
        pw.compare(released(1, person="pid"), released(0, **other))
