"""A file of code is short enough to be read at once."""

from support.places import ROOT

LONGEST = 250  # lines


def test_no_file_is_long():
    files = [file for folder in ("src", "tools") for file in (ROOT / folder).rglob("*.py")]
    lengths = {str(file.relative_to(ROOT)): len(file.read_text(encoding="utf-8").splitlines()) for file in files}
    assert len(lengths) > 150
    assert {name: lines for name, lines in lengths.items() if lines > LONGEST} == {}
