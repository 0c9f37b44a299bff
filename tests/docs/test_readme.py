"""The code blocks of the README run, from the project's root."""

import ast
import re

import pytest

from support.process import petworks

README = "README.md"


def blocks(root):
    return re.findall(r"```python\n(.*?)```", (root / README).read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory, root):
    """A folder in which the demonstration was run, and which has the data of a checkout."""
    folder = tmp_path_factory.mktemp("checkout")
    (folder / "data").symlink_to(root / "data")
    assert petworks("demo", cwd=folder).returncode == 0
    return folder


def run(root, number: int) -> dict[str, object]:
    names: dict[str, object] = {}
    exec(compile(blocks(root)[number], README, "exec"), names)  # noqa: S102
    return names


def test_a_release_is_made(root, checkout, monkeypatch):
    monkeypatch.chdir(checkout)
    made = run(root, 0)["made"]
    levels, suppressed, proven = ast.literal_eval(f"({re.search(r'made.proven +# (.*)', blocks(root)[0])[1]})")
    assert (made.levels, made.suppressed, made.proven) == (levels, suppressed, proven)
    assert (checkout / "petworks-demo" / "released.csv").is_file()


@pytest.mark.parametrize("number", [1, 2])
def test_a_release_is_judged(root, checkout, number, monkeypatch, capsys):
    monkeypatch.chdir(checkout)
    names = run(root, number)
    assert "Precision" in (out := capsys.readouterr().out) or "precision" in out
    if number == 1:
        quoted = re.search(r"result.value +# ([0-9.]+)…", blocks(root)[1])[1]
        assert str(names["result"].value).startswith(quoted)


def test_every_block_is_run(root):
    assert len(blocks(root)) == 3


def test_every_measure_is_listed(root):
    import PETWorks as pw

    text = (root / README).read_text(encoding="utf-8")
    assert [kind.__name__ for kind in pw.measures().values() if f"`{kind.__name__}(" not in text] == []


def test_console_blocks_show_what_is_printed(root, checkout):
    text = (root / README).read_text(encoding="utf-8")
    shown = re.findall(r"```console\n\$ petworks (.*?)\n(.*?)```", text, re.DOTALL)
    for (command, expected), code in zip(shown, (1, 0), strict=True):  # one release fails, the other is made
        done = petworks(*command.split(), cwd=checkout)
        assert (done.returncode, done.stdout) == (code, expected)
