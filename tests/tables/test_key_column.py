"""A key that no table has is a mistake, also where no measure pairs rows."""

import pytest

import PETWorks as pw
from PETWorks.errors import UnknownNameError
from support.process import petworks

TABLE = {"id": ["1", "2"], "age": ["30", "40"]}


@pytest.mark.parametrize("original", [None, TABLE])
def test_a_key_that_the_release_lacks(original):
    with pytest.raises(UnknownNameError, match=r'no column "idd" \(the key\)\n  did you mean "id"\?'):
        pw.Release(TABLE, original=original, key="idd")


def test_a_key_that_the_original_lacks():
    with pytest.raises(UnknownNameError, match=r'original: there is no column "id" \(the key\)'):
        pw.Release(TABLE, original={"age": ["30", "40"]}, key="id")


def test_on_the_command_line(tmp_path):
    (tmp_path / "t.csv").write_text("id,age\n1,30\n2,40\n", encoding="utf-8")
    for more in ([], ["--original", "t.csv"]):
        run = petworks("evaluate", "t.csv", *more, "-q", "age", "--key", "nope", "-m", "k-anonymity", cwd=tmp_path)
        told = 'error: t.csv: there is no column "nope" (the key)\n  Known: age, id\n'
        assert (run.returncode, run.stdout, run.stderr) == (2, "", told)
