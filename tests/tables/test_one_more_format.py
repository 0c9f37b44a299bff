"""Adding a file format of tables means adding one file: in another package, or in the folder of formats."""

import sys

import pytest

import PETWorks as pw
from PETWorks.errors import SourceError
from PETWorks.tables import formats
from PETWorks.tables.opening import open_source
from support.process import petworks

MODULE = '''"""Tables whose cells have a fixed width."""

from PETWorks.plugin import FileFormat, MalformedError, TableSource, convert_column, check_column_names, encode_cells

WIDTH = 4
START = b"%fixed\\n"


class FixedWidthSource(TableSource):
    """The rows of a file whose cells have a fixed width."""

    def __init__(self, path, name, reading):
        self.name = name
        self._path = path
        lines = path.read_text(encoding="utf-8").splitlines()[1:]
        header, *self._rows = ([line[at : at + WIDTH] for at in range(0, len(line), WIDTH)] for line in lines)
        self.columns = check_column_names(header, name)
        if any(len(row) != len(header) for row in self._rows):
            raise MalformedError("a line is too short", where=name, hint="write all cells of each row")

    @property
    def files(self):
        return (self._path,)

    @property
    def form(self):
        return ("fixed width",)

    def batches(self, columns):
        return (batch for batch, _ in self.read_typed(columns, ()))

    def read_typed(self, coded, kept):
        places = [self._cells(place) for place in self.find_places(coded)]
        yield [encode_cells(one, self.name) for one in places], [
            convert_column(self._cells(place), self.name) for place in self.find_places(kept)
        ]

    def _cells(self, place):
        return [row[place] for row in self._rows]



def write(rewriting, file):
    file.write(START)
    source = rewriting.source
    rows = [list(rewriting.columns)]
    for batch, kept in rewriting.check_batches(source.read_typed(rewriting.coded, rewriting.kept)):
        combinations, _ = rewriting.find(batch)
        cells = dict(zip(rewriting.kept, (column.to_pylist() for column in kept), strict=True))
        for name, coded in rewriting.replacements.items():
            cells[name] = [coded.values[code] for code in coded.codes[combinations]]
        rows += zip(*(cells[name] for name in rewriting.columns), strict=True)
    for row in rows:
        file.write("".join(f"{cell or '':{WIDTH}}" for cell in row).encode() + b"\\n")


FORMAT = FileFormat(
    name="fixed width", open=FixedWidthSource, endings=(".fixed",), starts=(START,), write={".fixed": write}
)
'''
TABLE = "%fixed\nage zip \n20  100 \n20  200 \n30  100 \n30  200 \n"


@pytest.fixture
def forget(monkeypatch):
    """Look for formats anew, before the test and after it."""

    def forget():
        formats.load_own_formats.cache_clear()
        formats.load_installed_formats.cache_clear()
        for name in ("fixed_width", f"{formats.__name__}.fixed_width"):
            sys.modules.pop(name, None)

    forget()
    yield
    monkeypatch.undo()
    forget()


@pytest.fixture(params=["a package", "the folder"])
def place(request, tmp_path, monkeypatch, forget):
    """A folder with a table in the new format, which was added as one file."""
    folder = tmp_path / "added"
    folder.mkdir()
    (folder / "fixed_width.py").write_text(MODULE, encoding="utf-8")
    if request.param == "the folder":
        monkeypatch.setattr(formats, "__path__", [*formats.__path__, str(folder)])
    else:
        about = folder / "somebody-1.dist-info"
        about.mkdir()
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: somebody\nVersion: 1\n")
        (about / "entry_points.txt").write_text("[petworks.sources]\nfixed = fixed_width\n")
        monkeypatch.syspath_prepend(folder)
    (tmp_path / "people.fixed").write_text(TABLE, encoding="utf-8")
    return tmp_path


def test_a_format_is_read_and_written(place):
    people = place / "people.fixed"
    assert pw.Release(people, quasi_identifiers=["age"]).ask(pw.KAnonymity(2)).holds
    made = pw.anonymize(people, quasi_identifiers=["age", "zip"], goals=pw.KAnonymity(2), suppress_at_most="100%")
    made.write(place / "released.fixed")
    assert (place / "released.fixed").read_bytes().startswith(b"%fixed\nage zip \n")
    assert pw.Release(place / "released.fixed", quasi_identifiers=["age", "zip"]).ask(pw.KAnonymity(2)).holds


def test_its_errors_are_those_of_any_table(place):
    (place / "people.fixed").write_text("%fixed\nage zip \n20\n", encoding="utf-8")
    with pytest.raises(SourceError, match=r"people.fixed: a line is too short"):
        open_source(place / "people.fixed", "t")


def test_the_command_line_reads_it(place):
    run = petworks("evaluate", "people.fixed", "-q", "age", "-m", "k-anonymity", cwd=place)
    assert "2" in run.stdout
    assert (run.returncode, run.stderr) == (0, "")


def test_a_table_in_a_known_format_imports_no_package(place, monkeypatch):
    monkeypatch.setattr(formats, "entry_points", None)
    (place / "t.csv").write_text("a\n1\n", encoding="utf-8")
    assert open_source(place / "t.csv", "t").columns == ("a",)
