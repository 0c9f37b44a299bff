"""A policy that is written reads back as it was, whatever its names and comments are."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from PETWorks.policy.toml import Comment, Noted, toml_text, without_comments

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
SCALAR = TEXT | st.integers(-(10**18), 10**18) | st.booleans()
NOTED = st.builds(Noted, SCALAR, TEXT)
LISTS = st.lists(SCALAR | NOTED | st.lists(SCALAR, max_size=1), max_size=2)
INLINE = st.dictionaries(TEXT, SCALAR, max_size=1)


def table(plain, tables):
    return {**dict(plain), **{key: value for key, value in tables if key not in dict(plain)}}


KEYS = TEXT | st.builds(Comment, TEXT)
PLAIN = st.lists(st.tuples(KEYS, SCALAR | NOTED | LISTS), max_size=2)
TABLE = st.builds(dict, PLAIN)
CONTENT = st.builds(
    table, PLAIN, st.lists(st.tuples(KEYS, TABLE | st.lists(TABLE, min_size=1, max_size=2)), max_size=2)
)


@given(CONTENT)
def test_what_is_written_reads_back_equal(content):
    assert tomllib.loads(toml_text(content), parse_float=str) == without_comments(content)


def test_a_comment_cannot_become_a_setting():
    text = toml_text({Comment('a\r[roles]\u2028b\x7f\nthe_rest = "insensitive"'): None, "version": 1})
    assert tomllib.loads(text) == {"version": 1}
    assert text.splitlines()[-1] == "version = 1"


def test_names_are_quoted():
    assert toml_text({"roles": {"a.b": 1, "年齡": 'é"\\\n', "x-1": True}}) == (
        '[roles]\n"a.b" = 1\n"年齡" = "é\\"\\\\\\n"\nx-1 = true\n'
    )


def test_long_comments_are_wrapped():
    text = toml_text({"roles": {"names": [Noted("age", "word " * 50)]}})
    assert max(map(len, text.splitlines())) <= 106
    assert tomllib.loads(text) == {"roles": {"names": ["age"]}}


def test_mistakes_of_the_caller():
    with pytest.raises(ValueError, match="x must come before the tables"):
        toml_text({"a": {}, "x": 1})
    with pytest.raises(TypeError, match="float"):
        toml_text({"a": 0.5})
