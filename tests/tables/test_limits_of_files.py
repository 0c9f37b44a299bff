"""What is larger than any table that people have is refused before it takes the memory of the machine."""

import io
import subprocess
import sys
import zipfile

import pytest

import PETWorks as pw
from PETWorks.errors import PolicyError, SourceError
from PETWorks.tables.source import MAX_COLUMNS, MAX_NAME

LIMIT = 600 * 2**20  # bytes of memory that a process may have


PEAK = """
print(next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="devices and peaks are told by Linux")


def peak(folder, code):
    """Run Python in a process of its own with this much memory; return what it printed, and its peak in bytes."""
    script = f"{code}\n{PEAK}"
    found = subprocess.run([sys.executable, "-c", script], cwd=folder, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr[-2000:]
    *told, last = found.stdout.splitlines()
    return "\n".join(told), int(last)


REFUSED = """
import PETWorks as pw
try:
    {call}
except pw.PETWorksError as error:
    print(error)
else:
    print("taken")
"""


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom", "/dev/full"])
def test_a_device_is_refused(tmp_path, device):
    for path in (device, "link.csv"):
        if path == "link.csv":
            (tmp_path / path).symlink_to(device)
        with pytest.raises(SourceError, match="this is a device"):
            pw.inspect(path if path == device else tmp_path / path)
    with pytest.raises(PolicyError, match="bytes"):
        pw.Policy(device)


def test_a_key_of_many_parts(tmp_path):
    """A parser takes the square of them: 100 KB took 6 GB."""
    (tmp_path / "policy.toml").write_text(".".join(["a"] * 50_000) + " = 1\n")
    told, used = peak(tmp_path, REFUSED.format(call='pw.Policy("policy.toml")'))
    assert "a key has more than 32 parts" in told
    assert "line 1" in told
    assert used < LIMIT


@pytest.mark.parametrize("line", ["[{}]", "[[{}]]", "x = {{ {} = 1 }}", '{} = "1"', "  {}=1"])
@pytest.mark.parametrize("parts", [".".join("a" * 40), ' . "b.c" . '.join("a" * 40), ".'b'.".join("a" * 40)])
def test_however_it_is_written(tmp_path, line, parts):
    (tmp_path / "policy.toml").write_text(f"version = 1\n{line.format(parts)}\n")
    with pytest.raises(PolicyError, match="parts"):
        pw.Policy(tmp_path / "policy.toml")


@pytest.mark.parametrize("line", ['title = "one. two. three' + ". more" * 100 + '"', f"title = '{'.' * 100}'"])
def test_text_with_full_stops_is_no_key(tmp_path, line):
    (tmp_path / "policy.toml").write_text(f"version = 1\n{line}\n")
    with pytest.raises(PolicyError) as found:
        pw.Policy(tmp_path / "policy.toml")
    assert "parts" not in str(found.value)


def test_a_million_columns(tmp_path):
    (tmp_path / "wide.csv").write_text(",".join(map(str, range(10**6))) + "\n" + ",".join("1" * 10**6) + "\n")
    told, used = peak(tmp_path, REFUSED.format(call='pw.inspect("wide.csv")'))
    assert "the table has 1,000,000 columns" in told
    assert f"at most {MAX_COLUMNS:,} are read" in told
    assert used < LIMIT


def test_a_name_of_a_megabyte(tmp_path):
    (tmp_path / "long.csv").write_text("a" * (MAX_NAME + 1) + ";b\n1;2\n")
    with pytest.raises(SourceError, match="the name of a column has more than"):
        pw.inspect(tmp_path / "long.csv")


def test_a_workbook_that_unpacks_to_a_thousand_times_its_size(tmp_path):
    pytest.importorskip("xlsxwriter", reason="workbooks are written by it")
    import xlsxwriter

    made = io.BytesIO()
    book = xlsxwriter.Workbook(made)
    book.add_worksheet().write_row(0, 0, ["a", "b"])
    book.close()
    cell = b'<c t="n"><v>1</v></c>' * 100
    with zipfile.ZipFile(made) as old, zipfile.ZipFile(tmp_path / "bomb.xlsx", "w", zipfile.ZIP_DEFLATED) as new:
        for member in old.infolist():
            if member.filename != "xl/worksheets/sheet1.xml":
                new.writestr(member.filename, old.read(member))
        with new.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as sheet:
            name = b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
            sheet.write(name)
            for _ in range(10):
                sheet.write((b"<row>" + cell + b"</row>") * 12_000)
            sheet.write(b"</sheetData></worksheet>")
    assert (tmp_path / "bomb.xlsx").stat().st_size < 2 * 2**20
    told, used = peak(tmp_path, REFUSED.format(call='pw.inspect("bomb.xlsx")'))
    assert "unpacks to more than 150 times its size" in told
    assert used < LIMIT


def test_a_workbook_with_a_cell_at_its_end(tmp_path):
    """Its used area has 17 billion cells."""
    xlsxwriter = pytest.importorskip("xlsxwriter", reason="workbooks are written by it")
    book = xlsxwriter.Workbook(tmp_path / "far.xlsx")
    sheet = book.add_worksheet()
    sheet.write_row(0, 0, ["a", "b"])
    sheet.write(1_048_575, 16_383, "c")
    book.close()
    told, used = peak(tmp_path, REFUSED.format(call='pw.inspect("far.xlsx")'))
    assert "at most 50,000,000 are read" in told
    assert used < LIMIT


def test_the_limit_of_this_test_is_one(tmp_path):
    assert peak(tmp_path, "x = bytearray(700 * 2**20)")[1] > LIMIT
