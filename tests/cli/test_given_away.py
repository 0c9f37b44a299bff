"""What an onlooker could work out from what is handed over, tried through the command line."""

import hashlib
import re

import pytest

from support.process import petworks

POLICY = """version = 1
[data]
original = "original.csv"
released = "released.csv"
[roles]
quasi_identifiers = ["age", "sex"]
sensitive = ["illness"]
[[require]]
measure = "k-anonymity"
k = {k}
[[require]]
measure = "l-diversity"
l = 1
"""
PUBLIC = ("markdown", "junit", "json", "html", "text")


def write(folder, rows, *, k=2, original=None):
    head = "age;sex;illness\n"
    for name, lines in (("released", rows), ("original", original or rows)):
        (folder / f"{name}.csv").write_text(head + "".join(";".join(row) + "\n" for row in lines))
    (folder / "policy.toml").write_text(POLICY.format(k=k))


COMMON = [("30", "f", "flu")] * 20 + [("40", "m", "cold")] * 20


def public(folder, form, *options):
    """Return what a public check says, on both streams."""
    found = petworks("check", "policy.toml", "--audience", "public", "--format", form, *options, cwd=folder)
    return found.stdout + found.stderr


@pytest.mark.parametrize("form", PUBLIC)
def test_no_digest_of_the_original(tmp_path, form):
    """Rows that were removed can be tried until it fits."""
    write(tmp_path, COMMON, original=[*COMMON, ("99", "f", "rare")])
    digest = hashlib.sha256((tmp_path / "original.csv").read_bytes()).hexdigest()
    assert digest not in public(tmp_path, form)
    report = tmp_path / "report.html"
    petworks("check", "policy.toml", "-o", report, cwd=tmp_path)
    assert digest not in report.read_text()


@pytest.mark.parametrize("form", PUBLIC)
def test_no_rare_value_on_any_stream(tmp_path, form):
    write(tmp_path, [*COMMON, ("97", "f", "zebra-pox")])
    said = public(tmp_path, form)
    for cell in ("97", "zebra-pox"):
        assert not re.search(rf"\b{cell}\b", said), said


@pytest.mark.parametrize("form", PUBLIC)
@pytest.mark.parametrize("least", [3, 4])
def test_tables_with_other_small_classes_look_the_same(tmp_path, form, least):
    """Whether the smallest class has two people or four: the scores beside the verdict do not say it."""
    write(tmp_path, [("30", "f", "flu")] * least + [("40", "m", "cold")] * (40 - least), k=5)
    said = re.sub(r"[0-9a-f]{64}|time=\"[^\"]*\"", "", public(tmp_path, form))
    write(tmp_path, [("30", "f", "flu")] * 2 + [("40", "m", "cold")] * 38, k=5)
    assert re.sub(r"[0-9a-f]{64}|time=\"[^\"]*\"", "", public(tmp_path, form)) == said


def test_a_public_class_size_of_five_or_more_is_exact(tmp_path):
    write(tmp_path, [("30", "f", "flu")] * 7 + [("40", "m", "cold")] * 33)
    said = public(tmp_path, "text")
    assert re.search(r"k-anonymity\s+7\b", said), said


@pytest.mark.parametrize(
    "command",
    [
        ("inspect", "bare.csv"),
        ("evaluate", "bare.csv"),
        ("evaluate", "bare.csv", "--format", "markdown"),
        ("evaluate", "bare.csv", "--format", "junit"),
        ("init", "bare.csv", "--yes", "-o", "made"),
        ("compare", "bare.csv", "bare.csv", "--name", "a", "--name", "b"),
        ("hierarchy", "bare.csv", "52"),
    ],
    ids=" ".join,
)
def test_a_first_line_that_looks_like_data_is_an_error_untold(tmp_path, command):
    """Its first person would stand as the names of columns."""
    (tmp_path / "bare.csv").write_text("52;f;A123456789\n" + "".join(f"{20 + n};m;B{n:09}\n" for n in range(30)))
    found = petworks(*command, cwd=tmp_path)
    assert found.returncode == 2, found.stdout
    assert "A123456789" not in found.stdout + found.stderr
    assert not any(path.suffix == ".toml" for path in tmp_path.rglob("*"))
