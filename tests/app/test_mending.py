"""Where something is missing, buttons lead to the screens that decide about it; what is impossible is not offered."""

import pytest
from test_release_screen_written import settled

from support.app import inside
from support.written import POLICY, project

L = '[[require]]\nmeasure = "l-diversity"\nl = 2\n'


def links(page):
    """Return where the buttons of the answer lead."""
    answer = next(one for one in page.markup.all("section") if one.get("class", "").startswith("answer"))
    return [one.get("href") for one in answer.all("a")]


@pytest.fixture
def started(tmp_path):
    opened = []

    def start(policy=POLICY, rows=None):
        path = project(tmp_path, policy=policy)
        if rows:
            (tmp_path / "people.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
        opened.append(context := inside(tmp_path, path))
        return context.__enter__()

    yield start
    for context in opened:
        context.__exit__(None, None, None)


@pytest.mark.parametrize(
    ("before", "after", "to"),
    [
        ('quasi_identifiers = ["age", "sex"]', 'the_rest = "insensitive"', ["/columns"]),
        ('sensitive = ["disease"]', 'the_rest = "insensitive"', ["/columns", "/requirements"]),
        ("intervals = [5, 10, 20]", "intervals = [5, 7]", ["/hierarchies"]),
        ("l = 2", "l = 0", ["/requirements"]),
        ('"people.csv"', '"nobody.csv"', ["/"]),
    ],
)
def test_explore_leads_to_what_is_missing(started, before, after, to):
    app = started(POLICY.replace(before, after))
    page = app.get("/explore")
    assert links(page) == to
    for address in to:
        assert app.get(address).status in (200, 303, 422)


def test_release_leads_to_a_column_without_a_role(started):
    app = started(POLICY.replace('insensitive = ["club"]\n', ""))
    assert links(settled(app)) == ["/columns"]
