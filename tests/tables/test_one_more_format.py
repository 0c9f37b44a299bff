"""Adding a file format of tables means adding one file: in another package, or in the folder of formats."""

import sys

import pytest

import PETWorks as pw
from PETWorks.errors import SourceError
from PETWorks.tables import formats
from PETWorks.tables.opening import open_source
from support.process import petworks

MODULE = '''"""Tables whose cells have a fixed width."""

from PETWorks.plugin import (
    EncodingError, FileFormat, MalformedError, TableSource,
    check_column_names, convert_column, encode_cells, write_cells,
)

WIDTH = 4
START = b"%fixed\\n"


class FixedWidthSource(TableSource):
    """The rows of a file whose cells have a fixed width."""

    def __init__(self, path, name, reading):
        self.name = name
        self._path = path
        try:
            lines = path.read_text(encoding="utf-8").removeprefix(START.decode()).splitlines()
        except UnicodeDecodeError as error:
            raise EncodingError("a byte is not UTF-8", where=name, hint="save it as UTF-8") from error
        header, *self._rows = ([line[at : at + WIDTH] for at in range(0, len(line), WIDTH)] for line in lines)
        self.columns = check_column_names(header, name)
        for number, row in enumerate(self._rows, 1):
            if len(row) != len(header):
                raise MalformedError("a cell is missing", where=f"{name}, row {number}", hint="write all cells")

    @property
    def files(self):
        return (self._path,)

    @property
    def form(self):
        return ("fixed width",)

    def batches(self, columns):
        return (batch for batch, _ in self.read_typed(columns, ()))

    def read_typed(self, coded, kept):
        batch = [encode_cells(self._cells(place), self.name) for place in self.find_places(coded)]
        yield batch, [convert_column(self._cells(place), self.name) for place in self.find_places(kept)]

    def _cells(self, place):
        return [row[place].strip() for row in self._rows]


def write(rewriting, batches, file):
    file.write(START)
    rows = [list(rewriting.columns)]
    for batch in batches:
        rows += zip(*(write_cells(column, "the release").to_pylist() for column in batch.columns), strict=True)
    for row in rows:
        file.write("".join((cell or "").ljust(WIDTH) for cell in row).encode() + b"\\n")


FORMAT = FileFormat(
    name="fixed width", open=FixedWidthSource, endings=(".fixed",), RECOGNISED,
    write={".fixed": write},
)
'''
RECOGNISED = {"by its start": "starts=(START,)", "by its ending": "ending_suffices=True"}
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


@pytest.fixture(params=[(place, how) for place in ("a package", "the folder") for how in RECOGNISED], ids="-".join)
def place(request, tmp_path, monkeypatch, forget):
    """A folder with a table in the new format, which was added as one file."""
    added, how = request.param
    folder = tmp_path / "added"
    folder.mkdir()
    (folder / "fixed_width.py").write_text(MODULE.replace("RECOGNISED", RECOGNISED[how]), encoding="utf-8")
    if added == "the folder":
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


PATIENTS = "%fixed\n" + "".join(
    f"{age:4}{zip_code:4}{number:4}\n"
    for age, zip_code, number in [
        ("age", "zip", "no"),
        *((20 + 10 * (row % 3), 100, row) for row in range(30)),
        *((90 + row, 500, 30 + row) for row in range(5)),
    ]
)
POLICY = """
version = 1
[data]
original = "people.fixed"
released = "released.fixed"
[roles]
quasi_identifiers = ["age"]
identifiers = ["zip"]
insensitive = ["no"]
[[require]]
measure = "k-anonymity"
k = 2
[anonymize]
suppress_at_most = "20%"
"""


def read(path):
    return [[line[at : at + 4].strip() for at in range(0, 12, 4)] for line in path.read_text().splitlines()[2:]]


def test_rows_are_removed_and_shuffled(place):
    people = place / "people.fixed"
    people.write_text(PATIENTS, encoding="utf-8")
    roles = {"quasi_identifiers": ["age"], "insensitive": ["no"], "identifiers": ["zip"]}
    settings = {"suppress_at_most": "20%", "suppressed_rows": "remove", "order": "shuffled", "seed": 1}
    made = pw.anonymize(people, **roles, **settings, goals=pw.KAnonymity(2))
    judged = made.write(place / "released.fixed")
    rows = read(place / "released.fixed")
    numbers = [row[2] for row in rows]
    assert sorted(numbers, key=int) == [str(number) for number in range(30)]
    assert numbers != sorted(numbers, key=int)
    assert all(row == [str(20 + 10 * (int(row[2]) % 3)), "*", row[2]] for row in rows)
    assert judged.requirements_hold
    assert judged.facts.name == "released.fixed"


def test_its_record_is_verified(place):
    (place / "people.fixed").write_text(PATIENTS, encoding="utf-8")
    (place / "policy.toml").write_text(POLICY, encoding="utf-8")
    run = petworks("anonymize", "policy.toml", "--record", "record.json", cwd=place)
    assert run.returncode in (0, 1)  # a premise may fail
    assert run.stderr == "Wrote released.fixed\nWrote record.json\n"
    assert [row[0] for row in read(place / "released.fixed")][-1] == "*"
    run = petworks("verify", "record.json", cwd=place)
    assert (run.returncode, run.stderr) == (0, "")


@pytest.mark.parametrize("instead", ["in ():", "in list(batches)[:0]:"])
def test_a_writer_that_forgets_rows_is_refused(place, instead):
    module = place / "added" / "fixed_width.py"
    module.write_text(module.read_text(encoding="utf-8").replace("in batches:", instead), encoding="utf-8")
    roles = {"quasi_identifiers": ["age", "zip"]}
    made = pw.anonymize(place / "people.fixed", **roles, goals=pw.KAnonymity(2), suppress_at_most="100%")
    with pytest.raises(pw.PETWorksError):
        made.write(place / "released.fixed")
    assert not (place / "released.fixed").exists()


def test_its_errors_are_those_of_any_table(place):
    (place / "people.fixed").write_text("%fixed\nage zip \n20\n", encoding="utf-8")
    with pytest.raises(SourceError, match=r"people.fixed, row 1: a cell is missing"):
        open_source(place / "people.fixed", "t")


def test_the_command_line_reads_it(place):
    run = petworks("evaluate", "people.fixed", "-q", "age", "-m", "k-anonymity", cwd=place)
    assert "2" in run.stdout
    assert (run.returncode, run.stderr) == (0, "")


def test_a_table_in_a_known_format_imports_no_package(place, monkeypatch):
    monkeypatch.setattr(formats, "entry_points", None)
    (place / "t.csv").write_text("a\n1\n", encoding="utf-8")
    assert open_source(place / "t.csv", "t").columns == ("a",)
