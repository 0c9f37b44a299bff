"""A file of code is short enough to be read at once; a file of tests has a name that no other has."""

from collections import Counter

from support.places import ROOT

LONGEST = 700  # lines


def test_no_file_is_long():
    files = [file for folder in ("src", "tools") for file in (ROOT / folder).rglob("*.py")]
    lengths = {str(file.relative_to(ROOT)): len(file.read_text(encoding="utf-8").splitlines()) for file in files}
    assert len(lengths) > 150
    assert {name: lines for name, lines in lengths.items() if lines > LONGEST} == {}


def test_no_two_files_of_tests_have_the_same_name():
    """Pytest cannot import both in one run."""
    names = Counter(file.name for file in (ROOT / "tests").rglob("test_*.py"))
    assert [name for name, files in names.items() if files > 1] == []
