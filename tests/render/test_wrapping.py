"""Text is wrapped by what it takes on a terminal: nothing is lost, and no line is too wide."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from PETWorks.render.typography import display_width, pad, wrap

TEXTS = st.text("ab  -中文，。（」e\u0301\u3000", max_size=60)


@pytest.mark.parametrize(
    ("text", "width"), [("", 0), ("abc", 3), ("中文", 4), ("e\u0301", 1), ("k-匿名性", 8), ("ｆｕｌｌ", 8)]
)
def test_width(text, width):
    assert display_width(text) == width
    assert pad(text, 9) == text + " " * (9 - width)


@given(TEXTS, st.integers(2, 20))
@example("a 中" + "b" * 9, 4)
def test_nothing_is_lost_and_no_line_is_too_wide(text, width):
    lines = wrap(text, width)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert max(map(display_width, lines)) <= width


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("one two three", 7, ["one two", "three"]),
        ("最小的等價類", 6, ["最小的", "等價類"]),
        ("很好，謝謝", 4, ["很", "好，", "謝謝"]),  # no line begins with a comma
        ("（甲）乙", 4, ["（甲", "）乙"]),  # a word that is too long is cut
        ("absolutely", 4, ["abso", "lute", "ly"]),
    ],
)
def test_where_lines_end(text, width, lines):
    assert wrap(text, width) == lines
